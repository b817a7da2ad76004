import Testing

@testable import Terminal

/// A line of comma-separated values, whose cells are others' words.
@Suite struct CSVLineTests {
  @Test(arguments: [
    ("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("-4.5", "-4.5"),
    ("=1+2", "'=1+2"), ("@a", "'@a"), ("\t=1", "'\t=1"), ("\r\n=1", "\"'\r\n=1\""),
    ("a\n=1", "\"a\n=1\""), ("a\r\n=1", "\"a\r\n=1\""), ("a\r=1", "\"a\r=1\""),
    ("=\u{308}1", "'=\u{308}1"), ("a\"\u{308},=1", "\"a\"\"\u{308},=1\""), ("", ""),
  ])
  func `no cell ends its row or is a formula`(cell: String, text: String) {
    // Equal byte by byte, not as Unicode has it.
    #expect(Array(CSVLine([cell]).text.utf8) == Array(text.utf8))
    #expect(Array(CSVLine(["a", cell]).text.utf8) == Array(("a," + text).utf8))
  }
}
