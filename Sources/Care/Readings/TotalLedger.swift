package import Foundation

/// A total that a device sent, as the ledger books it.
package struct CountedTotal: Hashable, Sendable {
  /// When it was sent: by the device's own clock if that is believed, else when it arrived.
  package var date: Date
  /// The total, in the quantity's canonical unit.
  package var total: Double
  /// The day of the device's own clock; `nil` if it has none, or none that is believed.
  package var day: Int?
  /// The patient to whom the device belonged; `nil` if that is unknown.
  package var owner: String?

  /// Makes a total.
  package init(date: Date, total: Double, day: Int? = nil, owner: String? = nil) {
    self.date = date
    self.total = total
    self.day = day
    self.owner = owner
  }

  /// Whether two readings of one device say the same.
  func says(sameAs other: CountedTotal) -> Bool {
    total == other.total && day == other.day && (owner == nil || owner == other.owner)
  }
}

/// Books the running totals of one device, quantity and user slot by differences.
///
/// The amount that a total adds follows from the totals around it in time, never from the order in
/// which they arrived: late frames, recordings that are replayed in any order and merged stores
/// give the same result. Every total is a sample that keeps the total; its value is that amount.
///
/// It never books more than the device counted, and exactly that where frames arrive in time order,
/// with these limits:
///
/// - A lower total is a frame that arrived late, damage, or a reset. It is a reset if the plan's
///   midnight lies between, or another day of the device's own clock; else if the next totals grow
///   and stay below the old one (a 0 is also confirmed by the old one). Any other lower total that
///   stays, or that nobody can have reached, adds nothing; the next ones are counted from it.
///   have made in the time, until a later total goes on from it. Damage that no other frame
///   contradicts within ``lag`` is not recognised.
/// - A total that rose over the plan's midnight adds the difference, since the device's midnight
///   may be another one. It adds all of itself if 25 h lie between, if the device's own clock shows
///   another day, or if the time of day lies between at which the device was seen to start again in
///   the night before or after.
/// - The first total of another person, and the first after an erasure, add nothing: nobody knows
///   who moved.
/// - A device that counts on adds nothing with its first total, or after a gap of more than 24 h.
///   The amount counted in a shorter silence belongs to its end.
package struct TotalLedger {
  /// The amount that a total adds.
  package struct Share: Hashable, Sendable {
    /// The amount counted since the one before, in the quantity's canonical unit.
    package var counted: Double = 0
    /// Why that is nothing, although the total says more than the one before.
    package var reason: UncountedReason?
  }

  /// How late a frame may arrive, in seconds.
  package static let lag: TimeInterval = 600
  /// How old an unchanged total must be to be kept again, in seconds.
  package static let refreshInterval: TimeInterval = 3600
  /// How far a total affects others, in seconds.
  package static let reach: TimeInterval = 37 * 3600
  /// The longest gap of which a continuous total still tells the day, in seconds.
  private static let longestGap: TimeInterval = 86_400
  /// The time in which every day has a midnight, in seconds.
  private static let longestDay: TimeInterval = 90_000
  /// How far a device's midnight may be from the plan's, in seconds.
  private static let midnightTolerance: TimeInterval = 3600
  /// The longest gap that shows in which night the device started again, in seconds.
  private static let night: TimeInterval = 14 * 3600
  /// How far a night tells of others, in seconds.
  private static let evidenceReach: TimeInterval = 36 * 3600

  private let counter: RunningTotal
  private let most: Double
  private let erasures: [ClosedRange<Date>]
  private let calendar: Calendar

  /// Makes a ledger.
  ///
  /// - Parameters:
  ///   - counter: How the device counts.
  ///   - most: The most that a person can do in a day, in the quantity's canonical unit.
  ///   - timeZone: The plan's zone, in which days begin.
  ///   - erasures: The spans of which totals were erased.
  package init(
    _ counter: RunningTotal, most: Double, timeZone: TimeZone, erasures: [ClosedRange<Date>] = []
  ) {
    self.counter = counter
    self.most = most
    self.erasures = erasures
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// Computes the amount that each of `totals` adds.
  ///
  /// - Parameter totals: Sorted by date, of one date by total.
  /// - Returns: As many, in the same order.
  /// - Complexity: Proportional to their number.
  package func shares(of totals: [CountedTotal]) -> [Share] {
    let entries = entries(of: totals)
    // The nights in which the device started again, so that other nights can be judged.
    var nights: [ClosedRange<Date>] = []
    var last: CountedTotal?
    for (index, entry) in entries where entry != .rebases {
      let total = totals[index]
      if entry == .restarts, let last, last.day == nil,
        total.date.timeIntervalSince(last.date) <= Self.night, hasMidnight(from: last, to: total)
      {
        nights.append(last.date...total.date)
      }
      last = total
    }
    var shares = [Share](repeating: Share(), count: totals.count)
    var (before, owner): (CountedTotal?, String?) = (nil, nil)
    for (index, entry) in entries {
      shares[index] = share(of: totals[index], entry, after: before, owner: owner, nights)
      before = totals[index]
      owner = totals[index].owner ?? owner
    }
    // Jumps that wait for the next total.
    if let last = totals.indices.last, entries.last?.index != last,
      totals[last].total > before?.total ?? .infinity
    {
      shares[last].reason = .implausible
    }
    return shares
  }

  /// Whether a total says nothing that its neighbours in time do not say.
  package static func isRepetition(_ total: CountedTotal, of before: CountedTotal) -> Bool {
    total.says(sameAs: before)
      && total.date.timeIntervalSince(before.date) < Self.refreshInterval
  }

  /// Whether a total goes on from `last`, so that it adds the difference whatever comes next.
  ///
  /// - Parameters:
  ///   - total: A later total than all others.
  ///   - last: The total before it, which every total of the last ``lag`` led to by differences.
  /// - Returns: `false` if the totals around it have to be looked at.
  package func goesOn(_ total: CountedTotal, from last: CountedTotal) -> Bool {
    let gap = total.date.timeIntervalSince(last.date)
    return gap > 0 && gap < Self.lag && total.total > last.total && total.day == last.day
      && total.owner == last.owner && !isHasty(total.total - last.total, in: gap)
      && midnight(from: last, to: total) == nil
      && !erasures.contains { $0.upperBound >= last.date && $0.lowerBound <= total.date }
  }

  // MARK: - Which totals count

  /// How a total is related to the one before it that counts.
  private enum Entry { case first, follows, restarts, passesLimit, rebases }

  /// The totals that count, in order; the others arrived late or are damaged.
  private func entries(of totals: [CountedTotal]) -> [(index: Int, entry: Entry)] {
    var entries: [(index: Int, entry: Entry)] = []
    // Where the current part begins in `entries`.
    var part = 0
    var window = 0
    for index in totals.indices {
      window = max(window, index)
      while window + 1 < totals.count,
        totals[window + 1].date.timeIntervalSince(totals[index].date) <= Self.lag
      {
        window += 1
      }
      let scene = Scene(totals: totals, index: index, window: window)
      guard let last = entries.last.map({ totals[$0.index] }) else {
        if counter.period == .daily, isSpike(scene, above: 0) { continue }
        entries.append((index, .first))
        continue
      }
      if counter.period == .daily, let day = scene.total.day, let known = last.day, day != known {
        part = entries.count
        entries.append((index, .restarts))
      } else if scene.total.total >= last.total {
        if scene.total.total > last.total {
          let gap = scene.total.date.timeIntervalSince(last.date)
          if isSpike(scene, above: last.total)
            || isHasty(scene.total.total - last.total, in: gap)
              && (!scene.goesOn || scene.isTakenBack(above: last.total))
          {
            continue
          }
        }
        entries.append((index, .follows))
      } else if let entry = fall(
        scene, after: last, lowest: lowest(before: scene.total.date, totals, entries[part...]))
      {
        part = entries.count
        entries.append((index, entry))
      }
    }
    return entries
  }

  /// Whether a total is the only one so high, above `base`.
  private func isSpike(_ scene: Scene, above base: Double) -> Bool {
    guard scene.isTakenBack(above: base), let next = scene.next else { return false }
    let mayRestart = counter.period == .daily && hasMidnight(from: scene.total, to: next)
    return next.total < scene.total.total && next.total >= base && !mayRestart
  }

  /// The least total that a frame which arrived late at `date` can have.
  private func lowest(
    before date: Date, _ totals: [CountedTotal],
    _ part: ArraySlice<(index: Int, entry: Entry)>
  ) -> Double {
    let earlier = part.last { totals[$0.index].date <= date.addingTimeInterval(-Self.lag) }
    if let earlier { return totals[earlier.index].total }
    // The total before the first one heard is unknown; a reset begins at 0.
    guard let first = part.first, first.entry == .first else { return 0 }
    return totals[first.index].total
  }

  /// Classifies a total that is lower than the last one; `nil` if it does not count.
  private func fall(_ scene: Scene, after last: CountedTotal, lowest: Double) -> Entry? {
    let total = scene.total
    let gap = total.date.timeIntervalSince(last.date)
    if let limit = counter.limit, last.total >= limit * 15 / 16, last.total < limit,
      total.total < limit / 16, !isHasty(total.total + limit - last.total, in: gap)
    {
      return .passesLimit
    }
    if total.total < lowest, !isHasty(total.total, in: gap) {
      if isConfirmed(scene, after: last.total) { return .restarts }
      let isExpected =
        counter.period == .daily && (total.day == nil || total.day != last.day)
        && hasMidnight(from: last, to: total)
      if isExpected, !scene.returns(to: last.total) { return .restarts }
    }
    return scene.stays(below: last.total) ? .rebases : nil
  }

  /// Whether the totals after a reset grow, and stay below the one before it.
  private func isConfirmed(_ scene: Scene, after last: Double) -> Bool {
    guard let next = scene.next, next.total > scene.total.total,
      next.total < last || scene.total.total == 0 && next.total == last
    else { return false }
    let gap = next.date.timeIntervalSince(scene.total.date)
    return !isHasty(next.total - scene.total.total, in: gap)
  }

  /// Whether nobody can have done so much in that time, in seconds.
  private func isHasty(_ counted: Double, in gap: TimeInterval) -> Bool {
    // The most of a day within six hours, and what a device counts before it shows it.
    counted > most * (gap / 21_600 + 0.001)
  }

  // MARK: - Amounts

  private func share(
    of total: CountedTotal, _ entry: Entry, after before: CountedTotal?, owner: String?,
    _ nights: [ClosedRange<Date>]
  ) -> Share {
    let isDaily = counter.period == .daily
    let isErased = erasures.contains { span in
      span.lowerBound <= total.date && span.upperBound >= before?.date ?? .distantPast
    }
    if isErased { return Share(reason: .first) }
    guard let before else {
      return isDaily ? Share(counted: total.total) : Share(reason: .first)
    }
    if let owner, let current = total.owner, current != owner { return Share(reason: .first) }
    let gap = total.date.timeIntervalSince(before.date)
    let counted: Double
    switch entry {
    case .first, .rebases: return Share()
    case .restarts: counted = total.total
    case .passesLimit: counted = total.total + (counter.limit ?? 0) - before.total
    case .follows:
      let hasRestarted =
        isDaily && total.total != before.total && (total.day == nil || before.day == nil)
        && (gap >= Self.longestDay || isOverNight(from: before, to: total, nights))
      counted = hasRestarted ? total.total : total.total - before.total
    }
    if !isDaily, counted > 0 {
      if gap > Self.longestGap { return Share(reason: .gap) }
      if counted > most { return Share(reason: .implausible) }
    }
    return Share(counted: counted)
  }

  /// Whether the time of day lies between at which the device started again in another night.
  private func isOverNight(
    from before: CountedTotal, to total: CountedTotal, _ nights: [ClosedRange<Date>]
  ) -> Bool {
    nights.contains { night in
      let distance = total.date.timeIntervalSince(night.upperBound)
      let days = (distance / 86_400).rounded(.down) * 86_400
      return abs(distance) <= Self.evidenceReach && night.lowerBound + days >= before.date
    }
  }

  /// Whether the plan's midnight lies between, or so close that it may be the device's.
  private func hasMidnight(from before: CountedTotal, to total: CountedTotal) -> Bool {
    midnight(from: before, to: total) != nil
  }

  private func midnight(from before: CountedTotal, to total: CountedTotal) -> Date? {
    let tolerance = Self.midnightTolerance
    let midnight = calendar.startOfDay(for: total.date.addingTimeInterval(tolerance))
    return midnight > before.date.addingTimeInterval(-tolerance) ? midnight : nil
  }
}

/// A total among those after it.
private struct Scene {
  let totals: [CountedTotal]
  let index: Int
  /// The last one that arrived within ``TotalLedger/lag``.
  let window: Int

  var total: CountedTotal { totals[index] }

  /// The first one after it that says something else.
  var next: CountedTotal? { totals[(index + 1)...].first { $0.total != total.total } }

  /// Whether the totals are lower again soon, and not below `base`.
  func isTakenBack(above base: Double) -> Bool {
    guard window > index else { return false }
    let last = totals[window].total
    return last >= base && last < total.total
  }

  /// Whether later totals confirm a jump.
  var goesOn: Bool {
    if let next { return next.total > total.total }
    return (totals.last?.date ?? total.date).timeIntervalSince(total.date) > TotalLedger.lag
  }

  /// Whether the totals are back at `last` soon.
  func returns(to last: Double) -> Bool { window > index && totals[window].total >= last }

  /// Whether the totals are still below `last` when no late frame can arrive any more.
  func stays(below last: Double) -> Bool {
    window + 1 < totals.count && !returns(to: last) && totals[window + 1].total < last
      && totals[window + 1].total >= total.total
  }
}
