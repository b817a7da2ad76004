import Motion
import TestSupport
import Testing

@testable import Measurement

/// Real people's turns and rises, against what a video shows.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct WalkRecordingsTests {
  @Test
  func `half turns are found where people turn`() throws {
    var missed = 0
    var errors: [Double] = []
    for walk in try AnnotatedWalk.all() {
      let found = try #require(HalfTurn.find(in: walk.samples)).map { Double($0.middle) / 1e6 }
      for turn in walk.turns {
        let middle = (turn.lowerBound + turn.upperBound) / 2
        let nearest = found.map { abs($0 - middle) }.min() ?? .infinity
        if nearest > 1.5 { missed += 1 } else { errors.append(nearest) }
      }
    }
    errors.sort()
    #expect(errors.count > 300)
    #expect(missed <= 2)
    #expect(errors[errors.count / 2] < 0.12)
    #expect(errors[errors.count * 95 / 100] < 0.3)
  }

  @Test
  func `the rise is found where people rise`() throws {
    var errors: [Double] = []
    for walk in try AnnotatedWalk.all() {
      let before = walk.samples.filter {
        let time = Double($0.time) / 1e6
        return time > walk.firstMovement - 1 && time < walk.turns[0].lowerBound
      }
      let start = try StandFinder(ThighRise(before)).repetition(0).start
      errors.append(abs(Double(start) / 1e6 - walk.standStart))
    }
    errors.sort()
    #expect(errors.count > 150)
    #expect(errors[errors.count / 2] < 0.35)
    #expect(errors[errors.count * 9 / 10] < 0.6)
  }
}
