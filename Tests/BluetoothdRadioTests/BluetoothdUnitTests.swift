import Testing

@testable import BluetoothdRadio

@Suite struct BluetoothdUnitTests {
  static let vendor = "/usr/lib/systemd/system/bluetooth.service"
  static let local = "/etc/systemd/system/bluetooth.service"

  @Test(
    arguments: [
      ([:], false),
      ([vendor: .file], true),
      ([vendor: .link(to: "/lib/elsewhere.service")], true),
      ([vendor: .file, local: .link(to: "/dev/null")], false),
      ([vendor: .link(to: "/dev/null"), local: .file], true),
      (["/run/systemd/system/bluetooth.service": .link(to: "/dev/null"), vendor: .file], false),
    ] as [([String: BluetoothdUnit.Entry], Bool)])
  func `uses the folder with precedence`(entries: [String: BluetoothdUnit.Entry], isInstalled: Bool)
  {
    let unit = BluetoothdUnit { entries[$0] }
    #expect(unit.isInstalled == isInstalled)
    #expect(unit.isMasked == (!isInstalled && !entries.isEmpty))
  }
}
