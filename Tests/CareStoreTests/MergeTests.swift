import Care
import CareStore
import Foundation
import TestSupport
import Testing

@Suite struct MergeTests {
  /// Two stores that imported the same plan.
  private func pair() async throws -> (SQLStore, SQLStore) {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    let plan = PlanDocument.example(try .daily())
    _ = try await a.write { try $0.importPlan(plan, now: midnight) }
    _ = try await b.write { try $0.importPlan(plan, now: midnight + 3600) }
    return (a, b)
  }

  /// Gives each store what the other has.
  private func exchange(_ a: SQLStore, _ b: SQLStore) async throws {
    let lines = try await a.exported()
    _ = try await a.merge(lines: try await b.exported())
    _ = try await b.merge(lines: lines)
    #expect(try await a.exported() == b.exported())
    #expect(try await a.contents() == b.contents())
    let conflicts: Set<StoreFinding.Kind> = [.conflict, .outcomeConflict]
    #expect(try await a.check().filter { !conflicts.contains($0.kind) } == [])
  }

  @Test func `an empty store exports its header`() async throws {
    #expect(try await SQLStore.peer(1).exported() == [#"{"measured-store":1}"#].sealed)
  }

  @Test func `lines have sorted keys and sort`() async throws {
    let (a, _) = try await pair()
    _ = try await a.write { try $0.insert(.broadcast(at: midnight)) }
    let lines = try await a.exported()
    let sample = try #require(lines.first { $0.contains(#""kind":"sample""#) })
    #expect(
      sample
        == #"{"arrival":1796630400000000,"attributed":"john","broadcast":true,"definition":"mi-scale","#
        + #""device":"5C:CA:D3:70:D4:A2","#
        + #""identity":"5C:CA:D3:70:D4:A2|bodyMass|b1796630400000000|0||1b1840","kind":"sample","#
        + #""provenance":"passive","quantity":"bodyMass","raw":"1b1840","start":1796630400000000,"#
        + #""value":72.4}"#)
  }

  @Test func `same plan of two stores is one plan`() async throws {
    let (a, b) = try await pair()
    try await exchange(a, b)
    let versions = try await a.read { try $0.taskVersions(patient: nil) }
    #expect(versions.count == 1)
    #expect(versions.first?.createdDate == midnight)
  }

  @Test func `merging again changes nothing`() async throws {
    let (a, b) = try await pair()
    _ = try await a.write { try $0.insert(.linked(72.4, at: midnight)) }
    _ = try await a.write { try $0.insert(.steps(30, at: midnight)) }
    let lines = try await a.exported()
    #expect(try await a.merge(lines: lines).isUnchanged)
    #expect(try await a.exported() == lines)
    _ = try await b.merge(lines: lines)
    #expect(try await b.merge(lines: lines).isUnchanged)
  }

