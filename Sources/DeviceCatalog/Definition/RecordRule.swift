import GATT
import StrictYAML

/// How the frames of one source become values.
struct RecordRule: Sendable {
  var source: RecordSource
  /// How every frame of this kind begins; frames that do not are another rule's.
  var bytes: BytePattern?
  /// The exact length, where it is fixed.
  var length: Int?
  var content: Content
  /// The field that holds the user's slot.
  var userField: String?
  /// Whether values come again and again, so that arrival and not the bytes tells them apart.
  var isStreamed = false
  /// The nominal rate of a motion stream in thousandths of a sample a second.
  var milliHertz: Int?
  /// Whether one value may hold several frames of that length, one behind the other.
  var isJoined = false
  var commit: CommitRule?
  var origin: YAMLLocation

  /// What is in a frame.
  enum Content: Sendable {
    /// What the definition says: fields, and motion behind them.
    case fields([FieldRule], motion: MotionRule?)
    /// What only code can read.
    case codec(CodecName)
    /// Nothing that is measured: an answer that the session's steps look at.
    case nothing
  }

  /// Whether `value` begins as the rule's frames do.
  func begins(_ value: [UInt8]) -> Bool { bytes?.matches(value) ?? true }

  /// Whether `value` begins as the rule's frames do, and is as long.
  func fits(_ value: [UInt8]) -> Bool {
    guard begins(value) else { return false }
    guard let length else { return true }
    return value.count == length
      || isJoined && !value.isEmpty && value.count.isMultiple(of: length)
  }
}

/// Where frames come from.
enum RecordSource: Hashable, Sendable, CustomStringConvertible {
  case characteristic(BluetoothUUID)
  case serviceData(BluetoothUUID)
  case manufacturerData(UInt16)

  var description: String {
    switch self {
    case .characteristic(let uuid): "characteristic \(uuid)"
    case .serviceData(let uuid): "service data \(uuid)"
    case .manufacturerData(let company): "manufacturer data 0x" + String(company, radix: 16)
    }
  }
}
