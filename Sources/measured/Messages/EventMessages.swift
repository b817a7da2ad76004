import Care
import Foundation

// MARK: - Results

extension Event {
  /// Whether a person can still answer it: it is neither done nor declined, and not read-only.
  var isOpen: Bool {
    task.kind != .readOnly && !progress.isCompleted && outcome?.answer.state != .notDone
  }

  /// `✓` done, `✗` not done, `○` open, `·` read-only.
  var mark: String {
    if task.kind == .readOnly { return "·" }
    if outcome?.answer.state == .notDone { return "✗" }
    return progress.isCompleted ? "✓" : "○"
  }

  /// The outcome in a few words: `81.95 kg`, `⌀ 102 (98–109) /min`, `not done (headache)`; `nil`
  /// without an outcome.
  func result(in timeZone: TimeZone) -> String? {
    guard let outcome else { return nil }
    let reason = outcome.answer.reason.map { " (\($0))" } ?? ""
    guard outcome.answer.state == .done else { return "not done" + reason }
    let time = outcome.answer.at.map { " at " + $0.clock(in: timeZone) } ?? ""
    return (figures ?? "done") + time + reason
  }

  /// The values of the outcome; `nil` if there are none.
  private var figures: String? {
    let values = outcome?.values.filter { $0.value != .boolean(true) || $0.kind != nil } ?? []
    guard let first = values.first else { return nil }
    // The first value of an assessment is its result.
    if task.activeTask != nil { return first.figure + goal(in: first.unit) }
    if let series = Series(values, of: self) { return series.text }
    guard values.count > 1 || first.kind != nil else { return first.figure + goal(in: first.unit) }
    return values.map(\.text).joined(separator: ", ")
  }

  /// What its value should reach: ` of 90 °`.
  private func goal(in unit: UnitOfMeasure?) -> String {
    guard let goal = progress.goal else { return "" }
    let symbol = unit?.symbol ?? ""
    let isAtMost = occurrence.element.targets.contains(where: \.isAtMost)
    return (isAtMost ? ", at most " : " of ") + goal.plainText
      + (symbol.isEmpty || symbol == "1" ? "" : " " + symbol)
  }
}

/// Many values of one quantity: their mean, the least and the most.
private struct Series {
  var mean: Double
  var least: Double
  var most: Double
  var unit: UnitOfMeasure?

  /// The most values that are listed one by one.
  private static let mostListed = 3

  /// The values of an event that is linked to a discrete quantity; `nil` if they are few.
  init?(_ values: [OutcomeValue], of event: Event) {
    func figure(_ kind: String) -> Double? { values.first { $0.kind == kind }?.value.number }
    unit = values.first?.unit
    if let mean = figure("mean"), let least = figure("least"), let most = figure("most") {
      (self.mean, self.least, self.most) = (mean, least, most)
      return
    }
    let numbers = values.compactMap(\.value.number)
    guard event.task.linkages.count == 1, numbers.count > Self.mostListed,
      let least = numbers.min(), let most = numbers.max()
    else { return nil }
    (mean, self.least, self.most) = (numbers.reduce(0, +) / Double(numbers.count), least, most)
  }

  /// `⌀ 102 (98–109) /min`.
  var text: String {
    let digits: Double = most >= 100 ? 1 : 10
    let mean = (mean * digits).rounded() / digits
    return "⌀ \(mean.plainText) (\(least.plainText)–\(most.plainText))"
      + (unit.map { " " + $0.symbol } ?? "")
  }
}

extension Date {
  /// The time of day: `07:09`.
  func clock(in timeZone: TimeZone) -> String {
    String(rfc3339(in: timeZone).dropFirst(11).prefix(5))
  }

  /// The day: `2026-11-20`.
  func day(in timeZone: TimeZone) -> String {
    String(rfc3339(in: timeZone).prefix(10))
  }
}

// MARK: - Days

/// How events read on a page of one day.
struct DayText {
  /// The zone of times.
  var timeZone: TimeZone
  /// The current time.
  var now: Date
  /// The store that the command named, to be named again.
  var store: String?
  /// The ids of tasks that several patients have.
  var sharedIDs: Set<String> = []

