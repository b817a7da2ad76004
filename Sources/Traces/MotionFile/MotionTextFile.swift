import Care
import Motion

/// Reads a motion file of text: a header, or what a vendor writes instead, and rows.
struct MotionTextFile: MotionSource {
  /// The limit of a line, in bytes.
  private static let longestLine = 1 << 16

  private let parser: MotionRowParser
  private var lines: LineReader
  /// The first row, which was read to recognise the layout.
  private var firstRow: [UInt8]?
  /// How many rows have been read.
  private var count: Int64 = 0
  /// The time of the first row, if times count from it.
  private var origin: Int64 = 0
  private var isLocal = false
  private(set) var start: RecordingStart?
  /// Whether the last row has no end and cannot be read: the recording was cut off within it.
  private(set) var isCut = false

  var bytesRead: Int { lines.bytesRead }
  /// Whether times are taken for seconds because nothing says their unit.
  var hasPresumedSeconds: Bool { parser.layout.time == .seconds && !hasNamedTime }
  private let hasNamedTime: Bool
  /// Whether the layout says which unit it has.
  var hasImpliedUnit: Bool { parser.layout.unit != nil }

  /// Reads up to the first row and recognises the layout.
  init(_ stream: any ByteStream, _ format: MotionFormat) throws(TraceError) {
    lines = LineReader(stream, limit: Self.longestLine)
    hasNamedTime = format.columns?.time?.decimals != nil
    guard var header = try lines.next() else {
      throw TraceError(file: stream.name, .empty(.motion))
    }
    var line = lines.lineNumber
    do throws(TraceError.Problem) {
      var banner: ActiGraphBanner?
      if ActiGraphBanner.begins(header) {
        (banner, header) = try Self.banner(header, &lines)
        line = lines.lineNumber
      }
      let separator = MotionLayout.separator(of: header)
      if let layout = MotionLayout(
        row: header, separator: separator, banner: banner, format: format)
      {
        parser = MotionRowParser(layout: layout, unit: format.unit ?? layout.unit ?? .g)
        firstRow = header
      } else {
        let row = try Self.row(&lines)
        let layout = try MotionLayout(
          header: CSVHeader(header, separator: separator), separator: separator, row: row ?? [],
          format: format, banner: banner)
        parser = MotionRowParser(layout: layout, unit: format.unit ?? layout.unit ?? .g)
        firstRow = row
      }
    } catch {
      throw TraceError(file: stream.name, line: line, error)
    }
  }

  /// Reads the lines of a banner.
  ///
  /// - Returns: The banner, and the line after it.
  private static func banner(
    _ first: [UInt8], _ lines: inout LineReader
  ) throws(TraceError.Problem) -> (ActiGraphBanner, [UInt8]) {
    var banner = ActiGraphBanner(first)
    for _ in 0..<ActiGraphBanner.mostLines {
      guard let line = try row(&lines) else { break }
      guard banner.add(line) else {
        if banner.isOfCounts { throw .epochCounts }
        guard let header = try row(&lines) else { break }
        return (banner, header)
      }
    }
    throw .noMotionColumns(header: "")
  }

  /// The next line that is not empty.
  private static func row(_ lines: inout LineReader) throws(TraceError.Problem) -> [UInt8]? {
    do {
      while let line = try lines.next() {
        if line.contains(where: { $0 > UInt8(ascii: " ") }) { return line }
      }
      return nil
    } catch {
      throw error.problem
    }
  }

  mutating func next(upTo limit: Int) throws(TraceError) -> [MotionSample] {
    var block: [MotionSample] = []
    block.reserveCapacity(limit)
    if let row = firstRow, limit > 0 {
      firstRow = nil
      block.append(try first(row))
    }
    while block.count < limit {
      if parser.hasPlainRows { readPlainRows(into: &block, upTo: limit) }
      guard block.count < limit, let line = try lines.nextRange() else { break }
      guard !line.isEmpty else { continue }
      do throws(TraceError.Problem) {
        let row = try parser.row(lines.bytes.span, in: line, number: count)
        guard row.isLocal == isLocal else {
          throw .mixedTimes
        }
        count += 1
        block.append(row.sample.at(row.sample.time &- origin))
      } catch {
        if lines.isOpenEnded {
          isCut = true
          break
        }
        throw TraceError(file: lines.name, line: lines.lineNumber, error)
      }
    }
    return block
  }

