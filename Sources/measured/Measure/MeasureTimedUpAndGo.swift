import ArgumentParser
import Measurement

/// `measured measure timed-up-and-go`.
struct MeasureTimedUpAndGo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timed-up-and-go",
    abstract: "Finds a timed up and go in motion files and times its parts.",
    discussion: """
      Wear the sensor on a thigh, any way round; the recording begins and ends seated and still. Turns \
      need a gyroscope.

      Example:
        measured measure timed-up-and-go thigh.csv --json
      """)

  @OptionGroup var motion: MotionOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let line = Line(file, try motion.measuring { try TimedUpAndGo.measure(samples) })
      if json { Console.json(line) } else { Console.out(line.text) }
    }
  }

  /// Times are in seconds; turns and what lies between them are `null` without a gyroscope.
  struct Line: Encodable {
    var file: String
    /// From the first movement to stand up to seated and still again.
    var total: Double
    var stand: Double
    @Nullable var walkOut: Double?
    @Nullable var turn1: Double?
    @Nullable var walkBack: Double?
    @Nullable var turn2: Double?
    var sit: Double
    /// deg/s.
    @Nullable var peakTurnRate: Double?
    var quality: QualityOutput

    init(_ file: String, _ result: TimedUpAndGo) {
      self.file = file
      total = result.total
      stand = result.stand
      walkOut = result.walkOut
      turn1 = result.turn1
      walkBack = result.walkBack
      turn2 = result.turn2
      sit = result.sit
      peakTurnRate = result.peakTurnRate
      quality = QualityOutput(result.quality)
    }

    var text: String {
      let parts = [
        ("stand", stand), ("walk out", walkOut), ("turn", turn1), ("walk back", walkBack),
        ("turn", turn2), ("sit", sit),
      ].compactMap { name, time in time.map { "\(name) \($0.plainText)" } }
      return "\(file): \(total.plainText) s (\(parts.joined(separator: ", ")))"
    }
  }
}
