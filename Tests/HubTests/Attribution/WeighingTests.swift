import Actions
import Attribution
import Care
import CareStore
import Foundation
import Hub
import Radio
import Testing

/// Weighings of many days through the hub: what an assignment learns from the store.
struct WeighingTests {
  // MARK: - One patient

  @Test func `a visitor does not move the patient's estimate`() async throws {
    let bench = try await Bench(Plans.john(expects: "82 kg"))
    #expect(
      try await bench.weigh([82, 75.5, 82.1, 82.0, 82.2]) == ["john", nil, "john", "john", "john"])
    let visitor = try #require(try await bench.waiting().first)
    #expect(visitor.doubt == .far)
    #expect(visitor.patients == ["john"])
    #expect(visitor.odds.allSatisfy { $0.probability < 0.5 })
  }

  @Test func `a child's siblings do not raise its weight`() async throws {
    let bench = try await Bench(Plans.john(expects: "20 kg"))
    #expect(
      try await bench.weigh([20, 22.9, 25.8, 28.7, 31.6, 20.1])
        == ["john", nil, nil, nil, nil, "john"])
  }

  @Test func `after a birth one assignment by hand assigns what waits`() async throws {
    let bench = try await Bench(Plans.john(expects: "78 kg"))
    #expect(
      try await bench.weigh([78, 78.2, 78.1, 70.5, 70.3, 70.4])
        == ["john", "john", "john", nil, nil, nil])
    let now = time("2026-11-26T12:00:00Z")
    let tray = try await bench.samples().filter { $0.patient == nil }
    let last = try #require(tray.last)
    let attributed = try await bench.store.write { writer in
      _ = try writer.change(.sample(last.identity), .assign(patient: "john"), reason: nil, now: now)
      return try WeighingReview.update(in: writer, now: now).assigned
    }
    #expect(attributed.map(\.value) == [70.5, 70.3])
    #expect(attributed.allSatisfy { $0.patient == "john" })
    let assignments = try await bench.store.read { reader in
      try attributed.map { try reader.assignment(of: $0) }
    }
    #expect(
      assignments
        == Array(
          repeating: SampleChangeRecord(
            change: .assign(patient: "john"), decidedBy: .evidence, reason: nil, date: now),
          count: 2))
    #expect(try await bench.weigh([70.2], from: 6) == ["john"])
  }

  @Test func `an assignment that is taken back takes back what followed from it`() async throws {
    let bench = try await Bench(Plans.john(expects: "78 kg"))
    try await bench.weigh([78, 78.2, 78.1, 70.5, 70.3, 70.4])
    let now = time("2026-11-26T12:00:00Z")
    let last = try #require(try await bench.samples().last { $0.patient == nil })
    let outcome = try await bench.store.write { writer in
      _ = try writer.change(.sample(last.identity), .assign(patient: "john"), reason: nil, now: now)
      _ = try WeighingReview.update(in: writer, now: now)
      _ = try writer.change(.sample(last.identity), .unassign, reason: nil, now: now + 60)
      return try WeighingReview.update(in: writer, now: now + 60)
    }
    #expect(outcome.returned.map(\.value) == [70.5, 70.3])
    #expect(outcome.assigned.isEmpty)
    #expect(outcome.contradictions.isEmpty)
    #expect(
      try await bench.samples(.bodyMass).map(\.patient) == ["john", "john", "john", nil, nil, nil])
  }

  @Test func `an assignment to the wrong person is reported at once`() async throws {
    let bench = try await Bench(Plans.couple("82 kg", "66 kg"))
    try await bench.weigh([82, 66, 82.2, 66.1, 81.9, 66.2, 82.1, 65.9])
    let now = time("2026-11-26T12:00:00Z")
    let last = try #require(try await bench.samples(.bodyMass).last)
    let outcome = try await bench.store.write { writer in
      _ = try writer.change(.sample(last.identity), .assign(patient: "john"), reason: nil, now: now)
      return try WeighingReview.update(in: writer, now: now)
    }
    #expect(outcome.contradictions.map(\.sample.value) == [65.9])
    #expect(outcome.contradictions.map(\.likelier) == ["mary"])
    #expect(try await bench.weigh([82.1, 66], from: 8) == ["john", "mary"])
  }

  @Test(arguments: [1, 8])
  func `the wrongly assigned weighing is named, and never the right one`(count: Int) async throws {
    let bench = try await Bench(Plans.couple("64 kg", "82 kg"))
    try await bench.weigh([82.1, 64.2, 82.0, 64.1, 81.9, 64.3, 82.2, 64.0].prefix(count) + [64.2])
    let now = time("2026-11-30T12:00:00Z")
    let first = try #require(try await bench.samples(.bodyMass).first)
    let outcome = try await bench.store.write { writer in
      _ = try writer.change(
        .sample(first.identity), .assign(patient: "john"), reason: nil, now: now)
      return try WeighingReview.update(in: writer, now: now)
    }
    #expect(outcome.contradictions.map(\.sample.value) == [82.1])
    #expect(outcome.contradictions.map(\.likelier) == ["mary"])
  }

  @Test func `what was assigned on evidence waits again where it is not clear any longer`()
    async throws
  {
    let bench = try await Bench(Plans.john(expects: nil))
    let weights = [88.5, 95.6, 88.7, 95.4, 88.6, 95.5]
    #expect(try await bench.weigh(weights).first == "john")
    let now = time("2026-11-26T12:00:00Z")
    // Either of the two may be John: neither is, until one answer says which.
    let review = try await bench.store.write { try WeighingReview.update(in: $0, now: now) }
    #expect(review.returned.map(\.value).contains(88.5))
    #expect(try await bench.samples(.bodyMass).allSatisfy { $0.patient == nil })
    let question = try #require(try await bench.store.read { try WeighingQuestion($0) })
    #expect(question.kind == .weigher(patient: "john"))
    #expect(question.sample.value == 95.5)
    #expect((2...6).contains(question.settled))
    // The lessons of a page before are those that are learned anew.
    let memory = WeighingMemory()
    for _ in 0..<2 {
      let again = try await bench.store.read { try WeighingQuestion($0, memory) }
      #expect(again?.sample == question.sample)
      #expect(again?.settled == question.settled)
      #expect(again?.residents == question.residents)
    }
    let answer = question.sample.identity
    try await bench.store.write { writer in
      _ = try writer.change(.sample(answer), .assign(patient: "john"), reason: nil, now: now)
      _ = try WeighingReview.update(in: writer, now: now)
    }
    #expect(
      try await bench.samples(.bodyMass).map(\.patient) == [nil, "john", nil, "john", nil, "john"])
  }

  @Test func `who is at home tells two alike apart, as long as the plan lets it be said`()
    async throws
  {
    let plan = Plans.couple("65 kg", "65 kg").replacing(
      "bodyMass: 65 kg}}", with: "bodyMass: 65 kg}, presence: true}")
    let bench = try await Bench(plan)
    let weights = (0..<12).map { $0.isMultiple(of: 2) ? 64.0 : 66.5 }
    try await bench.weigh(weights)
    let now = time("2026-11-26T12:00:00Z")
    let samples = try await bench.samples(.bodyMass)
    #expect(samples.allSatisfy { $0.patient == nil })
    func say(_ patient: String, _ isHome: Bool, at date: Date) async throws {
      let presence = Presence(
        patient: patient, isHome: isHome, from: date - 600, to: date + 600)
      _ = try await bench.store.write {
        try SayPresence(presence).perform(in: $0, by: .owner, now: now)
      }
    }
    for (index, sample) in samples.enumerated() {
      try await say("john", index.isMultiple(of: 2), at: sample.start)
      try await say("mary", !index.isMultiple(of: 2), at: sample.start)
    }
    #expect(
      try await bench.samples(.bodyMass).map(\.patient)
        == (0..<12).map { $0.isMultiple(of: 2) ? "john" : "mary" })
    // A plan that does not let it be said any longer lets it be forgotten.
    try await bench.store.write { writer in
      for var patient in try writer.patients() {
        patient.saysPresence = false
        _ = try writer.put(patient, now: now)
      }
      _ = try WeighingReview.update(in: writer, now: now)
    }
    #expect(try await bench.store.read { try $0.presences(since: nil) }.isEmpty)
    #expect(try await bench.samples(.bodyMass).allSatisfy { $0.patient == nil })
    await #expect(throws: PresenceRefusal.notSaid(patient: "john")) {
      try await say("john", true, at: now)
    }
  }

  @Test
  func `which resident is the only patient settles past and future, and names the other nobody`()
    async throws
  {
    let bench = try await Bench(Plans.john(expects: nil))
    let weights = (0..<12).map { $0.isMultiple(of: 2) ? 88.5 : 95.6 }
    try await bench.weigh(weights)
    let now = time("2026-11-26T12:00:00Z")
    _ = try await bench.store.write { try WeighingReview.update(in: $0, now: now) }
    let question = try #require(try await bench.store.read { try WeighingQuestion($0) })
    #expect(question.kind == .weigher(patient: "john"))
    #expect(question.residents.map { $0.weight.rounded() } == [89, 96])
    #expect(question.residents.map(\.latest.value) == [88.5, 95.6])
    #expect((10...12).contains(question.settled))
    let before = try await bench.store.read { try WeighingTracks($0) }
    #expect(before.tracks.map(\.points.count) == [6, 6])
    #expect(before.tracks.map(\.patient) == [nil, nil])
    #expect(before.tracks.map(\.waitingCount) == [6, 6])
    let answer = question.residents[1].latest.identity
    let result = try await bench.store.write {
      try NameWeigher("john", weighing: answer).perform(in: $0, by: .owner, now: now)
    }
    #expect(Set(result.samples.filter { $0.quantity == .bodyMass }.map(\.value)) == [88.5, 95.6])
    func states(_ owner: String?) async throws -> [Sample.State] {
      try await bench.store.read {
        try $0.samples(SampleQuery(quantity: .bodyMass, states: [.live, .disowned]))
      }.filter { $0.patient == owner }.map(\.state)
    }
    #expect(try await states("john") == Array(repeating: .live, count: 6))
    #expect(try await states(nil) == Array(repeating: .disowned, count: 6))
    // A weighing that comes later is clear on arrival.
    try await bench.weigh([88.4, 95.5], from: 12)
    #expect(try await states("john").count == 7)
    #expect(try await states(nil) == Array(repeating: .disowned, count: 7))
    #expect(try await bench.store.read { try WeighingQuestion($0) } == nil)
    let after = try await bench.store.read { try WeighingTracks($0) }
    #expect(after.tracks.map(\.patient) == ["john", nil])
    #expect(after.tracks.map(\.waitingCount) == [0, 0])
  }

  @Test func `a patient who is none of those on the scale gets nothing of them`() async throws {
    let bench = try await Bench(Plans.john(expects: nil))
    try await bench.weigh((0..<12).map { $0.isMultiple(of: 2) ? 88.5 : 95.6 })
    let now = time("2026-11-26T12:00:00Z")
    _ = try await bench.store.write {
      try NameWeigher("john", weighing: nil).perform(in: $0, by: .owner, now: now)
    }
    #expect(try await bench.samples(.bodyMass).allSatisfy { $0.patient == nil })
    // It is not asked again who of them the patient is.
    let question = try await bench.store.read { try WeighingQuestion($0) }
    #expect(question?.kind != .weigher(patient: "john"))
  }

  @Test func `each of several is asked about once, even if nothing waits`() async throws {
    let bench = try await Bench(Plans.couple("82 kg", "64 kg"))
    try await bench.weigh([82, 64, 82.2, 64.1, 81.9, 63.9, 82.1, 64.2])
    let now = time("2026-11-26T12:00:00Z")
    var asked: [WeighingQuestion.Kind] = []
    for _ in 0..<3 {
      guard let question = try await bench.store.read({ try WeighingQuestion($0) }) else { break }
      asked.append(question.kind)
      guard case .confirmation(let patient) = question.kind else { break }
      _ = try await bench.store.write { writer in
        try ChangeSamples(
          [.sample(question.sample.identity)], .assign(patient: patient), reason: nil
        ).perform(in: writer, by: .owner, now: now)
      }
    }
    #expect(asked == [.confirmation(patient: "john"), .confirmation(patient: "mary")])
    await #expect(throws: WeigherRefusal.severalPatients) {
      try await bench.store.write {
        try NameWeigher("john", weighing: nil).perform(in: $0, by: .owner, now: now)
      }
    }
  }

  @Test func `what a person put back into the tray stays there`() async throws {
    let bench = try await Bench(Plans.john(expects: "78 kg"))
    try await bench.weigh([78, 78.2, 78.1])
    let first = try #require(try await bench.samples().first)
    let attributed = try await bench.store.write { writer in
      _ = try writer.change(.sample(first.identity), .unassign, reason: nil, now: first.start)
      return try WeighingReview.update(in: writer, now: first.start).assigned
    }
    #expect(attributed.isEmpty)
  }

  @Test func `none of ours teaches a housemate`() async throws {
    let bench = try await Bench(Plans.john(expects: "82 kg"))
    try await bench.weigh([82, 82.2, 81.9, 79.2, 79.1, 79.3])
    let tray = try await bench.samples().filter { $0.value < 81 }
    try await bench.store.write { writer in
      for sample in tray {
        _ = try writer.change(.sample(sample.identity), .disown, reason: nil, now: sample.start)
      }
    }
    #expect(try await bench.weigh([79.2, 82.1], from: 6).last == "john")
    let others = try await bench.store.read {
      try $0.samples(SampleQuery(quantity: .bodyMass, states: [.disowned]))
    }
    #expect(others.map(\.value) == [79.2, 79.1, 79.3, 79.2])
  }

  @Test func `a named housemate gets nothing`() async throws {
    let bench = try await Bench(
      "others: [{weight: 75 kg}]\n" + Plans.john(expects: "82 kg"))
    #expect(try await bench.weigh([75.3, 82.2, 74.8]) == ["john"])
    // Nothing waits: the weights are of no patient, and say what the housemate weighs.
    let query = SampleQuery(quantity: .bodyMass, states: [.disowned])
    let disowned = try await bench.store.read { try $0.samples(query) }
    #expect(disowned.map(\.value) == [75.3, 74.8])
    #expect(disowned.allSatisfy { $0.patient == nil })
  }

  // MARK: - Several patients

  @Test func `weighings between two people do not chain one to the other`() async throws {
    let bench = try await Bench(Plans.couple("82 kg", "66 kg"))
    #expect(
      try await bench.weigh([76, 74.5, 82, 66.1]) == [nil, nil, "john", "mary"])
  }

  @Test func `what could be of a patient of unknown weight waits until it is known`() async throws {
    let bench = try await Bench(Plans.couple("82 kg", nil))
    #expect(try await bench.weigh([81, 62]) == [nil, nil])
    #expect(try await bench.waiting().map(\.doubt) == [.unknown, .unknown])
    let second = try #require(try await bench.samples().last)
    try await bench.store.write { writer in
      _ = try writer.change(
        .sample(second.identity), .assign(patient: "mary"), reason: nil, now: second.start)
    }
    #expect(try await bench.weigh([62.2, 82.1], from: 2) == ["mary", "john"])
  }

  @Test func `impedance tells twins apart once each is assigned by hand`() async throws {
    let bench = try await Bench(Plans.couple("65 kg", "65.5 kg"))
    try await bench.weigh([65.2, 65.3], impedance: [430, 560])
    let samples = try await bench.samples(.bodyMass)
    #expect(samples.map(\.patient) == [nil, nil])
    #expect(try await bench.waiting().map(\.doubt) == [.alike, .alike])
    try await bench.store.write { writer in
      for (sample, patient) in zip(samples, ["john", "mary"]) {
        _ = try writer.change(
          .sample(sample.identity), .assign(patient: patient), reason: nil, now: sample.start)
      }
    }
    #expect(
      try await bench.weigh([65.3, 65.1], impedance: [434, 552], from: 2) == ["john", "mary"])
  }

  @Test func `the expected weight vetoes a bound scale`() async throws {
    let device = #"  - {address: "5C:CA:D3:70:D4:A2", patient: john}"#
    let bench = try await Bench(Plans.john(expects: "82 kg", devices: device))
    #expect(try await bench.weigh([82, 60, 81.5]) == ["john", nil, "john"])
    let unknown = try await Bench(Plans.john(expects: nil, devices: device))
    #expect(try await unknown.weigh([82, 60, 81.5]) == ["john", "john", "john"])
  }

  @Test func `two people who were taken for each other are found`() async throws {
    let bench = try await Bench(Plans.couple("70 kg", "76 kg"))
    // They exchange their weights before the first weighing: a wrong plan.
    let weights: [Double] = [
      70, 76, 70.2, 75.8, 70.4, 76, 70, 75.8, 70.2, 76, 70.4, 75.8, 70, 76, 70.2, 75.8,
    ]
    let impedance = weights.map { $0 < 73 ? 560 : 430 }
    try await bench.weigh(weights, impedance: impedance)
    #expect(try await bench.store.read { try WeighingReview.contradictions(in: $0) }.isEmpty)
    let samples = try await bench.samples(.bodyMass)
    try await bench.store.write { writer in
      for (sample, patient) in zip(samples.suffix(4), ["mary", "john", "mary", "john"]) {
        _ = try writer.change(
          .sample(sample.identity), .assign(patient: patient), reason: nil, now: sample.start)
      }
    }
    let found = try await bench.store.read { try WeighingReview.contradictions(in: $0) }
    #expect(found.count == 12)
    #expect(found.first?.sample.patient == "john")
    #expect(found.first?.likelier == "mary")
  }

  // MARK: - The same as the simulation

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `the hub judges simulated weighings as the evidence does`(seed: UInt64) async throws {
    let simulation = HouseholdSimulation(
      people: 2, patients: 2, measuresImpedance: true, days: 21)
    let year = simulation.year(seed: seed)
    let people = year.household.people.map { person in
      "  - {id: \(person.patient ?? ""), expects: {bodyMass: \(Double(person.weight ?? 0) / 1_000) kg}}"
    }
    let bench = try await Bench("timeZone: UTC\npatients:\n" + people.joined(separator: "\n"))
    let start = time("2026-01-01T00:00:00Z")
    var evidence = Evidence(year.household)
    var expected: [String?] = []
    var events: [TimedEvent] = []
    var week = 0
    for step in year.days.joined() {
      // All are judged again before the first weighing of a week.
      if step.weighing.day / 7 > week {
        week = step.weighing.day / 7
        expected = evidence.smoothed.map { verdict in
          guard case .patient(let patient) = verdict.decision else { return nil }
          return patient
        }
      }
      if case .patient(let patient) = evidence.observe(step.weighing).decision {
        expected.append(patient)
      } else {
        expected.append(nil)
      }
      let at = start + Double(step.weighing.minute) * 60
      let clock = String(at.ISO8601Format().prefix(19))
      events.append(
        .mi(
          MiFrame(
            kilograms: Double(step.weighing.weight) / 1_000, clock: clock,
            impedance: (step.weighing.impedance ?? 0) / 100), at: at))
    }
    try await bench.play(events)
    #expect(try await bench.samples(.bodyMass).map(\.patient) == expected)
  }
}

extension Bench {
  /// Weighs once a day from the `first` day on; returns the patients of these weighings.
  @discardableResult
  fileprivate func weigh(
    _ weights: [Double], impedance: [Int] = [], from first: Int = 0
  ) async throws -> [String?] {
    let start = time("2026-11-03T15:10:00Z")
    try await play(
      weights.enumerated().map { index, weight in
        let at = start + Double(first + index) * 86_400
        // The clock of the scale is that of the plan's zone.
        let clock = String((at - 8 * 3_600).ISO8601Format().prefix(19))
        return .mi(
          MiFrame(
            kilograms: weight, clock: clock,
            impedance: impedance.isEmpty ? nil : impedance[index]), at: at)
      })
    return try await samples(.bodyMass).suffix(weights.count).map(\.patient)
  }

  /// Why the waiting weighings wait.
  fileprivate func waiting() async throws -> [UnassignedWeighing] {
    try await samples(.bodyMass).compactMap { UnassignedReason($0)?.weighing }
  }
}
