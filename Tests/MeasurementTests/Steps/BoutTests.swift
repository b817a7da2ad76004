import Testing

@testable import Measurement

struct BoutTests {
  /// Walks at two steps a second (12.5 samples of 40 ms) for so many frames of 0.2 s.
  private func walk(_ bout: inout Bout, frames: Range<Int>) -> [Step] {
    frames.flatMap { frame -> [Step] in
      bout.add(period: 800, around: Int64(frame) * 200_000)
      return bout.credit()
    }
  }

  @Test
  func `steps wait until they are a walk and then keep their times`() throws {
    var bout = Bout(tuning: .standard)
    let enough = GaitTuning.standard.shortestBout
    #expect(walk(&bout, frames: 0..<(enough - 2) * 5 / 2).isEmpty)
    let steps = walk(&bout, frames: (enough - 2) * 5 / 2..<200)
    #expect(abs(steps.count - 80) <= 1)
    #expect(steps.allSatisfy { $0.period == 500_000 })
    #expect(try #require(steps.first).time < 500_000)
    for (a, b) in zip(steps, steps.dropFirst()) { #expect(abs(b.time - a.time - 500_000) <= 1) }
  }

  @Test
  func `a step that waits too long for others is dropped`() {
    var bout = Bout(tuning: .standard)
    #expect(walk(&bout, frames: 0..<10).isEmpty)
    #expect(bout.waiting.count >= 3)
    #expect(walk(&bout, frames: 200..<203).isEmpty)
    #expect(bout.waiting.count <= 2)
  }
}
