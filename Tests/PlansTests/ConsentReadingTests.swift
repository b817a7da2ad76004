import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

/// The documents that care plans ask consent to, in files and in the plan itself.
@Suite struct ConsentReadingTests {
  private static func plan(_ consent: String) -> String {
    """
    timeZone: Europe/Berlin
    patients: [{id: ann}]
    carePlans:
      - {id: heart, patient: ann, title: Heart, consent: \(consent)}
    """
  }

  private func document(
    _ consent: String, files: [String: String]? = nil
  ) throws(YAMLError) -> ConsentDocument? {
    let files = files.map { files in
      PlanFiles { path in
        files[path].map { .success($0) } ?? .failure(.init(reason: "there is no \(path)"))
      }
    }
    return try PlanFile.parse(
      Self.plan(consent), file: "plan.yaml", activeTasks: [], files: files
    ).carePlans.first?.consent
  }

  private static let markdown = """
    ---
    version: 2
    ---
    # Your data

    What this is about.

    ## Where it is

    On **this** box.

    - here
    ## How long
    A year.

    """

  @Test func `a document in Markdown has its sections`() throws {
    let document = try #require(try document("consent.md", files: ["consent.md": Self.markdown]))
    #expect(document.title == "Your data")
    #expect(document.version == "2")
    #expect(
      document.sections == [
        .init(text: "What this is about."),
        .init(title: "Where it is", text: "On **this** box.\n\n- here"),
        .init(title: "How long", text: "A year."),
      ])
  }

  /// The digest is that of a program of its own: SHA-256 of the parts, each with its length.
  @Test func `a document is the same in every form`() throws {
    let inline = "{version: 1, sections: [{title: Data, text: \"We keep it **here**.\"}]}"
    let forms = [
      try document(inline), try document("c.yaml", files: ["c.yaml": inline]),
      try document(
        "c.md", files: ["c.md": "---\nversion: 1\n---\n## Data\n\nWe keep it **here**.\n"]),
    ]
    let digest = "bf1936034bc4365698a9855c172b8377647d4a19aa22f0fda651615fc52ff68e"
    for form in forms {
      #expect(form == forms[0])
      #expect(form?.digest == digest)
    }
  }

  @Test func `another text, version or border is another document`() throws {
    let texts = [
      "{version: 1, sections: [{text: ab}]}", "{version: 2, sections: [{text: ab}]}",
      "{version: 1, sections: [{text: a}, {text: b}]}",
      "{version: 1, sections: [{title: a, text: b}]}",
      "{title: a, version: 1, sections: [{text: b}]}",
      "{version: 1, sections: [{text: \"a\n0:\n1:b\"}]}",
    ]
    #expect(Set(try texts.map { try document($0)?.digest }).count == texts.count)
  }

  @Test func `an exported plan has the document itself`() throws {
    let files = PlanFiles { _ in .success(Self.markdown) }
    let plan = try PlanFile.parse(
      Self.plan("c.md"), file: "plan.yaml", activeTasks: [], files: files)
    let again = try PlanFile.parse(
      PlanFile.encode(plan), file: "again.yaml", activeTasks: [])
    #expect(again == plan)
  }

  @Test(
    arguments: [
      ("c.md", nil, "is not here"), ("c.md", [:], "there is no c.md"),
      ("c.md", ["c.md": "# No version"], "version is missing"),
      ("c.md", ["c.md": "---\nversion: 1\n# Open head"], "version is missing"),
      ("c.md", ["c.md": "---\nversion: 1\nauthor: x\n---\ntext"], "unknown key ‘author’"),
      ("c.md", ["c.md": "---\nversion: 1\n---\n# A title alone\n"], "no text"),
      ("c.yaml", ["c.yaml": "version: 1"], "‘sections’ is missing"),
      ("c.yaml", ["c.yaml": "version: 1\nsections: []"], "no sections"),
      ("{version: 1, sections: [{text: a, head: b}]}", nil, "unknown key ‘head’"),
      ("{sections: [{text: a}]}", nil, "‘version’ is missing"),
    ] as [(String, [String: String]?, String)])
  func `a document that cannot be read is refused`(
    consent: String, files: [String: String]?, reason: String
  ) {
    let error = #expect(throws: YAMLError.self) { try document(consent, files: files) }
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    #expect(error?.line == 4)
  }

  @Test func `a task's video is a file beside the plan, once for all tasks that show it`() throws {
    let made = Care.Attachment(
      type: .mp4, byteCount: 9, sha256: String(repeating: "0a", count: 32))
    let film = try #require(made)
    let files = PlanFiles(
      read: { .failure(.init(reason: "there is no \($0)")) },
      video: { path in
        path == "knee.mp4"
          ? .success(PlanVideoFile(film, at: "/films/knee.mp4"))
          : .failure(.init(reason: "there is no \(path)"))
      })
    func plan(_ names: String...) throws(YAMLError) -> PlanDocument {
      let tasks = names.enumerated().map { number, name in
        "  - {id: t\(number), title: T, video: '\(name)',"
          + " schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}"
      }
      return try PlanFile.parse(
        "timeZone: Europe/Berlin\npatients: [{id: ann}]\ntasks:\n"
          + tasks.joined(separator: "\n"),
        file: "plan.yaml", activeTasks: [], files: files)
    }
    let read = try plan("knee.mp4", "knee.mp4", "https://example.org/knee")
    #expect(
      read.tasks.map(\.video) == [film.reference, film.reference, "https://example.org/knee"])
    #expect(read.tasks.map(\.ownVideo) == [film, film, nil])
    #expect(read.videos == [PlanVideoFile(film, at: "/films/knee.mp4")])
    #expect(throws: YAMLError.self) { try plan("hip.mp4") }
    // An export of a store names the bytes that it has, and no file.
    let again = try PlanFile.parse(PlanFile.encode(read), file: "plan.yaml", activeTasks: [])
    #expect(again.tasks == read.tasks)
    #expect(again.videos.isEmpty)
  }
}
