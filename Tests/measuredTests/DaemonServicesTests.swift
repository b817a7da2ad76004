import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import Localization
import Logging
import Plans
import Radio
import ServiceLifecycle
import Synchronization
import SystemBus
import Testing

@testable import Daemon
@testable import Lab
@testable import Terminal

// MARK: - Watchdog

@Suite struct WatchdogTests {
  /// The surroundings of a watchdog, run by hand.
  private final class Bench: Sendable {
    private struct State {
      var stall = Duration.zero
      var signs = 0
      var delays: [Duration] = []
      var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    var signs: Int { state.withLock { $0.signs } }
    var delays: [Duration] { state.withLock { $0.delays } }

    func watchdog(interval: Duration) -> Watchdog {
      Watchdog(
        interval: interval, stall: { self.state.withLock { $0.stall } },
        notify: { self.state.withLock { $0.signs += 1 } },
        schedule: { delay, handler in
          self.state.withLock { state in
            state.delays.append(delay)
            state.handlers.append(handler)
          }
        })
    }

    /// Runs the scheduled handler while the hub has been busy with one event for `stall`.
    func runNext(stall: Duration) {
      let handler = state.withLock { state in
        state.stall = stall
        return state.handlers.popLast()
      }
      handler?()
    }
  }

  @Test func `gives a sign of life twice in every interval`() {
    let bench = Bench()
    bench.watchdog(interval: .seconds(30)).start()
    #expect(bench.signs == 1)
    for _ in 0..<3 { bench.runNext(stall: .zero) }
    #expect(bench.signs == 4)
    #expect(bench.delays == Array(repeating: .seconds(15), count: 4))
  }

  @Test func `is silent while the hub is stuck`() {
    let bench = Bench()
    bench.watchdog(interval: .seconds(30)).start()
    bench.runNext(stall: .seconds(29))
    #expect(bench.signs == 2)
    bench.runNext(stall: .seconds(30))
    bench.runNext(stall: .seconds(45))
    #expect(bench.signs == 2)
    bench.runNext(stall: .seconds(1))
    #expect(bench.signs == 3)
  }
}

// MARK: - Status

@Suite struct DaemonStatusTests {
  /// systemd shows what it received last.
  @Test func `sends the newest line last`() async throws {
    let sent = Lines()
    let isSending = Mutex(false)
    let status = DaemonStatus(
      ServiceNotification { message in
        if message.contains("first") {
          // Time enough for the other change to be sent meanwhile.
          isSending.withLock { $0 = true }
          usleep(300_000)
        }
        sent.add(message)
      })
    async let first: Void = onThread { status.miss(page: "first") }
    try await until("the first status") { isSending.withLock { $0 } }
    try await onThread { status.miss(page: "second") }
    try await first
    #expect(sent.all.count == 2)
    #expect(sent.all.last?.contains("second") == true)
  }
}

// MARK: - Hub and reload

/// The daemon's services around a radio without devices.
@Suite struct HubServiceTests {
  /// A radio that receives nothing.
  private actor SilentBackend: RadioBackend {
    nonisolated let stops = Mutex(0)

    func start() async throws(RadioError) {}
    func send(_ command: RadioCommand) async throws(RadioError) {}
    func controllers() async -> [Controller] { [] }
    func bonds() async throws(RadioError) -> [BondedDevice] { [] }
    func pair(_ address: DeviceAddress, prompt: any PairingPrompt) async throws(RadioError) {}
    func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool { false }
    func stop() async { stops.withLock { $0 += 1 } }
  }

  private let backend = SilentBackend()
  private let radio: LiveRadio
  private let store: SQLStore
  private let log = Lines()
  private let messages = Lines()
  private let statuses = Lines()

  init() throws {
    // The hub has no deadline without a device, so no timer is needed.
    let events = EventBuffer(timer: { _, _ in {} }, now: { Date() })
    radio = LiveRadio(backend: backend, events: events)
    store = try SQLStore.inMemory(makeUUID: { UUID() })
  }

  private var notification: ServiceNotification {
    ServiceNotification { [messages, statuses] message in
      for line in message.split(separator: "\n") where !line.hasPrefix("MONOTONIC_USEC=") {
        (line.hasPrefix("STATUS=") ? statuses : messages).add(String(line))
      }
    }
  }

  private func configuration(_ plan: String? = nil) throws -> DaemonConfiguration {
    var settings = ServiceSettings()
    settings.plan = "plan.yaml"
    return DaemonConfiguration(
      settings: settings, catalog: try DeviceCatalog.readable(folder: nil).catalog,
      plan: try plan.map {
        try PlanFile.parse($0, file: "plan.yaml", activeTasks: AssessmentList.forms)
      })
  }

