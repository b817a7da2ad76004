import Care
import Foundation
import Motion
import Testing
import TestSupport

@testable import CareStore

/// One rule over everything that can be written: what a write accepts, the check of the store
/// accepts, every query can say, the export has and another store takes.
@Suite struct AcceptedWritesTests {
  @Test(arguments: Rounds.seeds(40, from: 301))
  func `what a write accepts can be read, checked, exported and taken`(seed: UInt64) async throws {
    let store = try SQLStore.peer(seed)
    _ = try await store.write { try $0.importPlan(try RandomHistory.plan(0), now: midnight) }
    var odd = OddValues(seed: seed)
    var accepted = 0
    for step in 0..<80 {
      let (before, now) = (odd, midnight + Double(step) * 600)
      do {
        odd = try await store.write { writer in
          var odd = before
          try odd.write(to: writer, now: now)
          return odd
        }
        accepted += 1
      } catch StoreError.refused {
        odd.skip()
      } catch StoreError.unknown {
        odd.skip()
      }
      guard step % 8 == 7 else { continue }
      try await expectSound(store, "seed \(seed), step \(step): \(odd.last)")
    }
    #expect(accepted > 10)
  }

  private func expectSound(_ store: SQLStore, _ comment: String) async throws {
    // Two things that people say are no damage.
    let said: Set<StoreFinding.Kind> = [.conflict, .outcomeConflict, .orphanedOutcome]
    let found = try await store.check().filter { !said.contains($0.kind) }
    #expect(found == [], "\(comment)")
    try await store.read { reader in
      let encoder = JSONEncoder()
      _ = try encoder.encode(reader.things(Patient.self, patient: nil, isDeleted: false))
      _ = try encoder.encode(reader.things(Note.self, patient: nil, isDeleted: false))
      _ = try encoder.encode(reader.things(Contact.self, patient: nil, isDeleted: false))
      _ = try encoder.encode(reader.things(CarePlan.self, patient: nil, isDeleted: false))
      _ = try encoder.encode(reader.taskVersions(patient: nil).map(\.planned))
      _ = try reader.firings(FiringQuery())
      _ = try reader.deviceBindings()
      _ = try reader.calibrations()
      let events = try reader.events(
        EventQuery(from: midnight, to: day(2), now: midnight + 1, omitsCrowded: true))
      for event in events {
        #expect(event.progress.value.isFinite, "\(comment)")
        _ = try reader.answers(of: event.key)
      }
      let samples = try reader.samples(SampleQuery(states: Set(Sample.State.allCases)))
      for sample in samples {
        #expect(sample.value.isFinite, "\(comment)")
        #expect(try reader.sample(sample.identity) != nil, "\(comment)")
        _ = try reader.changes(of: sample.identity)
      }
    }
    let lines = try await store.exported()
    let other = try SQLStore.peer(9)
    do {
      _ = try await other.merge(lines: lines)
    } catch {
      Issue.record("\(comment): \(error)")
    }
    let again = try await other.exported()
    let differing = Set(again).symmetricDifference(lines).sorted().dropLast(2)
    #expect(again == lines, "\(comment): \(differing)")
    #expect(try await other.check().filter { !said.contains($0.kind) } == [], "\(comment)")
  }
}

/// Writes whose values are odd, each of which may be refused.
private struct OddValues: Sendable {
  private var random: SeededGenerator
  private(set) var last = ""

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Goes on after a refused write.
  mutating func skip() { _ = random.next() }

  private mutating func pick<T>(_ list: [T]) -> T {
    list[Int(random.next() % UInt64(list.count))]
  }

  private mutating func maybe<T>(_ value: T) -> T? { random.next() % 3 == 0 ? nil : value }

  private mutating func text() -> String {
    pick([
      "", " ", "a", "a\0b", "\u{202E}b", "ä\u{301}", "Å", "\u{212B}", "|", "stream|a|0|1|2|b",
      "\n\r\t",
      "\u{7F}\u{85}", "\u{FFFD}", "\u{FFFF}", "\u{1F468}\u{200D}\u{1F469}", "null", "\"\\/", "%00",
      String(repeating: "x,", count: 500), "\u{2028}", "john", "JOHN", "-0", "1e400", "{}",
    ])
  }

  private mutating func number() -> Double {
    pick([
      0, -0.0, 1, -1, 72.4, 1e300, -1e300, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
      0x1p53, 0x1p63, -0x1p63, 1e19, 0.1, 1e15, 1e-300, .greatestFiniteMagnitude, 120,
    ])
  }

