package import Care
package import Localization

/// The effect of a form, so that the page it leads back to can report it and offer to undo it.
///
/// It stands in the query of that page: `notice=answered&event=…`.
package enum Notice: Hashable, Sendable {
  /// A person answered this event, by id.
  case answered(String)
  /// A person added a value to this event, by id.
  case added(String)
  /// The last value that a person added to this event, by id, was taken back.
  case removed(String)
  /// The answer of this event, by id, was taken back.
  case undone(String)
  /// The sample with this number belongs to this patient, to nobody here for `nil`; and so many other
  /// weighings that waited, by what it says.
  case assigned(Int64, patient: String?, followers: Int = 0)
  /// The patient is known among those who use the scales, or is none of them for `nil`; the numbers of the
  /// weighings that say so.
  case weigherNamed(String?, samples: [Int64])
  /// The measurements of a device belong to nobody here.
  case deviceDisowned
  /// The sample with this number is unassigned again.
  case unassigned(Int64)
  /// A person corrected the sample with this number.
  case corrected(Int64)
  /// A person added the samples with these numbers.
  case sampleAdded([Int64])
  /// The sample with this number counts no longer.
  case deleted(Int64)
  /// The sample with this number counts again.
  case restored(Int64)
  /// A plan was imported.
  case planImported
  /// Somebody agreed to the document of a care plan.
  case consentAgreed
  /// Somebody does not agree, or no longer.
  case consentWithdrawn
  /// A reminder was put off.
  case putOff
  /// Somebody looks after the alerts of a person.
  case alertsSeen
  /// Somebody put the alerts of a person off.
  case alertsPutOff
  /// The plan has another zone.
  case zoneSet
  /// An effect of a rule was taken back.
  case firingUndone
  /// A person changed the plan; the edit's number.
  case planEdited(Int64)
  /// A person saved a form of the set-up, and the plan is as before.
  case planUnchanged
  /// A change of the plan was taken back.
  case planUndone
  /// A rule forbids what was asked.
  case refused(Refusal)

  /// Which rule, and at which field of a form, if it is one's.
  package struct Refusal: Hashable, Sendable {
    /// The rule: a key of the language files' section `refused`.
    package var code: String
    /// The kind of the question or value.
    package var field: String?

    /// Makes a refusal.
    package init(code: String, field: String? = nil) {
      self.code = code
      self.field = field
    }
  }

  /// A rule forbids what was asked.
  package static func refused(_ code: String, field: String? = nil) -> Notice {
    .refused(Refusal(code: code, field: field))
  }
}

// MARK: - Query

extension Notice {
  /// Reads a notice from the items of a query; `nil` if they name none.
  package init?(_ query: [String: String]) {
    let number = query["sample"].flatMap { Int64($0) }
    switch (query["notice"], query["event"], number) {
    case ("answered", let event?, _): self = .answered(event)
    case ("added", let event?, _): self = .added(event)
    case ("removed", let event?, _): self = .removed(event)
    case ("undone", let event?, _): self = .undone(event)
    case ("assigned", _, let number?):
      self = .assigned(
        number, patient: query["to"],
        followers: query["followers"].flatMap { Int($0) }.map { max(0, $0) } ?? 0)
    case ("weigherNamed", _, _):
      self = .weigherNamed(query["to"], samples: Self.numbers(query["sample"] ?? ""))
    case ("deviceDisowned", _, _): self = .deviceDisowned
    case ("unassigned", _, let number?): self = .unassigned(number)
    case ("corrected", _, let number?): self = .corrected(number)
    case ("sampleAdded", _, _): self = .sampleAdded(Self.numbers(query["sample"] ?? ""))
    case ("deleted", _, let number?): self = .deleted(number)
    case ("restored", _, let number?): self = .restored(number)
    case ("planImported", _, _): self = .planImported
    case ("consentAgreed", _, _): self = .consentAgreed
    case ("consentWithdrawn", _, _): self = .consentWithdrawn
    case ("putOff", _, _): self = .putOff
    case ("alertsSeen", _, _): self = .alertsSeen
    case ("alertsPutOff", _, _): self = .alertsPutOff
    case ("zoneSet", _, _): self = .zoneSet
    case ("firingUndone", _, _): self = .firingUndone
    case ("planUndone", _, _): self = .planUndone
    case ("planUnchanged", _, _): self = .planUnchanged
    case ("planEdited", _, _):
      guard let edit = query["edit"].flatMap({ Int64($0) }) else { return nil }
      self = .planEdited(edit)
    case ("refused", _, _):
      self = .refused(query["code"] ?? "other", field: query["field"])
    default: return nil
    }
  }

