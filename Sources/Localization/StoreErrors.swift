package import Care
import Foundation
import Plans
import StrictYAML

// The keys and values of what a store says: the problem, its reason, and the advice.

extension StoreError: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .refused(let refusal): refusal.localized
    case .unknown(let unknown): unknown.localized
    case .newerSchema(let store, let version, let supported):
      LocalizedText(
        "store.newerSchema",
        ["store": "\(store)", "version": .init(version), "supported": .init(supported)])
    case .olderSchema(let store, let version, let supported):
      LocalizedText(
        "store.olderSchema",
        ["store": "\(store)", "version": .init(version), "supported": .init(supported)])
    case .failed(let failure, let store): failure.text(store: store)
    case .notWritten(let failure, let file):
      LocalizedText(
        "store.notWritten", ["file": "\(file)", "reason": .text(failure.reason(file: file))])
    case .unreadableExport(let line, let damage):
      LocalizedText(
        "store.unreadableExport", ["line": .init(line), "damage": .text(damage.localized)])
    }
  }
}

// MARK: - Refusals

extension StoreError.Refusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .readOnlyTask(let task): Self.of(task, "readOnlyTask")
    case .notResettable(let task): Self.of(task, "notResettable")
    case .noSuchOccurrence(let occurrence, let task, let version, nil):
      Self.of(
        task, "noSuchOccurrence", ["occurrence": .init(occurrence), "version": .init(version)])
    case .noSuchOccurrence(let occurrence, let task, let version, let count?):
      Self.of(
        task, "noSuchOccurrenceAmong",
        ["occurrence": .init(occurrence), "version": .init(version), "among": .init(count)])
    case .supersededOccurrence(let occurrence, let task, let version):
      Self.of(
        task, "supersededOccurrence",
        ["occurrence": .init(occurrence), "version": .init(version)])
    case .notDueYet(let task, let day, let timeZone):
      Self.of(task, "notDueYet", ["day": .init(day.day(in: timeZone))])
    case .answeredLongBefore(let task, let date, let start, let timeZone):
      Self.of(
        task, "answeredLongBefore",
        [
          "time": .init(date.toTheSecond(in: timeZone)),
          "start": .init(start.toTheSecond(in: timeZone)),
        ])
    case .answeredInFuture(let task, let date, let timeZone):
      Self.of(task, "answeredInFuture", ["time": .init(date.toTheSecond(in: timeZone))])
    case .notFinite(let task): Self.of(task, "notFinite")
    case .amount(let flaw, let owner): flaw.refusal(of: owner)
    case .implausible(let number, let unit, let quantity, let task):
      quantity.refusal(of: number, in: unit, task: task)
    case .swappedPressures(let systolic, let diastolic, let unit, let task):
      Self.of(
        task ?? "", task == nil ? "swappedByCorrection" : "swappedPressures",
        [
          "systolic": .figure(systolic.plainText),
          "diastolic": .figure(unit.text(diastolic.plainText)),
        ])
    case .otherDimension(let unit, let expected, let task):
      Self.of(
        task, expected == .one ? "superfluousUnit" : "otherDimension",
        ["unit": .init(unit.name), "expected": .init(expected.name)])
    case .notANumber(let expected, let task):
      Self.of(
        task, expected == .one ? "notANumber" : "notANumberIn", ["expected": .init(expected.name)])
    case .answer(let error, let question, let task):
      Self.of(task, "answer", ["question": "\(question)", "problem": .text(error.localized)])
    case .unknownQuestion(let kind?, let known, let task):
      Self.of(
        task, "unknownQuestion",
        [
          "question": "\(kind)", "suggestion": .suggestion(for: kind, among: known),
          "known": .quoted(known),
        ])
    case .unknownQuestion(nil, let known, let task):
      Self.of(task, "noQuestion", ["known": .quoted(known)])
    case .outcomeExists(let task, let occurrence):
      Self.of(task, "outcomeExists", ["occurrence": .init(occurrence)])
    case .otherBytes(let sha256): LocalizedText("store.refused.otherBytes", ["file": "\(sha256)"])
    case .tooManyAttachmentBytes(let patient, let most):
      LocalizedText(
        "store.refused.tooManyAttachmentBytes",
        ["patient": "\(patient)", "most": .init(most / 1_000_000_000)])
    case .tooManyVideoBytes(let patient, let most):
      LocalizedText(
        "store.refused.tooManyVideoBytes",
        ["patient": "\(patient)", "most": .init(most / 1_000_000_000)])
    case .computedOutcome(let task, let occurrence):
      Self.of(task, "computedOutcome", ["occurrence": .init(occurrence)])
    case .repeatedPatient(let id): LocalizedText("store.refused.repeatedPatient", ["id": "\(id)"])
    case .repeatedTask(let task, let patient):
      Self.of(task, "repeatedTask", ["patient": "\(patient)"])
    case .repeatedDevice(let device):
      LocalizedText("store.refused.repeatedDevice", ["device": "\(device)"])
    case .repeatedThing(let thing): thing.text("store.refused.repeatedThing")
    case .hiddenOutcome(let task, let patient, let days, let date, let isEnding, let zone):
      Self.of(
        task, isEnding ? "hiddenByEnd" : "hiddenByChange",
        [
          "patient": "\(patient)", "date": .init(date.toTheSecond(in: zone)),
          "days": .days(days, in: zone),
        ])
    case .changedByHand(let thing): thing.text("store.refused.changedByHand")
    case .deviceChangedByHand(let device):
      LocalizedText("store.refused.deviceChangedByHand", ["device": .init(device.text)])
    case .partPrunes: "store.refused.partPrunes"
    case .noImport: "store.refused.noImport"
    case .laterEdit: "store.refused.laterEdit"
    case .notDeleted(let thing):
      LocalizedText("store.refused.notDeleted", ["thing": .capitalized(thing.localized)])
    case .noConflict(let thing): thing.text("store.refused.noConflict")
    case .takenPatient(let id): LocalizedText("store.refused.takenPatient", ["id": "\(id)"])
    case .unknownTopic(let channel):
      LocalizedText("store.refused.unknownTopic", ["channel": "\(channel)"])
    case .emptyID: "store.refused.emptyID"
    case .nothingToUndo(let kind):
      LocalizedText("store.refused.nothingToUndo.\(kind.rawValue)")
    case .firingUndone(let date, let zone):
      LocalizedText("store.refused.firingUndone", ["time": .init(date.toTheSecond(in: zone))])
    case .laterFiring(let number):
      LocalizedText("store.refused.laterFiring", ["number": .init(number)])
    case .streamedSample: "store.refused.streamedSample"
    case .sampleNotFinite(let quantity):
      LocalizedText("store.refused.sampleNotFinite", ["quantity": .quantity(quantity)])
    case .sampleDateOutOfRange(let quantity):
      LocalizedText("store.refused.sampleDateOutOfRange", ["quantity": .quantity(quantity)])
    case .sampleEndsBeforeStart(let quantity):
      LocalizedText("store.refused.sampleEndsBeforeStart", ["quantity": .quantity(quantity)])
    case .tooMuchWaiting(let limit):
      LocalizedText("store.refused.tooMuchWaiting", ["limit": .init(limit >> 20)])
    case .ownFile(let path): LocalizedText("store.refused.ownFile", ["path": "\(path)"])
    case .foreignSecrets(let path):
      LocalizedText("store.refused.foreignSecrets", ["path": "\(path)"])
    case .schedule(let error):
      LocalizedText("store.refused.schedule", ["reason": .init(error.reason)])
    case .notExportable(let damage):
      LocalizedText("store.refused.notExportable", ["problem": .text(damage.localized)])
    case .zeroCharacter(let text):
      LocalizedText(
        "store.refused.zeroCharacter", ["text": .init(text.replacing("\0", with: "␀"))])
    }
  }

  /// Why an import cannot be taken back.
  package var ofUndo: LocalizedText { hidden("hiddenByUndo") }

  /// Why a version of a task cannot be the one that holds.
  package var ofSettlement: LocalizedText { hidden("hiddenBySettlement") }

  /// That results would be left without their events, if this says so.
  private func hidden(_ name: String) -> LocalizedText {
    guard case .hiddenOutcome(let task, let patient, let days, _, _, let zone) = self else {
      return localized
    }
    let flags = "\(task.shellQuoted) --patient \(patient.shellQuoted)"
    let date = days.first.map { " --date " + $0.day(in: zone) } ?? ""
    return Self.of(
      task, name,
      [
        "patient": "\(patient)", "days": .days(days, in: zone), "flags": "\(flags)",
        "undo": "measured undo \(flags)\(date)",
      ])
  }

  /// The refusal of something about a task, which a command names in quotation marks if it has to.
  private static func of(
    _ task: String, _ name: String, _ values: [String: LocalizedText.Value] = [:]
  ) -> LocalizedText {
    LocalizedText("store.refused.\(name)", values)
      .with("task", "\(task)").with("command", .init(task.shellQuoted))
  }
}

