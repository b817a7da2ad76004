import Access
package import Care
package import CareStore
package import Foundation
import Outlets

/// Imports a plan: what it says of people may say whose waiting weighings are.
package struct ImportPlan: Action {
  package var plan: PlanDocument
  package var options: PlanImportOptions
  /// The videos of ``PlanDocument/videos``.
  package var videos: [AttachmentFile]

  /// Makes the action.
  package init(
    _ plan: PlanDocument, options: PlanImportOptions = PlanImportOptions(),
    videos: [AttachmentFile] = []
  ) {
    self.plan = plan
    self.options = options
    self.videos = videos
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> PlanImportReport {
    try performer.demand(.plan, on: .box)
    for video in videos { try video.store(in: writer) }
    let report = try writer.importPlan(plan, options: options, now: now)
    for task in plan.tasks { try writer.requireVideo(of: task) }
    if !report.isUnchanged { _ = try WeighingReview.update(in: writer, now: now) }
    return report
  }
}

/// Stores a person's next version; the first person begins the plan, in a zone.
package struct PutPerson: Action {
  package var person: Patient
  /// Whether the person is in the plan already.
  package var isKnown: Bool
  /// The plan's zone, if this is its first person.
  package var zone: TimeZone

  /// Makes the action.
  package init(_ person: Patient, isKnown: Bool, zone: TimeZone) {
    self.person = person
    self.isKnown = isKnown
    self.zone = zone
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    // A new person is the whole plan's.
    try performer.demand(.plan, on: isKnown ? .patient(person.id) : .box)
    return try writer.editReviewedPlan(now: now) { writer in
      if try writer.planTimeZone() == nil { try writer.setPlanTimeZone(zone, now: now) }
      _ = try writer.put(person, now: now)
    }
  }
}

/// Stores a contact's next version, or a new contact.
///
/// How messages reach a contact who is there already, and when, stays.
package struct PutContact: Action {
  package var contact: Contact
  /// Whose the contact was before, if it is not a new one; an empty id for every patient's.
  package var earlierOwner: String?

  /// Makes the action.
  package init(_ contact: Contact, earlierOwner: String? = nil) {
    self.contact = contact
    self.earlierOwner = earlierOwner
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    for owner in [contact.owner, earlierOwner].compactMap(\.self) {
      try performer.demand(.plan, on: owner.isEmpty ? .box : .patient(owner))
    }
    let names = [contact.name.given, contact.name.family, contact.title]
    guard names.contains(where: { $0?.isEmpty == false }) else { throw ContactRefusal.noName }
    var contact = contact
    let before = try writer.things(Contact.self).first { [owner = earlierOwner] in
      $0.id == contact.id && $0.owner == owner ?? contact.owner
    }
    if let before {
      (contact.language, contact.timeZone) = (before.language, before.timeZone)
      (contact.quiet, contact.channels) = (before.quiet, before.channels)
    }
    return try writer.editReviewedPlan(now: now) { [contact] writer in
      // A contact of another person is another thing.
      if let earlierOwner, earlierOwner != contact.owner {
        try writer.delete(
          ThingReference(.contact, patient: earlierOwner, id: contact.id), now: now)
      }
      _ = try writer.put(contact, now: now)
    }
  }
}

/// Why a contact is not stored.
package enum ContactRefusal: Error, Hashable {
  /// Nothing says who it is.
  case noName
}

/// Sets the plan's zone, in which its days and times are.
package struct SetPlanZone: Action {
  package var zone: TimeZone

  /// Makes the action.
  package init(_ zone: TimeZone) { self.zone = zone }

  package func perform(in writer: any StoreWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.plan, on: .box)
    guard try writer.planTimeZone() != zone else { return }
    try writer.setPlanTimeZone(zone, now: now)
    _ = try WeighingReview.update(in: writer, now: now)
  }
}

/// Stores tasks' next versions, or new tasks, as one edit.
package struct PutTasks: Action {
  package var tasks: [PlannedTask]

  /// Makes the action.
  package init(_ tasks: [PlannedTask]) { self.tasks = tasks }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    for task in tasks { try performer.demand(.plan, on: .patient(task.patient)) }
    return try writer.editReviewedPlan(now: now) { writer in
      for task in tasks { _ = try writer.put(task, now: now) }
    }
  }
}

