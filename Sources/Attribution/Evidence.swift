import FixedPoint

/// Decides whose a weighing is, from all weighings before it.
///
/// The state is a fold over the weighings in their order and nothing else: read again with a label
/// changed, the same history gives the same result on every machine. Several hypotheses of who
/// weighed when are followed at once; a hypothesis is an estimate of each person and of each
/// returning stranger. Cost of a weighing: hypotheses × people densities, microseconds where people
/// are apart.
public struct Evidence: Sendable {
  private let household: Household
  private let initial: [Track]
  private var hypotheses: [Hypothesis]
  private var minute: Int?
  /// Weighings so far.
  private var count: Int32 = 0

  /// Starts from what the plan expects.
  public init(_ household: Household) {
    self.household = household
    initial = household.people.enumerated().map {
      Track($1, id: Int32($0), isSingle: household.isSingle)
    }
    hypotheses = [Hypothesis(tracks: initial)]
  }

  // MARK: - Constants

  /// A patient gets a weighing at odds of 99 in 100, in units of 2^-30; in a plan with
  /// one patient, who can only be taken for people who are not patients, at 98 in 100.
  private static let clear: Int64 = 1_063_004_406
  private static let clearOfOne: Int64 = 1_052_266_987
  /// A single patient of unknown weight gets any plausible one.
  private static let plausible: Int64 = 0
  /// A doubt names who is at least 1 in 20.
  private static let serious: Int64 = 1 << 30 / 20
  /// log2 of how much rarer a label `nobody` is for a patient's estimate than a visitor's: 1 in 16.
  private static let estrangement: Int64 = 4 << 16
  /// The plan's expectations count against an exchange by this maximum: a third label outweighs it.
  private static let greatestSurprise: Int64 = 16 << 16
  /// log2 of the density of a mistyped weight, per g: anything within 130 kg.
  private static let typingDensity: Int64 = -17 << 16
  /// Hypotheses that are followed: enough for two people of one weight and some visitors.
  private static let breadth = 16
  /// A hypothesis a 4096th as probable as the best is dropped.
  private static let depth: Int64 = 12 << 16

  // MARK: - Fold

  /// Learns the next weighing and says whose it is, judged before its label is looked at.
  public mutating func observe(_ weighing: Weighing) -> Verdict {
    advance(to: weighing.minute)
    let free = children(of: weighing, label: .none)
    let verdict = verdict(on: weighing, children: free)
    let label = known(weighing.label)
    let followed = label == .none ? free : children(of: weighing, label: label)
    hypotheses = successors(followed, weighing)
    count &+= 1
    return verdict
  }

  /// The label; a patient who is not in the plan is nobody.
  private func known(_ label: Weighing.Label) -> Weighing.Label {
    switch label {
    case .none, .nobody: label
    case .patient(let patient), .entered(let patient):
      household.people.contains { $0.patient == patient } ? label : .nobody
    }
  }

  private mutating func advance(to minute: Int) {
    let elapsed = Int64(max(0, minute - (self.minute ?? minute)))
    self.minute = max(minute, self.minute ?? minute)
    guard elapsed > 0 else { return }
    for index in hypotheses.indices { hypotheses[index].advance(by: elapsed) }
  }

  /// One way to explain a weighing within one hypothesis.
  private struct Child {
    var parent: Int
    /// The track that weighed; `nil` for a person who was never there before.
    var track: Int?
    var isJump = false
    /// The track whose estimate is really this person's: a label says so.
    var exchange: Int?
    /// The mistake in the label, if it has one.
    var mistake: Mistake?
    /// log2 of the probability in units of 2^-16, later relative to the best.
    var weight: Int64
  }

  /// How a label is mistaken.
  private enum Mistake {
    /// It names the wrong person.
    case person
    /// The typed value is no evidence of a person's weight.
    case value
  }

