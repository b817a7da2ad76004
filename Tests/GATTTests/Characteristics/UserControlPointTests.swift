import GATT
import TestSupport
import Testing

@Suite("UserControlPoint")
struct UserControlPointTests {
  typealias Request = UserControlPoint.Request
  typealias Response = UserControlPoint.Response

  @Test(
    "Requests as they are written",
    arguments: [
      (.consent(userIndex: 1, consentCode: 2520), "0201d809"),
      (.registerNewUser(consentCode: 9999), "010f27"), (.deleteUserData, "03"),
      (.listAllUsers, "04"), (.deleteUser(userIndex: 0xFF), "05ff"),
    ] as [(Request, String)])
  func requests(request: Request, hex: String) throws {
    #expect(request.encoded == bytes(hex))
    #expect(try Request(bytes(hex)) == request)
  }

  @Test(
    "Responses as they are indicated",
    arguments: [
      ("200201", Response(requestOpcode: 2, result: .success)),
      ("200205", Response(requestOpcode: 2, result: .userNotAuthorized)),
      ("20010103", Response(requestOpcode: 1, result: .success, parameter: [3])),
      ("200402", Response(requestOpcode: 4, result: .opcodeNotSupported)),
    ])
  func responses(hex: String, response: Response) throws {
    #expect(try Response(bytes(hex)) == response)
    #expect(response.encoded == bytes(hex))
  }

  @Test("Only a successful registration gives a user index")
  func registeredUser() {
    #expect(
      Response(requestOpcode: 1, result: .success, parameter: [3]).registeredUserIndex == 3)
    #expect(
      Response(requestOpcode: 1, result: .operationFailed, parameter: [3]).registeredUserIndex
        == nil)
    #expect(
      Response(requestOpcode: 4, result: .success, parameter: [3]).registeredUserIndex == nil)
    #expect(Response(requestOpcode: 1, result: .success).registeredUserIndex == nil)
  }

  @Test("A response matches only the request whose opcode it repeats")
  func matching() {
    let done = Response(requestOpcode: 2, result: .success)
    #expect(done.answers(.consent(userIndex: 1, consentCode: 0)))
    #expect(!done.answers(.listAllUsers))
  }

  @Test("Requests and responses have the same UUID")
  func uuids() {
    #expect(Request.uuid.short == 0x2A9F)
    #expect(Response.uuid.short == 0x2A9F)
  }

  @Test(
    "A request that makes no sense is refused",
    arguments: [
      ("", .truncated(field: "opcode", needed: 1, available: 0)),
      ("01d8", .truncated(field: "consent code", needed: 2, available: 1)),
      ("02", .truncated(field: "user index", needed: 1, available: 0)),
      ("0201d8", .truncated(field: "consent code", needed: 2, available: 1)),
      ("05", .truncated(field: "user index", needed: 1, available: 0)),
      ("20", .unknownOpcode(0x20)), ("0400", .trailing(count: 1)),
    ] as [(String, GATTError)])
  func refusedRequests(hex: String, error: GATTError) {
    #expect(throws: error) { try Request(bytes(hex)) }
  }

  @Test(
    "A response that makes no sense is refused",
    arguments: [
      ("0201d809", .unknownOpcode(2)),
      ("20", .truncated(field: "request opcode", needed: 1, available: 0)),
      ("2002", .truncated(field: "response value", needed: 1, available: 0)),
      ("200200", .invalid(field: "response value", reason: "0 is not known")),
      ("200206", .invalid(field: "response value", reason: "6 is not known")),
    ] as [(String, GATTError)])
  func refusedResponses(hex: String, error: GATTError) {
    #expect(throws: error) { try Response(bytes(hex)) }
  }
}