  /// The items of the query that say it, none of which the page's own address has.
  package var queryItems: [(name: String, value: String)] {
    switch self {
    case .answered(let event): [("notice", "answered"), ("event", event)]
    case .added(let event): [("notice", "added"), ("event", event)]
    case .removed(let event): [("notice", "removed"), ("event", event)]
    case .undone(let event): [("notice", "undone"), ("event", event)]
    case .assigned(let number, let patient, let followers):
      [("notice", "assigned"), ("sample", String(number))] + (patient.map { [("to", $0)] } ?? [])
        + (followers > 0 ? [("followers", String(followers))] : [])
    case .weigherNamed(let patient, let samples):
      [("notice", "weigherNamed"), ("sample", samples.map(String.init).joined(separator: "."))]
        + (patient.map { [("to", $0)] } ?? [])
    case .deviceDisowned: [("notice", "deviceDisowned")]
    case .unassigned(let number): [("notice", "unassigned"), ("sample", String(number))]
    case .corrected(let number): [("notice", "corrected"), ("sample", String(number))]
    case .deleted(let number): [("notice", "deleted"), ("sample", String(number))]
    case .restored(let number): [("notice", "restored"), ("sample", String(number))]
    case .planImported: [("notice", "planImported")]
    case .consentAgreed: [("notice", "consentAgreed")]
    case .consentWithdrawn: [("notice", "consentWithdrawn")]
    case .putOff: [("notice", "putOff")]
    case .alertsSeen: [("notice", "alertsSeen")]
    case .sampleAdded(let numbers):
      [
        ("notice", "sampleAdded"),
        ("sample", numbers.map(String.init).joined(separator: ".")),
      ]
    case .alertsPutOff: [("notice", "alertsPutOff")]
    case .zoneSet: [("notice", "zoneSet")]
    case .firingUndone: [("notice", "firingUndone")]
    case .planEdited(let number): [("notice", "planEdited"), ("edit", String(number))]
    case .planUnchanged: [("notice", "planUnchanged")]
    case .planUndone: [("notice", "planUndone")]
    case .refused(let refusal):
      [("notice", "refused"), ("code", refusal.code)]
        + (refusal.field.map { [("field", $0)] } ?? [])
    }
  }

  /// The numbers of samples that stand in one item, `12.14`.
  package static func numbers(_ text: String) -> [Int64] {
    text.split(separator: ".").prefix(100).compactMap { Int64($0) }
  }

  /// The names of the query's items that say a notice.
  package static let queryNames = [
    "notice", "event", "sample", "to", "followers", "code", "field", "edit",
  ]
}

// MARK: - Refusals

extension Notice {
  /// Makes the message that people read about a store's refusal.
  ///
  /// `unknown` stands for a thing that the store does not have, `failed` for a store that cannot be
  /// written now.
  package init(_ error: StoreError) {
    switch error {
    case .refused(let refusal): self = Self.refused(refusal)
    case .unknown: self = .refused("unknown")
    case .newerSchema, .olderSchema, .failed, .unreadableExport, .notWritten:
      self = .refused("failed")
    }
  }

  private static func refused(_ refusal: StoreError.Refusal) -> Notice {
    switch refusal {
    case .readOnlyTask: .refused("readOnly")
    case .notResettable: .refused("notResettable")
    case .noSuchOccurrence, .supersededOccurrence: .refused("planChanged")
    case .notDueYet: .refused("notDueYet")
    case .answeredInFuture: .refused("inFuture", field: "at")
    case .answeredLongBefore: .refused("longBefore", field: "at")
    case .notFinite, .sampleNotFinite, .notANumber: .refused("notANumber", field: "value")
    case .implausible, .amount: .refused("implausible", field: "value")
    case .swappedPressures: .refused("swapped", field: "value")
    case .otherDimension: .refused("otherUnit", field: "value")
    case .answer(let error, let question, _): .refused(error.code, field: question)
    case .unknownQuestion: .refused("planChanged")
    case .outcomeExists: .refused("answered")
    case .laterEdit, .laterFiring, .noImport: .refused("laterEdit")
    case .hiddenOutcome: .refused("hiddenOutcome")
    case .computedOutcome: .refused("measured")
    case .streamedSample: .refused("streamed")
    case .zeroCharacter: .refused("character")
    case .firingUndone: .refused("firingUndone")
    case .tooManyAttachmentBytes: .refused("noRoom")
    case .tooManyVideoBytes: .refused("noVideoRoom")
    default: .refused("other")
    }
  }
}

