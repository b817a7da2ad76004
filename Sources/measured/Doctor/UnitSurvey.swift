import SystemBus

/// What systemd says of the unit `measured.service`.
struct UnitSurvey: Hashable {
  /// `active`, `inactive`, `failed`, `activating`, `deactivating`.
  var activeState: String
  /// `running`, `dead`, `auto-restart`.
  var subState: String
  /// How it ended last: `success`, `exit-code`, `watchdog`.
  var result: String
  /// How often systemd has started it again by itself.
  var restarts: Int
  /// What the service says of itself: `listening`.
  var status = ""
  /// Whether it may manage controllers (CAP_NET_ADMIN), as by the drop-in for kernel mode.
  var mayManage = false

  /// Whether the service measures nothing, since it cannot use its store.
  var isWaitingForStore: Bool { status.contains(DaemonStatus.waitingForStore) }

  private static let systemd = "org.freedesktop.systemd1"

  /// Asks systemd.
  ///
  /// - Returns: `nil` without systemd or without the unit.
  static func ask(
    _ unit: String = "measured.service", on loop: EventLoop, bus address: BusAddress = .system
  ) async -> UnitSurvey? {
    guard let bus = try? BusConnection(loop: loop, address: address, report: { _ in }) else {
      return nil
    }
    await bus.start()
    let survey = await ask(unit, bus)
    await bus.close()
    return survey
  }

  private static func ask(_ unit: String, _ bus: BusConnection) async -> UnitSurvey? {
    func call(
      _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
    ) async -> BusValue? {
      try? await bus.call(
        BusCall(
          destination: systemd, path: path, interface: interface, member: member,
          arguments: arguments), timeout: .seconds(5)
      ).first
    }
    guard
      let path = await call(
        "/org/freedesktop/systemd1", systemd + ".Manager", "LoadUnit", [.string(unit)])?.text
    else { return nil }
    func properties(_ interface: String) async -> [String: BusValue] {
      await call(
        path, "org.freedesktop.DBus.Properties", "GetAll", [.string(systemd + "." + interface)])?
        .properties ?? [:]
    }
    let states = await properties("Unit")
    guard states["LoadState"]?.text == "loaded" else { return nil }
    let own = await properties("Service")
    return UnitSurvey(
      activeState: states["ActiveState"]?.text ?? "", subState: states["SubState"]?.text ?? "",
      result: own["Result"]?.text ?? "", restarts: own["NRestarts"]?.count ?? 0,
      status: own["StatusText"]?.text ?? "",
      mayManage: own["AmbientCapabilities"]?.hasNetworkRight ?? false)
  }
}

extension BusValue {
  /// A number of 32 bits without a sign.
  fileprivate var count: Int? {
    if case .uint32(let number) = content { Int(number) } else { nil }
  }

  /// Whether a set of capabilities has CAP_NET_ADMIN, bit 12 (linux/capability.h).
  fileprivate var hasNetworkRight: Bool {
    if case .uint64(let bits) = content { bits & 1 << 12 != 0 } else { false }
  }
}
