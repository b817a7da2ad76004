import GATT
import TestSupport
import Testing

struct CurrentTimeTests {
  @Test
  func `a cuff that was set by hand and knows no weekday`() throws {
    let value = try CurrentTime(bytes("ea07060c143008000001"))
    #expect(
      value.dateTime == DateTime(year: 2026, month: 6, day: 12, hour: 20, minute: 48, second: 8))
    #expect(value.weekday == nil)
    #expect(value.fraction == 0)
    #expect(value.adjustReason == .manual)
    #expect(value.encoded == bytes("ea07060c143008000001"))
  }

  @Test
  func `the bytes that set a clock`() {
    let value = CurrentTime(
      dateTime: DateTime(year: 2026, month: 11, day: 20, hour: 7, minute: 9, second: 58),
      weekday: .friday, fraction: 128, adjustReason: [.externalReference, .daylightSaving])
    #expect(value.encoded == bytes("ea070b1407093a05800a"))
  }

  @Test
  func `weekdays are counted from Monday`() {
    #expect(CurrentTime.Weekday.monday.rawValue == 1)
    #expect(CurrentTime.Weekday.sunday.rawValue == 7)
    #expect(CurrentTime.Weekday.allCases.count == 7)
  }

  @Test
  func `a reserved weekday is unknown, and no reason to refuse the time`() throws {
    let value = try CurrentTime(bytes("ea07060c143008080000"))
    #expect(value.weekday == nil)
    #expect(value.dateTime.isValid)
    #expect(value.adjustReason.isEmpty)
  }

  @Test(
    arguments: [
      (0, "date time", 7), (6, "date time", 7), (7, "day of week", 1), (8, "fractions256", 1),
      (9, "adjust reason", 1),
    ])
  func `every shorter frame names the field that is missing`(count: Int, field: String, needed: Int)
  {
    let available = field == "date time" ? count : 0
    #expect(throws: GATTError.truncated(field: field, needed: needed, available: available)) {
      try CurrentTime(bytes("ea07060c143008000001").prefix(count))
    }
  }
}
