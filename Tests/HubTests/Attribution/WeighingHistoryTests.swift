import Actions
import Care
import Foundation
import TestSupport
import Testing

@testable import Hub

@Suite struct WeighingHistoryTests {
  private static let bound = "00:00:5E:00:53:02"

  /// Lessons are learned again only where the first weighing changes.
  @Test(arguments: [600, 8 * 3_600, 86_400])
  func `the first weighing stays the same`(seconds: Int) {
    var random = SeededGenerator(seed: 1)
    let starts = (0..<3_000).map { number in
      Date(timeIntervalSince1970: 1_700_000_000 + Double(number * seconds))
        + Double(Int.random(in: 0..<seconds, using: &random))
    }.sorted()
    let slack = WeighingHistory.slack
    let first = (0..<starts.count - slack).map { offset in
      starts[offset + WeighingHistory.beginning(of: Array(starts[offset..<offset + slack]))]
    }
    let changes = zip(first, first.dropFirst()).count { $0 != $1 }
    #expect(changes <= first.count / 64)
  }

  /// Five people weigh every day of a year, and a visitor once in ten days.
  @Test func `a year of five people counts`() async throws {
    let bench = try await Bench(Plans.couple("80 kg", "60 kg"))
    let scale = DeviceIdentity(address: DeviceID("00:00:5E:00:53:01"))
    let counted = try await bench.store.write { writer in
      for number in 0..<365 * 5 + 36 {
        let start = time("2026-01-01T07:00:00Z") + Double(number) * 16_900
        let reading = Reading(quantity: .bodyMass, value: 80, arrival: start, device: scale)
        _ = try writer.insert(Sample(reading: reading, start: start, end: start))
      }
      return try WeighingHistory(in: PlanSnapshot(writer, patient: nil), writer).entries.count
    }
    #expect(counted == 365 * 5 + 36)
  }

  /// Companions come with their weight, after it or before it; one scale is bound, and one person is
  /// no patient.
  @Test(arguments: Rounds.seeds(3, from: 1))
  func `what a transaction adds is what the next one reads`(seed: UInt64) async throws {
    let bench = try await Bench(
      "others: [{weight: 95 kg}]\n"
        + Plans.couple(
          "80 kg", "60 kg", devices: "  - {address: \"\(Self.bound)\", patient: mary}"))
    let owners = try await bench.store.write { writer in
      var random = SeededGenerator(seed: seed)
      var recorder = SampleRecorder(
        writer: writer, plan: try PlanSnapshot(writer, patient: nil),
        completions: CompletionTracker(), judge: WeighingJudge())
      for number in 0..<120 {
        let start = time("2026-01-01T07:00:00Z") + Double(number) * 30_000
        for batch in weighing(at: start, with: &random) {
          _ = try recorder.record(batch)
          guard let history = recorder.history else { continue }
          #expect(history.entries == (try WeighingHistory(in: recorder.plan, writer)).entries)
        }
      }
      return recorder.history?.entries.map { $0.sample.patient } ?? []
    }
    #expect(Set(owners) == ["john", "mary", nil])
    #expect(owners.count > 60)
  }

  /// A scale may send any number; what no person weighs is stored, and is no evidence.
  @Test(arguments: [1e127, -1e127, 0.001, 5_000])
  func `an absurd weight is no evidence`(kilograms: Double) async throws {
    let bench = try await Bench(Plans.couple("80 kg", "60 kg"))
    let scale = DeviceIdentity(address: DeviceID("00:00:5E:00:53:01"))
    @Sendable func weight(_ value: Double, _ minutes: Double) -> FindingBatch {
      let time = time("2026-01-01T07:00:00Z") + minutes * 60
      let reading = Reading(quantity: .bodyMass, value: value, arrival: time, device: scale)
      return FindingBatch(time: time, findings: [.reading(reading)])
    }
    // Before the history is read, and after that.
    for transaction in 0..<2 {
      let start = Double(transaction) * 100
      let weights = try await bench.store.write { writer in
        var recorder = SampleRecorder(
          writer: writer, plan: try PlanSnapshot(writer, patient: nil),
          completions: CompletionTracker(), judge: WeighingJudge())
        for batch in [
          weight(kilograms, start), weight(80, start + 10), weight(kilograms, start + 20),
          weight(60, start + 30),
        ] { _ = try recorder.record(batch) }
        return try #require(recorder.history).entries.map(\.sample.value)
      }
      #expect(weights == Array([80, 60, 80, 60].prefix(2 * (transaction + 1))))
    }
    let query = SampleQuery(quantity: .bodyMass, states: [.live, .notTaken])
    let stored = try await bench.store.read { try $0.samples(query) }
    #expect(stored.filter { $0.value == kilograms }.count == 4)
    #expect(stored.filter { $0.value == kilograms }.allSatisfy { $0.patient == nil })
  }

  /// One to three batches of a weight and its companions, in any order.
  private func weighing(
    at start: Date, with random: inout SeededGenerator
  ) -> [FindingBatch] {
    let address = Int.random(in: 0..<4, using: &random) == 0 ? Self.bound : "00:00:5E:00:53:01"
    let scale = DeviceIdentity(address: DeviceID(address))
    let person = Int.random(in: 0..<4, using: &random)
    let values: [(Quantity, Double)] = [
      (.bodyMass, [80, 60, 95, 70][person] + Double(Int.random(in: -9...9, using: &random)) / 10),
      (.impedance, [500, 600, 450, 550][person]),
      (.bodyFatPercentage, [20, 30, 25, 28][person]),
    ]
    var delay = 0.0
    var batches = [FindingBatch(time: start, findings: [])]
    for (quantity, value) in values.shuffled(using: &random).prefix(
      .random(in: 1...3, using: &random))
    {
      if Bool.random(using: &random) {
        delay += 10
        batches.append(FindingBatch(time: start + delay, findings: []))
      }
      batches[batches.count - 1].findings.append(
        .reading(
          Reading(
            quantity: quantity, value: value, arrival: start + delay, device: scale,
            raw: [UInt8(person)])))
    }
    return batches
  }
}