  @Test func `of one time, a version was taken back rather than counted again`() async throws {
    let (a, _) = try await pair()
    _ = try await a.write { try $0.importPlan(.example(try .daily(title: "A walk")), now: day(1)) }
    _ = try await a.write { try $0.undoImport(now: day(2)) }
    let lines = try await a.exported()
    let other = lines.dropLast().map { $0.replacing(#","withdrawn":true"#, with: "") }.sealed
    #expect(lines != other)
    for order in [[lines, other], [other, lines]] {
      let store = try SQLStore.peer(7)
      for lines in order { _ = try await store.merge(lines: lines) }
      #expect(try await store.exported() == lines)
    }
  }

  @Test func `one broadcast of two stores counts once`() async throws {
    let (a, b) = try await pair()
    _ = try await a.write { try $0.insert(.broadcast(at: day(0, hour: 7), patient: nil)) }
    _ = try await b.write { try $0.insert(.broadcast(at: day(0, hour: 7) + 0.3)) }
    try await exchange(a, b)
    let samples = try await a.read { try $0.samples(SampleQuery(quantity: .bodyMass)) }
    #expect(samples.map(\.arrival) == [day(0, hour: 7)])
    // The other store knew whose it is.
    #expect(samples.map(\.patient) == ["john"])
    let all = try await a.read {
      try $0.samples(SampleQuery(states: Set(Sample.State.allCases)))
    }
    #expect(all.map(\.state) == [.live, .duplicate])
  }

  @Test func `a chain of broadcasts is divided from its first`() async throws {
    // Every store has some of the frames 0, 20, 40, 60 and 100 s after the first.
    let offsets: [[TimeInterval]] = [[20, 60], [0, 40, 100], [40], [20, 100]]
    var expected: [String]?
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
      let sum = try SQLStore.peer(99)
      for index in order {
        let store = try SQLStore.peer(UInt64(index))
        for offset in offsets[index] {
          var frame = Sample.broadcast(at: midnight + offset)
          frame.patient = nil
          _ = try await store.write { [frame] in try $0.insert(frame) }
        }
        _ = try await sum.merge(lines: try await store.exported())
      }
      let live = try await sum.read { try $0.samples(SampleQuery()) }
      #expect(live.map { $0.arrival.timeIntervalSince(midnight) } == [0, 40, 100])
      #expect(try await sum.check().filter { $0.kind == .wrongState } == [])
      let lines = try await sum.exported()
      #expect(lines == expected ?? lines)
      expected = lines
    }
  }

  @Test func `a change of a duplicate holds for its reading`() async throws {
    let (a, b) = try await pair()
    let (first, second) = (
      Sample.broadcast(at: day(0, hour: 7)), Sample.broadcast(at: day(0, hour: 7) + 0.3)
    )
    _ = try await a.write { try $0.insert(first) }
    _ = try await b.write { try $0.insert(second) }
    _ = try await b.write {
      try $0.change(.sample(second.identity), .delete, reason: "the dog", now: day(1))
    }
    try await exchange(a, b)
    #expect(try await a.read { try $0.samples(SampleQuery()) } == [])
    _ = try await a.write {
      try $0.change(.sample(first.identity), .restore, reason: nil, now: day(2))
    }
    try await exchange(a, b)
    #expect(try await b.read { try $0.samples(SampleQuery()).map(\.identity) } == [first.identity])
  }

  @Test func `of two corrections the newest counts`() async throws {
    let (a, b) = try await pair()
    let sample = Sample.linked(72.4, at: midnight)
    _ = try await a.write { try $0.insert(sample) }
    try await exchange(a, b)
    _ = try await a.write {
      try $0.correct(sample.identity, value: 71, source: nil, reason: nil, now: day(1))
    }
    _ = try await b.write {
      try $0.correct(sample.identity, value: 70, source: nil, reason: nil, now: day(2))
    }
    try await exchange(a, b)
    #expect(try await a.read { try $0.samples(SampleQuery()).map(\.value) } == [70])
    // A change of the reading is one of its correction, also if its author did not know of it.
    _ = try await a.write {
      try $0.change(.sample(sample.identity), .delete, reason: nil, now: day(3))
    }
    try await exchange(a, b)
    #expect(try await b.read { try $0.samples(SampleQuery()) } == [])
  }

  @Test func `step minutes of two stores count once`() async throws {
    let (a, b) = try await pair()
    for minute in 0..<90 {
      let start = midnight + Double(minute) * 60
      if minute < 60 { _ = try await a.write { try $0.insert(.steps(30, at: start)) } }
      if minute >= 30 {
        _ = try await b.write {
          try $0.insert(.steps(minute == 40 ? 31 : 30, at: start, patient: nil))
        }
      }
    }
    try await exchange(a, b)
    let steps = try await a.read {
      try $0.samples(SampleQuery(owner: .patient("john"), quantity: .stepCount))
    }
    #expect(steps.count == 60)
    #expect(steps.reduce(0) { $0 + $1.value } == 60 * 30 + 1)
    let tray = try await a.read { try $0.samples(SampleQuery(owner: .unassigned)) }
    #expect(tray.count == 30)
  }

  @Test func `streams follow changes that arrive`() async throws {
    let (a, b) = try await pair()
    for second in 0..<200 {
      _ = try await a.write {
        try $0.insert(.streamed(.heartRate, 60 + Double(second % 7), at: midnight + Double(second)))
      }
    }
    try await exchange(a, b)
    _ = try await a.write {
      try $0.change(
        .span(device: "C0:FF:EE:00:00:01", from: midnight + 50, to: midnight + 100), .delete,
        reason: nil, now: day(1))
    }
    try await exchange(a, b)
    #expect(try await b.read { try $0.samples(SampleQuery()).count } == 150)
  }

  @Test(arguments: [1, 2, 3])
  func `a reading that one store moves and another corrects is moved and corrected`(moved: Int)
    async throws
  {
    let (a, b) = try await pair()
    _ = try await a.write { try $0.put(Patient(id: "ann"), now: midnight) }
    let weight = Sample.linked(72.4, at: day(1))
    _ = try await a.write { try $0.insert(weight) }
    try await exchange(a, b)
    _ = try await a.write {
      try $0.change(.sample(weight.identity), .assign(patient: "ann"), reason: nil, now: day(moved))
    }
    let correction = try await b.write {
      try $0.correct(weight.identity, value: 71, source: nil, reason: "shoes", now: day(2))
    }
    try await exchange(a, b)
    for store in [a, b] {
      let live = try await store.read { try $0.samples(SampleQuery()) }
      #expect(live.map(\.identity) == [correction.identity])
      #expect(live.map(\.value) == [71])
      #expect(live.map(\.patient) == ["ann"])
    }
    // Moved alone, the correction is with the person that it was moved to.
    _ = try await b.write {
      try $0.change(
        .sample(correction.identity), .assign(patient: "john"), reason: nil, now: day(4))
    }
    try await exchange(a, b)
    #expect(try await a.read { try $0.samples(SampleQuery()).map(\.patient) } == ["john"])
  }

  @Test func `rows of a renamed patient arrive under the new id`() async throws {
    let (a, b) = try await pair()
    _ = try await b.write { try $0.insert(.linked(72.4, at: day(1))) }
    _ = try await b.write { try $0.insert(.steps(30, at: day(1))) }
    let event = try await b.read {
      try #require(try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
    }
    _ = try await b.write { try $0.setOutcome([], of: event.reference, now: day(1)) }
    _ = try await a.write { try $0.renamePatient("john", to: "jack", now: day(2)) }
    try await exchange(a, b)
    for store in [a, b] {
      #expect(try await store.read { try $0.patients().map(\.id) } == ["jack"])
      #expect(
        try await store.read { try $0.samples(SampleQuery(owner: .patient("jack"))).count } == 2)
      let events = try await store.read {
        try $0.events(patient: "jack", task: "walk", from: midnight, to: day(1))
      }
      #expect(events.compactMap(\.outcome).count == 1)
      #expect(try await store.exported().allSatisfy { !$0.contains(#""patient":"john""#) })
    }
  }

