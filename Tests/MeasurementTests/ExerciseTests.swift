import Foundation
import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct ExerciseTests {
  private static let rule = RepetitionRule(minimumMillidegrees: 60_000, pause: 15_000_000)

  private func counted(
    _ samples: [MotionSample], _ rule: RepetitionRule = Self.rule
  ) -> RepetitionCounter {
    var counter = RepetitionCounter(rule: rule)
    for sample in samples { counter.add(sample) }
    return counter
  }

  /// Any mounting, rate, noise, bias and jitter, with and without a gyroscope: every repetition
  /// counts once, live and afterwards.
  @Test(arguments: [12.5, 25, 52, 100, 200], Rounds.seeds(6, gate: 2))
  func `every repetition counts once`(rate: Double, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(rate))
    var exercise = SyntheticExercise()
    exercise.seed = generator.next()
    exercise.rate = rate
    exercise.jitter = seed.isMultiple(of: 2) ? 0.1 : 0
    exercise.hasGyroscope = seed % 3 != 0
    exercise.bias = exercise.hasGyroscope ? Double.random(in: -1...1, using: &generator) : 0
    exercise.noise = Double.random(in: 0.002...0.02, using: &generator)
    exercise.out = Double.random(in: 1...3, using: &generator)
    exercise.back = Double.random(in: 1...3, using: &generator)
    exercise.hold = Double.random(in: 0...5, using: &generator)
    exercise.pause = Double.random(in: 0...4, using: &generator)
    let excursion = Double.random(in: 68...130, using: &generator)
    let count = Int.random(in: 5...12, using: &generator)
    exercise.sets = [[Double](repeating: excursion, count: count)]
    let samples = exercise.samples()
    let result = try Exercise.measure(samples, rule: Self.rule)
    #expect(result.repetitions == count)
    #expect(result.sets.count == 1)
    #expect(result.partialRepetitions == 0)
    #expect(abs(Double(result.meanRangeMillidegrees) / 1e3 - excursion) < 3)
    #expect(abs(Double(result.duration) / 1e6 - exercise.duration) < 1)
    let period = exercise.out + exercise.hold + exercise.back + exercise.pause
    let tempo = Double(try #require(result.tempo)) / 1e6
    #expect(abs(tempo - period) < 0.05)
    #expect(result.rest == nil)
    let live = counted(samples)
    #expect(live.repetitions == count)
    #expect(live.partialRepetitions == 0)
    #expect(live.excursionMillidegrees < 12_000)
  }

  @Test(arguments: Rounds.seeds(10, gate: 2))
  func `sets and partial repetitions are told apart`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var exercise = SyntheticExercise()
    exercise.seed = seed
    exercise.hasGyroscope = seed.isMultiple(of: 2)
    exercise.rate = [25, 50, 100][Int(seed % 3)]
    exercise.rest = Double.random(in: 20...60, using: &generator)
    exercise.sets = (0..<3).map { _ in
      // The first of a set is whole, so that the set begins with it.
      [75]
        + (0..<Int.random(in: 4...9, using: &generator)).map { _ in
          Int.random(in: 0..<4, using: &generator) == 0
            ? Double.random(in: 25...52, using: &generator)
            : Double.random(in: 68...110, using: &generator)
        } + [80]
    }
    let result = try Exercise.measure(exercise.samples(), rule: Self.rule)
    #expect(result.sets.map(\.repetitions) == exercise.sets.map { $0.count { $0 > 60 } })
    #expect(result.partialRepetitions == exercise.sets.joined().count { $0 < 60 })
    let whole = exercise.sets.joined().filter { $0 > 60 }
    let mean = whole.reduce(0, +) / Double(whole.count)
    let largest = whole.max() ?? 0
    let rest = Double(try #require(result.rest)) / 1e6
    #expect(abs(Double(result.meanRangeMillidegrees) / 1e3 - mean) < 4)
    #expect(abs(Double(result.largestRangeMillidegrees) / 1e3 - largest) < 4)
    #expect(abs(rest - exercise.rest - exercise.pause) < 1.5)
    let live = counted(exercise.samples())
    #expect(live.sets.map(\.repetitions) == result.sets.map(\.repetitions))
    #expect(live.partialRepetitions == result.partialRepetitions)
  }

  /// A rest of 30 s asks for 15 s without a movement; whoever pauses for 10 s goes on.
  @Test(arguments: [(5.0, 1), (13, 1), (18, 2), (120, 2)])
  func `a pause ends a set`(rest: Double, sets: Int) throws {
    var exercise = SyntheticExercise()
    exercise.sets = [[70, 70, 70], [70, 70]]
    exercise.rest = rest
    let result = try Exercise.measure(exercise.samples(), rule: Self.rule)
    #expect(result.sets.count == sets)
    #expect(result.repetitions == 5)
  }

  @Test(arguments: [(58.0, 0), (62, 6)])
  func `the minimum decides`(excursion: Double, count: Int) {
    var exercise = SyntheticExercise()
    exercise.noise = 0.001
    exercise.sets = [[Double](repeating: excursion, count: 6)]
    let live = counted(exercise.samples())
    #expect(live.repetitions == count)
    #expect(live.partialRepetitions == 6 - count)
  }

  /// The posture shifts by 3° each time: 45° in the end, most of the excursion.
  ///
  /// The integers are the same on every machine.
  @Test(arguments: [(3.0, largest: 70_027, end: 62_270_000), (-3, 70_030, 62_370_000)])
  func `a shifting posture changes nothing`(shift: Double, largest: Int64, end: Int64) throws {
    var exercise = SyntheticExercise()
    exercise.shift = shift
    exercise.sets = [[Double](repeating: 70, count: 15)]
    let result = try Exercise.measure(exercise.samples(), rule: Self.rule)
    #expect(result.repetitions == 15)
    #expect(result.partialRepetitions == 0)
    #expect(result.meanRangeMillidegrees == 70_005)
    #expect(result.largestRangeMillidegrees == largest)
    let set = try #require(result.sets.first)
    #expect([set.start, set.lastStart, set.end] == [3_310_000, 59_310_000, end])
    let live = try #require(counted(exercise.samples()).sets.first)
    #expect(live.repetitions == 15)
    #expect([live.start, live.lastStart, live.end] == [3_310_000, 59_310_000, end])
  }
}
