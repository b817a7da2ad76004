import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// Random sequences of operations on a store and on the simplest model of one.
struct SQLStoreModelTests {
  /// Whether `body` was not refused.
  private func accepted(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch is StoreError {
      return false
    }
  }

  private func sample(_ random: inout SeededGenerator) -> Sample {
    let start = midnight + TimeInterval(Int.random(in: 0..<200, using: &random))
    var sample = Sample.weight(
      Double(Int.random(in: 50...90, using: &random)),
      identity: "scale|\(Int.random(in: 0..<30, using: &random))",
      patient: [nil, "john", "jane"].randomElement(using: &random) ?? nil, at: start,
      end: start + TimeInterval(Int.random(in: 0..<3, using: &random) * 40))
    sample.quantity = Bool.random(using: &random) ? .bodyMass : .heartRate
    // Samples that arrive at one moment were measured together, and move together.
    sample.arrival = Date(
      microseconds: start.microseconds + Int64.random(in: 0..<1_000_000, using: &random))
    return sample
  }

  private func query(_ random: inout SeededGenerator) -> SampleQuery {
    let owners: [SampleQuery.Owner] = [.anyone, .patient("john"), .patient("jane"), .unassigned]
    let from = midnight + TimeInterval(Int.random(in: -10..<210, using: &random))
    return SampleQuery(
      owner: owners.randomElement(using: &random) ?? .anyone,
      quantity: Bool.random(using: &random) ? .bodyMass : nil,
      from: Bool.random(using: &random) ? from : nil,
      to: Bool.random(using: &random)
        ? from + TimeInterval(Int.random(in: 0..<90, using: &random)) : nil,
      limit: Bool.random(using: &random) ? Int.random(in: 0..<6, using: &random) : nil)
  }

  @Test(arguments: Rounds.seeds(20))
  func samples(_ seed: UInt64) async throws {
    let store = try SQLStore.example()
    try await store.write { writer in
      var random = SeededGenerator(seed: seed)
      var model = ModelStore()
      try writer.addJane()
      for _ in 0..<120 {
        let identity = SampleIdentity(text: "scale|\(Int.random(in: 0..<30, using: &random))")
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
          let sample = sample(&random)
          #expect(try writer.insert(sample) == model.insert(sample))
        case 4:
          let isAccepted = try accepted {
            _ = try writer.change(
              .sample(identity), .assign(patient: "john"), reason: nil, now: midnight)
          }
          #expect(isAccepted == model.assign(identity, to: "john"))
        case 5:
          let isAccepted = try accepted {
            _ = try writer.change(.sample(identity), .delete, reason: nil, now: midnight)
          }
          #expect(isAccepted == model.delete(identity))
        default:
          let query = query(&random)
          #expect(try writer.samples(query) == model.samples(query), "\(query)")
        }
      }
    }
  }

  @Test(arguments: Rounds.seeds(20))
  func outcomes(_ seed: UInt64) async throws {
    let store = try SQLStore.example()
    try await store.write { writer in
      var random = SeededGenerator(seed: seed)
      var model = ModelStore()
      _ = try writer.importPlan(.example(try .daily()), now: midnight)
      let uuid = try writer.taskVersions(patient: "john")[0].uuid
      let now = day(30)
      for _ in 0..<60 {
        let occurrence = Int.random(in: 0..<6, using: &random)
        let event = EventReference(taskUUID: uuid, occurrence: occurrence)
        let values = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
          OutcomeValue.typed(Double(Int.random(in: 0..<3, using: &random)))
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          #expect(
            try writer.setOutcome(values, of: event, now: now).outcome?.values == values)
          model.set(values, at: occurrence)
        case 1:
          let isAccepted = try accepted {
            _ = try writer.addOutcomes([(event, values)], now: now)
          }
          #expect(isAccepted == model.add(values, at: occurrence))
        default:
          let isAccepted = try accepted { _ = try writer.deleteOutcome(of: event, now: now) }
          #expect(isAccepted == model.deleteOutcome(at: occurrence))
        }
        let from = Int.random(in: 0..<6, using: &random)
        let events = try writer.events(
          patient: "john", task: nil, from: day(from), to: day(from + 3))
        #expect(events.map(\.occurrence.index) == Array(from..<from + 3))
        #expect(
          events.map { $0.outcome?.values } == (from..<from + 3).map { model.outcomes[$0] })
      }
    }
  }
}
