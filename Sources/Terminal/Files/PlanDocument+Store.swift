package import Care
import Foundation
import Plans

extension PlanDocument {
  /// The store's current plan: what of it is in force now or will be, in its own order.
  package init(current reader: any StoreReader, patient: String?) throws {
    let order = try reader.planOrder()
    let places = Dictionary(
      order.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    let tasks = try reader.histories(patient: patient).compactMap(\.versions.last)
      .filter { !$0.isEnded }
      .map { (place: places[TaskReference(patient: $0.patient, task: $0.id)] ?? .max, task: $0) }
      .sorted { ($0.place, $0.task.id) < ($1.place, $1.task.id) }
    self.init(
      timeZone: try reader.planTimeZone() ?? .gmt,
      patients: try reader.patients().filter { patient == nil || $0.id == patient },
      tasks: tasks.map(\.task.exported),
      devices: try reader.deviceBindings().filter { patient == nil || $0.patient == patient },
      carePlans: try reader.things(CarePlan.self, patient: patient),
      contacts: try reader.things(Contact.self)
        .filter { patient == nil || $0.owner.isEmpty || $0.owner == patient },
      notes: try reader.things(Note.self, patient: patient))
  }
}

extension CareTask {
  /// The plan's description of this version, with its effective date unless that is the beginning.
  fileprivate var exported: PlannedTask {
    var task = planned
    task.effectiveDate = effectiveDate == planned.schedule.startDate ? nil : effectiveDate
    return task
  }
}
