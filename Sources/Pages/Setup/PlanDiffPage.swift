package import Care
import Foundation
import Localization

/// A page of the changes that a plan file would make, before it is taken over.
package struct PlanDiffPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let title: String
    let changes: [Row]
    let kept: Rows?
    let contested: Rows?
    let missing: Rows?
    let text: String?
    let revision: String
    let proposal: Proposal?
  }

  /// The outlet whose server has the plan.
  package struct Proposal: Sendable {
    let outlet: String
    let digest: String
    /// Whether there is anything to take over.
    var hasChanges = true

    /// Makes a proposal; `digest` is that of the text that is shown.
    package init(outlet: String, digest: String) {
      (self.outlet, self.digest) = (outlet, digest)
    }
  }

  /// One thing, and what happens to it.
  private struct Row {
    let what: String
    let how: String
    /// The changed keys, each with its value before and after.
    var changes: Changes?
  }

  private struct Changes {
    let changeList: [String]
  }

  private struct Rows {
    let rowList: [Row]

    /// `nil` for none.
    init?(_ rows: [Row]) {
      guard !rows.isEmpty else { return nil }
      rowList = rows
    }
  }

  /// Makes the page.
  ///
  /// `report` is what the import of `plan` would do, `text` the file's text, which the form sends
  /// again, and `revision` the plan's, by which a change in the meantime is noticed. Of a `proposal` the
  /// form sends the digest alone.
  ///
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, report: PlanImportReport, plan: PlanDocument, text: String,
    revision: Int64, proposal: Proposal? = nil, viewer: Viewer
  ) throws {
    let words = viewer.language
    var proposal = proposal
    var titles: [ThingReference: String] = [:]
    for history in try reader.histories(patient: nil) {
      guard let task = history.current(at: viewer.now) else { continue }
      titles[.task(TaskReference(patient: task.patient, task: task.id))] = task.title
    }
    for task in plan.tasks {
      titles[.task(TaskReference(patient: task.patient, task: task.id))] = task.title
    }
    for person in try reader.patients() + plan.patients {
      titles[.patient(person.id)] = words.fullName(of: person)
    }
    func name(_ line: PlanImportReport.Line) -> String {
      words.text(
        "plan.kind." + line.kind.rawValue,
        ["name": line.thing.flatMap { titles[$0] } ?? line.id])
    }
    func keys(_ keys: [String]) -> String { words.list(keys.map(words.planKey)) }
    let changed = report.lines.filter { [.added, .updated, .removed].contains($0.change) }
    let tasks = changed.count { $0.kind == .task }
    proposal?.hasChanges = !changed.isEmpty
    let changes = PlanChanges(try PlanParts(reader), plan, PlanWords(viewer))
    content = Content(
      title: changed.isEmpty
        ? words.text("plan.nothing")
        : tasks == changed.count
          ? words.text("plan.tasksChange", count: tasks)
          : words.text("plan.thingsChange", count: changed.count),
      changes: changed.map { line in
        let list = changes.of(line).map { change in
          let key = words.planKey(change.key)
          return change.values.map {
            words.text("plan.fromTo", ["key": key, "old": $0.old, "new": $0.new])
          } ?? key
        }
        let how = words.text("plan.change." + line.change.rawValue)
        let begins = line.begins.map { words.dayMonth($0, in: viewer.timeZone) }
        return Row(
          what: name(line),
          how: begins.map { words.text("plan.changeFrom", ["change": how, "date": $0]) } ?? how,
          changes: list.isEmpty ? nil : Changes(changeList: list))
      },
      kept: Rows(
        report.lines.filter { $0.kept != nil || !$0.keptKeys.isEmpty }.map { line in
          Row(
            what: name(line),
            how: line.keptKeys.isEmpty
              ? words.text("plan.kept." + (line.kept ?? .changed).rawValue) : keys(line.keptKeys))
        }),
      contested: Rows(
        report.lines.filter { !$0.contestedKeys.isEmpty }.map {
          Row(what: name($0), how: keys($0.contestedKeys))
        }),
      missing: Rows(
        report.lines.filter { $0.change == .missing }.map { Row(what: name($0), how: "") }),
      text: changed.isEmpty || proposal != nil ? nil : text, revision: String(revision),
      proposal: proposal)
    frame = Frame(
      viewer: viewer, title: words.text("plan.title"), address: LocalAddress("setup"))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("plandiff", content, frame: frame) }
}
