/// Splits a body of `multipart/form-data` into its parts as it arrives.
///
/// It is strict where browsers are: the body begins with the boundary, every part has a name, and
/// nothing is encoded. It has at most one piece of the body and one delimiter in memory, or the
/// head of a part.
///
/// Sources: RFC 7578; RFC 2046, 5.1 (boundaries); the multipart encoding of the HTML standard for
/// names (`%22`, `%0D%0A`).
struct MultipartParser {
  /// An element of the body that was read.
  enum Element: Hashable {
    /// A part begins.
    case head(Head)
    /// The next bytes of the part's content.
    case content([UInt8])
    /// The part ends.
    case end
  }

  /// The fields of a part's head.
  struct Head: Hashable {
    /// The field's name.
    var name: String
    /// The name of the file, empty if none was chosen; `nil` for a field that is no file.
    var file: String?
  }

  private enum State {
    /// Before the first boundary; after one; in a head; in a content; after the last boundary.
    case start, boundary, head, content, end
  }

  private let delimiter: [UInt8]
  private var state = State.start
  private var pending: [UInt8] = []
  private var parts = 0

  /// The most bytes of the head of a part.
  static let longestHead = 4 << 10
  /// The most parts of a body.
  static let mostParts = 400

  /// Begins a body of a media type, `multipart/form-data; boundary=…`.
  ///
  /// - Throws: ``Fault`` for another type, and for a boundary that RFC 2046 does not permit.
  init(type: String) throws(Fault) {
    let boundary = HeaderText.parameter("boundary", of: type) ?? ""
    guard
      type.prefix(while: { $0 != ";" }).lowercased().filter({ $0 != " " }) == "multipart/form-data",
      (1...70).contains(boundary.utf8.count),
      boundary.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !boundary.hasSuffix(" ")
    else { throw Fault(.malformed, "Send the form as it is.") }
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// Reads the next bytes of the body.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - take: Receives what they contain, in order.
  /// - Throws: ``Fault`` for a malformed body; what `take` throws.
  mutating func parse(_ bytes: [UInt8], _ take: (Element) throws -> Void) throws {
    pending += bytes
    while try advance(take) {}
  }

  /// Ends the body.
  ///
  /// - Throws: ``Fault`` if its end is missing.
  func finish() throws(Fault) {
    guard case .end = state else { throw Fault(.malformed, "The form is cut short.") }
  }

  /// Reads as far as the state lasts.
  ///
  /// - Returns: Whether another state follows in what is there.
  private mutating func advance(_ take: (Element) throws -> Void) throws -> Bool {
    switch state {
    case .start:
      // The first boundary has no line before it.
      guard pending.count >= delimiter.count - 2 else { return false }
      guard pending.starts(with: delimiter.dropFirst(2)) else { throw Self.malformed }
      pending.removeFirst(delimiter.count - 2)
      state = .boundary
    case .boundary:
      guard pending.count >= 2 else { return false }
      let mark = Array(pending.prefix(2))
      pending.removeFirst(2)
      if mark == Array("--".utf8) {
        state = .end
      } else if mark == Array("\r\n".utf8) {
        state = .head
      } else {
        throw Self.malformed
      }
    case .head:
      guard let end = pending.range(of: Array("\r\n\r\n".utf8)) else {
        guard pending.count <= Self.longestHead else { throw Self.malformed }
        return false
      }
      guard end.lowerBound <= Self.longestHead else { throw Self.malformed }
      parts += 1
      guard parts <= Self.mostParts else { throw Fault(.malformed, "The form is too long.") }
      let head = try Head(pending[..<end.lowerBound])
      pending.removeFirst(end.upperBound)
      state = .content
      try take(.head(head))
    case .content:
      // An empty content has its delimiter at once: the head's last line end is not part of it.
      guard let end = pending.range(of: delimiter) else {
        // Bytes that may be the beginning of a delimiter wait.
        let count = pending.count - (delimiter.count - 1)
        guard count > 0 else { return false }
        let content = Array(pending.prefix(count))
        pending.removeFirst(count)
        try take(.content(content))
        return false
      }
      let content = Array(pending[..<end.lowerBound])
      pending.removeFirst(end.upperBound)
      state = .boundary
      if !content.isEmpty { try take(.content(content)) }
      try take(.end)
    case .end:
      // Bytes after the last boundary are no part.
      pending = []
      return false
    }
    return true
  }

  fileprivate static var malformed: Fault { Fault(.malformed, "The form is malformed.") }
}

extension MultipartParser.Head {
  /// Reads the lines of a head.
  ///
  /// - Throws: ``Fault`` if it names no field, or says that the content is encoded.
  init(_ bytes: some Collection<UInt8>) throws(Fault) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw MultipartParser.malformed
    }
    var found: MultipartParser.Head?
    for line in text.split(separator: "\r\n") {
      let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else { throw MultipartParser.malformed }
      switch sides[0].lowercased() {
      case "content-disposition":
        guard found == nil, let name = HeaderText.parameter("name", of: sides[1]) else {
          throw MultipartParser.malformed
        }
        found = MultipartParser.Head(
          name: name, file: HeaderText.parameter("filename", of: sides[1]))
      case "content-transfer-encoding": throw MultipartParser.malformed
      default: break
      }
    }
    guard let found else { throw MultipartParser.malformed }
    self = found
  }
}

/// The parameters of a header: `form-data; name="plan"`.
private enum HeaderText {
  /// The value of a parameter; `nil` if there is none.
  static func parameter(_ name: String, of header: some StringProtocol) -> String? {
    for part in parts(of: header).dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, trimmed(sides[0]).lowercased() == name else { continue }
      let value = trimmed(sides[1])
      guard value.hasPrefix("\"") else { return value }
      guard value.hasSuffix("\""), value.utf8.count >= 2 else { return nil }
      return String(value.dropFirst().dropLast()).replacing("%22", with: "\"")
    }
    return nil
  }

  /// The header's parts between semicolons that stand outside of quotes.
  private static func parts(of header: some StringProtocol) -> [String] {
    var parts = [""]
    var isQuoted = false
    for character in header {
      if character == "\"" { isQuoted.toggle() }
      if character == ";", !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text).drop { $0 == " " || $0 == "\t" }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
  }
}

extension [UInt8] {
  /// The first place of `other`.
  fileprivate func range(of other: [UInt8]) -> Range<Int>? {
    guard let first = other.first else { return nil }
    var place = startIndex
    while let found = self[place...].firstIndex(of: first), found <= count - other.count {
      if self[found..<found + other.count].elementsEqual(other) {
        return found..<found + other.count
      }
      place = found + 1
    }
    return nil
  }
}
