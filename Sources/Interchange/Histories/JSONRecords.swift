import Foundation

/// Reads a JSON text piece by piece.
///
/// Nothing but the path to the current value is in memory, however long the text.
struct JSONReader {
  /// Deeper texts are none of any program's.
  private static let deepest = 40
  /// A longer text is cut.
  private static let longestText = 1 << 16
  /// So is a longer name, which is a part of the path of everything in it.
  private static let longestName = 256

  enum Event: Hashable {
    case beginObject, endObject, beginArray, endArray
    case key(String)
    case text(String)
    /// A number, as it is written.
    case number(String)
    case bool(Bool)
    case null
  }

  private enum Frame { case object(expectsKey: Bool), array }

  private var source: TextSource
  private var block: [UInt8] = []
  private var place = 0
  private var frames: [Frame] = []
  private var hasValue = false
  /// The number of lines so far.
  private(set) var line = 1

  init(_ source: TextSource) {
    self.source = source
  }

  var name: String { source.name }
  var bytesRead: Int { source.bytesRead }

  /// The next event; `nil` at the end.
  mutating func next() throws(HistoryError) -> Event? {
    while let byte = try peek() {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D:
        if byte == 0x0A { line += 1 }
        place += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): place += 1
      case UInt8(ascii: "{"):
        place += 1
        try push(.object(expectsKey: true))
        return .beginObject
      case UInt8(ascii: "["):
        place += 1
        try push(.array)
        return .beginArray
      case UInt8(ascii: "}"):
        place += 1
        guard case .object? = frames.popLast() else { throw malformed }
        valueEnded()
        return .endObject
      case UInt8(ascii: "]"):
        place += 1
        guard case .array? = frames.popLast() else { throw malformed }
        valueEnded()
        return .endArray
      case UInt8(ascii: "\""):
        place += 1
        if case .object(expectsKey: true)? = frames.last {
          frames[frames.count - 1] = .object(expectsKey: false)
          return .key(try text(atMost: Self.longestName))
        }
        let text = try text(atMost: Self.longestText)
        valueEnded()
        return .text(text)
      default:
        let event = try scalar()
        valueEnded()
        return event
      }
    }
    guard frames.isEmpty else { throw HistoryError(file: name, line: line, .cutOff) }
    return nil
  }

  private var malformed: HistoryError { HistoryError(file: name, line: line, .malformedJSON) }

  private mutating func push(_ frame: Frame) throws(HistoryError) {
    guard frames.count < Self.deepest else { throw malformed }
    if case .object(expectsKey: true)? = frames.last { throw malformed }
    // Texts that follow each other are JSON Lines, as some programs write.
    frames.append(frame)
  }

  private mutating func valueEnded() {
    if case .object? = frames.last { frames[frames.count - 1] = .object(expectsKey: true) }
  }

  private mutating func text(atMost longest: Int) throws(HistoryError) -> String {
    var bytes: [UInt8] = []
    func append(_ byte: UInt8) { if bytes.count < longest { bytes.append(byte) } }
    var high: UInt32?
    while let byte = try take() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = try take() else { break }
        switch escaped {
        case UInt8(ascii: "n"): append(0x0A)
        case UInt8(ascii: "t"): append(0x09)
        case UInt8(ascii: "r"): append(0x0D)
        case UInt8(ascii: "b"): append(0x08)
        case UInt8(ascii: "f"): append(0x0C)
        case UInt8(ascii: "u"):
          var unit: UInt32 = 0
          for _ in 0..<4 {
            guard let digit = try take(),
              let value = Character(Unicode.Scalar(digit)).hexDigitValue
            else { throw malformed }
            unit = unit << 4 | UInt32(value)
          }
          if (0xD800..<0xDC00).contains(unit) {
            high = unit
          } else {
            var scalar = unit
            if let first = high, (0xDC00..<0xE000).contains(unit) {
              scalar = 0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00)
            }
            high = nil
            for byte in String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8 {
              append(byte)
            }
          }
        default: append(escaped)
        }
      default:
        if byte == 0x0A { line += 1 }
        append(byte)
      }
    }
    throw HistoryError(file: name, line: line, .cutOff)
  }

  private mutating func scalar() throws(HistoryError) -> Event {
    var bytes: [UInt8] = []
    while let byte = try peek(), !Self.ends.contains(byte) {
      guard bytes.count < 400 else { throw malformed }
      bytes.append(byte)
      place += 1
    }
    let text = String(decoding: bytes, as: UTF8.self)
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default:
      guard Double(text) != nil else { throw malformed }
      return .number(text)
    }
  }

  private static let ends = Set(" \t\r\n,:{}[]\"".utf8)

  private mutating func take() throws(HistoryError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    place += 1
    return byte
  }

  private mutating func peek() throws(HistoryError) -> UInt8? {
    if place >= block.count {
      block = try source.next()
      place = 0
    }
    return place < block.count ? block[place] : nil
  }
}

