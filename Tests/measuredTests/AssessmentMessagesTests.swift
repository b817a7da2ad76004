import Assessments
import Care
import Localization
import Measurement
import Motion
import Testing

@testable import Terminal

/// The words of every refusal of a measurement, for terminal and page.
@Suite struct AssessmentMessagesTests {
  static let refusals: [any RefusedMeasurement] = [
    SignalQuality.Refusal.noSamples,
    SignalQuality.Refusal.rateTooLow,
    RangeOfMotionRefusal.stream(.shaken),
    RangeOfMotionRefusal.dropout(milliseconds: 2_340),
    RangeOfMotionRefusal.verticalAxis,
    RangeOfMotionRefusal.severalAxes,
    TimedUpAndGoRefusal.stream(.noSamples),
    TimedUpAndGoRefusal.dropout(milliseconds: 2_340),
    TimedUpAndGoRefusal.noWalk,
    TimedUpAndGoRefusal.noStandUp,
    TimedUpAndGoRefusal.noSitDown,
    TimedUpAndGoRefusal.severalTasks(count: 3),
    ExerciseRefusal.dropout(milliseconds: 8_250),
    ExerciseRefusal.noRepetition(degrees: 41, partial: 3),
    ChairStandRefusal.stream(.rateTooLow),
    ChairStandRefusal.dropout(milliseconds: 1_250),
    ChairStandRefusal.noRest,
    ChairStandRefusal.noStand(degrees: 12),
    ChairStandRefusal.tooFewStands(3),
    ChairStandRefusal.tooShort(seconds: 21),
    WalkRefusal.stream(.noSamples),
    WalkRefusal.dropout(milliseconds: 3_460),
    WalkRefusal.noWalk,
    WalkRefusal.distance(millimetres: 12),
    WalkRefusal.backwards,
    WalkRefusal.tooShort(seconds: 300),
    WalkRefusal.noWayBack(steps: 4),
    TremorRefusal.stream(.noSamples),
    TremorRefusal.rateBelow50(rate: 25_300),
    TremorRefusal.tooShort(seconds: 3),
    SwayRefusal.stream(.rateTooLow),
    SwayRefusal.dropout(milliseconds: 640),
    SwayRefusal.tooShort(seconds: 12),
    SwayRefusal.axisUpright(.x),
    SwayRefusal.moved,
    ScreenRefusal.nothingPressed,
    ScreenRefusal.tooFewTaps(.left, count: 1),
    ScreenRefusal.tooFewAttempts(2, of: 5),
    HeartRateVariabilityRefusal.tooShort(seconds: 12),
    HeartRateVariabilityRefusal.tooManyArtefacts(percent: 31),
    HeartRateRecoveryRefusal.noPeak,
    HeartRateRecoveryRefusal.noReadingAfterOneMinute,
    CalibrationRefusal.tooShort,
    CalibrationRefusal.moved,
    CalibrationRefusal.slanted,
    CalibrationRefusal.missing(axis: "z", isUp: true),
    CalibrationRefusal.implausible,
    WalkingSpeedRefusal.place(.thigh),
    WalkingSpeedRefusal.place(nil),
    WalkingSpeedRefusal.noGyroscope,
    WalkingSpeedRefusal.slow(millimetresASecond: 612),
    WalkingSpeedRefusal.walk(.noWalk),
    WalkingSpeedRefusal.fewSteps(4),
    ChairStandRefusal.place(.head),
    CalibrationRefusal.missing(axis: "z", isUp: false),
    ExerciseRefusal.noRepetition(degrees: 41, partial: 0),
    ScreenRefusal.otherHand(.left),
    AssessmentRefusal.sway(.moved),
  ]

  @Test(arguments: refusals)
  func `every refusal has a text in each language`(refusal: any RefusedMeasurement) {
    #expect(refusal.exitCode == .refused)
    let texts = LanguageCatalogue.embedded.languages.map { $0.text(of: refusal) }
    #expect(Set(texts).count == texts.count)
    for text in texts { #expect(!text.contains { "⟦{}".contains($0) }, "\(text)") }
  }

  @Test(
    arguments: [
      (
        RangeOfMotionRefusal.dropout(milliseconds: 2_340),
        "The sensor was silent for 2.3 s. Bring it closer to the receiver, and repeat it."
      ),
      (
        ExerciseRefusal.noRepetition(degrees: 41, partial: 3),
        "No movement went as far as the task asks; 3 went out and back, the largest 41°. Begin with "
          + "the limb at its start and move further, or ask for a smaller minimum."
      ),
      (
        ChairStandRefusal.place(.upperArm),
        "A sensor at the upper arm does not show this. Wear it on a thigh."
      ),
      (
        WalkRefusal.distance(millimetres: 12),
        "12 mm is no distance to walk. State one between 1 m and 10 km."
      ),
      (
        WalkingSpeedRefusal.slow(millimetresASecond: 612),
        "The trunk shows 0.612 m/s, and below 0.7 m/s it shows too much. Wear a sensor with a "
          + "gyroscope on a foot, or time a walk over a known distance."
      ),
      (
        TremorRefusal.rateBelow50(rate: 25_300),
        "The sensor sends 25 samples a second, and a tremor of up to 12 Hz needs 50. Raise its rate."
      ),
    ] as [(any RefusedMeasurement, String)])
  func `a refusal states its figures`(refusal: any RefusedMeasurement, text: String) {
    #expect(refusal.message == text)
  }

  /// A form of the page leads back with the key alone.
  @Test func `a text that a form leads back to needs no value`() {
    let faults: [MeasuringFault] = [
      .noAssessment, .notYet, .answered, .sensorNotNear, .busy(event: "e"), .tooMany, .unknown,
      .wrongState(.recording), .noSensorPlaced(.anywhere, .init(type: "sway")),
    ]
    let screen: [ScreenRefusal] = [
      .nothingPressed, .tooFewTaps(.left, count: 1), .tooFewAttempts(2, of: 5), .otherHand(.left),
    ]
    for refusal in faults.map(\.localized) + screen.map(\.localized) {
      #expect(refusal.key.hasPrefix("refused.") && refusal.values.isEmpty)
      #expect(!Console.language.text(refusal).contains { "⟦{}".contains($0) })
    }
  }
}
