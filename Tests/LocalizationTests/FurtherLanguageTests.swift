import Care
import Foundation
import Localization
import Testing

/// A further language is one file, also one with a handful of texts.
@Suite struct FurtherLanguageTests {
  private let catalogue: LanguageCatalogue

  init() throws {
    catalogue = try LanguageCatalogue(
      LanguageCatalogue().languages + ["he", "pl"].map(Self.read))
  }

  private static func read(_ code: String) throws -> Language {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Languages/\(code).json")
    return try Language(code: code, json: Array(Data(contentsOf: file)))
  }

  private func language(_ code: String) throws -> Language {
    try #require(catalogue.language(code))
  }

  @Test(
    arguments: [
      ("pl", 1, "1 pytanie"), ("pl", 2, "2 pytania"), ("pl", 5, "5 pytań"), ("pl", 12, "12 pytań"),
      ("pl", 22, "22 pytania"), ("pl", 0, "0 pytań"),
      ("he", 1, "שאלה אחת"), ("he", 2, "שתי שאלות"), ("he", 3, "3 שאלות"),
    ])
  func `a count has the form of its plural category`(code: String, count: Int, text: String) throws
  {
    #expect(try language(code).text("today.questions", count: count) == text)
  }

  @Test(arguments: ["pl", "he"]) func `every text that a language lacks is English`(code: String)
    throws
  {
    let (further, english) = (try language(code), try language("en"))
    for key in english.texts.keys {
      #expect(further.optionalText(key) == further.texts[key] ?? english.texts[key], "\(key)")
    }
    #expect(further.title(of: .heartRate) == "Heart rate")
    // English forms go by the English rule: 2 is `few` in Polish and `two` in Hebrew.
    for count in [0, 1, 2, 5] {
      #expect(
        further.text("tray.more", count: count) == english.text("tray.more", count: count))
    }
    #expect(further.hasSection("today") && further.hasSection("tray") && !further.hasSection("tod"))
    #expect(further.text("no.such") == "⟦no.such⟧")
  }

  @Test func `a figure has the decimal sign of the language`() throws {
    let (english, polish) = (try language("en"), try language("pl"))
    let cases = [
      ("82.15 kg", "82,15 kg"), ("128/82 mmHg", "128/82 mmHg"),
      ("98.6–101.25 °F", "98,6–101,25 °F"), ("2026-11-08", "2026-11-08"), ("BWT-9", "BWT-9"),
      ("a - b", "a - b"), ("-", "-"),
      ("p. 5", "p. 5"), (".", "."), ("", ""), ("5.", "5."), ("1.2.3", "1,2,3"),
    ]
    for (figure, localized) in cases {
      #expect(polish.figure(figure) == localized)
      #expect(english.figure(figure) == figure)
    }
  }

  @Test func `a number below zero has a minus, not a hyphen`() throws {
    let (english, polish) = (try language("en"), try language("pl"))
    for (figure, text) in [
      ("-8°", "−8°"), ("-0.5 kg", "−0.5 kg"), ("-14–90°", "−14–90°"), ("12 (-3)", "12 (−3)"),
    ] {
      #expect(english.figure(figure) == text)
      #expect(polish.figure(figure) == text.replacing(".", with: ","))
    }
    #expect(english.figure("-12500").groupingDigits == "−12\u{202F}500")
    #expect("-12500 kg".groupingDigits == "-12\u{202F}500 kg")
  }

  @Test func `the direction of the text belongs to the language`() throws {
    #expect(try language("he").direction == "rtl")
    #expect(try language("pl").direction == "ltr")
    #expect(try language("zh-TW").direction == "ltr")
  }

  @Test(
    arguments: [
      ("en", "2026-11-02"), ("pl", "2026-11-02"), ("zh-Hant", "2026-11-01"), ("he", "2026-11-01"),
    ])
  func `a week begins on the first day of the language`(code: String, first: String) throws {
    let language = try language(code)
    let zone = try #require(TimeZone(iana: "Europe/Berlin"))
    let date = try #require(Date("2026-11-05T00:30", in: zone))
    let week = language.week(around: date, in: zone)
    #expect(week.lowerBound.day(in: zone) == first)
    #expect((week.upperBound - 1).timeIntervalSince(week.lowerBound) == 7 * 86_400 - 1)
    #expect(language.weekdays.sorted() == Array(1...7))
    #expect(language.week(around: week.lowerBound, in: zone) == week)
    #expect(language.week(around: week.upperBound - 1, in: zone) == week)
    // The clocks go forward in the week of 29 March: it has an hour less.
    let spring = language.week(around: try #require(Date("2026-03-29T12:00", in: zone)), in: zone)
    #expect(spring.upperBound.timeIntervalSince(spring.lowerBound) == 167 * 3_600)
  }

  @Test func `every language of the program states its properties`() throws {
    for language in try LanguageCatalogue().languages {
      #expect(["ltr", "rtl"].contains(language.direction), "\(language.code)")
      #expect(language.decimalSign.count == 1, "\(language.code)")
      #expect(Int(language.text("language.firstWeekday")) == language.firstWeekday)
    }
  }
}
