import ArgumentParser
import Measurement

/// `measured measure chair-stand`.
struct MeasureChairStand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chair-stand",
    abstract: "Times five stands from a chair, or counts those of thirty seconds.",
    discussion: """
      Wear the sensor on a thigh, any way round; begin seated and still. Proven on made-up movement \
      only.

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

  @Option(help: "five-times or thirty-seconds.")
  var test: Test = .fiveTimes

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      let samples = try motion.samples(file)
      let line: Line
      switch test {
      case .fiveTimes:
        line = Line(file, try motion.measuring { try FiveTimesSitToStand.measure(samples) })
      case .thirtySeconds:
        line = Line(file, try motion.measuring { try ThirtySecondChairStand.measure(samples) })
      }
      if json { Console.json(line) } else { Console.out(line.text) }
    }
  }

  struct Line: Encodable {
    var file: String
    var test: String
    /// Seconds from the first movement to the fifth time seated (standing, where that is not there).
    var total: Double?
    var repetitions: [Double]?
    var count: Int?
    var endsWithHalfStand: Bool?
    var quality: QualityOutput

    init(_ file: String, _ result: FiveTimesSitToStand) {
      self.file = file
      test = Test.fiveTimes.rawValue
      total = (result.untilSeated ?? result.untilStanding).seconds
      repetitions = result.repetitionTimes.map(\.seconds)
      quality = QualityOutput(result.quality)
    }

    init(_ file: String, _ result: ThirtySecondChairStand) {
      self.file = file
      test = Test.thirtySeconds.rawValue
      count = result.count
      endsWithHalfStand = result.endsWithHalfStand
      quality = QualityOutput(result.quality)
    }

    var text: String {
      if let total { return "\(file): five stands in \(total.plainText) s" }
      return "\(file): \(count ?? 0) stands in 30 s"
        + (endsWithHalfStand == true ? ", the last more than half way up" : "")
    }
  }
}

extension Int64 {
  /// Microseconds in seconds.
  var seconds: Double { Double(self) / 1_000_000 }
  /// Thousandths as they are written.
  var thousandths: Double { Double(self) / 1000 }
}
