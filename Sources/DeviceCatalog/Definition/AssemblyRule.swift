import GATT
import StrictYAML

/// How a characteristic's values are put together to frames.
struct AssemblyRule: Hashable, Sendable {
  var characteristic: BluetoothUUID
  var form: Form
  var origin: YAMLLocation

  enum Form: Hashable, Sendable {
    /// Frames that follow each other, cut anywhere.
    case stream(Stream)
    /// A frame in numbered parts.
    case parts(Parts)
  }

  /// A stream, in which a frame is found by its beginning, its length and its checksum.
  struct Stream: Hashable, Sendable {
    var start: BytePattern
    var length: Length
    var checksum: ChecksumRule?
    var records: Records?

    /// The longest frame.
    var maximumCount: Int {
      records == nil ? AssemblyRule.maximumCount : Records.maximumFrameCount
    }
  }

  /// The records in one frame, each of which is read as a frame by itself.
  struct Records: Hashable, Sendable {
    /// The place of the first.
    var from: Int
    /// The bytes of each.
    var length: Int
    /// The bytes behind the last.
    var tail: Int

    /// The longest frame: a memory of some hundred records.
    static let maximumFrameCount = 4096
  }

  enum Length: Hashable, Sendable {
    case fixed(Int)
    /// The number in a field of the frame, and the bytes that it does not count.
    case field(at: Int, type: FieldType, plus: Int)
  }

  /// The parts of a frame: every one begins alike, and has its number and how many there are.
  struct Parts: Hashable, Sendable {
    var bytes: BytePattern
    /// The place of the number of parts.
    var count: Int
    /// The place of the part's own number, from 1.
    var number: Int
    /// Where the part's content begins.
    ///
    /// The frame is the first part, followed by the content of the others.
    var payload: Int
  }

  /// The longest frame.
  static let maximumCount = AttributeProtocol.maximumValueLength
  /// The most parts of a frame.
  static let maximumParts = 32
}

// MARK: - Reading

extension AssemblyRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var rule = try node.mapping()
    characteristic = try rule.required("characteristic").uuid()
    let start = rule.optional("start")
    let parts = rule.optional("parts")
    switch (start, parts) {
    case (let start?, nil):
      let pattern = try start.pattern()
      let length = try Length(try rule.required("length"), after: pattern.count)
      let checksum = try rule.optional("checksum").map(ChecksumRule.init(_:))
      let records = try rule.optional("records").map(Records.init(_:))
      form = .stream(
        Stream(start: pattern, length: length, checksum: checksum, records: records))
    case (nil, let parts?):
      form = .parts(try Parts(parts, bytes: try rule.required("bytes").pattern()))
    default:
      throw node.error("an assembly has either ‘start’ and ‘length’, or ‘bytes’ and ‘parts’")
    }
    try rule.finish()
  }
}

extension AssemblyRule.Length {
  fileprivate init(_ node: YAMLNode, after start: Int) throws(YAMLError) {
    if case .scalar = node.content {
      self = .fixed(try node.integer(in: start...AssemblyRule.maximumCount))
      return
    }
    var length = try node.mapping()
    let at = try length.required("at").integer(in: 0...63)
    let type = try length.optional("type")?.choice(of: FieldType.self) ?? .u8
    guard type == .u8 || type == .u16le || type == .u16be else {
      throw node.error("a length is a u8, u16le or u16be")
    }
    self = .field(at: at, type: type, plus: try length.optional("plus")?.integer(in: 0...64) ?? 0)
    try length.finish()
  }
}

extension AssemblyRule.Records {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var records = try node.mapping()
    from = try records.required("from").integer(in: 1...255)
    length = try records.required("length").integer(in: 1...255)
    tail = -(try records.optional("until")?.integer(in: -16...0) ?? 0)
    try records.finish()
  }

  /// The records of a frame; the frame itself if it is too short for what stands before them.
  fileprivate func frames(in frame: [UInt8]) -> [[UInt8]] {
    guard frame.count >= from + tail else { return [frame] }
    let end = frame.count - tail
    // A rest is refused as a record of another length.
    return stride(from: from, to: end, by: length).map { Array(frame[$0..<min($0 + length, end)]) }
  }
}

extension AssemblyRule.Parts {
  fileprivate init(_ node: YAMLNode, bytes: BytePattern) throws(YAMLError) {
    var parts = try node.mapping()
    self.bytes = bytes
    count = try parts.required("count").integer(in: 0...63)
    number = try parts.required("number").integer(in: 0...63)
    payload = try parts.required("payload").integer(in: 1...63)
    try parts.finish()
    guard count < payload, number < payload else {
      throw node.error("the content of a part begins behind its number and their count")
    }
  }
}

