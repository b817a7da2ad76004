import GATT
import TestSupport
import Testing

struct UserControlPointTests {
  typealias Request = UserControlPoint.Request
  typealias Response = UserControlPoint.Response

  @Test(
    arguments: [
      (.consent(userIndex: 1, consentCode: 2520), "0201d809"),
      (.registerNewUser(consentCode: 9999), "010f27"), (.deleteUserData, "03"),
      (.listAllUsers, "04"), (.deleteUser(userIndex: 0xFF), "05ff"),
    ] as [(Request, String)])
  func `requests as they are written`(request: Request, hex: String) throws {
    #expect(request.encoded == bytes(hex))
    #expect(try Request(bytes(hex)) == request)
  }

  @Test(
    arguments: [
      ("200201", Response(requestOpcode: 2, result: .success)),
      ("200205", Response(requestOpcode: 2, result: .userNotAuthorized)),
      ("20010103", Response(requestOpcode: 1, result: .success, parameter: [3])),
      ("200402", Response(requestOpcode: 4, result: .opcodeNotSupported)),
    ])
  func `responses as they are indicated`(hex: String, response: Response) throws {
    #expect(try Response(bytes(hex)) == response)
    #expect(response.encoded == bytes(hex))
  }

  @Test
  func `only a successful registration gives a user index`() {
    #expect(
      Response(requestOpcode: 1, result: .success, parameter: [3]).registeredUserIndex == 3)
    #expect(
      Response(requestOpcode: 1, result: .operationFailed, parameter: [3]).registeredUserIndex
        == nil)
    #expect(
      Response(requestOpcode: 4, result: .success, parameter: [3]).registeredUserIndex == nil)
    #expect(Response(requestOpcode: 1, result: .success).registeredUserIndex == nil)
  }

  @Test
  func `a response matches only the request whose opcode it repeats`() {
    let done = Response(requestOpcode: 2, result: .success)
    #expect(done.answers(.consent(userIndex: 1, consentCode: 0)))
    #expect(!done.answers(.listAllUsers))
  }

  @Test
  func `requests and responses have the same UUID`() {
    #expect(Request.uuid.short == 0x2A9F)
    #expect(Response.uuid.short == 0x2A9F)
  }

  @Test(
    arguments: [
      ("", .truncated(field: "opcode", needed: 1, available: 0)),
      ("01d8", .truncated(field: "consent code", needed: 2, available: 1)),
      ("02", .truncated(field: "user index", needed: 1, available: 0)),
      ("0201d8", .truncated(field: "consent code", needed: 2, available: 1)),
      ("05", .truncated(field: "user index", needed: 1, available: 0)),
      ("20", .unknownOpcode(0x20)),
    ] as [(String, GATTError)])
  func `a request that makes no sense is refused`(hex: String, error: GATTError) {
    #expect(throws: error) { try Request(bytes(hex)) }
  }

  @Test(
    arguments: [
      ("0201d809", .unknownOpcode(2)),
      ("20", .truncated(field: "request opcode", needed: 1, available: 0)),
      ("2002", .truncated(field: "response value", needed: 1, available: 0)),
      ("200200", .invalid(field: "response value", reason: "0 is not known")),
      ("200206", .invalid(field: "response value", reason: "6 is not known")),
    ] as [(String, GATTError)])
  func `a response that makes no sense is refused`(hex: String, error: GATTError) {
    #expect(throws: error) { try Response(bytes(hex)) }
  }
}
