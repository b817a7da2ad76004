import Care
import CareStore
import Foundation
import Testing

@Suite struct ErasureTests: ~Copyable {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private static func plan() throws -> PlanDocument {
    var johns = try PlannedTask.daily("secretwalk", title: "Zebrawalk")
    johns.patient = "johnxyz"
    var anns = try PlannedTask.daily("annwalk", title: "Annwalk")
    anns.patient = "ann"
    var plan = PlanDocument.example(
      johns, anns,
      devices: [DeviceBinding(address: "AA:BB:CC:DD:EE:01", patient: "johnxyz")])
    plan.patients = [
      Patient(id: "johnxyz", name: PersonName(given: "Zacharias")),
      Patient(id: "ann", name: PersonName(given: "Ann")),
    ]
    plan.notes = [Note(id: "n", patient: "johnxyz", content: "Quagmire")]
    return plan
  }

  /// The texts that identify the person, in bytes.
  private static let secrets: [Data] =
    ["johnxyz", "Zacharias", "Zebrawalk", "secretwalk", "Quagmire", "deadbeef", "Jabberwock"]
    .map { Data($0.utf8) } + [Data([0xDE, 0xAD, 0xBE, 0xEF])]

  private func fill(_ store: SQLStore) async throws {
    _ = try await store.write { try $0.importPlan(try Self.plan(), now: midnight) }
    // A next plan: the last import keeps the bindings that it replaced.
    _ = try await store.write {
      var plan = try Self.plan()
      plan.devices = []
      plan.tasks.reverse()
      return try $0.importPlan(plan, now: midnight + 1)
    }
    _ = try await store.write {
      let sample = Sample.linked(72.4, at: day(1), patient: "johnxyz")
      _ = try $0.insert(sample)
      _ = try $0.insert(.linked(50, at: day(1) + 100, patient: "ann"))
      _ = try $0.change(.sample(sample.identity), .disown, reason: "Jabberwock", now: day(1))
      _ = try $0.change(
        .sample(sample.identity), .assign(patient: "johnxyz"), reason: "Jabberwock", now: day(2))
      _ = try $0.correct(sample.identity, value: 71, source: nil, reason: nil, now: day(2))
      for minute in 0..<90 {
        _ = try $0.insert(
          .steps(30, at: day(1) + Double(minute) * 60, patient: minute < 45 ? "johnxyz" : "ann"))
      }
      _ = try $0.change(
        .span(device: "C0:FF:EE:00:00:01", from: day(1) + 2700, to: day(1) + 3000),
        .assign(patient: "johnxyz"), reason: "Jabberwock", now: day(2))
      let event = try #require(
        try $0.events(patient: "johnxyz", task: nil, from: midnight, to: day(1)).first)
      _ = try $0.setOutcome(
        [OutcomeValue(value: .text("Jabberwock"), time: midnight, provenance: .manual)],
        of: event.reference, now: day(1))
    }
  }

  @Test func `nobody gets the id of an erased person`() async throws {
    let store = try SQLStore.example()
    try await fill(store)
    try await store.write { try $0.renamePatient("johnxyz", to: "jack", now: day(2)) }
    try await store.erase(patient: "jack", now: day(3))
    let erased = try await store.exported()
    for id in ["johnxyz", "jack"] {
      let taken = StoreError.refused(.takenPatient(id))
      var plan = try Self.plan()
      plan.patients[0].id = id
      (plan.tasks[0].patient, plan.notes, plan.devices) = (id, [], [])
      let again = plan
      await #expect(throws: taken) {
        try await store.write { try $0.importPlan(again, now: day(4)) }
      }
      await #expect(throws: taken) {
        try await store.write { try $0.put(Patient(id: id), now: day(4)) }
      }
      await #expect(throws: taken) {
        try await store.write { try $0.renamePatient("ann", to: id, now: day(4)) }
      }
    }
    #expect(try await store.exported() == erased)
  }

  /// A device sends its memory again, and a program reads the plan from before.
  @Test func `what arrives again after an erasure is not stored`() async throws {
    let store = try SQLStore.example()
    try await fill(store)
    try await store.erase(patient: "johnxyz", now: day(3))
    let erased = try await store.exported()
    for sample: Sample in [
      .linked(72.4, at: day(1), patient: "ann"), .linked(70, at: day(4), patient: "johnxyz"),
      .steps(30, at: day(1) + 2760, arrival: day(4), patient: "ann"),
      .steps(30, at: day(4), patient: "johnxyz"),
    ] {
      #expect(try await store.write { try $0.insert(sample) } == false)
    }
    #expect(try await store.exported() == erased)
    #expect(try await store.write { try $0.insert(.linked(51, at: day(4), patient: "ann")) })
  }

  /// A box that had not heard of the erasure goes on for days.
  @Test func `what another store wrote later goes too`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    try await fill(a)
    _ = try await b.merge(lines: try await a.exported())
    try await a.erase(patient: "johnxyz", now: day(3))
    let erased = try await a.exported()
    _ = try await b.write {
      let event = try #require(
        try $0.events(patient: "johnxyz", task: nil, from: day(5), to: day(6)).first)
      _ = try $0.setOutcome([.typed(1)], of: event.reference, now: day(5, hour: 13))
      let sample = Sample.linked(72.9, at: day(5), patient: "johnxyz")
      _ = try $0.insert(sample)
      _ = try $0.insert(.steps(30, at: day(5), patient: "johnxyz"))
      _ = try $0.put(Note(id: "m", patient: "johnxyz", content: "late"), now: day(5))
      try $0.renamePatient("johnxyz", to: "jack", now: day(6))
    }
    let later = try await b.exported()
    #expect(try await a.merge(lines: later).dropped > 0)
    _ = try await b.merge(lines: erased)
    _ = try await a.merge(lines: try await b.exported())
    for store in [a, b] {
      #expect(try await store.read { try $0.patients().map(\.id) } == ["ann"])
      let lines = try await store.exported()
      for secret in ["johnxyz", "jack", "late", "72.9"] {
        #expect(lines.allSatisfy { !$0.contains(secret) }, "\(secret)")
      }
      #expect(try await store.check() == [])
    }
    #expect(try await a.exported() == b.exported())
  }

  @Test func `the number of an erased sample is not given again`() async throws {
    let store = try SQLStore.example()
    try await fill(store)
    let last = Sample.linked(73, at: day(2), patient: "johnxyz")
    _ = try await store.write { try $0.insert(last) }
    let number = try #require(try await store.read { try $0.number(of: last.identity) })
    try await store.erase(patient: "johnxyz", now: day(3))
    let next = Sample.linked(51, at: day(4), patient: "ann")
    _ = try await store.write { try $0.insert(next) }
    let given = try #require(try await store.read { try $0.number(of: next.identity) })
    #expect(given > number)
    #expect(try await store.read { try $0.identity(ofNumber: given) } == next.identity)
  }

  @Test func `nothing of a person is left in the file`() async throws {
    let path = scratch.file("a")
    let store = try SQLStore.open(path: path, makeUUID: SeededUUIDs(seed: 1).next)
    try await fill(store)
    func remains() throws -> [String] {
      try scratch.names.flatMap { name in
        let bytes = try contents(of: scratch.file(name))
        return Self.secrets.filter { bytes.range(of: $0) != nil }
          .map { "\(name): \(String(decoding: $0, as: UTF8.self))" }
      }
    }
    #expect(try !remains().isEmpty)
    try await store.erase(patient: "johnxyz", now: day(3))
    // Ann's own reading of the same scale has the same first bytes.
    let others = try remains().filter { !$0.hasSuffix("deadbeef") && !$0.contains("\u{FFFD}") }
    #expect(others == [])
    #expect(try await store.read { try $0.patients().map(\.id) } == ["ann"])
    let samples = try await store.read {
      try $0.samples(SampleQuery(states: Set(Sample.State.allCases)))
    }
    #expect(samples.filter { $0.quantity == .bodyMass }.map(\.value) == [50])
    #expect(samples.filter { $0.quantity == .stepCount }.count == 40)
    #expect(samples.allSatisfy { $0.patient == "ann" })
    #expect(try await store.check() == [])
    try store.close()
    #expect(try remains().filter { !$0.hasSuffix("deadbeef") && !$0.contains("\u{FFFD}") } == [])
  }

  @Test func `a merge that erases leaves nothing in the file`() async throws {
    let source = try SQLStore.peer(2)
    try await fill(source)
    let store = try SQLStore.open(path: scratch.file("b"), makeUUID: SeededUUIDs(seed: 3).next)
    _ = try await store.merge(lines: try await source.exported())
    try await source.erase(patient: "johnxyz", now: day(3))
    let report = try await store.merge(lines: try await source.exported())
    #expect(report.erasures > 0)
    // Also while it is open: nothing waits in the log. Ann's own reading of the same scale has the
    // same first bytes.
    for name in try scratch.names {
      let bytes = try contents(of: scratch.file(name))
      for secret in Self.secrets.dropLast() where secret != Data("deadbeef".utf8) {
        #expect(
          bytes.firstRange(of: secret) == nil,
          "\(name): \(String(decoding: secret, as: UTF8.self))")
      }
    }
    #expect(try await store.exported() == source.exported())
  }

  /// An erasure that had no room to write the file again is repeated.
  @Test func `an erasure can be repeated`() async throws {
    let store = try SQLStore.peer(1)
    try await fill(store)
    try await store.erase(patient: "johnxyz", now: day(3))
    let erased = try await store.exported()
    try await store.erase(patient: "johnxyz", now: day(3))
    #expect(try await store.exported() == erased)
    await #expect(throws: StoreError.self) { try await store.erase(patient: "nobody", now: day(3)) }
  }

  @Test func `no merge brings an erased person back`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    try await fill(a)
    _ = try await b.merge(lines: try await a.exported())
    let old = try await b.exported()
    try await a.erase(patient: "johnxyz", now: day(3))
    let erased = try await a.exported()
    #expect(try await a.merge(lines: old).dropped > 0)
    #expect(try await a.exported().difference(from: erased) == [])
    // The other store obeys.
    _ = try await b.merge(lines: erased)
    #expect(try await b.exported().difference(from: erased) == [])
    #expect(try await b.contents() == a.contents())
    #expect(try await b.check() == [])
  }

  @Test func `earlier names are erased too`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    try await fill(a)
    _ = try await b.merge(lines: try await a.exported())
    try await a.write { try $0.renamePatient("johnxyz", to: "jack", now: day(3)) }
    let renamed = try await a.exported()
    try await a.erase(patient: "jack", now: day(4))
    let erased = try await a.exported()
    for secret in ["johnxyz", "jack", "Zacharias"] {
      #expect(erased.allSatisfy { !$0.contains(secret) })
    }
    _ = try await b.merge(lines: erased)
    _ = try await b.merge(lines: renamed)
    #expect(try await b.exported().difference(from: erased) == [])
  }

  @Test func `a sample that was given to somebody else stays`() async throws {
    let store = try SQLStore.peer(1)
    try await fill(store)
    let sample = Sample.linked(51, at: day(2), patient: "johnxyz")
    _ = try await store.write {
      _ = try $0.insert(sample)
      return try $0.change(
        .sample(sample.identity), .assign(patient: "ann"), reason: nil, now: day(2))
    }
    let before = try await store.exported()
    try await store.erase(patient: "johnxyz", now: day(3))
    let after = try await store.exported()
    #expect(
      try await store.read {
        try $0.samples(SampleQuery(owner: .patient("ann"), quantity: .bodyMass)).map(\.value)
      } == [50, 51])
    _ = try await store.merge(lines: before)
    #expect(try await store.exported().difference(from: after) == [])
  }

  @Test func `an unknown patient is not erased`() async throws {
    let store = try SQLStore.peer(1)
    try await fill(store)
    await #expect(throws: StoreError.unknown(.patient("bob", known: ["ann", "johnxyz"]))) {
      try await store.erase(patient: "bob", now: day(3))
    }
  }
}

extension [String] {
  /// The lines that only one of two exports has.
  fileprivate func difference(from other: [String]) -> [String] {
    Set(self).symmetricDifference(other).sorted()
  }
}
