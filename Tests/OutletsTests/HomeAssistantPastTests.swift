import Care
import CareStore
import Foundation
import Synchronization
import Testing

@testable import Outlets

/// The statistics of a Home Assistant in this process, which writes some time after it was told to.
final class ScriptedRecorder: HomeAssistantRecorder {
  struct Content {
    var names: [String: String] = [:]
    var hours: [String: [Int64: HomeAssistantHour.Values]] = [:]
    /// Taken, and not written yet.
    var queue: [@Sendable (inout Content) -> Void] = []
    var messages = 0
    var sent = 0
    /// After so many messages the connection ends.
    var limit = Int.max
    /// Whether nothing that it takes is ever written.
    var isStuck = false
  }

  let version = HomeAssistantVersion(year: 2026, month: 2)
  let content = Mutex(Content())

  private func take(_ change: @escaping @Sendable (inout Content) -> Void) throws(DeliveryFault) {
    let isOpen = content.withLock { content in
      content.messages += 1
      guard content.messages <= content.limit else { return false }
      content.queue.append(change)
      return true
    }
    guard isOpen else { throw .unexpected(detail: "cut") }
  }

  /// Answers from what is written, and writes the next thing.
  private func read<T: Sendable>(_ body: @Sendable (Content) -> T) -> T {
    content.withLock { content in
      defer {
        if !content.queue.isEmpty, !content.isStuck { content.queue.removeFirst()(&content) }
      }
      return body(content)
    }
  }

  func known() async throws(DeliveryFault) -> [String: String] { content.withLock { $0.names } }

  func hours(
    of statistic: HomeAssistantStatistic, from: Date, to: Date
  ) async throws(DeliveryFault) -> [HomeAssistantHour] {
    read { content in
      (content.hours[statistic.id] ?? [:]).sorted { $0.key < $1.key }
        .map { HomeAssistantHour($0.key, $0.value) }
        .filter { from <= $0.start && $0.start < to }
    }
  }

  func earliest(
    of statistic: HomeAssistantStatistic, to: Date
  ) async throws(DeliveryFault) -> Date? {
    read { content in
      content.hours[statistic.id]?.keys.min().map { HomeAssistantHour.start(of: $0) - 86_400 }
    }
  }

  func put(
    _ hours: ArraySlice<HomeAssistantHour>, of statistic: HomeAssistantStatistic
  ) async throws(DeliveryFault) {
    #expect(hours.count <= HomeAssistantPast.mostHours)
    let (id, name) = (statistic.id, statistic.name)
    try take { content in
      content.names[id] = name
      content.sent += hours.count
      for hour in hours { content.hours[id, default: [:]][hour.hour] = hour.values }
    }
  }

  func clear(_ ids: [String]) async throws(DeliveryFault) {
    try take { content in
      for id in ids { (content.names[id], content.hours[id]) = (nil, nil) }
    }
    content.withLock { content in
      for change in content.queue { change(&content) }
      content.queue = []
    }
  }
}

struct HomeAssistantPresenceTests {
  @Test(
    arguments: [
      ("home", true), ("not_home", false), ("Work", false), ("unknown", nil), ("unavailable", nil),
      ("", nil), (String(repeating: "a", count: 256), nil),
    ] as [(String, Bool?)])
  func `a state of a person`(state: String, isHome: Bool?) {
    #expect(HomeAssistantPresence(Data(state.utf8), of: "john")?.isHome == isHome)
  }
}

struct HomeAssistantPastTests {
  private static let noon = OutletFaultTests.noon
  private static let words = HomeAssistantWords { "\($0)" }
  private static let hour = HomeAssistantHour.hour(of: noon)

  private static func past(
    _ store: SQLStore, _ recorder: ScriptedRecorder, people: Set<String>? = nil
  ) -> HomeAssistantPast {
    HomeAssistantPast(
      box: "home", scope: OutletScope(people: people), words: words, from: store, to: recorder,
      now: { noon }, clock: ImmediateClock())
  }