  private func children(of weighing: Weighing, label: Weighing.Label) -> [Child] {
    var children: [Child] = []
    for (parent, hypothesis) in hypotheses.enumerated() {
      let priors = hypothesis.tracks.map { $0.prior(at: weighing) }
      let base = hypothesis.weight - priors.reduce(strangerPrior, BinaryLogarithm.sum)
      let free = people(of: weighing, parent: parent, base: base, priors: priors)
      guard label != .none else {
        children += free
        continue
      }
      children += free.filter { hypothesis.fits(label, $0.track) }
      children += exchanges(of: weighing, label: label, parent: parent, base: base)
      children += mistakes(of: weighing, label: label, parent: parent, base: base, free: free)
    }
    let best = children.map(\.weight).max() ?? 0
    for index in children.indices { children[index].weight -= best }
    children.removeAll { $0.weight < -Self.depth - (6 << 16) }
    return children
  }

  /// Everyone who may have weighed.
  private func people(
    of weighing: Weighing, parent: Int, base: Int64, priors: [Int64]
  ) -> [Child] {
    var children = [
      Child(
        parent: parent, track: nil, weight: base + strangerPrior + unknownDensity(of: weighing))
    ]
    for (index, track) in hypotheses[parent].tracks.enumerated() {
      let prior = base + priors[index]
      children.append(
        Child(parent: parent, track: index, weight: prior + track.density(of: weighing)))
      guard track.isNamed, track.estimate.isFar(weighing) else { continue }
      children.append(
        Child(
          parent: parent, track: index, isJump: true,
          weight: prior - Track.jumpRarity + track.loosened.density(of: weighing)))
    }
    return children
  }

  /// The explanations in which the label also corrects an estimate: two people were taken for each
  /// other, or a patient's estimate is a stranger's.
  private func exchanges(
    of weighing: Weighing, label: Weighing.Label, parent: Int, base: Int64
  ) -> [Child] {
    let tracks = hypotheses[parent].tracks
    var children: [Child] = []
    for (other, estimated) in tracks.enumerated() {
      let weight = base + estimated.today(weighing) + estimated.estimate.density(of: weighing)
      for (index, track) in tracks.enumerated()
      where index != other && track.fits(label) && (label != .nobody || estimated.isPatient) {
        children.append(
          Child(
            parent: parent, track: index, exchange: other,
            weight: weight - Track.exchangeRarity(track, estimated)
              - surprise(exchanging: index, other, of: tracks, at: weighing)
              - (label == .nobody ? Self.estrangement : 0)))
      }
      guard label == .nobody, estimated.isPatient else { continue }
      children.append(
        Child(
          parent: parent, track: nil, exchange: other,
          weight: weight - Track.exchangeRarity(estimated, estimated) - Self.estrangement
            - surprise(exchanging: nil, other, of: tracks, at: weighing)))
    }
    return children
  }

  /// log2 of how much better the plan's expectations fit the first weighings of two people than
  /// those of each other, at least zero; `nil` for a stranger who was never seen.
  ///
  /// Before any weighing of the two nothing can have taken them for each other but the plan itself,
  /// and the labelled weighing is the first that its expectations are held against.
  private func surprise(
    exchanging one: Int?, _ other: Int, of tracks: [Track], at weighing: Weighing
  ) -> Int64 {
    func density(_ origin: Int, _ index: Int?) -> Int64 {
      guard let index, initial.indices.contains(index) else {
        return unknownDensity(of: Weighing(minute: 0, day: 0, weight: origin))
      }
      return initial[index].density(ofOrigin: origin)
    }
    var result: Int64 = 0
    if let origin = one.flatMap({ tracks[$0].origin }) {
      result += density(origin, one) - density(origin, other)
    }
    if let origin = tracks[other].origin {
      result += density(origin, other) - density(origin, one)
    }
    if let one, tracks[one].origin == nil, tracks[other].origin == nil {
      result += density(weighing.weight, other) - density(weighing.weight, one)
    }
    return min(max(result, 0), Self.greatestSurprise)
  }

