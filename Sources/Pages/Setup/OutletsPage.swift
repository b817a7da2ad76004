package import Actions
package import Care
import Foundation
import Localization
package import Outlets

/// Where measurements go by themselves: how each receiver does, and the form that sets one up.
package struct OutletsPage {
  private let frame: Frame
  private let content: Content

  /// A form that is filled in.
  package struct Draft {
    package var kind: OutletKind
    package var name: String?
    package var values: [String: [String]]
    package var flaw: OutletFlaw?

    /// Makes a draft.
    package init(
      _ kind: OutletKind, name: String? = nil, values: [String: [String]] = [:],
      flaw: OutletFlaw? = nil
    ) {
      (self.kind, self.name, self.values, self.flaw) = (kind, name, values, flaw)
    }
  }

  private struct Content {
    let isSending: Bool
    let rows: [Row]
    let kinds: Kinds?
    let form: Form?
    let back: String
  }

  private struct Row {
    let name: String
    let kind: String
    let state: String
    let isFailing: Bool
    let isPaused: Bool
    let facts: [Fact]
    let reason: String?
    /// Why its plan could not be read.
    let problem: String?
    let source: String?
    let refused: Refused?
    let mayTest: Bool
    let mayRemove: Bool
    let isLeaving: Bool
    let back: String
  }

  private struct Fact {
    let title: String
    let value: String
  }

  private struct Refused {
    let title: String
    let itemList: [String]
  }

  private struct Kinds { let kindList: [Kind] }

  private struct Kind {
    let title: String
    let text: String
    let address: String
    let isCurrent: Bool
  }

  private struct Form {
    let formKind: String
    let heading: String
    let explanation: String
    let trouble: String?
    let fields: [EventForm.Field]
    let more: More?
  }

  private struct More {
    let moreList: [EventForm.Field]
    let isOpen: Bool
  }

  /// The address of the page.
  package static let address = LocalAddress("setup", "outlets")

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - receivers: The outlets of settings and store.
  ///   - proposals: What the servers of outlets have for the plan.
  ///   - draft: The form; `nil` while no kind is chosen.
  ///   - isSending: Whether this program sends measurements at all.
  ///   - viewer: Who looks at it.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, receivers: [ReceiverStatus],
    proposals: [String: PlanProposal] = [:], draft: Draft?, isSending: Bool,
    viewer: Viewer
  ) throws {
    let words = viewer.language
    let people = try reader.patients()
    frame = Frame(viewer: viewer, title: words.text("receiver.title"), address: Self.address)
    let maySet = viewer.may(.administer)
    content = Content(
      isSending: isSending,
      rows: receivers.map {
        Self.row($0, proposals[$0.name], people, isSending: isSending, viewer)
      },
      kinds: maySet
        ? Kinds(
          kindList: OutletKind.allCases.map { kind in
            Kind(
              title: words.text("receiver.kind.\(kind.rawValue)"),
              text: words.text("receiver.kindText.\(kind.rawValue)"),
              address: LocalAddress("setup", "outlets", items: [("kind", kind.rawValue)])
                .description + "#add", isCurrent: kind == draft?.kind)
          }) : nil,
      form: maySet ? draft.map { Self.form($0, people, words) } : nil,
      back: LocalAddress("setup").description)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("outlets", content, frame: frame) }

  // MARK: How they do

  private static func row(
    _ receiver: ReceiverStatus, _ proposal: PlanProposal?, _ people: [Patient],
    isSending: Bool, _ viewer: Viewer
  ) -> Row {
    let words = viewer.language
    func time(_ date: Date) -> String {
      words.time(date, relativeTo: viewer.now, in: viewer.timeZone)
    }
    let definition = receiver.definition
    let isLeaving = definition?.isLeaving ?? false
    let names = definition.map { definition in
      definition.people.map { ids in
        words.list(
          ids.sorted().map { id in people.first { $0.id == id }.map(words.fullName(of:)) ?? id })
      } ?? words.text("receiver.everybody")
    }
    let quantities = definition?.scope.quantities.map { quantities in
      words.list(quantities.map(words.title(of:)).sorted())
    }
    let facts: [(String, String?)] = [
      ("receiver.place", definition?.place), ("receiver.key.people", names),
      ("receiver.key.quantities", quantities),
      ("receiver.key.since", definition?["since"]),
      ("outlets.oldest", receiver.oldestUnsent.map(time)),
      ("outlets.last", receiver.lastSuccess.map(time)),
      ("receiver.planAsked", proposal?.asked.map(time)),
    ]
    let state =
      isLeaving ? "receiver.leaving" : "outlets.state.\(receiver.state.rawValue)"
    return Row(
      name: receiver.name,
      kind: definition.map { words.text("receiver.kind.\($0.kind.rawValue)") }
        ?? words.text("receiver.unknown"),
      state: words.text(state), isFailing: receiver.state == .failing,
      isPaused: receiver.state == .paused,
      facts: facts.compactMap { key, value in
        value.map { Fact(title: words.text(key), value: $0) }
      },
      reason: receiver.fault.map { words.text(of: $0) }, problem: proposal?.problem,
      source: receiver.isOfSettings ? words.text("receiver.ofSettings") : nil,
      refused: receiver.refused.isEmpty
        ? nil
        : Refused(
          title: words.text("receiver.refused", count: receiver.refusedCount),
          itemList: receiver.refused.map { item in
            let why = item.fault.map { words.text(of: $0) }
            return words.sentences([time(item.date), why].compactMap(\.self))
          }),
      mayTest: isSending && definition != nil && !isLeaving,
      mayRemove: viewer.may(.administer) && definition != nil && !receiver.isOfSettings,
      isLeaving: isLeaving, back: Self.address.description)
  }

  // MARK: The form

  /// The keys that stand apart: those that few need.
  private static let rare: Set<String> = [
    "quantities", "since", "policy", "organisation", "bucket", "language", "answers", "account",
    "server", "tokenFile", "id", "discovery", "protocol", "records", "plan",
  ]

  private static func form(_ draft: Draft, _ people: [Patient], _ words: Language) -> Form {
    let keys = draft.kind.typedKeys
    let flaw = draft.flaw
    func inputs(_ key: OutletKey) -> [EventForm.Field] {
      key.form == .records
        ? people.map { record(of: $0, key, draft, words) } : [input(key, draft, people, words)]
    }
    let name = EventForm.Field(
      name: "name", inputID: "outlet-name", label: words.text("receiver.name"),
      hint: words.text("receiver.nameHint"),
      error: flaw?.key == "name" ? flaw.map { words.text(of: $0) } : nil, options: nil,
      line: line(draft.name ?? "", isRequired: true), area: nil)
    let apart = keys.filter { rare.contains($0.name) }
    let known = Set(keys.map(\.name) + ["name"])
    return Form(
      formKind: draft.kind.rawValue, heading: words.text("receiver.kind.\(draft.kind.rawValue)"),
      explanation: words.text("receiver.kindText.\(draft.kind.rawValue)"),
      trouble: flaw.flatMap { known.contains($0.key) ? nil : words.text(of: $0) },
      fields: [name] + keys.filter { !rare.contains($0.name) }.flatMap(inputs),
      more: apart.isEmpty
        ? nil
        : More(
          moreList: apart.flatMap(inputs), isOpen: apart.contains { $0.name == flaw?.key }))
  }

  private static func line(
    _ value: String, kind: String = "text", isRequired: Bool
  ) -> EventForm.LineInput {
    EventForm.LineInput(
      kind: kind, mode: nil, css: "", value: value, suffix: nil, isRequired: isRequired,
      unitName: nil, units: nil, unitCode: nil)
  }

  /// The id of a person at the other side.
  private static func record(
    of person: Patient, _ key: OutletKey, _ draft: Draft, _ words: Language
  ) -> EventForm.Field {
    let own = (draft.values[key.name] ?? []).first { $0.hasSuffix(" " + person.id) }
    let value = own.map { String($0.dropLast(person.id.count + 1)) } ?? ""
    var error: String?
    if case .record(let text)? = draft.flaw?.reason, text == own {
      error = draft.flaw.map { words.text(of: $0) }
    }
    return EventForm.Field(
      name: recordPrefix + person.id, inputID: "outlet-record-" + person.id,
      label: words.text("receiver.record", ["name": words.fullName(of: person)]), hint: nil,
      error: error, options: nil, line: line(value, isRequired: false), area: nil)
  }

  /// The beginning of the names of fields with the other side's ids.
  package static let recordPrefix = "record."

  private static func input(
    _ key: OutletKey, _ draft: Draft, _ people: [Patient], _ words: Language
  ) -> EventForm.Field {
    let values = draft.values[key.name] ?? []
    let value = values.first ?? ""
    let error = draft.flaw?.key == key.name ? draft.flaw.map { words.text(of: $0) } : nil
    let id = "outlet-" + key.typedName
    let label =
      key.form == .secret && key.name == "secretFile"
      ? words.text("receiver.secret.\(draft.kind.rawValue)")
      : words.text("receiver.key.\(key.typedName)")
    var hint = words.optionalText("receiver.hint.\(key.typedName)")
    if key.form == .secret { hint = words.text("receiver.secretHint") }
    var (options, menu, input): (EventForm.Options?, EventForm.Menu?, EventForm.LineInput?)
    func list(_ choices: [(String, String)]) -> EventForm.Options {
      EventForm.Options(
        css: "", kind: "checkbox",
        list: choices.enumerated().map { place, choice in
          EventForm.Option(
            optionID: "\(id)-\(place)", value: choice.0, caption: choice.1,
            isChosen: values.contains(choice.0), isRequired: false)
        }, low: nil, high: nil)
    }
    func opening(_ choices: [(String, String)]) -> EventForm.Menu {
      EventForm.Menu(
        menuList: choices.map {
          EventForm.MenuItem(value: $0.0, caption: $0.1, isChosen: $0.0 == value)
        })
    }
    switch key.form {
    case .people:
      options = list(
        [("all", words.text("receiver.everybody"))]
          + people.map { ($0.id, words.fullName(of: $0)) })
    case .quantities:
      let all = Quantity.all.map { ($0.rawValue, words.title(of: $0)) }
      options = list(all.sorted { $0.1 < $1.1 })
    case .choice(let known):
      let none = key.isRequired || key.name == "format" ? [] : [("", words.text("receiver.usual"))]
      menu = opening(
        none
          + known.map { ($0, words.optionalText("receiver.choice.\(key.name).\($0)") ?? $0) })
    case .flag:
      menu = opening([
        ("", words.text("receiver.yes")), ("false", words.text("receiver.no")),
      ])
    case .secret:
      let isNeeded = draft.kind.needsSecret && key.name == "secretFile"
      input = line("", kind: "password", isRequired: isNeeded)
    case .day: input = line(value, kind: "date", isRequired: key.isRequired)
    default: input = line(value, isRequired: key.isRequired)
    }
    return EventForm.Field(
      name: key.typedName, inputID: id, label: label, hint: hint, error: error, options: options,
      line: input, area: nil, menu: menu)
  }
}
