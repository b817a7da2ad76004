import Testing

@testable import DeviceCatalog

struct RatioTests {
  @Test(arguments: [
    ("0.005", 14_490 as Int64, 72.45), ("1/200", 14_490, 72.45), ("1", -3, -3.0),
    ("0.01", 13_600, 136.0), ("-0.5", 3, -1.5), ("1/1024", 853, 0.8330078125),
    ("0.0025", 65_534, 163.835),
  ])
  func `rounds once`(text: String, count: Int64, value: Double) throws {
    #expect(try #require(Ratio(text)).of(count) == value)
  }

  @Test(arguments: [
    "", "-", ".5", "5.", "1e3", "0x10", "1/0", "1/-2", "1/2/3", "1.5/2", "1/", "+1",
    "1234567890123", "0.1234567890123", "1,5",
  ])
  func refuses(text: String) {
    #expect(Ratio(text) == nil)
  }

  static let scaled: [(text: String, count: Int64, value: Int32?)] = [
    ("1/1024", 1014, 990_234), ("1/1024", -12, -11_719), ("1/1024", -6, -5859),
    ("0.001", -12, -12_000), ("1/2", 1, 500_000), ("999999999999", 1, nil),
    ("999999999999", .max, nil), ("1", .min, nil),
  ]

  @Test(arguments: scaled)
  func `scales into integers`(text: String, count: Int64, value: Int32?) throws {
    #expect(try #require(Ratio(text)).scaled(count, by: 1_000_000) == value)
  }

  @Test(arguments: [(1 as Int64, 1 as Int32), (-1, -1), (3, 2), (-3, -2), (0, 0)])
  func `rounds halves away from zero`(count: Int64, value: Int32) throws {
    #expect(try #require(Ratio("1/2")).scaled(count, by: 1) == value)
  }
}
