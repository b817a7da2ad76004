package import SystemBus

/// The state of the unit `measured.service`, as systemd reports it.
package struct UnitSurvey: Hashable {
  /// `loaded`, `masked`, `bad-setting`, `error`.
  package var loadState = "loaded"
  /// `active`, `reloading`, `inactive`, `failed`, `activating`, `deactivating`.
  package var activeState: String
  /// `running`, `dead`, `auto-restart`.
  package var subState: String
  /// How it ended last: `success`, `exit-code`, `watchdog`.
  package var result: String
  /// How often systemd has started it again by itself.
  package var restarts: Int
  /// The service's own status text: `listening`.
  package var status = ""
  /// Whether it may manage controllers (CAP_NET_ADMIN), as by the drop-in for kernel mode.
  package var mayManage = false
  /// Whether its packets reach no other machine than this one; `false` also if it is not known.
  package var isKeptIn = false

  /// Whether the service runs.
  package var isRunning: Bool { ["active", "reloading"].contains(activeState) }

  /// Whether the service measures nothing, since it cannot use its store.
  package var isWaitingForStore: Bool { status.contains(Self.waitingForStore) }

  /// Why the service has no controller that works; `nil` while it has one, or does not run.
  package var radioTrouble: String? {
    guard isRunning, let beginning = status.firstRange(of: Self.waitingForRadio + ": ")
    else { return nil }
    return String(status[beginning.upperBound...])
  }

  /// The beginning of the status text while the store cannot be used.
  package static let waitingForStore = "waiting for the store"
  /// The beginning of the status text while no controller works.
  package static let waitingForRadio = "waiting for the radio"

  /// The store of the service, if its settings name none.
  package static let store = "/var/lib/measured/measured.sqlite"

  private static let systemd = "org.freedesktop.systemd1"

  /// Asks systemd.
  ///
  /// - Returns: `nil` without systemd or without the unit.
  package static func ask(
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
    return UnitSurvey(unit: await properties("Unit"), service: await properties("Service"))
  }
}

extension UnitSurvey {
  /// Reads systemd's properties of a unit and of its service; `nil` if there is no such unit.
  package init?(unit: [String: BusValue], service: [String: BusValue]) {
    guard let loadState = unit["LoadState"]?.text, loadState != "not-found" else { return nil }
    self.init(
      loadState: loadState,
      activeState: unit["ActiveState"]?.text ?? "", subState: unit["SubState"]?.text ?? "",
      result: service["Result"]?.text ?? "", restarts: service["NRestarts"]?.count ?? 0,
      status: service["StatusText"]?.text ?? "",
      mayManage: service["AmbientCapabilities"]?.hasNetworkRight ?? false,
      isKeptIn: service["IPAddressDeny"]?.hasNetworks == true
        && service["IPAddressAllow"]?.isLoopbackAlone ?? true)
  }
}

extension BusValue {
  /// The networks of an address filter: a family, the bytes of an address, a length.
  private var networks: [BusValue]? {
    if case .array(_, let networks) = content { networks } else { nil }
  }

  /// Whether the filter has any network.
  fileprivate var hasNetworks: Bool { networks?.isEmpty == false }

  /// Whether every network of the filter is this machine: 127.0.0.0/8, ::1.
  fileprivate var isLoopbackAlone: Bool {
    (networks ?? []).allSatisfy { network in
      guard case .structure(let parts) = network.content, parts.count == 3,
        case .bytes(let address) = parts[1].content
      else { return false }
      guard address.count == 16 else { return address.first == 127 }
      return address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
    }
  }

  /// A number of 32 bits without a sign.
  fileprivate var count: Int? {
    if case .uint32(let number) = content { Int(number) } else { nil }
  }

  /// Whether a set of capabilities has CAP_NET_ADMIN, bit 12 (linux/capability.h).
  fileprivate var hasNetworkRight: Bool {
    if case .uint64(let bits) = content { bits & 1 << 12 != 0 } else { false }
  }
}
