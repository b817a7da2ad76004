import Attribution
import Testing

/// Labels by hand against six weeks of evidence: anna 68 kg, ben 71 kg, opa 88 kg without impedance,
/// and a housemate of 54 kg who is no patient.
struct LabelTests {
  /// A mistaken label: the weight, the impedance of an assigned weighing, and for whom.
  struct Mistake {
    var weight: Int
    var impedance: Int?
    var patient = "anna"
  }

  @Test(arguments: [
    Mistake(weight: 83_000), Mistake(weight: 85_000), Mistake(weight: 86_900),
    Mistake(weight: 87_900), Mistake(weight: 88_500), Mistake(weight: 54_500),
    Mistake(weight: 150_000), Mistake(weight: 30_000), Mistake(weight: 71_500),
    Mistake(weight: 68_000, patient: "opa"), Mistake(weight: 67_900, patient: "ben"),
  ])
  func `one mistyped value moves nobody`(mistake: Mistake) {
    var home = Home(days: 42)
    home.label(mistake.weight, mistake.impedance, .entered(mistake.patient))
    #expect(home.week() == Home.Count(right: 20, wrong: 0, waiting: 0))
  }

  @Test(arguments: [
    Mistake(weight: 71_850, impedance: 453), Mistake(weight: 88_100),
    Mistake(weight: 54_900, impedance: 600),
    Mistake(weight: 67_900, impedance: 512, patient: "ben"),
    Mistake(weight: 67_900, impedance: 512, patient: "opa"),
    Mistake(weight: 54_900, impedance: 600, patient: "opa"),
  ])
  func `one assignment to the wrong person moves nobody`(mistake: Mistake) {
    var home = Home(days: 42)
    home.label(mistake.weight, mistake.impedance, .patient(mistake.patient))
    #expect(home.week() == Home.Count(right: 20, wrong: 0, waiting: 0))
  }

  /// Whose the weighings of anna, 64 kg, and karl, 82 kg, look like with all evidence.
  private func hindsight(_ weighings: [(Int, Weighing.Label)]) -> [Verdict.Decision] {
    var evidence = Evidence(
      Household(people: [
        Person(patient: "anna", weight: 64_000), Person(patient: "karl", weight: 82_000),
      ]))
    for (index, (weight, label)) in weighings.enumerated() {
      _ = evidence.observe(
        Weighing(minute: index * 700, day: index / 2, weight: weight, label: label))
    }
    return evidence.smoothed.map(\.decision)
  }

  @Test func `the very first weighing, assigned to the wrong person, moves nobody`() {
    #expect(
      hindsight([(82_100, .patient("anna")), (64_200, .none)])
        == [.patient("karl"), .patient("anna")])
    #expect(
      hindsight([(64_200, .none), (82_100, .patient("anna")), (81_900, .none)])
        == [.patient("anna"), .patient("karl"), .patient("karl")])
  }

  @Test func `a third label outweighs a plan that has two people the wrong way round`() {
    #expect(
      hindsight([
        (82_100, .patient("anna")), (64_200, .patient("karl")), (82_000, .patient("anna")),
        (64_100, .none),
      ]) == [.patient("anna"), .patient("karl"), .patient("anna"), .patient("karl")])
  }

  @Test(arguments: [(67_900, 512), (71_850, 453)])
  func `one weighing put to none of ours moves nobody`(weight: Int, impedance: Int) {
    var home = Home(days: 42)
    home.label(weight, impedance, .nobody)
    let count = home.week()
    #expect(count.wrong == 0)
    #expect(count.waiting <= 2)
  }

  @Test func `a corrected value far away moves nobody`() {
    var home = Home(days: 42)
    home.label(30_000, 511, .entered("anna"))
    #expect(home.week() == Home.Count(right: 20, wrong: 0, waiting: 0))
  }

  @Test func `several assignments exchange two people who were taken for each other`() {
    var home = Home(days: 42)
    for _ in 0..<4 {
      home.label(71_400, 454, .patient("anna"))
      home.label(68_100, 511, .patient("ben"))
    }
    #expect(home.verdict(71_500, 455) == .patient("anna"))
    #expect(home.verdict(67_900, 509) == .patient("ben"))
  }

  @Test func `after a birth one assignment is enough`() {
    var home = Home(days: 42)
    home.label(61_500, 530, .patient("anna"))
    #expect(home.verdict(61_300, 528) == .patient("anna"))
    #expect(home.verdict(71_300, 453) == .patient("ben"))
  }

  @Test func `after a birth two typed values are enough`() {
    var home = Home(days: 42)
    home.label(61_500, nil, .entered("anna"))
    home.label(61_300, nil, .entered("anna"))
    #expect(home.verdict(61_300, 515) == .patient("anna"))
  }

  @Test func `one assignment decides between two alike`() {
    var evidence = Evidence(
      Household(people: [
        Person(patient: "ann", weight: 65_000), Person(patient: "eve", weight: 65_000),
      ]))
    func weighing(_ day: Int, _ weight: Int, _ impedance: Int, _ label: Weighing.Label) -> Weighing
    {
      Weighing(
        minute: day * 1_440, day: day, weight: weight, impedance: impedance * 100, label: label)
    }
    for day in 0..<20 {
      _ = evidence.observe(weighing(day, 65_100, 430, .none))
      _ = evidence.observe(weighing(day, 64_900, 560, .none))
    }
    _ = evidence.observe(weighing(20, 65_000, 431, .patient("ann")))
    #expect(
      evidence.observe(weighing(21, 65_000, 433, .none)).decision == .patient("ann"))
    #expect(
      evidence.observe(weighing(21, 65_000, 559, .none)).decision == .patient("eve"))
  }
}

