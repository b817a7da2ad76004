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

struct TimedUpAndGoRefusalTests {
  private let person = SyntheticTimedUpAndGo()

  /// The samples at which `isKept` says so of the seconds since the thigh first moved.
  private func samples(where isKept: (Double) -> Bool) -> [MotionSample] {
    person.samples().filter { isKept(Double($0.time - person.onset) / 1e6) }
  }

  @Test
  func `no samples are a refusal`() {
    #expect(throws: TimedUpAndGoRefusal.stream(.noSamples)) { try TimedUpAndGo.measure([]) }
    #expect(throws: TimedUpAndGoRefusal.stream(.noSamples)) {
      try TimedUpAndGo.measure([MotionSample(time: 0, acceleration: .g(0, 0, 1))])
    }
  }

  @Test
  func `a slow sensor is a refusal`() {
    #expect(throws: TimedUpAndGoRefusal.stream(.rateTooLow)) {
      try TimedUpAndGo.measure(SyntheticTimedUpAndGo(rate: 5).samples())
    }
  }

  @Test(arguments: [(0.79, 800), (3.99, 4_000)] as [(Double, Int64)])
  func `a silence in the middle is a refusal`(seconds: Double, milliseconds: Int64) {
    let broken = samples { $0 <= 3 || $0 > 3 + seconds }
    #expect(throws: TimedUpAndGoRefusal.dropout(milliseconds: milliseconds)) {
      try TimedUpAndGo.measure(broken)
    }
  }

  @Test
  func `a short silence is bridged`() throws {
    let whole = try TimedUpAndGo.measure(person.samples())
    let bridged = try TimedUpAndGo.measure(samples { $0 <= 3 || $0 > 3.3 })
    #expect(bridged.totalMicroseconds == whole.totalMicroseconds)
  }

  @Test
  func `sitting all the time is a refusal`() {
    #expect(throws: TimedUpAndGoRefusal.noWalk) {
      try TimedUpAndGo.measure(samples { $0 < 0 })
    }
  }

  @Test
  func `a walk without the chair before or after it is a refusal`() {
    #expect(throws: TimedUpAndGoRefusal.noStandUp) {
      try TimedUpAndGo.measure(samples { $0 > person.rise })
    }
    #expect(throws: TimedUpAndGoRefusal.noSitDown) {
      try TimedUpAndGo.measure(samples { $0 < person.moving - person.sink })
    }
  }

  @Test
  func `standing still does not make a chair`() {
    // Standing before and after, the thigh upright.
    #expect(throws: TimedUpAndGoRefusal.noStandUp) {
      try TimedUpAndGo.measure(SyntheticTimedUpAndGo(seat: 5).samples())
    }
  }

  @Test
  func `two tasks are for people to choose from`() {
    let first = person.samples()
    let second = first.map { $0.shifted(by: 60_000_000) }
    #expect(throws: TimedUpAndGoRefusal.severalTasks(count: 2)) {
      try TimedUpAndGo.measure(first + second)
    }
    let joined = first + first.map { $0.shifted(by: Int64(first.count) * 10_000) }
    #expect(throws: TimedUpAndGoRefusal.severalTasks(count: 2)) {
      try TimedUpAndGo.measure(joined)
    }
  }

  static let reasons: [(TimedUpAndGoRefusal, String)] = [
    (.stream(.noSamples), "noSamples"),
    (.stream(.rateTooLow), "rateTooLow"),
    (.dropout(milliseconds: 2_340), "dropout"), (.noWalk, "noWalk"),
    (.noStandUp, "noStandUp"), (.noSitDown, "noSitDown"),
    (.severalTasks(count: 3), "severalTasks"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code`(
    refusal: TimedUpAndGoRefusal, code: String
  ) {
    #expect(refusal.code == code)
  }
}

/// Motion outside of the task is no evidence: cut or added, the result stays as it is.
struct TimedUpAndGoInvarianceTests {
  private let person = SyntheticTimedUpAndGo(before: 12, after: 12, start: 1_234_567)

  /// So many seconds of lying still in one direction of `force`, from `time` on.
  private func stillness(
    _ seconds: Double, from time: Int64, force: Vector3, using generator: inout SeededGenerator
  ) -> [MotionSample] {
    (0..<Int64(seconds * 100)).map { index in
      let noise = Int32.random(in: -3_000...3_000, using: &generator)
      return MotionSample(
        time: time + index * 10_000,
        acceleration: Vector3(x: force.x + noise, y: force.y - noise, z: force.z + noise),
        angularRate: Vector3(x: noise / 10, y: 0, z: -noise / 10))
    }
  }

  @Test(arguments: Rounds.seeds(12, gate: 4))
  func `either end may be cut`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let from = person.onset - Int64.random(in: 1_500_000..<12_000_000, using: &generator)
    let to = person.rest + Int64.random(in: 1_500_000..<12_000_000, using: &generator)
    var cut = try TimedUpAndGo.measure(samples.filter { $0.time >= from && $0.time <= to })
    cut.quality = whole.quality
    #expect(cut == whole)
  }

  @Test(arguments: Rounds.seeds(12, gate: 4))
  func `either end may be padded with quiet`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let first = try #require(samples.first)
    let last = try #require(samples.last)
    // As it was, or put down in another way, as a telephone on a table.
    let isPutDown = seed % 2 == 1
    let (early, late) =
      isPutDown ? (Vector3.g(0, 0, 1), .g(1, 0, 0)) : (first.acceleration, last.acceleration)
    let seconds = Double.random(in: 1...60, using: &generator)
    let start = first.time - Int64(seconds * 100) * 10_000
    let before = stillness(seconds, from: start, force: early, using: &generator)
    let after = stillness(30, from: last.time + 10_000, force: late, using: &generator)
    var padded = try TimedUpAndGo.measure(before + samples + after)
    padded.quality = whole.quality
    #expect(padded == whole)
  }

  @Test
  func `silence outside of the task is no dropout`() throws {
    let samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    let early = samples.map { $0.shifted(by: -100_000_000) }.prefix(300)
    let late = samples.map { $0.shifted(by: 100_000_000) }.suffix(300)
    var result = try TimedUpAndGo.measure(early + samples + late)
    #expect(result.quality.gaps == 2)
    result.quality = whole.quality
    #expect(result == whole)
  }

  @Test
  func `fidgeting long before and long after is no part of it`() throws {
    var samples = person.samples()
    let whole = try TimedUpAndGo.measure(samples)
    for index in samples.indices {
      let isOutside =
        samples[index].time < person.onset - 3_000_000
        || samples[index].time > person.rest + 3_000_000
      guard isOutside, index / 100 % 3 == 0 else { continue }
      samples[index].acceleration.x += index % 14 < 7 ? 150_000 : -150_000
    }
    #expect(try TimedUpAndGo.measure(samples) == whole)
  }
}
