package import Care
import Digests
import StrictYAML

/// The files beside a plan, which it names.
package struct PlanFiles: Sendable {
  /// The text of a file by its path, relative to the plan's folder.
  ///
  /// Its failure is the reason in words.
  package var read: @Sendable (String) -> Result<String, Failure>
  /// A video by its path, as ``read`` takes it: what it is, and where an import finds it.
  package var video: @Sendable (String) -> Result<PlanVideoFile, Failure>

  /// Why a file cannot be read.
  package struct Failure: Error {
    /// The reason, in words.
    package var reason: String

    package init(reason: String) { self.reason = reason }
  }

  /// Makes the files.
  package init(
    read: @escaping @Sendable (String) -> Result<String, Failure>,
    video: @escaping @Sendable (String) -> Result<PlanVideoFile, Failure> = {
      .failure(Failure(reason: "the file ‘\($0)’ is not here"))
    }
  ) {
    (self.read, self.video) = (read, video)
  }
}

// MARK: - The document of a care plan

extension PlanReader {
  /// The longest document, in bytes.
  private static let longestConsent = 100_000
  /// The most sections.
  private static let mostSections = 100

  /// A care plan's document: the path of a file, or the document itself.
  func consent(_ node: YAMLNode?) throws(YAMLError) -> ConsentDocument? {
    guard let node else { return nil }
    let document: ConsentDocument
    if case .scalar = node.content {
      document = try consent(inFile: try node.string(), at: node)
    } else {
      document = try Self.consent(node)
    }
    guard document.canonicalText.utf8.count <= Self.longestConsent else {
      throw node.error("the document has more than \(Self.longestConsent) bytes")
    }
    guard document.sections.count <= Self.mostSections else {
      throw node.error("the document has more than \(Self.mostSections) sections")
    }
    return document
  }

  private func consent(
    inFile path: String, at node: YAMLNode
  ) throws(YAMLError) -> ConsentDocument {
    guard let files else {
      throw node.error(
        "the file ‘\(path)’ is not here: import the plan with measured plan import, or write the"
          + " document in place of its name: {version: 1, sections: [{title: …, text: …}]}")
    }
    let text: String
    switch files.read(path) {
    case .success(let found): text = found
    case .failure(let failure): throw node.error(failure.reason)
    }
    let isMarkdown = [".md", ".markdown"].contains { path.lowercased().hasSuffix($0) }
    do throws(YAMLError) {
      return isMarkdown
        ? try ConsentDocument(markdown: text, file: path)
        : try Self.consent(YAMLDocument.parse(text, file: path))
    } catch {
      throw node.error("\(path):\(error.line): \(error.reason)")
    }
  }

  /// A document as a mapping.
  private static func consent(_ node: YAMLNode) throws(YAMLError) -> ConsentDocument {
    var reader = try node.mapping()
    let title = try reader.optional("title")?.string()
    let version = try reader.required("version").scalar().text
    let list = try reader.required("sections")
    var sections: [ConsentDocument.Section] = []
    for node in try list.sequence() {
      var section = try node.mapping()
      sections.append(
        ConsentDocument.Section(
          title: try section.optional("title")?.string(),
          text: try section.required("text").string()))
      try section.finish()
    }
    try reader.finish()
    guard !sections.isEmpty else { throw list.error("the document has no sections") }
    return ConsentDocument(title: title, version: version, sections: sections)
  }
}

extension ConsentDocument {
  /// Makes a document, whose digest is that of its text.
  init(title: String?, version: String, sections: [Section]) {
    self.init(title: title, version: version, sections: sections, digest: "")
    digest = SHA256.digest(of: Array(canonicalText.utf8)).hexString
  }

  /// Reads a document in Markdown, whose version stands between two lines of `---` at its beginning.
  ///
  /// A heading of the first level is the document's title, each of the second begins a section.
  fileprivate init(markdown text: String, file: String) throws(YAMLError) {
    let lines = text.replacing("\r\n", with: "\n")
      .split(separator: "\n", omittingEmptySubsequences: false)
    let head = lines.dropFirst().prefix { $0 != "---" }
    guard lines.first == "---", head.count + 2 <= lines.count else {
      throw YAMLError(
        file: file, line: 1, column: 1,
        reason:
          "the document's version is missing: begin it with the lines ---, version: 1, ---")
    }
    var reader = try YAMLDocument.parse(head.joined(separator: "\n"), file: file).mapping()
    let version = try reader.required("version").scalar().text
    try reader.finish()
    var title: String?
    var sections: [Section] = []
    var section = Section(text: "")
    func close() {
      section.text = section.text.trimmingBlankLines
      if section.title != nil || !section.text.isEmpty { sections.append(section) }
    }
    for line in lines.dropFirst(head.count + 2) {
      if line.hasPrefix("## ") {
        close()
        section = Section(title: String(line.dropFirst(3)), text: "")
      } else if line.hasPrefix("# "), title == nil, sections.isEmpty, section.title == nil {
        title = String(line.dropFirst(2))
      } else {
        section.text += line + "\n"
      }
    }
    close()
    guard !sections.isEmpty else {
      throw YAMLError(
        file: file, line: 1, column: 1, reason: "the document has no text")
    }
    self.init(title: title, version: version, sections: sections)
  }
}

extension String {
  /// The text without empty lines before and behind it.
  fileprivate var trimmingBlankLines: String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    let isBlank: (Substring) -> Bool = { $0.allSatisfy(\.isWhitespace) }
    let kept = lines.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    return kept.joined(separator: "\n")
  }
}
