import Radio
import SystemBus
import Testing

@testable import Controllers

@Suite struct AttachedControllerTests {
  static let usb = "/devices/pci0000:00/0000:00:14.0/usb1/1-8/1-8:1.0/bluetooth/hci0"
  static let serial = "/devices/platform/soc/fe201000.serial/serial0/serial0-0/bluetooth/hci1"
  static let virtual = "/devices/virtual/bluetooth/hci2"

  static func host(
    _ path: String, _ name: String, kind: String? = "host", ancestors: [String] = []
  ) -> SystemDevice {
    SystemDevice(
      path: path, subsystem: "bluetooth", kind: kind, name: name, ancestors: ancestors)
  }

  static func block(
    _ path: String, type: String = "bluetooth", name: String? = nil, soft: String = "0",
    hard: String = "0"
  ) -> SystemDevice {
    var attributes = ["type": type, "soft": soft, "hard": hard]
    attributes["name"] = name
    return SystemDevice(path: path, subsystem: "rfkill", name: "rfkill0", attributes: attributes)
  }

  @Test func `reports how controllers are attached`() {
    let devices = [
      Self.host(Self.virtual, "hci2"),
      Self.host(Self.serial, "hci1", ancestors: ["serial", "serial", "platform"]),
      Self.host(Self.usb, "hci0", ancestors: ["usb", "usb", "usb", "pci"]),
      Self.host("/devices/platform/odd/bluetooth/hci10", "hci10", ancestors: ["sdio"]),
      Self.host("/devices/odd/bluetooth/hci3", "hci3"),
    ]
    #expect(
      AttachedController.all(among: devices) == [
        AttachedController(name: "hci0", bus: "usb"),
        AttachedController(name: "hci1", bus: "uart"),
        AttachedController(name: "hci2", bus: "virtual"),
        AttachedController(name: "hci3"),
        AttachedController(name: "hci10", bus: "sdio"),
      ])
  }

  @Test func `skips connections`() {
    let devices = [
      Self.host(Self.virtual, "hci2"),
      Self.host(Self.virtual + "/hci2:1", "hci2:1", kind: "link"),
      Self.host(Self.virtual + "/hci2:2", "hci2:2", kind: nil),
    ]
    #expect(AttachedController.all(among: devices).map(\.name) == ["hci2"])
  }

  @Test(arguments: [
    ("0", "0", Controller.Block?.none), ("1", "0", .soft), ("0", "1", .hard), ("1", "1", .hard),
  ])
  func `reads the switch of a controller`(soft: String, hard: String, block: Controller.Block?) {
    let devices = [
      Self.host(Self.usb, "hci0"), Self.host(Self.virtual, "hci2"),
      Self.block(Self.usb + "/rfkill3", name: "hci0", soft: soft, hard: hard),
    ]
    #expect(AttachedController.all(among: devices).map(\.block) == [block, nil])
  }

  @Test func `applies a laptops switch to all and the strictest of several`() {
    let devices = [
      Self.host(Self.usb, "hci0"), Self.host(Self.virtual, "hci2"),
      Self.block("/devices/platform/thinkpad/rfkill/rfkill0", name: "tpacpi", soft: "1"),
      Self.block(Self.usb + "/rfkill3", name: "hci0", hard: "1"),
    ]
    #expect(AttachedController.all(among: devices).map(\.block) == [.hard, .soft])
  }

  @Test func `skips switches of other radios`() {
    let devices = [
      Self.host(Self.usb, "hci0"),
      Self.block("/devices/pci0000:00/wlan/rfkill1", type: "wlan", name: "phy0", hard: "1"),
    ]
    #expect(AttachedController.all(among: devices).map(\.block) == [nil])
  }

  @Test func `is empty without controllers`() {
    #expect(AttachedController.all(among: []).isEmpty)
    #expect(AttachedController.all(among: [Self.block("/devices/rfkill0")]).isEmpty)
  }
}

@Suite struct ControllerDirectoryTests {
  /// Two listings of this machine's controllers are equal.
  @Test func `lists the controllers of this machine`() async throws {
    let loop = try EventLoop(name: "test")
    let directory = try ControllerDirectory(loop: loop)
    let controllers = await directory.controllers()
    let (reports, continuation) = AsyncStream<[AttachedController]>.makeStream()
    await directory.watch { continuation.yield($0) }
    #expect(await reports.first { _ in true } == controllers)
    await directory.stop()
    loop.stop()
  }
}
