import ArgumentParser
import Measurement
import Traces

/// What every measurement over motion files takes.
struct MotionOptions: ParsableArguments {
  @Argument(help: "Motion files; - is standard input.")
  var files: [String]

  @Option(help: "The unit of acceleration: g, mg, m/s2 or counts:LSB_PER_G.")
  var unit: MotionUnit = .g

  func validate() throws {
    guard !files.isEmpty else { throw ValidationError("Name a motion file.") }
  }

  /// Hands the samples of `file` to `body` block by block, in constant memory.
  func read(_ file: String, _ body: ([MotionSample]) throws -> Void) throws {
    let stream = try FileStream(path: file)
    var progress = ProgressBar(file, total: stream.size)
    defer { progress.finish() }
    var reader = try MotionFileReader(stream, unit: unit)
    while case let block = try reader.next(), !block.isEmpty {
      try body(block)
      progress.update(reader.bytesRead)
    }
  }

  /// All samples of `file`, for a measurement that looks at the whole of it.
  func samples(_ file: String) throws -> [MotionSample] {
    var samples: [MotionSample] = []
    try read(file) { samples += $0 }
    return samples
  }

  /// What `body` measures; what it throws is why it refuses.
  func measuring<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw MeasurementRefusal(reason: String(describing: error))
    }
  }

  /// Measures each file and prints a line for it; one that is refused does not stop the others.
  ///
  /// - Throws: ``CommandFailure`` at the end, where a file could not be read or was refused.
  func forEachFile(isJSON: Bool, _ body: (String) throws -> Void) throws {
    var worst: ExitCode?
    for file in files {
      do {
        try body(file)
      } catch let refusal as MeasurementRefusal {
        worst = worst ?? .refused
        if isJSON {
          Console.json(Exit.Refusal(file: file, reason: refusal.reason))
        }
        Console.error("measured: \(file): \(refusal.reason)")
      } catch let error as TraceError {
        worst = .failed
        if isJSON {
          Console.json(Exit.Refusal(file: file, error: "unreadable", reason: error.reason))
        }
        Console.error("measured: \(error)")
      }
    }
    if let worst { throw CommandFailure(worst, "") }
  }
}

/// Why a measurement over a file is refused.
struct MeasurementRefusal: Error {
  var reason: String
}

/// What a stream of samples was worth, as JSON.
struct QualityOutput: Encodable {
  var verdict: String
  var samples: Int
  var gaps: Int
  var outOfOrder: Int
  var saturated: Int
  /// Samples a second.
  var rate: Double?

  init(_ quality: SignalQuality, verdict: SignalQuality.Verdict) {
    self.verdict =
      switch verdict {
      case .good: "good"
      case .low: "low"
      case .refused: "refused"
      }
    samples = quality.samples
    gaps = quality.gaps
    outOfOrder = quality.outOfOrder
    saturated = quality.saturated
    rate = quality.rate.map { Double($0) / 1000 }
  }

  init(_ quality: SignalQuality) {
    self.init(quality, verdict: quality.verdict)
  }
}
