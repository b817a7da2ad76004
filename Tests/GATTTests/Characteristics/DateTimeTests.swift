import GATT
import TestSupport
import Testing

struct DateTimeTests {
  @Test
  func `seven bytes are a date and a time of day`() throws {
    let value = try DateTime(bytes("e607020e10293a"))
    #expect(
      value == DateTime(year: 2022, month: 2, day: 14, hour: 16, minute: 41, second: 58))
    #expect(value.description == "2022-02-14T16:41:58")
    #expect(value.isValid)
    #expect(value.encoded == bytes("e607020e10293a"))
  }

  @Test(
    arguments: [
      ("0000020e10293a", false), ("e607000e10293a", false), ("e607020010293a", false),
      ("00000000000000", false), ("e607020e000000", true),
    ])
  func `a zero in the date says that the device does not know it; midnight is known`(
    hex: String, isKnown: Bool
  ) throws {
    let value = try DateTime(bytes(hex))
    #expect(value.isKnown == isKnown)
    #expect(value.isValid == isKnown)
    #expect(value.encoded == bytes(hex))
  }

  @Test(
    arguments: [
      DateTime(year: 2026, month: 13, day: 1), DateTime(year: 2026, month: 4, day: 31),
      DateTime(year: 2026, month: 2, day: 29), DateTime(year: 1900, month: 2, day: 29),
      DateTime(year: 2026, month: 1, day: 32), DateTime(year: 2026, month: 1, day: 1, hour: 24),
      DateTime(year: 2026, month: 1, day: 1, minute: 60),
      DateTime(year: 2026, month: 1, day: 1, second: 60),
    ])
  func `an invalid date is stored as sent and reported as invalid`(value: DateTime) throws {
    #expect(value.isKnown)
    #expect(!value.isValid)
    #expect(try DateTime(value.encoded) == value)
  }

  @Test(
    arguments: [
      DateTime(year: 2024, month: 2, day: 29), DateTime(year: 2000, month: 2, day: 29),
      DateTime(year: 1970, month: 1, day: 4, hour: 16, minute: 11, second: 32),
      DateTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 59),
    ])
  func `leap days and a clock that has started over are dates`(value: DateTime) {
    #expect(value.isValid)
  }

  @Test
  func `a short or long date is refused as a whole`() {
    #expect(throws: GATTError.truncated(field: "date time", needed: 7, available: 6)) {
      try DateTime(bytes("e607020e1029"))
    }
  }

  @Test
  func `text pads what is short`() {
    #expect(DateTime(year: 0, month: 0, day: 7).description == "0000-00-07T00:00:00")
  }
}
