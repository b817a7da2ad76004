import Attribution
import Testing

struct EvidenceTests {
  // MARK: - One patient

  @Test func `a visitor near the patient's weight does not move the estimate`() {
    var scale = Scale(.init(people: [john]))
    #expect(scale.days([82, 82.3, 81.8]) == [.john, .john, .john])
    #expect(
      scale.day(75.5).decision == .unassigned(.far(patient: "john", expected: 82_029)))
    #expect(scale.days([82.1, 82.0, 82.2]) == [.john, .john, .john])
  }

  @Test func `a visitor before the first weighing of the patient does not move the expectation`() {
    var scale = Scale(.init(people: [john]))
    #expect(scale.day(75.5).patient == nil)
    #expect(scale.days([82.1, 82.0, 82.2]) == [.john, .john, .john])
  }

  @Test
  func `a single patient of unknown weight gets the first plausible weighing`() {
    var scale = Scale(.init(people: [Person(patient: "mary")]))
    #expect(scale.days([62, 62.4, 61.7]) == [.mary, .mary, .mary])
    #expect(scale.day(74).patient == nil)
    #expect(scale.day(62.1).patient == "mary")
  }

  @Test func `one who weighs each hour is one person`() {
    var evidence = Evidence(Household(people: [Person(patient: "john", weight: 72_000)]))
    for hour in 0..<70 {
      let verdict = evidence.observe(
        Weighing(minute: hour * 60, day: hour / 24, weight: 72_000 + hour % 9 * 100))
      #expect(verdict.patient == "john")
    }
  }

  @Test func `a visitor who is taken for a patient of unknown weight is found out`() {
    var scale = Scale(.init(people: [Person(patient: "john")]))
    #expect(scale.day(75.5).patient == "john")
    scale.days(Array(repeating: 82, count: 8))
    #expect(scale.day(82.2).patient == "john")
    #expect(scale.day(75.5).patient == nil)
  }

  @Test func `after a birth one assignment by hand is enough`() {
    var scale = Scale(.init(people: [Person(patient: "mum", weight: 78_000)]))
    scale.days([78, 78.2, 78.1, 78.4, 78.3])
    #expect(scale.day(70.5).patient == nil)
    #expect(scale.days([70.3, 70.1, 70.4]) == [nil, nil, nil])
    scale.day(70.2, label: .patient("mum"))
    #expect(scale.days([70.0, 69.8]) == ["mum", "mum"])
    #expect(scale.evidence.smoothed.suffix(7).allSatisfy { $0.patient == "mum" })
  }

  /// A history from another program says the weight, and not how often this scale is used.
  @Test(arguments: [10, 34, 180, 500, 2_700])
  func `who weighs again after a pause, and more often than before, is the same person`(pause: Int)
  {
    var evidence = Evidence(Household(people: [Person(patient: "john", weight: 82_000)]))
    func learn(_ day: Int, _ weight: Int, _ label: Weighing.Label = .none) {
      var weighing = Weighing(minute: day * 1_440, day: day, weight: weight)
      weighing.label = label
      evidence.learn(weighing)
    }
    for week in 0..<12 { learn(week * 7, 81_800 + week % 3 * 200, .patient("john")) }
    let start = 77 + pause
    for day in 0..<34 { learn(start + day, 82_900 - day * 30 + day % 4 * 250) }
    learn(start + 31, 59_200)
    for day in 34..<40 { learn(start + day, 81_900 + day % 3 * 100) }
    let verdicts = evidence.smoothed
    #expect(verdicts.count { $0.patient == "john" } == verdicts.count - 1)
    #expect(verdicts[12 + 34].patient == nil)
  }

  // MARK: - Several people

  @Test func `weighings between two people wait and do not chain one to the other`() {
    var scale = Scale(.init(people: [john, Person(patient: "mary", weight: 66_000)]))
    #expect(scale.days([76, 74.5]) == [nil, nil])
    #expect(scale.days([82, 82.1, 66.2, 66.0]) == [.john, .john, .mary, .mary])
    #expect(scale.days([76, 74.5, 73.1, 71.8]) == [nil, nil, nil, nil])
  }

  @Test func `what could be of a patient of unknown weight waits`() {
    var scale = Scale(.init(people: [john, Person(patient: "mary")]))
    #expect(scale.day(81).decision == .unassigned(.unknown(patient: "mary")))
    #expect(scale.day(62).decision == .unassigned(.unknown(patient: "mary")))
    scale.day(62.3, label: .patient("mary"))
    #expect(scale.days([62.1, 82.1, 61.8]) == [.mary, .john, .mary])
  }

  @Test func `a child does not grow by its siblings`() {
    var scale = Scale(.init(people: [Person(patient: "kid", weight: 20_000)]))
    scale.days([20, 20.1, 20.2])
    #expect(scale.days([22.9, 25.8, 28.7, 31.6]) == [nil, nil, nil, nil])
    #expect(scale.day(20.3).patient == "kid")
  }

  @Test func `twins wait, with their odds, and impedance tells them apart`() throws {
    let twins = Household(
      people: [Person(patient: "ann", weight: 65_000), Person(patient: "eve", weight: 65_500)])
    var scale = Scale(twins)
    let verdict = scale.day(65.3)
    #expect(verdict.decision == .unassigned(.alike(["eve", "ann"])))
    #expect(verdict.odds.map(\.patient) == ["eve", "ann"])
    #expect((900_000...1_000_000).contains(verdict.odds.map(\.millionths).reduce(0, +)))
    var other = Scale(twins)
    other.day(65.1, impedance: 430, label: .patient("ann"))
    other.day(65.4, impedance: 560, label: .patient("eve"))
    #expect(other.day(65.3, impedance: 434).patient == "ann")
    #expect(other.day(65.2, impedance: 552).patient == "eve")
  }

  @Test func `a person who has weighed today leaves the second weighing to the other`() throws {
    var scale = Scale(
      .init(people: [
        Person(patient: "ann", weight: 65_000), Person(patient: "eve", weight: 68_000),
      ]))
    for _ in 0..<20 { scale.day(65); scale.sameDay(68) }
    let first = try #require(scale.day(66.6).odds.first { $0.patient == "eve" }).millionths
    scale.day(65)
    let second = try #require(scale.sameDay(66.6).odds.first { $0.patient == "eve" }).millionths
    #expect(first < second)
  }

  @Test func `a named housemate gets nothing`() {
    var scale = Scale(.init(people: [john, Person(patient: nil, weight: 75_000)]))
    #expect(scale.day(75.2).decision == .housemate)
    #expect(scale.day(82.2).patient == "john")
  }

  // MARK: - Looking back

  @Test
  func `as long as it is open which of two is the patient, neither is, and one answer settles all`()
  {
    var weights: [Double] = []
    for day in 0..<20 {
      weights.append(88.5 + Double(day % 3) / 5)
      weights.append(95.6 - Double(day % 4) / 5)
    }
    func smoothed(_ labels: [Int: Weighing.Label]) -> Evidence {
      var scale = Scale(.init(people: [Person(patient: "ann")]))
      for (index, weight) in weights.enumerated() {
        scale.weigh(day: index / 2, weight, label: labels[index] ?? .none)
      }
      return scale.evidence
    }
    let open = smoothed([:])
    #expect(open.smoothed.allSatisfy { $0.patient == nil })
    #expect(open.residents.map { $0.weight / 1_000 } == [88, 95])
    #expect((38...40).contains(open.settled(byAnswering: weights.count - 1)))
    #expect(
      open.residents.map(\.weighings)
        == [0, 1].map { first in Array(stride(from: first, to: weights.count, by: 2)) })
    #expect((38...40).contains(open.settled(byNaming: "ann", among: [38, 39])))
    #expect(open.settled(byNaming: "ben", among: [38, 39]) == 0)
    #expect(open.settled(byNaming: "ann", among: [40]) == 0)
    for (label, owned) in [(Weighing.Label.patient("ann"), 1), (.nobody, 0)] {
      let verdicts = smoothed([weights.count - 1: label]).smoothed
      for (index, verdict) in verdicts.enumerated() {
        #expect(verdict.patient == (index % 2 == owned ? "ann" : nil), "\(index)")
      }
    }
  }

  @Test func `one answer after two weights have crossed settles both sides`() {
    func smoothed(_ answer: Weighing.Label) -> [Verdict] {
      var scale = Scale(
        .init(people: [
          Person(patient: "ann", weight: 74_000, tolerance: 1_000),
          Person(patient: "ben", weight: 70_000, tolerance: 1_000),
        ]))
      for day in 0..<80 {
        scale.weigh(day: day, 74 - Double(day) * 0.05)
        scale.weigh(day: day, 70 + Double(day) * 0.05)
      }
      scale.weigh(day: 80, 74, label: answer)
      return scale.evidence.smoothed
    }
    let open = smoothed(.none)
    #expect(open.suffix(20).allSatisfy { $0.patient == nil })
    #expect(open.prefix(20).map(\.patient) == (0..<10).flatMap { _ in ["ann", "ben"] })
    let settled = smoothed(.patient("ben")).dropLast()
    #expect(settled.suffix(20).map(\.patient) == (0..<10).flatMap { _ in ["ann", "ben"] })
  }

  @Test func `who is at home tells two alike apart, and who is reported away may still weigh`() {
    let twins = Household(
      people: [Person(patient: "ann", weight: 65_000), Person(patient: "eve", weight: 65_000)])
    var evidence = Evidence(twins)
    for day in 0..<10 {
      let isAnn = day % 2 == 0
      evidence.learn(
        Weighing(
          minute: day * 1_440, day: day, weight: isAnn ? 64_000 : 66_500,
          presence: ["ann": isAnn, "eve": !isAnn]))
    }
    #expect(evidence.smoothed.map(\.patient) == (0..<5).flatMap { _ in ["ann", "eve"] })
    let away = evidence.verdict(
      on: Weighing(minute: 14_400, day: 10, weight: 64_000, presence: ["ann": false]))
    #expect((away.odds.first { $0.patient == "ann" }?.millionths ?? 0) > 500_000)
  }

  @Test func `an expectation says less the later somebody comes`() {
    func odds(after days: Int) -> Int {
      var scale = Scale(
        .init(people: [john, Person(patient: "mary", weight: 66_000)]))
      for day in 0..<max(days, 1) { scale.weigh(day: day, 82) }
      return scale.weigh(day: days, 66).odds.first { $0.patient == "mary" }?.millionths ?? 0
    }
    #expect(odds(after: 0) > odds(after: 60))
    #expect(odds(after: 60) > odds(after: 200))
  }

  // MARK: - By hand

  @Test func `an unnamed housemate who was taken for the patient is found out by one assignment`() {
    var scale = Scale(.init(people: [Person(patient: "john", weight: 92_800)]))
    for _ in 0..<10 {
      scale.day(89.5, impedance: 480)
      scale.sameDay(92.7, impedance: 320)
    }
    scale.day(92.8, impedance: 318, label: .patient("john"))
    #expect(scale.day(89.4, impedance: 482).patient == nil)
    #expect(scale.day(92.6, impedance: 322).patient == "john")
    #expect(scale.evidence.smoothed.map(\.patient).suffix(4) == ["john", "john", nil, "john"])
    // Hindsight finds the weighings that were assigned to the wrong person before.
    #expect(scale.evidence.smoothed.first?.patient == nil)
  }

  @Test func `none of ours teaches a housemate whom the plan does not name`() {
    var scale = Scale(.init(people: [john]))
    scale.days([82, 82.1, 81.9])
    for _ in 0..<4 {
      scale.day(79.6, label: .nobody)
      scale.sameDay(82)
    }
    #expect(scale.day(79.8).patient == nil)
    #expect(scale.sameDay(82.1).patient == "john")
  }

  @Test func `which of four is the patient settles everything, and not mine of one a quarter`() {
    var scale = Scale(.init(people: [Person(patient: "ann")]))
    for day in 0..<20 {
      for (place, weight) in [55.0, 66, 77, 88].enumerated() {
        scale.weigh(day: day, weight + Double((day + place) % 3) / 5)
      }
    }
    let evidence = scale.evidence
    let latest = evidence.residents.compactMap(\.weighings.last)
    #expect(latest == [76, 77, 78, 79])
    #expect((76...80).contains(evidence.settled(byNaming: "ann", among: latest)))
    #expect((20...50).contains(evidence.settled(byAnswering: 79)))
  }

  @Test func `the course of a body is as wide as its weighings`() {
    var draws = SeededDraws(seed: 7)
    let weighings = (0..<120).map { day in
      Weighing(
        minute: day * 1_440, day: day,
        weight: 80_000 + day * 30 + Int.random(in: -900...900, using: &draws))
    }
    let course = Course(of: weighings)
    #expect(course.points.map(\.day) == Array(0..<120))
    for (point, weighing) in zip(course.points, weighings).dropFirst(30) {
      #expect(abs(point.weight - 80_000 - weighing.day * 30) < 800, "\(point)")
      #expect((400...800).contains(point.deviation), "\(point)")
    }
    #expect(Course(of: []).points.isEmpty)
    // A jump of the calendar is a long absence.
    let ends = [Int.min, .max].map { Weighing(minute: 0, day: $0, weight: 80_000) }
    #expect(Course(of: ends).points.count == 2)
  }

  @Test func `of whom it was said that it is nobody of the plan does not wait any longer`() {
    var scale = Scale(.init(people: [Person(patient: "ann", weight: 62_000)]))
    for day in 0..<10 {
      scale.weigh(day: day, 62 + Double(day % 3) / 5)
      scale.weigh(day: day, 84 - Double(day % 4) / 5)
    }
    let before = scale.weigh(day: 10, 84)
    #expect(before.patient == nil && before.decision != .housemate)
    scale.weigh(day: 11, 84.1, label: .nobody)
    #expect(scale.weigh(day: 12, 83.9).decision == .housemate)
    #expect(scale.weigh(day: 12, 62.1).decision == .patient("ann"))
    #expect(scale.weigh(day: 12, 73).decision != .housemate)
    #expect(scale.evidence.smoothed.suffix(2).first?.decision == .patient("ann"))
    #expect(scale.evidence.smoothed.suffix(3).first?.decision == .housemate)
  }

  @Test func `a slow drift over a year locks nobody out`() {
    var scale = Scale(.init(people: [john, Person(patient: "mary", weight: 66_000)]))
    for day in 0..<365 {
      scale.day(82 - Double(day) * 0.03)
      scale.sameDay(66 + Double(day) * 0.01)
    }
    #expect(scale.day(71.1).patient == nil || scale.day(71.1).patient == "john")
    #expect(scale.day(69.7).decision != .patient("john"))
  }

  @Test func `the same weighings give the same verdicts`() {
    func run() -> [Verdict] {
      var scale = Scale(.init(people: [john, Person(patient: "mary", weight: 80_000)]))
      return (0..<60).map { scale.day(Double(790 + $0 * 7 % 40) / 10) }
    }
    #expect(run() == run())
  }

  @Test func `no input traps`() {
    var draws = SeededDraws(seed: 3)
    let labels: [Weighing.Label] = [
      .none, .none, .none, .nobody, .patient("john"), .patient("mary"), .patient("unknown"),
    ]
    var evidence = Evidence(
      Household(
        people: [
          john, Person(patient: "mary"), Person(patient: nil, weight: 500_000),
          Person(patient: "x", weight: 1, tolerance: 0),
        ]))
    let values = [Int.min, -1, 0, 1, 20_000, 62_000, 82_000, 82_500, 300_000, 500_000, Int.max]
    var minute = 0
    for _ in 0..<400 {
      let step = [0, 1, 600, 1_440, 100_000, 50_000_000].randomElement(using: &draws) ?? 0
      minute += Bool.random(using: &draws) ? step : -step
      let verdict = evidence.observe(
        Weighing(
          minute: minute, day: minute / 1_440, weight: values.randomElement(using: &draws) ?? 0,
          impedance: values.randomElement(using: &draws),
          bodyFat: values.randomElement(using: &draws),
          heartRate: values.randomElement(using: &draws),
          label: labels.randomElement(using: &draws) ?? .none))
      #expect(verdict.odds.allSatisfy { (0...1_000_000).contains($0.millionths) })
    }
    #expect(evidence.smoothed.count >= 48)
  }

  private var john: Person { Person(patient: "john", weight: 82_000) }
}

