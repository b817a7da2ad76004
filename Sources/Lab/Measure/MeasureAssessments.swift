public import ArgumentParser
import Assessments
import Care
import Localization
import Measurement
public import Motion
import Terminal

/// `measured measure range-of-motion`.
struct MeasureRangeOfMotion: AssessmentCommand {
  static let configuration = CommandConfiguration(
    "range-of-motion", RangeOfMotionAssessment.self,
    examples: ["measured measure range-of-motion --joint knee --side left shank.csv --json"])

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @Option(help: "The joint: \(Joint.allCases.map(\.rawValue).joined(separator: ", ")).")
  var joint: Joint

  @Option(help: "The side: left or right.")
  var side: Side?

  @OptionGroup var proximal: ProximalOption

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    try proximal.check(motion)
    guard side != nil || joint == .trunk || joint == .neck else {
      throw ValidationError(
        LocalizedText(
          "command.measure.side",
          ["joint": .init(Console.language.text("body." + joint.rawValue))]
        ).message)
    }
  }

  var plotted: PlotOptions.Signal { .angle }

  var assessment: any Assessment {
    RangeOfMotionAssessment(
      ActiveTask(type: RangeOfMotionAssessment.type, joint: joint, side: side))
  }

  var repeatedOptions: [String: String] {
    ["joint": joint.rawValue].merging(side.map { ["side": $0.rawValue] } ?? [:]) { $1 }
  }

  func recordings(of file: String) throws -> [[MotionSample]] {
    try proximal.recordings(with: file, of: motion)
  }
}

/// `measured measure exercise`.
struct MeasureExercise: AssessmentCommand {
  static let configuration = CommandConfiguration(
    "exercise", ExerciseAssessment.self,
    examples: ["measured measure exercise --minimum 60 --rest 60 shank.csv --json"])

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @Option(help: "The least excursion of a repetition in degrees, 10 to 180; 20 unless given.")
  var minimum: Double?

  @Option(help: "The rest between sets in seconds, 5 to 600; a pause of half of it ends a set.")
  var rest: Int?

  @OptionGroup var proximal: ProximalOption

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    try proximal.check(motion)
    guard minimum.map({ ActiveTaskForm.Key.minimum.permits(.number($0)) }) ?? true else {
      throw ValidationError(LocalizedText("command.measure.minimum").message)
    }
    guard rest.map({ ActiveTaskForm.Key.rest.permits(.count($0)) }) ?? true else {
      throw ValidationError(LocalizedText("command.measure.rest").message)
    }
  }

  var plotted: PlotOptions.Signal { .angle }

  var assessment: any Assessment {
    ExerciseAssessment(
      ActiveTask(type: ExerciseAssessment.type, rest: rest, minimum: minimum))
  }

  func recordings(of file: String) throws -> [[MotionSample]] {
    try proximal.recordings(with: file, of: motion)
  }
}

/// `measured measure timed-up-and-go`.
struct MeasureTimedUpAndGo: AssessmentCommand {
  static let configuration = CommandConfiguration(
    "timed-up-and-go", TimedUpAndGoAssessment.self,
    examples: ["measured measure timed-up-and-go thigh.csv --json"])

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  var assessment: any Assessment {
    TimedUpAndGoAssessment(ActiveTask(type: TimedUpAndGoAssessment.type))
  }
}

/// `measured measure chair-stand`.
struct MeasureChairStand: AssessmentCommand {
  static let configuration = CommandConfiguration(
    commandName: "chair-stand",
    abstract: "Times five stands from a chair, or counts those of thirty seconds.",
    discussion: """
      \(FiveTimesSitToStandAssessment.instructions)

      Figures of five-times: \(FiveTimesSitToStandAssessment.figureList). Figures of \
      thirty-seconds: \(ThirtySecondChairStandAssessment.figureList).

      Example:
        measured measure chair-stand thigh.csv --json
        measured measure chair-stand --test thirty-seconds thigh.csv
      """)

  /// Which of the two tests.
  enum Test: String, ExpressibleByArgument, CaseIterable {
    case fiveTimes = "five-times"
    case thirtySeconds = "thirty-seconds"
  }

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @OptionGroup var place: PlaceOptions

  @Option(help: "five-times or thirty-seconds.")
  var test: Test = .fiveTimes

  @Flag(help: "Print JSON Lines.")
  var json = false

  var assessment: any Assessment {
    switch test {
    case .fiveTimes:
      FiveTimesSitToStandAssessment(ActiveTask(type: FiveTimesSitToStandAssessment.type))
    case .thirtySeconds:
      ThirtySecondChairStandAssessment(ActiveTask(type: ThirtySecondChairStandAssessment.type))
    }
  }

  func segment(of file: String) -> Segment? { place.segment(of: file) }

  var repeatedOptions: [String: String] { ["test": test.rawValue] }
}

/// `measured measure tremor`.
struct MeasureTremor: AssessmentCommand {
  static let configuration = CommandConfiguration(
    "tremor", TremorAssessment.self, examples: ["measured measure tremor at-rest.csv --json"])

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  var assessment: any Assessment { TremorAssessment(ActiveTask(type: TremorAssessment.type)) }
}

/// `measured measure sway`.
struct MeasureSway: AssessmentCommand {
  static let configuration = CommandConfiguration(
    "sway", SwayAssessment.self, note: "--axis names it.",
    examples: ["measured measure sway --axis z back.csv --json"])

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @Option(help: "The sensor's axis to the front or back: x, y or z.")
  var axis: Axis = .z

  @Flag(help: "Print JSON Lines.")
  var json = false

  var assessment: any Assessment {
    SwayAssessment(ActiveTask(type: SwayAssessment.type, axis: axis))
  }
}

extension Joint: ExpressibleByArgument {}
extension Side: ExpressibleByArgument {}
extension Axis: ExpressibleByArgument {}
