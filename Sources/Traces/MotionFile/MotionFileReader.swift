public import Motion

/// Reads a recording of movement in blocks, in constant memory.
///
/// Text: the columns `t` (s) and `x,y,z` or `ax,ay,az`, optionally `gx,gy,gz` (deg/s), or a layout
/// of Axivity, ActiGraph, UK Biobank, phyphox, Sensor Logger, MetaWear or Movesense; others with
/// ``MotionFormat``. Binary: Axivity's CWA and ActiGraph's GT3X. Blank lines are skipped; a row
/// with an unreadable number is an error with its line. Dates become times from the first row.
public struct MotionFileReader {
  /// How many samples are read at first, to compare their size with gravity: ten seconds at 100 Hz.
  private static let firstBlock = 1024

  private var source: any MotionSource
  /// The first samples, which were read before they are asked for.
  private var pending: ArraySlice<MotionSample>

  /// Whether the file has a gyroscope.
  public let hasAngularRate: Bool

  /// When the recording starts, by its device's clock; `nil` if it does not say.
  ///
  /// The samples' times count from here, unless the file has seconds of its own.
  public var start: RecordingStart? { source.start }

  /// How many bytes have been read.
  public var bytesRead: Int { source.bytesRead }

  /// Whether the file ends within a row, which was left out; known after the last block.
  public var isCut: Bool { (source as? MotionTextFile)?.isCut ?? false }

  /// Recognises the layout and reads the first samples.
  ///
  /// - Throws: ``TraceError`` if columns are missing or duplicate, if the first samples cannot be
  ///   read, if their size is not that of gravity in the unit and no unit was named, if they are a
  ///   second and more apart and no unit of time was named, and for a binary file with a format.
  public init(_ stream: any ByteStream, _ format: MotionFormat = MotionFormat()) throws(TraceError)
  {
    let stream = try PrefixedStream(stream, looking: 64)
    let isBinary = CWAFile.isOne(stream.first) || ZipStream.isOne(stream.first)
    guard !isBinary || format == MotionFormat() else {
      throw TraceError(file: stream.name, .fixedFormat)
    }
    if CWAFile.isOne(stream.first) {
      source = try CWAFile(stream)
    } else if ZipStream.isOne(stream.first) {
      source = try GT3XFile(stream)
    } else {
      source = try MotionTextFile(stream, format)
    }
    pending = ArraySlice(try source.next(upTo: Self.firstBlock))
    hasAngularRate = pending.first?.angularRate != nil
    if let text = source as? MotionTextFile, text.hasPresumedSeconds,
      let problem = Self.timeProblem(pending)
    {
      throw TraceError(file: stream.name, line: 1, problem)
    }
    guard format.unit == nil, let text = source as? MotionTextFile,
      let magnitude = Self.medianMagnitude(pending)
    else { return }
    if let problem = Self.problem(magnitude, hasImpliedUnit: text.hasImpliedUnit) {
      throw TraceError(file: stream.name, line: 1, problem)
    }
  }

  /// Recognises the layout, with a unit; see ``init(_:_:)``.
  public init(_ stream: any ByteStream, unit: MotionUnit?) throws(TraceError) {
    try self.init(stream, MotionFormat(unit: unit))
  }

  /// The next block of at most `limit` samples; empty after the last.
  public mutating func next(upTo limit: Int = 4096) throws(TraceError) -> [MotionSample] {
    guard pending.isEmpty else {
      let block = pending.prefix(limit)
      pending = pending.dropFirst(block.count)
      return Array(block)
    }
    return try source.next(upTo: limit)
  }

  // MARK: Times

  /// The problem with times that were taken for seconds: no motion sensor has a second or more
  /// between two samples.
  private static func timeProblem(_ samples: ArraySlice<MotionSample>) -> TraceError.Problem? {
    let steps = zip(samples, samples.dropFirst()).map { a, b in
      b.time.subtractingReportingOverflow(a.time).partialValue
    }.sorted()
    guard steps.count >= 7 else { return nil }
    let seconds = Double(steps[steps.count / 2]) / 1_000_000
    switch seconds {
    case 1..<1_000: return .unclearTimes(seconds: seconds, unit: "ms")
    case 1_000..<1_000_000: return .unclearTimes(seconds: seconds, unit: "us")
    case 1_000_000...: return .unclearTimes(seconds: seconds, unit: "ns")
    default: return nil
    }
  }

  // MARK: Gravity

  /// The median size of the acceleration in g; `nil` for less than eight samples.
  private static func medianMagnitude(_ samples: ArraySlice<MotionSample>) -> Double? {
    guard samples.count >= 8 else { return nil }
    let squares = samples.map { sample in
      [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z].reduce(0.0) {
        $0 + Double($1) * Double($1)
      }
    }.sorted()
    return (squares[squares.count / 2].squareRoot() / 10_000).rounded() / 100
  }

  /// The problem with a median size that is presumed to be in g.
  ///
  /// At rest and on average over a walk it is 1 g. No person is exposed to 4 g for half of a
  /// recording.
  private static func problem(
    _ median: Double, hasImpliedUnit: Bool
  ) -> TraceError.Problem? {
    switch median {
    case 6..<16: .unclearUnit(median: median, .metresPerSecondSquared)
    case 600..<1600: .unclearUnit(median: median, .milliG)
    case 4...: .unclearUnit(median: median, nil)
    case ..<0.3 where hasImpliedUnit: .noGravity(median: median)
    default: nil
    }
  }
}

/// Where a recording's samples come from.
protocol MotionSource {
  /// When the recording starts, known after the first sample.
  var start: RecordingStart? { get }
  /// How many bytes have been read.
  var bytesRead: Int { get }
  /// The next samples, at most `limit`; none after the last.
  mutating func next(upTo limit: Int) throws(TraceError) -> [MotionSample]
}
