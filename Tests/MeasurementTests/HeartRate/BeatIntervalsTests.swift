import Testing

@testable import Measurement

struct BeatIntervalsTests {
  /// Thirty beats of 800 ms with one interval, or two, put in at the tenth.
  private func beats(_ intervals: Int64...) -> BeatIntervals {
    let steady = [Int64](repeating: 800_000, count: 30)
    return BeatIntervals(Array(steady[..<10] + intervals + steady[10...]))
  }

  @Test(arguments: [641_000, 800_000, 959_000] as [Int64])
  func `what departs by less than a fifth is normal`(interval: Int64) {
    #expect(beats(interval).rejected == 0)
  }

  @Test(arguments: [0, 299_999, 400_000, 639_000, 961_000, 1_600_000, 2_000_001, .min, .max])
  func `what departs by more, or is no beat, is an artefact`(interval: Int64) {
    let beats = beats(interval)
    #expect(beats.rejected == 1)
    #expect(beats.normal[10] == nil)
  }

  @Test
  func `no difference is taken across an artefact`() {
    let beats = beats(500_000, 1_100_000)
    #expect(beats.rejected == 2)
    #expect(beats.accepted.count == 30)
    #expect(beats.successiveDifferences.count == 28)
  }

  @Test
  func `a rhythm that changes slowly keeps every beat`() {
    let slowing = (0..<200 as Range<Int64>).map { 500_000 + $0 * 5_000 }
    #expect(BeatIntervals(slowing).rejected == 0)
  }
}
