import Care
import CareStore
import Foundation

/// Los Angeles, where the plans of these tests are made.
let losAngeles = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

/// A time in RFC 3339; the distant past if it is misspelt.
func time(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }

/// A local midnight, and the moment of import in most tests.
let midnight = time("2026-12-07T00:00:00-08:00")

/// The local midnight or time of day `days` after ``midnight``.
func day(_ days: Int, hour: Int = 0, minute: Int = 0) -> Date {
  var calendar = Calendar(identifier: .gregorian)
  calendar.timeZone = losAngeles
  return calendar.date(
    byAdding: DateComponents(day: days, hour: hour, minute: minute), to: midnight) ?? midnight
}

extension SQLStore {
  /// An empty store without a file, with counted ids.
  static func example() throws -> SQLStore {
    try TestEngine.makeStore(makeUUID: UUIDSequence().next)
  }

  /// A store in memory with these tasks of John's, imported at ``midnight``.
  static func planned(_ tasks: PlannedTask...) async throws -> SQLStore {
    let store = try SQLStore.example()
    var plan = PlanDocument.example()
    plan.tasks = tasks
    let complete = plan
    _ = try await store.write { try $0.importPlan(complete, now: midnight) }
    return store
  }

  /// A store at `path` with counted ids.
  static func example(at path: String) throws -> SQLStore {
    try .open(path: path, makeUUID: UUIDSequence().next)
  }
}

extension PlanDocument {
  /// A plan of John's with these tasks.
  static func example(_ tasks: PlannedTask..., devices: [DeviceBinding] = []) -> PlanDocument {
    PlanDocument(
      timeZone: losAngeles, patients: [Patient(id: "john", name: PersonName(given: "John"))],
      tasks: tasks, devices: devices)
  }
}

extension StoreWriter {
  /// Imports John and Jane.
  func addJane() throws {
    var plan = PlanDocument.example()
    plan.patients.append(Patient(id: "jane", name: PersonName(given: "Jane")))
    _ = try importPlan(plan, now: midnight)
  }
}

extension PlannedTask {
  /// A task of John's, daily at 12:00 from the day of `start`.
  static func daily(
    _ id: String = "walk", title: String = "Walk", kind: TaskKind = .task,
    isResettable: Bool = false, start: Date = midnight, end: Date? = nil,
    effectiveDate: Date? = nil
  ) throws -> PlannedTask {
    PlannedTask(
      id: id, patient: "john", kind: kind, title: title,
      schedule: try .daily(hour: 12, start: start, end: end, timeZone: losAngeles),
      isResettable: isResettable, effectiveDate: effectiveDate)
  }
}

extension OutcomeValue {
  /// A number that a person entered.
  static func typed(_ number: Double, at time: Date = midnight) -> OutcomeValue {
    OutcomeValue(value: .double(number), time: time, provenance: .manual)
  }
}

extension Sample {
  /// A weight, John's by default.
  static func weight(
    _ kilograms: Double = 72.4, identity: String = "scale|1", patient: String? = "john",
    at start: Date = midnight, end: Date? = nil
  ) -> Sample {
    Sample(
      identity: SampleIdentity(text: identity),
      reading: Reading(
        quantity: .bodyMass, value: kilograms, arrival: start,
        interval: end.flatMap { start < $0 ? DateInterval(start: start, end: $0) : nil },
        device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2")),
      patient: patient,
      unassignedReason: patient == nil ? "two people weigh about this much" : nil, start: start,
      end: end ?? start)
  }

  /// A streamed heart rate of John's.
  static func beat(
    _ rate: Double, patient: String? = "john", at start: Date, ordinal: Int = 0
  ) -> Sample {
    let reading = Reading(
      quantity: .heartRate, value: rate, arrival: start,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2", definition: "strap"), ordinal: ordinal,
      isStreamed: true, raw: [0, UInt8(clamping: Int(saturating: rate))])
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: patient, start: start,
      end: start)
  }
}