extension AnswerError {
  /// The rule: a key of the language files' section `refused`.
  fileprivate var code: String {
    switch self {
    case .missing: "missing"
    case .repeated: "repeated"
    case .wrongType: "wrongType"
    case .outOfRange: "outOfRange"
    case .offStep: "offStep"
    case .unknownChoice: "unknownChoice"
    case .otherDimension: "otherUnit"
    }
  }
}

extension Notice {
  /// A refusal whose text stands in the section `refused` of the languages' files.
  ///
  /// - Parameters:
  ///   - error: The refusal; the text must not need its values.
  ///   - field: The kind of the question or value, if it is one field's.
  /// - Returns: The notice.
  package static func refused(_ error: any Localizable, field: String? = nil) -> Notice {
    let key = error.localized.key.split(separator: ".")
    return .refused(
      key.first == "refused" ? key.last.map(String.init) ?? "" : "other", field: field)
  }
}

// MARK: - Words

/// A notice as the layout shows it.
struct NoticeText {
  let text: String
  let isRefusal: Bool
  let undo: Undo?

  struct Undo {
    let action: String
    let back: String
    let fields: [Field]
  }

  struct Field {
    let name: String
    let value: String
  }

  /// Reads what the notice is about, if there is one; `back` is the page's own address.
  init?(
    _ notice: Notice?, _ reader: any StoreReader, viewer: Viewer, back: LocalAddress
  ) throws {
    guard let notice else { return nil }
    let words = viewer.language
    /// The form that takes it back, for those who may.
    func undo(_ segments: LocalAddress, _ right: Viewer.Right) -> Undo? {
      guard viewer.may(right) else { return nil }
      return Undo(action: segments.description, back: back.description, fields: [])
    }
    isRefusal = if case .refused = notice { true } else { false }
    switch notice {
    case .answered(let id):
      let title = try reader.event(id: id)?.task.title
      text =
        title.map { words.text("notice.answered", ["title": $0]) }
        ?? words.text("notice.answeredUnknown")
      self.undo = title == nil ? nil : undo(LocalAddress("events", id, "undo"), .answer)
    case .added(let id):
      let title = try reader.event(id: id)?.task.title
      text =
        title.map { words.text("notice.added", ["title": $0]) }
        ?? words.text("notice.answeredUnknown")
      self.undo = title == nil ? nil : undo(LocalAddress("events", id, "remove"), .answer)
    case .removed(let id):
      let title = try reader.event(id: id)?.task.title
      text =
        title.map { words.text("notice.removed", ["title": $0]) }
        ?? words.text("notice.undoneUnknown")
      self.undo = nil
    case .undone(let id):
      let title = try reader.event(id: id)?.task.title
      text =
        title.map { words.text("notice.undone", ["title": $0]) }
        ?? words.text("notice.undoneUnknown")
      self.undo = title == nil ? nil : undo(LocalAddress("events", id, "put-back"), .answer)
    case .assigned(let number, let patient, let followers):
      let person = try reader.patients().first { $0.id == patient }.map(words.fullName(of:))
      let said =
        person.map { words.text("notice.assigned", ["name": $0]) }
        ?? words.text("notice.disowned")
      text =
        followers > 0
        ? words.text(
          "sentences", ["first": said, "next": words.text("notice.followers", count: followers)])
        : said
      self.undo = undo(LocalAddress("samples", String(number), "unassign"), .correct)
    case .weigherNamed(let patient, let samples):
      let person = try reader.patients().first { $0.id == patient }.map(words.fullName(of:))
      text =
        person.map { words.text("notice.weigherNamed", ["name": $0]) }
        ?? words.text("notice.weigherNone")
      let numbers = samples.map(String.init).joined(separator: ".")
      self.undo =
        viewer.may(.correct) && !samples.isEmpty
        ? Undo(
          action: LocalAddress("weighings", "unassign").description, back: back.description,
          fields: [Field(name: "samples", value: numbers)]) : nil
    case .deviceDisowned:
      text = words.text("notice.deviceDisowned")
      self.undo = nil
    case .unassigned:
      text = words.text("notice.unassigned")
      self.undo = nil
    case .corrected(let number):
      text = words.text("notice.corrected")
      // Without its correction the measured value counts again.
      self.undo = try reader.correction(ofNumber: number).flatMap {
        undo(LocalAddress("samples", String($0), "delete"), .correct)
      }
    case .sampleAdded(let numbers):
      text = words.text("notice.sampleAdded")
      self.undo = numbers.first.flatMap { number in
        guard viewer.may(.correct) else { return nil }
        // The two of a pressure go together.
        let others = numbers.dropFirst().map(String.init).joined(separator: ".")
        return Undo(
          action: LocalAddress("samples", String(number), "delete").description,
          back: back.description, fields: [Field(name: "with", value: others)])
      }
    case .deleted(let number):
      text = words.text("notice.deleted")
      self.undo = undo(LocalAddress("samples", String(number), "restore"), .correct)
    case .planImported:
      text = words.text("notice.planImported")
      // Only the last import can be taken back, and an import is the last change at first.
      let edit = viewer.may(.wholePlan) ? try reader.planEdits(limit: 1).first : nil
      self.undo = edit.flatMap { $0.isImport && $0.isUndoable ? Undo($0, back: back) : nil }
    case .planEdited(let number):
      let edit = try reader.planEdits(limit: 50).first { $0.number == number }
      let begins = edit?.things.first?.begins.map {
        " " + words.text("edit.begins", ["date": words.dayMonth($0, in: viewer.timeZone)])
      }
      text = (edit.map { words.summary($0) } ?? words.text("notice.planEdited")) + (begins ?? "")
      self.undo = edit.flatMap { $0.isUndoable && viewer.may($0) ? Undo($0, back: back) : nil }
    case .planUnchanged:
      text = words.text("notice.planUnchanged")
      self.undo = nil
    case .planUndone:
      text = words.text("notice.planUndone")
      self.undo = nil
    case .consentAgreed:
      text = words.text("notice.consentAgreed")
      self.undo = nil
    case .consentWithdrawn:
      text = words.text("notice.consentWithdrawn")
      self.undo = nil
    case .putOff:
      text = words.text("notice.putOff")
      self.undo = nil
    case .alertsSeen:
      text = words.text("notice.alertsSeen")
      self.undo = nil
    case .alertsPutOff:
      text = words.text("notice.alertsPutOff")
      self.undo = nil
    case .zoneSet:
      text = words.text("notice.zoneSet")
      self.undo = nil
    case .firingUndone:
      text = words.text("notice.firingUndone")
      self.undo = nil
    case .restored:
      text = words.text("notice.restored")
      self.undo = nil
    case .refused(let refusal):
      text = words.refusal(refusal.code)
      self.undo = nil
    }
  }
}

