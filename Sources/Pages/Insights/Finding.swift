import Care
import Foundation

/// Something that stands out, with its numbers and its doubt.
///
/// Nothing is said of fewer than ``DayContrast/leastDays`` days.
enum Finding: Sendable {
  /// A quantity's values of the last days lie off the line of the days before.
  case recent(Measurand, change: Double, days: Int)
  /// A quantity's line goes up or down.
  case trend(Measurand, changePerWeek: Double, weeks: Int, days: Int)
  /// Something differs between the days with a task done and those without.
  case contrast(task: CareTask, Subject, DayContrast, chance: Double)
  /// Of a task that is due at several times, one time is the one that is missed.
  case missedTime(task: CareTask, time: String, missed: Int, due: Int, others: Int)

  /// The subject of a comparison.
  enum Subject: Hashable, Sendable {
    case measurand(Measurand)
    /// The answer to a question of a task.
    case answer(task: String, SurveyQuestion)
  }

  /// The most contrasts that are looked at: tasks times what is compared.
  static let contrastLimit = 200
  /// The most contrasts that are said.
  static let saidLimit = 4
}

// MARK: - Search

extension Finding {
  /// The days that a change of the last days is about.
  static let recentDays = 3.0

  /// The quantities whose values of the last days lie to one side of the line of the days before, by more
  /// than twice its band in the mean; the largest change first, by the band.
  static func recent(_ values: [MeasuredDays]) -> [Finding] {
    values.compactMap { measured -> (Finding, Double)? in
      let values = measured.values
      guard measured.quantity.aggregation == .discrete, let last = values.points.last?.x,
        Int(saturating: last) >= values.days.count - Int(saturating: recentDays)
      else { return nil }
      let before = values.points.filter { $0.x <= last - recentDays }
      let now = values.points.filter { $0.x > last - recentDays }
      let line = Trend.line(through: before, window: 14)
      guard before.count >= DayContrast.leastDays, now.count >= 2, let end = line.last,
        end.x >= last - 2 * recentDays, end.spread > 0
      else { return nil }
      let changes = now.map { $0.y - end.value }
      let mean = changes.reduce(0, +) / Double(changes.count)
      guard let latest = changes.last, changes.allSatisfy({ $0 * latest > 0 }),
        abs(mean) > 2 * end.spread
      else { return nil }
      return (
        .recent(measured.measurand, change: latest, days: Int(saturating: last - end.x)),
        abs(latest) / end.spread
      )
    }.sorted { $0.1 > $1.1 }.map(\.0)
  }

  /// The trends of quantities whose line moved by more than the usual spread around it.
  ///
  /// - Parameter values: The daily values of each quantity.
  /// - Returns: The trends, in the same order.
  static func trends(_ values: [MeasuredDays]) -> [Finding] {
    values.compactMap { measured in
      let values = measured.values
      guard measured.quantity.aggregation == .discrete, values.points.count >= DayContrast.leastDays
      else {
        return nil
      }
      let line = Trend.line(through: values.points, window: 14)
      guard let first = line.first, let last = line.last, last.x - first.x >= 14 else { return nil }
      let change = last.value - first.value
      guard abs(change) > max(first.spread, last.spread), change != 0 else { return nil }
      let weeks = (last.x - first.x) / 7
      return .trend(
        measured.measurand, changePerWeek: change / weeks, weeks: Int(saturating: weeks.rounded()),
        days: values.points.count)
    }
  }

  /// The contrasts that chance alone would seldom make, the clearest first.
  ///
  /// - Parameters:
  ///   - tasks: The tasks whose days are divided.
  ///   - values: The quantities that are compared, by day.
  /// - Returns: At most ``saidLimit``; of one subject and one task once.
  static func contrasts(
    _ tasks: [TaskDays], _ values: [MeasuredDays]
  ) -> [Finding] {
    var found: [(task: CareTask, subject: Subject, contrast: DayContrast)] = []
    for task in tasks {
      let isDone = task.isDone
      for measured in values
      where !task.task.linkages.contains(where: { $0.quantity == measured.quantity }) {
        let daily = Trend.removed(
          from: Dictionary(
            uniqueKeysWithValues: measured.values.points.map { (Int(saturating: $0.x), $0.y) }))
        if let contrast = DayContrast(isDone: isDone, values: daily) {
          found.append((task.task, .measurand(measured.measurand), contrast))
        }
      }
      for other in tasks where other.task.id != task.task.id {
        for question in other.task.survey {
          if let contrast = DayContrast(
            isDone: isDone, values: Trend.removed(from: other.daily(question.kind)))
          {
            found.append((task.task, .answer(task: other.task.id, question), contrast))
          }
        }
      }
    }
    let count = min(found.count, contrastLimit)
    return found.prefix(count).compactMap { found -> (Finding, Double)? in
      let chance = found.contrast.chance(among: count)
      guard chance <= DayContrast.largestChance else { return nil }
      return (.contrast(task: found.task, found.subject, found.contrast, chance: chance), chance)
    }.sorted { $0.1 < $1.1 }.prefix(saidLimit).map(\.0)
  }

  /// The times of day that are missed much more than the others of their task.
  static func missedTimes(_ tasks: [TaskDays]) -> [Finding] {
    tasks.compactMap { task in
      let slots = task.slots.filter { $0.value.due >= DayContrast.leastDays }
        .sorted { ($1.value.missed, $0.key) < ($0.value.missed, $1.key) }
      guard slots.count > 1, let worst = slots.first, worst.value.missed >= 3 else { return nil }
      let others = slots.dropFirst().reduce(0) { $0 + $1.value.missed }
      guard others * 2 <= worst.value.missed else { return nil }
      return .missedTime(
        task: task.task, time: worst.key, missed: worst.value.missed, due: worst.value.due,
        others: others)
    }
  }
}
