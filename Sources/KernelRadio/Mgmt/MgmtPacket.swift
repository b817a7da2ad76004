import GATT

/// One packet of the kernel's management channel: a command that is sent, or an event that comes.
///
/// Six bytes of header, code, controller and length, each 16 bits and little endian, then the
/// parameters. Source: BlueZ doc/mgmt-api, "Packet Structures".
struct MgmtPacket: Hashable, Sendable {
  /// The controller number that means the whole machine (`MGMT_INDEX_NONE`).
  static let noController: UInt16 = 0xFFFF

  /// The longest packet that is read: an extended advertisement is 1650 bytes at most.
  static let maximumLength = 4096

  /// Which command or event.
  var code: UInt16
  /// Whose: 0 is `hci0`.
  var controller: UInt16
  /// What follows the header.
  var parameters: [UInt8]

  init(code: UInt16, controller: UInt16, parameters: [UInt8] = []) {
    self.code = code
    self.controller = controller
    self.parameters = parameters
  }

  /// Reads a packet as the socket gives it.
  ///
  /// - Throws: ``GATTError`` where it is cut, or its length is not the one it announces.
  init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    var reader = ByteReader(bytes)
    code = try reader.u16("code")
    controller = try reader.u16("controller")
    let length = Int(try reader.u16("length"))
    parameters = try reader.bytes(length, "parameters")
    try reader.finish()
  }

  /// The packet as the socket takes it; parameters that no packet can hold are cut.
  var encoded: [UInt8] {
    let body = parameters.prefix(Int(UInt16.max))
    var writer = ByteWriter()
    writer.u16(code)
    writer.u16(controller)
    writer.u16(UInt16(truncatingIfNeeded: body.count))
    writer.append(body)
    return writer.bytes
  }
}