extension Quantity {
  /// Why a value that a person entered is refused.
  package func refusal(of number: Double, in unit: UnitOfMeasure, task: String?) -> LocalizedText {
    let limits = [possible.lowerBound, possible.upperBound].map { limit in
      self.unit.convert(limit, to: unit) ?? limit
    }
    let flaw = AmountFlaw(
      place: .value, number: number, unit: unit,
      limits: min(limits[0], limits[1])...max(limits[0], limits[1]), quantity: self)
    return task.map { flaw.refusal(of: $0) } ?? flaw.localized
  }
}

extension AmountFlaw: Localizable {
  package var localized: LocalizedText {
    let unit = unit ?? .one
    func digits(_ limit: Double) -> String {
      quantity.map { limit.plainText(digits: $0.fractionDigits(in: unit)) } ?? limit.plainText
    }
    var values: [String: LocalizedText.Value] = [
      "value": .figure(unit.text(number.plainText)),
      "minimum": .figure(digits(limits.lowerBound)),
      "maximum": .figure(unit.text(digits(limits.upperBound))),
    ]
    guard let quantity else { return LocalizedText("store.amount", values) }
    values["quantity"] = .quantityInSentence(quantity)
    return LocalizedText("store.implausible", values)
  }

  /// Why a number of a task or a person is refused.
  fileprivate func refusal(of owner: String) -> LocalizedText {
    LocalizedText("store.ofTask", ["task": "\(owner)", "problem": .text(localized)])
  }
}

