public import ArgumentParser
public import Care
import Measurement

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

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard side != nil || joint == .trunk || joint == .neck else {
      throw ValidationError("Say which \(joint.rawValue): --side left or --side right.")
    }
  }

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let result = try motion.measuring { try RangeOfMotion.measure(samples) }
      guard !json else {
        Console.json(Line(file: file, joint: joint, side: side, result))
        return
      }
      let place = [side?.rawValue, joint.rawValue].compactMap(\.self).joined(separator: " ")
      Console.out(
        "\(file): \(place) \(result.range.plainText)° (from \(result.minimum.plainText)° to"
          + " \(result.maximum.plainText)°), confidence \(result.confidence.rawValue), one sensor:"
          + " the angle of its segment")
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
    var quality: QualityOutput

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
      quality = QualityOutput(result.quality.signal, verdict: result.quality.verdict)
    }
  }
}

extension Joint: ExpressibleByArgument {}
extension Side: ExpressibleByArgument {}
