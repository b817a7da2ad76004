import Care
import Foundation
import StrictYAML

extension PlanDoubt {
  /// Finds the parts of a task that are probably not meant.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - path: Where it stands.
  ///   - surroundings: The facts against which it is checked.
  /// - Returns: The doubts, each sentence once.
  static func of(
    _ task: PlannedTask, at path: PlanPath, in surroundings: PlanSurroundings
  ) -> [PlanDoubt] {
    let name = task.patient.isEmpty ? task.id : "\(task.id) of \(task.patient)"
    var doubts: [PlanDoubt] = []
    if task.id.contains(where: \.isWhitespace) {
      doubts.append(
        PlanDoubt(
          path: path / "id", text: "the id has spaces, so commands need it in quotes"))
    }
    doubts += task.cardDoubts(at: path)
    doubts += task.kindDoubts(at: path, activeTasks: surroundings.activeTasks)
    doubts += task.valueDoubts(at: path, activeTasks: surroundings.activeTasks)
    doubts += task.typeDoubts(at: path)
    doubts += task.scheduleDoubts(at: path, now: surroundings.now)
    var said: Set<String> = []
    return doubts.filter { said.insert($0.text).inserted }.map {
      PlanDoubt(path: $0.path, reasons: $0.reasons, text: "task \(name): \($0.text)")
    }
  }
}

// MARK: - The card

extension PlannedTask {
  /// The picture that its card would not show.
  fileprivate func cardDoubts(at path: PlanPath) -> [PlanDoubt] {
    guard let image, picture == nil else { return [] }
    return [
      PlanDoubt(
        path: path / "image",
        text: "the page does not show ‘\(image.prefix(40))’; write the picture itself, as"
          + " data:image/png;base64,…")
    ]
  }
}

// MARK: - Kinds

extension PlannedTask {
  /// Its targets, each with where it stands.
  fileprivate func targets(at path: PlanPath) -> [(path: PlanPath, target: TargetValue)] {
    schedule.elements.enumerated().flatMap { index, element in
      element.targets.enumerated().map { place, target in
        (path / "schedule" / index / "targets" / place, target)
      }
    }
  }

  /// Targets and thresholds of kinds that no value of the task has.
  fileprivate func kindDoubts(at path: PlanPath, activeTasks: [ActiveTaskForm]) -> [PlanDoubt] {
    guard let known = valueKinds(activeTasks: activeTasks) else { return [] }
    let asked =
      targets(at: path).map { (path: $0.path / "kind", owner: "target", kind: $0.target.kind) }
      + thresholds.enumerated().map { index, threshold in
        (path: path / "thresholds" / index / "kind", owner: "threshold", kind: threshold.kind)
      }
    return asked.compactMap { path, owner, kind in
      guard let kind, !known.contains(kind) else { return nil }
      let meant =
        known.isEmpty
        ? "its values have no kind, so leave ‘kind’ out"
        : "its values have \(known.joined(separator: ", "))"
          + Spelling.suggestion(for: kind, among: known)
      return PlanDoubt(
        path: path, text: "no value of the task has the kind ‘\(kind)’ of a \(owner); \(meant)")
    }
  }

  /// The kinds of the values that its events have; `nil` of a task that neither measures nor asks,
  /// whose values a person may give any kind.
  private func valueKinds(activeTasks: [ActiveTaskForm]) -> [String]? {
    guard activeTask != nil || !linkages.isEmpty || !survey.isEmpty else { return nil }
    var kinds = linkages.compactMap(valueKind)
    if let active = activeTask {
      // A figure without a unit, such as the confidence, stands in every event.
      guard let form = activeTasks.first(where: { $0.type == active.type }) else { return nil }
      kinds += form.figures.map(\.kind) + ["confidence"]
    }
    return kinds + survey.map(\.kind)
  }
}

// MARK: - Values

extension PlannedTask {
  /// Targets and thresholds that no value can have.
  fileprivate func valueDoubts(at path: PlanPath, activeTasks: [ActiveTaskForm]) -> [PlanDoubt] {
    var doubts: [PlanDoubt] = []
    for (place, target) in targets(at: path) {
      guard let (quantity, unit) = measured(target.kind, activeTasks: activeTasks) else {
        if let number = target.value.number, number < 0, !target.isAtMost {
          doubts.append(
            PlanDoubt(
              path: place / "value",
              text: "a target of \(number.plainText) is reached before anything is done"))
        }
        continue
      }
      guard let number = target.value.number else {
        if case .text(let text) = target.value {
          doubts.append(
            PlanDoubt(
              path: place / "value",
              text: "the target ‘\(text)’ is a text, and the task measures numbers; write value:"
                + " 6000, with a unit under ‘unit’"))
        }
        continue
      }
      // Days add up.
      let days = quantity.aggregation == .cumulative ? greatestDays : 1
      if let text = quantity.implausibility(
        number, in: target.unit ?? unit, times: days, of: "target")
      {
        doubts.append(PlanDoubt(path: place / "value", text: text))
      }
    }
    for (index, threshold) in thresholds.enumerated() {
      guard let (quantity, unit) = measured(threshold.kind, activeTasks: activeTasks) else {
        continue
      }
      let days = quantity.aggregation == .cumulative ? greatestDays : 1
      for limit in threshold.condition.limits {
        if let text = quantity.implausibility(limit, in: unit, times: days, of: "threshold") {
          doubts.append(
            PlanDoubt(path: path / "thresholds" / index / threshold.condition.key, text: text))
        }
      }
    }
    return doubts
  }

