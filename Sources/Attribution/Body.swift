import FixedPoint

/// An anonymous body within a hypothesis: somebody who was seen on the scale.
struct Body: Sendable {
  private(set) var estimate: Estimate
  /// Days on which it weighed, and days since it came, in 2^-8; of the last two weeks mostly.
  private var visits: Int64 = 1 << 8
  private var days: Int64 = 0
  /// log2 of the odds that somebody who is not named lives here, against a guest, in 2^-16.
  private(set) var residence: Int64
  /// The sum in g and the number of the first weighings, at most eight.
  private(set) var first: (sum: Int64, count: Int64)
  /// The day of its first weighing, counted from the first of all.
  let birth: Int64
  private(set) var lastDay: Int
  /// Whether it weighed more than once on that day.
  private var isRepeating = false
  /// Its last weighing in ``Population/visits``.
  private(set) var latest: Int32
  /// Whether a label said last that it is nobody of the plan.
  private(set) var isDisowned = false
  /// Labels that contradict the name of the body, at most two.
  private(set) var contradictions: Int64 = 0
  /// The level before a sudden change that nothing has confirmed yet, and the weighings since then.
  private(set) var change: (from: Int64, weighings: Int)?

  /// log2 of the probabilities of a day with a weighing and without one, of a named and of an unnamed
  /// person, in 2^-16.
  private(set) var weighs: (named: Int64, unnamed: Int64) = (0, 0)
  private(set) var stays: (named: Int64, unnamed: Int64) = (0, 0)
  /// Whether these are those of somebody who is away.
  private var isAway = false

  init(first weighing: Weighing, visit: Int32, birth: Int64, residence: Int64) {
    latest = visit
    estimate = Estimate(first: weighing)
    self.residence = residence
    first = (weighing.scaledWeight >> 8, 1)
    self.birth = birth
    lastDay = weighing.day
    measureRates()
  }

  // MARK: - Constants

  /// The share of days on which a guest comes again: 3 in 1000, in 2^-30, with its logarithm and
  /// that of the rest.
  private static let guestRate: Int64 = 3_221_225
  private static let guestWeighs: Int64 = -549_230
  private static let guestStays: Int64 = -284
  /// The greatest odds of a residence: e^12.
  private static let settled: Int64 = 1_134_557
  /// A guest is forgotten at odds of e^-5.
  private static let forgotten: Int64 = -472_732
  /// After so many days without a weighing a body is away.
  private static let absence = 14
  /// The share of days on which somebody who is away comes back: 1 in 28, in 2^-30.
  private static let returnRate: Int64 = 38_347_922
  /// log2 of how much rarer a second weighing on one day is than the first: 0.3.
  private static let rarity: Int64 = -113_835
  /// log2 of how much rarer a sudden change is than none: 1 in 1 024.
  static let changeRarity: Int64 = 10 << 16
  /// log2 of more than a sudden change and the density after it can have: that of a child is 1.5 kg wide.
  static let greatestChange: Int64 = -21 << 16
  /// The first weighings that are held against what the plan expects.
  static let firsts: Int64 = 8

  // MARK: - Rates

  /// Computes the logarithms of the rates: three weighings in five days are supposed at first.
  ///
  /// Who is away comes back at some time, and is not somebody who rarely weighs.
  private mutating func measureRates(isAway: Bool = false) {
    self.isAway = isAway
    let all = 5 << 8 + days
    var named = min(((3 << 8 + visits) << 30) / all, 1 << 30 - 1 << 20)
    if isAway { named = min(named, Self.returnRate) }
    let stays = 1 << 30 - named
    self.weighs.named = Logarithm.log2(named) - 30 << 16
    self.stays.named = Logarithm.log2(stays) - 30 << 16
    if residence >= 12 << 16 {
      (self.weighs.unnamed, self.stays.unnamed) = (self.weighs.named, self.stays.named)
    } else {
      // The probability of a residence, 1 / (1 + 2^-odds).
      let odds = Logarithm.power(minus: abs(residence))
      let less = (odds << 30) / (1 << 30 + odds)
      let resides = residence < 0 ? less : 1 << 30 - less
      let unnamed = (resides * named) >> 30 + ((1 << 30 - resides) * Self.guestRate) >> 30
      self.weighs.unnamed = Logarithm.log2(unnamed) - 30 << 16
      self.stays.unnamed = Logarithm.log2(max(1 << 30 - unnamed, 1)) - 30 << 16
    }
  }

