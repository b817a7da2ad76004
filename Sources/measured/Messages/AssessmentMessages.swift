import Assessments
import Care
import Hub
import Measurement
import Motion

// The problem, its reason and the advice, for every refusal of a measurement.

/// A refusal of a measurement; a command that meets one ends with ``ExitCode/refused``.
protocol RefusedMeasurement: PresentableError {}

extension RefusedMeasurement {
  var exitCode: ExitCode { .refused }
}

extension UnmeasuredReason {
  /// Why an active task was not measured.
  var message: String {
    switch self {
    case .refused(let refusal): refusal.message
    case .unassigned(let reason): reason
    }
  }
}

extension AssessmentRefusal: RefusedMeasurement {
  /// Why the assessment gives no figures.
  var message: String {
    switch self {
    case .rangeOfMotion(let refusal): refusal.message
    case .exercise(let refusal): refusal.message
    case .timedUpAndGo(let refusal): refusal.message
    case .chairStand(let refusal): refusal.message
    case .walk(let refusal): refusal.message
    case .tremor(let refusal): refusal.message
    case .sway(let refusal): refusal.message
    case .screen(let refusal): refusal.message
    }
  }
}

extension SignalQuality.Refusal: RefusedMeasurement {
  /// Why the stream cannot be measured.
  var message: String {
    switch self {
    case .noSamples:
      "the sensor sent no samples to measure; check that it is worn, charged and streaming"
    case .rateTooLow:
      "the sensor sends fewer than 10 samples a second, too few to follow a movement; raise its "
        + "rate to 25 a second or more"
    case .shaken:
      "the movement was too fast for an accelerometer alone; repeat it slowly, or use a sensor with "
        + "a gyroscope"
    }
  }
}

extension RangeOfMotionRefusal: RefusedMeasurement {
  /// Why there is no range of motion.
  var message: String { "no range of motion: " + reason }

  private var reason: String {
    switch self {
    case .stream(let refusal): refusal.message
    case .dropout(let milliseconds):
      "\(silence(milliseconds)) during the movement; bring the receiver closer and repeat it"
    case .verticalAxis:
      "the limb turned about the vertical, which gravity does not show; take a position in which "
        + "it moves up and down"
    case .severalAxes:
      "the limb moved about several axes, so there is no one angle; repeat the movement in one "
        + "plane"
    }
  }
}

extension ExerciseRefusal: RefusedMeasurement {
  /// Why there is no exercise.
  var message: String { "no exercise: " + reason }

  private var reason: String {
    switch self {
    case .stream(let refusal): refusal.message
    case .dropout(let milliseconds):
      "\(silence(milliseconds)) during the exercise; bring the receiver closer and repeat it"
    case .verticalAxis:
      "the limb turned about the vertical, which gravity does not show; take a position in which "
        + "it moves up and down"
    case .severalAxes:
      "the limb moved about several axes, so there is no one angle; repeat the exercise in one "
        + "plane, or with one sensor"
    case .noRepetition(let degrees, let partial):
      "no repetition reached the minimum; the largest movement was \(degrees)°"
        + (partial > 0 ? ", and \(partial) went out and back" : "")
        + "; begin with the limb at its start, and move it out and back as far as the plan asks"
    }
  }
}

extension TimedUpAndGoRefusal: RefusedMeasurement {
  /// Why there is no timed up and go.
  var message: String { "no timed up and go: " + reason }

  private var reason: String {
    switch self {
    case .stream(let refusal): refusal.message
    case .dropout(let milliseconds):
      "\(silence(milliseconds)) during the task; bring the receiver closer and repeat it"
    case .noWalk:
      "the recording holds no five seconds of walking; wear the sensor on the thigh, in a front "
        + "pocket for instance, and walk to the mark and back"
    case .noStandUp:
      "there is walking, but no sitting still before it; sit still for two seconds, then stand up"
    case .noSitDown:
      "there is no sitting still after the walk with the sensor as it was before; sit down and "
        + "stay still for two seconds, the sensor untouched"
    case .severalTasks(let count):
      "the recording holds \(count) tasks; record each by itself, or measure one part at a time"
    }
  }
}

extension ChairStandRefusal: RefusedMeasurement {
  /// Why there is no chair stand.
  var message: String {
    switch self {
    case .stream(let refusal): "no chair stand: \(refusal.message)"
    case .dropout(let milliseconds):
      "no chair stand: \(silence(milliseconds)) during the test; bring the receiver closer and "
        + "repeat it"
    case .place(let segment):
      "no chair stand: a sensor at the \(segment.words) does not show it; wear it on a thigh"
    case .noRest:
      "no chair stand: the thigh was never still; sit still for a second before the first stand"
    case .noStand(let degrees):
      "no chair stand: the thigh rose by \(degrees)° at most, a stand takes 25° or more; wear the "
        + "sensor on the thigh, and note a 0 by hand if the person could not stand up"
    case .tooFewStands(let stands):
      "no five-times sit-to-stand: \(stands) of 5 stands were seen; note it as not completed, or "
        + "repeat the test"
    case .tooShort(let seconds):
      "no 30-second chair stand: the recording ends \(seconds) s after the first movement; let it "
        + "run until the 30 s are over"
    }
  }
}

extension Segment {
  /// Its name in words: `upper arm`.
  var words: String { self == .upperArm ? "upper arm" : rawValue }
}

