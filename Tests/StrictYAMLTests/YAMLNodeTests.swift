import StrictYAML
import Testing

@Suite struct YAMLNodeTests {
  private enum Colour: String, CaseIterable { case red, green }

  private func value(_ text: String) throws -> YAMLNode {
    try YAMLDocument.parse("v: \(text)\n", file: "f").pairs()[0].value
  }

  @Test(arguments: [("0", 0), ("-7", -7), ("0x2A37", 10_807), ("0XfF", 255), ("+3", 3)])
  func `reads integers`(text: String, expected: Int) throws {
    #expect(try value(text).integer() == expected)
  }

  @Test(arguments: ["1.0", "'1'", "0x", "0x-1", "0x+1", "1e3", "99999999999999999999", "eins"])
  func `refuses what is no integer`(text: String) throws {
    let node = try value(text)
    let shown = text.filter { $0 != "'" }
    #expect(throws: node.error("expected a whole number, found ‘\(shown)’")) {
      try node.integer()
    }
  }

  @Test func `refuses integers out of range`() throws {
    let node = try value("300")
    #expect(throws: node.error("300 is not between 0 and 255")) { try node.integer(in: 0...255) }
  }

  @Test(arguments: [("82", 82), ("-0.5", -0.5), ("1e-3", 0.001), (".5", 0.5), ("+2", 2)])
  func `reads numbers`(text: String, expected: Double) throws {
    #expect(try value(text).number() == expected)
  }

  @Test(arguments: ["inf", "nan", "0x10", "1,5", "'82'", "1e999", "82 kg"])
  func `refuses what is no number`(text: String) throws {
    let node = try value(text)
    #expect(throws: node.error("expected a number, found ‘\(text.filter { $0 != "'" })’")) {
      try node.number()
    }
  }

  @Test func `reads booleans`() throws {
    #expect(try value("true").boolean())
    #expect(try !value("false").boolean())
    let node = try value("yes")
    #expect(throws: node.error("expected true or false, found ‘yes’")) { try node.boolean() }
  }

  @Test func `reads choices`() throws {
    #expect(try value("green").choice(of: Colour.self) == .green)
    let node = try value("gren")
    #expect(
      throws: node.error(
        "‘gren’ is not one of red, green", meant: Spelling.Suggestion(["green"]))
    ) {
      try node.choice(of: Colour.self)
    }
  }

  @Test func `names the shape it found`() throws {
    let list = try value("[1]")
    #expect(throws: list.error("expected a mapping of keys to values, found a list")) {
      try list.mapping()
    }
    #expect(throws: list.error("expected a single value, found a list")) { try list.string() }
    let nothing = try value("")
    #expect(throws: nothing.error("expected a list, found nothing")) { try nothing.sequence() }
    let empty = try value("''")
    #expect(throws: empty.error("expected a text, found an empty one")) { try empty.string() }
  }

  @Test(arguments: [
    ("intervall", "interval"), ("dyas", "days"), ("Title", "title"), ("titel", "title"),
    ("uint", "unit"), ("hours", "hours"), ("colour", nil), ("", nil),
  ])
  func `suggests the nearest word`(word: String, expected: String?) {
    let known = ["title", "interval", "days", "unit", "hours", "activeTask"]
    #expect(Spelling.nearest(to: word, among: known) == expected)
  }
}