  // MARK: - Time

  /// Ends a day.
  mutating func endDay(_ day: Int) {
    if lastDay != day { residence += stays.named - Self.guestStays }
    let isAway = day - lastDay >= Self.absence
    if !isAway {
      days += 1 << 8
      if days > 14 << 8 {
        days = days * 239 / 256
        visits = visits * 239 / 256
      }
    }
    estimate.advance()
    measureRates(isAway: isAway)
  }

  /// Whether it was a guest who does not come again, at the end of a day.
  func isGone(_ day: Int) -> Bool { lastDay != day && residence < Self.forgotten }

  // MARK: - Evidence

  /// log2 of how much rarer the body weighs again on a day than for the first time; those who have
  /// weighed share it: many weighings on a day do not make many people.
  ///
  /// Who has weighed twice weighs on.
  var again: Int64 { isRepeating ? 0 : Self.rarity }

  /// The estimate as it is where the weight has changed suddenly.
  var changed: Estimate {
    var estimate = estimate
    estimate.loosen()
    return estimate
  }

  mutating func learn(_ weighing: Weighing, visit: Int32, isLabelled: Bool, isChange: Bool) {
    latest = visit
    if isChange {
      change = (estimate.level, 0)
      estimate.loosen()
    } else if let change {
      // A label confirms a change, or eight further weighings.
      let isConfirmed = change.weighings >= 8 || isLabelled
      self.change = isConfirmed ? nil : (change.from, change.weighings + 1)
    }
    estimate.learn(weighing)
    if first.count < Self.firsts {
      first = (first.sum + weighing.scaledWeight >> 8, first.count + 1)
    }
    isRepeating = lastDay == weighing.day
    note(weighing.day)
  }

  /// Notes that the body weighed on a day, whatever the weight.
  mutating func note(_ day: Int) {
    guard lastDay < day else { return }
    residence = min(residence + weighs.named - Self.guestWeighs, Self.settled)
    // Who comes back may weigh more often than before, or less.
    if day - lastDay > Self.absence { (visits, days) = (0, 0) }
    visits += 1 << 8
    lastDay = day
    measureRates()
  }

  /// Counts a label: whether it contradicts the name of the body.
  mutating func count(isContradicted: Bool, isDisowned: Bool) {
    self.isDisowned = isDisowned
    contradictions = min(max(contradictions + (isContradicted ? 1 : -1), 0), 2)
  }

  // MARK: - Similarity

  func isSimilar(to other: Self) -> Bool {
    if abs(residence - other.residence) > 3 << 16, min(residence, other.residence) < 6 << 16 {
      return false
    }
    return estimate.isSimilar(to: other.estimate)
  }

  /// Whether the mixture of the body with itself is the same.
  var isStable: Bool { !isAway && estimate.isBounded }

  /// The moments of the mixture of two bodies; `share` is the other's in units of 2^-20.
  mutating func merge(_ other: Self, share: Int64) {
    func mix(_ a: Int64, _ b: Int64) -> Int64 { a + ((b - a) * share).roundedShift(right: 20) }
    estimate.merge(other.estimate, share: share)
    visits = mix(visits, other.visits)
    days = mix(days, other.days)
    residence = mix(residence, other.residence)
    if first.count == other.first.count { first.sum = mix(first.sum, other.first.sum) }
    if share > 1 << 19 {
      latest = other.latest
      lastDay = max(lastDay, other.lastDay)
    }
    measureRates()
  }
}