  /// Three stores change one patient's id, two of them twice; each writes rows under every id.
  @Test func `concurrent renames give one person in every order`() async throws {
    let (a, b) = try await pair()
    try await exchange(a, b)
    let c = try await a.copied(3)
    func use(_ store: SQLStore, _ id: String, at hour: Int) async throws {
      let now = day(4, hour: hour)
      try await store.write { writer in
        _ = try writer.insert(.linked(70 + Double(hour), at: now, patient: id))
        for second in 0..<3 {
          _ = try writer.insert(
            .streamed(
              .heartRate, 60, at: day(4) + Double(hour * 100 + second), patient: id))
        }
        _ = try writer.put(Note(id: "n\(hour)", patient: id, content: "\(hour)"), now: now)
        let event = try writer.events(patient: id, task: "walk", from: midnight, to: day(3))[
          hour % 2]
        _ = try writer.setOutcome([.typed(Double(hour))], of: event.reference, now: now)
      }
    }
    for (store, ids, hour) in [(a, ["jack", "jim"], 1), (b, ["joe"], 5), (c, ["jo", "jon"], 9)] {
      try await use(store, "john", at: hour)
      for (step, id) in ids.enumerated() {
        let old = step == 0 ? "john" : ids[step - 1]
        let time = day(4, hour: hour + step, minute: 30)
        try await store.write { try $0.renamePatient(old, to: id, now: time) }
        try await use(store, id, at: hour + step + 1)
      }
    }
    var exports: [[String]] = []
    for store in [a, b, c] { exports.append(try await store.exported()) }
    var results: Set<[String]> = []
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let store = try SQLStore.peer(9)
      for index in order { _ = try await store.merge(lines: exports[index]) }
      results.insert(try await store.exported())
      #expect(try await store.read { try $0.patients().map(\.id) } == ["jon"])
      let samples = try await store.read { try $0.samples(SampleQuery()) }
      #expect(samples.allSatisfy { $0.patient == "jon" })
      #expect(samples.count == 8 * 4)
      #expect(try await store.read { try $0.things(Note.self, patient: "jon").count } == 8)
      #expect(
        try await store.check().filter { ![.conflict, .outcomeConflict].contains($0.kind) } == [])
    }
    #expect(results.count == 1)
    for (index, store) in [a, b, c].enumerated() {
      for other in exports.indices where other != index {
        _ = try await store.merge(lines: exports[other])
      }
      #expect(try await results.first == store.exported())
      // A program that still uses an old id means the same person.
      _ = try await store.write { try $0.insert(.linked(99, at: day(6), patient: "joe")) }
      #expect(
        try await store.read {
          try $0.latestSample(patient: "jon", quantity: .bodyMass)?.value
        } == 99)
    }
  }

  /// Also if the clock was set back in between.
  @Test func `the last assignment holds`() async throws {
    let (a, _) = try await pair()
    let sample = Sample.linked(72.4, at: day(1))
    try await a.write { writer in
      _ = try writer.put(Patient(id: "ann", name: PersonName(given: "Ann")), now: day(1))
      _ = try writer.insert(sample)
      _ = try writer.change(
        .sample(sample.identity), .assign(patient: "ann"), reason: nil, now: day(3))
      _ = try writer.change(
        .sample(sample.identity), .assign(patient: "john"), reason: nil, now: day(2))
      #expect(try writer.sample(sample.identity)?.patient == "john")
      _ = try writer.change(
        .span(device: sample.device.address, from: day(1), to: day(2)), .unassign, reason: nil,
        now: day(2))
      #expect(try writer.sample(sample.identity)?.patient == nil)
    }
    #expect(try await a.copied(4).exported() == a.exported())
    #expect(try await a.copied(4).read { try $0.sample(sample.identity)?.patient } == nil)
  }

  @Test func `an earlier id is refused for others and can be taken back`() async throws {
    let (a, _) = try await pair()
    try await a.write { writer in
      try writer.renamePatient("john", to: "jack", now: day(2))
      #expect(throws: StoreError.refused(.takenPatient("john"))) {
        try writer.put(Patient(id: "john", name: PersonName(given: "John")), now: day(3))
      }
      _ = try writer.put(Patient(id: "ann", name: PersonName(given: "Ann")), now: day(3))
      #expect(throws: StoreError.refused(.takenPatient("john"))) {
        try writer.renamePatient("ann", to: "john", now: day(3))
      }
      // The clock was set back.
      try writer.renamePatient("jack", to: "john", now: day(1))
      #expect(try writer.patients().map(\.id).sorted() == ["ann", "john"])
    }
    #expect(try await a.copied(4).exported() == a.exported())
    #expect(
      try await a.copied(4).read { try $0.patients().map(\.id) }.sorted() == ["ann", "john"])
  }

  @Test func `conflicts wait until they are settled`() async throws {
    let (a, b) = try await pair()
    try await exchange(a, b)
    _ = try await a.write {
      try $0.addVersion(of: try .daily(title: "Long walk"), effectiveDate: day(1), now: day(1))
    }
    _ = try await b.write {
      try $0.addVersion(of: try .daily(title: "Short walk"), effectiveDate: day(1), now: day(2))
    }
    _ = try await a.merge(lines: try await b.exported())
    _ = try await b.merge(lines: try await a.exported())
    #expect(try await a.check().map(\.kind) == [.conflict])
    for store in [a, b] {
      try await store.write {
        try $0.settle(.task(TaskReference(patient: "john", task: "walk")), now: day(3))
      }
    }
    try await exchange(a, b)
    #expect(try await a.read { try $0.conflicts() } == [])
  }

  /// The version that a person prefers holds in both stores, though it is not the newest.
  @Test func `settles for the chosen version`() async throws {
    let (a, b) = try await pair()
    try await exchange(a, b)
    _ = try await a.write {
      try $0.addVersion(of: try .daily(title: "Long walk"), effectiveDate: day(2), now: day(1))
    }
    _ = try await b.write {
      try $0.addVersion(of: try .daily(title: "Short walk"), effectiveDate: day(4), now: day(2))
    }
    _ = try await a.merge(lines: try await b.exported())
    let conflict = try #require(try await a.read { try $0.conflicts() }.first)
    #expect(conflict.versions.map(\.title) == ["Short walk", "Long walk"])
    #expect(conflict.versions.map(\.isOwn) == [false, true])
    #expect(conflict.versions.map(\.differences) == [[], ["title"]])
    let walk = ThingReference.task(TaskReference(patient: "john", task: "walk"))
    let other = UUID()
    await #expect(throws: StoreError.unknown(.taskVersion(other))) {
      try await a.write { try $0.settle(walk, version: other, now: day(3)) }
    }
    let chosen = try #require(conflict.others.first)
    try await a.write { try $0.settle(walk, version: chosen, now: day(3)) }
    try await exchange(a, b)
    for store in [a, b] {
      let history = try #require(try await store.read { try $0.histories(patient: "john") }.first)
      #expect(history.version(at: day(3))?.title == "Long walk")
      #expect(history.version(at: day(9))?.title == "Long walk")
      #expect(try await store.read { try $0.conflicts() } == [])
    }
  }

  @Test func `outcomes of one event are tips`() async throws {
    let (a, b) = try await pair()
    for (store, value) in [(a, 1.0), (b, 2.0)] {
      let event = try await store.read {
        try #require(
          try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
      }
      _ = try await store.write {
        try $0.setOutcome([.typed(value)], of: event.reference, now: day(0, hour: 13) + value)
      }
    }
    try await exchange(a, b)
    let event = try await a.read {
      try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first
    }
    #expect(event?.outcome?.values.map(\.value) == [.double(2)])
    let counted = try await a.read {
      try $0.events(EventQuery(from: midnight, to: day(1), countsOnly: true))
    }
    #expect(counted.first { $0.key == event?.key }?.outcome == event?.outcome)
    for store in [a, b] {
      let conflicts = try await store.read { try $0.outcomeConflicts() }
      #expect(conflicts.map(\.event) == [event?.outcome?.key])
      #expect(conflicts.map(\.shown) == [event?.outcome?.uuid])
      #expect(conflicts.map(\.others.count) == [1])
      #expect(try await store.check().map(\.kind) == [.outcomeConflict])
    }
    // The next answer settles it, everywhere.
    let reference = try #require(event?.reference)
    _ = try await b.write {
      try $0.setOutcome([.typed(1)], of: reference, now: day(0, hour: 15))
    }
    try await exchange(a, b)
    for store in [a, b] {
      #expect(try await store.read { try $0.outcomeConflicts() } == [])
      #expect(try await store.check() == [])
    }
  }

  /// The entries of two boxes for one event are one log: no entry is lost, none counts twice.
  @Test func `logs of two stores are joined`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    var water = try PlannedTask.daily()
    water.progressStrategy = .sum
    for store in [a, b] {
      let plan = PlanDocument.example(water)
      _ = try await store.write { try $0.importPlan(plan, now: midnight) }
    }
    func event(_ store: SQLStore) async throws -> Event {
      try await store.read {
        try #require(
          try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
      }
    }
    func log(_ amounts: [Double], in store: SQLStore, hour: Double) async throws {
      let event = try await event(store)
      let new = amounts.enumerated().map { place, amount in
        OutcomeValue(
          value: .double(amount), time: day(0) + (hour * 60 + Double(place)) * 60,
          provenance: .manual)
      }
      _ = try await store.write {
        try $0.setOutcome(
          (event.outcome?.values ?? []) + new, of: event.reference, now: day(0) + hour * 3_600)
      }
    }
    try await log([100], in: a, hour: 8)
    try await exchange(a, b)
    try await log([300], in: a, hour: 13)
    try await log([250, 250], in: b, hour: 14)
    try await exchange(a, b)
    try await exchange(a, b)
    for store in [a, b] {
      #expect(try await event(store).progress.value == 900)
      #expect(try await store.read { try $0.outcomeConflicts() } == [])
      #expect(try await store.check() == [])
    }
    // The next entry follows all of them.
    try await log([50], in: b, hour: 15)
    try await exchange(a, b)
    #expect(try await event(a).outcome?.values.count == 5)
    #expect(try await event(a).progress.value == 950)
  }

  @Test func `equal answers of two stores are no conflict and a deletion is one`() async throws {
    let (a, b) = try await pair()
    try await exchange(a, b)
    let event = try await a.read {
      try #require(try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
    }
    for (number, store) in [a, b].enumerated() {
      let now = day(0, hour: 13) + Double(number)
      _ = try await store.write { try $0.setOutcome([.typed(1)], of: event.reference, now: now) }
    }
    try await exchange(a, b)
    #expect(try await a.read { try $0.outcomeConflicts() } == [])
    _ = try await a.write { try $0.deleteOutcome(of: event.reference, now: day(1)) }
    _ = try await b.write {
      try $0.setOutcome([.typed(2)], of: event.reference, now: day(1) - 60)
    }
    try await exchange(a, b)
    let conflicts = try await b.read { try $0.outcomeConflicts() }
    #expect(conflicts.map(\.others.count) == [1])
    let shown = try await b.read {
      try $0.events(patient: "john", task: "walk", from: midnight, to: day(1)).first
    }
    #expect(shown?.outcome == nil)
  }

  @Test func `a row that only a copy can have written is reported`() async throws {
    let a = try SQLStore.peer(1)
    // The same seed: the same name, other rows.
    let copy = try SQLStore.peer(1)
    let plan = PlanDocument.example(try .daily())
    _ = try await a.write { try $0.importPlan(plan, now: midnight) }
    _ = try await copy.write { try $0.importPlan(plan, now: midnight) }
    _ = try await copy.write {
      try $0.put(Note(id: "n", patient: "john", content: "a"), now: day(1))
    }
    let report = try await a.merge(lines: try await copy.exported())
    #expect(report.hasFoundCopy)
    _ = try await a.write { try $0.put(Note(id: "m", patient: "john", content: "b"), now: day(2)) }
    _ = try await copy.merge(lines: try await a.exported())
    #expect(try await a.check() == [])
    #expect(try await copy.check() == [])
  }
}

