import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// What a device says of a measurement stays with it.
@Suite("Sample contexts")
struct SampleContextTests {
  private static func pressure(_ context: MeasurementContext) -> Sample {
    var sample = Sample.linked(120, at: midnight)
    sample.reading.quantity = .bloodPressureSystolic
    sample.reading.context = context
    return Sample(reading: sample.reading, patient: "john", start: midnight, end: midnight)
  }

  private func store() async throws -> SQLStore {
    let store = try SQLStore.peer(1)
    _ = try await store.write {
      try $0.importPlan(PlanDocument.example(try .daily()), now: midnight)
    }
    return store
  }

  private func contexts(in store: SQLStore) async throws -> [MeasurementContext] {
    try await store.read { try $0.samples(SampleQuery(quantity: .bloodPressureSystolic)) }
      .map(\.context)
  }

  private static let examples: [MeasurementContext] = [
    [], [.irregularPulse], [.irregularPulse, .cuffTooLoose, .bodyMovement],
  ]

  @Test(arguments: examples)
  func isReadAsItWasStored(context: MeasurementContext) async throws {
    let store = try await store()
    #expect(try await store.write { try $0.insert(Self.pressure(context)) })
    #expect(try await contexts(in: store) == [context])
    #expect(try await store.check() == [])
  }

  @Test func isExchanged() async throws {
    let store = try await store()
    _ = try await store.write { try $0.insert(Self.pressure([.irregularPulse, .cuffTooLoose])) }
    let lines = try await store.exported()
    #expect(lines.contains { $0.contains(#""context":["irregularPulse","cuffTooLoose"]"#) })
    let copy = try SQLStore.peer(2)
    _ = try await copy.merge(lines: lines)
    #expect(try await contexts(in: copy) == [[.irregularPulse, .cuffTooLoose]])
    #expect(try await copy.merge(lines: lines).isUnchanged)
  }

  @Test func aCorrectionHasNone() async throws {
    let store = try await store()
    let sample = Self.pressure([.irregularPulse])
    _ = try await store.write { try $0.insert(sample) }
    let corrected = try await store.write {
      try $0.correct(sample.identity, value: 118, source: nil, reason: nil, now: midnight + 60)
    }
    #expect(corrected.context == [])
  }
}
