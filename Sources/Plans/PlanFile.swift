package import Care
package import Foundation
package import StrictYAML

/// A care plan's file: YAML or JSON, read completely or refused.
package enum PlanFile {
  /// Reads a plan.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - activeTasks: The active tasks that a plan can ask for, with their keys.
  /// - Returns: The plan; all its references are valid.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(
    _ text: String, file: String, activeTasks: [ActiveTaskForm]
  ) throws(YAMLError) -> PlanDocument {
    var plan = try YAMLDocument.parse(text, file: file).mapping()
    let reader = PlanReader(
      timeZone: try plan.required("timeZone").timeZone(), activeTasks: activeTasks)
    let patients = try reader.patients(plan.optional("patients"))
    let tasks = plan.optional("tasks")
    guard tasks == nil || !patients.isEmpty else {
      throw plan.location(of: "tasks").error("there are tasks but no patients")
    }
    let document = PlanDocument(
      timeZone: reader.timeZone, patients: patients,
      tasks: try reader.tasks(tasks, of: patients),
      devices: try reader.devices(plan.optional("devices"), of: patients))
    try plan.finish()
    return document
  }
}

/// A file with a single schedule.
package enum ScheduleFile {
  /// A schedule and the zone of its times.
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
  ///   - file: The file's name, for errors.
  /// - Returns: The schedule.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(_ text: String, file: String) throws(YAMLError) -> Document {
    var root = try YAMLDocument.parse(text, file: file).mapping()
    let reader = PlanReader(timeZone: try root.required("timeZone").timeZone())
    let schedule = try reader.schedule(root.required("schedule"))
    try root.finish()
    return Document(timeZone: reader.timeZone, schedule: schedule)
  }
}
