import ArgumentParser
import Measurement

/// `measured measure tremor`.
struct MeasureTremor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tremor",
    abstract: "Looks for a tremor between 3 and 12 Hz: its frequency and strength.",
    discussion: """
      Wear the sensor on the hand; one file for each posture (at rest, arms held out, moving), at 50 \
      samples a second or more. Proven on made-up movement only.

      Example:
        measured measure tremor at-rest.csv --json
      """)

  @OptionGroup var motion: MotionOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let line = Line(file, try motion.measuring { try Tremor.measure(samples) })
      if json { Console.json(line) } else { Console.out(line.text) }
    }
  }

  struct Line: Encodable {
    var file: String
    /// Hz; `null` where there is no dominant rhythm.
    @Nullable var frequency: Double?
    /// Root mean square of the rhythm's acceleration, g.
    @Nullable var peakAcceleration: Double?
    /// Amplitude of the movement, mm.
    @Nullable var displacement: Double?
    /// Root mean square from 3 to 12 Hz, g.
    var acceleration: Double
    /// The share of the power from 1 to 20 Hz that lies between 3 and 12 Hz, 0…1.
    var bandShare: Double
    var quality: QualityOutput

    init(_ file: String, _ result: Tremor) {
      self.file = file
      frequency = result.peak?.frequency.thousandths
      peakAcceleration = (result.peak?.acceleration).map { Double($0) / 1_000_000 }
      displacement = (result.peak?.displacement).map { Double($0) / 1_000_000 }
      acceleration = Double(result.acceleration) / 1_000_000
      bandShare = Double(result.bandShare) / 1000
      quality = QualityOutput(result.quality)
    }

    var text: String {
      guard let frequency, let displacement else {
        return "\(file): no tremor that stands out; \(acceleration.plainText) g from 3 to 12 Hz"
      }
      return "\(file): \(frequency.plainText) Hz, amplitude \(displacement.plainText) mm"
    }
  }
}