  private func service(
    _ first: DaemonConfiguration, load: @escaping @Sendable () throws -> DaemonConfiguration
  ) -> HubService {
    let logger = Logger(label: "test") { [log] _ in
      JournalLogHandler(level: .info, environment: [:], write: log.add)
    }
    return HubService(
      radio: radio, nearby: NearbyDevices(), tap: RadioTap(), counts: HubCounts(), store: store,
      configuration: ConfigurationInForce(
        first, store: store, logger: logger, now: { Date(timeIntervalSince1970: 1_790_000_000) },
        load: load),
      status: DaemonStatus(notification), notification: notification, logger: logger)
  }

  /// Runs the hub's service with reloads; `body` ends when the service is to shut down.
  private func run(
    _ service: HubService,
    _ body: @escaping @Sendable (_ reload: @Sendable () -> Void) async throws -> Void
  ) async throws {
    let (signals, reload) = AsyncStream.makeStream(of: Void.self)
    let group = ServiceGroup(
      services: [
        service,
        ReloadService(
          radio: radio, configuration: service.configuration, status: service.status,
          notification: notification, signals: signals),
      ], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await bounded("the end of the services") { try await group.run() } }
      tasks.addTask {
        try await body { reload.yield() }
        await group.triggerGracefulShutdown()
      }
      try await tasks.waitForAll()
    }
  }

  /// Waits until systemd has received `count` messages of a state.
  private static func receive(_ count: Int, _ state: String, in messages: Lines) async throws {
    try await until("\(state), \(count) times") {
      messages.all.count { $0 == state } >= count
    }
  }

  @Test func `is ready at the start and stops the radio at the end`() async throws {
    let service = service(try configuration()) { throw CommandFailure(.failed) }
    try await run(service) { [messages] _ in
      try await Self.receive(1, "READY=1", in: messages)
    }
    #expect(messages.all == ["READY=1", "STOPPING=1"])
    #expect(backend.stops.withLock { $0 } == 1)
  }

