package import Care
package import Foundation

/// A firing as JSON.
package struct FiringOutput: Encodable {
  /// The same in every store; absent in a rehearsal.
  package var id: String?
  /// The number in this store; absent in a rehearsal.
  package var number: Int64?
  /// `reminder`, `fallback`, `snooze`, `alert`, `rule` or `seen`.
  package var kind: String
  package var patient: String
  package var task: String
  /// When the event starts.
  package var start: String
  package var due: String
  /// When it was recorded.
  package var date: String
  package var results: [ResultOutput]
  package var target: TargetChangeOutput?
  /// The message of the plan's author.
  package var message: String?
  package var contact: String?
  /// When a person took it back.
  package var undone: String?
  /// The name of who has seen an alert.
  package var by: String?

  /// A result that counted.
  package struct ResultOutput: Encodable {
    package var start: String
    package var time: String
    package var value: Double
    @Nullable package var unit: String?
  }

  /// A change of a target.
  package struct TargetChangeOutput: Encodable {
    package var from: Double
    package var to: Double
    @Nullable package var unit: String?
    /// From when on the new target holds.
    package var effective: String
  }

  package init(_ firing: Firing, in zone: TimeZone) {
    kind = firing.kind.rawValue
    patient = firing.event.patient
    task = firing.event.task
    start = firing.event.start.rfc3339(in: zone)
    due = firing.due.rfc3339(in: zone)
    date = firing.date.rfc3339(in: zone)
    results = firing.results.map { result in
      ResultOutput(
        start: result.start.rfc3339(in: zone), time: result.time.rfc3339(in: zone),
        value: result.value.data(of: nil), unit: result.unit?.code)
    }
    target = firing.target.map { target in
      TargetChangeOutput(
        from: target.from.data(of: nil), to: target.to.data(of: nil), unit: target.unit?.code,
        effective: target.effectiveDate.rfc3339(in: zone))
    }
    message = firing.rule?.message ?? firing.threshold?.says
    contact = firing.rule?.contact
    undone = firing.undoneDate?.rfc3339(in: zone)
    by = firing.by
  }

  package init(_ stored: StoredFiring, in zone: TimeZone) {
    self.init(stored.firing, in: zone)
    id = stored.id.uuidString
    number = stored.number
  }
}
