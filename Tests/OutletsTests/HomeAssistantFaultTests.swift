import Care
import CareStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Outlets

/// A broker in this process, with what a Home Assistant behind it was told.
final class ScriptedBroker: Sendable {
  struct Content {
    var retained: [String: Data] = [:]
    /// Every message without the flag, in order.
    var passed: [MQTTMessage] = []
    /// Every state that arrived at a topic, in order.
    var states: [String: [Data]] = [:]
    /// Whether it remembers its client.
    var knowsClient = false
    var requests = 0
    var fault: DeliveryFault?
    /// The answer to the next batch, after so many of its messages were taken.
    var trouble: (taken: Int, answer: OutletAnswer)?
    var openingFault: DeliveryFault?
    var session: ScriptedSession?
    var refusedTopics: Set<String> = []
  }

  let content = Mutex(Content())
  /// The happening in the midst of the next batch.
  let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)

  func open(_ opening: MQTTOpening) -> Result<any MQTTSession, DeliveryFault> {
    content.withLock { content in
      if let fault = content.openingFault {
        content.openingFault = nil
        return .failure(fault)
      }
      let session = ScriptedSession(self, opening, isResumed: content.knowsClient)
      content.knowsClient = true
      content.session = session
      return .success(session)
    }
  }

  /// Ends the connection as a network does: the will is published.
  func cut(_ fault: DeliveryFault, forgets: Bool = false) {
    let session = content.withLock { content in
      defer { content.session = nil }
      if forgets { (content.retained, content.knowsClient) = ([:], false) }
      return content.session
    }
    guard let session else { return }
    session.end(fault)
    put(session.opening.will)
  }

  func put(_ message: MQTTMessage) {
    content.withLock { content in
      guard message.isRetained else { return content.passed.append(message) }
      content.retained[message.topic] = message.payload.isEmpty ? nil : message.payload
      content.states[message.topic, default: []].append(message.payload)
    }
  }

  /// The retained messages, without whether the box is there.
  var retained: [String: Data] {
    content.withLock { $0.retained.filter { $0.key != "measured/home/status" } }
  }

  var availability: String? {
    content.withLock { $0.retained["measured/home/status"] }.map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

final class ScriptedSession: MQTTSession, Sendable {
  private let broker: ScriptedBroker
  let opening: MQTTOpening
  let isResumed: Bool
  private let end = Mutex<DeliveryFault?>(nil)

  init(_ broker: ScriptedBroker, _ opening: MQTTOpening, isResumed: Bool) {
    (self.broker, self.opening, self.isResumed) = (broker, opening, isResumed)
  }

  var fault: DeliveryFault? { end.withLock { $0 } }

  func end(_ fault: DeliveryFault) {
    end.withLock { $0 = fault }
    opening.ended()
  }

  func publish(_ messages: [MQTTMessage]) async -> OutletAnswer {
    if let fault { return OutletAnswer(.later(fault, after: nil)) }
    let isGreeting = messages.first?.topic == "measured/home/status"
    let (trouble, refusedTopics) = broker.content.withLock { content in
      content.requests += isGreeting ? 0 : 1
      defer { if !isGreeting { content.trouble = nil } }
      return (isGreeting ? nil : content.trouble, content.refusedTopics)
    }
    var refused: [Int: DeliveryFault] = [:]
    for (place, message) in messages.prefix(trouble?.taken ?? .max).enumerated() {
      if refusedTopics.contains(message.topic) {
        refused[place] = .message(detail: "Not authorized")
      } else {
        broker.put(message)
      }
    }
    if !isGreeting,
      let meanwhile = broker.meanwhile.withLock({ task in
        defer { task = nil }
        return task
      })
    {
      await meanwhile()
    }
    if let trouble { return trouble.answer }
    return OutletAnswer(.delivered, refused: refused)
  }

  func close(_ last: MQTTMessage) async {
    guard fault == nil else { return }
    broker.put(last)
    end.withLock { $0 = .unexpected(detail: "closed") }
  }
}

/// The troubles between the store, the broker and Home Assistant.
enum HomeAssistantTrouble: String, CaseIterable {
  case cutAfterPublish, brokerForgets, brokerRemembers, fullQueue, killed, clockBack, correction
  case deletion, moved, renamedPerson, otherID, twoBoxes, olderHomeAssistant, retainedGarbage,
    erased
  case refusedTopic, weekWithoutNetwork
}

struct HomeAssistantFaultTests {
  static let noon = OutletFaultTests.noon
  private static let topics = HomeAssistantTopics(box: "home")
  private static let words = HomeAssistantWords { "\($0)" }

  private static func reading(
    _ quantity: Quantity, _ value: Double, _ date: Date, ordinal: Int = 0
  ) -> Reading {
    Reading(
      quantity: quantity, value: value, arrival: date,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), ordinal: ordinal,
      raw: [UInt8(truncatingIfNeeded: Int64(saturating: date.timeIntervalSince1970) / 60), 7])
  }

  static func sample(
    _ quantity: Quantity, _ value: Double, at date: Date, of patient: String?, ordinal: Int = 0
  ) -> Sample {
    Sample(
      reading: reading(quantity, value, date, ordinal: ordinal), patient: patient, start: date,
      end: date)
  }

  static func store() async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let schedule = try Schedule.daily(
      hour: 8, start: noon - 5 * 86_400, duration: .allDay, timeZone: .gmt)
    _ = try await store.write { writer in
      _ = try writer.importPlan(
        PlanDocument(
          timeZone: .gmt,
          patients: ["john", "mary"].map { Patient(id: $0, name: PersonName(given: $0)) },
          tasks: [PlannedTask(id: "pills", patient: "john", title: "Pills", schedule: schedule)],
          devices: [DeviceBinding(address: "5C:CA:D3:70:D4:A2")]),
        options: PlanImportOptions(), now: noon - 5 * 86_400)
      for (index, owner) in ["john", "mary", "john", "mary"].enumerated() {
        _ = try writer.insert(
          sample(.bodyMass, 60 + Double(index), at: noon - 7_200 + Double(index) * 600, of: owner))
      }
      _ = try writer.insert(sample(.bloodPressureSystolic, 131, at: noon - 3_000, of: "john"))
      _ = try writer.insert(
        sample(.bloodPressureDiastolic, 82, at: noon - 3_000, of: "john", ordinal: 1))
      _ = try writer.insert(sample(.batteryLevel, 80, at: noon - 3_000, of: nil, ordinal: 2))
      _ = try writer.insert(sample(.bodyMass, 99, at: noon - 1_000, of: nil))
    }
    return store
  }

  static func run(
    _ store: SQLStore, _ broker: ScriptedBroker, _ clock: SetClock,
    answer: (@Sendable (HomeAssistantAnswer) async -> Void)? = { _ in }
  ) async throws -> HomeAssistantRun {
    let run = HomeAssistantRun(
      "home", topics: topics, scope: OutletScope(people: nil), words: words, from: store,
      now: { clock.now }, random: SeededGenerator(seed: 7), wake: {}, answer: answer
    ) { broker.open($0) }
    try await run.begin(receiver: "here")
    return run
  }

  /// The messages that a broker is to have.
  static func expected(_ store: SQLStore, _ clock: SetClock) async throws -> [String: Data] {
    let date = clock.now
    return try await store.read { reader in
      let facts = try HomeAssistantFacts(reader, scope: OutletScope(people: nil), now: date)
      return try HomeAssistantPicture(of: facts, takesAnswers: true, topics, words, now: date)
        .retained
    }
  }

  /// Works until nothing is left; its clock goes on over the pauses after failures.
  static func drain(_ run: inout HomeAssistantRun, _ clock: SetClock) async throws {
    for _ in 0..<1_000 {
      guard case .rest(let until) = try await run.round() else { continue }
      guard let until, until.timeIntervalSince(clock.now) < 3_700 else { return }
      clock.set(until)
    }
    Issue.record("It comes to no end")
  }

  private static func change(
    _ store: SQLStore, _ trouble: HomeAssistantTrouble, at date: Date
  ) async throws {
    if trouble == .erased { return try await store.erase(patient: "john", now: date) }
    try await store.write { writer in
      let weights = try writer.samples(
        SampleQuery(owner: .patient("john"), quantity: .bodyMass, states: [.live]))
      switch trouble {
      case .correction:
        let last = try #require(weights.last)
        _ = try writer.correct(last.identity, value: 61.5, source: nil, reason: nil, now: date)
      case .deletion:
        let last = try #require(weights.last)
        _ = try writer.change(.sample(last.identity), .delete, reason: nil, now: date)
      case .moved:
        for weight in weights {
          _ = try writer.change(
            .sample(weight.identity), .assign(patient: "mary"), reason: nil, now: date)
        }
      case .renamedPerson:
        _ = try writer.put(
          Patient(id: "john", name: PersonName(given: "Johannes")), now: date)
      case .otherID: try writer.renamePatient("john", to: "johannes", now: date)
      default:
        _ = try writer.insert(sample(.bodyMass, 64.5, at: date, of: "john"))
      }
    }
  }

  @Test(arguments: HomeAssistantTrouble.allCases)
  func `nothing is lost, nothing is there twice, and nothing old is new`(
    trouble: HomeAssistantTrouble
  ) async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    var run = try await Self.run(store, broker, clock)
    var killed: Task<Void, any Error>?
    defer { killed?.cancel() }
    switch trouble {
    case .cutAfterPublish:
      broker.content.withLock {
        $0.trouble = (5, OutletAnswer(.unknown(.unexpected(detail: "cut"))))
      }
    case .fullQueue:
      broker.content.withLock {
        $0.trouble = (3, OutletAnswer(.later(.full(detail: "quota exceeded"), after: nil)))
      }
    case .killed:
      let first = run
      let (gone, signal) = AsyncStream.makeStream(of: Void.self)
      broker.meanwhile.withLock {
        $0 = {
          signal.yield()
          // The program never hears of the answer.
          try? await Task.sleep(for: .seconds(1_000_000))
        }
      }
      killed = Task {
        var run = first
        for _ in 0..<3 { _ = try await run.round() }
      }
      for await _ in gone { break }
      // While it is dead, a weight of which the broker has heard is moved.
      try await Self.change(store, .moved, at: clock.now)
      broker.cut(.unexpected(detail: "killed"))
      #expect(broker.availability == "offline")
      run = try await Self.run(store, broker, clock)
    case .refusedTopic:
      broker.content.withLock { $0.refusedTopics = ["measured/home/john/bodyMass"] }
    case .retainedGarbage:
      broker.content.withLock {
        $0.retained["homeassistant/status"] = Data("garbage".utf8)
      }
    default: break
    }
    try await Self.drain(&run, clock)
    #expect(broker.availability == "online")

    // The same when everything was sent before.
    switch trouble {
    case .brokerForgets: broker.cut(.unexpected(detail: "restart"), forgets: true)
    case .brokerRemembers, .weekWithoutNetwork: broker.cut(.unexpected(detail: "restart"))
    case .twoBoxes: broker.cut(.takenOver(name: "measured_home"))
    case .clockBack: clock.set(Self.noon - 200_000)
    case .retainedGarbage:
      let session = try #require(broker.content.withLock { $0.session })
      session.opening.take(
        MQTTMessage("homeassistant/status", Data("online".utf8), isRetained: true))
      session.opening.take(MQTTMessage("homeassistant/status", Data([0xFF, 0])))
      session.opening.take(
        MQTTMessage("measured/home/john/task/pills/set", Data("done".utf8), isRetained: true))
      session.opening.take(MQTTMessage("measured/home/+/x", Data(count: 900)))
    case .olderHomeAssistant:
      // It knows no devices and ignores them; its birth changes nothing else.
      let session = try #require(broker.content.withLock { $0.session })
      session.opening.take(MQTTMessage("homeassistant/status", Data("online".utf8)))
    default: break
    }
    let states = broker.content.withLock { $0.states }
    if trouble == .weekWithoutNetwork {
      for day in 1...7 {
        clock.set(Self.noon + Double(day) * 86_400)
        broker.content.withLock { $0.openingFault = .unreachable("broker") }
        try await Self.change(store, trouble, at: clock.now - 7_200)
        _ = try await run.round()
      }
    } else {
      try await Self.change(store, trouble, at: clock.now)
    }
    try await Self.drain(&run, clock)
    let expected = try await Self.expected(store, clock)
    var retained = broker.retained
    if trouble == .retainedGarbage { retained["homeassistant/status"] = nil }
    if trouble == .refusedTopic {
      let refused = try await store.readOutlets {
        try $0.refused(by: "home", isDue: false, limit: 9)
      }
      #expect(refused.map(\.name) == ["measured/home/john/bodyMass"])
      broker.content.withLock { $0.refusedTopics = [] }
      _ = try await store.writeOutlets { try $0.retryRefused(by: "home") }
      try await Self.drain(&run, clock)
      retained = broker.retained
      #expect(try await store.readOutlets { try $0.refusedCount(by: "home") } == 0)
    }
    #expect(retained.keys.sorted() == expected.keys.sorted())
    #expect(retained == expected)
    #expect(broker.availability == "online")

    // Messages of mary, whom nothing concerned, Home Assistant got once.
    let mary = "measured/home/mary/bodyMass"
    let count = broker.content.withLock { $0.states[mary]?.count ?? 0 }
    switch trouble {
    case .moved, .killed, .brokerForgets, .cutAfterPublish, .fullQueue: break
    default: #expect(count == 1 && states[mary]?.count == 1)
    }
    // Nothing is left to send, and so nothing is: not after a clean start either.
    let requests = broker.content.withLock { $0.requests }
    try await Self.drain(&run, clock)
    await run.stop()
    #expect(broker.availability == "offline")
    var next = try await Self.run(store, broker, clock)
    try await Self.drain(&next, clock)
    #expect(broker.content.withLock { $0.requests } == requests)
  }

  @Test func `a state is never older than the last`() async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    var run = try await Self.run(store, broker, clock)
    try await Self.drain(&run, clock)
    let topic = "measured/home/john/bodyMass"
    let before = broker.content.withLock { $0.states[topic] }
    #expect(before?.count == 1)
    // A scale hands over what it measured a month ago.
    _ = try await store.write {
      try $0.insert(Self.sample(.bodyMass, 90, at: Self.noon - 30 * 86_400, of: "john"))
    }
    try await Self.drain(&run, clock)
    #expect(broker.content.withLock { $0.states[topic] } == before)
    // Two equal weights are two.
    for minutes in [1.0, 2] {
      clock.set(Self.noon + minutes * 60)
      _ = try await store.write {
        try $0.insert(Self.sample(.bodyMass, 62, at: clock.now, of: "john"))
      }
      try await Self.drain(&run, clock)
    }
    #expect(broker.content.withLock { $0.states[topic]?.count } == 3)
  }

  @Test func `an event is told once, and none that is older than an hour`() async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    var run = try await Self.run(store, broker, clock)
    try await Self.drain(&run, clock)
    // Events that waited before the outlet began are no news.
    #expect(broker.content.withLock { $0.passed }.isEmpty)
    func answer(at date: Date) async throws {
      try await store.write { writer in
        let event = try #require(
          try writer.events(
            patient: "john", task: "pills", from: Self.noon - 43_200, to: Self.noon + 3_600
          ).first { $0.outcome == nil })
        _ = try writer.setOutcome([], answer: .done, of: event.reference, now: date)
      }
    }
    clock.set(Self.noon + 60)
    try await answer(at: clock.now)
    broker.content.withLock {
      $0.trouble = (9, OutletAnswer(.unknown(.unexpected(detail: "cut"))))
    }
    try await Self.drain(&run, clock)
    let told = broker.content.withLock { $0.passed }
    // The answer was lost: it comes again under its name.
    let ids = Set(told.map { String(decoding: $0.payload, as: UTF8.self) })
    #expect(ids.count == 1)
    #expect(ids.first?.contains(#""event_type":"completed""#) == true)
    #expect(told.allSatisfy { $0.topic == "measured/home/john/event" && !$0.isRetained })
    try await Self.drain(&run, clock)
    #expect(broker.content.withLock { $0.passed.count } == told.count)
    // Of an outage of half a day only the last hour is told.
    broker.cut(.unreachable("broker"))
    let before = broker.content.withLock { $0.passed.count }
    _ = try await store.write {
      _ = try $0.insert(Self.sample(.bodyMass, 120, at: Self.noon + 4_000, of: nil))
      _ = try $0.insert(Self.sample(.bodyMass, 121, at: Self.noon + 43_000, of: nil))
    }
    clock.set(Self.noon + 43_200)
    try await Self.drain(&run, clock)
    let later = broker.content.withLock { $0.passed.dropFirst(before).map { $0.topic } }
    // The day's task began anew at eight in the morning; it is not over yet.
    #expect(later == ["measured/home/event"])
  }

  @Test func `two boxes with one name do not end each other for ever`() async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    var run = try await Self.run(store, broker, clock)
    for _ in 0..<3 {
      try await Self.drain(&run, clock)
      clock.set(clock.now + 5)
      // Debian's broker gives no reason.
      broker.cut(.unexpected(detail: "The connection was lost."))
    }
    let before = clock.now
    guard case .round = try await run.round(), case .rest(let until?) = try await run.round() else {
      Issue.record("It does not wait")
      return
    }
    #expect(until.timeIntervalSince(before) >= 3_600)
    let course = try await store.readOutlets { try OutletCourse("home", in: $0) }
    #expect(course.fault == .takenOver(name: "measured_home"))
  }

  @Test func `a birth brings the descriptions again, and no state`() async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    var run = try await Self.run(store, broker, clock)
    try await Self.drain(&run, clock)
    let before = broker.content.withLock { $0.states }
    let session = try #require(broker.content.withLock { $0.session })
    session.opening.take(MQTTMessage("homeassistant/status", Data("online".utf8)))
    guard case .rest(let until?) = try await run.round() else {
      Issue.record("It does not wait")
      return
    }
    #expect((1...10).contains(until.timeIntervalSince(clock.now)))
    clock.set(until)
    try await Self.drain(&run, clock)
    for (topic, states) in broker.content.withLock({ $0.states })
    where topic != "measured/home/status" {
      let isDescription = topic.hasPrefix("homeassistant/")
      #expect(states.count == (before[topic]?.count ?? 0) + (isDescription ? 1 : 0), "\(topic)")
    }
  }

  @Test func `an answer is performed, and a paused outlet takes none`() async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    let box = AnswerBox()
    var run = try await Self.run(store, broker, clock) { answer in box.append(answer) }
    try await Self.drain(&run, clock)
    let session = try #require(broker.content.withLock { $0.session })
    #expect(
      session.opening.subscriptions == ["homeassistant/status", "measured/home/+/task/+/set"])
    session.opening.take(MQTTMessage("measured/home/john/task/pills/set", Data("done".utf8)))
    try await Self.drain(&run, clock)
    #expect(box.all.map(\.content) == [.word(.done)])
    try await store.writeOutlets { writer in
      var course = try OutletCourse("home", in: writer)
      course.isPaused = true
      try course.keep("home", in: writer)
    }
    #expect(try await run.round() == .rest(until: nil))
    #expect(broker.availability == "offline")
    #expect(session.fault != nil)
  }

  @Test func `a person whose consent does not hold has no topic`() async throws {
    let (store, broker, clock) = (try await Self.store(), ScriptedBroker(), SetClock())
    var run = HomeAssistantRun(
      "home", topics: Self.topics, scope: OutletScope(people: ["mary"]), words: Self.words,
      from: store, now: { clock.now }, random: SeededGenerator(seed: 7), wake: {}, answer: nil
    ) { broker.open($0) }
    try await run.begin(receiver: "here")
    try await Self.drain(&run, clock)
    let all = broker.retained.map { $0.key + String(decoding: $0.value, as: UTF8.self) }
    #expect(!all.isEmpty)
    #expect(all.allSatisfy { !$0.contains("john") && !$0.contains("waiting") })
    let session = try #require(broker.content.withLock { $0.session })
    #expect(session.opening.subscriptions == ["homeassistant/status"])
  }
}

/// The answers that a closure collects.
final class AnswerBox: Sendable {
  private let values = Mutex<[HomeAssistantAnswer]>([])
  func append(_ value: HomeAssistantAnswer) { values.withLock { $0.append(value) } }
  var all: [HomeAssistantAnswer] { values.withLock { $0 } }
}
