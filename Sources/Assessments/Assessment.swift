package import Care
public import Measurement
package import Motion

/// The description of an active task's measurement: the keys that a plan gives it, the sensors it
/// wants, how it is computed, and its figures.
///
/// The plan parser, the hub, the command line and the tables of the documents read it. A further
/// assessment is one conforming type in a file of its own and one line in ``AssessmentList/all``.
package protocol Assessment: Sendable {
  /// The result of the computation, from which the figures are taken.
  associatedtype Output

  /// Its type's name and its keys in plans.
  static var form: ActiveTaskForm { get }
  /// Its name for people.
  static var title: String { get }
  /// A sentence that describes the measurement.
  static var summary: String { get }
  /// Where to wear the sensor and how to perform it.
  static var instructions: String { get }
  /// The sensors that show it.
  static var sensors: SensorRequirement { get }
  /// How a session with a person runs it.
  static var course: MeasuringCourse { get }
  /// How a session runs it as the task asks.
  var course: MeasuringCourse { get }
  /// Its figures in the order of an event's values; the first one present is the result.
  static var figures: [Figure<Output>] { get }

  /// The assessment that a task asks for.
  init(_ task: ActiveTask)

  /// Computes it from recordings.
  ///
  /// - Throws: ``AssessmentRefusal`` if the figures would not be the assessment's.
  func measure(_ input: AssessmentInput) throws(AssessmentRefusal) -> Output

  /// The quality of the samples that `output` was computed from.
  static func quality(of output: Output) -> AssessmentQuality
}

extension Assessment {
  /// Its name in plans.
  package static var type: ActiveTaskType { form.type }

  /// The course is the same for every task, unless the assessment says otherwise.
  package var course: MeasuringCourse { Self.course }

  /// The descriptions of its figures in order; the last one is the confidence.
  package static var figureDescriptions: [FigureDescription] {
    figures.map(\.description) + [.confidence]
  }

  /// Computes it from recordings and takes its figures.
  ///
  /// - Throws: ``AssessmentRefusal`` if the figures would not be the assessment's.
  package func result(of input: AssessmentInput) throws(AssessmentRefusal) -> AssessmentResult {
    let output = try measure(input)
    let quality = Self.quality(of: output)
    let confidence = FigureValue(
      figure: .confidence, value: .text(quality.isGood ? "good" : "low"))
    return AssessmentResult(
      values: Self.figures.flatMap { $0.values(of: output) } + [confidence], quality: quality)
  }
}

/// The assessments that plans can ask for.
package enum AssessmentList {
  /// Every assessment, in the order of the documents.
  package static let all: [any Assessment.Type] = [
    RangeOfMotionAssessment.self,
    ExerciseAssessment.self,
    TimedUpAndGoAssessment.self,
    FiveTimesSitToStandAssessment.self,
    ThirtySecondChairStandAssessment.self,
    TimedWalkAssessment.self,
    ShortWalkAssessment.self,
    SixMinuteWalkAssessment.self,
    TremorAssessment.self,
    SwayAssessment.self,
    TappingAssessment.self,
    ReactionTimeAssessment.self,
  ]

  /// Their names and keys, for the plan parser.
  package static var forms: [ActiveTaskForm] {
    all.map { assessment in
      var form = assessment.form
      form.figures = assessment.figureDescriptions.compactMap { figure in
        figure.unit.map {
          ActiveTaskForm.Figure(kind: figure.kind, unit: $0, quantity: figure.quantity)
        }
      }
      return form
    }
  }

  /// The assessment that `task` asks for; `nil` if its type is unknown.
  package static func assessment(for task: ActiveTask) -> (any Assessment)? {
    all.first { $0.type == task.type }?.init(task)
  }
}

/// The sensors that show an assessment.
package struct SensorRequirement: Hashable, Sendable {
  /// The parts of the body that a sensor can be worn on.
  package enum Site: Hashable, Sendable {
    /// Any part of the body.
    case anywhere
    /// One of these segments.
    case segments([Segment])
    /// A segment of the task's joint, or both of them with two sensors.
    case joint
    /// None: the person presses on a screen.
    case screen
  }

  /// Where the sensors are worn.
  package var site: Site
  /// Whether the person stays in place; a recording of a walk is then ignored.
  package var isInPlace: Bool

  /// No sensor: the person presses on a screen.
  package static let screen = SensorRequirement(site: .screen, isInPlace: true)
}

/// The recordings that an assessment is computed from.
package struct AssessmentInput: Sendable {
  /// The samples of each sensor, from the trunk outwards.
  package var recordings: [[MotionSample]]
  /// The segment that the outermost sensor is worn on; `nil` if nobody stated it.
  package var segment: Segment?
  /// The person's height in metres; `nil` if it is unknown.
  package var height: Double?
  /// The person's heart rates during the recordings.
  package var heartRates: [HeartRateSample]
  /// The time in microseconds until which a live stream sent nothing more; `nil` for whole files.
  package var end: Int64?
  /// The presses of the person on a screen.
  package var performance: ScreenPerformance

  /// Makes an input.
  package init(
    _ recordings: [[MotionSample]] = [], on segment: Segment? = nil, height: Double? = nil,
    heartRates: [HeartRateSample] = [], end: Int64? = nil,
    performance: ScreenPerformance = ScreenPerformance()
  ) {
    self.recordings = recordings
    self.segment = segment
    self.height = height
    self.heartRates = heartRates
    self.end = end
    self.performance = performance
  }

  /// The samples of the outermost sensor.
  package var samples: [MotionSample] { recordings.last ?? [] }
}

/// The figures of one assessment, and the quality of the samples.
package struct AssessmentResult: Hashable, Sendable {
  /// The figures present, in the order of the descriptions, the confidence last.
  package var values: [FigureValue]
  /// The quality of the samples.
  package var quality: AssessmentQuality
}

/// The quality of the samples that a result was computed from.
package struct AssessmentQuality: Hashable, Sendable {
  /// Whether nothing speaks against the figures; `false` if they stand with a low confidence.
  package var isGood: Bool
  /// The counts of the stream.
  package var signal: SignalQuality

  /// Makes a quality.
  package init(isGood: Bool, signal: SignalQuality) {
    self.isGood = isGood
    self.signal = signal
  }

  /// The quality of a test on a screen, which has no stream.
  package static let ofScreen = AssessmentQuality(isGood: true, signal: SignalQuality())

  /// The quality of a result that depends on the stream alone.
  package init(_ signal: SignalQuality) {
    self.init(isGood: signal.verdict == .good, signal: signal)
  }
}

/// Why an assessment gives no figures: the refusal of its computation.
public enum AssessmentRefusal: Error, Hashable, Sendable {
  case rangeOfMotion(RangeOfMotionRefusal)
  case exercise(ExerciseRefusal)
  case timedUpAndGo(TimedUpAndGoRefusal)
  case chairStand(ChairStandRefusal)
  case walk(WalkRefusal)
  case tremor(TremorRefusal)
  case sway(SwayRefusal)
  case screen(ScreenRefusal)
}

extension AssessmentRefusal {
  /// Its name for programs: `noStandUp`.
  package var code: String {
    switch self {
    case .rangeOfMotion(let refusal): refusal.code
    case .exercise(let refusal): refusal.code
    case .timedUpAndGo(let refusal): refusal.code
    case .chairStand(let refusal): refusal.code
    case .walk(let refusal): refusal.code
    case .tremor(let refusal): refusal.code
    case .sway(let refusal): refusal.code
    case .screen(let refusal): refusal.code
    }
  }
}
