import Care
import Foundation

extension CareTask {
  /// The version of a task that a row holds.
  ///
  /// The payload is the task as the plan gave it, so that importing the same plan again changes
  /// nothing. Id and patient are those of the columns, by which the store finds the row.
  init(_ row: VersionRow) throws {
    var planned = try row.decode(PlannedTask.self)
    planned.id = row.id
    planned.patient = row.patient
    self.init(
      uuid: row.uuid, planned: planned, effectiveDate: row.effectiveDate,
      createdDate: row.createdDate)
  }
}
