import Care
import Foundation
import GRDB
import TestSupport
import Testing

@testable import CareStore

/// Values beyond each bound: refused by a store, or kept and not taken as a measurement.
@Suite struct BoundsTests: ~Copyable {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// A task of John's whose events are weighed, all day.
  private static func weighing(_ target: Double? = nil) throws -> PlannedTask {
    PlannedTask(
      id: "weigh-in", patient: "john", title: "Weigh yourself",
      schedule: try Schedule([
        ScheduleElement(
          start: midnight, interval: Interval(days: 1), duration: .allDay,
          targets: target.map { [TargetValue(value: .double($0), unit: .kilogram)] } ?? [],
          timeZone: losAngeles)
      ]), linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
  }

  private func event(_ store: SQLStore, _ task: String = "walk") async throws -> Event {
    try #require(
      try await store.read {
        try $0.events(patient: "john", task: task, from: midnight, to: day(1)).first
      })
  }

  /// A store that accepted something is sound, and can be read, exported and taken by another one.
  private func expectSound(_ store: SQLStore) async throws {
    #expect(try await store.check() == [])
    let lines = try await store.exported()
    let other = try SQLStore.peer(99)
    _ = try await other.merge(lines: lines)
    #expect(try await other.check() == [])
    #expect(try await other.exported() == lines)
    #expect(try await other.contents() == store.contents())
  }

  // MARK: Lines

