import Foundation

@testable import Pages

/// Reads markup as strictly as a test needs: tags nest and close, attributes are quoted.
enum Markup {
  /// The elements that have no end tag.
  private static let void: Set<String> = ["meta", "link", "input", "br", "img", "hr"]

  /// What is wrong in it; `nil` for well-formed tags.
  static func problem(in html: String) -> String? {
    var open: [String] = []
    var rest = html[...]
    while let start = rest.firstIndex(of: "<") {
      guard let end = rest[start...].firstIndex(of: ">") else { return "a tag without an end" }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("!") { continue }
      let quotes = tag.count { $0 == "\"" }
      if !quotes.isMultiple(of: 2) { return "quotes in <\(tag)>" }
      if tag.hasPrefix("/") {
        let name = String(tag.dropFirst())
        guard open.last == name else { return "</\(name)> closes \(open.last ?? "nothing")" }
        open.removeLast()
        continue
      }
      let name = String(tag.prefix { $0.isLetter || $0.isNumber })
      if name.isEmpty { return "<\(tag)>" }
      let isForbidden =
        tag.range(of: #"\s(style|on[a-z]+)\s*="#, options: .regularExpression) != nil
      if isForbidden { return "a style or handler in <\(tag)>" }
      if name == "script", !tag.contains("src=") { return "a script inside the page" }
      if !tag.hasSuffix("/"), !void.contains(name) { open.append(name) }
    }
    return open.isEmpty ? nil : "open at the end: \(open)"
  }

  /// A text of a drawing with its place.
  struct Text {
    var left: Double
    var right: Double
    var y: Double
    var isGoal: Bool
    var content: String
  }

  /// The texts of a drawing.
  static func texts(in svg: String) -> [Text] {
    svg.components(separatedBy: "<text").dropFirst().compactMap { part in
      let tag = part.prefix { $0 != ">" }
      let content = part.dropFirst(tag.count + 1).prefix { $0 != "<" }
        .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
      guard let x = number("x", in: tag), let y = number("y", in: tag) else { return nil }
      let width = String(content).drawnWidth()
      let left = tag.contains("middle") ? x - width / 2 : tag.contains("\"end\"") ? x - width : x
      return Text(
        left: left, right: left + width, y: y, isGoal: tag.contains("goal"),
        content: String(content))
    }
  }

  private static func number(_ name: String, in tag: Substring) -> Double? {
    tag.components(separatedBy: " \(name)=\"").dropFirst().first
      .flatMap { Double($0.prefix { $0 != "\"" }) }
  }
}
