import Motion
import Testing

@testable @_spi(Tuning) import Measurement

struct BoutCountTests {
  /// Walks at two steps a second (12.5 samples of 40 ms) for so many frames of 0.32 s.
  private func walk(_ bout: inout BoutCount, frames: Range<Int>) -> [Step] {
    var log = StepLog()
    for frame in frames {
      bout.add(period: 800, around: Int64(frame) * 320_000)
      bout.credit(to: &log)
    }
    return log.steps
  }

  @Test
  func `steps wait until they are a walk and then keep their times`() throws {
    var bout = BoutCount(tuning: .standard)
    let enough = GaitTuning.standard.shortestBout
    let early = (enough - 2) * 25 / 16
    #expect(walk(&bout, frames: 0..<early).isEmpty)
    #expect(bout.bout == nil)
    let steps = walk(&bout, frames: early..<125)
    #expect(abs(steps.count - 80) <= 1)
    #expect(steps.allSatisfy { $0.period == 500_000 })
    #expect(try #require(steps.first).time < 500_000)
    for (a, b) in zip(steps, steps.dropFirst()) { #expect(abs(b.time - a.time - 500_000) <= 1) }
    let whole = try #require(bout.bout)
    #expect(whole.steps == steps.count)
    #expect(whole.begin == steps[0].time - 250_000)
    #expect(whole.end == steps[steps.count - 1].time + 250_000)
    #expect(whole.cadence == 120)
  }

  @Test
  func `a step that waits too long for others is dropped`() {
    var bout = BoutCount(tuning: .standard)
    #expect(walk(&bout, frames: 0..<7).isEmpty)
    #expect(bout.waiting.count >= 3)
    #expect(walk(&bout, frames: 100..<102).isEmpty)
    #expect(bout.waiting.count <= 2)
  }

  /// Movements of frames in a walk, and the steps that they hold at two a second: 0.64 a frame.
  @Test(
    arguments: [
      ("a turn between steady steps", [.slack, .slack, .slack, .slack], true, 16),
      ("a slack end", [.slack, .slack, .slack, .slack], false, 13),
      ("a stop after slack steps", [.slack, .slack, .still, .still], true, 13),
    ] as [(String, [Movement], Bool, Int)])
  func `slack steps are taken if the walk goes on`(
    name: String, middle: [Movement], goesOn: Bool, steps: Int
  ) {
    var bout = BoutCount(tuning: .standard)
    let before = [Movement](repeating: .steady, count: goesOn ? 10 : 20)
    let after = [Movement](repeating: .steady, count: goesOn ? 10 : 0)
    for (frame, movement) in (before + middle + after).enumerated() {
      bout.add(period: 800, around: Int64(frame) * 320_000, movement: movement)
    }
    #expect(abs(bout.waiting.count - steps) <= 1)
  }

  @Test
  func `slack movement before the first steady step is none`() {
    var bout = BoutCount(tuning: .standard)
    for frame in 0..<20 as Range<Int64> {
      bout.add(period: 800, around: frame * 320_000, movement: .slack)
    }
    bout.add(period: 800, around: 6_400_000)
    #expect(bout.waiting.count <= 1)
  }
}
