import ArgumentParser
import Assessments
import Care
import Localization
import Measurement
import Motion
import Terminal

/// `measured measure walk`: a timed walk, a short walk, a six-minute walk, or a walk there and back.
struct MeasureWalk: AssessmentCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Measures a walk: there and back, over a known distance, or for six minutes.",
    discussion: """
      A sensor on the body cannot measure a distance. With --distance it is the one that you state; \
      for six minutes it is laps that you counted, or an estimate from your step length.

      Figures with --distance: \(TimedWalkAssessment.figureList). Figures with --six-minute: \
      \(SixMinuteWalkAssessment.figureList). Figures with --steps-per-leg: \
      \(ShortWalkAssessment.figureList). Figures with none of them: steps, duration (s), cadence \
      (/min), legs, and at the lower back, or on a foot with a gyroscope, walkingSpeed (m/s) and \
      strideLength (m), both without a known distance.

      Example:
        measured measure walk corridor.csv --on pelvis --height 1.62 --json
        measured measure walk --distance 10 corridor.csv
        measured measure walk --steps-per-leg 20 --rest-time 30 corridor.csv
        measured measure walk --six-minute --laps 11 --lap-length 30 --rest 12 walk.csv
      """)

  @OptionGroup var motion: MotionOptions

  @OptionGroup var plot: PlotOptions

  @OptionGroup var place: PlaceOptions

  @OptionGroup var person: HeightOption

  @Option(help: "The distance walked, in metres: a timed walk.")
  var distance: Double?

  @Option(help: "The steps of each way, 10 to 1000: a short walk out and back.")
  var stepsPerLeg: Int?

  @Option(help: "The rest after a short walk in seconds, 5 to 600.")
  var restTime: Int?

  @Flag(help: "A six-minute walk, from the first step.")
  var sixMinute = false

  @Option(help: "Laps counted in the six minutes.")
  var laps: Int?

  @Option(help: "The length of a lap in metres.")
  var lapLength: Double?

  @Option(help: "The distance walked of the last lap, in metres.")
  var rest: Double?

  @Option(help: "The length of a step in metres, for an estimate.")
  var stepLength: Double?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard distance == nil || !sixMinute else {
      throw ValidationError(LocalizedText("command.measure.walkDistance").message)
    }
    guard stepsPerLeg == nil || distance == nil && !sixMinute else {
      throw ValidationError(LocalizedText("command.measure.walkSteps").message)
    }
    guard stepsPerLeg.map({ ActiveTaskForm.Key.stepsPerLeg.permits(.count($0)) }) ?? true else {
      throw ValidationError(LocalizedText("command.measure.stepsPerLeg").message)
    }
    guard
      restTime.map({ stepsPerLeg != nil && ActiveTaskForm.Key.rest.permits(.count($0)) }) ?? true
    else {
      throw ValidationError(LocalizedText("command.measure.restTime").message)
    }
    guard (laps == nil) == (lapLength == nil), rest == nil || laps != nil else {
      throw ValidationError(LocalizedText("command.measure.laps").message)
    }
    guard sixMinute || (laps == nil && stepLength == nil) else {
      throw ValidationError(LocalizedText("command.measure.sixMinute").message)
    }
    for metres in [distance, lapLength, rest, stepLength].compactMap(\.self) {
      guard metres.isFinite, (0...100_000).contains(metres) else {
        throw ValidationError(
          LocalizedText("command.measure.noDistance", ["number": "\(metres)"]).message)
      }
    }
  }

  var assessment: any Assessment {
    if let stepsPerLeg {
      return ShortWalkAssessment(
        ActiveTask(type: ShortWalkAssessment.type, rest: restTime, stepsPerLeg: stepsPerLeg))
    }
    return sixMinute
      ? SixMinuteWalkAssessment(basis: basis)
      : TimedWalkAssessment(ActiveTask(type: TimedWalkAssessment.type, distance: distance))
  }

  func segment(of file: String) -> Segment? { place.segment(of: file) }

  var height: Double? { person.height }

  func run() async throws {
    guard !sixMinute, distance == nil, stepsPerLeg == nil else {
      try await measure(assessment)
      return
    }
    try plot.check(motion.files)
    var drawn: (samples: [MotionSample], file: String)?
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      if plot.file != nil { drawn = (samples, file) }
      let output = try BackAndForthOutput(
        file, samples, on: segment(of: file), height: person.millimetres)
      if json { try Console.json(output) } else { Console.out(output.text) }
    }
    if let drawn { try await plot.draw(drawn.samples, plotted, of: drawn.file) }
  }

  private var basis: WalkDistance.Basis? {
    if let laps, let lapLength {
      return .laps(
        count: laps, length: Int64(millimetres: lapLength), rest: Int64(millimetres: rest ?? 0))
    }
    return stepLength.map { .stepLength(Int64(millimetres: $0)) }
  }
}

/// A walk there and back, as JSON and for people.
private struct BackAndForthOutput: Encodable {
  var file: String
  var steps: Int
  /// Seconds.
  var duration: Double
  /// Steps a minute.
  var cadence: Double
  var legs: [Leg]?
  /// Metres a second, and metres; absent without a speed.
  var walkingSpeed: Double?
  var strideLength: Double?
  /// Whether the usual height stands in for the person's.
  var assumesHeight: Bool?
  /// Why there is no speed at a stated place; absent with one.
  var noWalkingSpeed: String?
  var quality: QualityOutput
  private var flaws: String?
  private var refusal: WalkingSpeedRefusal?

  private enum CodingKeys: String, CodingKey {
    case file, steps, duration, cadence, legs, walkingSpeed, strideLength, assumesHeight
    case noWalkingSpeed, quality
  }

  struct Leg: Encodable {
    var direction: String
    var steps: Int
    /// Seconds.
    var duration: Double
  }

  init(
    _ file: String, _ samples: [MotionSample], on segment: Segment?, height: Int64?
  ) throws(WalkRefusal) {
    let result = try BackAndForthWalk.measure(samples, on: segment)
    self.file = file
    steps = result.walk.steps
    duration = Double(millionths: result.walk.duration)
    cadence = Double(thousandths: result.walk.cadence)
    legs = result.legs?.map { leg in
      Leg(
        direction: leg.direction.rawValue, steps: leg.walk.steps,
        duration: Double(millionths: leg.walk.duration))
    }
    quality = QualityOutput(AssessmentQuality(result.quality))
    flaws = AssessmentQuality(result.quality).flaws
    do throws(WalkingSpeedRefusal) {
      let walk = result.walk
      let speed = try WalkingSpeed.measure(
        samples, on: segment, height: height, in: walk.start..<walk.start + walk.duration)
      walkingSpeed = Double(thousandths: speed.speed)
      strideLength = Double(thousandths: speed.strideLength)
      assumesHeight = speed.assumesHeight
    } catch {
      // Nobody asked for a speed who does not say where the sensor was worn.
      guard error != .place(nil) else { return }
      refusal = error
      noWalkingSpeed = error.code
    }
  }

  /// The speed, or for a stated place the reason why there is none.
  private var speedText: String {
    if let walkingSpeed, let strideLength {
      let height = assumesHeight == true ? " for a height of 1.70 m" : ""
      return ", \(walkingSpeed.plainText) m/s, strides of \(strideLength.plainText) m\(height)"
    }
    return refusal.map { "; \($0.message)" } ?? ""
  }

  var text: String {
    "\(file): \(steps) steps in \(duration.plainText) s, \(cadence.plainText) steps a minute"
      + (legs.map { ", \($0.count) legs" } ?? "") + speedText + (flaws.map { "; \($0)" } ?? "")
  }
}