  /// The explanations in which the label is mistaken.
  ///
  /// The evidence then decides whose the weighing is. A typed value is another person's or no weight
  /// at all.
  private func mistakes(
    of weighing: Weighing, label: Weighing.Label, parent: Int, base: Int64, free: [Child]
  ) -> [Child] {
    let tracks = hypotheses[parent].tracks
    guard case .entered = label else {
      return free.compactMap { child in
        guard !hypotheses[parent].fits(label, child.track) else { return nil }
        var child = child
        child.mistake = .person
        child.weight -= Track.mistakeRarity
        return child
      }
    }
    guard let index = tracks.firstIndex(where: { $0.fits(label) }) else { return [] }
    let others = tracks.indices.filter { $0 != index && tracks[$0].isNamed }
    let share = BinaryLogarithm.log2(UInt64(max(others.count, 1)))
    let density = others.reduce(Self.typingDensity) {
      BinaryLogarithm.sum($0, tracks[$1].density(of: weighing) - share)
    }
    return [
      Child(
        parent: parent, track: nil, mistake: .value,
        weight: base + tracks[index].prior(at: weighing) - Track.mistakeRarity - 1 << 16 + density)
    ]
  }

  /// log2 of a new stranger's share beside one of a person: 3 in 100; where one person lives, 1.
  private var strangerPrior: Int64 { household.isSingle ? -435_412 : -331_540 }

  // MARK: - Verdict

  private func verdict(on weighing: Weighing, children: [Child]) -> Verdict {
    var tally = Tally(people: household.people.count)
    for child in children {
      let share = BinaryLogarithm.power(minus: -child.weight)
      let track = child.track.map { hypotheses[child.parent].tracks[$0] }
      tally.add(
        share, to: child.track, isJump: child.isJump || track?.isUnconfirmed == true)
    }
    return verdict(tally, weighing)
  }

  private func verdict(_ tally: Tally, _ weighing: Weighing?) -> Verdict {
    let odds = household.people.enumerated().compactMap { index, person -> Verdict.Odds? in
      guard let patient = person.patient else { return nil }
      let millionths = Int((tally.share(index) * 1_000_000) >> 30)
      return millionths < 1_000 ? nil : Verdict.Odds(patient: patient, millionths: millionths)
    }.sorted { ($1.millionths, $0.patient) < ($0.millionths, $1.patient) }
    for (index, person) in household.people.enumerated() {
      guard let patient = person.patient else { continue }
      if tally.share(index) - tally.jump(index) >= needed(index) {
        return Verdict(decision: .patient(patient), odds: odds)
      }
    }
    let decision =
      housemates(tally) >= Self.clear
      ? Verdict.Decision.housemate : .unassigned(doubt(tally, weighing))
    return Verdict(decision: decision, odds: odds)
  }

  /// The probability from which a person gets a weighing, in units of 2^-30.
  private func needed(_ index: Int) -> Int64 {
    if household.isSingle, hypotheses.allSatisfy({ $0.tracks[index].isUnknown }) {
      return Self.plausible
    }
    return household.people.count { $0.patient != nil } == 1 ? Self.clearOfOne : Self.clear
  }

  /// The probability that it is one of the named housemates, in units of 2^-30.
  private func housemates(_ tally: Tally) -> Int64 {
    household.people.indices.filter { household.people[$0].patient == nil }
      .reduce(0) { $0 + tally.share($1) - tally.jump($1) }
  }

