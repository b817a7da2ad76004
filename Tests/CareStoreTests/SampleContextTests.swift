import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// The words of a device about a measurement stay with it.
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
  func `is read as it was stored`(context: MeasurementContext) async throws {
    let store = try await store()
    #expect(try await store.write { try $0.insert(Self.pressure(context)) })
    #expect(try await contexts(in: store) == [context])
    #expect(try await store.check() == [])
  }

  @Test func `is exchanged`() async throws {
    let store = try await store()
    _ = try await store.write { try $0.insert(Self.pressure([.irregularPulse, .cuffTooLoose])) }
    let lines = try await store.exported()
    #expect(lines.contains { $0.contains(#""context":["irregularPulse","cuffTooLoose"]"#) })
    let copy = try SQLStore.peer(2)
    _ = try await copy.merge(lines: lines)
    #expect(try await contexts(in: copy) == [[.irregularPulse, .cuffTooLoose]])
    #expect(try await copy.merge(lines: lines).isUnchanged)
  }

  @Test func `a correction keeps it`() async throws {
    let store = try await store()
    let sample = Self.pressure([.irregularPulse])
    _ = try await store.write { try $0.insert(sample) }
    let corrected = try await store.write {
      try $0.correct(sample.identity, value: 118, source: nil, reason: nil, now: midnight + 60)
    }
    #expect(corrected.context == [.irregularPulse])
  }

  /// The order of merges makes no difference, and nothing that one store knows is lost.
  @Test func `is joined by a merge`() async throws {
    let (poor, rich) = (try await store(), try SQLStore.peer(2))
    _ = try await rich.merge(lines: try await poor.exported())
    _ = try await poor.write { try $0.insert(Self.pressure([.cuffTooLoose])) }
    _ = try await rich.write { try $0.insert(Self.pressure([.irregularPulse, .bodyMovement])) }
    let (poorLines, richLines) = (try await poor.exported(), try await rich.exported())
    _ = try await rich.merge(lines: poorLines)
    _ = try await poor.merge(lines: richLines)
    let all: MeasurementContext = [.irregularPulse, .bodyMovement, .cuffTooLoose]
    #expect(try await contexts(in: rich) == [all])
    #expect(try await contexts(in: poor) == [all])
    #expect(try await poor.exported() == rich.exported())
    #expect(try await poor.merge(lines: poorLines).isUnchanged)
  }

  /// The device says it only when it sends the measurement again.
  @Test func `is added later`() async throws {
    let store = try await store()
    let sample = Self.pressure([.cuffTooLoose])
    _ = try await store.write { try $0.insert(sample) }
    let identity = sample.identity
    #expect(try await store.write { try $0.addContext([.irregularPulse], to: identity) })
    #expect(try await contexts(in: store) == [[.irregularPulse, .cuffTooLoose]])
    #expect(try await store.write { try $0.addContext([.cuffTooLoose], to: identity) } == false)
    let unknown = SampleIdentity(text: "unknown")
    #expect(try await store.write { try $0.addContext([.cuffTooLoose], to: unknown) } == false)
  }
}
