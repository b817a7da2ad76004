import ArgumentParser
import Measurement

/// `measured measure walk`.
struct MeasureWalk: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "walk",
    abstract: "Measures a walk: there and back, over a known distance, or for six minutes.",
    discussion: """
      A sensor on the body cannot measure a distance. With --distance it is what you state; for six \
      minutes it is laps you counted, or an estimate from your step length.

      Example:
        measured measure walk corridor.csv --json
        measured measure walk --distance 10 corridor.csv
        measured measure walk --six-minute --laps 11 --lap-length 30 --rest 12 walk.csv
      """)

  @OptionGroup var motion: MotionOptions

  @Option(help: "The distance walked, in metres: a timed walk.")
  var distance: Double?

  @Flag(help: "A six-minute walk, from the first step.")
  var sixMinute = false

  @Option(help: "Laps counted in the six minutes.")
  var laps: Int?

  @Option(help: "The length of a lap in metres.")
  var lapLength: Double?

  @Option(help: "What was walked of the last lap, in metres.")
  var rest: Double?

  @Option(help: "The length of a step in metres, for an estimate.")
  var stepLength: Double?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard distance == nil || !sixMinute else {
      throw ValidationError("A six-minute walk has no distance of its own; leave one of them out.")
    }
    guard (laps == nil) == (lapLength == nil), rest == nil || laps != nil else {
      throw ValidationError("Laps need both --laps and --lap-length.")
    }
    guard sixMinute || (laps == nil && stepLength == nil) else {
      throw ValidationError("--laps and --step-length belong to --six-minute.")
    }
    for metres in [distance, lapLength, rest, stepLength].compactMap(\.self) {
      guard metres.isFinite, (0...100_000).contains(metres) else {
        throw ValidationError("\(metres) is no distance in metres.")
      }
    }
  }

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let line: WalkLine =
        if sixMinute {
          WalkLine(
            file,
            try motion.measuring { try SixMinuteWalk.measure(samples, distance: basis) })
        } else if let distance {
          WalkLine(
            file,
            try motion.measuring {
              try TimedWalk.measure(samples, distance: Self.millimetres(distance))
            })
        } else {
          WalkLine(file, try motion.measuring { try BackAndForthWalk.measure(samples) })
        }
      if json { Console.json(line) } else { Console.out(line.text) }
    }
  }

  private var basis: WalkDistance.Basis? {
    if let laps, let lapLength {
      return .laps(
        count: laps, length: Self.millimetres(lapLength), rest: Self.millimetres(rest ?? 0))
    }
    return stepLength.map { .stepLength(Self.millimetres($0)) }
  }

  private static func millimetres(_ metres: Double) -> Int64 { Int64((metres * 1000).rounded()) }
}

/// A walk as JSON and for people.
struct WalkLine: Encodable {
  var file: String
  var steps: Int
  /// Seconds.
  var duration: Double
  /// Steps a minute.
  var cadence: Double?
  /// Metres.
  var distance: Double?
  var isEstimate: Bool?
  /// Metres a second.
  var speed: Double?
  var stepsByMinute: [Int]?
  var rests: Int?
  var legs: [Leg]?
  var quality: QualityOutput

  struct Leg: Encodable {
    var direction: String
    var steps: Int
    var duration: Double
  }

  init(_ file: String, _ result: BackAndForthWalk) {
    self.file = file
    steps = result.walk.steps
    duration = result.walk.duration.seconds
    cadence = result.walk.cadence.thousandths
    legs = result.legs?.map {
      Leg(
        direction: $0.direction.rawValue, steps: $0.walk.steps, duration: $0.walk.duration.seconds)
    }
    quality = QualityOutput(result.quality)
  }

  init(_ file: String, _ result: TimedWalk) {
    self.file = file
    steps = result.walk.steps
    duration = result.walk.duration.seconds
    cadence = result.walk.cadence.thousandths
    distance = result.distance.thousandths
    speed = result.speed.thousandths
    quality = QualityOutput(result.quality)
  }

  init(_ file: String, _ result: SixMinuteWalk) {
    self.file = file
    steps = result.steps
    duration = SixMinuteWalk.duration.seconds
    distance = result.distance?.millimetres.thousandths
    isEstimate = result.distance?.isEstimate
    stepsByMinute = result.stepsByMinute
    rests = result.rests
    quality = QualityOutput(result.quality)
  }

  var text: String {
    var text = "\(file): \(steps) steps in \(duration.plainText) s"
    if let distance {
      text += ", \(distance.plainText) m" + (isEstimate == true ? " (an estimate)" : "")
    }
    if let speed { text += ", \(speed.plainText) m/s" }
    if let cadence { text += ", \(cadence.plainText) steps a minute" }
    if let legs { text += ", \(legs.count) legs" }
    return text
  }
}
