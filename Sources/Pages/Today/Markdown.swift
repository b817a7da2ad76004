import Care

/// Text in Markdown as HTML: headings, paragraphs, lists, quotes, emphasis, code and links.
///
/// It is a text of the plan's author, and no page of theirs: markup in it is shown as it is written, and a
/// link leads to `https:`, `http:`, `mailto:` or `tel:` alone. Source of the signs: CommonMark 0.31.
struct Markdown {
  private let lines: [Substring]

  init(_ text: String) {
    lines = text.replacing("\r\n", with: "\n").split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  /// How far lines are read; the rest is left out.
  private static let longest = 2_000

  /// The text as elements that stand in a page, whose own headings are above the third level.
  var html: String {
    var (html, paragraph, list) = ("", [String](), [String]())
    var listName = "ul"
    func closed() -> String {
      var closed = ""
      if !paragraph.isEmpty { closed += "<p>" + paragraph.joined(separator: "<br>") + "</p>" }
      if !list.isEmpty {
        closed += "<\(listName)>" + list.map { "<li>\($0)</li>" }.joined() + "</\(listName)>"
      }
      (paragraph, list) = ([], [])
      return closed
    }
    for line in lines.prefix(Self.longest) {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if text.allSatisfy(\.isWhitespace) {
        html += closed()
      } else if let heading = Self.heading(text) {
        html += closed() + heading
      } else if text.hasPrefix("> ") {
        html += closed() + "<blockquote><p>\(Self.inline(text.dropFirst(2)))</p></blockquote>"
      } else if let (name, item) = Self.item(text) {
        if list.isEmpty || name != listName { html += closed() }
        listName = name
        list.append(Self.inline(item))
      } else if let last = list.popLast() {
        // A line that goes on an item.
        list.append(last + " " + Self.inline(text))
      } else {
        paragraph.append(Self.inline(text))
      }
    }
    return html + closed()
  }

  private static func heading(_ text: Substring) -> String? {
    let depth = text.prefix { $0 == "#" }.count
    guard (1...6).contains(depth), text.dropFirst(depth).first == " " else { return nil }
    let level = min(depth + 2, 6)
    return "<h\(level)>\(inline(text.dropFirst(depth + 1)))</h\(level)>"
  }

  /// The list's element and the text of an item.
  private static func item(_ text: Substring) -> (name: String, text: Substring)? {
    if ["- ", "* ", "+ "].contains(where: text.hasPrefix) { return ("ul", text.dropFirst(2)) }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let rest = text.dropFirst(digits.count)
    guard (1...3).contains(digits.count), rest.hasPrefix(". ") || rest.hasPrefix(") ") else {
      return nil
    }
    return ("ol", rest.dropFirst(2))
  }

  /// The signs within a line.
  private static func inline(_ text: Substring) -> String {
    var (html, rest) = ("", text)
    while let sign = rest.first {
      if let (element, length) = emphasis(rest) ?? link(rest) {
        html += element
        rest = rest.dropFirst(length)
      } else {
        html += String(sign).escaped
        rest = rest.dropFirst()
      }
    }
    return html
  }

  /// Strong, emphasised or code text at the beginning, and how many signs it has.
  private static func emphasis(_ text: Substring) -> (String, Int)? {
    for (mark, name) in [
      ("**", "strong"), ("__", "strong"), ("*", "em"), ("_", "em"), ("`", "code"),
    ]
    where text.hasPrefix(mark) {
      let inner = text.dropFirst(mark.count)
      guard let end = inner.firstRange(of: mark), end.lowerBound > inner.startIndex,
        inner.first?.isWhitespace == false
      else { continue }
      let content = inner[..<end.lowerBound]
      let html = name == "code" ? String(content).escaped : inline(content)
      return ("<\(name)>\(html)</\(name)>", content.count + 2 * mark.count)
    }
    return nil
  }

  /// A link at the beginning, and how many signs it has.
  private static func link(_ text: Substring) -> (String, Int)? {
    guard text.first == "[", let middle = text.firstRange(of: "]("),
      let end = text[middle.upperBound...].firstIndex(of: ")")
    else { return nil }
    let title = text[text.index(after: text.startIndex)..<middle.lowerBound]
    let address = String(text[middle.upperBound..<end])
    guard PlannedTask.isAddress(address), !title.isEmpty else { return nil }
    let html = "<a href=\"\(address.escaped)\" rel=\"noopener noreferrer\">\(inline(title))</a>"
    return (html, text.distance(from: text.startIndex, to: end) + 1)
  }
}