  private mutating func integer() -> Int {
    pick([0, 1, -1, 2, 255, 65_536, Int(UInt32.max), Int(UInt32.max) + 1, .max, .min])
  }

  private mutating func date() -> Date {
    pick([
      midnight, midnight + 0.000_001, midnight + 0.1, midnight + 3599.999_999, day(1),
      day(0, hour: 13),
      time("0001-01-01T00:00:00Z"), time("0001-01-02T00:00:00Z"), time("9999-12-31T23:59:59Z"),
      .distantPast, .distantFuture, Date(timeIntervalSince1970: -0.5),
      Date(timeIntervalSince1970: 1e300), Date(timeIntervalSince1970: .nan),
      Date(timeIntervalSince1970: -1e18), midnight + 7_200.25,
    ])
  }

  private mutating func value() -> Value {
    switch random.next() % 6 {
    case 0: .integer(pick([0, 1, .max, .min]))
    case 1: .boolean(random.next() % 2 == 0)
    case 2: .text(text())
    case 3: .binary(random.bytes(pick([0, 1, 40])))
    case 4: .date(date())
    default: .double(number())
    }
  }

  private mutating func unit() -> UnitOfMeasure? {
    pick([nil, .kilogram, .one, .perMinute, UnitOfMeasure("[lb_av]"), UnitOfMeasure("mm[Hg]")])
  }

  private mutating func patient() -> String { pick(["john", "john", "ann", "ann", text()]) }

  private mutating func device() -> DeviceID {
    DeviceID(pick(["AA:BB:CC:DD:EE:01", "aa:bb:cc:dd:ee:01", "C0:FF:EE:00:00:01", text()]))
  }

  private mutating func outcomeValue() -> OutcomeValue {
    OutcomeValue(
      value: value(), unit: unit(), kind: maybe(text()), time: date(),
      provenance: pick([.manual, .passive]))
  }

  private mutating func sample() -> Sample {
    let (start, length) = (date(), pick([0, 0, 60, 3600, 86_400, -1, 1e9, 0.000_001] as [Double]))
    let isStreamed = random.next() % 3 == 0
    let quantity = pick([Quantity.bodyMass, .heartRate, .stepCount, .bodyTemperature])
    let deviceTime = LocalDateTime(
      year: pick([1, 1970, 2026, 9999, 10_000, -1]), month: pick([1, 2, 12, 13]),
      day: pick([1, 29, 31]), hour: pick([0, 23, 24]), minute: pick([0, 59]), second: pick([0, 60]))
    let end = start + length
    let reading = Reading(
      quantity: quantity, value: number(),
      sourceValue: unit().map { SourceValue(value: number(), unit: $0) },
      deviceTime: maybe(deviceTime), arrival: pick([start, date()]),
      interval: length > 0 && start < end ? DateInterval(start: start, end: end) : nil,
      device: DeviceIdentity(address: device(), definition: maybe(text())),
      userIndex: maybe(integer()), ordinal: pick([0, 0, integer()]), kind: maybe(text()),
      isStreamed: isStreamed, isBroadcast: random.next() % 4 == 0,
      raw: random.bytes(pick([0, 1, 20, 300])),
      counter: pick([nil, RunningTotal(.daily), RunningTotal(.daily, limit: 65_536)]),
      total: maybe(number()),
      context: MeasurementContext(rawValue: pick([0, 1, 6, .max])))
    let patient = maybe(patient())
    return Sample(
      identity: pick([
        SampleIdentity(reading), SampleIdentity(reading), SampleIdentity(text: text()),
      ]), reading: reading, patient: patient,
      unassignedReason: pick([nil, text()]), start: start, end: pick([end, end, date()]),
      isClockTrusted: random.next() % 2 == 0, provenance: pick([.manual, .passive]))
  }

