import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// A store that random people and sensors use.
struct RandomHistory {
  let store: SQLStore
  private var random: SeededGenerator
  private var now: Date
  private var notes = 0
  /// Whether it may give patients another id.
  let renames: Bool

  init(seed: UInt64, index: UInt64, renames: Bool) throws {
    store = try .peer(seed &* 1000 &+ index)
    random = SeededGenerator(seed: seed &* 31 &+ index)
    now = midnight + Double(index)
    self.renames = renames
  }

  /// A store after some time.
  static func example(seed: UInt64) async throws -> RandomHistory {
    var history = try RandomHistory(seed: seed, index: 0, renames: true)
    for _ in 0..<60 { try await history.step() }
    return history
  }

  static func plan(_ edition: Int) throws -> PlanDocument {
    var weigh = try PlannedTask.daily("weigh", title: "Weigh in")
    weigh.linkages = [
      Linkage(quantity: .bodyMass, type: .discrete, unit: Quantity.bodyMass.unit)
    ]
    var ann = try PlannedTask.daily("walk", title: "Ann's walk")
    ann.patient = "ann"
    var plan = PlanDocument.example(
      try .daily(title: edition == 0 ? "Walk" : "Walk \(edition)"), weigh, ann)
    plan.patients.append(Patient(id: "ann", name: PersonName(given: "Ann")))
    if edition == 2 { plan.tasks.reverse() }
    if edition > 0, let zone = TimeZone(identifier: edition == 1 ? "Europe/Berlin" : "Asia/Tokyo") {
      plan.timeZone = zone
    }
    return plan
  }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  /// Does something; what the store refuses is left out.
  mutating func step() async throws {
    now += Double(1 + pick(7200)) + 0.25
    let (now, kind, choice, other) = (now, pick(20), pick(6), pick(50))
    // Sensors that several stores receive.
    let event = midnight + Double(pick(40)) * 600
    let jitter = Double(pick(4000)) / 100
    notes += 1
    let note = "n\(notes)"
    let renames = renames
    do {
      try await store.write { writer in
        let patients = try writer.patients().map(\.id)
        let patient = patients.isEmpty ? "john" : patients[choice % patients.count]
        switch kind {
        case 0, 1: _ = try writer.importPlan(try Self.plan(choice % 3), now: now)
        case 2:
          _ = try writer.insert(.broadcast(at: event + jitter, patient: other < 25 ? nil : "john"))
        case 3, 4:
          for second in 0..<(20 + other) {
            _ = try writer.insert(
              .streamed(
                .heartRate, 60 + Double(second % 9), at: event + Double(second) * 37,
                patient: choice < 2 ? nil : "ann"))
          }
        case 5:
          _ = try writer.insert(.steps(Double(other), at: event, arrival: event + 61 + jitter))
        case 6: _ = try writer.insert(.linked(70 + Double(other) / 10, at: now, patient: patient))
        case 7:
          let tasks = try writer.taskVersions(patient: nil)
          guard !tasks.isEmpty else { return }
          let task = tasks[other % tasks.count]
          _ = try writer.setOutcome(
            [.typed(Double(other), at: now)],
            of: EventReference(taskUUID: task.uuid, occurrence: choice), now: now + 10 * 86_400)
        case 8:
          let tasks = try writer.taskVersions(patient: nil)
          guard !tasks.isEmpty else { return }
          let task = tasks[other % tasks.count]
          _ = try writer.deleteOutcome(
            of: EventReference(taskUUID: task.uuid, occurrence: choice), now: now)
        case 9:
          _ = try writer.endTask(
            TaskReference(patient: patient, task: choice < 3 ? "walk" : "weigh"), at: now, now: now)
        case 10:
          try writer.delete(
            .task(TaskReference(patient: patient, task: choice < 3 ? "walk" : "weigh")), now: now)
        case 11:
          try writer.revive(
            .task(TaskReference(patient: patient, task: choice < 3 ? "walk" : "weigh")), now: now)
        case 12:
          _ = try writer.put(
            Note(id: other < 25 ? "shared" : note, patient: patient, content: "text \(other)"),
            now: now)
        case 13, 14:
          let samples = try writer.samples(SampleQuery(states: Set(Sample.State.allCases)))
            .filter { !$0.reading.isStreamed }
          guard !samples.isEmpty else { return }
          let sample = samples[other % samples.count].identity
          if choice == 0 {
            _ = try writer.correct(
              sample, value: Double(60 + other), source: nil, reason: nil, now: now)
            return
          }
          let changes: [SampleChange] = [
            .assign(patient: patient), .unassign, .disown, .delete, .restore,
          ]
          _ = try writer.change(.sample(sample), changes[choice - 1], reason: note, now: now)
        case 15:
          let changes: [SampleChange] = [
            .assign(patient: patient), .unassign, .disown, .delete, .restore,
            .assign(patient: "ann"),
          ]
          _ = try writer.change(
            .span(device: "C0:FF:EE:00:00:01", from: event, to: event + 900), changes[choice],
            reason: nil, now: now)
        case 16:
          guard renames, choice == 0 else { return }
          try writer.renamePatient(patient, to: "\(patient)\(other)", now: now)
        case 17:
          _ = try writer.record(
            .random(choice, of: patient, at: event, now: now), making: nil, now: now)
        case 18:
          if let rule = try writer.firings(FiringQuery(kinds: [.rule])).first {
            _ = try writer.undoFiring(rule.id, now: now)
          }
        default:
          if choice < 2 {
            _ = try writer.undoImport(now: now)
          } else if let conflict = try writer.conflicts().first {
            try writer.settle(conflict.thing, now: now)
          }
        }
      }
    } catch is StoreError {}
  }

