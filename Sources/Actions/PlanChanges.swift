import Access
package import Care
package import Foundation

/// Imports a plan: what it says of people may say whose waiting weighings are.
package struct ImportPlan: Action {
  package var plan: PlanDocument
  package var options: PlanImportOptions

  /// Makes the action.
  package init(_ plan: PlanDocument, options: PlanImportOptions = PlanImportOptions()) {
    self.plan = plan
    self.options = options
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> PlanImportReport {
    try performer.demand(.plan, on: .box)
    let report = try writer.importPlan(plan, options: options, now: now)
    _ = try WeighingReview.update(in: writer, after: "a change of the plan", now: now)
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
    return try writer.editPlan(now: now) { writer in
      if try writer.planTimeZone() == nil { try writer.setPlanTimeZone(zone, now: now) }
      _ = try writer.put(person, now: now)
      _ = try WeighingReview.update(in: writer, after: "a change of the plan", now: now)
    }
  }
}

/// Binds a device or one of its user slots, or removes a device's bindings.
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
    // Whose it was and whose it is to be have to be the performer's patients.
    var people = try writer.deviceBindings().filter { $0.address == device }.compactMap(\.patient)
    if case .bind(let binding) = change, let patient = binding.patient { people.append(patient) }
    for person in people { try performer.demand(.devices, on: .patient(person)) }
    return try writer.editPlan(now: now) { writer in
      switch change {
      case .bind(let binding): try writer.bind(binding, now: now)
      case .unbind: try writer.unbind(device, now: now)
      }
      _ = try WeighingReview.update(in: writer, after: "a change of the plan", now: now)
    }
  }
}

/// Takes one import or edit of the plan back.
package struct UndoEdit: Action {
  package var number: Int64

  /// Makes the action.
  package init(_ number: Int64) { self.number = number }

  /// - Returns: The changes; `nil` if there is no such edit.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> PlanImportReport? {
    guard let edit = try writer.planEdits(limit: 1_000).first(where: { $0.number == number }) else {
      try performer.demand(.plan, on: .box)
      return nil
    }
    for thing in edit.things { try ChangeThing.demandRight(to: thing.reference, performer) }
    if edit.isImport { try performer.demand(.plan, on: .box) }
    if !edit.devices.isEmpty { try performer.demand(.devices, on: .box) }
    return try writer.undoEdit(number, now: now)
  }
}

/// Ends a task, deletes a thing of the plan with its history, or revives it.
package struct ChangeThing: Action {
  /// A change of the thing.
  package enum Change: Hashable, Sendable {
    case end, delete, revive
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
    return try writer.editPlan(now: now) { writer in
      switch change {
      case .end:
        _ = try writer.endTask(
          TaskReference(patient: thing.patient, task: thing.id), at: now, now: now)
      case .delete: try writer.delete(thing, now: now)
      case .revive: try writer.revive(thing, at: now, now: now)
      }
    }
  }

  /// Demands what a change of a thing needs, also where it is taken back.
  static func demandRight(
    to thing: ThingReference, _ performer: Performer
  ) throws(AccessDenied) {
    try performer.demand(.plan, on: .patient(thing.patient))
    // A person is part of the whole plan.
    if thing.kind == .patient { try performer.demand(.plan, on: .box) }
  }
}