extension NoticeText.Undo {
  /// The form that takes a change of the plan back.
  init(_ edit: PlanEdit, back: LocalAddress) {
    self.init(
      action: LocalAddress("setup", "undo").description, back: back.description,
      fields: [NoticeText.Field(name: "edit", value: String(edit.number))])
  }
}

extension Viewer {
  /// Whether the person may take a change of the plan back.
  func may(_ edit: PlanEdit) -> Bool {
    (!edit.isImport || may(.wholePlan)) && (edit.devices.isEmpty || may(.devices))
      && (edit.things.isEmpty || may(.plan))
  }
}

extension Language {
  /// Describes the effect of a change of the plan, in a sentence.
  func summary(_ edit: PlanEdit) -> String {
    guard !edit.isImport else { return text("edit.import") }
    guard let thing = edit.things.first else {
      return text("edit.device", ["name": edit.devices.first?.text ?? ""])
    }
    return text(
      "edit." + thing.change.rawValue, ["title": thing.title ?? thing.reference.id])
  }
}

extension StoreReader {
  /// The number of the correction that counts in place of a sample, or of the value that this
  /// sample corrected.
  fileprivate func correction(ofNumber number: Int64) throws -> Int64? {
    guard let sample = try sample(identity(ofNumber: number)) else { return nil }
    let measured = sample.corrects ?? sample.identity
    let correction = try samples(
      SampleQuery(quantity: sample.quantity, from: sample.start, to: sample.start)
    ).last { $0.corrects == measured }
    return try correction.flatMap { try self.number(of: $0.identity) }
  }
}

extension Language {
  /// Why something was refused and what to do.
  func refusal(_ code: String) -> String {
    optionalText("refused." + code) ?? text("refused.other")
  }
}
