import Care
import TestSupport
import Testing

@testable import CareStore

@Suite("LocalDateTime as text")
struct LocalDateTimeTextTests {
  @Test(
    "What was written is read, also where it is no real date", arguments: 0..<100 as Range<UInt64>)
  func roundTrip(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &random) }
    let time = LocalDateTime(
      year: number(65_535), month: number(255), day: number(255), hour: number(255),
      minute: number(255), second: number(255))
    #expect(LocalDateTime(text: time.description) == time)
  }

  @Test(
    "Anything else is refused",
    arguments: [
      "", "T", "2026-11-02", "2026-11-02T10:00", "2026-11-02T10:00:00Z", "26-11-02T10:00:00",
      "2026-11-02T10:00:00T", "2026--11-02T10:00:00", "2026-11-02T10:00:x0",
    ])
  func refused(_ text: String) {
    #expect(LocalDateTime(text: text) == nil)
  }
}
