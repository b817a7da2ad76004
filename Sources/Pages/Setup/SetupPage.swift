package import Actions
package import Care
package import Foundation
package import Localization
package import Outlets

/// Something that the check of the machine and the store found.
package struct SetupFinding: Hashable, Sendable {
  /// The problem that was found.
  package var title: LocalizedText
  /// The action to take; `nil` if there is nothing to do.
  package var advice: LocalizedText?

  /// Makes a finding.
  package init(title: LocalizedText, advice: LocalizedText?) {
    (self.title, self.advice) = (title, advice)
  }
}

/// A finding in the viewer's language.
struct SetupFindingRow {
  let title: String
  let advice: String?

  init(_ finding: SetupFinding, in words: Language) {
    (title, advice) = (words.text(finding.title), finding.advice.map { words.text($0) })
  }
}

/// People, tasks, the plan's file, backup and findings.
package struct SetupPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let findings: [SetupFindingRow]
    let hasFindings: Bool
    let outlets: Outlets?
    let centre: CentreCard?
    let boxes: String?
    let receivers: String?
    let proposals: Proposals?
    let people: [Person]
    let tasks: [Group]
    let zone: String?
    let back: String
    let isWhole: Bool
    let mayBackUp: Bool
    let importer: String?
    let newPerson: String?
    let newTask: String?
    let accounts: String?
    let deleted: Deleted?
    let history: History?
  }

  /// The messages on their way, by reader.
  private struct Outlets { let outletList: [Outlet] }

  /// The plans of other systems that wait for somebody.
  private struct Proposals { let proposalList: [Waiting] }

  private struct Waiting {
    let title: String
    let time: String
    let address: String
  }

  private struct Outlet {
    let name: String
    let id: String
    let state: String
    let isPaused: Bool
    let isFailing: Bool
    let facts: [Fact]
    /// Why nothing gets through, in the other side's words.
    let reason: String?
    let refused: Refused?
    let back: String
  }

  /// A centre that the box has joined.
  package struct Centre: Hashable, Sendable {
    package var address: String
    /// When both sides had the same last.
    package var level: Date?
    /// Why it did not go on the last time.
    package var fault: DeliveryFault?
    /// Whether the centre does not know this box any more.
    package var isUnknown: Bool

    /// Makes a centre.
    package init(address: String, level: Date?, fault: DeliveryFault?, isUnknown: Bool) {
      (self.address, self.level) = (address, level)
      (self.fault, self.isUnknown) = (fault, isUnknown)
    }
  }

  /// The centres that were joined, and the form that joins one.
  private struct CentreCard {
    let joinedList: [Joined]
    let isAlone: Bool

    struct Joined {
      let address: String
      let level: String
      let trouble: String?
    }
  }

  private struct Refused {
    let title: String
    let itemList: [String]
  }

  private struct Person {
    let name: String
    let initial: String
    let tint: String
    let id: String
    let facts: [Fact]
    let edit: String
    let actions: Actions?
  }

  /// The forms that end, delete or revive a thing.
  private struct Actions {
    let kind: String
    let patient: String
    let id: String
    let back: String
    let mayEnd: Bool
    let mayRevive: Bool
    let mayDelete: Bool
    let name: String
  }

  /// The deleted things, which can be restored.
  private struct Deleted { let deletedList: [DeletedThing] }

  private struct DeletedThing {
    let name: String
    let actions: Actions
  }

  /// The last changes of the plan.
  private struct History { let editList: [Edit] }

  private struct Edit {
    let text: String
    let time: String
    let state: String?
    let undo: NoticeText.Undo?
  }

  private struct Fact {
    let title: String
    let value: String
  }

  private struct Group {
    let key: String
    let title: String
    let tasks: [Task]
  }

  private struct Task {
    let title: String
    let text: String?
    let lines: [String]
    let days: [DayPreview.Day]
    let isOptional: Bool
    let isEnded: Bool
    let edit: String
    let actions: Actions
  }

  /// Reads the page.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - viewer: Who looks at it.
  ///   - findings: The findings of the check of the machine and the store.
  ///   - outlets: How the messages to people do.
  ///   - proposals: The plans that other systems have, by outlet.
  ///   - centres: The centres that were joined; `nil` where none can be.
  ///   - notice: A message about the latest action.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, viewer: Viewer, findings: [SetupFinding] = [],
    outlets: [OutletStatus] = [], proposals: [String: PlanProposal] = [:],
    centres: [Centre]? = nil, notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let address = LocalAddress("setup")
    frame = Frame(
      viewer: viewer, title: words.text("frame.setup"), address: address,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let people = try reader.patients()
    let order = try reader.planOrder()
    let places = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ task: CareTask) -> Int {
      places[TaskReference(patient: task.patient, task: task.id)] ?? .max
    }
    let histories = try reader.histories(patient: nil)
    let current = histories.compactMap { history in
      history.current(at: viewer.now).map { (history: history, task: $0) }
    }
    content = Content(
      findings: findings.map { SetupFindingRow($0, in: words) },
      hasFindings: !findings.isEmpty,
      outlets: outlets.isEmpty || !viewer.may(.wholePlan)
        ? nil
        : Outlets(
          outletList: try outlets.map {
            try Self.outlet($0, reader, back: address.description, viewer)
          }),
      centre: viewer.may(.administer) ? centres.map { Self.card($0, viewer) } : nil,
      boxes: viewer.may(.administer) && viewer.isCentre
        ? LocalAddress("setup", "boxes").description : nil,
      receivers: viewer.may(.wholePlan) ? OutletsPage.address.description : nil,
      proposals: viewer.may(.wholePlan) ? Self.proposals(proposals, viewer) : nil,
      people: people.enumerated().map {
        Self.person($0.element, place: $0.offset, back: address.description, viewer)
      },
      tasks: people.enumerated().compactMap { number, person in
        let own = current.filter { $0.task.patient == person.id }
          .sorted { (place($0.task), $0.task.id) < (place($1.task), $1.task.id) }
        guard !own.isEmpty else { return nil }
        return Group(
          key: "tasks-\(number)",
          title: people.count > 1
            ? words.text("setup.tasksOf", ["name": words.fullName(of: person)])
            : words.text("setup.tasks"),
          tasks: own.map {
            Self.task($0.history, $0.task, back: address.description, viewer)
          })
      }, zone: try reader.planTimeZone()?.identifier, back: address.description,
      isWhole: viewer.may(.wholePlan), mayBackUp: viewer.may(.administer),
      importer: viewer.may(.add) ? LocalAddress("setup", "history").description : nil,
      newPerson: viewer.may(.wholePlan) ? LocalAddress("setup", "person").description : nil,
      newTask: people.isEmpty
        ? nil
        : LocalAddress(
          "setup", "tasks", items: [("patient", people.count == 1 ? people.first?.id : nil)]
        ).description,
      accounts: viewer.may(.administer) && viewer.account != nil
        ? LocalAddress("setup", "accounts").description : nil,
      deleted: try Self.deleted(reader, back: address.description, viewer),
      history: try Self.history(reader, back: address, viewer))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("setup", content, frame: frame) }

  private static func card(_ centres: [Centre], _ viewer: Viewer) -> CentreCard {
    let words = viewer.language
    return CentreCard(
      joinedList: centres.map { centre in
        CentreCard.Joined(
          address: centre.address,
          level: centre.level.map {
            words.text(
              "setup.centre.level",
              ["time": words.time($0, relativeTo: viewer.now, in: viewer.timeZone)])
          } ?? words.text("setup.centre.never"),
          trouble: centre.isUnknown
            ? words.text("command.sync.unknownBox", ["centre": centre.address])
            : centre.fault.map { words.text(of: $0) })
      }, isAlone: centres.isEmpty)
  }

  private static func proposals(
    _ proposals: [String: PlanProposal], _ viewer: Viewer
  ) -> Proposals? {
    let words = viewer.language
    let waiting = proposals.filter { $0.value.text != nil }.sorted { $0.key < $1.key }
    guard !waiting.isEmpty else { return nil }
    return Proposals(
      proposalList: waiting.map { name, proposal in
        Waiting(
          title: words.text("receiver.proposal", ["name": name]),
          time: proposal.asked.map {
            words.time($0, relativeTo: viewer.now, in: viewer.timeZone)
          } ?? "",
          address: LocalAddress("setup", "outlets", "plan", items: [("name", name)]).description)
      })
  }

  /// How many refused messages of a reader are listed.
  private static let refusedLimit = 10

  private static func outlet(
    _ outlet: OutletStatus, _ reader: any StoreReader, back: String, _ viewer: Viewer
  ) throws -> Outlet {
    let words = viewer.language
    func time(_ date: Date) -> String {
      words.time(date, relativeTo: viewer.now, in: viewer.timeZone)
    }
    let facts = [
      outlet.oldestUnsent.map { Fact(title: words.text("outlets.oldest"), value: time($0)) },
      outlet.lastSuccess.map { Fact(title: words.text("outlets.last"), value: time($0)) },
    ].compactMap(\.self)
    let refused = outlet.refused.suffix(refusedLimit).reversed().map { item in
      let what =
        words.optionalText("outlet.neutral." + item.kind.rawValue)
        ?? words.text("outlets.several")
      let why = item.fault.map { words.text($0.localized) } ?? words.text("outlets.triedForAWeek")
      return words.sentences([time(item.due) + ": " + what, why])
    }
    return Outlet(
      name: try words.name(of: outlet.recipient, in: reader), id: outlet.recipient.text,
      state: words.text("outlets.state." + outlet.state.rawValue),
      isPaused: outlet.state == .paused, isFailing: outlet.state == .failing, facts: facts,
      reason: outlet.fault.map { words.text($0.localized) },
      refused: refused.isEmpty
        ? nil
        : Refused(
          title: words.text("outlets.refused", count: outlet.refused.count), itemList: refused),
      back: back)
  }

  /// How many changes of the plan are listed.
  private static let historyLimit = 12

  private static func history(
    _ reader: any StoreReader, back: LocalAddress, _ viewer: Viewer
  ) throws -> History? {
    let words = viewer.language
    let edits = try reader.planEdits(limit: historyLimit).map { edit in
      Edit(
        text: words.summary(edit),
        time: words.time(edit.date, relativeTo: viewer.now, in: viewer.timeZone),
        state: edit.isUndone ? words.text("edit.undone") : nil,
        undo: edit.isUndoable && viewer.may(edit) ? NoticeText.Undo(edit, back: back) : nil)
    }
    return edits.isEmpty ? nil : History(editList: edits)
  }

  private static func deleted(
    _ reader: any StoreReader, back: String, _ viewer: Viewer
  ) throws -> Deleted? {
    func thing(_ reference: ThingReference, _ name: String) -> DeletedThing {
      DeletedThing(
        name: name,
        actions: Actions(
          kind: reference.kind.rawValue, patient: reference.patient, id: reference.id, back: back,
          mayEnd: false, mayRevive: true, mayDelete: false, name: name))
    }
    let people =
      try viewer.may(.wholePlan)
      ? reader.things(Patient.self, patient: nil, isDeleted: true) : []
    let tasks = try reader.deletedHistories(patient: nil).compactMap(\.versions.last)
    let things =
      people.map { thing(.patient($0.id), viewer.language.fullName(of: $0)) }
      + tasks.map { task in
        thing(.task(TaskReference(patient: task.patient, task: task.id)), task.title)
      }
    return things.isEmpty ? nil : Deleted(deletedList: things)
  }

  private static func person(
    _ person: Patient, place: Int, back: String, _ viewer: Viewer
  ) -> Person {
    let words = viewer.language
    let weight = person.expects[Quantity.bodyMass.rawValue].map {
      Measure(.bodyMass, for: person.units, in: words).text($0.value)
    }
    let facts: [(String, String?)] = [
      ("units", words.text("setup.units." + (person.units ?? .metric).rawValue)),
      ("zone", person.timeZone?.identifier), ("language", person.language),
      ("weight", weight),
      ("others", person.others.isEmpty ? nil : String(person.others.count)),
    ]
    return Person(
      name: words.fullName(of: person), initial: words.fullName(of: person).prefix(1).uppercased(),
      tint: Tint(place: place + 3).rawValue, id: person.id,
      facts: facts.compactMap { key, value in
        value.map { Fact(title: words.text("setup.person." + key), value: $0) }
      },
      edit: LocalAddress("setup", "person", items: [("patient", person.id)]).description,
      actions: viewer.may(.wholePlan)
        ? Actions(
          kind: ThingKind.patient.rawValue, patient: person.id, id: person.id, back: back,
          mayEnd: false, mayRevive: false, mayDelete: true, name: words.fullName(of: person)) : nil)
  }

  private static func task(
    _ history: TaskHistory, _ task: CareTask, back: String, _ viewer: Viewer
  ) -> Task {
    let words = viewer.language
    return Task(
      title: task.title, text: task.text,
      lines: task.isEnded ? [words.text("setup.ended")] : words.lines(of: task.schedule, viewer),
      days: DayPreview(history, viewer).days, isOptional: task.isOptional,
      isEnded: task.isEnded,
      edit: LocalAddress(
        "setup", "task", items: [("patient", task.patient), ("task", task.id)]
      ).description,
      actions: Actions(
        kind: ThingKind.task.rawValue, patient: task.patient, id: task.id, back: back,
        mayEnd: !task.isEnded, mayRevive: task.isEnded, mayDelete: true, name: task.title))
  }
}
