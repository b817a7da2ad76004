import GATT
import Radio
import StrictYAML

/// A write that answers every frame that fits, after its values are stored.
struct AnswerRule: Hashable, Sendable {
  /// The characteristic that sends the frame.
  var characteristic: BluetoothUUID
  /// The beginning of the frame.
  var bytes: BytePattern
  /// Its length; `nil` for any.
  var length: Int?
  /// The mask over the frame, which is removed before it is compared and copied.
  var unmask: UnmaskRule?
  /// The state in which the frame is answered; `nil` for every one.
  var state: PairingState?
  /// The characteristic to which the answer is written.
  var target: BluetoothUUID
  var payload: SessionStep.Payload
  var withResponse: Bool
  /// Whether the device deletes by it what it has stored.
  ///
  /// It is then not written on a link on which a frame was refused: what was not read must stay.
  var deletes: Bool
  var origin: YAMLLocation

  /// Whether a frame of `record` can be answered.
  func mayAnswer(_ record: RecordRule) -> Bool {
    record.source == .characteristic(characteristic)
      && (length == nil || record.length == nil || length == record.length)
      && (unmask != nil || record.bytes?.isCompatible(with: bytes) ?? true)
  }

  /// The frame without its mask if `frame` of `source` is answered, otherwise `nil`.
  func answered(
    _ frame: [UInt8], of source: BluetoothUUID, from device: DeviceAddress, in state: PairingState?
  ) -> [UInt8]? {
    guard source == characteristic, (length ?? frame.count) == frame.count,
      self.state == nil || self.state == state
    else { return nil }
    let frame = unmask?.unmasked(frame, of: device) ?? frame
    return bytes.matches(frame) ? frame : nil
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
    let unmask = try frame.optional("unmask").map(UnmaskRule.init(_:))
    let state: PairingState? = try frame.optional("state")?.choice()
    try frame.finish()
    var write = try rule.required("write").mapping()
    let targets = try write.required("characteristic").uuids()
    let payload = try SessionStep.Payload(&write)
    let withResponse = try write.optional("response")?.boolean() ?? true
    try write.finish()
    let deletes = try rule.optional("deletes")?.boolean() ?? false
    try rule.finish()
    return characteristics.flatMap { characteristic in
      targets.map { target in
        AnswerRule(
          characteristic: characteristic, bytes: bytes, length: length, unmask: unmask,
          state: state, target: target, payload: payload, withResponse: withResponse,
          deletes: deletes, origin: node.location)
      }
    }
  }
}