  @Test func `a line has no more bytes than its bound says`() async throws {
    let extreme = StreamedSample(
      start: .min, end: .max, arrival: .min, ordinal: 1, value: -.greatestFiniteMagnitude,
      raw: [0, 255])
    let key = HourKey(
      series: SeriesKey(device: "\u{1}", quantity: "b", userIndex: -1), source: SourceKey(), hour: 0
    )
    var rows: [any ExportedRow] = [
      ZoneLine(date: .min, zone: "\u{0}\u{1F}\"\\/\n\t\u{7F}ä€😀"), ZoneLine(),
      BlockLine(key, [extreme, extreme]),
    ]
    for seed in Rounds.seeds(100) {
      let lines = try await RandomHistory.example(seed: seed).store.exported().dropFirst()
      rows += try lines.map(ExportLine.read)
      #expect(rows.suffix(lines.count).map(\.line) == Array(lines))
    }
    for row in rows { #expect(row.mostBytes >= row.line.utf8.count) }
  }

  // MARK: Readings

  @Test(arguments: [1e300, -1e300, 0, 401, 0x1p63])
  func `a reading that nothing can be is kept and counts for nothing`(value: Double) async throws {
    let store = try await SQLStore.planned(try Self.weighing())
    let odd = Sample.linked(value, at: midnight + 60)
    #expect(try await store.write { try $0.insert(odd) })
    #expect(try await store.read { try $0.samples(SampleQuery()) } == [])
    let kept = try await store.read { try $0.samples(SampleQuery(states: [.notTaken])) }
    #expect(kept.map(\.value) == [value])
    #expect(try await event(store, "weigh-in").outcome == nil)
    // Nobody's word makes a measurement of it.
    _ = try await store.write {
      try $0.change(
        .sample(odd.identity), .assign(patient: "john"), reason: nil, now: day(0, hour: 2))
    }
    #expect(try await event(store, "weigh-in").outcome == nil)
    // Until a person says what it was.
    _ = try await store.write {
      try $0.correct(odd.identity, value: 72, source: nil, reason: nil, now: day(0, hour: 3))
    }
    #expect(try await event(store, "weigh-in").outcome?.values.map(\.value) == [.double(72)])
    try await expectSound(store)
  }

  @Test func `of a stream the rest counts`() async throws {
    var task = try Self.weighing()
    task.linkage = Linkage(quantity: .heartRate, type: .discrete, unit: .perMinute)
    let store = try await SQLStore.planned(task)
    let values = (0..<100).map { $0 == 50 ? 1e19 : 60 + Double($0 % 7) }
    try await store.write { writer in
      for (second, value) in values.enumerated() {
        let start = midnight + Double(second)
        let reading = Reading(
          quantity: .heartRate, value: value, arrival: start,
          device: DeviceIdentity(address: "C0:FF:EE:00:00:01", definition: "strap"),
          isStreamed: true, raw: [22])
        let sample = Sample(reading: reading, patient: "john", start: start, end: start)
        _ = try writer.insert(sample)
      }
    }
    let mean = try await event(store, "weigh-in").outcome?.values.first { $0.kind == "mean" }
    #expect((mean?.value.number).map { (60...67).contains($0) } == true)
    #expect(try await store.read { try $0.sampleCount(SampleQuery(states: [.notTaken])) } == 1)
    try await expectSound(store)
  }

  /// The condition of a store that an earlier program made knows fewer states, and its outcomes have
  /// another index.
  @Test func `a store of an earlier program keeps it, too`() async throws {
    let path = scratch.file("a")
    let made = try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 1).next)
    _ = try await made.write { try $0.importPlan(.example(try Self.weighing()), now: midnight) }
    try made.close()
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_master SET sql = replace(sql, 'BETWEEN 0 AND 5', 'BETWEEN 0 AND 4');
          PRAGMA writable_schema = OFF;
          DROP INDEX outcome_of_patient;
          CREATE INDEX outcome_by_start ON outcome (start_date) WHERE is_tip = 1
          """)
    }
    try queue.close()
    let store = try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 2).next)
    #expect(try await store.write { try $0.insert(.linked(1e9, at: midnight + 60)) })
    #expect(try await store.read { try $0.sampleCount(SampleQuery(states: [.notTaken])) } == 1)
    #expect(try await store.check() == [])
  }

  // MARK: Plans and people

  @Test func `a plan with a number that nothing can be is refused`() async throws {
    let store = try SQLStore.example()
    let task = try Self.weighing(1e300)
    let flaw = AmountFlaw(
      place: .target(element: 0, index: 0), number: 1e300, unit: .kilogram, limits: 0.2...400,
      quantity: .bodyMass)
    await #expect(throws: StoreError.refused(.amount(flaw, of: "weigh-in"))) {
      try await store.write { try $0.importPlan(.example(task), now: midnight) }
    }
    _ = try await store.write { try $0.importPlan(.example(), now: midnight) }
    await #expect(throws: StoreError.refused(.amount(flaw, of: "weigh-in"))) {
      try await store.write { try $0.put(task, now: midnight) }
    }
    await #expect(throws: StoreError.self) {
      try await store.write {
        try $0.put(
          Patient(id: "john", expects: ["bodyMass": Expectation(value: 1e300)]), now: day(1))
      }
    }
  }

  /// A changed number in a line of an export, under a new digest.
  @Test(arguments: [
    (#"\"value\":{\"double\":80}"#, #"\"value\":{\"double\":1e300}"#),
    (#"\"sets\":3"#, #"\"sets\":9223372036854775807"#),
    (#"\"before\":900"#, #"\"before\":1e300"#),
    (#"\"after\":7200"#, #"\"after\":1e300"#),
  ])
  func `an import has no number that no plan may have`(old: String, new: String) async throws {
    var task = try Self.weighing(80)
    task.activeTask = ActiveTask(type: "exercise", sets: 3, repetitions: 10)
    task.reminder = Reminder(offset: -900)
    task.fallback = Fallback(after: 7200)
    let store = try SQLStore.example()
    // A thing that a person makes has a random id, so that only the number is at fault.
    let made = task
    _ = try await store.write {
      _ = try $0.importPlan(.example(), now: midnight)
      return try $0.put(made, now: midnight)
    }
    let lines = try await store.exported()
    let index = try #require(lines.firstIndex { $0.contains(old) })
    var changed = lines
    changed[index] = lines[index].replacing(old, with: new)
    await #expect {
      try await SQLStore.peer(7).merge(lines: changed.sealed)
    } throws: { error in
      guard case StoreError.unreadableExport(index + 1, .value(_, field: "payload")) = error else {
        return false
      }
      return true
    }
  }

  @Test func `an import has no version under another id`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let lines = try await store.exported()
    let index = try #require(lines.firstIndex { $0.contains(#"\"title\":\"Walk\""#) })
    var changed = lines
    changed[index] = lines[index].replacing(#"\"title\":\"Walk\""#, with: #"\"title\":\"Run\""#)
    await #expect {
      try await SQLStore.peer(7).merge(lines: changed.sealed)
    } throws: { error in
      guard case StoreError.unreadableExport(index + 1, .value(_, field: "uuid")) = error else {
        return false
      }
      return true
    }
  }

  // MARK: Answers

  @Test(arguments: [
    "0001-01-01T00:00:00+01:05", "1999-12-31T00:00:00Z", "2025-12-06T11:00:00-08:00",
  ])
  func `an answer long before its event is refused`(at text: String) async throws {
    let store = try await SQLStore.planned(try .daily())
    let event = try await event(store)
    let at = time(text)
    await #expect(
      throws: StoreError.refused(
        .answeredLongBefore(
          task: "walk", at: at, start: event.occurrence.start, timeZone: losAngeles))
    ) {
      try await store.write {
        try $0.setOutcome(
          [], answer: Answer(state: .done, at: at), of: event.reference, now: day(0, hour: 13))
      }
    }
    try await expectSound(store)
  }

  @Test(arguments: [1e300, -1e308, 1.1e30])
  func `an answer that no sum could hold is refused`(number: Double) async throws {
    var task = try PlannedTask.daily()
    task.progressStrategy = .sum
    let store = try await SQLStore.planned(task)
    let event = try await event(store)
    let flaw = AmountFlaw(place: .value, number: number, unit: nil, limits: Value.numbers)
    await #expect(throws: StoreError.refused(.amount(flaw, of: "walk"))) {
      try await store.write {
        try $0.setOutcome(
          [.typed(number), .typed(number)], of: event.reference, now: day(0, hour: 13))
      }
    }
    let many = try await store.write {
      try $0.setOutcome(
        Array(repeating: .typed(1e15), count: 1_000), of: event.reference, now: day(0, hour: 13))
    }
    #expect(many.progress.value == 1e18)
    try await expectSound(store)
  }

  @Test func `more values than a line may have are refused`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let event = try await event(store)
    await #expect(
      throws: StoreError.refused(.notExportable(.tooManyValues(limit: Export.mostValues)))
    ) {
      try await store.write {
        try $0.setOutcome(
          Array(repeating: .typed(1), count: 100_000), of: event.reference, now: day(0, hour: 13))
      }
    }
    try await expectSound(store)
  }

  // MARK: Texts and times

  @Test func `commas in a text are no values`() async throws {
    var task = try PlannedTask.daily()
    task.instructions = String(repeating: "a, b [c] {d} \\ \"e\" ", count: 60_000)
    try await expectSound(try await SQLStore.planned(task))
  }

  @Test func `a reason with a zero character is refused`() async throws {
    let store = try await SQLStore.planned(try Self.weighing())
    let sample = Sample.linked(72, at: midnight + 60)
    #expect(try await store.write { try $0.insert(sample) })
    await #expect(throws: StoreError.refused(.zeroCharacter("a\0b"))) {
      try await store.write {
        try $0.correct(sample.identity, value: 71, source: nil, reason: "a\0b", now: day(1))
      }
    }
    try await expectSound(store)
  }

  @Test(arguments: [
    "9999-12-31T23:59:59Z", "9999-12-31T12:00:00.123456Z", "7000-06-01T00:00:00.000001Z",
    "0001-01-02T00:00:00Z",
  ])
  func `a far date is the same after an import`(text: String) async throws {
    let store = try await SQLStore.planned(try Self.weighing())
    #expect(try await store.write { try $0.insert(.weight(72, at: time(text))) })
    try await expectSound(store)
  }

  @Test func `dates are the same once they are stored`() {
    var random = SeededGenerator(seed: 6)
    for _ in 0..<Rounds.count(100_000) {
      let span = UInt64(Export.dates.upperBound - Export.dates.lowerBound)
      let raw = Export.dates.lowerBound + Int64(random.next() % span)
      let date = Date(microseconds: raw)
      #expect(Export.dates.contains(date.microseconds))
      #expect(
        Date(microseconds: date.microseconds)
          == Date(microseconds: Date(microseconds: date.microseconds).microseconds))
      #expect(Date(microseconds: date.microseconds).microseconds == date.microseconds)
    }
  }

  // MARK: Files

  @Test func `a file with two names is refused`() async throws {
    let path = scratch.file("a")
    try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 1).next).close()
    try FileManager.default.linkItem(atPath: path, toPath: scratch.file("b"))
    for name in ["a", "b"] {
      #expect(throws: StoreError.failed(.severalNames(2), store: scratch.file(name))) {
        try SQLStore.open(path: scratch.file(name), makeUUID: UUID.init)
      }
    }
    try FileManager.default.removeItem(atPath: scratch.file("b"))
    try SQLStore.open(path: path, makeUUID: UUID.init).close()
  }

  /// A program that was killed when it had made a store.
  @Test func `the name of a draft that was left is no second one`() async throws {
    let path = scratch.file("a")
    try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 1).next).close()
    try FileManager.default.linkItem(
      atPath: path, toPath: scratch.file("a.\(UUID().uuidString).new"))
    try SQLStore.open(path: path, makeUUID: UUID.init).close()
    #expect(try scratch.names.filter { $0.hasSuffix(".new") } == [])
  }

  @Test func `an erasure reaches what restorations left`() async throws {
    let path = scratch.file("a")
    let store = try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 1).next)
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    _ = try await store.write {
      try $0.put(Note(id: "n", patient: "john", content: "unforgettable"), now: midnight)
    }
    try await store.backup(to: scratch.file("b"))
    try store.close()
    for seed in [2, 3] as [UInt64] {
      try await SQLStore.restore(
        from: scratch.file("b"), to: path, makeUUID: SeededUUIDs(seed: seed).next)
    }
    try "rubbish".write(
      toFile: scratch.file("a.before-restore.3"), atomically: false, encoding: .utf8)
    let again = try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 4).next)
    try await again.erase(patient: "john", now: day(1))
    let copies = await again.eraseCopies(patient: "john", now: day(1))
    try again.close()
    #expect(
      copies == [
        ErasedCopy(path: scratch.file("a.before-restore"), isErased: true),
        ErasedCopy(path: scratch.file("a.before-restore.2"), isErased: true),
        ErasedCopy(path: scratch.file("a.before-restore.3"), isErased: false),
      ])
    for name in ["a", "a.before-restore", "a.before-restore.2"] {
      let bytes = try contents(of: scratch.file(name))
      #expect(bytes.range(of: Data("unforgettable".utf8)) == nil, "\(name)")
    }
  }
}
