import SystemBus
import Testing

@testable import BluetoothdRadio

@Suite struct PairingsTests {
  static func message(
    _ member: String, _ arguments: [BusValue] = [], interface: String = BlueZInterface.agent
  ) -> BusMessage {
    BusMessage(
      kind: .call(1), sender: ":1.1", path: "/agent", interface: interface, member: member,
      arguments: arguments)
  }

  @Test(arguments: [
    ("RequestPasskey", [BusValue.path("/d")], AgentRequest.passkey(device: "/d")),
    (
      "DisplayPasskey", [.path("/d"), .uint32(7), .uint16(0)],
      .display(device: "/d", passkey: 7)
    ),
    ("RequestConfirmation", [.path("/d"), .uint32(9)], .confirmation(device: "/d", passkey: 9)),
    ("RequestAuthorization", [.path("/d")], .authorization(device: "/d")),
    ("AuthorizeService", [.path("/d"), .string("181d")], .authorization(device: "/d")),
    ("Cancel", [], .cancel),
    ("Release", [], .release),
  ])
  func reads(member: String, arguments: [BusValue], request: AgentRequest) {
    #expect(AgentRequest(Self.message(member, arguments)) == request)
  }

  @Test(arguments: [
    ("RequestPinCode", [BusValue.path("/d")]), ("RequestPasskey", []),
    ("DisplayPasskey", [.path("/d")]), ("RequestConfirmation", [.path("/d"), .string("9")]),
    ("RequestConfirmation", [.path("/d"), .int32(-1)]), ("Unknown", [.path("/d")]),
  ])
  func refuses(member: String, arguments: [BusValue]) {
    #expect(AgentRequest(Self.message(member, arguments)) == nil)
  }

  @Test func `refuses other interfaces`() {
    #expect(AgentRequest(Self.message("Cancel", interface: "org.other")) == nil)
  }
}