extension WalkingSpeedRefusal: RefusedMeasurement {
  /// Why a walk has no speed.
  var message: String {
    switch self {
    case .place(let segment?):
      "no walking speed: no method holds for a sensor at the \(segment.words); wear it at the "
        + "lower back, or one with a gyroscope on a foot"
    case .place(nil):
      "no walking speed: nobody said where the sensor was worn; say it with --on"
    case .noGyroscope:
      "no walking speed: a foot's sensor without a gyroscope is off by too much; wear one with a "
        + "gyroscope, or wear it at the lower back"
    case .slow(let speed):
      "no walking speed: the trunk shows \(Double(thousandths: speed).plainText) m/s, and too much "
        + "below 0.7 m/s; wear a sensor with a gyroscope on a foot, or time a walk over a known "
        + "distance"
    case .walk(let refusal): refusal.message
    case .fewSteps(let steps):
      "no walking speed: \(steps) steps outside of turns are too few; walk ten steps straight on"
    }
  }
}

extension WalkRefusal: RefusedMeasurement {
  /// Why there is no walk.
  var message: String {
    switch self {
    case .stream(let refusal): "no walk: \(refusal.message)"
    case .dropout(let milliseconds):
      "no walk: \(silence(milliseconds)) of it; bring the receiver closer and repeat it"
    case .noWalk:
      "no walk: fewer than ten steps in a row were seen; check that the sensor is worn, and walk at "
        + "least ten steps"
    case .distance(let millimetres):
      "no walk: \(millimetres) mm is no distance to walk; state one between 1 m and 10 km"
    case .backwards:
      "no walk: its stated end is not after its beginning; check both times"
    case .noWayBack(let steps):
      "no short walk: only \(steps) steps of the way back were seen; walk out, turn round, and walk "
        + "back without a long pause"
    case .tooShort(let seconds):
      "no six-minute walk: the recording ends after \(seconds) s; let it run for 360 s, also while "
        + "the person rests, and note by hand where the person gave up"
    }
  }
}

extension TremorRefusal: RefusedMeasurement {
  /// Why there is no tremor measurement.
  var message: String { "no tremor measurement: " + reason }

  private var reason: String {
    switch self {
    case .stream(let refusal): refusal.message
    case .rateBelow50(let rate):
      "the sensor sends \(rate / 1_000) samples a second, a tremor of up to 12 Hz needs 50; raise "
        + "its rate"
    case .tooShort(let seconds):
      "only \(seconds) s came in without a hole, 6 s are needed; hold the posture for at least "
        + "10 s, close to the receiver"
    }
  }
}

extension SwayRefusal: RefusedMeasurement {
  /// Why there is no sway.
  var message: String { "no sway: " + reason }

  private var reason: String {
    switch self {
    case .stream(let refusal): refusal.message
    case .dropout(let milliseconds):
      "\(silence(milliseconds)); bring the receiver closer and repeat it"
    case .tooShort(let seconds): "the recording lasts \(seconds) s; stand still for 30 s"
    case .axisUpright(let axis):
      "the sensor's \(axis.rawValue) axis points up or down, not to the front or the back; wear "
        + "the sensor flat on the lower back, or name another axis"
    case .moved: "the person took a step, bent or was moved; repeat it standing still"
    }
  }
}

extension ScreenRefusal: RefusedMeasurement {
  /// Why there is no result of a test on a screen.
  var message: String { "no result: " + reason }

  private var reason: String {
    switch self {
    case .nothingPressed: "nothing was pressed; repeat the test"
    case .disorder: "the times of the presses are not in order; repeat the test"
    case .tooMany: "there are more presses than a person makes; repeat the test"
    case .repeated(let hand): "the \(hand.rawValue) hand was tested twice; test each hand once"
    case .otherHand(let hand):
      "it was done with the \(hand.rawValue) hand; repeat it with the other one"
    case .tooFewTaps(let hand, let count):
      "the \(hand.rawValue) hand hit the buttons \(count) times; tap the two buttons in turn until "
        + "the time is over"
    case .tooFewAttempts(let count, let wanted):
      "\(count) of \(wanted) attempts succeeded; wait for the signal, then press at once"
    }
  }
}

extension HeartRateVariabilityRefusal: RefusedMeasurement {
  /// Why there is no heart rate variability.
  var message: String {
    switch self {
    case .tooShort(let seconds):
      "no heart rate variability: only \(seconds) s of regular beats came in, 60 s are needed; sit "
        + "still for five minutes with the strap on"
    case .tooManyArtefacts(let percent):
      "no heart rate variability: \(percent) % of the beats were missed, false or irregular; "
        + "moisten the strap and sit still, and ask a clinician if it stays so"
    }
  }
}

extension HeartRateRecoveryRefusal: RefusedMeasurement {
  /// Why there is no heart rate recovery.
  var message: String {
    switch self {
    case .noPeak:
      "no heart rate recovery: no heart rate came in when the exercise ended; moisten the strap and "
        + "repeat the exercise"
    case .noReadingAfterOneMinute:
      "no heart rate recovery: no heart rate came in one minute after the exercise; keep the strap "
        + "on for two minutes after the end"
    }
  }
}

extension CalibrationRefusal: RefusedMeasurement {
  /// Why the accelerometer was not calibrated.
  var message: String { "not calibrated: " + reason }

  private var reason: String {
    switch self {
    case .tooShort:
      "a position was held too briefly; leave the sensor alone for two seconds in each"
    case .moved: "the sensor moved; lay it on a firm surface and let go of it"
    case .slanted: "the sensor lay askew; lay it flat on one of its sides"
    case .missing(let axis, let isUp):
      "no position had the sensor's \(axis) axis pointing \(isUp ? "up" : "down"); lay it on each "
        + "of its six sides in turn"
    case .implausible:
      "the readings are further from gravity than any working sensor's; check the unit of the "
        + "data, or replace the sensor"
    }
  }
}

/// A silence of a sensor, to a tenth of a second.
private func silence(_ milliseconds: Int64) -> String {
  "the sensor was silent for \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
}
