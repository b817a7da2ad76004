import CSystemd
import Foundation

/// Decodes a message.
///
/// A message may be hostile: the number of values is bounded, so that decoding costs no more than
/// the message's own size. The bus bounds the nesting depth.
@safe struct BusReader {
  /// How many values are read at most: some hundred devices with all their services.
  static let limit = 200_000

  private let message: OpaquePointer
  private var left: Int

  init(_ message: OpaquePointer, limit: Int = limit) {
    unsafe self.message = message
    left = limit
  }

  /// Reads the rest of the message, or of the entered container.
  mutating func values() throws(BusError) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try next() { values.append(value) }
    return values
  }

  private mutating func next() throws(BusError) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard try check(unsafe sd_bus_message_peek_type(message, &type, &contents)) > 0 else {
      return nil
    }
    left -= 1
    guard left >= 0 else { throw .oversized }
    let inside = unsafe contents.map { unsafe String(cString: $0) } ?? ""
    switch UInt8(truncatingIfNeeded: type) {
    case UInt8(ascii: "a") where inside == "y": return .bytes(try bytes())
    case UInt8(ascii: "a") where inside.hasPrefix("{"): return try dictionary(inside)
    case UInt8(ascii: "a"):
      return .array(of: inside, try container(type, inside))
    case UInt8(ascii: "v"):
      guard let value = try container(type, inside).first else { throw .system(EBADMSG) }
      return .variant(value)
    case UInt8(ascii: "r"): return .structure(try container(type, inside))
    default: return try basic(type)
    }
  }

  private mutating func container(
    _ type: CChar, _ contents: String
  ) throws(BusError) -> [BusValue] {
    try check(unsafe sd_bus_message_enter_container(message, type, contents))
    let values = try values()
    try check(unsafe sd_bus_message_exit_container(message))
    return values
  }

  private mutating func dictionary(_ contents: String) throws(BusError) -> BusValue {
    let entry = String(contents.dropFirst().dropLast())
    var entries: [BusValue: BusValue] = [:]
    try check(
      unsafe sd_bus_message_enter_container(message, CChar(UInt8(ascii: "a")), contents))
    while try check(
      unsafe sd_bus_message_enter_container(message, CChar(UInt8(ascii: "e")), entry)) > 0
    {
      let pair = try values()
      try check(unsafe sd_bus_message_exit_container(message))
      if let key = pair.first, pair.count == 2 { entries[key] = pair[1] }
    }
    try check(unsafe sd_bus_message_exit_container(message))
    return .dictionary(of: entry, entries)
  }

  private func bytes() throws(BusError) -> [UInt8] {
    var start: UnsafeRawPointer?
    var count = 0
    try check(
      unsafe sd_bus_message_read_array(message, CChar(UInt8(ascii: "y")), &start, &count))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  private func basic(_ type: CChar) throws(BusError) -> BusValue {
    switch UInt8(truncatingIfNeeded: type) {
    case UInt8(ascii: "y"): return .byte(try scalar(type, UInt8(0)))
    // A boolean is as wide as an int here (sd_bus_message_read_basic(3)).
    case UInt8(ascii: "b"): return .boolean(try scalar(type, CInt(0)) != 0)
    case UInt8(ascii: "n"): return .int16(try scalar(type, Int16(0)))
    case UInt8(ascii: "q"): return .uint16(try scalar(type, UInt16(0)))
    case UInt8(ascii: "i"): return .int32(try scalar(type, Int32(0)))
    case UInt8(ascii: "u"): return .uint32(try scalar(type, UInt32(0)))
    case UInt8(ascii: "x"): return .int64(try scalar(type, Int64(0)))
    case UInt8(ascii: "t"): return .uint64(try scalar(type, UInt64(0)))
    case UInt8(ascii: "d"): return .double(try scalar(type, Double(0)))
    case UInt8(ascii: "s"): return .string(try text(type))
    case UInt8(ascii: "o"): return .path(try text(type))
    case UInt8(ascii: "g"): return .signature(try text(type))
    case UInt8(ascii: "h"):
      // The message closes its own descriptor.
      guard let file = BusFile(copying: try scalar(type, CInt(-1))) else { throw .system(errno) }
      return .file(file)
    default: throw .system(EBADMSG)
    }
  }

  private func scalar<Scalar: BitwiseCopyable>(
    _ type: CChar, _ initial: Scalar
  ) throws(BusError) -> Scalar {
    var value = initial
    try check(unsafe sd_bus_message_read_basic(message, type, &value))
    return value
  }

  private func text(_ type: CChar) throws(BusError) -> String {
    var start: UnsafePointer<CChar>?
    try check(unsafe sd_bus_message_read_basic(message, type, &start))
    return unsafe start.map { unsafe String(cString: $0) } ?? ""
  }

  @discardableResult
  private func check(_ result: CInt) throws(BusError) -> CInt {
    guard result >= 0 else { throw .system(0 &- result) }
    return result
  }
}

