import Foundation
import TestSupport
import Testing

@testable import Hub

@Suite struct WeighingJudgeTests {
  /// What was learned is learned again only where the first weighing changes.
  @Test(arguments: [600, 8 * 3_600, 86_400])
  func theFirstWeighingStaysTheSame(seconds: Int) {
    var random = SeededGenerator(seed: 1)
    let starts = (0..<3_000).map { number in
      Date(timeIntervalSince1970: 1_700_000_000 + Double(number * seconds))
        + Double(Int.random(in: 0..<seconds, using: &random))
    }.sorted()
    let slack = WeighingJudge.slack
    let first = (0..<starts.count - slack).map { offset in
      starts[offset + WeighingJudge.beginning(of: Array(starts[offset..<offset + slack]))]
    }
    let changes = zip(first, first.dropFirst()).count { $0 != $1 }
    #expect(changes <= first.count / 64)
  }
}
