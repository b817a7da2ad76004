import Foundation
package import SystemBus

/// A fake bluetoothd: objects on a private bus that behave as the test specifies.
package actor FakeBluetoothd {
  /// A method's reply.
  package enum Answer: Sendable {
    case values([BusValue] = [])
    case error(String, String = "")
    case silence
  }

  package static let adapter = "/org/bluez/hci0"
  package static let device = "/org/bluez/hci0/dev_C4_12_34_56_78_9A"
  package static let address = "C4:12:34:56:78:9A"

  private let loop: EventLoop
  private let address: BusAddress
  private var connection: BusConnection?
  package private(set) var objects: [String: [String: [String: BusValue]]] = [:]
  /// The calls in order: `StartDiscovery`, `Set Powered`.
  package private(set) var calls: [String] = []
  /// The calls that have been answered, in the order of the answers.
  package private(set) var answered: [String] = []
  private var answers: [String: [Answer]] = [:]
  private var reactions: [String: @Sendable (isolated FakeBluetoothd, BusMessage) async -> Void] =
    [:]
  private var agent: (owner: String, path: String)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  package init(loop: EventLoop, bus: BusAddress) {
    self.loop = loop
    address = bus
  }

  /// The connection that registered an agent.
  package var agentOwner: String? { agent?.owner }

  // MARK: - Start and end

  package func start() async throws {
    let connection = try BusConnection(loop: loop, address: address) { [weak self] event in
      guard case .message(let message) = event else { return }
      self?.assumeIsolated { $0.take(message) }
    }
    self.connection = connection
    await connection.start()
    _ = try await connection.call(.bus("RequestName", .string("org.bluez"), .uint32(0)))
  }

  /// Ends without notice.
  package func die() async {
    await connection?.close()
    connection = nil
    agent = nil
  }

  // MARK: - Behaviour

  /// Sets a method's next replies; the last one is repeated.
  package func answer(_ member: String, _ next: Answer...) { answers[member] = next }

  /// Sets the reaction to a call, performed before the reply.
  package func react(
    to member: String,
    _ reaction: @escaping @Sendable (isolated FakeBluetoothd, BusMessage) async -> Void
  ) { reactions[member] = reaction }

  package func place(_ path: String, _ interfaces: [String: [String: BusValue]]) {
    objects[path, default: [:]].merge(interfaces) { $1 }
  }

  package func add(_ path: String, _ interfaces: [String: [String: BusValue]]) async {
    place(path, interfaces)
    await emit(
      "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
      [.path(path), Self.value(interfaces)])
  }

  package func remove(_ path: String) async {
    let interfaces = objects.removeValue(forKey: path) ?? [:]
    await emit(
      "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
      [.path(path), .array(of: "s", interfaces.keys.sorted().map { .string($0) })])
  }

  package func change(
    _ path: String, _ interface: String, _ properties: [String: BusValue],
    invalidated: [String] = []
  ) async {
    objects[path]?[interface]?.merge(properties) { $1 }
    await emit(
      path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [
        .string(interface), .properties(properties),
        .array(of: "s", invalidated.map { .string($0) }),
      ])
  }

  package func emit(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
  ) async {
    try? await connection?.emit(
      path: path, interface: interface, member: member, arguments)
  }

  /// Calls the registered agent.
  package func ask(_ member: String, _ arguments: [BusValue]) async -> Result<[BusValue], BusError>
  {
    guard let agent, let connection else { return .failure(.disconnected) }
    let call = BusCall(
      destination: agent.owner, path: agent.path, interface: "org.bluez.Agent1", member: member,
      arguments: arguments)
    do throws(BusError) {
      return .success(try await connection.call(call))
    } catch {
      return .failure(error)
    }
  }

  // MARK: - Calls

  private func take(_ message: BusMessage) {
    guard case .call(let number) = message.kind else { return }
    let name =
      message.member == "Set"
      ? "Set \(message.argument(1)?.text ?? "")" : message.member
    calls.append(name)
    if name == "RegisterAgent" {
      agent = (message.sender, message.argument(0)?.text ?? "")
    }
    Task {
      await reactions[name]?(self, message)
      let answer = next(name) ?? usual(message)
      switch answer {
      case .values(let values): await connection?.reply(to: number, with: .success(values))
      case .error(let name, let text):
        await connection?.reply(to: number, with: .failure(.refused(name: name, text: text)))
      case .silence: return
      }
      answered.append(name)
    }
  }

  /// Whether a method's next reply is an error, or none.
  package func refuses(_ member: String) -> Bool {
    switch answers[member]?.first {
    case .error, .silence: true
    case .values, nil: false
    }
  }

  private func next(_ name: String) -> Answer? {
    guard let first = answers[name]?.first else { return nil }
    if answers[name]?.count != 1 { answers[name]?.removeFirst() }
    return first
  }

  private func usual(_ message: BusMessage) -> Answer {
    switch message.member {
    case "GetManagedObjects":
      let objects = objects.map { (BusValue.path($0.key), Self.value($0.value)) }
      return .values([
        .dictionary(of: "oa{sa{sv}}", Dictionary(uniqueKeysWithValues: objects))
      ])
    default: return .values()
    }
  }

  private static func value(_ interfaces: [String: [String: BusValue]]) -> BusValue {
    .dictionary(
      of: "sa{sv}",
      Dictionary(
        uniqueKeysWithValues: interfaces.map { (.string($0.key), .properties($0.value)) }))
  }
}
