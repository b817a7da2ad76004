import Assessments
import Care
import Foundation
import Motion
import Testing

/// The descriptions of the assessments agree with each other and with the documents.
@Suite struct AssessmentTests {
  @Test func `names are unique`() {
    let types = AssessmentList.all.map { $0.type }
    #expect(Set(types).count == types.count)
    for assessment in AssessmentList.all {
      let kinds = assessment.figureDescriptions.map(\.kind)
      #expect(Set(kinds).count == kinds.count, "\(assessment.type.rawValue)")
    }
  }

  /// The first value present is the result, so it must be one that is always there.
  @Test func `every assessment has a result`() {
    for assessment in AssessmentList.all {
      let results = assessment.figureDescriptions.filter { $0.quantity != nil }
      #expect(assessment.figureDescriptions.first?.quantity != nil)
      #expect(results.contains { $0.presence == .always }, "\(assessment.type.rawValue)")
      #expect(results.allSatisfy { $0.unit == $0.quantity?.unit })
      #expect(!assessment.title.isEmpty && !assessment.summary.isEmpty)
    }
  }

  @Test func `a task finds its assessment`() {
    for assessment in AssessmentList.all {
      let found = AssessmentList.assessment(for: ActiveTask(type: assessment.type))
      #expect(found.map { type(of: $0).type } == assessment.type)
    }
    #expect(AssessmentList.assessment(for: ActiveTask(type: "juggling")) == nil)
  }

  /// A recording that a session makes fits into what a sensor's recording may hold: ten minutes.
  @Test func `every course ends`() {
    for assessment in AssessmentList.all {
      let course = assessment.course
      #expect(course.longest < 600_000_000, "\(assessment.type.rawValue)")
      #expect(course.duration.map { $0 < course.longest } ?? true)
    }
    let waiting = AssessmentList.all.filter { $0.course.mustWait }.map { $0.type.rawValue }
    #expect(waiting == ["tremor", "sway"])
  }

  @Test func `without samples every assessment refuses`() {
    for assessment in AssessmentList.all {
      let task = ActiveTask(type: assessment.type, joint: .knee, distance: 10)
      #expect(throws: AssessmentRefusal.self) {
        try assessment.init(task).result(of: AssessmentInput([]))
      }
    }
  }

  /// The tables of the documents and of the articles are those of the descriptions.
  ///
  /// `MEASURED_WRITE_TABLES=1` writes them.
  @Test func `the documents have the tables`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../..").standardizedFileURL
    var names: Set<String> = []
    for path in AssessmentTables.documents {
      let file = root.appending(path: path)
      let text = try String(contentsOf: file, encoding: .utf8)
      let filled = AssessmentTables.filled(text)
      names.formUnion(filled.names)
      #expect(filled.names.allSatisfy { AssessmentTables.lines($0) != nil }, "\(path)")
      if ProcessInfo.processInfo.environment["MEASURED_WRITE_TABLES"] != nil {
        try Data(filled.text.utf8).write(to: file)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == filled.text, "\(path)")
    }
    #expect(names == Set(AssessmentList.all.map { $0.type.rawValue } + ["plan", "figures"]))
  }
}
