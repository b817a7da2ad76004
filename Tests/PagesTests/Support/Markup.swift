import Foundation

/// Reads a page's HTML strictly enough to find what a browser would have to mend.
struct Markup {
  let html: String

  /// The first fault: a tag that is not closed or opened, a bare `<`, a repeated attribute or id.
  var fault: String? {
    var open: [String] = []
    var ids: Set<String> = []
    var rest = html[...]
    if rest.hasPrefix("<!doctype html>") { rest = rest.dropFirst(15) }
    while let start = rest.firstIndex(of: "<") {
      if rest[..<start].contains(">") { return "bare > near \(rest.prefix(60))" }
      guard let end = rest[start...].firstIndex(of: ">") else { return "unfinished tag" }
      let tag = String(rest[rest.index(after: start)..<end])
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("/") {
        guard open.popLast() == String(tag.dropFirst()) else { return "closes \(tag)" }
        continue
      }
      let name = String(tag.prefix { $0.isLetter || $0.isNumber })
      guard !name.isEmpty, !tag.contains("<") else { return "no name in <\(tag)>" }
      let attributes = Self.attributes(tag.dropFirst(name.count))
      guard let attributes else { return "attributes of <\(tag)>" }
      for (attribute, value) in attributes where attribute == "id" {
        guard ids.insert(value).inserted else { return "id \(value) twice" }
      }
      if Set(attributes.map(\.0)).count != attributes.count { return "attribute twice in <\(tag)>" }
      if !tag.hasSuffix("/"), !Self.empty.contains(name) { open.append(name) }
    }
    return open.isEmpty ? nil : "open: \(open.joined(separator: " "))"
  }

  private static let empty: Set = ["meta", "link", "input", "img", "br", "hr", "source"]

  /// The attributes of a tag; `nil` if they cannot be read.
  private static func attributes(_ text: Substring) -> [(String, String)]? {
    var rest = text.drop { $0 == "/" }
    if text.hasSuffix("/") { rest = text.dropLast() }
    var found: [(String, String)] = []
    while true {
      let trimmed = rest.drop(while: \.isWhitespace)
      if trimmed.isEmpty { return found }
      guard trimmed.count < rest.count else { return nil }
      let name = trimmed.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
      guard !name.isEmpty else { return nil }
      rest = trimmed.dropFirst(name.count)
      guard rest.hasPrefix("=\"") else {
        found.append((String(name), ""))
        continue
      }
      rest = rest.dropFirst(2)
      guard let end = rest.firstIndex(of: "\"") else { return nil }
      found.append((String(name), String(rest[..<end])))
      rest = rest[rest.index(after: end)...]
    }
  }

  /// The names of its buttons for a person who cannot see them.
  var buttonNames: [String] {
    html.components(separatedBy: "<button").dropFirst().map { rest in
      let button = rest.components(separatedBy: "</button>")[0]
      if let label = button.firstMatch(of: /^[^>]*aria-label="([^"]*)"/) { return String(label.1) }
      let content = button.drop { $0 != ">" }.dropFirst()
      return content.replacing(/<[^>]*>/, with: " ").trimmingCharacters(in: .whitespaces)
    }
  }

  /// The parts that a strict content security policy stops: inline styles, handlers, other hosts.
  var blocked: [String] {
    let patterns = [
      #"\sstyle="#, #"\son[a-z]+="#, #"<style"#, #"<script(?![^>]*src="/assets/)"#, #"javascript:"#,
      #"(src|action)="(https?:)?//"#, #"<(link|use)[^>]*href="(https?:)?//"#,
    ]
    return patterns.filter {
      html.range(of: $0, options: [.regularExpression, .caseInsensitive]) != nil
    }
  }

  /// The values of all `href`, `action` and `src` attributes.
  func attribute(_ name: String) -> [String] {
    html.components(separatedBy: " \(name)=\"").dropFirst().compactMap {
      $0.components(separatedBy: "\"").first
    }
  }

  /// The element with that id, from its tag to the next `</article>` or `</section>`.
  func card(titled title: String) -> String? {
    html.components(separatedBy: "<article ").first { $0.contains(">\(title)</a></h3>") }?
      .components(separatedBy: "</article>").first
  }
}