// MARK: - Hostile input

@Suite struct HostileExportTests {
  private func damage(_ lines: [String]) async throws -> StoreError? {
    let store = try SQLStore.peer(1)
    do {
      _ = try await store.merge(lines: lines)
      return nil
    } catch let error as StoreError {
      #expect(try await store.exported() == [#"{"measured-store":1}"#].sealed)
      return error
    }
  }

  @Test(
    arguments: [
      ([], 1, .noHeader),
      ([""], 1, .noHeader),
      ([#"{"measured-store":1,"x":1}"#], 1, .noHeader),
      ([#"{"measured-store":5}"#], 1, .unknownVersion(5)),
      (
        [#"{"measured-store":1}"#, #"{"date":1,"kind":"zone","zone":"Mars/Crater"}"#], 2,
        .value("Mars/Crater", field: "zone")
      ),
      ([#"{"measured-store":1}"#, ""], 2, .notAnObject),
      ([#"{"measured-store":1}"#, "[]"], 2, .notAnObject),
      ([#"{"measured-store":1}"#, #"{"kind":"alias","old":"a""#], 2, .notAnObject),
      ([#"{"measured-store":1}"#, #"{"kind":"wish"}"#], 2, .unknownKind("wish")),
      ([#"{"measured-store":1}"#, #"{"kind":"alias","old":"a","new":"b"}"#], 2, .field("date")),
      (
        [#"{"measured-store":1}"#, #"{"kind":"alias","old":"a","new":"b","date":"x"}"#], 2,
        .field("date")
      ),
      (
        [
          #"{"measured-store":1}"#, #"{"date":1,"kind":"alias","new":"b","old":"a"}"#,
          #"{"kind":"alias","old":"a","new":"b","date":9223372036854775807}"#,
        ], 3, .value("9223372036854775807", field: "date")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"block","device":"x","quantity":"mood","provenance":"passive","start":[1],"arrival":[1],"value":[1]}"#,
        ], 2, .unknownQuantity("mood")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"block","device":"x","quantity":"heartRate","provenance":"passive","start":[1,2],"arrival":[1],"value":[1]}"#,
        ], 2, .field("arrival")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"version","uuid":"00000000-0000-4000-8000-000000000001","type":"task","patient":"a","id":"b","effective":1,"created":1,"payload":"{}","writer":"00000000-0000-4000-8000-000000000001","clock":1}"#,
        ], 2, .value("{}", field: "payload")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"sample","identity":"x","device":"x","quantity":"bodyMass","provenance":"passive","value":1,"unit":"m","sourceValue":1,"start":1,"arrival":1}"#,
        ], 2, .unknownUnit("m")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"sample","identity":"y|bodyMass|b1|0||01","device":"x","quantity":"bodyMass","provenance":"passive","raw":"01","value":1,"start":1,"arrival":1}"#,
        ], 2, .value("y|bodyMass|b1|0||01", field: "identity")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"sample","identity":"x|bodyMass|b1|0||01","device":"x","quantity":"bodyMass","provenance":"passive","broadcast":true,"raw":"02","value":1,"start":1,"arrival":1}"#,
        ], 2, .value("x|bodyMass|b1|0||01", field: "identity")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"sample","identity":"x|bodyMass|b1|0||01","device":"x","quantity":"bodyMass","provenance":"passive","raw":"01","value":1,"start":1,"arrival":1}"#,
        ], 2, .value("x|bodyMass|b1|0||01", field: "identity")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"sample","identity":"x|bodyMass|a2|0||01","device":"x","quantity":"bodyMass","provenance":"passive","raw":"01","value":1,"start":1,"arrival":1}"#,
        ], 2, .value("x|bodyMass|a2|0||01", field: "identity")
      ),
      (
        [
          #"{"measured-store":1}"#,
          #"{"kind":"sample","identity":"x|bodyMass|a1|3||01","device":"x","quantity":"bodyMass","provenance":"passive","raw":"01","value":1,"start":1,"arrival":1}"#,
        ], 2, .value("x|bodyMass|a1|3||01", field: "identity")
      ),
    ] as [([String], Int, StoreError.ExportDamage)])
  func `is refused with its line`(
    lines: [String], line: Int, damage expected: StoreError.ExportDamage
  ) async throws {
    #expect(try await damage(lines) == .unreadableExport(line: line, expected))
  }

