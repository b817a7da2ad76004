import Care
import Foundation
import StrictYAML
import Terminal

/// The tasks of a store, among which a person names one.
struct TaskLookup {
  /// The tasks, by patient and id.
  var histories: [TaskHistory]
  /// The current time: a title is that of the version in force.
  var now: Date

  /// Makes a lookup among the tasks of a patient by id or unique name, or of everyone for `nil`.
  init(_ reader: any StoreReader, patient: String?, now: Date) throws {
    let id = try patient.map { try reader.patientID(named: $0) }
    self.init(histories: try reader.histories(patient: id), now: now)
  }

  /// Makes a lookup among these tasks.
  init(histories: [TaskHistory], now: Date) {
    self.histories = histories
    self.now = now
  }

  /// The one task with that id or title; case matters only between ids that differ in it.
  ///
  /// - Throws: ``CommandFailure`` with code ``ExitCode/unknown`` if there is none, and
  ///   ``ExitCode/refused`` if there are several.
  func task(named name: String) throws(CommandFailure) -> TaskHistory {
    guard let found = try find(name) else {
      throw .unknownTask(name, known: tasks(of: histories))
    }
    return found
  }

  /// The one task with that id or title; `nil` if there is none.
  ///
  /// - Throws: ``CommandFailure`` with code ``ExitCode/refused`` if there are several.
  func find(_ name: String) throws(CommandFailure) -> TaskHistory? {
    let folded = name.lowercased()
    let tests: [(CareTask) -> Bool] = [
      { $0.id == name }, { $0.id.lowercased() == folded }, { $0.title.lowercased() == folded },
    ]
    func matching(_ test: (CareTask) -> Bool) -> [TaskHistory] {
      histories.filter { $0.current(at: now).map(test) ?? false }
    }
    for test in tests {
      let found = matching(test)
      guard let first = found.first else { continue }
      guard found.count == 1 else { throw .ambiguousTask(name, among: tasks(of: found)) }
      // The id of one person's task may be the title of another's.
      let others = matching { task in
        tests.contains { $0(task) } && task.patient != first.reference?.patient
      }
      guard others.isEmpty else { throw .ambiguousTask(name, among: tasks(of: found + others)) }
      return first
    }
    return nil
  }

  /// The one task with that id.
  ///
  /// - Throws: ``CommandFailure`` as ``task(named:)`` does.
  func task(id: String) throws(CommandFailure) -> TaskHistory {
    let found = histories.filter { $0.versions.first?.id == id }
    guard let first = found.first else {
      throw .unknownTask(id, known: tasks(of: histories))
    }
    guard found.count == 1 else { throw .ambiguousTask(id, among: tasks(of: found)) }
    return first
  }

  /// Checks that there is a task with that id, of whichever patient.
  ///
  /// - Throws: ``CommandFailure`` with code ``ExitCode/unknown``.
  func check(id: String) throws(CommandFailure) {
    guard histories.contains(where: { $0.versions.first?.id == id }) else {
      throw .unknownTask(id, known: tasks(of: histories))
    }
  }

  private func tasks(of histories: [TaskHistory]) -> [CareTask] {
    histories.compactMap { $0.current(at: now) }
  }
}

extension TaskHistory {
  /// The task that the versions are of.
  var reference: TaskReference? {
    versions.first.map { TaskReference(patient: $0.patient, task: $0.id) }
  }
}