  @Test func `reads the plan again at every reload`() async throws {
    let next = try configuration(Recordings.plan)
    let service = service(try configuration()) { next }
    try await run(service) { [messages] reload in
      try await Self.receive(1, "READY=1", in: messages)
      reload()
      try await Self.receive(2, "READY=1", in: messages)
      reload()
      try await Self.receive(3, "READY=1", in: messages)
    }
    #expect(
      messages.all == [
        "READY=1", "RELOADING=1", "READY=1", "RELOADING=1", "READY=1", "STOPPING=1",
      ])
    #expect(try await store.read { try $0.patients().map(\.id) } == ["john"])
    let plans = log.all.filter { $0.contains("The plan plan.yaml is in force: ") }
    #expect(plans.map { $0.contains(" 4 of its 4 tasks") } == [true, false])
  }

  @Test func `keeps the previous configuration if the new one has a fault`() async throws {
    let service = service(try configuration(Recordings.plan)) {
      throw CommandFailure(.failed, .verbatim("plan.yaml:3: unknown key ‘tsaks’"))
    }
    try await run(service) { [messages] reload in
      try await Self.receive(1, "READY=1", in: messages)
      reload()
      try await Self.receive(2, "READY=1", in: messages)
    }
    #expect(
      log.all.contains(
        "error: plan.yaml:3: unknown key ‘tsaks’. The previous configuration stays in force."))
    #expect(try await store.read { try $0.patients().map(\.id) } == ["john"])
    #expect(statuses.all.contains { $0.hasPrefix("STATUS=degraded (plan.yaml:3: unknown key") })
  }

  /// A reload takes the links down only where the hub needs other definitions or another patient.
  @Test(
    arguments: [
      Reload.same, .plan, .planWithMistake, .definitionWithMistake, .definitions, .patient,
    ])
  private func `keeps the links at a reload`(_ reload: Reload) async throws {
    let first = try configuration(Recordings.plan)
    var next = first
    switch reload {
    case .same: break
    case .plan: next.plan = try configuration(DemoPlan.text).plan
    case .planWithMistake: (next.plan, next.faults) = (nil, ["plan.yaml:3: a mistake"])
    case .definitionWithMistake:
      next.definitionFiles = [[DefinitionFile(name: "a.yaml", text: "id: [")]]
      next.definitionFaults = ["a.yaml:1: a mistake"]
    case .definitions: next.definitionFiles = [[DefinitionFile(name: "a.yaml", text: "id: a")]]
    case .patient: next.settings.patient = "john"
    }
    let loaded = next
    let service = service(first) { loaded }
    try await run(service) { [messages] reload in
      try await Self.receive(1, "READY=1", in: messages)
      reload()
      try await Self.receive(2, "READY=1", in: messages)
    }
    let runs = log.all.count { $0.contains("since the start or the last reload") }
    #expect(runs == (reload == .definitions || reload == .patient ? 2 : 1))
    let refusals = log.all.count { $0.contains("The previous configuration stays in force") }
    #expect(refusals == (reload == .planWithMistake || reload == .definitionWithMistake ? 1 : 0))
    let patients = try await store.read { try $0.patients().map(\.id) }
    #expect(patients.contains("alex") == (reload == .plan))
  }

  private enum Reload {
    case same, plan, planWithMistake, definitionWithMistake, definitions, patient
  }

  /// A fault at a start is reported, and the rest works.
  @Test func `starts in spite of faults`() async throws {
    var first = try configuration()
    first.faults = ["measured.yaml:2: unknown key ‘stroe’", "The plan is not imported: gone"]
    first.definitionFaults = ["x.yaml:1: a mistake"]
    let service = service(first) { throw CommandFailure(.failed) }
    try await run(service) { [messages] _ in try await Self.receive(1, "READY=1", in: messages) }
    #expect(
      statuses.all.first
        == "STATUS=degraded (measured.yaml:2: unknown key ‘stroe’ and 2 more; see measured doctor): listening"
    )
    let errors = log.all.filter { $0.hasPrefix("error: ") }
    #expect(
      errors == [
        "error: measured.yaml:2: unknown key ‘stroe’", "error: The plan is not imported: gone",
        "error: A device definition is left out: x.yaml:1: a mistake",
      ])
    #expect(log.all.contains { $0.hasPrefix("warning: The store has no plan") })
  }

  /// The page's port may be another program's.
  @Test func `says that the page is not served`() async throws {
    let service = service(try configuration()) { throw CommandFailure(.failed) }
    service.status.miss(page: "The page cannot be served.")
    try await run(service) { [messages] _ in try await Self.receive(1, "READY=1", in: messages) }
    let degraded = "STATUS=degraded (The page cannot be served.; see measured doctor): "
    #expect(statuses.all.prefix(2) == [degraded + "starting", degraded + "listening"])
    #expect(service.status.faults == ["The page cannot be served."])
  }

  /// The next start chooses bluetoothd.
  @Test func `ends when the radio is superseded`() async throws {
    var service = service(try configuration()) { throw CommandFailure(.failed) }
    service.isSuperseded = { true }
    radio.interrupt()
    await #expect(throws: CommandFailure.self) {
      try await bounded("the end of the hub") { [service] in try await service.run() }
    }
    #expect(messages.all.contains("READY=1"))
  }

  /// While no controller works, the state says why, also after the start.
  @Test func `says that there is no controller`() async throws {
    let service = service(try configuration()) { throw CommandFailure(.failed) }
    service.status.show(.noController)
    try await run(service) { [messages] _ in
      try await Self.receive(1, "READY=1", in: messages)
      service.status.show(.controller("hci0", .found))
      service.status.show(.bondsFull(DeviceAddress(rawValue: 1), capacity: 1))
      service.status.show(.controller("hci0", .removed))
    }
    let waiting = "STATUS=waiting for the radio: "
    let none = waiting + RadioNotice.noController.message
    #expect(
      statuses.all == [
        none, none, "STATUS=listening", "STATUS=listening",
        waiting + RadioNotice.controller("hci0", .removed).message,
      ])
  }

  /// A store that is deleted while no device sends is noticed, and one that comes back too.
  @Test func `notices a deleted store`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("store")
    var service = service(try configuration()) { throw CommandFailure(.failed) }
    service.store = try SQLStore.open(path: path, makeUUID: { UUID() })
    service.storePause = .milliseconds(10)
    // The connection for reading stays open.
    _ = try await service.store.read { try $0.patients() }
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    try await run(service) { [statuses, status = service.status] _ in
      try await until("the status of a missing store") {
        statuses.all.contains { $0.contains(UnitSurvey.waitingForStore) }
      }
      #expect(status.isWaiting)
      try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
      try await until("the status of a store that is back") {
        statuses.all.last == "STATUS=listening"
      }
    }
    #expect(!service.status.isWaiting)
  }

  /// A failure of the hub, such as a full disk, ends with the radio in order.
  @Test func `stops the radio also after a failure`() async throws {
    let folder = try TemporaryFolder()
    var service = service(try configuration()) { throw CommandFailure(.failed) }
    service.store = try SQLStore.open(path: folder.url.path + "/store", makeUUID: { UUID() })
    try service.store.close()
    await #expect(throws: StoreError.self) {
      try await bounded("the end of the hub") { [service] in try await service.run() }
    }
    #expect(backend.stops.withLock { $0 } == 1)
  }
}
