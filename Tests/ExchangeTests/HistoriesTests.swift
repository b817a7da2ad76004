import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore
@testable import Exchange

/// Whatever happens to boxes and centres and to what they send each other, in the end the centre has
/// everything, each box has what is of its people, and nothing travels any more.
struct HistoriesTests {
  /// Steps of one kind of history: of some faults, never of all.
  static func history(_ random: inout SeededGenerator, _ length: Int) -> [Step] {
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let weights: [(String, Int)] = [
      ("write", 340), ("exchange", 400), ("erase", 30), ("backUp", 80), ("restore", 50),
      ("clone", 12), ("prune", 50), ("bind", 20), ("unbind", 10), ("other", 12), ("replace", 12),
      ("late", 40), ("answer", 30),
    ]
    let on = Set(
      weights.map(\.0).filter { $0 == "write" || $0 == "exchange" || pick(10) < 6 })
    let total = weights.reduce(0) { $0 + $1.1 }
    let steps = [1, 2, 3, 5, 9, 60, 60]
    let people = [0, 0, 0, 1, 2]
    let whats: [Step.What] = [
      .note, .note, .note, .sample, .sample, .sample, .hour, .assignment, .change, .change, .change,
    ]
    return (0..<length).map { _ in
      var place = pick(total)
      var kind = "write"
      for (name, weight) in weights {
        if place < weight {
          kind = name
          break
        }
        place -= weight
      }
      if !on.contains(kind) { kind = pick(2) == 0 ? "exchange" : "write" }
      let box = pick(6)
      let who: Step.Who = pick(6) == 0 ? .centre : .box(box)
      let person = people[pick(5)]
      switch kind {
      case "exchange":
        let fault = Step.Fault.allCases[max(0, pick(10) - 3)]
        return .exchange(box, requests: steps[pick(7)], fault)
      case "erase": return .erase(who, person: person)
      case "backUp": return .backUp(pick(2) == 0 ? .centre : who)
      case "restore": return .restore(pick(2) == 0 ? .centre : who, pick(2))
      case "clone": return .clone(box)
      case "prune": return .prune(box)
      case "bind": return .bind(box, person: pick(3))
      case "unbind": return .unbind(box, person: pick(3))
      case "other": return .otherCentre(box)
      case "replace": return .replace(box)
      case "late": return .arriveLate(pick(6))
      case "answer": return .answerLate(pick(6))
      default:
        let what = pick(20) == 0 ? .long : whats[pick(whats.count)]
        return .write(who, what, person: person, choice: pick(30))
      }
    }
  }

  static func play(_ steps: [Step], seed: UInt64 = 1, log: Bool = false) async throws -> Town {
    let town = try await Town(seed: seed)
    if log { town.log = [] }
    for step in steps { try await town.perform(step) }
    try await town.finish()
    return town
  }

  /// The shortest part of a history that still goes wrong.
  static func shrunk(_ steps: [Step]) async throws -> [Step] {
    func fails(_ steps: [Step]) async -> Bool {
      guard let town = try? await play(steps) else { return true }
      return !town.findings.isEmpty
    }
    var steps = steps
    var size = max(1, steps.count / 2)
    while true {
      var (index, isCut) = (0, false)
      while index < steps.count {
        let shorter = Array(steps[..<index] + steps[min(index + size, steps.count)...])
        if await fails(shorter) { (steps, isCut) = (shorter, true) } else { index += size }
      }
      if size == 1, !isCut { return steps }
      if !isCut { size = max(1, size / 2) }
    }
  }

  @Test(arguments: Rounds.seeds(2000, gate: 24, from: 1000))
  func `nothing is lost, nothing erased comes back, all comes to rest`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let length = [8, 15, 25, 50][Int(random.next() % 4)]
    let steps = Self.history(&random, length)
    try await Self.check(steps, seed)
  }

  @Test(arguments: Rounds.seeds(500, gate: 8, from: 9000))
  func `many restorations and copies lose nothing that is not set back`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await Self.check(Self.storm(&random, 40), seed)
  }

  /// A history with many restorations and copies.
  private static func storm(_ random: inout SeededGenerator, _ length: Int) -> [Step] {
    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    let whats: [Step.What] = [.note, .note, .note, .sample, .assignment, .change, .change]
    return (0..<length).map { _ in
      let box = pick(6)
      let who: Step.Who = pick(3) == 0 ? .centre : .box(box)
      switch pick(140) {
      case 0..<40:
        return .exchange(
          box, requests: [2, 3, 5, 9, 60, 60][pick(6)], Step.Fault.allCases[max(0, pick(10) - 3)])
      case 40..<52: return .backUp(who)
      case 52..<64: return .restore(who, pick(2))
      case 64..<67: return .clone(box)
      case 67..<73: return .prune(box)
      case 73..<75: return .erase(who, person: [0, 1, 2][pick(3)])
      case 75..<80: return .arriveLate(pick(6))
      case 80..<82: return .otherCentre(box)
      case 82..<83: return .bind(box, person: pick(3))
      default:
        return .write(who, whats[pick(7)], person: [0, 0, 0, 1, 2][pick(5)], choice: pick(30))
      }
    }
  }

  private static func check(_ steps: [Step], _ seed: UInt64) async throws {
    let town: Town
    do {
      town = try await play(steps)
    } catch {
      Issue.record("seed \(seed): \(error) \(try await shrunk(steps))")
      return
    }
    guard !town.findings.isEmpty else { return }
    let short = try await shrunk(steps)
    let again = try? await play(short, log: true)
    Issue.record(
      "seed \(seed): \(short)\n\(again?.findings.prefix(4).joined(separator: "\n") ?? "")\n\(again?.log?.joined(separator: "\n") ?? "")"
    )
  }
}
