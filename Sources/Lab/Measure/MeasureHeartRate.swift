import ArgumentParser
import Assessments
import Care
import Interchange
import Localization
import Measurement
import Terminal
import Traces

/// `measured measure heart-rate-variability`.
struct MeasureHeartRateVariability: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heart-rate-variability",
    abstract: "Measures how the time between heart beats varies.",
    discussion: """
      Files are CSV with a column rr: the intervals between beats in seconds, in order, as a chest \
      strap sends them.

      Example:
        measured measure heart-rate-variability beats.csv --json
      """)

  @Argument(help: "CSV files; - is standard input.")
  var files: [String]

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try FileMeasurement(files: files, isJSON: json).forEachFile { file in
      var reader = try NumberFileReader(try CommandFiles.stream(file), columns: ["rr"])
      var intervals: [Int64] = []
      while let row = try reader.next() { intervals += row.map { $0 / 1000 } }
      let line = Line(file, try HeartRateVariability.measure(intervals))
      if json { try Console.json(line) } else { Console.out(line.text) }
    }
  }

  /// Times are in milliseconds.
  struct Line: Encodable {
    var file: String
    var meanInterval: Double
    /// Standard deviation of the normal intervals (SDNN).
    var sdnn: Double
    /// Root mean square of successive differences (RMSSD).
    var rmssd: Double
    /// The share of successive differences over 50 ms, 0…1 (pNN50).
    var pnn50: Double
    var intervals: Int
    var artefacts: Int
    var confidence: String

    init(_ file: String, _ result: HeartRateVariability) {
      self.file = file
      meanInterval = Double(thousandths: result.meanInterval)
      sdnn = Double(thousandths: result.deviation)
      rmssd = Double(thousandths: result.successiveDifference)
      pnn50 = Double(thousandths: result.over50Milliseconds)
      intervals = result.intervals
      artefacts = result.artefacts
      confidence = result.confidence.rawValue
    }

    var text: String {
      "\(file): SDNN \(sdnn.plainText) ms, RMSSD \(rmssd.plainText) ms over \(intervals) beats"
        + (artefacts > 0 ? ", \(artefacts) left out" : "")
    }
  }
}

/// `measured measure heart-rate-recovery`.
struct MeasureHeartRateRecovery: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heart-rate-recovery",
    abstract: "Measures how far the heart rate falls after exercise.",
    discussion: """
      Files are CSV with the columns t (s) and rate (beats a minute).

      Example:
        measured measure heart-rate-recovery --exercise-end 600 rates.csv --json
      """)

  @Argument(help: "CSV files; - is standard input.")
  var files: [String]

  @Option(help: "When the exercise ended, in seconds of the file's own time.")
  var exerciseEnd: Double

  @Flag(help: "Print JSON Lines.")
  var json = false

  func validate() throws {
    guard exerciseEnd.isFinite, abs(exerciseEnd) < 1e9 else {
      throw ValidationError(
        LocalizedText("command.measure.noTime", ["number": "\(exerciseEnd)"]).message)
    }
  }

  func run() async throws {
    let end = Int64(saturating: (exerciseEnd * 1_000_000).rounded())
    try FileMeasurement(files: files, isJSON: json).forEachFile { file in
      var reader = try NumberFileReader(try CommandFiles.stream(file), columns: ["t", "rate"])
      var rates: [HeartRateSample] = []
      while let row = try reader.next() {
        rates.append(
          HeartRateSample(time: row[0] / 1000, rate: Int32(clamping: row[1] / 1_000_000_000)))
      }
      let line = Line(file, try HeartRateRecovery.measure(rates, exerciseEnd: end))
      if json { try Console.json(line) } else { Console.out(line.text) }
    }
  }

  /// Rates are in beats a minute.
  struct Line: Encodable {
    var file: String
    var peak: Int32
    var atOneMinute: Int32
    @Nullable var atTwoMinutes: Int32?
    var dropAfterOneMinute: Int32
    @Nullable var dropAfterTwoMinutes: Int32?

    init(_ file: String, _ result: HeartRateRecovery) {
      self.file = file
      peak = result.peak
      atOneMinute = result.atOneMinute
      atTwoMinutes = result.atTwoMinutes
      dropAfterOneMinute = result.dropAfterOneMinute
      dropAfterTwoMinutes = result.dropAfterTwoMinutes
    }

    var text: String {
      "\(file): from \(peak) to \(atOneMinute) a minute after the end"
        + (atTwoMinutes.map { ", \($0) after two" } ?? "")
    }
  }
}
