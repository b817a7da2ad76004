import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct BackAndForthWalkTests {
  @Test(arguments: [[20, 20], [30, 25, 35], [16, 16, 16, 16]], Rounds.seeds(4, gate: 2))
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

struct HalfTurnTests {
  /// A sensor lying flat that turns by so many degrees in so many seconds, 5 s after the start.
  private func samples(_ angle: Double, in seconds: Double, rate: Double = 100) -> [MotionSample] {
    (0..<Int((10 + seconds) * rate)).map { index in
      let time = Double(index) / rate
      let isTurning = time >= 5 && time < 5 + seconds
      return MotionSample(
        time: Int64(time * 1e6), acceleration: .g(0, 0, 1),
        angularRate: .g(0, 0, isTurning ? angle / seconds / 1_000 : 0))
    }
  }

  @Test(arguments: [(180.0, 2.0), (-180, 2), (160, 5), (360, 4)])
  func `a turn back is one, either way round`(angle: Double, seconds: Double) throws {
    let turns = try #require(HalfTurn.find(in: samples(angle, in: seconds)))
    #expect(turns.count == 1)
    let turn = try #require(turns.first)
    #expect(abs(Double(turn.middle) / 1e6 - 5 - seconds / 2) < 0.05)
    #expect(abs(Double(turn.angle) / 1e3 - angle) < 8)
  }

  @Test(arguments: [(90.0, 1.5), (120, 2), (180, 20)])
  func `a corner and a slow drift are none`(angle: Double, seconds: Double) {
    #expect(HalfTurn.find(in: samples(angle, in: seconds)) == [])
  }

  @Test
  func `a sample without a rate leaves nothing to find`() {
    var samples = samples(180, in: 2)
    samples[700].angularRate = nil
    #expect(HalfTurn.find(in: samples) == nil)
    #expect(Heading(samples) == nil)
  }

  @Test
  func `the heading goes on beyond a whole turn and over lost samples`() throws {
    let whole = try #require(Heading(samples(720, in: 8)))
    #expect(abs((whole.angles.last ?? 0) - 720_000) < 1_000)
    let lossy = samples(720, in: 8).enumerated().filter { $0.offset % 5 != 0 }.map(\.element)
    #expect(abs((try #require(Heading(lossy)).angles.last ?? 0) - 720_000) < 3_000)
  }
}
