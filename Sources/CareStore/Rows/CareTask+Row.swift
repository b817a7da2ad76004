import Care
import Foundation

extension CareTask {
  /// The version of a task that a row holds.
  ///
  /// Its payload is the task as the plan gave it, so that the same plan is recognised when it is
  /// imported again.
  init(_ row: VersionRow) throws {
    let task = try row.decode(PlannedTask.self)
    self.init(
      uuid: row.uuid, id: row.id, patient: row.patient, kind: task.kind, title: task.title,
      instructions: task.instructions, schedule: task.schedule, linkage: task.linkage,
      activeTask: task.activeTask, isOptional: task.isOptional, isResettable: task.isResettable,
      effectiveDate: row.effectiveDate, createdDate: row.createdDate)
  }
}
