import ArgumentParser
import Assessments
import Measurement
import Motion
import Traces

/// The arguments of every measurement over motion files.
struct MotionOptions: ParsableArguments {
  @Argument(help: "Motion files; - is standard input.")
  var files: [String]

  @Option(help: "The unit of acceleration: g, mg, m/s2 or counts:LSB_PER_G.")
  var unit: MotionUnit = .g

  @OptionGroup var calibration: CalibrationOptions

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name a motion file.") }
  }

  /// Passes the samples of `file` to `body` block by block, in constant memory.
  func read(_ file: String, _ body: ([MotionSample]) throws -> Void) throws {
    let calibration = try calibration.load()
    let stream = try CommandFiles.stream(file)
    var progress = ProgressBar(file, total: stream.size)
    defer { progress.finish() }
    var reader = try MotionFileReader(stream, unit: unit)
    while case let block = try reader.next(), !block.isEmpty {
      try body(calibration.apply(block))
      progress.update(reader.bytesRead)
    }
  }

  /// All samples of `file`, for a measurement that looks at the whole of it.
  func samples(_ file: String) throws -> [MotionSample] {
    var samples: [MotionSample] = []
    try read(file) { samples += $0 }
    return samples
  }

  /// Measures each file; see ``FileMeasurement/forEachFile(_:)``.
  func forEachFile(isJSON: Bool, _ body: (String) throws -> Void) throws {
    try FileMeasurement(files: files, isJSON: isJSON).forEachFile(body)
  }
}

/// The quality of a stream of samples, as JSON.
struct QualityOutput: Encodable {
  /// `good` or `low`.
  var verdict: String
  var samples: Int
  var gaps: Int
  var outOfOrder: Int
  var saturated: Int
  /// Samples a second.
  var rate: Double?

  init(_ quality: AssessmentQuality) {
    verdict = quality.isGood ? "good" : "low"
    samples = quality.signal.samples
    gaps = quality.signal.gaps
    outOfOrder = quality.signal.outOfOrder
    saturated = quality.signal.saturated
    rate = quality.signal.rate.map { Double(thousandths: $0) }
  }
}