  private mutating func task(_ id: String) throws -> PlannedTask {
    var task = try PlannedTask.daily(id, title: text())
    task.patient = patient()
    task.instructions = maybe(text())
    task.group = maybe(text())
    task.tags = pick([[], [text(), text()]])
    task.carePlan = maybe(text())
    task.reminder = maybe(Reminder(offset: number()))
    task.fallback = maybe(Fallback(after: number()))
    task.thresholds = pick([
      [], [Threshold(kind: maybe(text()), condition: .above(number()), says: text(), alerts: true)],
    ])
    task.effectiveDate = pick([nil, date()])
    if random.next() % 2 == 0 {
      task.linkages = [Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)]
    }
    return task
  }

  /// One write.
  mutating func write(to writer: any StoreWriter, now: Date) throws {
    let kind = random.next() % 18
    last = "write \(kind)"
    switch kind {
    case 0...3: _ = try writer.insert(sample())
    case 4: _ = try writer.book(sample())
    case 5, 6:
      let events = try writer.events(
        EventQuery(from: midnight, to: day(1), omitsCrowded: true))
      guard !events.isEmpty else { return }
      let answer = Answer(
        state: pick(Answer.State.allCases), reason: pick([nil, nil, text()]),
        at: pick([nil, nil, date()]))
      let values = (0..<pick([0, 1, 1, 2])).map { _ in outcomeValue() }
      _ = try writer.setOutcome(values, answer: answer, of: pick(events).reference, now: now)
    case 7:
      _ = try writer.put(
        Note(
          id: text(), patient: patient(), task: maybe(text()), title: maybe(text()),
          content: text(), author: maybe(text()), date: maybe(date())), now: now)
    case 8:
      var contact = Contact(
        id: text(), patient: maybe(patient()),
        name: PersonName(given: maybe(text()), family: maybe(text())))
      contact.phoneNumbers = [LabeledValue(label: maybe(text()), value: text())]
      contact.address = maybe(PostalAddress(street: maybe(text()), country: maybe(text())))
      _ = try writer.put(contact, now: now)
    case 9:
      _ = try writer.put(
        CarePlan(
          id: text(), patient: patient(), title: text(), effectiveDate: maybe(date())), now: now)
    case 10:
      var person = Patient(id: pick(["john", text()]), name: PersonName(given: text()))
      person.expects = pick([
        [:], ["bodyMass": Expectation(value: number())], [text(): .init(value: 1)],
      ])
      person.allergies = pick([[], [text()]])
      person.language = maybe(text())
      person.sex = pick([nil, .male, .other(text())])
      _ = try writer.put(person, now: now)
    case 11: _ = try writer.put(try task(pick(["walk", text()])), now: now)
    case 12:
      let event = EventKey(
        patient: patient(), task: pick(["walk", text()]), start: date(),
        ordinal: pick([0, integer()]))
      let kind = pick([Firing.Kind.reminder, .fallback, .alert, .rule, .snooze])
      let results = pick([
        [], [RuleResult(start: date(), time: date(), value: number(), unit: unit())],
      ])
      let firing = Firing(
        Firing.Key(
          kind, event,
          rule: kind == .rule
            ? Rule(trigger: .results(1, ofLast: 1, .atLeast(number())), message: text()) : nil,
          threshold: kind == .alert
            ? Threshold(condition: .above(number()), says: text(), alerts: true) : nil,
          number: pick([0, integer()])),
        due: date(), date: pick([now, date()]), results: results,
        target: pick([
          nil,
          Firing.TargetChange(from: number(), to: number(), unit: unit(), effectiveDate: date()),
        ]))
      _ = try writer.record(firing, making: nil, now: now)
    case 13:
      let identities = try writer.samples(SampleQuery(limit: 5)).map(\.identity)
      guard !identities.isEmpty else { return }
      _ = try writer.change(
        .sample(pick(identities)), pick([.delete, .restore, .disown, .assign(patient: patient())]),
        reason: maybe(text()), now: pick([now, date()]))
    case 14:
      let identities = try writer.samples(SampleQuery(limit: 5)).map(\.identity)
      guard !identities.isEmpty else { return }
      _ = try writer.correct(
        pick(identities), value: number(),
        source: unit().map { SourceValue(value: number(), unit: $0) }, reason: maybe(text()),
        now: pick([now, date()]))
    case 15:
      _ = try writer.change(
        .span(device: device(), from: date(), to: date()),
        pick([.disown, .assign(patient: patient())]), reason: maybe(text()),
        now: pick([now, date()]))
    case 16:
      try writer.bind(
        DeviceBinding(
          address: device(), definition: maybe(text()), patient: maybe(patient()),
          userIndex: maybe(integer())), now: now)
    default:
      try writer.renamePatient(
        pick(["ann", "john"]), to: pick([text(), "ann", "john"]), now: date())
    }
  }
}