/// Shows an own video on a task's card and while it is measured, or none.
package struct ChangeTaskVideo: Action {
  package var task: TaskReference
  package var video: AttachmentFile?

  /// Makes the action; `nil` takes away the video that the task has.
  package init(_ task: TaskReference, _ video: AttachmentFile?) {
    (self.task, self.video) = (task, video)
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    try performer.demand(.plan, on: .patient(task.patient))
    // The last change counts: a task that is yet to begin may have earlier versions of later dates.
    let last = try writer.histories(patient: task.patient)
      .first { $0.versions.first?.id == task.task }?.versions
      .max { $0.createdDate < $1.createdDate }
    guard var planned = last?.planned else { throw StoreError.unknown(.task(task)) }
    try video?.store(in: writer)
    planned.video = video?.attachment.reference
    let edit = try PutTasks([planned]).perform(in: writer, by: performer, now: now)
    try writer.requireVideo(of: planned)
    return edit
  }
}

/// Gives a patient another id; history, devices and weights go along.
package struct RenamePatient: Action {
  package var old: String
  package var new: String

  /// Makes the action.
  package init(_ old: String, to new: String) {
    self.old = old
    self.new = new
  }

  package func perform(in writer: any StoreWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.plan, on: .patient(old))
    // An id is the whole plan's.
    try performer.demand(.plan, on: .box)
    try writer.renamePatient(old, to: new, now: now)
    if let writer = writer as? any OutletWriter {
      try OutletDefinition.rename(old, to: new, in: writer)
    }
    try renameReaders(in: writer, now: now)
  }

  /// Gives the person the new id where the plan says who is told.
  private func renameReaders(in writer: any StoreWriter, now: Date) throws {
    let contacts = try writer.things(Contact.self).filter { [old, new].contains($0.id) }
    func renamed(_ rules: [NotifyRule], of patient: String) -> [NotifyRule] {
      // There the name means a contact.
      guard !contacts.contains(where: { $0.patient == nil || $0.patient == patient }) else {
        return rules
      }
      return rules.map { rule in
        var rule = rule
        rule.to = rule.to.map { $0 == old ? new : $0 }
        return rule
      }
    }
    for var patient in try writer.patients() {
      let rules = renamed(patient.notify, of: patient.id)
      guard rules != patient.notify else { continue }
      patient.notify = rules
      _ = try writer.put(patient, now: now)
    }
    for history in try writer.histories(patient: nil) {
      guard var task = history.current(at: now)?.planned else { continue }
      let rules = renamed(task.notify, of: task.patient)
      guard rules != task.notify else { continue }
      task.notify = rules
      _ = try writer.put(task, now: now)
    }
  }
}

/// Binds a device or one of its user slots, or removes a device's bindings.
///
/// The waiting samples of a device that is bound as a whole belong to its patient from then on.
package struct ChangeDevice: Action {
  /// A change of the device.
  package enum Change: Sendable {
    case bind(DeviceBinding)
    case unbind
  }

  package var device: DeviceID
  package var change: Change

  /// Makes the action.
  package init(_ device: DeviceID, _ change: Change) {
    self.device = device
    self.change = change
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    try performer.demand(.devices, on: .box)
    // Whose it was and whose it is to be have to be the performer's patients.
    try Self.demandRight(to: [device], in: writer, performer)
    if case .bind(let binding) = change, let patient = binding.patient {
      try performer.demand(.devices, on: .patient(patient))
    }
    return try writer.editReviewedPlan(now: now) { writer in
      switch change {
      case .bind(let binding):
        try writer.bind(binding, now: now)
        guard let patient = binding.patient, binding.userIndex == nil else { return }
        try writer.assignWaiting(of: device, to: patient, now: now)
      case .unbind: try writer.unbind(device, now: now)
      }
    }
  }

  /// Demands what a change of devices needs of those whose they are now.
  fileprivate static func demandRight(
    to devices: [DeviceID], in reader: any StoreReader, _ performer: Performer
  ) throws {
    for binding in try reader.deviceBindings() where devices.contains(binding.address) {
      guard let patient = binding.patient else { continue }
      try performer.demand(.devices, on: .patient(patient))
    }
  }
}

