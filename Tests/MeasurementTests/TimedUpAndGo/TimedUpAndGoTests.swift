import Measurement
import Motion
import Testing

@testable import TestSupport

struct TimedUpAndGoTests {
  static let people = [
    SyntheticTimedUpAndGo(),
    SyntheticTimedUpAndGo(
      rise: 1.0, walkOut: 1.8, turn1: 0.9, walkBack: 1.7, turn2: 0.9, sink: 1.1),
    SyntheticTimedUpAndGo(rise: 2.2, walkOut: 6, turn1: 2.4, walkBack: 5.5, turn2: 2.2, sink: 2.5),
    SyntheticTimedUpAndGo(seat: 40),
  ]

  @Test(arguments: people)
  func `the task and its phases are timed`(person: SyntheticTimedUpAndGo) throws {
    let result = try TimedUpAndGo.measure(person.samples())
    // People are seen to begin 0.6 s before the thigh moves and to finish 0.4 s after it.
    #expect(abs(result.startTime - (person.onset - 600_000)) <= 300_000)
    #expect(abs(result.endTime - (person.rest + 400_000)) <= 300_000)
    #expect(abs(result.total - (person.moving + 1)) <= 0.5)
    #expect(abs(try #require(result.turn1) - person.turn1) <= 0.3)
    #expect(abs(try #require(result.turn2) - person.turn2) <= 0.3)
    #expect(abs(try #require(result.walkOut) - person.walkOut) <= 0.2 + person.rise / 3)
    #expect(abs(try #require(result.walkBack) - person.walkBack) <= 0.5)
    // From half way up half a second is allowed; who rises slowly stands a little later.
    #expect(abs(result.stand - person.rise - 0.6) <= 0.2 + person.rise / 3)
    #expect(abs(result.sit - person.sink - 0.4) <= 0.5)
    let fastest = 180 / (min(person.turn1, person.turn2) - 0.3)
    #expect(abs(try #require(result.peakTurnRate) / fastest - 0.95) <= 0.1)
    #expect(result.quality.verdict == .good)
  }

  @Test
  func `what stirs next to the task belongs to it`() throws {
    let person = SyntheticTimedUpAndGo(noise: 0.001)
    var samples = person.samples()
    let calm = try TimedUpAndGo.measure(samples)
    // A trunk that leans forward, and back again, rocks a lying thigh by a degree.
    for index in samples.indices {
      let time = samples[index].time
      let isLeaning =
        (person.onset - 800_000..<person.onset).contains(time)
        || (person.rest..<person.rest + 600_000).contains(time)
      if isLeaning { samples[index].acceleration.x += index / 12 % 2 == 0 ? 20_000 : -20_000 }
    }
    let leaning = try TimedUpAndGo.measure(samples)
    #expect((300_000...1_100_000).contains(calm.startTime - leaning.startTime))
    #expect((200_000...900_000).contains(leaning.endTime - calm.endTime))
  }

  @Test
  func `the phases add up to the total`() throws {
    let result = try TimedUpAndGo.measure(SyntheticTimedUpAndGo().samples())
    let walk = try #require(result.walk)
    let inner =
      walk.walkOutMicroseconds + walk.turn1Microseconds + walk.walkBackMicroseconds
      + walk.turn2Microseconds
    #expect(
      result.standMicroseconds + inner + result.sitMicroseconds == result.totalMicroseconds)
  }

  @Test
  func `who stands still on the way is still on the way`() throws {
    let person = SyntheticTimedUpAndGo(walkOut: 6, walkBack: 9, pause: 3)
    let result = try TimedUpAndGo.measure(person.samples())
    #expect(abs(result.total - (person.moving + 1)) <= 0.5)
    #expect(abs(try #require(result.walkBack) - person.walkBack) <= 0.5)
  }

  @Test
  func `an accelerometer alone gives the same total and no turns`() throws {
    let person = SyntheticTimedUpAndGo()
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let alone = try TimedUpAndGo.measure(samples.map { $0.shifted(by: 0, hasRate: false) })
    #expect(alone.totalMicroseconds == whole.totalMicroseconds)
    #expect(alone.standMicroseconds == whole.standMicroseconds)
    #expect(alone.walk == nil)
    #expect(alone.walkOut == nil)
    #expect(alone.peakTurnRate == nil)
    #expect(abs(alone.sit - person.sink - 0.4) <= 0.4)
  }

  @Test(arguments: 1..<13 as Range<UInt64>)
  func `the mounting changes nothing`(mounting: UInt64) throws {
    let plain = try TimedUpAndGo.measure(SyntheticTimedUpAndGo().samples())
    let turned = try TimedUpAndGo.measure(SyntheticTimedUpAndGo(mounting: mounting).samples())
    #expect(abs(turned.total - plain.total) <= 0.08)
    #expect(abs(try #require(turned.turn1) - (try #require(plain.turn1))) <= 0.08)
    #expect(abs(try #require(turned.turn2) - (try #require(plain.turn2))) <= 0.08)
  }

  @Test(arguments: [-5, 3, 20] as [Double])
  func `a gyroscope's bias changes nothing`(bias: Double) throws {
    let plain = try TimedUpAndGo.measure(SyntheticTimedUpAndGo().samples())
    let biased = try TimedUpAndGo.measure(SyntheticTimedUpAndGo(bias: bias).samples())
    #expect(abs(try #require(biased.turn1) - (try #require(plain.turn1))) <= 0.021)
    #expect(abs(try #require(biased.peakTurnRate) - (try #require(plain.peakTurnRate))) <= 0.5)
  }

  @Test(arguments: [25, 50, 200, 400] as [Double])
  func `the rate changes next to nothing`(rate: Double) throws {
    let plain = try TimedUpAndGo.measure(SyntheticTimedUpAndGo().samples())
    let other = try TimedUpAndGo.measure(SyntheticTimedUpAndGo(rate: rate).samples())
    #expect(abs(other.total - plain.total) <= 0.15)
    #expect(abs(try #require(other.turn1) - (try #require(plain.turn1))) <= 0.15)
  }

  @Test(arguments: [-9_000_000_000_000, -1_234_567, 7_001, 4_102_444_800_000_000] as [Int64])
  func `times are the samples' own`(start: Int64) throws {
    let plain = try TimedUpAndGo.measure(SyntheticTimedUpAndGo().samples())
    let later = try TimedUpAndGo.measure(SyntheticTimedUpAndGo(start: start).samples())
    #expect(abs(later.startTime - start - plain.startTime) <= 40_000)
    #expect(abs(later.totalMicroseconds - plain.totalMicroseconds) <= 40_000)
  }

  @Test(arguments: 0..<3 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<100_000 {
      samples.append(generator.wildSample(after: samples.last?.time ?? 0))
    }
    let result = Result { () throws(TimedUpAndGoRefusal) in try TimedUpAndGo.measure(samples) }
    if case .success(let task) = result { #expect(task.totalMicroseconds > 0) }
    // The same again from the very ends of time.
    for time in [Int64.min, Int64.max - 30_000_000] {
      let moved = SyntheticTimedUpAndGo().samples().map {
        MotionSample(
          time: time &+ $0.time, acceleration: $0.acceleration, angularRate: $0.angularRate)
      }
      #expect(abs(try TimedUpAndGo.measure(moved).total - 11.3) <= 0.5)
    }
  }
}
