import Radio
import RadioTestSupport
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ControllerSetupTests {
  /// A Read Controller Information answer with the settings `supported` and `current`.
  static func information(
    address: String = "010000DC1B00", supported: UInt32 = 0x0001_BEFF, current: UInt32
  ) throws -> ControllerInformation {
    var parameters = bytes(address) + [0x0A, 0xF1, 0x05]
    for value in [supported, current] {
      parameters += (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return try ControllerInformation(parameters + [UInt8](repeating: 0, count: 3 + 249 + 11))
  }

  @Test func `sets up a controller in its initial state`() throws {
    let setup = ControllerSetup(try Self.information(current: 0x80), keys: KeyRing())
    #expect(
      setup.steps.map(\.command) == [
        .setLowEnergy(true), .setSecureSimplePairing(true), .setSecureConnections(true),
        .setBondable(true), .setCapability(.noInputNoOutput), .loadIdentityKeys([]),
        .loadLongTermKeys([]), .setPowered(true), .removeMonitors, .listenWithoutPauses,
      ])
    #expect(
      setup.steps.filter(\.isOptional).map(\.command) == [
        .setSecureSimplePairing(true), .setSecureConnections(true), .removeMonitors,
        .listenWithoutPauses,
      ])
  }

  @Test func `changes no correct setting`() throws {
    let all: MgmtSettings = [
      .powered, .bondable, .secureSimplePairing, .lowEnergy, .secureConnections,
    ]
    let setup = ControllerSetup(try Self.information(current: all.rawValue), keys: KeyRing())
    #expect(
      setup.steps.map(\.command) == [
        .setCapability(.noInputNoOutput), .loadIdentityKeys([]), .loadLongTermKeys([]),
        .removeMonitors, .listenWithoutPauses,
      ])
  }

  @Test func `loads only the controllers own keys`() throws {
    let setup = ControllerSetup(
      try Self.information(address: "020000DC1B00", current: 0), keys: try SampleKeys.ring())
    let commands = setup.steps.map(\.command)
    #expect(commands.contains(.loadLongTermKeys([try SampleKeys.longTermKey(of: 2, value: 8)])))
    #expect(commands.contains(.loadIdentityKeys([])))
  }

  @Test func `accepts a controller without an address`() throws {
    let information = try Self.information(address: "000000000000", current: 0)
    #expect(information.address == nil)
    #expect(
      ControllerSetup(information, keys: try SampleKeys.ring()).steps
        .contains { $0.command == .loadLongTermKeys([]) })
  }
}