/// Takes an import or an edit of the plan back.
package struct UndoEdit: Action {
  /// The edit's number; `nil` for the last one that is in force.
  package var number: Int64?

  /// Makes the action.
  package init(_ number: Int64? = nil) { self.number = number }

  /// The edits that are looked through for the one that is meant.
  private static let limit = 1_000

  /// - Returns: The changes.
  /// - Throws: As ``Action``; `StoreError` if there is no such edit.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> PlanImportReport {
    let edit = try writer.planEdits(limit: Self.limit).first { edit in
      number.map { edit.number == $0 } ?? !edit.isUndone
    }
    guard let edit else {
      try performer.demand(.plan, on: .box)
      throw StoreError.refused(.noImport)
    }
    for thing in edit.things { try ChangeThing.demandRight(to: thing.reference, performer) }
    if edit.isImport { try performer.demand(.plan, on: .box) }
    if !edit.devices.isEmpty { try performer.demand(.devices, on: .box) }
    try ChangeDevice.demandRight(to: edit.devices, in: writer, performer)
    let report = try writer.undoEdit(edit.number, now: now)
    // Whose the devices are again has to be the performer's patient, too.
    try ChangeDevice.demandRight(to: edit.devices, in: writer, performer)
    _ = try WeighingReview.update(in: writer, now: now)
    return report
  }
}

/// Ends a task, deletes a thing of the plan with its history, or revives it.
package struct ChangeThing: Action {
  /// A change of the thing.
  package enum Change: Hashable, Sendable {
    /// Nothing begins from that time on; now for `nil`.
    case end(at: Date? = nil)
    /// It is hidden, with a date for the record; now for `nil`.
    case delete(at: Date? = nil)
    /// It is shown again; an ended task goes on from that time, now for `nil`.
    case revive(at: Date? = nil)
  }

  package var thing: ThingReference
  package var change: Change

  /// Makes the action.
  package init(_ thing: ThingReference, _ change: Change) {
    self.thing = thing
    self.change = change
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    try Self.demandRight(to: thing, performer)
    return try writer.editReviewedPlan(now: now) { writer in
      switch change {
      case .end(let date):
        let task = TaskReference(patient: thing.patient, task: thing.id)
        _ = try writer.endTask(task, at: date ?? now, now: now)
      case .delete(let date): try writer.delete(thing, now: date ?? now)
      case .revive(let date): try writer.revive(thing, at: date ?? now, now: now)
      }
    }
  }

  /// Demands what a change of a thing needs, also where it is taken back.
  static func demandRight(
    to thing: ThingReference, _ performer: Performer
  ) throws(AccessDenied) {
    // A contact of everyone, and a person, are part of the whole plan.
    if !thing.patient.isEmpty { try performer.demand(.plan, on: .patient(thing.patient)) }
    if thing.kind == .patient || thing.patient.isEmpty { try performer.demand(.plan, on: .box) }
  }
}

/// Settles which version of a thing holds that several stores changed independently.
package struct SettleThing: Action {
  package var thing: ThingReference
  /// The version that holds; the shown one for `nil`.
  package var version: UUID?

  /// Makes the action.
  package init(_ thing: ThingReference, version: UUID? = nil) {
    self.thing = thing
    self.version = version
  }

  package func perform(in writer: any StoreWriter, by performer: Performer, now: Date) throws {
    try ChangeThing.demandRight(to: thing, performer)
    try writer.settle(thing, version: version, now: now)
    _ = try WeighingReview.update(in: writer, now: now)
  }
}

/// Takes back what a rule did to a task.
package struct UndoFiring: Action {
  package var firing: UUID

  /// Makes the action.
  package init(_ firing: UUID) { self.firing = firing }

  /// - Returns: The firing as it is now.
  /// - Throws: As ``Action``; `StoreError.unknown(_:)` for a firing that is not there, or of a
  ///   patient whose plan the performer does not know.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> StoredFiring {
    let stored = try writer.firings(FiringQuery()).first { $0.id == firing }
    guard let patient = stored?.firing.event.patient,
      performer.grant.permits(.plan, on: .patient(patient))
    else { throw StoreError.unknown(.firing(firing)) }
    try performer.demand(.plan, on: .patient(patient))
    return try writer.undoFiring(firing, now: now)
  }
}

extension StoreWriter {
  /// Edits the plan and looks back on whose the waiting weighings are.
  ///
  /// - Returns: The edit's number; `nil` if the plan is as before.
  func editReviewedPlan(
    now: Date, _ body: (any StoreWriter) throws -> Void
  ) throws -> Int64? {
    try editPlan(now: now) { writer in
      try body(writer)
      _ = try WeighingReview.update(in: writer, now: now)
    }
  }
}
