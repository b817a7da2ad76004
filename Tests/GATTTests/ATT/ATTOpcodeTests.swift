import Testing

@testable import GATT

@Suite struct ATTOpcodeTests {
  @Test(
    arguments: [
      (0x02, .request), (0x18, .request), (0x20, .request), (0x01, .response), (0x21, .response),
      (0x1B, .notification), (0x23, .notification), (0x1D, .indication), (0x1E, .confirmation),
      (0x52, .command), (0xD2, .command), (0x7F, .command), (0x00, .unknown), (0x3A, .unknown),
      (0xBF, .unknown),
    ] as [(UInt8, ATTOpcode.Kind)])
  func knowsItsPart(code: UInt8, kind: ATTOpcode.Kind) {
    #expect(ATTOpcode(rawValue: code).kind == kind)
  }

  @Test(arguments: [0x02, 0x04, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18] as [UInt8])
  func isAnsweredByTheNext(code: UInt8) {
    #expect(ATTOpcode(rawValue: code).response.kind == .response)
  }

  @Test func isNamedForPeople() {
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
