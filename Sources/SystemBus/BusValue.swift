import Foundation

/// A value of the bus's own types (D-Bus Specification, "Type System").
package enum BusValue: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case path(String)
  case signature(String)
  /// An open file that is passed along.
  case file(BusFile)
  /// An array of bytes, the type of characteristics' values.
  case bytes([UInt8])
  indirect case variant(BusValue)
  /// An array, with the signature of its elements.
  case array(of: String, [BusValue])
  /// A dictionary, with the signatures of its keys and values: `sv`.
  case dictionary(of: String, [BusValue: BusValue])
  case structure([BusValue])

  /// The value's type as the bus spells it: `a{sv}`.
  package var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .path: "o"
    case .signature: "g"
    case .file: "h"
    case .bytes: "ay"
    case .variant: "v"
    case .array(let element, _): "a" + element
    case .dictionary(let entry, _): "a{" + entry + "}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    }
  }
}

// The value as one type; `nil` if it has another one. A variant stands for its content.
extension BusValue {
  /// A variant's content, however deeply nested; otherwise the value itself.
  package var content: BusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// A string's or an object path's text.
  package var text: String? {
    switch content {
    case .string(let text), .path(let text), .signature(let text): text
    default: nil
    }
  }

  /// A boolean's truth.
  package var flag: Bool? {
    guard case .boolean(let flag) = content else { return nil }
    return flag
  }

  /// A whole number of any width, if it fits.
  package var number: Int? {
    switch content {
    case .byte(let number): Int(number)
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(exactly: number)
    case .uint64(let number): Int(exactly: number)
    default: nil
    }
  }

  /// An array's bytes.
  package var data: [UInt8]? {
    guard case .bytes(let bytes) = content else { return nil }
    return bytes
  }

  /// An open file.
  package var openFile: BusFile? {
    guard case .file(let file) = content else { return nil }
    return file
  }

  /// The texts of an array, without other elements.
  package var texts: [String]? {
    guard case .array(_, let elements) = content else { return nil }
    return elements.compactMap(\.text)
  }

  /// A dictionary's entries.
  package var entries: [BusValue: BusValue]? {
    guard case .dictionary(_, let entries) = content else { return nil }
    return entries
  }

  /// A dictionary's entries by text key, without other keys, and without the variants around their
  /// values.
  package var properties: [String: BusValue]? {
    entries.map { entries in
      Dictionary(
        entries.compactMap { key, value in key.text.map { ($0, value.content) } },
        uniquingKeysWith: { first, _ in first })
    }
  }

  /// A dictionary of properties in the bus's usual form: `a{sv}`.
  package static func properties(_ properties: [String: BusValue]) -> BusValue {
    .dictionary(
      of: "sv",
      Dictionary(
        uniqueKeysWithValues: properties.map { (.string($0.key), .variant($0.value)) }))
  }
}

extension BusValue {
  /// Whether a value has fewer than `limit` parts, counting its bytes.
  package func isSmaller(than limit: Int) -> Bool { remaining(of: limit) > 0 }

  /// The remainder of a budget after the value's size is subtracted.
  private func remaining(of budget: Int) -> Int {
    guard budget > 0 else { return 0 }
    switch self {
    case .string(let text), .path(let text), .signature(let text):
      return budget - text.utf8.count - 1
    case .bytes(let bytes): return budget - bytes.count - 1
    case .variant(let value): return value.remaining(of: budget - 1)
    case .array(_, let values), .structure(let values):
      return values.reduce(budget - 1) { $1.remaining(of: $0) }
    case .dictionary(_, let entries):
      return entries.reduce(budget - 1) { $1.value.remaining(of: $1.key.remaining(of: $0)) }
    default: return budget - 1
    }
  }
}

/// An open file that was received over the bus; it closes with its last owner.
package final class BusFile: Sendable {
  /// The descriptor, open as long as this object lives.
  package let descriptor: CInt

  /// Takes ownership of an open descriptor.
  package init(owning descriptor: CInt) {
    self.descriptor = descriptor
  }

  /// Duplicates a descriptor that its owner closes.
  package init?(copying descriptor: CInt) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    self.descriptor = copy
  }

  deinit { close(descriptor) }
}

extension BusFile: Hashable {
  package static func == (a: BusFile, b: BusFile) -> Bool { a === b }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