/// The reasons of what waits, in the same household.
struct DoubtTests {
  @Test(arguments: [
    (67_900, 575, Kind.witness("anna")), (69_200, 540, .unclear("anna")),
    (69_600, 480, .alike(["anna", "ben"])), (75_000, 453, .far("ben")),
    (30_000, 510, .stranger), (54_300, 600, .housemate), (69_900, 510, .far("anna")),
  ])
  func `a doubt names its cause`(weight: Int, impedance: Int, kind: Kind) {
    var home = Home(days: 42)
    #expect(Kind(home.verdict(weight, impedance)) == kind)
  }

  @Test func `an impedance that does not fit is named with the usual one`() {
    var home = Home(days: 42)
    guard case .unassigned(.witness("anna", let witness)) = home.verdict(67_900, 575) else {
      Issue.record("no witness")
      return
    }
    #expect(witness.kind == .impedance)
    #expect(witness.measured == 57_500)
    #expect((50_500...51_500).contains(witness.expected))
  }

  /// A decision without its figures.
  enum Kind: Equatable, Sendable {
    case assigned(String)
    case alike([String])
    case far(String)
    case witness(String)
    case unclear(String)
    case changed(String)
    case unknown(String)
    case housemate
    case maybeHousemate
    case stranger

    init(_ decision: Verdict.Decision) {
      self =
        switch decision {
        case .patient(let patient): .assigned(patient)
        case .housemate: .housemate
        case .unassigned(.alike(let patients)): .alike(patients)
        case .unassigned(.far(let patient, _)): .far(patient)
        case .unassigned(.witness(let patient, _)): .witness(patient)
        case .unassigned(.unclear(let patient)): .unclear(patient)
        case .unassigned(.changed(let patient, _)): .changed(patient)
        case .unassigned(.unknown(let patient)): .unknown(patient)
        case .unassigned(.housemate): .maybeHousemate
        case .unassigned(.stranger): .stranger
        }
    }
  }
}

/// The household's scale, with noise from a seed.
private struct Home {
  private var evidence = Evidence(
    Household(people: [
      Person(patient: "anna", weight: 68_000, tolerance: 1_200),
      Person(patient: "ben", weight: 71_000, tolerance: 1_200),
      Person(patient: "opa", weight: 88_000),
      Person(patient: nil, weight: 54_000, tolerance: 3_000),
    ]))
  private var day = 0
  private var draws = NormalDraws(seed: 7)
  private static let people: [(name: String?, weight: Double, impedance: Double?)] = [
    ("anna", 67.8, 510), ("ben", 71.4, 454), ("opa", 88.1, nil), (nil, 54.4, 600),
  ]

  struct Count: Equatable {
    var right = 0
    var wrong = 0
    var waiting = 0
  }

  init(days: Int) {
    for _ in 0..<days { _ = weigh() }
  }

  /// Five days of everyone.
  mutating func week() -> Count {
    (0..<5).reduce(into: Count()) { total, _ in
      let count = weigh()
      total.right += count.right
      total.wrong += count.wrong
      total.waiting += count.waiting
    }
  }

  private mutating func weigh() -> Count {
    day += 1
    var count = Count()
    for (index, person) in Self.people.enumerated() {
      let weight = Int((draws.normal(person.weight, 0.4) * 20).rounded()) * 50
      let impedance = person.impedance.map { Int(draws.normal($0, 8).rounded()) * 100 }
      let verdict = evidence.observe(
        Weighing(
          minute: day * 1_440 + 420 + index * 9, day: day, weight: weight, impedance: impedance))
      switch verdict.decision {
      case .patient(let patient) where patient == person.name: count.right += 1
      case .patient: count.wrong += 1
      case .unassigned where person.name == nil, .housemate where person.name == nil:
        count.right += 1
      case .unassigned, .housemate: count.waiting += 1
      }
    }
    return count
  }

  mutating func label(_ weight: Int, _ impedance: Int?, _ label: Weighing.Label) {
    day += 1
    _ = evidence.observe(
      Weighing(
        minute: day * 1_440 + 500, day: day, weight: weight, impedance: impedance.map { $0 * 100 },
        label: label))
  }

  mutating func verdict(_ weight: Int, _ impedance: Int?) -> Verdict.Decision {
    day += 1
    return evidence.observe(
      Weighing(
        minute: day * 1_440 + 500, day: day, weight: weight, impedance: impedance.map { $0 * 100 })
    ).decision
  }
}
