import Care
import CareStore
import Foundation
import Motion
import Testing
import TestSupport

@testable import Agenda

@Suite struct MorningTests {
  private static let day: TimeInterval = 86_400
  private static let begin = time("2026-11-01T07:00:00Z")
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: john, name: {given: John}, away: [{from: 2026-12-20, to: 2026-12-31}]}
      - {id: rosa, name: {given: Rosa}}
    tasks:
      - {id: weigh-in, patient: john, title: Weigh-in, schedule: [{start: 2026-11-01T07:00, interval: {days: 1}, duration: 2h}], linkage: {quantity: bodyMass}}
    """

  /// John has weighed on twenty days.
  private func weighed(_ kilograms: Double = 80) async throws -> SQLStore {
    let store = try await SQLStore.planned(Self.plan, at: Self.begin - Self.day)
    for day in 0..<20 {
      try await store.weigh(kilograms, at: Self.begin + Double(day) * Self.day)
    }
    return store
  }

  private func morning(
    _ store: SQLStore, boxes: [String: [BoxNews]] = [:], at now: Date
  ) async throws -> Morning {
    try await store.read {
      try Morning($0, boxes: boxes, longestPause: 5_400, now: now)
    }
  }

  @Test func `a device is late after twice its longest pause`() async throws {
    let store = try await weighed()
    let last = Self.begin + 19 * Self.day
    for (pause, isLate) in [(0.1, false), (1.9, false), (2.1, true)] {
      let people = try await morning(store, at: last + pause * Self.day).people
      let john = try #require(people.first { $0.patient.id == "john" })
      #expect(john.devices.map(\.longestPause) == [Self.day])
      #expect(john.devices.map { $0.isLate(now: last + pause * Self.day) } == [isLate])
      #expect(john.silence == (isLate ? .device([.notReceived, .notMeasured]) : nil))
      // Who needs somebody comes first; of Rosa nothing was ever measured.
      #expect(people.map(\.patient.id) == ["john", "rosa"])
      #expect(people[1].measured == nil && people[1].silence == nil)
    }
  }

  @Test func `who is away is silent without a need`() async throws {
    let store = try await weighed()
    let people = try await morning(store, at: time("2026-12-22T07:00:00Z")).people
    #expect(people.first { $0.patient.id == "john" }?.silence == .device([.away]))
    #expect(people.allSatisfy { $0.need == 0 })
  }

  @Test func `a box that does not speak comes before what it measured`() async throws {
    let store = try await weighed()
    let now = Self.begin + 19 * Self.day + 3_600
    let boxes = [
      "rosa": [BoxNews(contact: nil)], "john": [BoxNews(contact: now - 3 * 3_600)],
    ]
    let people = try await morning(store, boxes: boxes, at: now).people
    #expect(people.map(\.patient.id) == ["rosa", "john"])
    #expect(people[0].silence == .box && people[0].box?.contact == nil && people[0].box != nil)
    #expect(people[1].silence == nil)
    let later = try await morning(store, boxes: boxes, at: now + 600).people
    #expect(later.allSatisfy { $0.silence == .box })
  }

  @Test func `an alert that somebody has seen leaves the first places`() async throws {
    let store = try await weighed()
    let now = Self.begin + 19 * Self.day + 3_600
    let event = EventKey(
      patient: "john", task: "weigh-in", start: Self.begin + 19 * Self.day)
    func fire(
      _ kind: Firing.Kind, _ date: Date, number: Int = 0, by: String? = nil, until: Date? = nil
    ) async throws {
      let threshold =
        kind == .alert
        ? Threshold(condition: .above(Double(number + 70)), says: "high", alerts: true) : nil
      _ = try await store.write {
        try $0.record(
          Firing(
            Firing.Key(kind, event, threshold: threshold, number: kind == .alert ? 0 : number),
            due: until ?? date, date: date, by: by, reason: until.map { _ in "why" }), making: nil,
          now: date)
      }
    }
    func john(later: TimeInterval = 0) async throws -> PersonMorning {
      try #require(
        try await morning(store, at: now + later).people.first { $0.patient.id == "john" })
    }
    try await fire(.alert, now - 600)
    var seen = try await john()
    #expect(seen.alerts == 1 && seen.need == 3)
    try await fire(.seen, now - 300, by: "Nora")
    seen = try await john()
    #expect(seen.alerts == 0 && seen.need == 0 && seen.alertsSince == nil)
    #expect(seen.seen == [.init(name: "Nora", date: now - 300, count: 1)])
    // One that fires later is another alert.
    try await fire(.alert, now - 60, number: 1)
    seen = try await john()
    #expect(seen.alerts == 1 && seen.need == 3 && seen.seen.map(\.count) == [1])
    try await fire(.seen, now - 30, number: 1)
    seen = try await john()
    // Whoever has seen the later one has seen both.
    #expect(seen.alerts == 0 && seen.seen == [.init(name: nil, date: now - 30, count: 2)])
    // One that is put off is open again when its time is over, also after the three days of others.
    try await fire(.alert, now - 20, number: 2)
    try await fire(.seen, now - 10, number: 2, by: "Nora", until: now + 3 * Self.day)
    seen = try await john()
    #expect(seen.alerts == 0 && seen.seen.map(\.until) == [now + 3 * Self.day])
    #expect(seen.seen.map(\.reason) == ["why"])
    seen = try await john(later: 3 * Self.day)
    #expect(seen.alerts == 1 && seen.need == 3)
  }

  @Test(
    arguments: [
      (nil, nil), (0, nil), (119, nil), (-119, nil), (120, 120), (-86_400, -86_400),
    ] as [(TimeInterval?, TimeInterval?)])
  func `a box whose clock is off needs somebody`(
    clock: TimeInterval?, wrong: TimeInterval?
  ) async throws {
    let store = try await weighed()
    let now = Self.begin + 19 * Self.day + 3_600
    let box = BoxNews(contact: now, clock: clock)
    #expect(box.wrongClock == wrong)
    let people = try await morning(store, boxes: ["rosa": [box]], at: now).people
    let rosa = try #require(people.first { $0.patient.id == "rosa" })
    #expect(rosa.need == (wrong == nil ? 0 : 2))
  }

  @Test func `what was due is counted over seven and thirty days`() async throws {
    let store = try await weighed()
    let now = Self.begin + 21 * Self.day + 3_600
    let john = try #require(
      try await morning(store, at: now).people.first { $0.patient.id == "john" })
    #expect(john.week.due == 7 && john.week.performed == 5)
    #expect(john.month.due == 22 && john.month.performed == 20)
  }

  @Test func `a box says why nothing comes`() async throws {
    let store = try await weighed()
    let last = Self.begin + 19 * Self.day
    let now = last + 3 * Self.day
    func silence(_ change: (inout BoxNews) -> Void) async throws -> PersonMorning.Silence? {
      var box = BoxNews(contact: now)
      change(&box)
      let people = try await morning(store, boxes: ["john": [box]], at: now).people
      return people.first { $0.patient.id == "john" }?.silence
    }
    #expect(try await silence { $0.offs = [last..<now - 3_600] } == .device([.boxOff]))
    #expect(
      try await silence { $0.radioFailedSince = last + 3_600 } == .device([.radioFailed]))
    #expect(
      try await silence { $0.offs = [last..<last + 60] } == .device([.notReceived, .notMeasured]))
    // A box that is heard and does not work needs somebody before anything is missing.
    let people = try await morning(
      store, boxes: ["rosa": [BoxNews(contact: last, faults: ["controller"])]], at: last
    ).people
    #expect(people.map(\.patient.id) == ["rosa", "john"] && people[0].silence == nil)
  }

  /// Homes whose truth is known: daily and rarer weighings, a cuff twice a day, a weekly scale.
  @Test(arguments: [(0.95, 1, 8), (0.7, 1, 8), (0.9, 7, 15)])
  func `few pauses of people who are well are called late`(
    _ share: Double, _ interval: Int, _ most: Int
  ) {
    var random = SeededGenerator(seed: 11)
    func chance() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
    var calls = 0
    for _ in 0..<100 {
      var days: [Date] = []
      var wasLate = false
      for day in 0..<150 {
        let now = Self.begin + Double(day) * Self.day
        let known = days.filter { $0 > now - 60 * Self.day }.suffix(30)
        if let last = known.last, let pause = DeviceRhythm.longestPause(of: Array(known)) {
          let isLate = now.timeIntervalSince(last) > 2 * pause
          if day >= 60, isLate, !wasLate { calls += 1 }
          wasLate = isLate
        }
        if day % interval == 0, chance() < share { days.append(now + 7_200 * chance()) }
      }
    }
    #expect(calls <= most, "\(calls) in 100 homes of 90 days")
  }
}