  private func doubt(_ tally: Tally, _ weighing: Weighing?) -> Verdict.Doubt {
    let ordered = household.people.indices.sorted {
      (tally.share($1), $0) < (tally.share($0), $1)
    }
    let candidates = ordered.filter { tally.share($0) >= Self.serious }
    let probable = candidates.filter { tally.share($0) >= 2 * Self.serious }
    guard let best = hypotheses.max(by: { $0.weight < $1.weight }) else { return .stranger }
    if let unknown = candidates.first(where: { best.tracks[$0].isUnknown }),
      household.people[candidates[0]].patient != nil,
      let patient = household.people[unknown].patient
    {
      return .unknown(patient: patient)
    }
    let patients = probable.compactMap { household.people[$0].patient }
    if patients.count > 1 { return .alike(patients) }
    let fitting = ordered.filter { index in
      weighing.map { best.tracks[index].estimate.fitsWeight(of: $0) } ?? false
    }
    guard let first = candidates.first ?? fitting.first else { return .stranger }
    guard let patient = household.people[first].patient else { return .housemate }
    let estimate = best.tracks[first].estimate
    if tally.jump(first) * 2 > tally.share(first) {
      return .changed(patient: patient, expected: Int(estimate.level >> 8))
    }
    if let weighing, fitting.contains(first) {
      return estimate.contradiction(in: weighing).map { .witness(patient: patient, $0) }
        ?? .unclear(patient: patient)
    }
    return .far(patient: patient, expected: Int(estimate.level >> 8))
  }

  /// The verdicts on the recent weighings with all evidence up to now, oldest first.
  ///
  /// They cover at least the last 48. An assignment that later evidence contradicts shows here,
  /// such as two people of one weight whose estimates were exchanged.
  public var hindsight: [Verdict] {
    let best = hypotheses.map(\.weight).max() ?? 0
    let shares = hypotheses.map { BinaryLogarithm.power(minus: best - $0.weight) }
    return (hypotheses.first?.past.indices ?? 0..<0).map { index in
      var tally = Tally(people: household.people.count)
      for (hypothesis, weight) in zip(hypotheses, shares) {
        let past = hypothesis.past[index]
        for (id, share) in [(past.first, past.firstShare), (past.second, past.secondShare)] {
          let track = hypothesis.tracks.firstIndex { $0.id == id }
          tally.add(
            (weight * Int64(share)) >> 20, to: track,
            isJump: track.map { hypothesis.tracks[$0].isUnconfirmed } ?? false)
        }
      }
      return verdict(tally, nil)
    }
  }

  // MARK: - Hypotheses

  private func successors(_ children: [Child], _ weighing: Weighing) -> [Hypothesis] {
    var result: [Hypothesis] = []
    let ordered = children.enumerated().sorted {
      ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
    }
    for child in ordered.prefix(3 * Self.breadth).map(\.element) where child.weight >= -Self.depth {
      var next = hypotheses[child.parent]
      next.weight = child.weight
      let id = Int32(household.people.count) &+ count
      var track = child.track
      if let other = child.exchange {
        if track == nil { track = next.addStranger(like: initial[other], id: id) }
        track.map { next.exchange($0, other) }
      }
      var learned = weighing
      if child.mistake != nil { learned.label = .none }
      if child.mistake == .value {
        next.skip()
      } else {
        next.learn(learned, track: track, isJump: child.isJump, id: id)
      }
      if child.mistake == .person, let track { next.contradict(track) }
      if let twin = result.firstIndex(where: { $0.isSimilar(to: next) }) {
        result[twin].merge(next)
      } else if result.count < Self.breadth {
        result.append(next)
      }
    }
    return result
  }
}

/// Sums the shares of the plan's people in one weighing.
private struct Tally {
  private var shares: [Int64]
  private var jumps: [Int64]
  private var total: Int64 = 0

  init(people: Int) {
    shares = Array(repeating: 0, count: people)
    jumps = shares
  }

  /// Adds a share; `nil` and the numbers beyond the plan's people are strangers.
  mutating func add(_ share: Int64, to person: Int?, isJump: Bool) {
    total += share
    guard let person, shares.indices.contains(person) else { return }
    shares[person] += share
    if isJump { jumps[person] += share }
  }

  /// The person's probability in units of 2^-30.
  func share(_ person: Int) -> Int64 { fraction(shares[person]) }
  /// The part of it that supposes a sudden change without a confirmation.
  func jump(_ person: Int) -> Int64 { fraction(jumps[person]) }

  private func fraction(_ share: Int64) -> Int64 { share.scaled(by: 1 << 30, over: max(total, 1)) }
}
