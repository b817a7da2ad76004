public import ArgumentParser
import Measurement
import Motion

/// `measured measure range-of-motion`.
struct MeasureRangeOfMotion: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "range-of-motion",
    abstract: "Measures how far a joint was moved in motion files.",
    discussion: """
      One sensor on the limb gives the angle of that segment against the vertical, which is the \
      joint's only if the segment above was held still. Without a gyroscope the movement must be \
      slow. Angles are in degrees.

      Example:
        measured measure range-of-motion --joint knee --side left shank.csv --json
      """)

  @OptionGroup var motion: MotionOptions

  @Option(help: "The joint: \(Joint.allCases.map(\.rawValue).joined(separator: ", ")).")
  var joint: Joint

  @Option(help: "The side: left or right.")
  var side: Side?

  @Option(
    help: ArgumentHelp(
      "The file of a second sensor on the segment above (the thigh, for a knee): the angle is then"
        + " the joint's own.", valueName: "file"))
  var proximal: String?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard proximal == nil || motion.files.count == 1 else {
      throw ValidationError("With --proximal name one file: that of the sensor below the joint.")
    }
    guard side != nil || joint == .trunk || joint == .neck else {
      throw ValidationError("Say which \(joint.rawValue): --side left or --side right.")
    }
  }

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let above = try proximal.map(motion.samples)
      let result = try motion.measuring {
        if let above { return try RangeOfMotion.measure(proximal: above, distal: samples) }
        return try RangeOfMotion.measure(samples)
      }
      guard !json else {
        Console.json(Line(file: file, joint: joint, side: side, result))
        return
      }
      let place = [side?.rawValue, joint.rawValue].compactMap(\.self).joined(separator: " ")
      Console.out(
        "\(file): \(place) \(result.range.plainText)° (from \(result.minimum.plainText)° to"
          + " \(result.maximum.plainText)°), confidence \(result.confidence.rawValue), "
          + (result.sensorCount > 1
            ? "two sensors: the angle of the joint" : "one sensor: the angle of its segment"))
    }
  }

  struct Line: Encodable {
    var file: String
    var joint: String
    var side: String?
    var start: Double
    var finish: Double
    var minimum: Double
    var maximum: Double
    var range: Double
    var confidence: String
    var method: String
    var sensorCount: Int
    var repetitions: Int
    @Nullable var hold: Hold?
    var quality: QualityOutput

    /// The plateau that was held; degrees and seconds.
    struct Hold: Encodable {
      var mean: Double
      var deviation: Double
      var duration: Double

      init(_ hold: RangeOfMotion.Hold) {
        mean = hold.mean
        deviation = hold.deviation
        duration = hold.duration
      }
    }

    init(file: String, joint: Joint, side: Side?, _ result: RangeOfMotion) {
      self.file = file
      self.joint = joint.rawValue
      self.side = side?.rawValue
      start = result.start
      finish = result.finish
      minimum = result.minimum
      maximum = result.maximum
      range = result.range
      confidence = result.confidence.rawValue
      method = result.method.rawValue
      sensorCount = result.sensorCount
      repetitions = result.repetitions
      hold = result.hold.map(Hold.init)
      quality = QualityOutput(result.quality.signal, verdict: result.quality.verdict)
    }
  }
}

extension Joint: ExpressibleByArgument {}
extension Side: ExpressibleByArgument {}
