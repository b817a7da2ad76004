public import ArgumentParser
import Measurement
import Motion

/// `measured measure sway`.
struct MeasureSway: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sway",
    abstract: "Measures how a person sways while standing still for half a minute.",
    discussion: """
      Wear the sensor on the lower back. --axis names the sensor's axis that points to the front or \
      to the back. Proven on made-up movement only.

      Example:
        measured measure sway --axis z back.csv --json
      """)

  @OptionGroup var motion: MotionOptions

  @Option(help: "The sensor's axis to the front or back: x, y or z.")
  var axis: Axis = .z

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let line = Line(file, try motion.measuring { try Sway.measure(samples, axis: axis) })
      if json { Console.json(line) } else { Console.out(line.text) }
    }
  }

  struct Line: Encodable {
    var file: String
    var anteroposterior: Direction
    var mediolateral: Direction
    /// 95 % ellipse, m²/s⁴.
    var ellipseArea: Double
    /// m²/s⁵.
    var jerk: Double
    /// Seconds.
    var duration: Double
    var quality: QualityOutput

    struct Direction: Encodable {
      /// m/s².
      var rms: Double
      /// m/s².
      var range: Double
      /// m/s².
      var path: Double
      /// m/s.
      var meanVelocity: Double
      /// Hz.
      var meanFrequency: Double

      init(_ direction: Sway.Direction) {
        rms = Double(direction.rms) / 1_000_000
        range = Double(direction.range) / 1_000_000
        path = Double(direction.path) / 1_000_000
        meanVelocity = Double(direction.meanVelocity) / 1_000_000
        meanFrequency = direction.meanFrequency.thousandths
      }
    }

    init(_ file: String, _ result: Sway) {
      self.file = file
      anteroposterior = Direction(result.anteroposterior)
      mediolateral = Direction(result.mediolateral)
      ellipseArea = Double(result.ellipseArea) / 1_000_000
      jerk = Double(result.jerk) / 1_000_000
      duration = result.duration.seconds
      quality = QualityOutput(result.quality)
    }

    var text: String {
      "\(file): front to back \(anteroposterior.rms.plainText) m/s² rms, side to side"
        + " \(mediolateral.rms.plainText) m/s² rms, over \(duration.plainText) s"
    }
  }
}

extension Axis: ExpressibleByArgument {}
