/// The text of a file as UTF-8, in whichever encoding it was saved.
///
/// A byte order mark decides; without one, text that is no UTF-8 in its first block is Windows-1252,
/// as German and French programs of Windows write it, and zeros in every second byte are UTF-16.
struct TextSource {
  private var source: BlockSource
  private var encoding = Encoding.utf8
  private var hasBegun = false
  private var rest: [UInt8] = []

  enum Encoding { case utf8, utf16(isLittleEndian: Bool), windows1252 }

  /// The name for messages.
  var name: String { source.name }
  /// How many bytes of the file have been read.
  var bytesRead: Int { source.bytesRead }

  init(_ source: BlockSource) {
    self.source = source
  }

  /// The next bytes in UTF-8; none at the end.
  mutating func next() throws(HistoryError) -> [UInt8] {
    while true {
      var block = try source.next()
      if !hasBegun {
        hasBegun = true
        block = begin(block)
      }
      guard !block.isEmpty || !rest.isEmpty else { return [] }
      let isLast = block.isEmpty
      let text: [UInt8]
      switch encoding {
      case .utf8: return block
      case .windows1252: text = Self.utf8(ofWindows1252: block)
      case .utf16(let isLittleEndian):
        text = utf8(ofUTF16: rest + block, isLittleEndian, isLast: isLast)
      }
      if !text.isEmpty { return text }
      if isLast { return [] }
    }
  }

  private mutating func begin(_ block: [UInt8]) -> [UInt8] {
    if block.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(block.dropFirst(3)) }
    if block.starts(with: [0xFF, 0xFE]) {
      encoding = .utf16(isLittleEndian: true)
      return Array(block.dropFirst(2))
    }
    if block.starts(with: [0xFE, 0xFF]) {
      encoding = .utf16(isLittleEndian: false)
      return Array(block.dropFirst(2))
    }
    let first = block.prefix(64)
    if first.count >= 8 {
      let zeros = (0...1).map { parity in
        first.indices.filter { $0 % 2 == parity && first[$0] == 0 }.count
      }
      if max(zeros[0], zeros[1]) * 4 > first.count {
        encoding = .utf16(isLittleEndian: zeros[1] > zeros[0])
        return block
      }
    }
    if !Self.isUTF8(block) { encoding = .windows1252 }
    return block
  }

  /// Whether bytes are UTF-8, of which the last character may be cut.
  static func isUTF8(_ bytes: [UInt8]) -> Bool {
    var end = bytes.count
    // A cut character is at most three bytes of one.
    for index in stride(from: end - 1, through: max(0, end - 3), by: -1) {
      if bytes[index] >= 0xC0 {
        end = index
        break
      }
      if bytes[index] < 0x80 { break }
    }
    return String(validating: bytes[..<end], as: UTF8.self) != nil
  }

  private static func utf8(ofWindows1252 bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 8)
    for byte in bytes {
      switch byte {
      case ..<0x80: text.append(byte)
      case 0x80..<0xA0: text += Array(String(Self.punctuation[Int(byte) - 0x80]).utf8)
      default: text += Array(String(Unicode.Scalar(byte)).utf8)
      }
    }
    return text
  }

  /// The characters 0x80 to 0x9F of Windows-1252.
  private static let punctuation = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ")

  private mutating func utf8(
    ofUTF16 bytes: [UInt8], _ isLittleEndian: Bool, isLast: Bool
  ) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var end = bytes.count - bytes.count % 2
    // The second half of a character follows in the next block.
    if end >= 2, !isLast, (isLittleEndian ? bytes[end - 1] : bytes[end - 2]) & 0xFC == 0xD8 {
      end -= 2
    }
    for index in stride(from: 0, to: end, by: 2) {
      let (a, b) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isLittleEndian ? a | b << 8 : a << 8 | b)
    }
    rest = isLast ? [] : Array(bytes[end...])
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}

// MARK: - Rows

/// A row of a table.
struct TableRow {
  /// The line on which it begins, from 1.
  var line: Int
  /// The fields, without quotes and spaces around.
  var fields: [String]
  /// Whether a quotation mark has no end, so that the row is none.
  var isOpenQuoted = false

  /// A field; empty beyond the row's end, since rows may be ragged.
  subscript(index: Int) -> String { fields.indices.contains(index) ? fields[index] : "" }

  /// Whether it has no text at all.
  var isBlank: Bool { fields.allSatisfy(\.isEmpty) }
}

