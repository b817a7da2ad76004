import Measurement
import Motion
import Testing

@testable import TestSupport

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

  static let reasons: [(TimedUpAndGoRefusal, String, String)] = [
    (.stream(.noSamples), "noSamples", "no samples"),
    (.stream(.rateTooLow), "rateTooLow", "10 samples"),
    (.dropout(milliseconds: 2_340), "dropout", "2.3 s"), (.noWalk, "noWalk", "front pocket"),
    (.noStandUp, "noStandUp", "before it"), (.noSitDown, "noSitDown", "after the walk"),
    (.severalTasks(count: 3), "severalTasks", "3 tasks"),
  ]

  @Test(arguments: reasons)
  func `every refusal has a code and says what to do`(
    refusal: TimedUpAndGoRefusal, code: String, words: String
  ) {
    #expect(refusal.code == code)
    #expect(refusal.description.hasPrefix("no timed up and go: "))
    #expect(refusal.description.contains(words))
  }
}