extension ThingReference: Localizable {
  /// The thing in a sentence: `task ‘walk’ of ‘john’`.
  package var localized: LocalizedText {
    let isOfAll = kind == .contact && patient.isEmpty
    return LocalizedText(
      "thing." + (isOfAll ? "contactOfAll" : kind.rawValue),
      ["id": "\(id)", "patient": "\(patient)"])
  }

  fileprivate func text(_ key: String) -> LocalizedText {
    LocalizedText(key, ["thing": .text(localized)])
  }
}

extension LocalizedText.Value {
  /// The nearest known word, if one is near.
  package static func suggestion(for word: String, among known: [String]) -> Self {
    suggestion(of: Spelling.nearest(to: word, among: known).map { [$0] } ?? [])
  }

  /// The words that were probably meant, all of them together; empty without any.
  package static func suggestion(of words: [String]) -> Self {
    guard let first = words.first else { return "" }
    return .text(
      words.count == 1
        ? LocalizedText("store.suggestion", ["word": "\(first)"])
        : LocalizedText("store.suggestionOfSeveral", ["words": .list(words.map { "‘\($0)’" })]))
  }

  /// Ids in quotation marks: `‘a’, ‘b’`.
  package static func quoted(_ ids: [String]) -> Self {
    .init(ids.map { "‘\($0)’" }.joined(separator: ", "))
  }

  /// The first three days, and how many there are more.
  fileprivate static func days(_ days: [Date], in timeZone: TimeZone) -> Self {
    let shown = days.prefix(3).map { $0.toTheSecond(in: timeZone).prefix(16) }
      .joined(separator: ", ")
    guard days.count > 3 else { return .init(shown) }
    return .text(LocalizedText("store.daysAndMore", ["days": "\(shown)"], count: days.count - 3))
  }
}

// MARK: - Answers

