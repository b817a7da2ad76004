import CareStore
import Foundation
import Testing

@testable import Actions

@Suite struct UptimeTests {
  private static func time(_ started: Double, _ alive: Double) -> Uptime {
    Uptime(
      started: Date(timeIntervalSince1970: started * 3_600),
      alive: Date(timeIntervalSince1970: alive * 3_600))
  }

  @Test(
    arguments: [
      ([], []), ([(0, 5)], []), ([(0, 5), (5.2, 9)], []), ([(0, 5), (9, 12)], ["5–9"]),
      ([(0, 5), (9, 12), (20, 21)], ["5–9", "12–20"]),
      // Killed twice before it could look: one time without power.
      ([(0, 5), (9, 5), (10, 5), (11, 14), (20, 21)], ["5–11", "14–20"]),
      // Long ago.
      ([(-900, -800), (-700, 0)], []),
    ] as [([(Double, Double)], [String])])
  func `times without power are told apart`(times: [(Double, Double)], expected: [String]) {
    let offs = times.map { Self.time($0.0, $0.1) }.offs(since: Date(timeIntervalSince1970: 0))
    let texts = offs.map { off in
      [off.lowerBound, off.upperBound].map { "\(Int($0.timeIntervalSince1970 / 3_600))" }
        .joined(separator: "–")
    }
    #expect(texts == expected)
  }
}
