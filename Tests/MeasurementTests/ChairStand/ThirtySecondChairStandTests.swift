import Measurement
import Motion
import Testing

@testable import TestSupport

struct ThirtySecondChairStandTests {
  @Test(arguments: [25.0, 50, 100], Rounds.seeds(6, gate: 2))
  func `every stand within the time counts`(rate: Double, seed: UInt64) throws {
    // 3 to 4 s a stand: the ninth, or an earlier one, is the last that is half up at 30 s.
    let pace = 0.4 + 0.2 * Double(seed)
    let person = SyntheticChairStand(
      stand: 0.3, sit: pace, turn: 65 + 6 * Double(seed), rate: rate, seed: seed)
    let result = try ThirtySecondChairStand.measure(person.samples(stands: 20))
    let halfUp = (0..<20).count { person.truth($0).start + person.rise / 2 < person.rest + 30 }
    #expect(result.count == halfUp)
    #expect(abs(Double(result.start) / 1e6 - person.rest) < 0.1)
    #expect(result.quality.verdict == .good)
  }

  /// Where in the rise the 30 s end, as a share of it, and whether the stand then counts.
  @Test(arguments: [(0.3, false), (0.58, true), (0.9, true)])
  func `more than half way up is a stand`(share: Double, counts: Bool) throws {
    let rise = 2.0
    // The seventh stand begins so that 30 s end within its rise.
    let sit = (30 - share * rise) / 6 - rise - 0.4 - 1.2
    let person = SyntheticChairStand(rise: rise, sit: sit)
    let samples = person.samples(stands: 7).filter { $0.time <= 33_000_000 }
    let result = try ThirtySecondChairStand.measure(samples, start: 3_000_000)
    #expect(result.count == (counts ? 7 : 6))
    #expect(result.start == 3_000_000)
  }

  @Test
  func `a half stand at the end is told from a whole one`() throws {
    let person = SyntheticChairStand(rise: 2, sit: (30 - 1.15) / 6 - 3.6)
    let samples = person.samples(stands: 7).filter { $0.time <= 33_000_000 }
    let result = try ThirtySecondChairStand.measure(samples, start: 3_000_000)
    #expect(result.endsWithHalfStand)
    #expect(result.repetitions.count == 6)
  }

  @Test
  func `a recording that ends early is a refusal`() {
    let person = SyntheticChairStand()
    let samples = person.samples(stands: 10).filter { $0.time < 25_000_000 }
    #expect(throws: ChairStandRefusal.tooShort(seconds: 22)) {
      try ThirtySecondChairStand.measure(samples, start: 2_500_000)
    }
    let error = #expect(throws: ChairStandRefusal.self) {
      try ThirtySecondChairStand.measure(samples)
    }
    #expect(error?.code == "tooShort")
  }

  @Test
  func `a person who never stands up is a refusal, not a zero`() {
    let still = (0..<4_000).map {
      MotionSample(time: Int64($0) * 10_000, acceleration: .g(0, 0, 1))
    }
    #expect(throws: ChairStandRefusal.noStand(degrees: 0)) {
      try ThirtySecondChairStand.measure(still)
    }
  }
}
