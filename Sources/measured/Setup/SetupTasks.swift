import Care
import Foundation
import Motion

/// A kind of task that the set-up offers.
enum SetupTaskKind: String, CaseIterable {
  case weigh, pressure, heart, oxygen, temperature, glucose, walk, knee, pills, other

  /// The description in the list of kinds.
  var summary: String {
    switch self {
    case .weigh: "weigh yourself every day"
    case .pressure: "measure the blood pressure"
    case .heart: "measure the heart rate"
    case .oxygen: "measure the oxygen in the blood"
    case .temperature: "measure the body temperature"
    case .glucose: "measure the blood glucose"
    case .walk: "walk a number of steps"
    case .knee: "bend a knee, measured by a worn sensor"
    case .pills: "take pills, ticked off by hand"
    case .other: "something else, ticked off by hand"
    }
  }

  /// A detail that is asked for.
  enum Detail: Hashable {
    case title, side, unit, goal, times
  }

  /// The details in the order in which they are asked for.
  var details: [Detail] {
    switch self {
    case .weigh, .pressure, .heart, .oxygen, .temperature: [.times]
    case .glucose: [.unit, .times]
    case .walk: [.goal]
    case .knee: [.side, .goal, .times]
    case .pills, .other: [.title, .times]
    }
  }

  /// The goal of a new task, and those that can be set.
  var goal: (standard: Int, range: ClosedRange<Int>, question: String)? {
    switch self {
    case .walk: (6_000, 1...100_000, "How many steps a day?")
    case .knee: (90, 10...170, "How far should the knee bend, in degrees?")
    default: nil
    }
  }

  /// The times of a new task.
  var times: [String] {
    switch self {
    case .pressure: ["08:00", "19:00"]
    case .knee: ["09:00"]
    case .pills: ["08:00"]
    default: []
    }
  }

  /// The kind that a word names: the name, its number in the list, or their first letters.
  init(answer: String) throws(SetupFlaw) {
    let word = answer.lowercased()
    let matches = Self.allCases.enumerated().filter { place, kind in
      "\(place + 1)" == word || kind.rawValue == word
        || word.count >= 2 && kind.rawValue.hasPrefix(word)
    }
    guard let match = matches.first, matches.count == 1 else {
      throw SetupFlaw(
        "‘\(answer)’ is none of them. Answer one of"
          + " \(Self.allCases.map(\.rawValue).joined(separator: ", ")), or go on.")
    }
    self = match.element
  }

  /// Whether a task is of this kind; those that are ticked off differ by their titles.
  func describes(_ task: PlannedTask, title: String?, side: Side?) -> Bool {
    switch self {
    case .weigh: task.linkages.map(\.quantity) == [.bodyMass]
    case .pressure: task.linkages.map(\.quantity) == Self.pressures
    case .heart: task.linkages.map(\.quantity) == [.heartRate]
    case .oxygen: task.linkages.map(\.quantity) == [.oxygenSaturation]
    case .temperature: task.linkages.map(\.quantity) == [.bodyTemperature]
    case .glucose:
      [[.bloodGlucose], [.bloodGlucoseMass]].contains(task.linkages.map(\.quantity))
    case .walk: task.linkages.map(\.quantity) == [.stepCount]
    case .knee:
      task.activeTask?.type == Self.rangeOfMotion && task.activeTask?.joint == .knee
        && task.activeTask?.side == side
    case .pills, .other:
      task.linkages.isEmpty && task.activeTask == nil
        && task.title.lowercased() == title?.lowercased()
    }
  }

  fileprivate static let rangeOfMotion = ActiveTaskType(rawValue: "rangeOfMotion")
  fileprivate static let pressures = [Quantity.bloodPressureSystolic, .bloodPressureDiastolic]
}

/// A task as the answers describe it.
struct SetupTask: Hashable {
  var kind: SetupTaskKind
  var title: String?
  var side: Side?
  /// The quantity that a glucose meter measures: an amount of substance, or a mass.
  var glucose: Quantity?
  var goal: Int?
  /// The times of the day; none for any time.
  var times: [String]?

  /// The title of the task.
  var fullTitle: String {
    switch kind {
    case .weigh: "Weigh yourself"
    case .pressure: "Measure the blood pressure"
    case .heart: "Measure the heart rate"
    case .oxygen: "Measure the oxygen in the blood"
    case .temperature: "Measure the temperature"
    case .glucose: "Measure the blood glucose"
    case .walk: "Walk \(goal ?? 0) steps"
    case .knee: "Bend the \(side?.rawValue ?? "left") knee"
    case .pills, .other: title ?? ""
    }
  }

  /// The words of its id.
  var idWords: String {
    switch kind {
    case .weigh: "weigh-in"
    case .pressure: "blood-pressure"
    case .heart: "heart-rate"
    case .oxygen: "oxygen"
    case .temperature: "temperature"
    case .glucose: "glucose"
    case .walk: "walk"
    case .knee: "\(side?.rawValue ?? "left")-knee"
    case .pills, .other: title ?? ""
    }
  }

