import Care
import CareStore
import Foundation
import Interchange
import Synchronization
import TestSupport
import Testing

@testable import Outlets

/// The rows that leave, that are refused, and that are sent again.
struct OutletRunTests {
  private static let noon = OutletFaultTests.noon

  /// A receiver that refuses some values, by their number.
  private final class Picky: DataOutlet {
    let wrong = Mutex<Set<Double>>([])
    let taken = Mutex<[Double]>([])
    let sizes = Mutex<[Int]>([])

    /// The values that it took, and how many changes each request had.
    var values: [Double] { taken.withLock { $0 } }
    var counts: [Int] { sizes.withLock { $0 } }

    func send(_ batch: [OutletPiece]) async -> OutletAnswer {
      let values = batch.flatMap { $0.samples.map(\.value) }
      sizes.withLock { $0.append(batch.count) }
      let isWrong = wrong.withLock { !$0.isDisjoint(with: values) }
      guard !isWrong else { return OutletAnswer(.refused(.message(detail: "422 not this"))) }
      taken.withLock { $0 += values }
      return OutletAnswer(.delivered)
    }

    func test() async -> DeliveryResult { .delivered }
  }

  private static func store(_ count: Int, of people: [String] = ["john"]) async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = PlanDocument(
      timeZone: .gmt,
      patients: people.map { Patient(id: $0, name: PersonName(given: $0)) }, tasks: [])
    _ = try await store.write { try $0.importPlan(plan, options: PlanImportOptions(), now: noon) }
    try await add(0..<count, to: store, people)
    return store
  }

  private static func add(
    _ numbers: Range<Int>, to store: SQLStore, _ people: [String] = ["john"]
  ) async throws {
    try await store.write { writer in
      for number in numbers {
        let date = noon - 1e6 + Double(number) * 60
        let reading = Reading(
          quantity: .bodyMass, value: 50 + Double(number) / 100, arrival: date,
          device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"))
        _ = try writer.insert(
          Sample(
            reading: reading, patient: people[number % people.count], start: date, end: date))
      }
    }
  }

  private static func run(
    _ outlet: any DataOutlet, _ store: SQLStore, _ scope: OutletScope,
    receiver: String = "a", clock: SetClock
  ) async throws -> OutletRun {
    let run = OutletRun(
      "clinic", of: outlet, scope: scope, from: store, now: { clock.now },
      random: SeededGenerator(seed: 3))
    try await run.begin(receiver: receiver)
    return run
  }

  @Test func `the one to blame is parked with its words, the others arrive`() async throws {
    let (store, outlet, clock) = (try await Self.store(250), Picky(), SetClock())
    outlet.wrong.withLock { $0 = [51.23] }
    let scope = OutletScope(people: nil, since: .distantPast)
    try await OutletFaultTests.drain(
      try await Self.run(outlet, store, scope, clock: clock), clock)
    #expect(Set(outlet.values).count == 249)
    #expect(outlet.values.count == 249)
    let refused = try await store.readOutlets {
      try $0.refused(by: "clinic", isDue: false, limit: 9)
    }
    #expect(refused.map(\.fault) == [#"{"message":{"detail":"422 not this"}}"#])
    // Another mapping of the other side: it is tried again, alone.
    outlet.wrong.withLock { $0 = [] }
    outlet.sizes.withLock { $0 = [] }
    try await OutletFaultTests.drain(
      try await Self.run(outlet, store, scope, receiver: "b", clock: clock), clock)
    #expect(outlet.counts == [1])
    #expect(try await store.readOutlets { try $0.refusedCount(by: "clinic") } == 0)
  }

  @Test func `only the named people and quantities leave, from the named day on`() async throws {
    let (store, outlet, clock) = (
      try await Self.store(100, of: ["john", "mary"]), Picky(), SetClock()
    )
    let since = Self.noon - 1e6 + 50 * 60
    let scope = OutletScope(people: ["mary"], quantities: [.bodyMass], since: since)
    try await OutletFaultTests.drain(
      try await Self.run(outlet, store, scope, clock: clock), clock)
    #expect(outlet.values.count == 25)
    // More people: their past follows, and nothing that was sent.
    let wider = OutletScope(people: nil, quantities: nil, since: since)
    try await OutletFaultTests.drain(
      try await Self.run(outlet, store, wider, clock: clock), clock)
    #expect(outlet.values.count == 50)
    #expect(Set(outlet.values).count == 50)
  }

  @Test func `without a day only what is stored from now on leaves, and the past on demand`()
    async throws
  {
    let (store, outlet, clock) = (try await Self.store(30), Picky(), SetClock())
    var run = try await Self.run(outlet, store, OutletScope(people: nil), clock: clock)
    run = try await OutletFaultTests.drain(run, clock)
    #expect(outlet.values.isEmpty)
    try await Self.add(30..<35, to: store)
    run = try await OutletFaultTests.drain(run, clock)
    #expect(outlet.values.count == 5)
    try await store.writeOutlets { writer in
      var course = try OutletCourse("clinic", in: writer)
      course.sendPast(from: Self.noon - 1e6 + 10 * 60, isForced: true)
      try course.keep("clinic", in: writer)
    }
    try await OutletFaultTests.drain(run, clock)
    #expect(Set(outlet.values).count == 25)
  }

  @Test func `nothing of a person leaves whose consent is open`() async throws {
    let (store, outlet) = (try await Self.store(10), Picky())
    let entry = try #require(
      try await store.readOutlets {
        try $0.feed(after: 0, upTo: .max, openHour: .max, rows: 1, values: 1).entries.first
      })
    let scope = OutletScope(people: nil, withheld: ["john"])
    let open = OutletWindow.changes(of: entry, held: [], in: scope, false, outlet.name(of:))
    let agreed = OutletWindow.changes(
      of: entry, held: [], in: OutletScope(people: nil), false, outlet.name(of:))
    #expect(open.isEmpty)
    #expect(agreed.count == 1)
  }

  /// However much waits: memory is that of one page.
  @Test func `a backlog is read in pages of so many rows and values`() async throws {
    let (weights, hours, inHour) = (2_500, 40, 600)
    let store = try await Self.store(weights)
    try await store.write { writer in
      for number in 0..<hours * inHour {
        let date = Self.noon - 200_000 + Double(number) * 3600 / Double(inHour)
        let reading = Reading(
          quantity: .heartRate, value: 60 + Double(number % 40), arrival: date,
          device: DeviceIdentity(address: "5C:CA:D3:70:D4:A3"), isStreamed: true)
        _ = try writer.insert(
          Sample(reading: reading, patient: "john", start: date, end: date))
      }
    }
    var (cursor, pages, sum): (Int64, Int, Int) = (0, 0, 0)
    while true {
      let after = cursor
      let page = try await store.readOutlets {
        try $0.feed(
          after: after, upTo: $0.lastNumber(), openHour: .max, rows: OutletRun.mostRows,
          values: OutletRun.mostValues)
      }
      let values = page.entries.flatMap(\.items).reduce(0) { $0 + $1.samples.count }
      #expect(page.entries.count <= OutletRun.mostRows)
      #expect(values < OutletRun.mostValues + inHour)
      (pages, sum) = (pages + 1, sum + values)
      guard !page.isLast, page.end > cursor else { break }
      cursor = page.end
    }
    #expect(sum == weights + hours * inHour)
    #expect(pages >= 8)
  }

  @Test func `a paused outlet sends nothing, and all of it later`() async throws {
    let (store, outlet, clock) = (try await Self.store(10), Picky(), SetClock())
    let run = try await Self.run(
      outlet, store, OutletScope(people: nil, since: .distantPast), clock: clock)
    func pause(_ isPaused: Bool) async throws {
      try await store.writeOutlets { writer in
        var course = try OutletCourse("clinic", in: writer)
        course.isPaused = isPaused
        try course.keep("clinic", in: writer)
      }
    }
    try await pause(true)
    try await OutletFaultTests.drain(run, clock)
    #expect(outlet.values.isEmpty)
    try await pause(false)
    try await OutletFaultTests.drain(run, clock)
    #expect(outlet.values.count == 10)
  }

  @Test func `doubles of one identifier are repaired, and the oldest stays`() async throws {
    let (store, clock) = (try await Self.store(1), SetClock())
    let receiver = FHIRReceiver(takesIDs: false)
    let outlet = FHIROutlet(
      to: FHIRServer(
        try #require(WebAddress("http://127.0.0.1:9")), send: { receiver.answer($0) }),
      coder: FHIRCoder(timeZone: .gmt))
    let scope = OutletScope(people: nil, since: .distantPast)
    let run = try await OutletFaultTests.drain(
      try await Self.run(outlet, store, scope, clock: clock), clock)
    // A race of an earlier program left a second one.
    let first = try #require(receiver.observations.first)
    receiver.add(first, id: "s9")
    let sample = try #require(
      try await store.read { try $0.samples(SampleQuery(owner: .patient("john"))).first })
    _ = try await store.write {
      try $0.correct(sample.identity, value: 61, source: nil, reason: nil, now: clock.now)
    }
    try await OutletFaultTests.drain(run, clock)
    #expect(receiver.facts.map(\.value) == [61])
    #expect(
      receiver.observations.compactMap { $0["status"]?.text }.sorted()
        == ["corrected", "entered-in-error"])
  }
}