  private static func id(_ quantity: Quantity, of patient: String) throws -> String {
    let patient = Patient(id: patient, name: PersonName(given: patient))
    return try #require(
      HomeAssistantStatistic(quantity, of: patient, box: "home", name: "")
    ).id
  }

  private static func weight(
    _ value: Double, hoursAgo: Double, of patient: String = "john", ordinal: Int = 0
  ) -> Sample {
    HomeAssistantFaultTests.sample(
      .bodyMass, value, at: noon - hoursAgo * 3_600, of: patient, ordinal: ordinal)
  }

  private static func steps(
    _ value: Double, hoursAgo: Double, by device: DeviceID = "5C:CA:D3:70:D4:A2"
  ) -> Sample {
    let start = noon - hoursAgo * 3_600
    return Sample(
      reading: Reading(
        quantity: .stepCount, value: value, arrival: start + 60,
        device: DeviceIdentity(address: device),
        raw: Array("\(hoursAgo) \(device.text)".utf8)),
      patient: "john", start: start, end: start + 60)
  }

  private static func store(_ samples: [Sample]) async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    try await store.write { writer in
      _ = try writer.importPlan(
        PlanDocument(
          timeZone: .gmt,
          patients: ["john", "mary"].map { Patient(id: $0, name: PersonName(given: $0)) },
          tasks: []),
        options: PlanImportOptions(), now: noon - 5 * 86_400)
      for sample in samples { _ = try writer.insert(sample) }
    }
    return store
  }

  @Test func `an hour has mean, least and greatest, or what it adds and the total`() async throws {
    let store = try await Self.store([
      Self.weight(81.5, hoursAgo: 30), Self.weight(82, hoursAgo: 29.75, ordinal: 1),
      Self.weight(80, hoursAgo: 2),
      // The hour is not over.
      Self.weight(79, hoursAgo: -0.25),
      // Two devices that counted the same minute counted it once.
      Self.steps(100, hoursAgo: 5), Self.steps(90, hoursAgo: 5, by: "5C:CA:D3:70:D4:A3"),
      Self.steps(20, hoursAgo: 4.5), Self.steps(7, hoursAgo: 3),
    ])
    let recorder = ScriptedRecorder()
    let report = try await Self.past(store, recorder).send(from: nil) { _, _ in }
    let hours = recorder.content.withLock { $0.hours }
    #expect(
      hours == [
        try Self.id(.bodyMass, of: "john"): [
          Self.hour - 30: .mean(81.75, least: 81.5, greatest: 82),
          Self.hour - 2: .mean(80, least: 80, greatest: 80),
        ],
        try Self.id(.stepCount, of: "john"): [
          Self.hour - 5: .sum(120, total: 120), Self.hour - 3: .sum(7, total: 127),
        ],
      ])
    #expect(report == .init(statistics: 2, sent: 4, known: 0, cleared: 0))
    let again = try await Self.past(store, recorder).send(from: nil) { _, _ in }
    #expect(again == .init(statistics: 2, sent: 0, known: 4, cleared: 0))
  }

  /// A change of the store between two runs.
  enum Change: String, CaseIterable {
    case added, corrected, deleted, moved, erased, renamed, withdrawn
  }

  @Test(arguments: Change.allCases)
  func `what changes meanwhile is there after the next run, and nothing else is`(
    change: Change
  ) async throws {
    let store = try await Self.store([
      Self.weight(80, hoursAgo: 9_000), Self.weight(81, hoursAgo: 50), Self.weight(82, hoursAgo: 3),
      Self.weight(61, hoursAgo: 3, of: "mary", ordinal: 1), Self.steps(10, hoursAgo: 70),
      Self.steps(20, hoursAgo: 60),
    ])
    let recorder = ScriptedRecorder()
    let other = "measured:other_12345678_john"
    recorder.content.withLock { $0.names[other] = "another box's" }
    _ = try await Self.past(store, recorder).send(from: nil) { _, _ in }
    var people: Set<String>?
    switch change {
    case .erased: try await store.erase(patient: "john", now: Self.noon)
    case .withdrawn: people = ["mary"]
    default:
      try await store.write { writer in
        let first = try #require(
          try writer.samples(SampleQuery(owner: .patient("john"), quantity: .bodyMass)).first)
        switch change {
        case .corrected:
          _ = try writer.correct(
            first.identity, value: 80.5, source: nil, reason: nil, now: Self.noon)
        case .deleted:
          _ = try writer.change(.sample(first.identity), .delete, reason: nil, now: Self.noon)
        case .moved:
          _ = try writer.change(
            .sample(first.identity), .assign(patient: "mary"), reason: nil, now: Self.noon)
        case .renamed:
          _ = try writer.put(
            Patient(id: "john", name: PersonName(given: "Johannes")), now: Self.noon)
        default: _ = try writer.insert(Self.steps(5, hoursAgo: 65))
        }
      }
    }
    let before = recorder.content.withLock { $0.sent }
    _ = try await Self.past(store, recorder, people: people).send(from: nil) { _, _ in }
    let fresh = ScriptedRecorder()
    _ = try await Self.past(store, fresh, people: people).send(from: nil) { _, _ in }
    var (seen, expected) = (
      recorder.content.withLock { $0 }, fresh.content.withLock { $0 }
    )
    #expect(seen.names.removeValue(forKey: other) == "another box's")
    #expect(seen.names == expected.names)
    #expect(seen.hours == expected.hours)
    // An hour that was there is not sent again.
    let sent = [
      Change.added: 2, .corrected: 1, .deleted: 2, .moved: 3, .erased: 0, .renamed: 2,
      .withdrawn: 0,
    ]
    #expect(seen.sent - before == sent[change])
    expected.sent = 0
  }

  @Test func `a run that broke off goes on where it was`() async throws {
    let store = try await Self.store(
      (1...2_500).map { Self.weight(80 + Double($0 % 7), hoursAgo: Double($0)) })
    let recorder = ScriptedRecorder()
    recorder.content.withLock { $0.limit = 1 }
    await #expect(throws: DeliveryFault.self) {
      try await Self.past(store, recorder).send(from: nil) { _, _ in }
    }
    recorder.content.withLock { content in
      content.limit = .max
      for change in content.queue { change(&content) }
      content.queue = []
      #expect(content.sent == 1_000)
    }
    let report = try await Self.past(store, recorder).send(from: nil) { _, _ in }
    #expect(report == .init(statistics: 1, sent: 1_500, known: 1_000, cleared: 0))
  }

  @Test func `from a day on nothing earlier is looked at`() async throws {
    let store = try await Self.store([
      Self.steps(10, hoursAgo: 70), Self.steps(20, hoursAgo: 60),
      Self.steps(30, hoursAgo: 50),
    ])
    let recorder = ScriptedRecorder()
    let report = try await Self.past(store, recorder).send(from: Self.noon - 61 * 3_600) { _, _ in }
    #expect(report.sent == 2)
    #expect(
      recorder.content.withLock { $0.hours } == [
        try Self.id(.stepCount, of: "john"): [
          Self.hour - 60: .sum(20, total: 30), Self.hour - 50: .sum(30, total: 60),
        ]
      ])
  }

  @Test func `a recorder that never writes is told of`() async throws {
    let store = try await Self.store([Self.weight(80, hoursAgo: 3)])
    let recorder = ScriptedRecorder()
    recorder.content.withLock { $0.isStuck = true }
    await #expect(
      throws: DeliveryFault.unexpected(
        detail: "recorder/import_statistics \(try Self.id(.bodyMass, of: "john"))")
    ) { try await Self.past(store, recorder).send(from: nil) { _, _ in } }
  }

  /// Home Assistant's `VALID_STATISTIC_ID`: no `_` at an end, and no two.
  @Test(arguments: [
    ("john", "home"), ("John Smith", "home-2"), ("_", "-"), ("王", "H"), ("a__b", "a--b"),
  ])
  func `an id is one that Home Assistant takes`(patient: String, box: String) throws {
    let valid = /[\da-z]+(_[\da-z]+)*:[\da-z]+(_[\da-z]+)*/
    let person = Patient(id: patient, name: PersonName(given: patient))
    for quantity in Quantity.all {
      guard let one = HomeAssistantStatistic(quantity, of: person, box: box, name: "x") else {
        continue
      }
      #expect(one.id.wholeMatch(of: valid) != nil, "\(one.id)")
      #expect(HomeAssistantStatistic.isOwn(one.id, of: box))
      #expect(!HomeAssistantStatistic.isOwn(one.id, of: box + "-2"))
      #expect(!HomeAssistantStatistic.isOwn(one.id, of: String(box.dropLast())))
    }
  }

  /// The keys of home-assistant/core, `recorder/websocket_api.py`, of 2025.4 and 2026.2.
  @Test(arguments: [
    (
      "2025.4.4", Quantity.bodyMass,
      #"{"has_mean":true,"has_sum":false,"name":"N","source":"measured","statistic_id":"ID","unit_of_measurement":"kg"}"#
    ),
    (
      "2025.11.0", .bodyMass,
      #"{"has_sum":false,"mean_type":1,"name":"N","source":"measured","statistic_id":"ID","unit_class":"mass","unit_of_measurement":"kg"}"#
    ),
    (
      "2026.2.3", .stepCount,
      #"{"has_sum":true,"mean_type":0,"name":"N","source":"measured","statistic_id":"ID","unit_class":null,"unit_of_measurement":"steps"}"#
    ),
    (
      "2026.2.3", .chairStandCount,
      #"{"has_sum":false,"mean_type":1,"name":"N","source":"measured","statistic_id":"ID","unit_class":null,"unit_of_measurement":null}"#
    ),
  ])
  func `a version is told what it knows`(version: String, quantity: Quantity, json: String) throws {
    let patient = Patient(id: "john", name: PersonName(given: "john"))
    let statistic = try #require(
      HomeAssistantStatistic(quantity, of: patient, box: "home", name: "N"))
    let version = try #require(HomeAssistantVersion(version))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(statistic.metadata(for: version)), as: UTF8.self)
    #expect(text == json.replacing("ID", with: statistic.id))
  }
}

/// A clock whose pauses are over at once.
private struct ImmediateClock: Clock {
  typealias Instant = ContinuousClock.Instant

  var now: Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await Task.yield()
  }
}
