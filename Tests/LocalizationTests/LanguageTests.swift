import Care
import Foundation
import Localization
import Testing

@Suite struct LanguageTests {
  @Test func `all languages have the same keys and placeholders`() throws {
    let catalogue = try LanguageCatalogue()
    let english = try #require(catalogue.language("en"))
    for language in try LanguageCatalogue().languages {
      #expect(Set(language.texts.keys) == Set(english.texts.keys))
      for (key, text) in language.texts {
        var names = Language.placeholders(in: text)
        var expected = Language.placeholders(in: english.texts[key] ?? "")
        // The word for one need not give the number.
        if key.hasSuffix(".one") {
          (names, expected) = (names.union(["count"]), expected.union(["count"]))
        }
        #expect(names == expected, "\(language.code) \(key)")
        #expect(!text.trimmingCharacters(in: .whitespaces).isEmpty, "\(language.code) \(key)")
        #expect(!text.contains("!") && !text.contains("！"), "\(language.code) \(key)")
      }
    }
  }

  @Test func `every quantity has a title in every language`() throws {
    for language in try LanguageCatalogue().languages {
      for quantity in Quantity.all {
        #expect(
          language.texts["quantity." + quantity.rawValue] != nil,
          "\(language.code) \(quantity.rawValue)")
      }
    }
    let english = try #require(LanguageCatalogue().language("en"))
    for quantity in Quantity.all { #expect(english.title(of: quantity) == quantity.title) }
    // A list of quantities has no two that look the same.
    for language in try LanguageCatalogue().languages {
      let titles = Quantity.all.map { language.title(of: $0) }
      #expect(Set(titles).count == titles.count, "\(language.code)")
    }
  }

  @Test func `a value is never read as a text`() throws {
    let words = try #require(LanguageCatalogue().language("en"))
    #expect(
      words.text("today.say", ["title": "{result}", "result": "5 {title}"])
        == "{result}: 5 {title}.")
    #expect(words.text("no.such") == "⟦no.such⟧")
  }

  @Test(
    arguments: [
      ("Robin Sample", "Robin Sample 的報告"), ("林美華", "林美華的報告"), ("Zoë", "Zoë 的報告"),
    ])
  func `a name in letters stands apart from Chinese`(name: String, title: String) throws {
    let words = try #require(LanguageCatalogue().language("zh-Hant"))
    #expect(words.text("report.title", ["name": name]) == title)
    let asked = words.text("tray.weigher", ["name": name])
    #expect(asked == (name == "林美華" ? "哪一位是林美華？" : "哪一位是 \(name)？"))
  }

  /// One thing has one name, and it is the one used in Taiwan.
  @Test(arguments: ["任務", "測量", "密鑰", "室友", "可做可不做", "袖帶", "設備", "屏幕", "用戶名"])
  func `no text has another word`(_ word: String) throws {
    let words = try #require(LanguageCatalogue().language("zh-Hant"))
    let found = words.texts.filter { $0.value.contains(word) }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func `a count chooses its form`() throws {
    let words = try #require(LanguageCatalogue().language("en"))
    #expect(words.text("today.questions", count: 1) == "One question")
    #expect(words.text("today.questions", count: 3) == "3 questions")
    let chinese = try #require(LanguageCatalogue().language("zh-Hant"))
    #expect(chinese.text("schedule.every.days", count: 1) == "每天")
    #expect(chinese.text("schedule.every.days", count: 3) == "每 3 天")
    #expect(words.list(["a", "b", "c"]) == "a, b and c")
    #expect(try #require(LanguageCatalogue().language("zh-TW")).list(["甲", "乙", "丙"]) == "甲、乙和丙")
  }

  @Test(
    arguments: [
      ([:], "en"), (["LANG": "zh_TW.UTF-8"], "zh-Hant"), (["LANG": "fr_FR.UTF-8"], "en"),
      (["LC_ALL": "C", "LANG": "zh_TW.UTF-8"], "en"), (["LANG": "C.UTF-8"], "en"),
      (["LC_ALL": "", "LC_MESSAGES": "zh_HK", "LANG": "en_GB"], "zh-Hant"),
      (["LANGUAGE": "fr:zh_TW:en", "LANG": "en_US.UTF-8"], "zh-Hant"),
      (["LANGUAGE": "zh_TW", "LC_ALL": "C"], "en"), (["LANGUAGE": "zh_TW"], "en"),
      (["LANG": "zh_TW.UTF-8", "JOURNAL_STREAM": "9:28153"], "en"),
    ] as [([String: String], String)])
  func `the environment chooses the language of a terminal`(
    variables: [String: String], code: String
  ) {
    #expect(LanguageCatalogue.embedded.language(environment: variables).code == code)
  }

  @Test func `dates are those of the zone`() throws {
    let catalogue = try LanguageCatalogue()
    let english = try #require(catalogue.language("en"))
    let chinese = try #require(catalogue.language("zh-Hant"))
    let zone = try #require(TimeZone(iana: "Asia/Taipei"))
    let date = try #require(Date("2026-11-05T00:30", in: zone))
    #expect(english.weekday(date, in: zone) == "Thursday")
    #expect(english.weekdayDayMonth(date, in: zone) == "Thu 5 November")
    #expect(chinese.weekdayDayMonth(date, in: zone) == "11月5日 星期四")
    #expect(english.dayMonthYear(date, in: zone) == "5 November 2026")
    #expect(chinese.dayMonthYear(date, in: zone) == "2026年11月5日")
    #expect(english.dayMonth(date, in: .gmt) == "4 November")
    #expect(english.time(date, in: zone) == "00:30")
    #expect(english.time(date, relativeTo: date + 86_400, in: zone) == "00:30, yesterday")
    #expect(english.day(date, relativeTo: date + 400 * 86_400, in: zone) == "5 November 2026")
  }
}
