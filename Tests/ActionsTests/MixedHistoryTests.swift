import Access
import Care
import CareStore
import Foundation
import Interchange
import Plans
import TestSupport
import Testing

@testable import Actions

/// A year of two people and their guests in one scale's export, with ground truth.
///
/// Drawn as the households of `measured-bench households`: weights of N(76, 14) kg, which drift by at most
/// 0.15 kg a week and vary by 0.6 kg from day to day; each person weighs on seven days of ten, and one
/// weighing of fifty is a guest's.
private struct MixedYear {
  var stated: [Double]
  var csv: String
  /// Whose each weighing is, by its time; a guest's is nobody's.
  var owners: [Date: String?] = [:]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func uniform(_ range: ClosedRange<Double>) -> Double {
      Double.random(in: range, using: &random)
    }
    func normal(_ mean: Double, _ deviation: Double, within range: ClosedRange<Double>) -> Double {
      while true {
        let radius = (-2 * log(max(uniform(0...1), 1e-300))).squareRoot()
        let draw = mean + deviation * radius * cos(2 * .pi * uniform(0...1))
        if range.contains(draw) { return draw }
      }
    }
    var levels = (0..<2).map { _ in normal(76, 14, within: 45...130) }
    stated = levels.map { ($0 * 10).rounded() / 10 }
    var drifts = [0.0, 0.0]
    var lines = ["DATE,TIME,WEIGHT"]
    // Monday 2025-01-06 in UTC.
    let first = Date(timeIntervalSince1970: 1_736_121_600)
    for day in 0..<365 {
      if day % 56 == 0 { drifts = drifts.map { _ in uniform(-0.15...0.15) / 7 } }
      for index in levels.indices {
        levels[index] = min(max(levels[index] + drifts[index], 40), 140)
      }
      var minute = 390
      for person in [0, 1].shuffled(using: &random) where uniform(0...1) < 0.7 {
        for isGuest in [false, true] where !isGuest || uniform(0...1) < 0.02 / 0.98 {
          minute += 1 + Int(saturating: uniform(0...40))
          let weight =
            isGuest
            ? normal(70, 18, within: 10...180) : normal(levels[person], 0.6, within: 10...180)
          let time = first + Double(day) * 86_400 + Double(minute) * 60
          let text = time.rfc3339(in: .gmt)
          let shown = (weight * 20).rounded() / 20
          lines.append("\(text.prefix(10)),\(text.dropFirst(11).prefix(8)),\(shown)")
          owners[time] = .some(isGuest ? nil : "p\(person)")
        }
      }
    }
    csv = lines.joined(separator: "\n") + "\n"
  }
}

/// Whose the weighings of a mixed export are, by evidence.
@Suite struct MixedHistoryTests {
  /// Imports a year.
  ///
  /// - Returns: How many weighings there are, how many the people have, how many went to the wrong
  ///   one, and how many of their own wait.
  private func outcome(
    seed: UInt64
  ) async throws -> (count: Int, own: Int, wrong: Int, waiting: Int) {
    let year = MixedYear(seed: seed)
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let people = year.stated.enumerated().map {
      "  - {id: p\($0), name: {given: P\($0)}, expects: {bodyMass: \($1) kg}}\n"
    }
    let plan = try PlanFile.parse(
      "timeZone: UTC\npatients:\n" + people.joined(), file: "plan.yaml", activeTasks: [])
    let begin = Date(timeIntervalSince1970: 1_735_700_000)
    _ = try await store.write { try $0.importPlan(plan, now: begin) }
    let file = try HistoryFile(
      MemoryBytes(Array(year.csv.utf8), name: "file"),
      columns: ["date=1", "time=2", "weight=3:kg"].map { try HistoryColumn($0) }, copy: nil)
    let report = try await HistoryTransfer().run(
      file, in: store, by: .owner, now: { begin + 500 * 86_400 })
    #expect(report?.result.new == year.owners.count)
    let samples = try await store.read { try $0.samples(SampleQuery(quantity: .bodyMass)) }
    var result = (count: samples.count, own: 0, wrong: 0, waiting: 0)
    for sample in samples {
      let owner = try #require(year.owners[sample.start])
      if owner != nil { result.own += 1 }
      if let patient = sample.patient {
        result.wrong += patient == owner ? 0 : 1
      } else {
        result.waiting += owner == nil ? 0 : 1
      }
    }
    return result
  }

  /// The need of a live scale's two patients, before any answer: at most 0.2 % wrong, 28 % waiting.
  @Test func `two people in one export are told apart as on a live scale`() async throws {
    var sum = (count: 0, own: 0, wrong: 0, waiting: 0)
    for seed in Rounds.seeds(100, gate: 3, from: 500) {
      let one = try await outcome(seed: seed)
      sum = (
        sum.count + one.count, sum.own + one.own, sum.wrong + one.wrong, sum.waiting + one.waiting
      )
    }
    let wrong = 100 * Double(sum.wrong) / Double(sum.count)
    let waiting = 100 * Double(sum.waiting) / Double(sum.own)
    #expect(wrong <= 0.2, "\(wrong) % of \(sum.count) wrong, \(waiting) % waiting")
    #expect(waiting <= 28, "\(wrong) % of \(sum.count) wrong, \(waiting) % waiting")
  }
}
