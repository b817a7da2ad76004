import Care
import StrictYAML
import Testing

@testable import Plans

@Suite struct KitTests {
  @Test func `a kit has devices as a plan has them`() throws {
    let devices = try PlanFile.kit(
      """
      devices:
        - {address: "A0:9E:1A:00:00:01", definition: scale, userIndex: 2}
        - {sensor: left-thigh, patient: anna}
      """, file: "kit.yaml")
    #expect(
      devices == [
        DeviceBinding(address: DeviceID("A0:9E:1A:00:00:01"), definition: "scale", userIndex: 2),
        DeviceBinding(address: DeviceID("left-thigh"), patient: "anna"),
      ])
  }

  @Test(arguments: [
    ("devices: 1", 1), ("timeZone: Europe/Berlin", 1),
    ("devices: []\npatients: []", 2),
    (
      "devices:\n  - {address: \"A0:9E:1A:00:00:01\", key: \"000102030405060708090A0B0C0D0E0F\"}",
      2
    ),
    ("devices:\n  - {address: \"A0:9E:1A:00:00:01\", userIndex: 1, consentCode: 123}", 2),
    ("devices:\n  - {sensor: a}\n  - {sensor: a}", 3),
  ])
  func `what is no kit is refused at its line`(text: String, line: Int) {
    let error = #expect(throws: YAMLError.self) { try PlanFile.kit(text, file: "kit.yaml") }
    #expect(error?.line == line)
  }
}
