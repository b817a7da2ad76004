import TestSupport
import Testing

@testable import DeviceCatalog

struct BytePatternTests {
  @Test(arguments: [
    ("55 61", "5561", true), ("55 61", "556100", true), ("55 61", "55", false),
    ("55 ?? 0?", "55ff0a", true), ("55 ?? 0?", "55ff1a", false), ("?5", "f5", true),
    ("5?", "45", false), ("??", "", false),
  ])
  func `matches the beginning`(pattern: String, data: String, isMatch: Bool) throws {
    #expect(try #require(BytePattern(pattern)).matches(bytes(data)) == isMatch)
  }

  @Test(arguments: ["", "5", "555", "5g", "0x55", "５５", String(repeating: "0", count: 130)])
  func refuses(text: String) {
    #expect(BytePattern(text) == nil)
  }

  @Test(arguments: [
    ("55 ??", "?? 61", true), ("5?", "?5", true), ("55", "56", false), ("55 61", "55", true),
    ("5? 0?", "5f f0", false),
  ])
  func `knows compatible patterns`(a: String, b: String, isCompatible: Bool) throws {
    let (a, b) = (try #require(BytePattern(a)), try #require(BytePattern(b)))
    #expect(a.isCompatible(with: b) == isCompatible)
    #expect(b.isCompatible(with: a) == isCompatible)
  }

  @Test func `is described as written`() throws {
    #expect(try #require(BytePattern("55??0F A?")).description == "55 ?? 0f a?")
    #expect(try #require(BytePattern("55??0F A?")).fixedNibbles == 5)
  }
}