  /// The days from one of its events to the next, at most; at least 1.
  private var greatestDays: Double {
    schedule.elements.map { max(1, $0.interval.length / 86_400) }.max() ?? 1
  }

  /// Linkages whose values are combined in another way than the quantity's.
  fileprivate func typeDoubts(at path: PlanPath) -> [PlanDoubt] {
    linkages.enumerated().compactMap { index, linkage in
      guard linkage.type != linkage.quantity.aggregation else { return nil }
      let name = linkage.quantity.rawValue
      let text =
        linkage.type == .cumulative
        ? "\(name) is added up; it does not add up, so leave ‘type: cumulative’ out"
        : "only the latest \(name) counts; it adds up, so leave ‘type: discrete’ out"
      let single = path / "linkage" / "type"
      return PlanDoubt(
        path: linkages.count == 1 ? single : path / "linkages" / index / "type", text: text)
    }
  }
}

extension Quantity {
  /// That a number is outside of what a person can have; `nil` if it is not.
  fileprivate func implausibility(
    _ number: Double, in unit: UnitOfMeasure, times days: Double, of owner: String
  ) -> String? {
    guard let value = unit.convert(number, to: self.unit) else { return nil }
    let (least, most) = (plausible.lowerBound, plausible.upperBound * days)
    guard value < least || value > most else { return nil }
    let limit = { (bound: Double) in
      (self.unit.convert(bound, to: unit) ?? bound).plainText(digits: self.fractionDigits(in: unit))
    }
    return "a \(owner) of \(unit.text(number.plainText)): \(title.prefix(1).lowercased())"
      + "\(title.dropFirst()) lies between \(limit(least)) and \(unit.text(limit(most)))"
  }
}

extension Threshold.Condition {
  /// Its key in a plan.
  fileprivate var key: String {
    switch self {
    case .above: "above"
    case .atLeast: "atLeast"
    case .below: "below"
    case .atMost: "atMost"
    case .equal: "equal"
    case .between: "between"
    }
  }
}

// MARK: - Schedules

extension PlannedTask {
  /// Events that overlap, and schedules that are over or far away.
  fileprivate func scheduleDoubts(at path: PlanPath, now: Date) -> [PlanDoubt] {
    let path = path / "schedule"
    var doubts = schedule.elements.enumerated().compactMap { index, element -> PlanDoubt? in
      guard case .seconds(let length) = element.duration, length > element.interval.length,
        (try? Schedule([element]))?.count != 1
      else { return nil }
      return PlanDoubt(
        path: path / index / "duration",
        text: "each event lasts \(length.hours), and the next begins after"
          + " \(element.interval.length.hours)")
    }
    let elements = schedule.elements
    doubts += elements.enumerated().compactMap { index, element -> PlanDoubt? in
      guard element.interval.length < Self.shortInterval,
        (try? Schedule([element]))?.count.map({ $0 > Self.manyEvents }) ?? true
      else { return nil }
      return PlanDoubt(
        path: path / index / "interval",
        text: "it is due every \(element.interval.length.hours), which are very many events")
    }
    var seen: Set<ScheduleElement> = []
    doubts += elements.enumerated().compactMap { index, element -> PlanDoubt? in
      guard !seen.insert(element).inserted else { return nil }
      return PlanDoubt(path: path / index, text: "the same element is given twice")
    }
    if elements.allSatisfy({ $0.end.map { $0 <= now } ?? false }), let last = elements.last,
      let end = elements.compactMap(\.end).max()
    {
      doubts.append(
        PlanDoubt(
          path: path / (elements.count - 1) / "end",
          text: "it has ended on \(end.rfc3339(in: last.timeZone).prefix(10))"))
    }
    if let first = elements.map(\.start).min(), first > now.addingTimeInterval(Self.farAhead) {
      doubts.append(
        PlanDoubt(
          path: path / 0 / "start",
          text: "it begins only on \(first.rfc3339(in: elements[0].timeZone).prefix(10))"))
    }
    return doubts
  }

  /// Five minutes, in seconds: nobody does anything so often, but for a few times.
  private static let shortInterval: TimeInterval = 300
  private static let manyEvents = 100
  /// Five years, in seconds.
  private static let farAhead: TimeInterval = 5 * 366 * 86_400
}

extension Interval {
  /// Its length in seconds, of the shortest months and years.
  var length: TimeInterval {
    let days = Double(years) * 365 + Double(months) * 28 + Double(weeks) * 7 + Double(self.days)
    return days * 86_400 + Double(hours) * 3_600 + Double(minutes) * 60 + Double(self.seconds)
  }
}

extension TimeInterval {
  /// The time as a plan writes it: `48h`, `1h30m`.
  fileprivate var hours: String {
    let minutes = self / 60
    guard minutes == minutes.rounded(), abs(minutes) < 1e9 else { return "\(plainText)s" }
    let (hours, rest) = Int(saturating: minutes).quotientAndRemainder(dividingBy: 60)
    return (hours > 0 || rest == 0 ? "\(hours)h" : "") + (rest > 0 ? "\(rest)m" : "")
  }
}