/// Writes values into a message.
@safe struct BusWriter {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) {
    unsafe self.message = message
  }

  /// Appends values, one argument each.
  ///
  /// - Throws: ``BusError/system(_:)`` if the bus cannot carry a value: an invalid path, or an
  ///   array
  ///   with elements of different types.
  func append(_ values: some Sequence<BusValue>) throws(BusError) {
    for value in values { try append(value) }
  }

  private func append(_ value: BusValue) throws(BusError) {
    switch value {
    case .byte(let number): try scalar("y", number)
    case .boolean(let flag): try scalar("b", CInt(flag ? 1 : 0))
    case .int16(let number): try scalar("n", number)
    case .uint16(let number): try scalar("q", number)
    case .int32(let number): try scalar("i", number)
    case .uint32(let number): try scalar("u", number)
    case .int64(let number): try scalar("x", number)
    case .uint64(let number): try scalar("t", number)
    case .double(let number): try scalar("d", number)
    case .string(let text): try string("s", text)
    case .path(let text): try string("o", text)
    case .signature(let text): try string("g", text)
    case .file(let file): try scalar("h", file.descriptor)
    case .bytes(let bytes):
      try check(
        unsafe sd_bus_message_append_array(message, Self.type("y"), bytes, bytes.count))
    case .variant(let value): try container("v", value.signature, [value])
    case .array(let element, let elements): try container("a", element, elements)
    case .structure(let members):
      try container("r", members.map(\.signature).joined(), members)
    case .dictionary(let entry, let entries):
      try check(unsafe sd_bus_message_open_container(message, Self.type("a"), "{\(entry)}"))
      for (key, value) in entries { try container("e", entry, [key, value]) }
      try check(unsafe sd_bus_message_close_container(message))
    }
  }

  private func container(
    _ type: Unicode.Scalar, _ contents: String, _ values: [BusValue]
  ) throws(BusError) {
    try check(unsafe sd_bus_message_open_container(message, Self.type(type), contents))
    try append(values)
    try check(unsafe sd_bus_message_close_container(message))
  }

  private func scalar(
    _ type: Unicode.Scalar, _ value: some BitwiseCopyable
  ) throws(BusError) {
    var value = value
    try check(unsafe sd_bus_message_append_basic(message, Self.type(type), &value))
  }

  private func string(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
    // The bus carries no NUL: a C string would silently end there.
    guard !text.utf8.contains(0) else { throw .system(EINVAL) }
    try check(
      unsafe text.withCString { unsafe sd_bus_message_append_basic(message, Self.type(type), $0) })
  }

  private static func type(_ scalar: Unicode.Scalar) -> CChar {
    CChar(truncatingIfNeeded: scalar.value)
  }

  private func check(_ result: CInt) throws(BusError) {
    guard result >= 0 else { throw .system(0 &- result) }
  }
}
