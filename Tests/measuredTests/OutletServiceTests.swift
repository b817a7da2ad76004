import Actions
import Care
import CareStore
import Foundation
import Logging
import Outlets
import Synchronization
import Testing

@testable import Daemon
@testable import Terminal

/// Pauses that end at once, and are counted.
private struct ShortPauses: Clock {
  private let counter = Counter()

  private final class Counter: Sendable {
    let count = Mutex(0)
  }

  /// How many pauses there were.
  var count: Int { counter.count.withLock { $0 } }

  var now: ContinuousClock.Instant { ContinuousClock().now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    try await Task.sleep(for: .milliseconds(5))
    counter.count.withLock { $0 += 1 }
  }
}

/// A store in a folder, and what a daemon does beside it.
private final class World: Sendable {
  static let noon = Date(timeIntervalSince1970: 1_795_003_200)

  let folder: URL
  let store: SQLStore
  private let date = Mutex(World.noon)

  var now: Date { date.withLock { $0 } }
  func pass(hours: Double) { date.withLock { $0 += hours * 3_600 } }

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "outlets-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try SQLStore.open(path: folder.appending(path: "s.sqlite").path, makeUUID: { UUID() })
    let plan = PlanDocument(
      timeZone: .gmt, patients: [Patient(id: "john", name: PersonName(given: "John"))], tasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: Self.noon) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func perform<A: MessageAction>(_ action: A) async throws {
    let now = now
    _ = try await store.writeMessages { try action.perform(in: $0, by: .owner, now: now) }
  }

  func weigh(_ kilograms: Double) async throws {
    let now = now
    try await store.write { writer in
      let reading = Reading(
        quantity: .bodyMass, value: kilograms, arrival: now,
        device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), raw: [UInt8(saturating: kilograms)])
      _ = try writer.insert(Sample(reading: reading, patient: "john", start: now, end: now))
    }
    pass(hours: 0.01)
  }

  /// Whether the day's file of an outlet has a weight.
  func has(_ kilograms: Int, _ outlet: String, end: String = ".csv") -> Bool {
    let file = folder.appending(path: "outlets/\(outlet)/john/2026-11-18\(end)")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.contains(",\(kilograms).0,") || text.contains("\"value\":\(kilograms)")
  }

  /// Runs a service while `body` runs, and waits for its end.
  func beside(
    _ work: @escaping @Sendable () async -> Void,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let task = Task { await work() }
    do {
      try await body()
    } catch {
      task.cancel()
      throw error
    }
    task.cancel()
    try await bounded("the end of the service") { await task.value }
  }
}

/// The outlets of a store begin and end beside a running daemon, as people set them up.
struct OutletServiceTests {
  private func service(_ world: World) throws -> OutletService {
    let fixed = OutletDefinition(.file, ["people": ["all"], "since": ["2026-01-01"]])
    return OutletService(
      store: world.store, outlets: [try #require(OutletSettings("fixed", fixed))],
      folder: world.folder.path, transport: Transport(authorities: nil),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      now: { world.now }, clock: ShortPauses())
  }

  private func days(_ format: String) -> AddOutlet {
    AddOutlet(
      "days", OutletDefinition(.file, ["people": ["john"], "format": [format]]),
      reserved: ["fixed"])
  }

  @Test func `one is added, changed, stopped, goes on and is taken away`() async throws {
    let world = try await World()
    let service = try service(world)
    try await world.beside({ await service.work() }) { [self] in
      try await world.weigh(71)
      try await until("the file of the settings") { world.has(71, "fixed") }

      try await world.perform(days("csv"))
      try await world.weigh(72)
      try await until("the file of the store") { world.has(72, "days") }

      // Another definition takes the place of the one that runs.
      let now = world.now
      try await world.store.writeMessages { writer in
        try RemoveOutlet("days").perform(in: writer, by: .owner, now: now)
        try days("omh").perform(in: writer, by: .owner, now: now)
      }
      try await world.weigh(73)
      try await until("the other format") { world.has(73, "days", end: ".ndjson") }
      #expect(!world.has(73, "days"))

      // A stopped outlet would have written by the time that the settings' outlet has.
      try await world.perform(PauseOutlet("days", true))
      try await world.weigh(74)
      try await until("the other one's file") { world.has(74, "fixed") }
      try await world.weigh(75)
      try await until("the other one's file") { world.has(75, "fixed") }
      #expect(!world.has(74, "days", end: ".ndjson"))
      try await world.perform(PauseOutlet("days", false))
      try await until("what waited") { world.has(75, "days", end: ".ndjson") }
      #expect(world.has(74, "days", end: ".ndjson"))

      try await world.perform(RemoveOutlet("days"))
      try await world.weigh(76)
      try await until("the other one's file") { world.has(76, "fixed") }
      try await world.weigh(77)
      try await until("the other one's file") { world.has(77, "fixed") }
      #expect(!world.has(76, "days", end: ".ndjson"))
      try await until("nothing is known of it") {
        try await world.store.readOutlets { try $0.outletNames() } == ["fixed"]
      }

      // One of the same name begins anew, after what was stored before it.
      try await world.perform(days("csv"))
      try await world.weigh(78)
      try await until("the new one's file") { world.has(78, "days") }
    }
    // With the daemon each of them ends.
    try await world.weigh(79)
    #expect(!world.has(79, "days") && !world.has(79, "fixed"))
  }

  /// A daemon that begins finds those that were set up before, and what was stored while it was off.
  @Test func `after a pause of the daemon nothing is missing`() async throws {
    let world = try await World()
    try await world.perform(days("csv"))
    try await world.weigh(71)
    for weight in 72..<75 {
      let service = try service(world)
      try await world.beside({ await service.work() }) {
        try await until("the file") { world.has(weight - 1, "days") }
      }
      try await world.weigh(Double(weight))
    }
    #expect(!world.has(74, "days"))
  }
}

/// The plans of servers are asked for each day, while the daemon runs.
struct PlanInletServiceTests {
  @Test func `a server is asked once a day, from its being set up until it is taken away`()
    async throws
  {
    let world = try await World()
    let clock = ShortPauses()
    let service = PlanInletService(
      asking: PlanAsking(
        store: world.store,
        send: { _ in
          .answered(
            status: 200, retryAfter: nil,
            body: Data(#"{"resourceType":"Bundle","type":"searchset"}"#.utf8))
        }, now: { world.now }),
      outlets: [], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: clock)
    try await world.beside({ await service.work() }) {
      func looks() async throws {
        let before = clock.count
        try await until("two looks") { clock.count >= before + 2 }
      }
      func asked() async throws -> Date? {
        try await world.store.readOutlets { try PlanProposal.all(in: $0)["clinic"]?.asked }
      }
      try await looks()
      #expect(try await asked() == nil)
      try await world.perform(
        AddOutlet(
          "clinic",
          OutletDefinition(
            .fhir,
            [
              "address": ["https://clinic.example/fhir"], "people": ["john"],
              "records": ["4711 john"], "plan": ["daily"],
            ]), reserved: []))
      try await until("the first question") { try await asked() != nil }
      let first = try await asked()
      world.pass(hours: 2)
      try await looks()
      #expect(try await asked() == first)
      world.pass(hours: 24)
      try await until("the next day's question") { try await asked() != first }
      let second = try await asked()
      try await world.perform(RemoveOutlet("clinic"))
      // A look that began before may ask once more.
      try await looks()
      world.pass(hours: 24)
      try await looks()
      let last = try await asked()
      #expect(last == nil || last == second)
    }
  }
}
