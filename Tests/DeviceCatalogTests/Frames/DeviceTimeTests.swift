import Care
import Testing

@testable import DeviceCatalog

/// The time offset of a glucose meter.
struct DeviceTimeTests {
  @Test(arguments: [
    ("2026-11-20T23:59:58", 1, "2026-11-21T00:00:58"),
    ("2028-03-01T00:00:00", -1, "2028-02-29T23:59:00"),
    ("9999-12-31T23:59:00", 1, "10000-01-01T00:00:00"),
    // A text that is no real date stays as sent: a store reads years of two bytes.
    ("65535-12-31T23:59:00", 30_000, "65535-12-31T23:59:00"),
    ("2026-13-20T00:00:00", 60, "2026-13-20T00:00:00"),
    ("0000-01-01T00:00:00", 60, "0000-01-01T00:00:00"),
  ])
  func `moves a real date`(sent: String, minutes: Int, moved: String) {
    let fields = sent.split { "-T:".contains($0) }.compactMap { Int($0) }
    let time = LocalDateTime(
      year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
      second: fields[5])
    #expect(time.adding(minutes: minutes).description == moved)
  }
}
