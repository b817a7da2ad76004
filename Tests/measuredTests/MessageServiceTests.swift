import Actions
import Agenda
import Assessments
import Care
import CareStore
import Foundation
import Logging
import Outlets
import Plans
import Synchronization
import Testing

@testable import Daemon

/// From the store to the people: what is told, stored and taken back.
@Suite struct MessageServiceTests {
  /// Takes messages, or refuses to.
  private final class Carrier: MessageCarrier {
    struct State {
      var result = DeliveryResult.delivered
      var sent: [(to: String, OutgoingMessage)] = []
      var withdrawn: [ItemID] = []
    }
    let state = Mutex(State())

    func ways(to recipient: Recipient, in reader: any StoreReader) throws -> [Reader.Way] {
      [.init()]
    }
    func kind(
      ofWay way: Int, to recipient: Recipient, in reader: any StoreReader
    ) throws -> String { "ntfy" }
    let page: WebAddress?

    init(page: WebAddress? = nil) { self.page = page }

    func deliver(
      _ message: OutgoingMessage, to recipient: Recipient, by way: Int
    ) async -> DeliveryResult {
      state.withLock { state in
        if state.result == .delivered { state.sent.append((recipient.text, message)) }
        return state.result
      }
    }
    func withdraw(_ id: ItemID, from recipient: Recipient, by way: Int) async -> DeliveryResult {
      state.withLock { $0.withdrawn.append(id) }
      return .delivered
    }
    var sent: [String] { state.withLock { $0.sent.map { "\($0.to): \($0.1.body)" } } }
  }

  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: john, name: {given: John}, language: en, notify: [{for: missed, to: [nora]}, {for: question, to: [john]}]}
    contacts:
      - {id: nora, name: {given: Nora}, language: zh-Hant}
    tasks:
      - id: weigh
        title: Weigh yourself
        schedule:
          - {start: 2026-11-02T08:00, interval: {days: 1}, duration: 1h}
        linkage: {quantity: bodyMass}
        thresholds: [{atLeast: 90, says: heavy, alert: true}]
        notify: [{for: alert, to: [nora], urgent: true, shows: value}, {for: alert, to: [john], after: 30m}]
    """

  private func time(_ text: String) throws -> Date { try #require(Date(rfc3339: text)) }

  private final class World: Sendable {
    let store: SQLStore
    let carrier: Carrier
    let now: Mutex<Date>
    /// The faults of the machine.
    let faults = Mutex<[MachineFault]>([])

    init(_ store: SQLStore, _ now: Date, page: WebAddress? = nil) {
      self.store = store
      carrier = Carrier(page: page)
      self.now = Mutex(now)
    }

    var service: MessageService {
      let begin = now.withLock { $0 }
      return MessageService(
        store: store, carrier: carrier,
        logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() },
        faults: { _ in (self.faults.withLock { $0 }, nil) },
        now: { self.now.withLock { $0 } },
        running: { .seconds(self.now.withLock { $0 }.timeIntervalSince(begin)) })
    }

    /// Everything that is due at a time.
    func look(_ memory: inout MessageService.Memory, at date: Date, by service: MessageService)
      async throws
    {
      now.withLock { $0 = date }
      _ = try await store.write { try Agenda.run($0, now: date) }
      for _ in 0..<5 {
        let carriages = await service.look(&memory).carriages
        if carriages.isEmpty { return }
        for carriage in carriages { await service.carry(carriage) }
      }
    }
  }

  private func world(
    at text: String, _ further: String = "", page: WebAddress? = nil
  ) async throws -> World {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let date = try time(text)
    let plan = try PlanFile.parse(
      "\(Self.plan)\n\(further)", file: "plan.yaml", activeTasks: AssessmentList.forms)
    _ = try await store.write { try $0.importPlan(plan, now: date) }
    return World(store, date, page: page)
  }

  private func weigh(_ store: SQLStore, _ kilograms: Double, at date: Date) async throws {
    let sample = Sample(
      identity: SampleIdentity(text: "scale|\(date.microseconds)"),
      reading: Reading(
        quantity: .bodyMass, value: kilograms, arrival: date,
        device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2")),
      patient: "john", start: date, end: date)
    _ = try await store.write { try $0.insert(sample) }
  }

  @Test func `a link of a message ends it for everybody, and the store has only its digest`()
    async throws
  {
    let world = try await world(
      at: "2026-11-03T07:00:00+01:00", page: WebAddress("https://box.example"))
    let service = world.service
    var memory = try #require(await service.begin())
    let date = try time("2026-11-03T08:10:00+01:00")
    try await weigh(world.store, 95, at: date)
    try await world.look(&memory, at: date, by: service)
    let message = try #require(world.carrier.state.withLock { $0.sent.first?.1 })
    let link = try #require(message.links.first)
    #expect(message.links.map(\.answer) == [.seen] && link.label == "我看到了")
    #expect(link.text.hasPrefix("https://box.example/answer#t="))
    #expect(!message.body.contains("請開啟主機的頁面"))
    let token = link.token.text.revealed
    let (stored, kept) = try await world.store.readMessages { reader in
      (
        try reader.link(digest: link.token.digest),
        try reader.messages(finishedSince: .distantPast).map(\.content)
      )
    }
    #expect(stored?.recipient == "nora" && stored?.channel == "ntfy" && stored?.patient == "john")
    #expect(!kept.isEmpty && !kept.contains { $0.contains(token) })
    // John would be told half an hour later.
    let tap = try await world.store.writeMessages {
      try AnswerByLink(token, .answer(reason: nil)).perform(in: $0, now: date + 600)
    }
    #expect(tap.isChanged)
    try await world.look(&memory, at: date + 1_800, by: service)
    #expect(world.carrier.sent.count == 1)
    #expect(world.carrier.state.withLock { $0.withdrawn } == [message.id])
  }

  @Test func `a fault of the machine is told once, also over a restart`() async throws {
    // After the day's event, so that nothing else is told.
    let world = try await world(at: "2026-11-03T09:30:00+01:00")
    let begin = world.now.withLock { $0 }
    try await world.store.write { writer in
      var john = try #require(try writer.patients().first)
      john.notify.append(NotifyRule(.machine, to: ["nora"]))
      _ = try writer.put(john, now: begin)
    }
    let service = world.service
    var memory = try #require(await service.begin())
    let date = try time("2026-11-03T09:40:00+01:00")
    world.faults.withLock { $0 = [MachineFault("controller", since: date)] }
    try await world.look(&memory, at: date, by: service)
    #expect(world.carrier.sent.count == 1)
    // Started anew, it finds the same fault again.
    let again = world.service
    world.now.withLock { $0 = date + 300 }
    var next = try #require(await again.begin())
    world.faults.withLock { $0 = [MachineFault("controller", since: date + 900)] }
    try await world.look(&next, at: date + 900, by: again)
    #expect(world.carrier.sent.count == 1)
    // It is mended, and comes back.
    world.faults.withLock { $0 = [] }
    try await world.look(&next, at: date + 2_000, by: again)
    #expect(world.carrier.state.withLock { $0.withdrawn.count } == 1)
    world.faults.withLock { $0 = [MachineFault("controller", since: date + 9_000)] }
    try await world.look(&next, at: date + 9_000, by: again)
    #expect(world.carrier.sent.count == 2)
  }

  @Test func `nothing leaves of a person whose consent is open`() async throws {
    let world = try await world(
      at: "2026-11-03T07:00:00+01:00",
      """
      carePlans:
        - {id: study, patient: john, title: Study, consent: {version: 1, sections: [{text: We tell Nora.}]}}
      """)
    let date = try time("2026-11-03T08:10:00+01:00")
    let service = world.service
    var memory = try #require(await service.begin())
    try await weigh(world.store, 95, at: date)
    try await world.look(&memory, at: date, by: service)
    #expect(world.carrier.sent == [])
  }

  @Test func `the plan's channels carry, and say what is in the way`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let text = """
      timeZone: Europe/Berlin
      patients: [{id: john, channels: [{email: john@example.org}]}]
      contacts:
        - {id: nora, name: {given: Nora}, channels: [{ntfy: {server: "http://127.0.0.1:1", topic: box}}]}
      """
    let plan = try PlanFile.parse(text, file: "plan.yaml", activeTasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: Date()) }
    let carrier = ChannelCarrier(store: store, settings: { nil }, transport: Transport())
    let message = OutgoingMessage(id: ItemID(of: ["a"]), title: "t", body: "b")
    let (nora, john) = (Recipient(contact: "nora"), Recipient(patient: "john"))
    #expect(
      try await store.read { try carrier.ways(to: nora, in: $0).count } == 1)
    guard case .later(.unreachable, _) = await carrier.deliver(message, to: nora, by: 0) else {
      Issue.record("an address at which nothing listens")
      return
    }
    #expect(
      await carrier.deliver(message, to: john, by: 0) == .later(.noMailServer, after: nil))
    #expect(await carrier.deliver(message, to: john, by: 1) == .later(.gone, after: nil))
    #expect(
      await carrier.withdraw(message.id, from: john, by: 0) == .refused(.message(detail: "email")))
  }

  @Test func `an alert reaches its reader, then the next, and is taken back when it is mended`()
    async throws
  {
    let world = try await world(at: "2026-11-03T07:00:00+01:00")
    let service = world.service
    var memory = try #require(await service.begin())
    let date = try time("2026-11-03T08:10:00+01:00")
    try await weigh(world.store, 95, at: date)
    try await world.look(&memory, at: date, by: service)
    let first = try #require(world.carrier.sent.first)
    // In the reader's language, with the value, as the plan allows.
    #expect(world.carrier.sent.count == 1 && first.contains("nora: ") && first.contains("95"))
    #expect(first.contains("請開啟主機的頁面"))
    try await world.look(&memory, at: date + 1_799, by: service)
    #expect(world.carrier.sent.count == 1)
    try await world.look(&memory, at: date + 1_800, by: service)
    let second = try #require(world.carrier.sent.last)
    #expect(second.hasPrefix("john/: A measurement needs your attention."))
    #expect(!second.contains("95") && !second.contains("John"))
    // The weight was somebody else's.
    try await world.store.write { writer in
      _ = try writer.change(
        .sample(SampleIdentity(text: "scale|\(date.microseconds)")), .delete, reason: nil,
        now: date + 2_000)
    }
    try await world.look(&memory, at: date + 2_000, by: service)
    #expect(world.carrier.state.withLock { $0.withdrawn.count } == 2)
  }

  @Test func `what is missed while the box is off comes as one message, after a restart`()
    async throws
  {
    let world = try await world(at: "2026-11-03T07:00:00+01:00")
    var memory = try #require(await world.service.begin())
    try await world.look(&memory, at: time("2026-11-03T08:30:00+01:00"), by: world.service)
    #expect(world.carrier.sent == [])
    // Two mornings without power.
    world.now.withLock { $0 += 2 * 86_400 }
    let start = world.now.withLock { $0 }
    let service = world.service
    var next = try #require(await service.begin())
    try await world.look(&next, at: start, by: service)
    #expect(world.carrier.sent == [])
    try await world.look(&next, at: start + 60, by: service)
    #expect(world.carrier.sent.count == 1)
    #expect(world.carrier.sent.first?.contains("主機曾關機一段時間，其間有 2 則訊息") == true)
    try await world.look(&next, at: start + 120, by: service)
    #expect(world.carrier.sent.count == 1)
  }

  @Test func `a kill between a start and its first look loses nothing`() async throws {
    let world = try await world(at: "2026-11-03T07:00:00+01:00")
    var memory = try #require(await world.service.begin())
    try await world.look(&memory, at: time("2026-11-03T08:30:00+01:00"), by: world.service)
    world.now.withLock { $0 += 2 * 86_400 }
    let start = world.now.withLock { $0 }
    _ = try #require(await world.service.begin())
    let service = world.service
    var next = try #require(await service.begin())
    try await world.look(&next, at: start + 60, by: service)
    #expect(world.carrier.sent.count == 1)
    #expect(world.carrier.sent.first?.contains("其間有 2 則訊息") == true)
  }

  @Test func `a kill between request and answer sends the same message again`() async throws {
    let world = try await world(at: "2026-11-03T07:00:00+01:00")
    let service = world.service
    var memory = try #require(await service.begin())
    let date = try time("2026-11-03T08:10:00+01:00")
    try await weigh(world.store, 95, at: date)
    world.now.withLock { $0 = date }
    _ = try await world.store.write { try Agenda.run($0, now: date) }
    let carriages = await service.look(&memory).carriages
    #expect(carriages.count == 1)
    #expect(await service.look(&memory).carriages.isEmpty)
    // The answer never came: the next start does it again under the same name.
    let again = world.service
    var next = try #require(await again.begin())
    let repeated = await again.look(&next).carriages
    #expect(repeated.map(\.message.id) == carriages.map(\.message.id))
  }

  @Test func `while nothing is due, nothing is written but a sign of life`() async throws {
    let world = try await world(at: "2026-11-03T09:30:00+01:00")
    let service = world.service
    var memory = try #require(await service.begin())
    // An event that was over before the first start is the past.
    let (pause, carriages) = await service.look(&memory)
    #expect(carriages.isEmpty && pause <= 60)
    let before = try await world.store.readMessages { try $0.uptimes() }
    world.now.withLock { $0 += 60 }
    _ = await service.look(&memory)
    #expect(try await world.store.readMessages { try $0.uptimes() } == before)
    world.now.withLock { $0 += 900 }
    _ = await service.look(&memory)
    #expect(try await world.store.readMessages { try $0.uptimes() } != before)
    #expect(
      try await world.store.readMessages { try $0.messages(finishedSince: .distantPast) } == [])
  }

  @Test func `an escalation goes on under a person's new id, and tells nobody twice`() async throws
  {
    let world = try await world(at: "2026-11-03T07:00:00+01:00")
    let service = world.service
    var memory = try #require(await service.begin())
    let date = try time("2026-11-03T08:10:00+01:00")
    try await weigh(world.store, 95, at: date)
    try await world.look(&memory, at: date, by: service)
    #expect(world.carrier.sent.count == 1)
    try await world.store.write {
      try RenamePatient("john", to: "johnny").perform(in: $0, by: .owner, now: date + 600)
    }
    try await world.look(&memory, at: date + 660, by: service)
    try await world.look(&memory, at: date + 1_799, by: service)
    #expect(world.carrier.sent.count == 1)
    #expect(world.carrier.state.withLock { $0.withdrawn } == [])
    try await world.look(&memory, at: date + 1_800, by: service)
    #expect(world.carrier.sent.map { $0.prefix { $0 != ":" } } == ["nora", "johnny/"])
    let plan = try await world.store.read { try $0.histories(patient: nil) }
    #expect(plan.first?.current(at: date + 700)?.planned.notify.last?.to == ["johnny"])
    // The alert is still told of the person, and ends with the value.
    try await world.store.write { writer in
      _ = try writer.change(
        .sample(SampleIdentity(text: "scale|\(date.microseconds)")), .delete, reason: nil,
        now: date + 2_000)
    }
    try await world.look(&memory, at: date + 2_000, by: service)
    #expect(world.carrier.sent.count == 2)
    #expect(world.carrier.state.withLock { $0.withdrawn.count } == 2)
  }

  @Test func `quiet hours hold what can wait, and let through what is urgent`() async throws {
    let world = try await world(at: "2026-11-03T20:00:00+01:00")
    let begin = world.now.withLock { $0 }
    // Nora sleeps from ten to seven; two events of the night are missed.
    try await world.store.write { writer in
      var nora = try #require(try writer.things(Contact.self).first)
      nora.quiet = QuietHours(from: 22 * 60, to: 7 * 60)
      _ = try writer.put(nora, now: begin)
      let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
      let elements = try ["22:30", "23:30"].map { time in
        try ScheduleElement(
          start: #require(Date("2026-11-03T" + time, in: berlin)), interval: Interval(days: 1),
          duration: .seconds(600), timeZone: berlin)
      }
      _ = try writer.put(
        PlannedTask(
          id: "drops", patient: "john", title: "Drops", schedule: try Schedule(elements)),
        now: begin)
    }
    let service = world.service
    var memory = try #require(await service.begin())
    for text in ["22:41:00", "23:41:00"] {
      try await world.look(&memory, at: time("2026-11-03T\(text)+01:00"), by: service)
    }
    #expect(world.carrier.sent == [])
    // A weight that rings at once, also at night.
    let urgent = try time("2026-11-04T06:30:00+01:00")
    try await world.look(&memory, at: urgent, by: service)
    #expect(world.carrier.sent == [])
    try await world.look(&memory, at: time("2026-11-04T06:59:59+01:00"), by: service)
    #expect(world.carrier.sent == [])
    try await world.look(&memory, at: time("2026-11-04T07:00:00+01:00"), by: service)
    #expect(world.carrier.sent.count == 1)
    #expect(world.carrier.sent.first?.contains("2 則訊息") == true)
    try await world.look(&memory, at: time("2026-11-04T07:30:00+01:00"), by: service)
    #expect(world.carrier.sent.count == 1)
  }

  @Test func `an erased person leaves no message`() async throws {
    let world = try await world(at: "2026-11-03T07:00:00+01:00")
    let service = world.service
    var memory = try #require(await service.begin())
    let date = try time("2026-11-03T08:10:00+01:00")
    try await weigh(world.store, 95, at: date)
    try await world.look(&memory, at: date, by: service)
    try await world.store.write { try $0.renamePatient("john", to: "johnny", now: date) }
    let renamed = try await world.store.readMessages {
      try $0.messages(finishedSince: .distantPast)
    }
    #expect(Set(renamed.map(\.patient)) == ["johnny"])
    #expect(Set(renamed.map(\.recipient)) == ["nora", "johnny/"])
    try await world.store.erase(patient: "johnny", now: date + 60)
    #expect(
      try await world.store.readMessages { try $0.messages(finishedSince: .distantPast) } == [])
  }
}
