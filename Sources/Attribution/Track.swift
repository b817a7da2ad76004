import FixedPoint

/// A person within a hypothesis: named in the plan, or a stranger who was seen.
struct Track: Sendable {
  private(set) var isNamed: Bool
  /// Identifies the person who was followed, whoever of the plan that turns out to be.
  private(set) var id: Int32
  private var patient: String?
  private(set) var estimate: Estimate
  /// Weighings, in units of 2^-8; a stranger's halve in 30 days.
  private(set) var visits: Int64 = 0
  private var lastMinute: Int?
  private var lastDay: Int?
  /// Weighings since a sudden change that no hand confirmed; `nil` without one.
  private var sinceJump: Int?
  private(set) var isUnknown: Bool
  /// Whether nothing but the evidence says what the person weighs.
  private let isUnexpected: Bool
  /// Labels that fit the estimate less those that contradict it, bounded.
  private var confirmations: Int64 = 0
  /// The sum in g and the number of the first weighings.
  private var first: (sum: Int, count: Int) = (0, 0)

  init(_ person: Person, id: Int32, isSingle: Bool) {
    self.id = id
    isNamed = true
    patient = person.patient
    isUnknown = person.weight == nil
    isUnexpected = person.weight == nil
    if let weight = person.weight {
      // A stated weight is accurate within its tolerance, else within about 3 %.
      let usual = isSingle ? min(max(weight * 2 / 100, 700), 2_000) : 600
      let deviation = person.tolerance.map { $0 / 2 } ?? usual
      estimate = Estimate(level: weight, deviation: max(deviation, 300))
    } else {
      estimate = Estimate(level: 74_000, deviation: 20_000)
    }
  }

  init(stranger weighing: Weighing, id: Int32) {
    self.id = id
    isNamed = false
    patient = nil
    isUnknown = false
    isUnexpected = false
    estimate = Estimate(level: 74_000, deviation: 30_000)
    learn(weighing, isJump: false)
  }

  init(strangerLike track: Self, id: Int32) {
    self = track
    isNamed = false
    patient = nil
    self.id = id
  }

  /// log2 of how much rarer a sudden change is than none: 1 in 1 024.
  static let jumpRarity: Int64 = 10 << 16

  /// log2 of how much rarer a mistaken label is than a right one: 1 in 500.
  static let mistakeRarity: Int64 = 587_577

  /// log2 of how much rarer it is that two people were taken for each other than that they were
  /// not: 1 in 16, and a mistake rarer for each label that it contradicts.
  static func exchangeRarity(_ one: Self, _ other: Self) -> Int64 {
    max(0, 4 << 16 + (one.confirmations + other.confirmations) * mistakeRarity)
  }

  /// Takes over what is known of `other`.
  mutating func adopt(_ other: Self) {
    id = other.id
    estimate = other.estimate
    visits = other.visits
    lastMinute = other.lastMinute
    lastDay = other.lastDay
    sinceJump = other.sinceJump
    isUnknown = other.isUnknown
    confirmations = 0
    first = other.first
  }

  /// Counts a label that contradicts the estimate.
  mutating func contradict() { confirmations = max(confirmations - 1, -3) }

  /// The mean of the first weighings in g; `nil` before them.
  var origin: Int? { first.count > 0 ? first.sum / first.count : nil }

  /// log2 of the density of the first weighings' mean, whether or not the weight changed before.
  func density(ofOrigin origin: Int) -> Int64 {
    let weighing = Weighing(minute: 0, day: 0, weight: origin)
    return isUnknown
      ? unknownDensity(of: weighing)
      : BinaryLogarithm.sum(
        estimate.density(of: weighing), loosened.density(of: weighing) - Self.jumpRarity)
  }

  var isForgotten: Bool { !isNamed && visits < 64 }
  var isPatient: Bool { patient != nil }
  var isUnconfirmed: Bool { sinceJump != nil }

  var loosened: Estimate {
    var estimate = estimate
    estimate.loosen()
    return estimate
  }

  func fits(_ label: Weighing.Label) -> Bool {
    switch label {
    case .none: true
    case .patient(let patient), .entered(let patient): isNamed && self.patient == patient
    case .nobody: patient == nil
    }
  }

  /// log2 of the density of a weighing; of an unknown person anyone's.
  func density(of weighing: Weighing) -> Int64 {
    isUnknown ? unknownDensity(of: weighing) : estimate.density(of: weighing)
  }

  /// log2 of the person's share of the next weighings, in units of 2^-16.
  ///
  /// A person who has weighed on this day weighs again on one day in 16, a few minutes or half a
  /// day later on one in four. A stranger counts as a person after 45 weighings; most visitors do
  /// not come back, so that fewer than eight count for less than that.
  func prior(at weighing: Weighing) -> Int64 {
    var prior: Int64 = 0
    if !isNamed {
      let visits = BinaryLogarithm.log2(UInt64(max(visits, 1)))
      prior += min(0, visits - 884_736) + min(0, visits - 11 << 16)
    }
    return prior + today(weighing)
  }

  /// log2 of how much rarer this person weighs at this moment than one who has not weighed today.
  func today(_ weighing: Weighing) -> Int64 {
    guard let lastMinute, lastDay == weighing.day else { return 0 }
    let elapsed = weighing.minute - lastMinute
    return elapsed <= 10 || elapsed >= 480 ? -2 << 16 : -4 << 16
  }

  mutating func advance(by minutes: Int64) {
    estimate.advance(by: minutes)
    guard !isNamed else { return }
    // 65 536 / (45 · 1 440) exponent units a minute.
    let left = BinaryLogarithm.power(minus: minutes * 65_536 / 43_200)
    visits = (visits * left) >> 30
  }

  mutating func learn(_ weighing: Weighing, isJump: Bool) {
    if isJump { estimate.loosen() }
    estimate.learn(weighing)
    isUnknown = false
    if first.count < 8 {
      first = (first.sum + Int(weighing.scaledWeight >> 8), first.count + 1)
    }
    visits += weighing.label == .nobody ? 4 << 8 : 1 << 8
    lastMinute = weighing.minute
    lastDay = weighing.day
    if weighing.label != .none {
      sinceJump = nil
      confirmations = min(confirmations + 1, 3)
    } else if isJump {
      // One weighing does not establish a weight that could have changed.
      sinceJump = isUnexpected && visits < 3 << 8 ? nil : 0
    } else if let count = sinceJump {
      sinceJump = count < 8 ? count + 1 : nil
    }
  }

  func isSimilar(to other: Self) -> Bool {
    id == other.id && lastDay == other.lastDay && isUnknown == other.isUnknown
      && abs(visits - other.visits) < 2 << 8 + visits / 4
      && estimate.isSimilar(to: other.estimate)
  }

  mutating func merge(_ other: Self, share: Int64) {
    estimate.merge(other.estimate, share: share)
    visits += ((other.visits - visits) * share) >> 20
  }
}
