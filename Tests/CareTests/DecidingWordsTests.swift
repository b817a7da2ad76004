import Foundation
import Testing

/// Text is for people: what a program decides by is a field, a case or a type.
@Suite struct DecidingWordsTests {
  private static let rooms = ["Care", "CareStore", "Hub", "Plans", "StrictYAML", "Actions"]

  /// Words that name what a program gives to people, or the identity of something.
  private static var names: some RegexComponent {
    /(?i)(reason|message|detail|description|advice|problem|fault|identity|\bid)(\.(text|rawValue))?[?!]?\.(hasPrefix|hasSuffix|contains|starts|firstRange|range|split)\(/
  }

  /// The calls of ``names``, which are looked for first: the expression is dear on each line.
  private static let calls = [
    "hasPrefix(", "hasSuffix(", "contains(", "starts(", "firstRange(", "range(", "split(",
  ]

  private static func decides(_ line: Substring) -> Bool {
    calls.contains { line.contains($0) } && line.contains(names)
  }

  /// An id whose spelling is what is judged: a doubt about a blank in it.
  private static let allowed = ["contains(where: \\.isWhitespace)"]

  @Test(arguments: rooms)
  func `no part of a text decides anything`(room: String) throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/\(room)").standardized
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var count = 0
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      count += 1
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        guard !line.drop(while: \.isWhitespace).hasPrefix("//"), Self.decides(line) else {
          continue
        }
        #expect(
          Self.allowed.contains { line.contains($0) }, "\(file.lastPathComponent): \(line)")
      }
    }
    #expect(count > 0)
  }

  /// Else the expression finds nothing at all.
  @Test(arguments: [
    "if sample.reason?.hasPrefix(\"attributed again\") == true {", "guard id.hasSuffix(\".yaml\")",
    "message.contains(\"pair\")", "identity.text.split(separator: \"|\")",
  ])
  func `such a line is found`(line: String) {
    #expect(Self.decides(line[...]))
  }
}
