import Measurement
import Motion
import Testing

@testable import measured

/// The words of every refusal of a measurement.
@Suite struct AssessmentMessagesTests {
  static let refusals: [(any RefusedMeasurement, String)] = [
    (
      SignalQuality.Refusal.noSamples,
      "the sensor sent no samples to measure; check that it is worn, charged and streaming"
    ),
    (
      SignalQuality.Refusal.rateTooLow,
      "the sensor sends fewer than 10 samples a second, too few to follow a movement; raise its "
        + "rate to 25 a second or more"
    ),
    (
      RangeOfMotionRefusal.stream(.shaken),
      "no range of motion: the movement was too fast for an accelerometer alone; repeat it "
        + "slowly, or use a sensor with a gyroscope"
    ),
    (
      RangeOfMotionRefusal.dropout(milliseconds: 2_340),
      "no range of motion: the sensor was silent for 2.3 s during the movement; bring the "
        + "receiver closer and repeat it"
    ),
    (
      RangeOfMotionRefusal.verticalAxis,
      "no range of motion: the limb turned about the vertical, which gravity does not show; take "
        + "a position in which it moves up and down"
    ),
    (
      RangeOfMotionRefusal.severalAxes,
      "no range of motion: the limb moved about several axes, so there is no one angle; repeat "
        + "the movement in one plane"
    ),
    (
      TimedUpAndGoRefusal.stream(.noSamples),
      "no timed up and go: the sensor sent no samples to measure; check that it is worn, charged "
        + "and streaming"
    ),
    (
      TimedUpAndGoRefusal.dropout(milliseconds: 2_340),
      "no timed up and go: the sensor was silent for 2.3 s during the task; bring the receiver "
        + "closer and repeat it"
    ),
    (
      TimedUpAndGoRefusal.noWalk,
      "no timed up and go: the recording holds no five seconds of walking; wear the sensor on the "
        + "thigh, in a front pocket for instance, and walk to the mark and back"
    ),
    (
      TimedUpAndGoRefusal.noStandUp,
      "no timed up and go: there is walking, but no sitting still before it; sit still for two "
        + "seconds, then stand up"
    ),
    (
      TimedUpAndGoRefusal.noSitDown,
      "no timed up and go: there is no sitting still after the walk with the sensor as it was "
        + "before; sit down and stay still for two seconds, the sensor untouched"
    ),
    (
      TimedUpAndGoRefusal.severalTasks(count: 3),
      "no timed up and go: the recording holds 3 tasks; record each by itself, or measure one part "
        + "at a time"
    ),
    (
      ExerciseRefusal.dropout(milliseconds: 8_250),
      "no exercise: the sensor was silent for 8.2 s during the exercise; bring the receiver closer "
        + "and repeat it"
    ),
    (
      ExerciseRefusal.noRepetition(degrees: 41, partial: 3),
      "no exercise: no repetition reached the minimum; the largest movement was 41°, and 3 went out "
        + "and back; begin with the limb at its start, and move it out and back as far as the plan "
        + "asks"
    ),
    (
      ChairStandRefusal.stream(.rateTooLow),
      "no chair stand: the sensor sends fewer than 10 samples a second, too few to follow a "
        + "movement; raise its rate to 25 a second or more"
    ),
    (
      ChairStandRefusal.dropout(milliseconds: 1_250),
      "no chair stand: the sensor was silent for 1.2 s during the test; bring the receiver closer "
        + "and repeat it"
    ),
    (
      ChairStandRefusal.noRest,
      "no chair stand: the thigh was never still; sit still for a second before the first stand"
    ),
    (
      ChairStandRefusal.noStand(degrees: 12),
      "no chair stand: the thigh rose by 12° at most, a stand takes 25° or more; wear the sensor "
        + "on the thigh, and note a 0 by hand if the person could not stand up"
    ),
    (
      ChairStandRefusal.tooFewStands(3),
      "no five-times sit-to-stand: 3 of 5 stands were seen; note it as not completed, or repeat "
        + "the test"
    ),
    (
      ChairStandRefusal.tooShort(seconds: 21),
      "no 30-second chair stand: the recording ends 21 s after the first movement; let it run "
        + "until the 30 s are over"
    ),
    (
      WalkRefusal.stream(.noSamples),
      "no walk: the sensor sent no samples to measure; check that it is worn, charged and streaming"
    ),
    (
      WalkRefusal.dropout(milliseconds: 3_460),
      "no walk: the sensor was silent for 3.4 s of it; bring the receiver closer and repeat it"
    ),
    (
      WalkRefusal.noWalk,
      "no walk: fewer than ten steps in a row were seen; check that the sensor is worn, and walk "
        + "at least ten steps"
    ),
    (
      WalkRefusal.distance(millimetres: 12),
      "no walk: 12 mm is no distance to walk; state one between 1 m and 10 km"
    ),
    (
      WalkRefusal.backwards,
      "no walk: its stated end is not after its beginning; check both times"
    ),
    (
      WalkRefusal.tooShort(seconds: 300),
      "no six-minute walk: the recording ends after 300 s; let it run for 360 s, also while the "
        + "person rests, and note by hand where the person gave up"
    ),
    (
      WalkRefusal.noWayBack(steps: 4),
      "no short walk: only 4 steps of the way back were seen; walk out, turn round, and walk back "
        + "without a long pause"
    ),
    (
      TremorRefusal.stream(.noSamples),
      "no tremor measurement: the sensor sent no samples to measure; check that it is worn, "
        + "charged and streaming"
    ),
    (
      TremorRefusal.rateBelow50(rate: 25_300),
      "no tremor measurement: the sensor sends 25 samples a second, a tremor of up to 12 Hz needs "
        + "50; raise its rate"
    ),
    (
      TremorRefusal.tooShort(seconds: 3),
      "no tremor measurement: only 3 s came in without a hole, 6 s are needed; hold the posture "
        + "for at least 10 s, close to the receiver"
    ),
    (
      SwayRefusal.stream(.rateTooLow),
      "no sway: the sensor sends fewer than 10 samples a second, too few to follow a movement; "
        + "raise its rate to 25 a second or more"
    ),
    (
      SwayRefusal.dropout(milliseconds: 640),
      "no sway: the sensor was silent for 0.6 s; bring the receiver closer and repeat it"
    ),
    (
      SwayRefusal.tooShort(seconds: 12),
      "no sway: the recording lasts 12 s; stand still for 30 s"
    ),
    (
      SwayRefusal.axisUpright(.x),
      "no sway: the sensor's x axis points up or down, not to the front or the back; wear the "
        + "sensor flat on the lower back, or name another axis"
    ),
    (
      SwayRefusal.moved,
      "no sway: the person took a step, bent or was moved; repeat it standing still"
    ),
    (ScreenRefusal.nothingPressed, "no result: nothing was pressed; repeat the test"),
    (
      ScreenRefusal.tooFewTaps(.left, count: 1),
      "no result: the left hand hit the buttons 1 times; tap the two buttons in turn until the time "
        + "is over"
    ),
    (
      ScreenRefusal.tooFewAttempts(2, of: 5),
      "no result: 2 of 5 attempts succeeded; wait for the signal, then press at once"
    ),
    (
      HeartRateVariabilityRefusal.tooShort(seconds: 12),
      "no heart rate variability: only 12 s of regular beats came in, 60 s are needed; sit still "
        + "for five minutes with the strap on"
    ),
    (
      HeartRateVariabilityRefusal.tooManyArtefacts(percent: 31),
      "no heart rate variability: 31 % of the beats were missed, false or irregular; moisten the "
        + "strap and sit still, and ask a clinician if it stays so"
    ),
    (
      HeartRateRecoveryRefusal.noPeak,
      "no heart rate recovery: no heart rate came in when the exercise ended; moisten the strap "
        + "and repeat the exercise"
    ),
    (
      HeartRateRecoveryRefusal.noReadingAfterOneMinute,
      "no heart rate recovery: no heart rate came in one minute after the exercise; keep the strap "
        + "on for two minutes after the end"
    ),
    (
      CalibrationRefusal.tooShort,
      "not calibrated: a position was held too briefly; leave the sensor alone for two seconds in "
        + "each"
    ),
    (
      CalibrationRefusal.moved,
      "not calibrated: the sensor moved; lay it on a firm surface and let go of it"
    ),
    (
      CalibrationRefusal.slanted,
      "not calibrated: the sensor lay askew; lay it flat on one of its sides"
    ),
    (
      CalibrationRefusal.missing(axis: "z", isUp: true),
      "not calibrated: no position had the sensor's z axis pointing up; lay it on each of its six "
        + "sides in turn"
    ),
    (
      CalibrationRefusal.implausible,
      "not calibrated: the readings are further from gravity than any working sensor's; check the "
        + "unit of the data, or replace the sensor"
    ),
  ]

  @Test(arguments: refusals)
  func `every refusal says what to do`(refusal: any RefusedMeasurement, message: String) {
    #expect(refusal.message == message)
    #expect(refusal.exitCode == .refused)
  }
}