  /// Reads the first row, from which times count.
  private mutating func first(_ line: [UInt8]) throws(TraceError) -> MotionSample {
    do {
      let row = try parser.row(line.span, in: line.indices, number: 0)
      count = 1
      isLocal = row.isLocal
      let time = row.sample.time
      if parser.layout.time.countsFromFirstRow { origin = time }
      if let clock = parser.clock(line.span, in: line.indices),
        RecordingStart.unixTimes.contains(clock)
      {
        start = RecordingStart(microseconds: clock - (time - origin), isLocal: false)
      } else if case .date = parser.layout.time {
        start = RecordingStart(microseconds: time, isLocal: row.isLocal)
      } else if case .ticks = parser.layout.time, RecordingStart.unixTimes.contains(time) {
        start = RecordingStart(microseconds: time, isLocal: false)
      } else {
        start = parser.layout.start
      }
      return row.sample.at(time - origin)
    } catch {
      throw TraceError(file: lines.name, line: lines.lineNumber, error)
    }
  }

  /// Reads plain rows in place, up to the first row that is not plain.
  private mutating func readPlainRows(into block: inout [MotionSample], upTo limit: Int) {
    let before = block.count
    let position = parser.plainRows(
      lines.bytes.span, from: lines.position, into: &block, upTo: limit)
    count += Int64(block.count - before)
    lines.pass(to: position, lines: block.count - before)
  }
}

// MARK: - The banner of ActiLife

/// The lines with which ActiLife begins a file: ten, the last of hyphens.
struct ActiGraphBanner {
  /// The limit of its lines.
  static let mostLines = 30

  /// The order of its dates.
  private(set) var order = DateOrder.monthDayYear
  /// Samples in 1000 seconds; `nil` if the first line names no rate.
  private(set) var rate: Int64?
  /// Whether the file holds counts of an epoch, not samples.
  private(set) var isOfCounts = false
  private var time = "00:00:00"
  private var date: String?

  /// Whether a line is the first of a banner.
  static func begins(_ line: [UInt8]) -> Bool {
    String(decoding: line.prefix(200), as: UTF8.self).contains("Data File Created By ActiGraph")
  }

  /// Reads the first line: `… date format M/d/yyyy at 30 Hz  Filter Normal …`.
  init(_ line: [UInt8]) {
    let words = String(decoding: line.prefix(1000), as: UTF8.self).split(separator: " ")
    if let format = words.firstIndex(of: "format"), format + 1 < words.count {
      order = DateOrder(pattern: String(words[format + 1])) ?? .monthDayYear
    }
    if let unit = words.firstIndex(of: "Hz"), unit > 0, let hertz = Int64(words[unit - 1]),
      (1...1000).contains(hertz)
    {
      rate = hertz * 1000
    }
  }

  /// Reads another line; false for the last.
  mutating func add(_ line: [UInt8]) -> Bool {
    let text = String(decoding: line.prefix(200), as: UTF8.self)
    let words = text.split { $0 == " " || $0 == "," }.map(String.init)
    if text.hasPrefix("----------") { return false }
    if text.hasPrefix("Start Time"), words.count > 2 { time = words[2] }
    if text.hasPrefix("Start Date"), words.count > 2 { date = words[2] }
    if text.hasPrefix("Epoch Period"), words.count > 3 { isOfCounts = words[3] != "00:00:00" }
    return true
  }

  /// When the recording starts, by the device's clock; `nil` if the lines do not say.
  var start: RecordingStart? {
    guard let date else { return nil }
    let text = Array("\(date) \(time)".utf8)
    return DateField.read(text.span, in: text.indices, order).map {
      RecordingStart(microseconds: $0.microseconds, isLocal: true)
    }
  }
}
