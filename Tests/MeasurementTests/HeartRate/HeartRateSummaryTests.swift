import Measurement
import Motion
import TestSupport
import Testing

struct HeartRateSummaryTests {
  private func samples(_ rates: [Int32]) -> [HeartRateSample] {
    rates.enumerated().map { HeartRateSample(time: Int64($0) * 5_000_000, rate: $1) }
  }

  @Test
  func `ends, extremes and mean are those of the readings`() throws {
    let rates = samples([80, 82, 84, 100, 120, 121, 122, 110, 104, 100])
    let summary = try #require(HeartRateSummary(rates, in: 0..<60_000_000))
    #expect(summary.first == 82)
    #expect(summary.last == 104)
    #expect(summary.highest == 121)
    #expect(summary.lowest == 82)
    #expect(summary.mean == 102)
  }

  @Test
  func `what is outside or implausible is passed over`() throws {
    let rates = samples([0, 80, 300, 80, 80, 80, 200])
    let summary = try #require(HeartRateSummary(rates, in: 0..<30_000_000))
    #expect(summary.highest == 80)
    #expect(summary.mean == 80)
  }

  @Test
  func `one or two readings are taken as they are`() throws {
    let summary = try #require(HeartRateSummary(samples([90, 100]), in: 0..<30_000_000))
    #expect(summary.lowest == 90)
    #expect(summary.highest == 100)
    #expect(summary.mean == 95)
  }

  @Test
  func `nothing heard is no summary`() {
    #expect(HeartRateSummary([], in: 0..<30_000_000) == nil)
    #expect(HeartRateSummary(samples([0, 260]), in: 0..<30_000_000) == nil)
  }
}
