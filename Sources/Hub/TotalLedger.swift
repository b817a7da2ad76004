import Care
import Foundation

/// Books running totals by differences.
///
/// A total that falls has started again at 0, so that all of it is new. So has the first total of a
/// day that the device counts from midnight, unless it follows the last total so closely that its
/// clock may be behind. Everything doubtful is left out rather than counted twice.
struct TotalLedger {
  /// What a total comes to.
  struct Entry: Hashable {
    /// What was counted since the last one, in the quantity's canonical unit.
    var counted: Double = 0
    /// Why nothing of it was counted, if it says more than the last one.
    var reason: UncountedReason?
    /// What the next total follows; `nil` if that is as before.
    var next: StoredTotal?
  }

  /// How far a device's midnight may be from the plan's, in seconds.
  static let midnightTolerance: TimeInterval = 3600
  /// How old the stored date of an unchanged total may become, in seconds: each write costs.
  static let refreshInterval: TimeInterval = 600

  /// The plan's zone, in which days begin.
  var timeZone: TimeZone

  /// The entry of a total.
  ///
  /// - Parameters:
  ///   - total: What the device sent, and when.
  ///   - counter: How the device counts.
  ///   - last: The total before it; `nil` for the first.
  ///   - booked: What is stored already of the day that the total counts, asked for the first total
  ///     only: a store that was made again from another one knows it, and no total.
  /// - Returns: What is counted, and what the next total follows.
  /// - Throws: What `booked` throws.
  func entry(
    _ total: StoredTotal, of counter: RunningTotal, after last: StoredTotal?,
    booked: () throws -> Double
  ) rethrows -> Entry {
    let most = total.quantity.plausible.upperBound
    guard total.total.isFinite, total.total >= 0,
      counter.period == .continuous || total.total <= most
    else { return Entry(reason: .implausible) }
    guard let last else {
      switch counter.period {
      case .continuous: return Entry(reason: .first, next: total)
      case .daily: return Entry(counted: max(0, total.total - (try booked())), next: total)
      }
    }
    guard total.date >= last.date else { return Entry() }
    let days = days(from: last.date, to: total.date)
    switch counter.period {
    case .daily:
      return Entry(
        counted: counted(total, days: days, after: last), next: next(total, days: days, after: last)
      )
    case .continuous:
      return continuous(total, limit: counter.limit, days: days, most: most, after: last)
    }
  }

  /// What a device counted since its midnight or since the last total.
  private func counted(_ total: StoredTotal, days: Int, after last: StoredTotal) -> Double {
    let isFollowing = total.total >= last.total
    guard days > 0 else { return isFollowing ? total.total - last.total : total.total }
    // The same total on another day: nobody moved, and the device has not started again.
    guard total.total != last.total else { return 0 }
    let sinceMidnight = total.date.timeIntervalSince(startOfDay(total.date))
    let isClose =
      min(sinceMidnight, total.date.timeIntervalSince(last.date)) < Self.midnightTolerance
    return isFollowing && isClose ? total.total - last.total : total.total
  }

  private func continuous(
    _ total: StoredTotal, limit: Double?, days: Int, most: Double, after last: StoredTotal
  ) -> Entry {
    var counted = total.total - last.total
    if counted < 0 {
      // Close to the limit it passed it; else it lost its memory.
      let hasPassed =
        limit.map { (($0 * 15 / 16)..<$0).contains(last.total) && total.total < $0 / 16 } ?? false
      counted = hasPassed ? counted + (limit ?? 0) : total.total
    }
    if counted > most {
      var kept = last
      kept.doubtful = total.total
      guard let doubtful = last.doubtful, (0...most).contains(total.total - doubtful) else {
        return Entry(reason: .implausible, next: kept)
      }
      return Entry(counted: total.total - doubtful, next: total)
    }
    // Of several days nobody knows which one it belongs to.
    if days > 1, counted > 0 { return Entry(reason: .gap, next: total) }
    return Entry(counted: counted, next: next(total, days: days, after: last))
  }

  /// What the next total follows; `nil` for an unchanged total shortly after.
  private func next(_ total: StoredTotal, days: Int, after last: StoredTotal) -> StoredTotal? {
    let isUnchanged =
      total.total == last.total && days == 0 && last.doubtful == nil
      && total.date.timeIntervalSince(last.date) < Self.refreshInterval
    return isUnchanged ? nil : total
  }

  private func days(from earlier: Date, to later: Date) -> Int {
    let hours = startOfDay(later).timeIntervalSince(startOfDay(earlier)) / 3600
    // A day of a change of clocks has 23 or 25 hours.
    return Int((hours / 24).rounded())
  }

  /// The start of the local day of `date`.
  func startOfDay(_ date: Date) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    return calendar.startOfDay(for: date)
  }
}

/// Why nothing was counted of a running total that says more than the one before.
public enum UncountedReason: Hashable, Sendable {
  /// It is the first one of the device: what it counted before is unknown.
  case first
  /// The last one is more than a day old, and what was counted since belongs to no day.
  case gap
  /// Nobody can have done so much.
  case implausible
}
