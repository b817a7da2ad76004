import Foundation
import Localization
import Testing

/// The keys of texts in the sources and those in the languages' files.
@Suite struct KeysTests {
  /// The text of every Swift file of the sources.
  static let sources: [String] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources").standardized
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
      .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
      .map { $0.replacing(#/(?m)^ *//.*$/#, with: "") }
  }()

  /// The keys of English; those of the forms for numbers are one.
  static func keys() -> Set<String> {
    let texts = LanguageCatalogue.embedded.english.texts
    return Set(
      texts.keys.map { key in
        let form = key.split(separator: ".").last ?? ""
        let stem = String(key.dropLast(form.count + 1))
        return texts[stem + ".one"] != nil && texts[stem + ".other"] != nil ? stem : key
      })
  }

  @Test func `every key that a text is made of exists`() throws {
    let keys = Self.keys()
    let call = /(?:[tT]ext|LocalizedText)\(\s*"([A-Za-z]+(?:\.[A-Za-z0-9]+)+)"(?!\s*\+)/
    let named = Set(Self.sources.flatMap { $0.matches(of: call).map { String($0.output.1) } })
    #expect(named.count > 100)
    #expect(named.subtracting(keys).sorted() == [])
  }

  /// The pages name some of their texts by parts, so this is a promise of the machine's alone.
  @Test(arguments: [
    "accessError", "archive", "captureSkip", "command", "day", "decode", "doctor", "entry",
    "frameNote", "hub",
    "link", "privateFile", "program", "radio", "sessionNote", "storeFinding", "trace",
    "uncalibrated", "unmeasured", "weighings",
  ])
  func `every text is named and every name has a text`(section: String) throws {
    let literal = try Regex(
      #""(\#(section)\.(?:[A-Za-z0-9.]|\\\(\w+\))+)""#, as: (Substring, Substring).self)
    let named = Set(Self.sources.flatMap { $0.matches(of: literal).map { String($0.output.1) } })
    let keys = Self.keys().filter { $0.hasPrefix(section + ".") }
    let patterns = try named.filter { $0.contains("\\(") }.map { name in
      try Regex(name.replacing(/\\\(\w+\)/, with: "[A-Za-z0-9]+").replacing(".", with: "\\."))
    }
    #expect(named.filter { !$0.contains("\\(") }.filter { !keys.contains($0) } == [])
    #expect(
      keys.filter { key in
        !named.contains(key) && !patterns.contains { key.wholeMatch(of: $0) != nil }
      } == [])
    #expect(!keys.isEmpty)
  }

  /// A literal is a key, so that a sentence of one language would be shown as `⟦sentence⟧`.
  @Test func `a command ends with a text of the catalogue`() throws {
    let keys = Self.keys()
    let failure = /CommandFailure\(\s*\.\w+,\s*(?:\.verbatim\(\s*)?"([^"]*)"/
    let heading = /TextTable\(\s*\[([^\]]*)\]/
    var named: [String] = []
    for source in Self.sources {
      named += source.matches(of: failure).map { String($0.output.1) }
      for table in source.matches(of: heading) {
        named += table.output.1.matches(of: /"([^"]*)"/).map { String($0.output.1) }
          .filter { !$0.isEmpty }
      }
    }
    #expect(named.count > 60)
    #expect(named.filter { !keys.contains($0) } == [])
  }

  /// A value that a text does not name would be lost, and a name without a value would be shown.
  @Test func `a text has the values that the code gives`() throws {
    let english = LanguageCatalogue.embedded.english
    let call = /LocalizedText\(\s*"([A-Za-z0-9.]+)",\s*\[([^\[]*?)\]\s*\)/
    let later = /\.with\("(\w+)"/
    var count = 0
    for source in Self.sources {
      let added = Set(source.matches(of: later).map { String($0.output.1) })
      for match in source.matches(of: call) {
        guard let text = english.texts[String(match.output.1)] else { continue }
        let given = Set(match.output.2.matches(of: #/"(\w+)": /#).map { String($0.output.1) })
        let named = Language.placeholders(in: text)
        #expect(given.isSubset(of: named), "\(match.output.1)")
        #expect(named.isSubset(of: given.union(added)), "\(match.output.1)")
        count += 1
      }
    }
    #expect(count > 50)
  }
}
