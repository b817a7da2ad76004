public import ArgumentParser
import Assessments
import Care
import Localization
import Measurement
import Motion
import Terminal
public import Traces

/// The arguments of every measurement over motion files.
struct MotionOptions: ParsableArguments {
  @Argument(help: "Motion files; - is standard input.")
  var files: [String]

  @OptionGroup var format: MotionFormatOptions

  @OptionGroup var calibration: CalibrationOptions

  func validate() throws {
    guard !files.isEmpty else {
      throw ValidationError(LocalizedText("command.measure.motionFile").message)
    }
  }

  /// Passes the samples of `file` to `body` block by block, in constant memory.
  ///
  /// - Returns: When the recording starts; `nil` if it does not say.
  @discardableResult
  func read(_ file: String, _ body: ([MotionSample]) throws -> Void) throws -> RecordingStart? {
    let calibration = try calibration.load()
    let stream = try CommandFiles.stream(file)
    var progress = ProgressBar(file, total: stream.size)
    defer { progress.finish() }
    var reader = try MotionFileReader(stream, format.format)
    while case let block = try reader.next(), !block.isEmpty {
      try body(calibration.apply(block))
      progress.update(reader.bytesRead)
    }
    reader.noteCut(in: file)
    return reader.start
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

extension MotionFileReader {
  /// Says on standard error, after the last block, that the file ends within a row.
  func noteCut(in file: String) {
    guard isCut else { return }
    let text = LocalizedText("command.measure.cut", ["file": "\(file)"])
    Console.error("measured: \(text.message)")
  }
}

/// The options that say what a motion file does not.
struct MotionFormatOptions: ParsableArguments {
  @Option(
    help:
      "The unit of acceleration: g, mg, m/s2 or counts:LSB_PER_G. Default: that of a known layout, else g."
  )
  var unit: MotionUnit?

  @Option(
    help: ArgumentHelp(
      "The columns by name: t=seconds,x=ax,y=ay,z=az; also gx, gy, gz (deg/s), and t=clock:ms for"
        + " another unit of time than seconds (s, ms, us, ns).", valueName: "names"))
  var columns: MotionColumnNames?

  @Option(help: "The samples a second, for a file without times.")
  var rate: Double?

  func validate() throws {
    guard rate == nil || millihertz != nil else {
      throw ValidationError(LocalizedText("command.measure.rate").message)
    }
  }

  private var millihertz: Int64? {
    rate.flatMap { Int64(exactly: ($0 * 1000).rounded()) }
      .flatMap { MotionFormat.rates.contains($0) ? $0 : nil }
  }

  /// The options as the reader takes them.
  var format: MotionFormat { MotionFormat(unit: unit, columns: columns, rate: millihertz) }
}

extension MotionUnit: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
  }
}

extension MotionColumnNames: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(argument)
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
  var weightless: Int
  /// Seconds without samples.
  var missing: Double
  /// Samples a second.
  var rate: Double?

  init(_ quality: AssessmentQuality) {
    verdict = quality.isGood ? "good" : "low"
    samples = quality.signal.samples
    gaps = quality.signal.gaps
    outOfOrder = quality.signal.outOfOrder
    saturated = quality.signal.saturated
    weightless = quality.signal.weightless
    missing = Double(millionths: quality.signal.missing)
    rate = quality.signal.rate.map { Double(thousandths: $0) }
  }
}

extension AssessmentQuality {
  /// `low quality: 3 gaps, 190 samples out of order`; `nil` if the quality is good.
  var flaws: String? {
    guard !isGood else { return nil }
    func count(_ number: Int, _ one: String, _ many: String) -> String? {
      number == 0 ? nil : "\(number) \(number == 1 ? one : many)"
    }
    let found = [
      count(signal.gaps, "gap", "gaps"),
      count(signal.outOfOrder, "sample out of order", "samples out of order"),
      count(signal.saturated, "sample at the sensor's limit", "samples at the sensor's limit"),
      signal.isWeightless ? "\(signal.weightless) samples without gravity" : nil,
      missing,
    ].compactMap(\.self)
    return "low quality" + (found.isEmpty ? "" : ": " + found.joined(separator: ", "))
  }

  /// `12.4 s without samples`; `nil` if that is less than a twentieth.
  private var missing: String? {
    let seconds = Double(millionths: signal.missing)
    guard signal.isMissingMuch else { return nil }
    return "\(seconds.plainText(digits: 1)) s without samples"
  }
}
