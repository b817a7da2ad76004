public import Radio

/// A recording whose events are read one after the other.
public protocol TraceReader {
  /// The next event, `nil` after the last. Its time is never earlier than the previous one's.
  mutating func next() throws(TraceError) -> TimedEvent?

  /// How many bytes of the recording have been read.
  var bytesRead: Int { get }

  /// How many packets of a capture became no event so far, by reason.
  var skipped: [CaptureSkip: Int] { get }
}

extension TraceReader {
  public var skipped: [CaptureSkip: Int] { [:] }
}

/// Why recorded input cannot be read, and where.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, as it was given.
  public var file: String
  /// The line of a text file, from 1; `nil` if the whole file is meant.
  public var line: Int?
  /// The byte offset in a binary capture.
  public var offset: Int?
  /// The problem.
  public var problem: Problem

  /// Makes an error.
  public init(file: String, line: Int? = nil, offset: Int? = nil, _ problem: Problem) {
    self.file = file
    self.line = line
    self.offset = offset
    self.problem = problem
  }

  /// The file, and the line or the byte offset: `walk.csv:7`.
  public var place: String {
    var place = file
    if let line { place += ":\(line)" }
    if let offset { place += ": byte \(offset)" }
    return place
  }

  /// The place and the case, for the log of a program without words of its own.
  public var description: String { "\(place): \(problem)" }
}

extension TraceError {
  /// A problem with recorded input.
  public enum Problem: Error, Hashable, Sendable {
    // MARK: Any file

    /// There is no such file, or its folder cannot be read.
    case missingFile
    /// The path is a folder's.
    case folder
    /// The path is a named pipe's.
    case namedPipe
    /// The file cannot be opened for reading.
    case unreadable
    /// Reading failed, for the system's reason.
    case readFailure(reason: String)
    /// The file is empty.
    case empty(Format)
    /// A line has more than `limit` bytes.
    case longLine(limit: Int)

    // MARK: Radio traces

    /// The first line is no trace header.
    case noTraceHeader
    /// The header has another version than 1.
    case traceVersion(Int)
    /// The header's start is not RFC 3339.
    case invalidStart(String)
    /// A line is not JSON.
    case notJSON
    /// A line lacks a key that every event has.
    case missingKey(String)
    /// A key's value has the wrong JSON type.
    case wrongType(key: String)
    /// A line's `t` (s) is negative.
    case timeBeforeStart(Double)
    /// A line's `t` (s) is earlier than the previous one's.
    case timeRunsBackwards(Double, previous: Double)
    /// A line's `t` (s) is not below 1e10.
    case timeTooLarge(Double)
    /// There is no event of that type.
    case unknownEvent(String)
    /// An event lacks a key that its type requires.
    case missingEventKey(String, event: String)
    /// Not a Bluetooth address.
    case invalidAddress(String)
    /// Not `public` or `random`.
    case invalidAddressType(String)
    /// Not a kind of link failure.
    case invalidFailureKind(String)
    /// A key's text is not hex of whole bytes.
    case invalidHex(key: String)
    /// Not a Bluetooth UUID.
    case invalidUUID(String)
    /// A motion sample has neither 4 nor 7 numbers.
    case motionSampleLength(Int)
    /// A motion sample's number is beyond ±2147 g or ±2 147 483 deg/s.
    case motionSampleRange(Double)
    /// A motion sample is a day or more (s) from its event.
    case motionSampleTime(Double)

    // MARK: Motion files and number files

    /// The columns `t` and `x,y,z` (or `ax,ay,az`) are missing from the header.
    case noMotionColumns(header: String)
    /// A column is missing from the header.
    case missingColumn(String, header: String)
    /// Two columns have the same name.
    case duplicateColumn(String)
    /// A needed column is not among the first `limit`.
    case farColumn(limit: Int)
    /// A row has only so many columns, and ends before a needed one.
    case shortRow(columns: Int, before: String)
    /// A row has more columns than the header.
    case longRow(columns: Int, header: Int)
    /// A field of a needed column is no number.
    case invalidNumber(String, column: String)
    /// A row has no number in a needed column.
    case missingNumber(column: String)
    /// A number is beyond ±2147 g or ±2 147 483 deg/s.
    case numberRange(Double)
    /// A motion file was opened without its start.
    case unknownStart
    /// A motion file has no times, and no rate was named.
    case noTime
    /// A rate was named for a motion file that has times.
    case rateOfTimes(column: String)
    /// A column of numbers may be times in any unit.
    case unclearTime(column: String)
    /// Most rows are so many seconds apart, which they would not be if the times were in this unit.
    case unclearTimes(seconds: Double, unit: String)
    /// A unit, columns or a rate were named for a binary recording, which has its own.
    case fixedFormat
    /// A field of the time's column is no date.
    case invalidTime(String, column: String)
    /// Some dates have a zone and some have none.
    case mixedTimes
    /// No unit was named, and the median acceleration is far from 1 g; it is near gravity in
    /// another unit, if there is one.
    case unclearUnit(median: Double, MotionUnit?)
    /// The median acceleration in g is too small to contain gravity.
    case noGravity(median: Double)
    /// The axes have linear acceleration, from which the phone has removed gravity.
    case linearAcceleration
    /// The file has counts of an epoch, not samples.
    case epochCounts

    // MARK: Binary recordings

    /// A data block does not begin with its header.
    case invalidBlock(header: UInt16, length: Int)
    /// A record does not begin with its separator.
    case invalidSeparator(UInt8)
    /// More than `limit` zeros stand between two records.
    case padding(limit: Int)
    /// A block or record does not have its checksum.
    case checksum
    /// A rate at which no device records, in samples in 1000 seconds.
    case sampleRate(millihertz: Int64)
    /// Samples are stored in an unknown way.
    case packing(UInt8)
    /// A block or record claims more samples than it can hold.
    case sampleCount(Int, limit: Int)
    /// A packed time is no date.
    case invalidStamp(UInt32)
    /// The device's counts to 1 g are not known.
    case unknownScale(serial: String)
    /// The archive around the recording cannot be read.
    case archive(ArchiveProblem)

    // MARK: Captures

    /// The file does not begin as a btsnoop capture does.
    case noCapture
    /// The capture ends within its header.
    case shortCaptureHeader
    /// The capture has another version than 1.
    case captureVersion(UInt32)
    /// The capture wraps its packets in an unsupported way.
    case captureDatalink(UInt32)
    /// The capture ends within a record's header.
    case shortRecordHeader
    /// A record's header contradicts the format.
    case invalidRecord(reason: String)
    /// A record claims `length` bytes, more than `limit`.
    case longRecord(length: Int, limit: Int)
    /// A record of `length` bytes lacks its last `missing` ones.
    case shortRecord(length: Int, missing: Int)
  }

  /// A format of recorded input.
  public enum Format: Hashable, Sendable {
    /// A radio trace (JSON Lines).
    case radioTrace
    /// A motion file (CSV).
    case motion
    /// Another CSV file of numbers.
    case numbers
  }
}