/// A scale on which somebody stands once a day.
private struct Scale {
  var evidence: Evidence
  private var minute = 480

  init(_ household: Household) { evidence = Evidence(household) }

  @discardableResult
  mutating func day(
    _ weight: Double, impedance: Int? = nil, label: Weighing.Label = .none
  ) -> Verdict {
    minute = (minute / 1_440 + 1) * 1_440 + 480
    return weigh(weight, impedance, label)
  }

  @discardableResult
  mutating func weigh(
    day: Int, _ weight: Double, label: Weighing.Label = .none
  ) -> Verdict {
    minute = max(day * 1_440 + 480, minute + 1)
    return weigh(weight, nil, label)
  }

  @discardableResult
  mutating func sameDay(_ weight: Double, impedance: Int? = nil) -> Verdict {
    minute += 15
    return weigh(weight, impedance, .none)
  }

  @discardableResult
  mutating func days(_ weights: [Double]) -> [String?] { weights.map { day($0).patient } }

  private mutating func weigh(
    _ weight: Double, _ impedance: Int?, _ label: Weighing.Label
  ) -> Verdict {
    evidence.observe(
      Weighing(
        minute: minute, day: minute / 1_440, weight: Int((weight * 1_000).rounded()),
        impedance: impedance.map { $0 * 100 }, label: label))
  }
}

extension Verdict {
  fileprivate var patient: String? {
    guard case .patient(let patient) = decision else { return nil }
    return patient
  }
}

extension String? {
  fileprivate static var john: Self { "john" }
  fileprivate static var mary: Self { "mary" }
}
