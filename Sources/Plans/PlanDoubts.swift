package import Care
import Foundation
import Motion
import StrictYAML

extension PlanDocument {
  /// What is valid and probably not meant.
  ///
  /// - Parameters:
  ///   - activeTasks: The active tasks that a plan can ask for, with their figures.
  ///   - today: The day on which the plan is read.
  /// - Returns: A sentence each, in the plan's order.
  package func doubts(activeTasks: [ActiveTaskForm], today: CalendarDate) -> [String] {
    patients.flatMap { Self.doubts(of: $0, today: today) }
      + tasks.flatMap { Self.doubts(of: $0, activeTasks: activeTasks) }
      + devices.compactMap(Self.doubt)
  }

  private static func doubts(of patient: Patient, today: CalendarDate) -> [String] {
    var doubts: [String] = []
    if patient.id.contains(where: \.isWhitespace) {
      doubts.append("the id has spaces, so commands need it in quotes")
    }
    if let birthday = patient.birthday, birthday > today {
      doubts.append("the birthday \(birthday) is yet to come")
    }
    if let language = patient.language, !isLanguage(language) {
      doubts.append("there is no language ‘\(language)’; write a tag such as de or pt-BR")
    }
    return doubts.map { "patient \(patient.id): \($0)" }
  }

  private static func isLanguage(_ tag: String) -> Bool {
    Locale.LanguageCode(String(tag.prefix { $0 != "-" })).isISOLanguage
  }

  private static func doubts(of task: PlannedTask, activeTasks: [ActiveTaskForm]) -> [String] {
    var doubts: [String] = []
    if task.id.contains(where: \.isWhitespace) {
      doubts.append("the id has spaces, so commands need it in quotes")
    }
    if let known = valueKinds(of: task, activeTasks: activeTasks) {
      let targets = task.schedule.elements.flatMap(\.targets).map { ("target", $0.kind) }
      let thresholds = task.thresholds.map { ("threshold", $0.kind) }
      for case (let owner, let kind?) in targets + thresholds where !known.contains(kind) {
        let meant =
          known.isEmpty
          ? "its values have no kind, so leave ‘kind’ out"
          : "its values have \(known.joined(separator: ", "))"
            + Spelling.suggestion(for: kind, among: known)
        doubts.append("no value of the task has the kind ‘\(kind)’ of a \(owner); \(meant)")
      }
    }
    let name = task.patient.isEmpty ? task.id : "\(task.id) of \(task.patient)"
    var said: Set<String> = []
    return doubts.filter { said.insert($0).inserted }.map { "task \(name): \($0)" }
  }

  /// The kinds of the values that a task's events have; `nil` of a task that neither measures nor
  /// asks, whose values a person may give any kind.
  private static func valueKinds(
    of task: PlannedTask, activeTasks: [ActiveTaskForm]
  ) -> [String]? {
    guard task.activeTask != nil || !task.linkages.isEmpty || !task.survey.isEmpty else {
      return nil
    }
    var kinds = task.linkages.compactMap(task.valueKind)
    if let active = task.activeTask {
      // A figure without a unit, such as the confidence, stands in every event.
      guard let form = activeTasks.first(where: { $0.type == active.type }) else { return nil }
      kinds += form.figures.map(\.kind) + ["confidence"]
    }
    return kinds + task.survey.map(\.kind)
  }

  private static func doubt(of device: DeviceBinding) -> String? {
    let name = device.address.text
    guard !device.address.isAddress, device.placement == nil, Placement(sensorName: name) == nil
    else { return nil }
    return "sensor \(name): the name states no place on the body such as left-shank; give its"
      + " ‘placement’ if it is worn"
  }
}