  /// Makes the task, or changes the one that is in the plan already.
  ///
  /// Everything that the set-up does not ask for stays, even a schedule that it cannot express.
  ///
  /// - Parameters:
  ///   - old: The task in the plan; `nil` for a new one.
  ///   - id: The id of a new one.
  ///   - patient: Whose task it is.
  ///   - day: The first day, `2026-11-20`.
  ///   - zone: The zone of its times.
  /// - Returns: The task.
  /// - Throws: ``SetupFlaw`` for a time that the first day does not have.
  func task(
    changing old: PlannedTask?, id: String, of patient: String, from day: String, in zone: TimeZone
  ) throws(SetupFlaw) -> PlannedTask {
    guard let old else {
      var task = PlannedTask(
        id: id, patient: patient, title: fullTitle,
        schedule: try schedule(from: day, times: times ?? [], in: zone))
      switch kind {
      case .weigh:
        task.linkages = Self.linkages(of: [.bodyMass])
        task.instructions = "Before breakfast, without shoes."
        task.glyph = .standard(.scale)
      case .pressure:
        task.linkages = Self.linkages(of: SetupTaskKind.pressures)
        task.instructions = "Sit quietly for five minutes first."
        task.glyph = .standard(.bloodPressure)
      case .heart:
        task.linkages = Self.linkages(of: [.heartRate])
        task.glyph = .standard(.cardio)
      case .oxygen:
        task.linkages = Self.linkages(of: [.oxygenSaturation])
        task.glyph = .standard(.respiratoryHealth)
      case .temperature:
        task.linkages = Self.linkages(of: [.bodyTemperature])
        task.glyph = .standard(.stethoscope)
      case .glucose:
        task.linkages = Self.linkages(of: [glucose ?? .bloodGlucose])
        task.glyph = .standard(.blood)
      case .walk:
        task.linkages = Self.linkages(of: [.stepCount])
        task.glyph = .standard(.activeLife)
      case .knee:
        task.activeTask = ActiveTask(type: SetupTaskKind.rangeOfMotion, joint: .knee, side: side)
        task.instructions =
          "Strap the sensor to the shank, sit down, and bend the knee three times."
        task.glyph = .standard(.physicalTherapy)
      case .pills: task.glyph = .standard(.medication)
      case .other: break
      }
      return task
    }
    var task = old
    let before = SetupTask(kind, of: old)
    if kind == .walk, let goal, old.title == before.fullTitle { task.title = "Walk \(goal) steps" }
    guard let known = before.times else { return task }
    let new = times ?? known
    let isSameGoal = goal.map { $0 == before.goal } ?? true
    guard new != known || !isSameGoal else { return task }
    let length = old.schedule.elements.map(\.duration).first { $0 != .allDay }
    task.schedule = try schedule(
      from: old.schedule.startDate.day(in: zone), times: new,
      targets: isSameGoal ? old.schedule.elements.first?.targets : nil,
      length: length, in: zone)
    // The new version holds from the moment of the import.
    task.effectiveDate = nil
    return task
  }

  /// Describes a task in the plan by answers; its times are `nil` if no answer can express them.
  init(_ kind: SetupTaskKind, of task: PlannedTask) {
    self.kind = kind
    title = task.title
    side = task.activeTask?.side
    goal = task.schedule.elements.first?.targets.first?.value.number.flatMap { Int(exactly: $0) }
    let elements = task.schedule.elements
    let targets = Set(elements.map(\.targets))
    guard
      elements.allSatisfy({
        $0.interval == Interval(days: 1) && $0.end == nil && $0.text == nil
          && $0.timeZone == elements.first?.timeZone
      }), targets.count == 1, Set(elements.map(\.duration)).count == 1,
      kind.goal == nil || goal != nil && targets.allSatisfy({ $0.count == 1 && !$0[0].isAtMost })
    else { return }
    times =
      elements.allSatisfy { $0.duration == .allDay }
      ? []
      : elements.map { String($0.start.rfc3339(in: $0.timeZone).dropFirst(11).prefix(5)) }
        .sorted()
  }

  init(_ kind: SetupTaskKind) {
    self.kind = kind
  }

  /// The quantity that a meter with this unit measures; `nil` for another unit.
  static func glucose(in unit: UnitOfMeasure) -> Quantity? {
    [Quantity.bloodGlucose, .bloodGlucoseMass].first { $0.unit == unit }
  }

  private static func linkages(of quantities: [Quantity]) -> [Linkage] {
    quantities.map { Linkage(quantity: $0, type: $0.aggregation, unit: $0.unit) }
  }

  private func schedule(
    from day: String, times: [String], targets: [TargetValue]? = nil,
    length: EventDuration? = nil, in zone: TimeZone
  ) throws(SetupFlaw) -> Schedule {
    let goals = goal.map { goal in
      TargetValue(
        value: .integer(Int64(goal)), unit: kind == .knee ? .degree : .one,
        kind: kind == .knee ? "range" : nil)
    }
    let targets = targets ?? goals.map { [$0] } ?? []
    let length = length ?? .seconds(kind == .knee ? 3_600 : 7_200)
    do {
      var elements: [ScheduleElement] = []
      for time in times.isEmpty ? [nil] : times.map(Optional.some) {
        guard let start = Date(time.map { "\(day)T\($0)" } ?? day, in: zone) else {
          throw SetupFlaw("There is no such time on this day.")
        }
        elements.append(
          try ScheduleElement(
            start: start, interval: Interval(days: 1), duration: time == nil ? .allDay : length,
            targets: targets, timeZone: zone))
      }
      return try Schedule(elements)
    } catch let error as SetupFlaw {
      throw error
    } catch {
      throw SetupFlaw("There is no such time on this day.")
    }
  }
}
