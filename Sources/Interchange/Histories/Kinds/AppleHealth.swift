import Care
import Foundation

extension HistoryKind {
  /// Apple Health's `export.xml`, alone or in its archive.
  package static let appleHealth = HistoryKind(id: "appleHealth", title: "Apple Health")
}

/// Finds the records of Apple Health's export in its bytes.
///
/// One record is one tag, and attributes always have double quotes, so that a scan for tags finds all of
/// them without a parser of XML. That matters: some versions of the system wrote a document type that no
/// parser takes (iOS 16), control characters, and metadata with spaces in names. The document type is
/// not read, so that no entity but the five of XML stands for anything.
struct AppleHealthScanner {
  /// A longer tag is none.
  private static let longestTag = 1 << 16

  private var source: TextSource
  /// A tag that the last block has only a part of.
  private var rest: [UInt8] = []
  private var isAtEnd = false
  private var line = 1
  /// A copy of each record in a correlation is beside it, too.
  private var isInCorrelation = false
  /// A record whose details follow.
  private var open: HistoryEntry?
  private var names = Names()

  init(_ source: TextSource) {
    self.source = source
  }

  var bytesRead: Int { source.bytesRead }

  /// Scans one block.
  ///
  /// - Returns: Whether there may be more.
  mutating func scan(into sink: inout HistorySink) throws(HistoryError) -> Bool {
    let next = isAtEnd ? [] : try source.next()
    if next.isEmpty { isAtEnd = true }
    let block = rest + next
    let bytes = block.span
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "<") {
        guard let end = Self.tagEnd(bytes, from: index) else {
          guard bytes.count - index <= Self.longestTag, !isAtEnd else {
            sink.skip(line, .damaged)
            index += 1
            continue
          }
          break
        }
        take(bytes, index..<end, &sink)
        index = end
        continue
      }
      if byte == UInt8(ascii: "\n") { line += 1 }
      index += 1
    }
    rest = Array(block[index...])
    if isAtEnd {
      close(&sink)
      // Without the last tag, the phone had no room for the rest.
      if !rest.isEmpty { sink.skip(line, .damaged) }
    }
    return !isAtEnd
  }

  /// The place behind the tag that begins at `start`; `nil` if it is cut.
  private static func tagEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    var isQuoted = false
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ">"), !isQuoted {
        return index + 1
      }
      index += 1
      if index - start > longestTag { return nil }
    }
    return nil
  }

  private static func begins(_ bytes: Span<UInt8>, _ place: Int, _ name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard place + count <= bytes.count else { return false }
    return name.withUTF8Buffer { text in
      var index = 0
      while index < count {
        guard unsafe bytes[place + index] == text[index] else { return false }
        index += 1
      }
      return true
    }
  }

  private mutating func take(
    _ bytes: Span<UInt8>, _ tag: Range<Int>, _ sink: inout HistorySink
  ) {
    let first = tag.lowerBound + 1
    if Self.begins(bytes, first, "Record ") {
      close(&sink)
      guard !isInCorrelation else { return }
      record(bytes, tag, &sink)
      // Details follow where the tag does not end itself.
      if bytes[tag.upperBound - 2] == UInt8(ascii: "/") { close(&sink) }
    } else if open != nil, Self.begins(bytes, first, "MetadataEntry ") {
      detail(bytes, tag)
    } else if Self.begins(bytes, first, "/Record") {
      close(&sink)
    } else if Self.begins(bytes, first, "Correlation ") {
      close(&sink)
      isInCorrelation = bytes[tag.upperBound - 2] != UInt8(ascii: "/")
    } else if Self.begins(bytes, first, "/Correlation") {
      isInCorrelation = false
    }
  }

  private mutating func close(_ sink: inout HistorySink) {
    if let open { sink.entries.append(open) }
    open = nil
  }

  /// Calls `body` with the place of each attribute's name and value.
  private static func attributes(
    _ bytes: Span<UInt8>, _ tag: Range<Int>, _ body: (Range<Int>, Range<Int>) -> Void
  ) {
    var index = tag.lowerBound
    while index < tag.upperBound {
      guard bytes[index] == UInt8(ascii: "=") else {
        index += 1
        continue
      }
      guard index + 1 < tag.upperBound, bytes[index + 1] == UInt8(ascii: "\"") else {
        index += 1
        continue
      }
      var start = index
      while start > tag.lowerBound, bytes[start - 1] > 0x20 { start -= 1 }
      var end = index + 2
      while end < tag.upperBound, bytes[end] != UInt8(ascii: "\"") { end += 1 }
      body(start..<index, (index + 2)..<end)
      index = end + 1
    }
  }

  private mutating func record(
    _ bytes: Span<UInt8>, _ tag: Range<Int>, _ sink: inout HistorySink
  ) {
    var (type, unit, start, end, value, sourceName):
      (
        Range<Int>?, Range<Int>?, Range<Int>?, Range<Int>?, Range<Int>?, Range<Int>?
      )
    Self.attributes(bytes, tag) { name, content in
      switch name.count {
      case 4 where Self.begins(bytes, name.lowerBound, "type"): type = content
      case 4 where Self.begins(bytes, name.lowerBound, "unit"): unit = content
      case 5 where Self.begins(bytes, name.lowerBound, "value"): value = content
      case 7 where Self.begins(bytes, name.lowerBound, "endDate"): end = content
      case 9 where Self.begins(bytes, name.lowerBound, "startDate"): start = content
      case 10 where Self.begins(bytes, name.lowerBound, "sourceName"): sourceName = content
      default: break
      }
    }
    guard let type else { return sink.skip(line, .damaged) }
    let wanted: Wanted
    switch names.type(bytes, type) {
    case .wanted(let found): wanted = found
    case .unsupported(let name): return sink.skip(line, .unsupported(name))
    }
    guard let value, let start else { return sink.skip(line, .damaged) }
    func text(_ range: Range<Int>) -> String {
      var result: [UInt8] = []
      result.reserveCapacity(range.count)
      for index in range { result.append(bytes[index]) }
      return String(decoding: result, as: UTF8.self)
    }
    func instant(_ range: Range<Int>) -> Date? {
      guard let clock = ClockText(isoBytes: bytes.extracting(range)),
        case .instant(let date)? = HistoryTime(clock)
      else { return nil }
      return date
    }
    guard let begin = instant(start) else {
      return sink.skip(line, .time(String(text(start).prefix(40))))
    }
    let digits = text(value)
    guard var number = Double(digits), number.isFinite else {
      return sink.skip(line, .number(String(digits.prefix(40)), column: wanted.name))
    }
    let finish = end.flatMap(instant)
    let unitText = unit.map { names.unit(bytes, $0) } ?? nil
    guard let read = unitText, wanted.quantity.canBe(in: read) else {
      return sink.skip(
        line, .unit(String(unit.map(text)?.prefix(40) ?? ""), column: wanted.name))
    }
    // Shares are between 0 and 1 here, under the unit %.
    if read == .percent { number *= 100 }
    let isSpan = wanted.quantity.aggregation == .cumulative
    let facts = HistorySink.Facts(
      line: line, time: .instant(begin),
      end: isSpan ? finish.flatMap { $0 > begin ? .instant($0) : nil } : nil,
      source: sourceName.map { names.source(bytes, $0) } ?? sink.kind.title,
      isDerived: wanted.isDerived, isStreamed: wanted.isStreamed)
    let before = sink.entries.count
    sink.add(
      number, digits: digits, wanted.quantity, in: read, column: wanted.name, facts)
    if sink.entries.count > before { open = sink.entries.removeLast() }
  }

  private mutating func detail(_ bytes: Span<UInt8>, _ tag: Range<Int>) {
    var (isTyped, isSet) = (false, false)
    Self.attributes(bytes, tag) { name, content in
      if Self.begins(bytes, name.lowerBound, "key"),
        Self.begins(bytes, content.lowerBound, "HKWasUserEntered")
      {
        isTyped = true
      } else if Self.begins(bytes, name.lowerBound, "value"), content.count == 1,
        bytes[content.lowerBound] == UInt8(ascii: "1")
      {
        isSet = true
      }
    }
    if isTyped, isSet { open?.isTyped = true }
  }

  // MARK: - Names

  /// A type of record that is read.
  fileprivate struct Wanted {
    var name: String
    var quantity: Quantity
    var isStreamed = false
    var isDerived = false

    init(
      _ name: String, _ quantity: Quantity, isStreamed: Bool = false, isDerived: Bool = false
    ) {
      (self.name, self.quantity) = (name, quantity)
      (self.isStreamed, self.isDerived) = (isStreamed, isDerived)
    }

    static let all: [Wanted] = [
      Wanted("HeartRate", .heartRate, isStreamed: true),
      Wanted("StepCount", .stepCount, isStreamed: true),
      Wanted("DistanceWalkingRunning", .distanceWalked, isStreamed: true),
      Wanted("DistanceCycling", .distanceCycled, isStreamed: true),
      Wanted("AppleExerciseTime", .exerciseTime, isStreamed: true),
      Wanted("OxygenSaturation", .oxygenSaturation, isStreamed: true),
      Wanted("WalkingSpeed", .walkingSpeed, isDerived: true),
      Wanted("BodyMass", .bodyMass), Wanted("Height", .height),
      Wanted("BodyMassIndex", .bodyMassIndex, isDerived: true),
      Wanted("BodyFatPercentage", .bodyFatPercentage, isDerived: true),
      Wanted("LeanBodyMass", .fatFreeMass, isDerived: true),
      Wanted("BodyTemperature", .bodyTemperature), Wanted("BloodGlucose", .bloodGlucose),
      Wanted("BloodPressureSystolic", .bloodPressureSystolic),
      Wanted("BloodPressureDiastolic", .bloodPressureDiastolic),
      Wanted("SixMinuteWalkTestDistance", .sixMinuteWalkDistance, isDerived: true),
    ]
  }

  /// The texts of attributes so far: an export has millions of records and few texts.
  private struct Names {
    private var sources = Memory<String>()
    private var units = Memory<UnitOfMeasure?>()
    private var types = Memory<Kind>()

    /// A type of record.
    enum Kind {
      case wanted(Wanted)
      case unsupported(String)
    }

    mutating func type(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Kind {
      types.value(bytes, range) { name in
        let text = String(decoding: name.prefix(100), as: UTF8.self)
        let short = text.replacing("HKQuantityTypeIdentifier", with: "")
        if let wanted = Wanted.all.first(where: { $0.name == short }) { return .wanted(wanted) }
        return .unsupported(short.replacing("HKCategoryTypeIdentifier", with: ""))
      }
    }

    mutating func unit(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UnitOfMeasure? {
      units.value(bytes, range) { name in
        let text = AppleHealthScanner.plain(name)
        return text == "count" ? .one : UnitOfMeasure(header: text)
      }
    }

    mutating func source(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
      sources.value(bytes, range) { name in
        let text = AppleHealthScanner.plain(name)
        return text.isEmpty ? HistoryKind.appleHealth.title : text
      }
    }
  }

  /// The last texts of an attribute, with what each stands for.
  private struct Memory<Value> {
    /// More different texts in a row are none of any phone's.
    private static var size: Int { 64 }

    private var known: [(text: [UInt8], value: Value)] = []
    private var oldest = 0

    mutating func value(
      _ bytes: Span<UInt8>, _ range: Range<Int>, _ make: ([UInt8]) -> Value
    ) -> Value {
      for index in known.indices where isText(index, bytes, range) { return known[index].value }
      var text: [UInt8] = []
      text.reserveCapacity(range.count)
      for index in range { text.append(bytes[index]) }
      let value = make(text)
      if known.count < Self.size {
        known.append((text, value))
      } else {
        known[oldest] = (text, value)
        oldest = (oldest + 1) % Self.size
      }
      return value
    }

    private func isText(_ index: Int, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
      guard known[index].text.count == range.count else { return false }
      // Names begin alike and end differently.
      var place = range.count - 1
      while place >= 0 {
        if known[index].text[place] != bytes[range.lowerBound + place] { return false }
        place -= 1
      }
      return true
    }
  }

  /// The text of an attribute: entities resolved, control characters and odd spaces made plain.
  fileprivate static func plain(_ bytes: [UInt8]) -> String {
    var text = String(decoding: bytes.prefix(200), as: UTF8.self)
    for (entity, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#10;", " "),
      ("&amp;", "&"),
    ] {
      text.replace(entity, with: character)
    }
    let scalars = text.unicodeScalars.map { scalar -> Character in
      scalar.value < 0x20 || scalar.properties.isWhitespace ? " " : Character(scalar)
    }
    return String(scalars).trimmed
  }
}

extension Quantity {
  /// Whether a unit can be converted to that of the quantity.
  fileprivate func canBe(in unit: UnitOfMeasure) -> Bool {
    convert(1, from: unit, to: self.unit) != nil
  }
}
