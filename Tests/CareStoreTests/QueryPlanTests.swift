import Care
import Foundation
import GRDB
import Motion
import Synchronization
import Testing

@testable import CareStore

/// Every statement of the store's calls searches by an index, at any size of the store.
///
/// Left out are calls that read everything on purpose: `renamePatient`, `erase`, `contents`.
@Suite(.ofSQLite) struct QueryPlanTests {
  /// Scans that read few rows in a store of any size.
  private static let allowed: [(sql: String, scan: String)] = [
    // One row only.
    ("", "SCAN store"),
    // A device has few bindings, a household few devices and sensors.
    ("", "SCAN device_binding"),
    ("", "SCAN calibration"),
    // Imports of plans, what they replaced, and changes of patients' ids are as few.
    ("", "SCAN plan_import"),
    ("", "SCAN replaced_binding"),
    ("", "SCAN alias"),
    // A store has a few outlets.
    ("", "SCAN outlet_setting"),
    // The people and quantities that a statement is given.
    ("", "SCAN json_each"),
    // Whether there is any row: the first one decides.
    ("SELECT 1 FROM sample_change LIMIT 1", "SCAN sample_change"),
    (
      "SELECT 1 FROM sample WHERE corrects IS NOT NULL LIMIT 1",
      "SCAN sample"
    ),
    // One series for each device and quantity; names are compared in any spelling.
    ("SELECT DISTINCT device FROM series WHERE device = ? COLLATE NOCASE", "SCAN series"),
  ]

  /// The clause of a query for all that a device measured in a span.
  ///
  /// A person rarely assigns or deletes so much, and all single samples of the device are read.
  private static let ofDevice = "WHERE series IN (SELECT number FROM series WHERE device = ?)"

  private static func isAllowed(_ step: String, of sql: String) -> Bool {
    guard step.hasPrefix("SCAN"), step != "SCAN CONSTANT ROW" else { return true }
    return allowed.contains { rule in
      (rule.sql.isEmpty || rule.sql == sql)
        && (step == rule.scan || step.hasPrefix(rule.scan + " "))
    }
  }

  private static func database(of store: SQLStore) throws -> any DatabaseWriter {
    guard case .sqlite(let engine) = store.engine else { throw EngineFault.closed }
    return engine.database
  }

  /// The statements that `body` runs in `store`, each once.
  private func statements(
    of store: SQLStore, _ body: () async throws -> Void
  ) async throws -> [String] {
    let texts = Recorded()
    try await Self.database(of: store).writeWithoutTransaction { db in
      db.trace { event in
        if case .statement(let statement) = event { texts.add(statement.sql) }
      }
    }
    try await body()
    try await Self.database(of: store).writeWithoutTransaction { $0.trace(options: []) }
    return texts.all
  }

  /// Expects that each statement searches by an index.
  private func expectSearches(_ store: SQLStore, _ statements: [String]) async throws {
    let words = ["SELECT", "INSERT", "UPDATE", "DELETE"]
    for sql in statements where words.contains(where: sql.hasPrefix) {
      let steps = try await plan(of: sql, in: store)
      for step in steps {
        #expect(Self.isAllowed(step, of: sql), "\(step): \(sql)")
      }
      // An index of the person alone would read every day for one.
      for column in ["start_date", "hour"]
      where sql.contains(" \(column) < ?") && !sql.contains(Self.ofDevice) {
        #expect(steps.contains { $0.contains("\(column)<") }, "\(steps): \(sql)")
      }
    }
  }

  private func plan(of sql: String, in store: SQLStore) async throws -> [String] {
    try await Self.database(of: store).read { db in
      let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
      statement.setUncheckedArguments([])
      return try GRDB.Row.fetchAll(statement).map { $0["detail"] }
    }
  }