  @Test func `a line that is too long is refused`() async throws {
    let line = #"{"kind":"alias","old":""# + String(repeating: "a", count: 1 << 25) + #""}"#
    #expect(
      try await damage([#"{"measured-store":1}"#, line])
        == .unreadableExport(line: 2, .tooLong(limit: 1 << 25)))
  }

  /// Each value takes many times its bytes while it is read.
  @Test func `a line with too many values is refused`() async throws {
    let line = #"{"kind":"block","start":["# + String(repeating: "1,", count: 1 << 18) + "1]}"
    #expect(
      try await damage([#"{"measured-store":1}"#, line])
        == .unreadableExport(line: 2, .tooManyValues(limit: 1 << 18)))
  }

  /// The lines with one byte changed, removed, or the last of its line.
  private static func damaged(
    _ lines: [String], _ random: inout SeededGenerator
  ) -> (lines: [String], index: Int) {
    var damaged = lines
    let index = Int(random.next() % UInt64(lines.count))
    var bytes = Array(damaged[index].utf8)
    let place = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 3 {
    case 0: bytes[place] = UInt8(random.next() % 128)
    case 1: bytes.remove(at: place)
    default: bytes.removeSubrange(place...)
    }
    damaged[index] = String(decoding: bytes, as: UTF8.self)
    return (damaged, index)
  }

  @Test func `any damaged byte is refused`() async throws {
    let lines = try await RandomHistory.example(seed: 4).store.exported()
    var random = SeededGenerator(seed: 5)
    for _ in 0..<Rounds.count(150) {
      let (damaged, index) = Self.damaged(lines, &random)
      guard damaged != lines else { continue }
      guard case .unreadableExport(let line, _) = try await damage(damaged) else {
        Issue.record("line \(index + 1): \(damaged[index])")
        continue
      }
      #expect([index + 1, lines.count].contains(line))
    }
  }

  @Test func `damage under a matching digest is refused or harmless`() async throws {
    let lines = try await RandomHistory.example(seed: 4).store.exported()
    var random = SeededGenerator(seed: 5)
    for _ in 0..<Rounds.count(60) {
      let (damaged, index) = Self.damaged(lines.dropLast(), &random)
      let target = try SQLStore.peer(7)
      do {
        _ = try await target.merge(lines: damaged.sealed)
        // The merged rows can be read.
        _ = try await target.contents()
        _ = try await target.check()
        _ = try await target.exported()
      } catch StoreError.unreadableExport(let line, _) {
        #expect(line == index + 1)
      }
    }
  }

  /// A version under another id than its content has could never be changed by a plan again.
  @Test func `a version under another ID is refused`() async throws {
    let lines = try await RandomHistory.example(seed: 4).store.exported()
    let index = try #require(
      lines.firstIndex { $0.contains(#""kind":"version""#) && $0.contains(#""type":"task""#) })
    let id = try #require(lines[index].firstMatch(of: /"id":"([^"\\]+)"/)?.output.1)
    var changed = lines
    changed[index] = lines[index].replacing(#""id":"\#(id)""#, with: #""id":"a1|b""#)
    let target = try SQLStore.peer(7)
    await #expect(
      throws: StoreError.unreadableExport(line: index + 1, .value("a1|b", field: "id"))
    ) { try await target.merge(lines: changed.dropLast().sealed) }
  }

  /// Lines are read ahead, of which each may be damaged in its own way.
  @Test func `of two damaged lines the first one is told`() async throws {
    let lines = try await RandomHistory.example(seed: 4).store.exported()
    let index = try #require(
      lines.firstIndex { $0.contains(#""kind":"version""#) && $0.contains(#""type":"task""#) })
    let id = try #require(lines[index].firstMatch(of: /"uuid":"([^"]+)"/)?.output.1)
    let other = id.dropLast() + (id.hasSuffix("0") ? "1" : "0")
    let changed = lines[index].replacing(#""uuid":"\#(id)""#, with: #""uuid":"\#(other)""#)
    for rest in [[String(lines[index + 1].dropLast())], []] {
      #expect(
        try await damage(lines.prefix(index) + [changed] + rest)
          == .unreadableExport(line: index + 1, .value(String(other), field: "uuid")))
    }
  }

  /// The rows of 256 lines are made at a time.
  @Test(arguments: [254, 255, 256, 257, 511, 512, 700])
  func `the first damaged line of a long export is told`(index: Int) async throws {
    let writers = (1000..<1700).map {
      #"{"clock":1,"kind":"writer","uuid":"00000000-0000-0000-0000-00000000\#($0)"}"#
    }
    let lines = ([#"{"measured-store":1}"#] + writers).sealed
    let target = try SQLStore.peer(7)
    #expect(try await target.merge(lines: lines).isUnchanged)
    var damaged = lines
    for later in [index, 700] { damaged[later].removeLast() }
    #expect(try await damage(damaged) == .unreadableExport(line: index + 1, .notAnObject))
    let short = Array(lines.prefix(index)).sealed
    #expect(
      try await damage(short + [lines[1]]) == .unreadableExport(line: index + 2, .afterEnd))
    #expect(try await damage(short.dropLast()) == .unreadableExport(line: index, .noEnd))
  }

  @Test func `answers arrive in any order, and once`() async throws {
    let source = try await SQLStore.planned(try .daily())
    for value in 0..<3 {
      _ = try await source.write { writer in
        let event = try #require(
          try writer.events(
            patient: "john", task: nil, from: midnight, to: midnight.addingTimeInterval(86_400)
          ).first)
        return try writer.setOutcome(
          [OutcomeValue(value: .integer(Int64(value)), time: midnight, provenance: .manual)],
          of: event.reference, now: midnight.addingTimeInterval(Double(value)))
      }
    }
    let lines = try await source.exported()
    let (answers, others) = (
      lines.dropLast().filter { $0.contains(#""kind":"outcome""#) },
      lines.dropLast().filter { !$0.contains(#""kind":"outcome""#) }
    )
    #expect(answers.count == 3)
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0, 1, 2], [1, 0, 0, 2]] {
      let target = try SQLStore.peer(7)
      _ = try await target.merge(lines: (others + order.map { answers[$0] }).sealed)
      #expect(try await target.exported() == lines)
      #expect(try await target.read { try $0.outcomeConflicts() } == [])
    }
  }

  @Test func `an export without its end is refused`() async throws {
    let lines = try await RandomHistory.example(seed: 4).store.exported()
    for count in [1, 2, lines.count / 2, lines.count - 1] {
      #expect(
        try await damage(Array(lines.prefix(count))) == .unreadableExport(line: count, .noEnd))
    }
    let end = try #require(lines.last)
    for (lines, line, expected) in [
      (
        Array(lines.dropLast(2)) + [end], lines.count - 1,
        .wrongCount(found: lines.count - 2, expected: lines.count - 1)
      ),
      ([lines[0], lines[2], lines[1]] + lines.dropFirst(3), lines.count, .wrongDigest),
      (lines + [lines[1]], lines.count + 1, .afterEnd),
      (lines + [end], lines.count + 1, .afterEnd),
    ] as [([String], Int, StoreError.ExportDamage)] {
      #expect(try await damage(lines) == .unreadableExport(line: line, expected))
    }
  }

  @Test func `bytes that are not UTF 8 are refused`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("export.jsonl")
    let store = try await RandomHistory.example(seed: 4).store
    try await store.export(to: path)
    let whole = try contents(of: path)
    let target = try SQLStore.peer(7)
    #expect(try await target.merge(contentsOf: path).isUnchanged == false)
    #expect(try await target.exported() == store.exported())
    var damaged = whole
    let line = try #require(damaged.firstIndex(of: UInt8(ascii: "\n"))) + 1
    let text = try #require(damaged[line...].firstRange(of: Data("writer".utf8)))
    damaged[text.lowerBound] = 0xC3
    try damaged.write(to: URL(fileURLWithPath: path))
    let number = damaged[..<text.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
    await #expect(throws: StoreError.unreadableExport(line: number, .notUTF8)) {
      try await SQLStore.peer(8).merge(contentsOf: path)
    }
  }
}

// MARK: - The plan's zone

@Suite struct MergedZoneTests {
  private func plan(_ zone: String) throws -> PlanDocument {
    var plan = PlanDocument.example(try .daily())
    plan.timeZone = try #require(TimeZone(identifier: zone))
    return plan
  }

  private func zone(_ store: SQLStore) async throws -> String? {
    try await store.read { try $0.planTimeZone()?.identifier }
  }

  @Test func `a new store has the zone of the one that it is merged from`() async throws {
    let store = try SQLStore.peer(1)
    _ = try await store.write { try $0.importPlan(try plan("Europe/Berlin"), now: midnight) }
    #expect(try await zone(store.copied(2)) == "Europe/Berlin")
  }

  @Test func `the zone that was imported last holds in both`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    _ = try await b.write { try $0.importPlan(try plan("Asia/Tokyo"), now: day(1)) }
    _ = try await a.write { try $0.importPlan(try plan("Europe/Berlin"), now: midnight) }
    let lines = try await a.exported()
    #expect(try await a.merge(lines: try await b.exported()).hasChangedTimeZone)
    #expect(try await b.merge(lines: lines).hasChangedTimeZone == false)
    for store in [a, b] { #expect(try await zone(store) == "Asia/Tokyo") }
    // An import whose clock was set back is still the last one here.
    _ = try await a.write { try $0.importPlan(try plan("Europe/Berlin"), now: midnight) }
    _ = try await b.merge(lines: try await a.exported())
    #expect(try await zone(b) == "Europe/Berlin")
  }

  @Test func `an import that is taken back takes its zone back everywhere`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    _ = try await a.write { try $0.importPlan(try plan("Asia/Tokyo"), now: midnight) }
    _ = try await a.write { try $0.importPlan(try plan("Europe/Berlin"), now: day(1)) }
    _ = try await b.merge(lines: try await a.exported())
    _ = try await a.write { try $0.undoImport(now: day(2)) }
    _ = try await b.merge(lines: try await a.exported())
    for store in [a, b] { #expect(try await zone(store) == "Asia/Tokyo") }
  }
}
