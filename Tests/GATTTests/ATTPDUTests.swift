import TestSupport
import Testing

@testable import GATT

@Suite struct ATTPDUTests {
  static let weight = BluetoothUUID(0x2A9D)
  static let vendor = BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  /// Each kind as the specification lays it out (Vol 3 Part F §3.4).
  static let units: [(hex: String, pdu: ATTPDU)] = [
    (
      "01 12 1500 0F",
      .error(request: ATTOpcode(rawValue: 0x12), handle: 0x15, code: .insufficientEncryption)
    ),
    ("02 0502", .mtuRequest(517)), ("03 1700", .mtuResponse(23)),
    ("04 1300 1500", .findInformation(first: 0x13, last: 0x15)),
    (
      "05 01 1300 0229 1400 0129",
      .findInformationResponse([
        AttributeKind(handle: 0x13, uuid: BluetoothUUID(0x2902)),
        AttributeKind(handle: 0x14, uuid: BluetoothUUID(0x2901)),
      ])
    ),
    (
      "05 02 1300 FFEEDDCCBBAA99887766554433221100",
      .findInformationResponse([AttributeKind(handle: 0x13, uuid: vendor)])
    ),
    ("08 0100 FFFF 0328", .readByType(first: 1, last: 0xFFFF, type: BluetoothUUID(0x2803))),
    (
      "08 0100 FFFF FFEEDDCCBBAA99887766554433221100",
      .readByType(first: 1, last: 0xFFFF, type: vendor)
    ),
    ("09 07 1100 20 1200 9D2A", .readByTypeResponse([bytes("1100 20 1200 9D2A")])),
    ("0A 0300", .read(handle: 3)), ("0B 4142", .readResponse([0x41, 0x42])),
    ("0C 0300 1600", .readBlob(handle: 3, offset: 22)), ("0D", .readBlobResponse([])),
    ("10 0100 FFFF 0028", .readByGroupType(first: 1, last: 0xFFFF, type: BluetoothUUID(0x2800))),
    (
      "11 06 0100 0500 0018 1000 1500 1D18",
      .readByGroupTypeResponse([bytes("0100 0500 0018"), bytes("1000 1500 1D18")])
    ),
    ("12 1300 0200", .write(HandleValue(handle: 0x13, data: [2, 0]))), ("13", .writeResponse),
    ("52 1300 01", .writeCommand(HandleValue(handle: 0x13, data: [1]))),
    ("16 1300 1200 01", .prepareWrite(HandleValue(handle: 0x13, data: [1]), offset: 18)),
    ("17 1300 1200 01", .prepareWriteResponse(HandleValue(handle: 0x13, data: [1]), offset: 18)),
    ("18 00", .executeWrite(isCommitted: false)), ("18 01", .executeWrite(isCommitted: true)),
    ("19", .executeWriteResponse),
    ("1B 1200 0048", .notification(HandleValue(handle: 0x12, data: [0, 0x48]))),
    ("1D 1200", .indication(HandleValue(handle: 0x12, data: []))), ("1E", .confirmation),
    (
      "23 1200 0200 0048 2200 0000",
      .notifications([
        HandleValue(handle: 0x12, data: [0, 0x48]), HandleValue(handle: 0x22, data: []),
      ])
    ),
    ("0E 0300 0500", .other(ATTOpcode(rawValue: 0x0E), [3, 0, 5, 0])),
    ("FF", .other(ATTOpcode(rawValue: 0xFF), [])),
  ]

  @Test(arguments: units)
  func `is read and written`(hex: String, pdu: ATTPDU) throws {
    #expect(try ATTPDU(bytes(hex)) == pdu)
    #expect(pdu.bytes == bytes(hex))
  }

  @Test(
    arguments: [
      ("", .truncated(field: "opcode", needed: 1, available: 0)),
      ("01 12 1500", .truncated(field: "error code", needed: 1, available: 0)),
      ("03 17", .truncated(field: "server MTU", needed: 2, available: 1)),
      ("05 01 1300 02", .truncated(field: "attribute type", needed: 2, available: 1)),
      ("05 03 1300", .invalid(field: "format", reason: "it is 3, and 1 or 2 is possible")),
      (
        "08 0100 FFFF 032803",
        .invalid(field: "attribute type", reason: "it has 3 bytes, and a UUID has 2 or 16")
      ),
      ("09 00 1100", .invalid(field: "item length", reason: "it is zero")),
      ("09 07", .truncated(field: "item", needed: 7, available: 0)),
      ("05 01", .truncated(field: "attribute handle", needed: 2, available: 0)),
      ("09 07 1100 20", .truncated(field: "item", needed: 7, available: 3)),
      ("16 1300 12", .truncated(field: "value offset", needed: 2, available: 1)),
      ("1D 12", .truncated(field: "attribute handle", needed: 2, available: 1)),
      ("23 1200 0300 0048", .truncated(field: "attribute value", needed: 3, available: 2)),
    ] as [(String, GATTError)])
  func `refuses what is cut or cannot be`(hex: String, error: GATTError) {
    #expect(throws: error) { try ATTPDU(bytes(hex)) }
  }

  /// A PDU is decoded to the same value after encoding, even if a UUID becomes shorter.
  @Test(arguments: UInt64(1)...50) func `reads what it writes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<400 {
      let opcode = UInt8.random(in: 0...0x24, using: &generator)
      let length = Int.random(in: 0...40, using: &generator)
      guard let pdu = try? ATTPDU([opcode] + generator.bytes(length)) else { continue }
      #expect(try ATTPDU(pdu.bytes) == pdu)
    }
  }
}

// MARK: - Opcodes and error codes

@Suite struct ATTOpcodeTests {
  @Test(
    arguments: [
      (0x02, .request), (0x18, .request), (0x20, .request), (0x01, .response), (0x21, .response),
      (0x1B, .notification), (0x23, .notification), (0x1D, .indication), (0x1E, .confirmation),
      (0x52, .command), (0xD2, .command), (0x7F, .command), (0x00, .unknown), (0x3A, .unknown),
      (0xBF, .unknown),
    ] as [(UInt8, ATTOpcode.Kind)])
  func `has a kind`(code: UInt8, kind: ATTOpcode.Kind) {
    #expect(ATTOpcode(rawValue: code).kind == kind)
  }

  @Test(arguments: [0x02, 0x04, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18] as [UInt8])
  func `has the next opcode as response`(code: UInt8) {
    #expect(ATTOpcode(rawValue: code).response.kind == .response)
  }

  @Test func `error codes are described`() {
    #expect(
      ATTErrorCode.insufficientEncryption.description
        == "the device wants an encrypted link (error 0x0F)")
    #expect(
      ATTErrorCode(rawValue: 0x80).description
        == "a reason of the characteristic's own (error 0x80)"
    )
    #expect(
      ATTErrorCode(rawValue: 0x70).description == "the device gave no known reason (error 0x70)")
  }
}