  @Test
  func `reading searches by indexes`() async throws {
    let store = try await filled()
    let found = try await statements(of: store) {
      try await store.read { reader in
        _ = try (reader.planRevision(), reader.planTimeZone(), reader.planOrder())
        _ = try (reader.patients(), reader.deviceBindings(), reader.calibrations())
        _ = try (reader.histories(patient: nil), reader.histories(patient: "john"))
        _ = try reader.conflicts()
        for isDeleted in [false, true] {
          for patient in [nil, "john"] {
            _ = try reader.things(Patient.self, patient: patient, isDeleted: isDeleted)
            _ = try reader.things(Note.self, patient: patient, isDeleted: isDeleted)
            _ = try reader.things(Contact.self, patient: patient, isDeleted: isDeleted)
          }
        }
        for (patient, task) in [(nil, nil), ("john", nil), ("john", "pulse"), (nil, "pulse")] {
          _ = try reader.events(patient: patient, task: task, from: day(0), to: day(3), now: day(2))
        }
        for owner in [SampleQuery.Owner.anyone, .patient("john"), .unassigned] {
          for (quantity, device) in [(nil, nil), (Quantity.bodyMass, DeviceID("scale"))] {
            for (from, to) in [(nil, nil), (day(0), nil), (nil, day(9)), (day(0), day(9))] {
              _ = try reader.samples(
                SampleQuery(owner: owner, quantity: quantity, device: device, from: from, to: to))
            }
            _ = try reader.samples(SampleQuery(owner: owner, quantity: quantity, limit: 3))
            _ = try reader.sampleCount(SampleQuery(owner: owner, quantity: quantity))
          }
        }
        _ = try reader.latestSample(patient: "john", quantity: .heartRate)
        _ = try reader.deviceHours(from: day(0), to: day(3))
        _ = try reader.latestMeasurements(until: day(3))
        for sample in [Sample.weight(), .weight(identity: ""), .beat(70, at: day(0, hour: 9))] {
          _ = try reader.contains(sample.reading, identity: sample.identity)
          _ = try (reader.number(of: sample.identity), reader.sample(sample.identity))
        }
        _ = try? reader.identity(ofNumber: 1)
      }
    }
    #expect(found.count > 15)
    try await expectSearches(store, found)
  }

  @Test
  func `writing searches by indexes`() async throws {
    let store = try SQLStore.example()
    let found = try await statements(of: store) {
      try await fill(store)
      try await change(store)
    }
    #expect(found.count > 30)
    try await expectSearches(store, found)
  }

  // MARK: - Calls

  private func filled() async throws -> SQLStore {
    let store = try SQLStore.example()
    try await fill(store)
    return store
  }

  private func plan() throws -> PlanDocument {
    let pulse = PlannedTask(
      id: "pulse", patient: "john", title: "Pulse",
      schedule: try .daily(hour: 9, start: midnight, timeZone: losAngeles),
      linkage: Linkage(quantity: .heartRate, type: .discrete, unit: .perMinute))
    return .example(
      try .daily(), pulse, devices: [DeviceBinding(address: "5C:CA:D3:70:D4:A2", patient: "john")])
  }

  private func fill(_ store: SQLStore) async throws {
    let plan = try plan()
    try await store.write { writer in
      _ = try writer.importPlan(plan, now: midnight)
      _ = try writer.put(Note(id: "n", patient: "john", content: "Hello"), now: midnight)
      for second in [0, 1, 4000, 8000, 1] {
        _ = try writer.insert(.beat(70, at: day(0, hour: 9) + Double(second)))
      }
      _ = try writer.insert(.weight())
      _ = try writer.insert(.weight(identity: "scale|2", patient: nil, at: day(1)))
      var broadcast = Sample.weight(at: day(2))
      broadcast.reading.isBroadcast = true
      broadcast.identity = SampleIdentity(broadcast.reading)
      _ = try writer.insert(broadcast)
    }
  }

  private func change(_ store: SQLStore) async throws {
    var changed = try plan()
    changed.tasks[0].title = "Stroll"
    try await store.write { [changed] writer in
      let events = try writer.events(patient: "john", task: nil, from: day(0), to: day(2))
      for event in events {
        _ = try writer.setOutcome([.typed(63)], of: event, now: day(3))
        _ = try writer.setOutcome([.typed(64)], of: event, now: day(3))
      }
      if let first = events.first { _ = try writer.deleteOutcome(of: first.reference, now: day(3)) }
      let weight = Sample.weight()
      for change in [SampleChange.unassign, .assign(patient: "john"), .delete, .restore] {
        _ = try writer.change(.sample(weight.identity), change, reason: nil, now: day(3))
      }
      _ = try writer.change(
        .span(device: "5C:CA:D3:70:D4:A2", from: day(0), to: day(1)), .unassign, reason: "test",
        now: day(3))
      _ = try writer.correct(weight.identity, value: 70, source: nil, reason: nil, now: day(3))
      _ = try writer.importPlan(changed, now: day(3))
      _ = try writer.undoImport(now: day(3))
      let walk = ThingReference.task(TaskReference(patient: "john", task: "walk"))
      _ = try writer.endTask(TaskReference(patient: "john", task: "walk"), at: day(4), now: day(3))
      try writer.delete(walk, now: day(3))
      try writer.revive(walk, now: day(3))
      try writer.unbind("5C:CA:D3:70:D4:A2", now: day(3))
      try writer.setCalibration(
        SensorCalibration(
          address: "thigh", method: .atRest,
          calibration: AccelerometerCalibration(
            offset: Vector3(x: 0, y: 0, z: 0), scale: Vector3(x: 1, y: 1, z: 1)),
          createdDate: day(3)
        ))
      try writer.deleteCalibration(of: "thigh")
    }
  }
}

/// Texts, each once, in the order of their first use.
private final class Recorded: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func add(_ text: String) {
    texts.withLock { if !$0.contains(text) { $0.append(text) } }
  }
}
