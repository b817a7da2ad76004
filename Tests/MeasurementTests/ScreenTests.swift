import Measurement
import TestSupport
import Testing

struct TappingTests {
  /// Taps in turn on both buttons, from 12 345 ms on, at these times in milliseconds.
  private func trial(_ times: [Int64], by hand: Hand = .right) -> TapTrial {
    TapTrial(
      hand: hand,
      taps: times.enumerated().map { number, time in
        TapTrial.Tap(
          time: (12_345 + time) * 1_000, button: number.isMultiple(of: 2) ? .left : .right)
      })
  }

  private func refusal(
    _ trials: [TapTrial], duration: Int64 = 10_000_000, hand: Hand? = nil
  ) -> ScreenRefusal? {
    do {
      _ = try Tapping.measure(trials, duration: duration, hand: hand)
      return nil
    } catch {
      return error
    }
  }

  @Test func `taps are counted from the first one on, until the time is over`() throws {
    let times = (0..<80 as Range<Int64>).map { $0 * 150 }
    let result = try Tapping.measure([trial(times)], duration: 10_000_000)
    let right = try #require(result[.right])
    // 0, 150, …, 9 900 ms; the one at 10 s is late.
    #expect(right.taps == 67)
    #expect(right.duration == 9_900_000)
    #expect(right.meanInterval == 150_000)
    #expect(right.deviation == 0)
    #expect(right.outside == 0)
    #expect(result[.left] == nil)
    #expect(result.taps == 67)
  }

  @Test func `a tap beside the buttons starts the clock and is no tap`() throws {
    var taps = trial([0, 100, 300, 400, 9_990, 10_010]).taps
    taps[0].button = nil
    taps[3].button = nil
    let result = try Tapping.measure(
      [TapTrial(hand: .left, taps: taps)], duration: 10_000_000)
    let left = try #require(result[.left])
    #expect(left.taps == 3)
    #expect(left.outside == 2)
    #expect(left.duration == 9_890_000)
    // 200 and 9 690 ms.
    #expect(left.meanInterval == 4_945_000)
    #expect(left.deviation == 4_745_000)
  }

  @Test func `both hands are tested once`() throws {
    let result = try Tapping.measure([
      trial([0, 200], by: .left), trial([0, 100, 200], by: .right),
    ])
    #expect(result.taps == 5)
    #expect(result[.left]?.meanInterval == 200_000)
    #expect(refusal([trial([0, 1]), trial([0, 1])]) == .repeated(.right))
    #expect(refusal([trial([0, 1], by: .right)], hand: .left) == .otherHand(.right))
    #expect(refusal([trial([0, 1], by: .left)], hand: .left) == nil)
  }

  @Test func `what is no trial is refused`() {
    #expect(refusal([]) == .nothingPressed)
    #expect(refusal([trial([])]) == .tooFewTaps(.right, count: 0))
    #expect(refusal([trial([0])]) == .tooFewTaps(.right, count: 1))
    #expect(refusal([trial([0, 20_000])]) == .tooFewTaps(.right, count: 1))
    #expect(refusal([trial([0, 100, 99])]) == .disorder)
    #expect(refusal([trial([-20_000, 0])]) == .disorder)
    #expect(refusal([trial([0, 4_000_000])]) == .disorder)
    #expect(refusal([trial(Array(repeating: 0, count: 1_001))]) == .tooMany)
    #expect(refusal([trial(Array(repeating: 0, count: 1_000))]) == nil)
  }

  @Test(arguments: [(Int64.min, 5), (0, 5), (.max, 30)] as [(Int64, Int64)])
  func `a duration is clamped`(duration: Int64, seconds: Int64) throws {
    let times = (0..<40 as Range<Int64>).map { $0 * 1_000 }
    let result = try Tapping.measure([trial(times)], duration: duration)
    #expect(result.taps == Int(seconds))
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `nothing breaks on wild times`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let taps = (0..<200).map { _ in
      TapTrial.Tap(
        time: Int64(bitPattern: generator.next()) >> Int64(generator.next() % 64),
        button: TapTrial.Button.allCases.randomElement(using: &generator))
    }
    let sorted = taps.sorted { $0.time < $1.time }.filter {
      ScreenPerformance.times.contains($0.time)
    }
    _ = refusal([TapTrial(hand: .left, taps: taps)], duration: .max)
    _ = refusal([TapTrial(hand: .left, taps: sorted)], duration: .max)
  }
}

struct ReactionTimeTests {
  /// Attempts with these reactions in milliseconds; `nil` for one that was pressed too early.
  private func attempts(_ reactions: [Int64?]) -> [ReactionAttempt] {
    reactions.enumerated().map { number, reaction in
      let shown = Int64(number + 1) * 10_000_000
      return ReactionAttempt(
        shown: reaction == nil ? nil : shown, pressed: shown + (reaction ?? -1_000) * 1_000)
    }
  }

  private func refusal(_ attempts: [ReactionAttempt], count: Int = 3) -> ScreenRefusal? {
    do {
      _ = try ReactionTime.measure(attempts, count: count)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the median of the attempts that succeeded`() throws {
    let result = try ReactionTime.measure(
      attempts([310, nil, 99, 280, 3_001, 260, 900]), count: 4)
    #expect(result.reactions == [310_000, 280_000, 260_000, 900_000])
    #expect(result.failed == 3)
    #expect(result.median == 295_000)
    #expect(result.best == 260_000)
    #expect(result.worst == 900_000)
    let odd = try ReactionTime.measure(attempts([100, 3_000, 250]), count: 3)
    #expect(odd.median == 250_000)
    #expect(odd.failed == 0)
  }

  @Test func `further attempts do not count`() throws {
    let result = try ReactionTime.measure(attempts([200, 210, 220, nil, 190]), count: 3)
    #expect(result.reactions == [200_000, 210_000, 220_000])
    #expect(result.failed == 0)
  }

  @Test func `an attempt without a press failed`() throws {
    var all = attempts([200, 200, 200])
    all.insert(ReactionAttempt(shown: 12_000_000, pressed: nil), at: 1)
    all.insert(ReactionAttempt(shown: nil, pressed: nil), at: 0)
    #expect(try ReactionTime.measure(all, count: 3).failed == 2)
  }

  @Test func `what is no test is refused`() {
    #expect(refusal([]) == .nothingPressed)
    #expect(refusal(attempts([200, nil, 210])) == .tooFewAttempts(2, of: 3))
    #expect(refusal(attempts([200, 200, 200]).reversed()) == .disorder)
    #expect(refusal([ReactionAttempt(shown: -1, pressed: 0)]) == .disorder)
    #expect(refusal([ReactionAttempt(shown: 0, pressed: .max)]) == .disorder)
    #expect(refusal(attempts(Array(repeating: 200, count: 101))) == .tooMany)
    // At least three, at most twenty.
    #expect(refusal(attempts([200, 200]), count: .min) == .tooFewAttempts(2, of: 3))
    #expect(
      refusal(attempts(Array(repeating: 200, count: 19)), count: .max)
        == .tooFewAttempts(19, of: 20))
  }
}
