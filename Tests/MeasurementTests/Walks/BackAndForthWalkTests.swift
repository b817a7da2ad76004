import Foundation
import Measurement
import Motion
import Testing

@testable import TestSupport

struct BackAndForthWalkTests {
  @Test(arguments: [[20, 20], [30, 25, 35], [16, 16, 16, 16]], 0..<4 as Range<UInt64>)
  func `the legs are told apart by the turns`(legs: [Int], seed: UInt64) throws {
    let walk = SyntheticWalk(
      legs: legs, turn: 1.5 + Double(seed), rate: [50, 100, 200, 100][Int(seed)], seed: seed)
    let result = try BackAndForthWalk.measure(walk.samples)
    let found = try #require(result.legs)
    #expect(found.count == legs.count)
    for (number, (leg, steps)) in zip(found, legs).enumerated() {
      #expect(leg.direction == (number % 2 == 0 ? .outbound : .back))
      #expect(abs(leg.walk.steps - steps) <= 2)
    }
    for (leg, end) in zip(found, walk.ends).dropLast() {
      #expect(abs(Double(leg.walk.start + leg.walk.duration) / 1e6 - end) < 0.3)
    }
    #expect(found.reduce(0) { $0 + $1.walk.steps } == result.walk.steps)
    #expect(result.quality.verdict == .good)
  }

  @Test
  func `without a gyroscope the walk is one`() throws {
    var walk = SyntheticWalk()
    walk.hasGyroscope = false
    let result = try BackAndForthWalk.measure(walk.samples)
    #expect(result.legs == nil)
    #expect(abs(result.walk.steps - 40) <= 2)
  }

  @Test
  func `a straight walk has one leg, whatever the pelvis does`() throws {
    let result = try BackAndForthWalk.measure(SyntheticWalk(legs: [40], pelvis: 80).samples)
    #expect(result.legs?.count == 1)
    #expect(result.legs?.first?.walk == result.walk)
  }

  @Test
  func `standing still is no walk`() {
    let still = (0..<2_000).map {
      MotionSample(
        time: Int64($0) * 10_000, acceleration: .g(0, 0, 1), angularRate: .g(0, 0, 0))
    }
    #expect(throws: WalkRefusal.noWalk) { try BackAndForthWalk.measure(still) }
  }
}