extension AnswerError: Localizable {
  /// The problem with an answer, and answers that would fit.
  package var localized: LocalizedText {
    switch self {
    case .missing: "answerError.missing"
    case .repeated: "answerError.repeated"
    case .wrongType(let type): LocalizedText("answerError.wrongType.\(type.rawValue)")
    case .outOfRange(let value, let minimum, let maximum, let unit):
      LocalizedText(
        "answerError."
          + (maximum == nil ? "belowMinimum" : minimum == nil ? "aboveMaximum" : "outOfRange"),
        [
          "value": .number(value, unit),
          "minimum": .number(minimum ?? 0, maximum == nil ? unit : nil),
          "maximum": .number(maximum ?? 0, unit),
        ])
    case .offStep(let value, let step, let minimum, let unit):
      LocalizedText(
        "answerError.offStep",
        [
          "value": .number(value, unit), "step": .number(step, unit),
          "minimum": .number(minimum ?? 0, unit),
        ])
    case .unknownChoice(let text, let choices):
      LocalizedText(
        "answerError.unknownChoice",
        [
          "answer": "\(text)", "choices": .init(choices.joined(separator: ", ")),
          "suggestion": .suggestion(for: text, among: choices),
        ])
    case .otherDimension(let unit, let expected):
      LocalizedText(
        "answerError." + (expected == .one ? "superfluousUnit" : "otherDimension"),
        ["unit": .init(unit.name), "expected": .init(expected.name)])
    }
  }
}

extension LocalizedText.Value {
  fileprivate static func number(_ number: Double, _ unit: UnitOfMeasure?) -> Self {
    let symbol = unit?.symbol ?? ""
    return .figure(symbol.isEmpty ? number.plainText : "\(number.plainText) \(symbol)")
  }
}

// MARK: - Unknown things

extension StoreError.Unknown: Localizable {
  /// The thing that the store does not know, and those that it knows instead.
  package var localized: LocalizedText {
    switch self {
    case .patient(let id, let known):
      LocalizedText(
        known.isEmpty ? "store.unknown.patientOfNone" : "store.unknown.patient",
        [
          "id": "\(id)", "suggestion": .suggestion(for: id, among: known), "known": .quoted(known),
        ])
    case .taskVersion(let uuid):
      LocalizedText("store.unknown.taskVersion", ["id": .init(uuid.uuidString)])
    case .outcome(let task, let occurrence):
      LocalizedText(
        "store.unknown.outcome", ["task": "\(task)", "occurrence": .init(occurrence)])
    case .sampleNumber(let number):
      LocalizedText("store.unknown.sampleNumber", ["number": .init(number)])
    case .sample(let identity):
      LocalizedText("store.unknown.sample", ["id": .init(identity.text)])
    case .task(let task):
      LocalizedText(
        "store.unknown.task", ["task": .init(task.task), "patient": .init(task.patient)])
    case .thing(let thing): thing.text("store.unknown.thing")
    case .device(let device): LocalizedText("store.unknown.device", ["device": "\(device)"])
    case .binding(let device): LocalizedText("store.unknown.binding", ["device": "\(device)"])
    case .calibration(let sensor):
      LocalizedText("store.unknown.calibration", ["device": "\(sensor)"])
    case .firing(let id): LocalizedText("store.unknown.firing", ["id": .init(id.uuidString)])
    case .attachment(let sha256):
      LocalizedText("store.unknown.attachment", ["file": "\(sha256)"])
    }
  }
}

// MARK: - Failures

extension StoreError.Failure {
  /// Why the store at a path, or of that name, cannot be read or written, and what to do.
  fileprivate func text(store: String) -> LocalizedText {
    func text(
      _ name: String, _ values: [String: LocalizedText.Value] = [:]
    ) -> LocalizedText {
      LocalizedText("store.failed.\(name)", values).with("store", "\(store)")
    }
    func detail(_ detail: String?) -> [String: LocalizedText.Value] {
      ["detail": detail.map { "\($0)" } ?? .text("store.failed.noDetail")]
    }
    switch self {
    case .system(let errno): return text("system", ["reason": .text(Self.reason(errno))])
    case .notAFile, .emptyFile, .notADatabase, .otherProgram:
      return text("notAStore", ["what": .text(LocalizedText("store.notAStore.\(self)"))])
    case .truncated(let size, let expected):
      return text("truncated", ["size": .init(size), "expected": .init(expected)])
    case .severalNames(let count): return text("severalNames", ["names": .init(count)])
    case .danglingLink(let target): return text("danglingLink", ["target": "\(target)"])
    case .readOnlyLog: return text("readOnlyLog")
    case .secretsUnsafe: return text("secretsUnsafe")
    case .developmentStore: return text("developmentStore")
    case .notCleaned: return text("notCleaned")
    case .diskFull: return text("diskFull")
    case .busy: return text("busy")
    case .readOnly: return text("readOnly")
    case .cannotOpen: return text("cannotOpen")
    case .deleted: return text("deleted")
    case .replaced: return text("replaced")
    case .closed: return text("closed")
    case .damaged(let reason): return text("damaged", detail(reason))
    case .diskError(let reason): return text("diskError", detail(reason))
    case .statement(let code, let reason):
      return text("statement", ["detail": .init(reason ?? "code \(code)")])
    case .damagedBlock(let number, let reason):
      return text("damagedBlock", ["number": .init(number), "detail": "\(reason)"])
    case .unreadable(let reason): return text("unreadable", ["detail": "\(reason)"])
    case .noLibrary(let reason): return text("noLibrary", ["detail": "\(reason)"])
    case .unreadableAddress: return text("unreadableAddress")
    case .passwordInAddress: return "store.failed.passwordInAddress"
    case .oldServer(let version): return text("oldServer", ["version": .init(version)])
    case .unreachable(let reason): return text("unreachable", ["detail": "\(reason)"])
    case .uncertain: return text("uncertain")
    case .refusedStatement(let state, let reason):
      return text("statement", ["detail": .init("\(reason ?? "") (\(state))")])
    case .onServer: return text("onServer")
    }
  }