  /// Takes an export of another store, or a part of it.
  mutating func receive(_ lines: [String]) async throws {
    let isCut = pick(3) == 0
    let part = isCut ? Array(lines.prefix(1 + pick(lines.count))).sealed : lines
    _ = try await store.merge(lines: part)
    if pick(4) == 0 { _ = try await store.merge(lines: part) }
  }
}

extension Firing {
  /// A firing that several stores record alike, at another time.
  fileprivate static func random(
    _ choice: Int, of patient: String, at start: Date, now: Date
  ) -> Firing {
    let kinds: [Kind] = [.reminder, .fallback, .rule, .rule, .alert, .reminder]
    let rule = Rule(
      trigger: .results(choice, ofLast: choice, .atLeast(1)), message: "message \(choice)")
    let threshold = Threshold(condition: .above(1), says: "high", alerts: true)
    return Firing(
      Key(
        kinds[choice], EventKey(patient: patient, task: "walk", start: start),
        rule: kinds[choice] == .rule ? rule : nil,
        threshold: kinds[choice] == .alert ? threshold : nil), due: start, date: now,
      results: choice == 2
        ? [RuleResult(start: start, time: now, value: 1.5, unit: .kilogram)] : [])
  }
}

@Suite struct MergePropertyTests {
  @Test(arguments: Rounds.seeds(8, from: 1))
  func `stores that exchange agree`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let count = 3 + Int(seed % 3)
    var histories = try (0..<count).map {
      try RandomHistory(seed: seed, index: UInt64($0), renames: true)
    }
    for _ in 0..<(count * 40) {
      let index = Int(random.next() % UInt64(count))
      if random.next() % 8 == 0 {
        let lines = try await histories[Int(random.next() % UInt64(count))].store.exported()
        try await histories[index].receive(lines)
      } else {
        try await histories[index].step()
      }
    }
    var exports: [[String]] = []
    for round in 0..<6 {
      for a in histories.indices {
        for b in histories.indices where a != b {
          let lines = try await histories[b].store.exported()
          _ = try await histories[a].store.merge(lines: lines)
        }
      }
      exports = []
      for history in histories { exports.append(try await history.store.exported()) }
      if round > 0, Set(exports).count == 1 { break }
    }
    let contents = try await histories[0].store.contents()
    let zone = try await histories[0].store.read { try $0.planTimeZone() }
    for (index, history) in histories.enumerated() {
      let difference = Set(exports[index]).symmetricDifference(exports[0]).sorted()
        .prefix(4).map { $0.suffix(600) }
      #expect(difference.isEmpty, "store \(index): \(difference)")
      #expect(exports[index].count == exports[0].count)
      #expect(try await history.store.contents() == contents)
      #expect(try await history.store.read { try $0.planTimeZone() } == zone)
      let findings = try await history.store.check().filter {
        ![.conflict, .outcomeConflict, .orphanedOutcome, .unknownOwner].contains($0.kind)
      }
      #expect(findings == [])
    }
    // A store that gets the result at once is the same.
    let fresh = try await histories[0].store.copied(77)
    #expect(try await fresh.exported() == exports[0])
    #expect(try await fresh.contents() == contents)
  }

  @Test(arguments: Rounds.seeds(6, from: 101))
  func `merging is a union`(seed: UInt64) async throws {
    var stores: [SQLStore] = []
    for index in 0..<3 {
      var history = try RandomHistory(seed: seed, index: UInt64(index), renames: false)
      for _ in 0..<50 { try await history.step() }
      stores.append(history.store)
    }
    let (a, b, c) = (
      try await stores[0].exported(), try await stores[1].exported(),
      try await stores[2].exported()
    )
    func sum(_ parts: [String]...) async throws -> [String] {
      let store = try SQLStore.peer(5)
      for part in parts { _ = try await store.merge(lines: part) }
      return try await store.exported()
    }
    #expect(try await sum(a, a) == a)
    let ab = try await sum(a, b)
    #expect(try await sum(b, a) == ab)
    let bc = try await sum(b, c)
    let left = try await sum(ab, c)
    #expect(try await sum(a, bc) == left)
    #expect(try await sum(c, b, a) == left)
    // The order of lines makes no difference either.
    var random = SeededGenerator(seed: seed)
    #expect(try await sum(([left[0]] + left.dropFirst().shuffled(using: &random)).sealed) == left)
  }
}
