import Foundation
import TestSupport
import Testing

@testable import DeviceCatalog

struct WriteTemplateTests {
  private func template(_ parts: String, mask: String? = nil) throws -> SessionStep.Payload {
    let mask = mask.map { ", mask: \($0)" } ?? ""
    let definition = try SampleDefinition.definition(
      "    - subscribe: \"2A9D\"",
      """
          - subscribe: "2A9D"
          - write: {characteristic: "2A9D", data: [\(parts)]\(mask)}
      """)
    guard case .write(_, let payload, _) = definition.session.start.last else {
      throw DecodeError.unknownDefinition("sample")
    }
    return payload
  }

  /// Parts, the frame that is answered, and the bytes at 2026-11-20T07:09:58 in Berlin.
  static let writes: [(parts: String, frame: String?, bytes: String?)] = [
    // QN: the clock, with the vendor byte of the scale.
    (
      "{hex: 20 08}, {copy: {at: 2}}, {time: since2000, zone: local, type: u32le}, {checksum: {kind: sum}}",
      "1209ff", "2008ff c6ae9232 5f"
    ),
    // Yunmai: the exclusive or leaves out the first byte.
    (
      "{hex: 0d 0d 11}, {time: since1970, type: u32be}, {hex: 0000000000}, {checksum: {kind: xor, first: 1}}",
      nil, "0d0d11 6affe436 0000000000 5b"
    ),
    ("{hex: f1}, {time: year, type: u16be}, {time: month, type: u8}", nil, "f1 07ea 0b"),
    ("{hex: 02 d4}, {checksum: {kind: xor, first: 1}}, {hex: aa}", nil, "02d4 d4 aa"),
    ("{hex: a5 22}, {checksum: {kind: sum, total: 0xFF}}, {hex: \"01\"}", nil, "a522 37 01"),
    ("{hex: f1}, {copy: {at: 1, count: 3}}", "e7590301", "f1 590301"),
    ("{hex: f1}, {copy: {at: 1, count: 3}}", "e759", nil),
    ("{hex: f1}, {copy: {at: 1, count: 3, otherwise: 000102}}", nil, "f1 000102"),
  ]

  @Test(arguments: writes.indices)
  func `is put together`(index: Int) throws {
    let (parts, frame, wanted) = Self.writes[index]
    let context = WriteContext(
      address: DefinitionVector.syntheticAddress, time: TimePartTests.instant,
      timeZone: TimePartTests.berlin, frame: frame.map { bytes($0) })
    #expect(try template(parts).bytes(context) == wanted.map { bytes($0) })
  }

  /// The address C0:FF:EE:00:00:01 over and over, from the third byte on; and one byte.
  @Test(arguments: [
    ("{from: 2, address: forward}", "1004 88feee0100fe"),
    ("{from: 2, address: reversed}", "1004 490100efff3f"),
    ("{from: 0, byte: 0xFF}", "effb b7fefffeff00"),
  ])
  func `is masked at last`(mask: String, hidden: String) throws {
    let payload = try template("{hex: 10 04 48 01 00 01}, {hex: 00 ff}", mask: mask)
    let context = WriteContext(
      address: DefinitionVector.syntheticAddress, time: TimePartTests.instant,
      timeZone: TimePartTests.berlin)
    #expect(payload.bytes(context) == bytes(hidden))
  }

  /// Parts, and the reason for which they are refused.
  static let refusals: [(parts: String, reason: String)] = [
    ("", "a write needs a part"),
    (
      "{hex: \"00\", copy: {at: 0}}",
      "a part is one of ‘hex’, ‘time’, ‘copy’, ‘password’, ‘checksum’"
    ),
    ("{time: age, type: u32le}", "‘age’ is only read"),
    ("{time: year, type: sfloat}", "a time is written as an integer, ‘sfloat’ is none"),
    ("{checksum: {kind: xor}}", "the checksum covers bytes that the write does not have"),
    ("{hex: \"00\"}, {checksum: {kind: xor, at: 0}}", "unknown key ‘at’"),
    ("{copy: {at: 0, count: 2, otherwise: \"00\"}}", "‘otherwise’ has 1 bytes instead of 2"),
  ]

  @Test(arguments: refusals.indices)
  func `is refused`(index: Int) {
    let (parts, reason) = Self.refusals[index]
    let file = SampleDefinition.file(
      "    - subscribe: \"2A9D\"",
      """
          - subscribe: "2A9D"
          - write: {characteristic: "2A9D", data: [\(parts)]}
      """)
    let reasons = DeviceCatalog.lint([[file]]).map(\.reason)
    #expect(reasons.count == 1)
    #expect(reasons.allSatisfy { $0.hasPrefix(reason) })
  }
}