// MARK: - Assembly

/// Puts the values of one characteristic together.
///
/// Its memory is bounded.
struct FrameAssembler: Hashable, Sendable {
  /// A frame, or bytes that only look like one.
  enum Found: Hashable, Sendable {
    case frame([UInt8])
    case damaged([UInt8], FrameDefect)
  }

  private let streams: [AssemblyRule.Stream]
  private let parts: [AssemblyRule.Parts]
  private var buffer: [UInt8] = []
  /// The frame whose parts are arriving, its rule, and the number of its last part.
  private var pending: (frame: [UInt8], rule: Int, number: Int)?

  init(_ rules: [AssemblyRule]) {
    streams = rules.compactMap { if case .stream(let stream) = $0.form { stream } else { nil } }
    parts = rules.compactMap { if case .parts(let parts) = $0.form { parts } else { nil } }
  }

  static func == (a: Self, b: Self) -> Bool {
    a.streams == b.streams && a.parts == b.parts && a.buffer == b.buffer
      && a.pending?.frame == b.pending?.frame && a.pending?.rule == b.pending?.rule
      && a.pending?.number == b.pending?.number
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(buffer)
    hasher.combine(pending?.frame)
  }

  /// Whether the characteristic sends a stream.
  var isStream: Bool { !streams.isEmpty }

  /// The frames that are complete with `value`.
  mutating func frames(with value: [UInt8]) -> [Found] {
    guard value.count <= AssemblyRule.maximumCount else {
      return [.damaged(value, .oversized(count: value.count))]
    }
    if let index = parts.firstIndex(where: { $0.bytes.matches(value) }) {
      return join(value, index)
    }
    guard isStream else { return [.frame(value)] }
    buffer += value
    var found: [Found] = []
    var place = 0
    search: while place < buffer.count {
      switch next(at: place) {
      case .none: place += 1
      case .incomplete: break search
      case .complete(let count, let stream):
        let frame = Array(buffer[place..<place + count])
        do throws(FrameDefect) {
          try stream.checksum?.verify(frame)
          found += (stream.records?.frames(in: frame) ?? [frame]).map(Found.frame)
          place += count
        } catch {
          found.append(.damaged(frame, error))
          // The beginning of the next frame may be within these bytes.
          place += 1
        }
      }
    }
    buffer.removeFirst(place)
    return found
  }

  private enum Candidate {
    case none
    case incomplete
    case complete(Int, AssemblyRule.Stream)
  }

  /// The candidate for a frame at an index of the buffer.
  private func next(at place: Int) -> Candidate {
    let rest = buffer[place...]
    var isIncomplete = false
    for stream in streams {
      guard rest.count >= stream.start.count else {
        isIncomplete = isIncomplete || stream.start.mayBegin(rest)
        continue
      }
      guard stream.start.matches(rest) else { continue }
      guard let count = stream.length.count(of: rest) else {
        isIncomplete = true
        continue
      }
      guard (stream.start.count...stream.maximumCount).contains(count) else { continue }
      guard rest.count >= count else {
        isIncomplete = true
        continue
      }
      return .complete(count, stream)
    }
    return isIncomplete ? .incomplete : .none
  }

  private mutating func join(_ part: [UInt8], _ index: Int) -> [Found] {
    let rule = parts[index]
    guard part.count > rule.payload else {
      pending = nil
      return [.damaged(part, .truncatedSample(needed: rule.payload + 1, count: part.count))]
    }
    let count = Int(part[rule.count])
    let number = Int(part[rule.number])
    guard (1...AssemblyRule.maximumParts).contains(count), (1...count).contains(number) else {
      pending = nil
      return []
    }
    if number == 1 {
      pending = (part, index, 1)
    } else if let begun = pending, begun.rule == index, begun.number == number - 1,
      begun.frame[rule.count] == part[rule.count],
      begun.frame.count + part.count - rule.payload <= AssemblyRule.maximumCount
    {
      pending = (begun.frame + part[rule.payload...], index, number)
    } else if pending?.number != number {
      // A part is missing. One that is sent twice changes nothing.
      pending = nil
    }
    guard let whole = pending, whole.number == count else { return [] }
    pending = nil
    return [.frame(whole.frame)]
  }
}

extension AssemblyRule.Length {
  /// The length of the frame that `bytes` begin with; `nil` if its field has not come yet.
  fileprivate func count(of bytes: ArraySlice<UInt8>) -> Int? {
    switch self {
    case .fixed(let count): return count
    case .field(let at, let type, let plus):
      guard bytes.count >= at + type.width else { return nil }
      let field = bytes.dropFirst(at).prefix(type.width)
      return type.integer(field).map { Int($0) + plus }
    }
  }
}
