import GATT
import StrictYAML

/// A write that answers every frame that fits, after its values are stored.
struct AnswerRule: Hashable, Sendable {
  /// The characteristic that sends the frame.
  var characteristic: BluetoothUUID
  /// The beginning of the frame.
  var bytes: BytePattern
  /// Its length; `nil` for any.
  var length: Int?
  /// The characteristic to which the answer is written.
  var target: BluetoothUUID
  var payload: SessionStep.Payload
  var withResponse: Bool
  var origin: YAMLLocation

  /// Whether a frame of `record` can be answered.
  func mayAnswer(_ record: RecordRule) -> Bool {
    record.source == .characteristic(characteristic)
      && (length == nil || record.length == nil || length == record.length)
      && record.bytes?.isCompatible(with: bytes) ?? true
  }

  /// Whether `frame` of `source` is answered.
  func answers(_ frame: [UInt8], of source: BluetoothUUID) -> Bool {
    source == characteristic && bytes.matches(frame) && (length ?? frame.count) == frame.count
  }
}

extension AnswerRule {
  /// The rules of an answer, one for each pair of the characteristics of which a device has one.
  static func rules(_ node: YAMLNode) throws(YAMLError) -> [AnswerRule] {
    var rule = try node.mapping()
    var frame = try rule.required("to").mapping()
    let characteristics = try frame.required("characteristic").uuids()
    let bytes = try frame.required("bytes").pattern()
    let length = try frame.optional("length")?.integer(in: 1...512)
    try frame.finish()
    var write = try rule.required("write").mapping()
    let targets = try write.required("characteristic").uuids()
    let payload = try SessionStep.Payload(&write)
    let withResponse = try write.optional("response")?.boolean() ?? true
    try write.finish()
    try rule.finish()
    return characteristics.flatMap { characteristic in
      targets.map { target in
        AnswerRule(
          characteristic: characteristic, bytes: bytes, length: length, target: target,
          payload: payload, withResponse: withResponse, origin: node.location)
      }
    }
  }
}