/// A record of a JSON text: its members under their paths, `value.bpm`, `fitValue.0.value.fpVal`.
struct JSONRecord {
  /// The number of the record in the text, from 1.
  var number: Int
  /// Which element of each array around it this is.
  var position: [Int]
  var members: [String: String]
  /// The members of what is around it, as far as they come before it.
  var around: [String: String]

  subscript(path: String) -> String? { members[path] }
}

/// The records of a JSON text: the objects in one of its arrays.
struct JSONRecords {
  /// More members are none of any program's record; the rest is left out.
  private static let mostMembers = 400

  private var reader: JSONReader
  private let path: [String]
  private var count = 0
  private var stack: [Level] = []
  private var around: [String: String] = [:]

  private struct Level {
    var key: String?
    /// The number of the current element of an array; `nil` of an object.
    var index: Int?
  }

  /// The records in the array at `path`; of an empty path, those of the text's own array, or of its
  /// lines.
  init(_ source: TextSource, at path: [String]) {
    reader = JSONReader(source)
    self.path = path
  }

  var bytesRead: Int { reader.bytesRead }

  /// A record, or the end of an element around records.
  enum Item {
    case record(JSONRecord)
    /// An element of an array around the records has ended; its own members.
    case end(position: [Int], members: [String: String])
  }

  mutating func next() throws(HistoryError) -> Item? {
    while let event = try reader.next() {
      switch event {
      case .beginObject:
        beginElement()
        if isRecord { return .record(try record()) }
        stack.append(Level(key: nil, index: nil))
      case .beginArray:
        beginElement()
        stack.append(Level(key: nil, index: -1))
      case .endObject:
        let position = position
        if !stack.isEmpty { stack.removeLast() }
        if stack.last?.index != nil {
          let prefix = keys.joined(separator: ".")
          let own = around.filter { $0.key.hasPrefix(prefix) }
          for key in own.keys { around[key] = nil }
          return .end(position: position, members: own)
        }
      case .endArray: if !stack.isEmpty { stack.removeLast() }
      case .key(let key): if !stack.isEmpty { stack[stack.count - 1].key = key }
      case .text(let text), .number(let text):
        beginElement()
        guard stack.last?.index == nil, around.count < Self.mostMembers else { continue }
        around[keys.joined(separator: ".")] = text
      case .bool, .null: beginElement()
      }
    }
    return nil
  }

  private mutating func beginElement() {
    guard let index = stack.last?.index else { return }
    stack[stack.count - 1].index = index + 1
  }

  private var keys: [String] { stack.compactMap(\.key) }
  private var position: [Int] { stack.compactMap(\.index) }

  private var isRecord: Bool { (stack.isEmpty || stack.last?.index != nil) && keys == path }

  /// Reads the rest of an object that has begun.
  private mutating func record() throws(HistoryError) -> JSONRecord {
    count += 1
    var record = JSONRecord(number: count, position: position, members: [:], around: around)
    var levels = [Level(key: nil, index: nil)]
    func path() -> String {
      levels.compactMap { $0.index.map(String.init) ?? $0.key }.joined(separator: ".")
    }
    func begin() {
      if let index = levels[levels.count - 1].index { levels[levels.count - 1].index = index + 1 }
    }
    while !levels.isEmpty, let event = try reader.next() {
      switch event {
      case .beginObject, .beginArray:
        begin()
        levels.append(Level(key: nil, index: event == .beginArray ? -1 : nil))
      case .endObject, .endArray: levels.removeLast()
      case .key(let key): levels[levels.count - 1].key = key
      case .text(let text), .number(let text):
        begin()
        if record.members.count < Self.mostMembers { record.members[path()] = text }
      case .bool(let bool):
        begin()
        if record.members.count < Self.mostMembers {
          record.members[path()] = bool ? "true" : "false"
        }
      case .null: begin()
      }
    }
    return record
  }
}

/// The members of the beginning of a JSON text, by which its program is recognised.
struct JSONHead {
  /// The paths of members without the numbers of elements: `data.metrics.name`.
  var paths: Set<String> = []
  /// The texts, by path, the first of each.
  var texts: [String: String] = [:]

  /// Reads at most the first `limit` events of a text; what follows a mistake is left out.
  init(_ source: TextSource, limit: Int = 4000) {
    var reader = JSONReader(source)
    var stack: [String?] = []
    var begun: [Bool] = []
    for _ in 0..<limit {
      guard let event = try? reader.next() else { return }
      switch event {
      case .beginObject, .beginArray:
        stack.append(nil)
        begun.append(event == .beginArray)
      case .endObject, .endArray:
        if !stack.isEmpty { stack.removeLast() }
      case .key(let key):
        if !stack.isEmpty { stack[stack.count - 1] = key }
        paths.insert(stack.compactMap { $0 }.joined(separator: "."))
      case .text(let text), .number(let text):
        let path = stack.compactMap { $0 }.joined(separator: ".")
        if texts[path] == nil { texts[path] = text }
      case .bool, .null: break
      }
    }
  }

  /// Whether it has all of these members.
  func has(_ names: String...) -> Bool { paths.isSuperset(of: names) }
}
