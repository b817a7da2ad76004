package import Care
import Foundation
package import Localization

/// The import of other programs' files: their choice, what would come of them, and what came.
package struct HistoryPage {
  private let frame: Frame
  private let content: Content

  /// A file, and what would be, or was, stored of it.
  package struct File: Hashable, Sendable {
    package var name: String
    /// The program that wrote it; `nil` for a file that is of none.
    package var program: String?
    package var new = 0
    package var known = 0
    package var unassigned = 0
    /// Whose the new values are, by the people's ids.
    package var owners: [String: Int] = [:]
    /// The notes on it: the zone, the rows that were left out.
    package var notes: [LocalizedText] = []
    /// Why it is not read, or not to its end.
    package var problem: LocalizedText?

    /// Makes a file.
    package init(name: String) { self.name = name }
  }

  /// How far the import is.
  package enum Stage: Hashable, Sendable {
    /// Nothing was chosen yet; why not, if something was.
    case choice(problem: LocalizedText?)
    /// The files that would come; the name under which they are kept.
    case preview([File], kept: String)
    case done([File])
  }

  private struct Content {
    let choice: Choice?
    let files: [Row]
    let title: String
    let take: Take?
    let isDone: Bool
  }

  private struct Choice {
    let problem: String?
    let people: [Person]
    let zone: String
    let mebibytes: String
  }

  private struct Person {
    let id: String
    let name: String
  }

  private struct Row {
    let name: String
    let program: String?
    let counts: String?
    let owners: Lines?
    let notes: Lines?
    let problem: String?
  }

  private struct Lines {
    let lineList: [String]

    init?(_ lines: [String]) {
      guard !lines.isEmpty else { return nil }
      lineList = lines
    }
  }

  private struct Take {
    let kept: String
    let caption: String
  }

  /// The most bytes of all files together, in mebibytes; the command line takes any.
  package static let mostMebibytes = 256

  /// Makes the page.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader, stage: Stage, viewer: Viewer) throws {
    let words = viewer.language
    let people = try reader.patients()
    let (files, kept): ([File], String?) =
      switch stage {
      case .choice: ([], nil)
      case .preview(let files, let kept): (files, kept)
      case .done(let files): (files, nil)
      }
    var isDone = false
    if case .done = stage { isDone = true }
    let total = files.reduce(0) { $0 + $1.new }
    var choice: Choice?
    if case .choice(let problem) = stage {
      choice = Choice(
        problem: problem.map { words.text($0) },
        people: people.map { Person(id: $0.id, name: words.fullName(of: $0)) },
        zone: viewer.timeZone.identifier, mebibytes: String(Self.mostMebibytes))
    }
    content = Content(
      choice: choice,
      files: files.map { file in
        let counts =
          file.program == nil
          ? nil
          : words.text(
            isDone ? "history.pageDid" : "history.pageWould",
            [
              "new": .init(file.new), "known": .init(file.known),
              "unassigned": .init(file.unassigned),
            ])
        let owners = people.compactMap { person in
          file.owners[person.id].map {
            words.text(
              "history.pageOwner",
              ["name": words.fullName(of: person), "count": String($0)])
          }
        }
        return Row(
          name: file.name, program: file.program, counts: counts, owners: Lines(owners),
          notes: Lines(file.notes.map { words.text($0) }),
          problem: file.problem.map { words.text($0) })
      },
      title: words.text(
        isDone ? "history.pageDone" : kept == nil ? "history.pageTitle" : "history.pagePreview"),
      take: kept.flatMap { kept in
        total == 0
          ? nil : Take(kept: kept, caption: words.text("history.pageTake", count: total))
      },
      isDone: isDone)
    frame = Frame(
      viewer: viewer, title: words.text("history.pageTitle"),
      address: LocalAddress("setup", "history"))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("history", content, frame: frame) }
}
