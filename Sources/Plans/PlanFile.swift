package import Care
package import Foundation
package import StrictYAML

/// A care plan's file: YAML or JSON, read completely or refused.
///
/// A file with tasks and without patients is a part of a store's plan (``PlanDocument/isPart``).
package enum PlanFile {
  /// Reads a plan.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - activeTasks: The active tasks that a plan can ask for, with their keys.
  ///   - definitions: The device definitions; `nil` to take any.
  ///   - files: The files that it names; `nil` for a plan that comes alone.
  /// - Returns: The plan; all its references are valid.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(
    _ text: String, file: String, activeTasks: [ActiveTaskForm],
    definitions: DefinitionIndex? = nil,
    files: PlanFiles? = nil
  ) throws(YAMLError) -> PlanDocument {
    try document(
      YAMLDocument.parse(text, file: file), activeTasks: activeTasks, definitions: definitions,
      files: files)
  }

  /// Reads a plan from the tree of its file.
  static func document(
    _ root: YAMLNode, activeTasks: [ActiveTaskForm], definitions: DefinitionIndex?,
    files: PlanFiles?
  ) throws(YAMLError) -> PlanDocument {
    var plan = try root.mapping()
    let timeZone = try plan.required("timeZone").timeZone()
    let people = plan.optional("patients")
    let others = plan.optional("others")
    let carePlans = plan.optional("carePlans")
    let tasks = plan.optional("tasks")
    let devices = plan.optional("devices")
    let contacts = plan.optional("contacts")
    let notes = plan.optional("notes")
    let pauses = plan.optional("pauses")
    let notify = plan.optional("notify")
    // A misspelt key here would make names in the other lists unknown.
    try plan.finish()
    var reader = PlanReader(
      timeZone: timeZone, activeTasks: activeTasks, definitions: definitions, files: files)
    reader.pauses = try reader.pauses(pauses)
    let patients = try reader.patients(people, others: others)
    reader.isPart = tasks != nil && patients.isEmpty
    if reader.isPart {
      let others = [
        "carePlans": carePlans, "devices": devices, "contacts": contacts, "notes": notes,
        "notify": notify,
      ]
      for key in others.keys.sorted() where others[key] != .some(nil) {
        throw plan.location(of: key).error(
          "a plan without ‘patients’ has tasks only: add the patients, or leave this out")
      }
    }
    var document = PlanDocument(
      timeZone: timeZone, patients: patients, tasks: [],
      carePlans: try reader.carePlans(carePlans, of: patients))
    document.contacts = try reader.contacts(contacts, of: patients)
    reader.knownContacts = document.contacts
    try reader.readNotify(notify, people: people, for: &document.patients)
    document.tasks = try reader.tasks(tasks, of: patients, in: document.carePlans)
    guard !reader.isPart || !document.tasks.isEmpty else {
      throw plan.location(of: "tasks").error("there are tasks but no patients")
    }
    document.devices = try reader.devices(devices, of: patients)
    document.notes = try reader.notes(notes, of: patients, about: document.tasks)
    document.channelSecrets = reader.secrets.channels
    document.isPart = reader.isPart
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
