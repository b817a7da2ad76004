import DeviceCatalog
import Foundation
import GATT
import Radio
import TestSupport
import Testing

struct DefinitionDraftTests {
  private static let address = DeviceAddress(rawValue: 0x5CCA_D370_D4A2)

  private func draft(_ events: [RadioEvent]) -> DefinitionDraft {
    var draft = DefinitionDraft(id: "my-scale", address: Self.address)
    for event in events { draft.add(event) }
    return draft
  }

  private func advertisement(
    _ hex: String, from address: DeviceAddress = address
  ) -> RadioEvent {
    .advertisement(
      Advertisement(address: address, addressType: .public, rssi: nil, data: bytes(hex)))
  }

  private func value(_ characteristic: UInt16, _ hex: String) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: Self.address, service: nil, characteristic: BluetoothUUID(characteristic),
        data: bytes(hex)))
  }

  @Test func `of a known profile is whole`() throws {
    let draft = draft([
      advertisement("07095343414c4531 03031d18"), value(0x2A9D, "00803e"), value(0x2A9D, "00903e"),
      value(0x2A9D, "00803e"),
    ])
    let file = DefinitionFile(name: "my-scale.yaml", text: draft.text)
    let catalog = try DeviceCatalog.load([[file]])
    let definition = try #require(catalog.definition("my-scale"))
    #expect(definition.name == "SCALE1")
    #expect(definition.link.mode == .connect)
    let results = catalog.runVectors()
    #expect(results.count == 2)
    #expect(results.filter { !$0.isPassed } == [])
    #expect(draft.text.contains("codec: weight-measurement"))
    #expect(draft.text.contains("- {quantity: bodyMass, value: 80}"))
    // The facts that only a person knows are left.
    let findings = DeviceCatalog.lint([[file]]).map(\.reason)
    #expect(findings.allSatisfy { $0.contains("is still to be written") } && !findings.isEmpty)
  }

  @Test func `of an unknown format has its bytes`() throws {
    let draft = draft([
      advertisement("0809 51 4e2d5363616c65"), value(0xFFF1, "cf0102"), value(0xFFF1, "cf0304"),
      value(0xFFF1, "a5"),
    ])
    let file = DefinitionFile(name: "my-scale.yaml", text: draft.text)
    let catalog = try DeviceCatalog.load([[file]])
    #expect(catalog.runVectors().filter { !$0.isPassed } == [])
    #expect(draft.text.contains("- {name: byte0, type: u8}     # cf in every frame"))
    #expect(draft.text.contains("- {name: byte2, type: u8}     # 02 04"))
  }

  @Test func `of a broadcast never connects`() throws {
    let draft = draft([
      advertisement("0716 0d18 01020304"),
      advertisement("0716 0d18 01020305", from: .init(rawValue: 1)),
    ])
    let definition = try #require(
      try DeviceCatalog.load([[DefinitionFile(name: "x.yaml", text: draft.text)]]).definitions.first
    )
    #expect(definition.link.mode == .advertisement)
    #expect(definition.vectors.count == 1)
  }

  /// A name is any bytes; what it becomes is always YAML.
  @Test(arguments: Rounds.seeds(100))
  func `of any bytes can be loaded`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let name = random.bytes(Int.random(in: 1...20, using: &random))
    let data = [UInt8(name.count + 1), 0x09] + name
    var draft = DefinitionDraft(id: "any", address: Self.address)
    draft.add(
      .advertisement(
        Advertisement(address: Self.address, addressType: .public, rssi: nil, data: data)))
    for _ in 0..<20 {
      draft.add(
        .value(
          CharacteristicValue(
            address: Self.address, service: nil,
            characteristic: BluetoothUUID(UInt16.random(in: 0...UInt16.max, using: &random)),
            data: random.bytes(Int.random(in: 0...40, using: &random)))))
    }
    let file = DefinitionFile(name: "any.yaml", text: draft.text)
    #expect(throws: Never.self) { try DeviceCatalog.load([[file]]) }
  }
}