/// How a table is written.
struct TableDialect: Hashable {
  var delimiter: UInt8
  /// Whether quotation marks enclose fields; one program writes none at all.
  var hasQuotes = true
  /// Whether numbers have a decimal comma: where the comma separates no fields.
  var hasDecimalComma: Bool { delimiter != UInt8(ascii: ",") }

  /// The dialect of a text: the delimiter that its first lines have most, outside quotes.
  init(of head: [UInt8]) {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    var lines = 0
    for byte in head {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard !isQuoted else { continue }
      if byte == UInt8(ascii: "\n") { lines += 1 }
      if lines > 40 { break }
      // Decimal commas are many beside few semicolons.
      if byte == UInt8(ascii: ";") { counts[byte, default: 0] += 3 }
      if byte == UInt8(ascii: "\t") { counts[byte, default: 0] += 3 }
      if byte == UInt8(ascii: ",") { counts[byte, default: 0] += 1 }
    }
    let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    delimiter = best?.key ?? UInt8(ascii: ",")
  }
}

/// Splits a text into the rows of a table in constant memory.
struct TableReader {
  /// A longer row is none.
  private static let longest = 1 << 16

  private var source: TextSource
  private let dialect: TableDialect
  private var block: [UInt8] = []
  private var place = 0
  private var line = 0

  /// How many bytes of the file have been read.
  var bytesRead: Int { source.bytesRead }

  init(_ source: TextSource, _ dialect: TableDialect) {
    self.source = source
    self.dialect = dialect
  }

  /// The next row that is not blank, or a blank one where `keepsBlank`; `nil` at the end.
  mutating func next(keepsBlank: Bool = false) throws(HistoryError) -> TableRow? {
    while let row = try anyRow() {
      if keepsBlank || row.isOpenQuoted || !row.isBlank { return row }
    }
    return nil
  }

  private mutating func anyRow() throws(HistoryError) -> TableRow? {
    var fields: [String] = []
    var field: [UInt8] = []
    var (isQuoted, hasText) = (false, false)
    var length = 0
    line += 1
    let begin = line
    func finished() -> String { String(decoding: field, as: UTF8.self).trimmed }
    while let byte = try nextByte() {
      hasText = true
      length += 1
      guard length <= Self.longest else {
        try skipLine()
        return TableRow(line: begin, fields: fields, isOpenQuoted: true)
      }
      if isQuoted {
        if byte == UInt8(ascii: "\"") {
          if try peek() == byte {
            place += 1
            field.append(byte)
          } else {
            isQuoted = false
          }
        } else {
          if byte == UInt8(ascii: "\n") { line += 1 }
          field.append(byte)
        }
        continue
      }
      switch byte {
      case dialect.delimiter:
        fields.append(finished())
        field.removeAll(keepingCapacity: true)
      case UInt8(ascii: "\n"):
        fields.append(finished())
        return TableRow(line: begin, fields: fields)
      case UInt8(ascii: "\r"):
        // A line of old Macintosh programs ends here; of others, the line feed follows.
        if try peek() == UInt8(ascii: "\n") { place += 1 }
        fields.append(finished())
        return TableRow(line: begin, fields: fields)
      case UInt8(ascii: "\"") where dialect.hasQuotes && field.allSatisfy { $0 == 0x20 }:
        isQuoted = true
        field.removeAll(keepingCapacity: true)
      default: field.append(byte)
      }
    }
    guard hasText else { return nil }
    fields.append(finished())
    return TableRow(line: begin, fields: fields, isOpenQuoted: isQuoted && line > begin)
  }

  private mutating func skipLine() throws(HistoryError) {
    while let byte = try nextByte() {
      if byte == UInt8(ascii: "\n") {
        line += 1
        return
      }
    }
  }

  private mutating func nextByte() throws(HistoryError) -> UInt8? {
    guard try peek() != nil else { return nil }
    defer { place += 1 }
    return block[place]
  }

  private mutating func peek() throws(HistoryError) -> UInt8? {
    if place >= block.count {
      block = try source.next()
      place = 0
    }
    return place < block.count ? block[place] : nil
  }
}

extension StringProtocol {
  /// Without white space around, of which programs have several kinds.
  var trimmed: String {
    let isSpace: (Character) -> Bool = { $0.isWhitespace || $0 == "\u{FEFF}" || $0 == "\0" }
    guard let first = firstIndex(where: { !isSpace($0) }),
      let last = lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}