  init(
    timeZone: TimeZone, now: Date, store: String? = nil, tasks: some Sequence<TaskHistory> = []
  ) {
    self.timeZone = timeZone
    self.now = now
    self.store = store
    let ids = tasks.compactMap { $0.reference?.task }
    sharedIDs = Set(
      Dictionary(grouping: ids) { $0 }.filter { $0.value.count > 1 }.map(\.key))
  }

  /// The event in one line: `○ 08:00    Take the pills, 200 mg  [pills]`.
  func line(_ event: Event) -> String {
    let time = event.occurrence.isAllDay ? "anytime" : event.occurrence.start.clock(in: timeZone)
    var text = event.mark + " " + time.padding(toLength: 9, withPad: " ", startingAt: 0)
    text += title(event)
    if let result = event.result(in: timeZone) { text += ": " + result }
    text += "  [\(event.task.id)]"
    guard event.isOpen else { return text }
    let isAtMost = event.occurrence.element.targets.contains(where: \.isAtMost)
    if event.outcome == nil, !isAtMost, let goal = event.progress.goal {
      text += "  (0 of \(goal.plainText))"
    }
    if event.task.isOptional { text += "  (optional)" }
    if event.occurrence.end < now { text += "  (missed)" }
    return text
  }

  /// The title with its fact: `Take the pills, 200 mg`.
  private func title(_ event: Event) -> String {
    [event.task.title, event.occurrence.element.text, event.task.text].compactMap(\.self)
      .joined(separator: ", ")
  }

  /// What to type when the event is done; `nil` if nothing can be answered yet.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - isFirst: Whether it is the first open one of its task on that day.
  /// - Returns: The command line.
  func command(for event: Event, isFirst: Bool) -> String? {
    let start = event.occurrence.start
    guard event.isOpen, start.day(in: timeZone) <= now.day(in: timeZone) else { return nil }
    var words = ["measured", "done", event.task.id.shellQuoted]
    if sharedIDs.contains(event.task.id) { words += ["--patient", event.task.patient.shellQuoted] }
    let lastsUntilNow = start <= now && now < event.occurrence.end
    if start.day(in: timeZone) != now.day(in: timeZone), !lastsUntilNow {
      words += ["--date", start.day(in: timeZone)]
    }
    if !isFirst { words += ["--occurrence", String(event.occurrence.index)] }
    words += event.task.planned.valueFlags
    if let store { words += ["--store", store.shellQuoted] }
    return words.joined(separator: " ")
  }

  /// The open events among `events`, each with what to type.
  func commands(for events: [Event]) -> [(event: Event, command: String?)] {
    var seen: Set<TaskReference> = []
    return events.filter(\.isOpen).map { event in
      let task = TaskReference(patient: event.task.patient, task: event.task.id)
      return (event, command(for: event, isFirst: seen.insert(task).inserted))
    }
  }
}

extension PlannedTask {
  /// The flags that give its values: `--value … --unit kg`.
  fileprivate var valueFlags: [String] {
    let measured = linkages.flatMap { linkage in
      if let kind = valueKind(of: linkage) { return ["--value", "…", "--kind", kind.shellQuoted] }
      let unit = linkage.unit
      return ["--value", "…"] + (unit.symbol.isEmpty ? [] : ["--unit", unit.shellName])
    }
    let answered = survey.filter { !$0.isOptional }.flatMap { question in
      ["--value", "…", "--kind", question.kind.shellQuoted]
    }
    return measured + answered
  }
}

extension UnitOfMeasure {
  /// A name that the command line reads without quotation marks.
  fileprivate var shellName: String {
    UnitOfMeasure(symbol) == self ? symbol.shellQuoted : code.shellQuoted
  }
}

extension String {
  /// The text as one word of a shell's command line.
  fileprivate var shellQuoted: String {
    let isPlain =
      !isEmpty
      && allSatisfy { character in
        character.isLetter || character.isNumber || "-_./:@%+,".contains(character)
      }
    return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
