import CSystemd
import Foundation

/// Writes values into a message.
@safe struct BusWriter {
  private let message: OpaquePointer

  init(_ message: OpaquePointer) {
    unsafe self.message = message
  }

  /// Appends values, one argument each.
  ///
  /// - Throws: ``BusError/system(_:)`` where a value is none that the bus can carry: a path that is
  ///   no path, an array whose elements differ.
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
    // The bus carries no NUL: a C string would end there without a word.
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
