package import Care
package import Foundation
package import StrictYAML

/// A care plan's file: YAML or JSON, taken whole or not at all.
package enum PlanFile {
  /// Reads a plan.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The name that errors give.
  /// - Returns: The plan, whose references all hold.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(_ text: String, file: String) throws(YAMLError) -> PlanDocument {
    var plan = try YAMLDocument.parse(text, file: file).mapping()
    let context = PlanContext(timeZone: try plan.required("timeZone").timeZone())
    let patients = try context.patients(plan.optional("patients"))
    let tasks = plan.optional("tasks")
    guard tasks == nil || !patients.isEmpty else {
      throw plan.location(of: "tasks").error("there are tasks but no patients: whose are they?")
    }
    let document = PlanDocument(
      timeZone: context.timeZone, patients: patients,
      tasks: try context.tasks(tasks, of: patients),
      devices: try context.devices(plan.optional("devices"), of: patients))
    try plan.finish()
    return document
  }
}

/// A file with one schedule alone, for `schedule expand`.
package enum ScheduleFile {
  /// A schedule and the zone that its times are in.
  package struct Document: Hashable, Sendable {
    /// The zone.
    package var timeZone: TimeZone
    /// The schedule.
    package var schedule: Schedule
  }

  /// Reads a file with `timeZone` and `schedule`.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The name that errors give.
  /// - Returns: The schedule.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(_ text: String, file: String) throws(YAMLError) -> Document {
    var root = try YAMLDocument.parse(text, file: file).mapping()
    let context = PlanContext(timeZone: try root.required("timeZone").timeZone())
    let schedule = try context.schedule(root.required("schedule"))
    try root.finish()
    return Document(timeZone: context.timeZone, schedule: schedule)
  }
}

/// What the parts of a plan are read in.
struct PlanContext {
  /// Times without an offset are in it.
  let timeZone: TimeZone

  /// The patient that `node` names, who must be one of `patients`.
  func patient(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> String {
    let id = try node.string()
    let known = patients.map(\.id)
    guard known.contains(id) else {
      throw node.error(
        "there is no patient ‘\(id)’ in this plan" + Spelling.suggestion(for: id, among: known))
    }
    return id
  }
}
