package import Radio

/// A controller as the kernel lists it.
package struct AttachedController: Hashable, Sendable {
  /// The kernel's name: `hci0`.
  package var name: String
  /// How it is attached: `usb`, `uart`, `virtual`, or the name of another bus.
  package var bus: String?
  /// The rfkill switch that blocks it, if any.
  package var block: Controller.Block?

  package init(name: String, bus: String? = nil, block: Controller.Block? = nil) {
    self.name = name
    self.bus = bus
    self.block = block
  }

  /// The controllers among devices, by name, with their rfkill switches.
  ///
  /// A switch belongs to the controller that is its parent, or whose name it has. Any other switch
  /// (a laptop's switch for all its Bluetooth) belongs to all controllers.
  static func all(among devices: [SystemDevice]) -> [AttachedController] {
    let hosts = devices.filter { $0.subsystem == "bluetooth" && isHost($0) }
    let switches = devices.filter {
      $0.subsystem == "rfkill" && $0.attributes["type"] == "bluetooth"
    }
    return hosts.map { host in
      let own = switches.filter { item in
        let owner = hosts.first { item.path.hasPrefix($0.path + "/") }
        let name = owner?.name ?? item.attributes["name"]
        return name == host.name || !hosts.contains { $0.name == name }
      }
      return AttachedController(
        name: host.name, bus: bus(of: host), block: own.compactMap(block).max())
    }.sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
  }

  /// Whether it is a controller: kernels before 6.x report no kind; links are named `hci0:1`.
  private static func isHost(_ device: SystemDevice) -> Bool {
    device.kind.map { $0 == "host" } ?? !device.name.contains(":")
  }

  private static func bus(of host: SystemDevice) -> String? {
    if host.path.hasPrefix("/devices/virtual/") { return "virtual" }
    guard let nearest = host.ancestors.first else { return nil }
    return ["tty", "serial", "serial-base", "serdev"].contains(nearest) ? "uart" : nearest
  }

  private static func block(of item: SystemDevice) -> Controller.Block? {
    if item.attributes["hard"] == "1" { return .hard }
    return item.attributes["soft"] == "1" ? .soft : nil
  }
}

extension Controller.Block: Comparable {
  /// A hardware switch takes precedence over a software one: it has to be released first.
  package static func < (a: Controller.Block, b: Controller.Block) -> Bool {
    a == .soft && b == .hard
  }
}