  /// Why a file that a store writes, such as a backup, cannot be written, and what to do.
  fileprivate func reason(file: String) -> LocalizedText {
    switch self {
    case .system(let errno): Self.reason(errno)
    case .diskFull: Self.reason(ENOSPC)
    case .readOnly: Self.reason(EACCES)
    case .cannotOpen: "store.errno.folder"
    case .diskError(let detail?): LocalizedText("store.errno.disk", ["detail": "\(detail)"])
    case .diskError(nil): "store.errno.diskOnly"
    default: text(store: file)
    }
  }

  /// The reason and the advice, for the error numbers that people can do something about.
  private static func reason(_ errno: Int32) -> LocalizedText {
    switch errno {
    case ENOSPC, EDQUOT: "store.errno.full"
    case EACCES, EPERM: "store.errno.permission"
    case EMFILE, ENFILE: "store.errno.tooManyFiles"
    case EFBIG: "store.errno.fileSize"
    case ELOOP: "store.errno.loop"
    case EROFS: "store.errno.readOnly"
    case ENOTDIR: "store.errno.noFolder"
    case ENOENT: "store.errno.missing"
    case EISDIR: "store.errno.isFolder"
    default:
      LocalizedText(
        "store.errno.other", ["reason": .init(unsafe String(cString: strerror(errno)))])
    }
  }
}

// MARK: - Exports

extension StoreError.ExportDamage: Localizable {
  /// The problem with a line of an exported store, and the advice.
  package var localized: LocalizedText {
    switch self {
    case .noHeader:
      LocalizedText("store.export.noHeader", ["header": #"{"measured-store":1}"#])
    case .unknownVersion(let version):
      LocalizedText("store.export.unknownVersion", ["version": .init(version)])
    case .noEnd: "store.export.noEnd"
    case .wrongCount(let found, let expected):
      LocalizedText(
        "store.export.wrongCount", ["found": .init(found), "expected": .init(expected)])
    case .wrongDigest: "store.export.wrongDigest"
    case .afterEnd: "store.export.afterEnd"
    case .notUTF8: "store.export.notUTF8"
    case .tooLong(let limit): LocalizedText("store.export.tooLong", ["limit": .init(limit)])
    case .tooManyValues(let limit):
      LocalizedText("store.export.tooManyValues", ["limit": .init(limit)])
    case .notAnObject: "store.export.notAnObject"
    case .unknownKind(let kind): LocalizedText("store.export.unknownKind", ["kind": "\(kind)"])
    case .field(let field): LocalizedText("store.export.field", ["field": "\(field)"])
    case .unknownField(let field):
      LocalizedText("store.export.unknownField", ["field": "\(field)"])
    case .value(let value, let field):
      LocalizedText(
        "store.export.value", ["value": .init(value.prefix(80)), "field": "\(field)"])
    case .unknownQuantity(let name):
      LocalizedText("store.export.unknownQuantity", ["quantity": "\(name)"])
    case .unknownUnit(let unit): LocalizedText("store.export.unknownUnit", ["unit": "\(unit)"])
    }
  }
}
