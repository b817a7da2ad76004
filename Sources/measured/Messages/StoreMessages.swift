import Care
import CareStore
import Foundation
import Plans
import StrictYAML

extension StoreError: PresentableError {
  var message: String {
    switch self {
    case .refused(let refusal): refusal.message
    case .unknown(let unknown): unknown.message
    case .newerSchema(let store, let version, let supported):
      "The store ‘\(store)’ was written by a newer version of this program (its schema is"
        + " \(version), this program knows \(supported)). It was not touched. Install the newer"
        + " version, or name another store."
    case .failed(let failure, let store): failure.message(store: store)
    case .notWritten(let failure, let file): failure.message(file: file)
    case .unreadableExport(let line, let damage):
      "Line \(line) of the export cannot be read: \(damage.message) Nothing of it was merged."
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .refused, .newerSchema: .refused
    case .unknown: .unknown
    case .failed, .notWritten, .unreadableExport: .failed
    }
  }
}

extension StoreError.Refusal {
  /// Why the store refuses a change, and what to do.
  var message: String {
    switch self {
    case .readOnlyTask(let task): "‘\(task)’ is read-only: there is nothing to complete."
    case .notResettable(let task):
      "‘\(task)’ already has a result for this occurrence. Add resettable: true to the task to"
        + " allow another one."
    case .noSuchOccurrence(let occurrence, let task, let version, let count):
      "There is no occurrence \(occurrence) of ‘\(task)’, version \(version)"
        + (count.map { ", which has \($0)." } ?? ".")
    case .supersededOccurrence(let occurrence, let task, let version):
      "Occurrence \(occurrence) of ‘\(task)’, version \(version), belongs to a later version of the"
        + " task."
    case .notDueYet(let task, let day, let timeZone):
      "‘\(task)’ is due on \(day.rfc3339(in: timeZone).prefix(10)): it cannot be completed before"
        + " that day."
    case .answeredInFuture(let task, let date, let timeZone):
      "‘\(task)’ cannot have been done at \(date.toTheSecond(in: timeZone)): that time is yet to"
        + " come."
    case .notFinite(let task): "A value of ‘\(task)’ is not a finite number."
    case .implausible(let number, let unit, let quantity, let task):
      quantity.refusal(of: number, in: unit, task: task)
    case .swappedPressures(let systolic, let diastolic, let unit, let task?):
      "‘\(task)’: the upper (systolic) pressure \(systolic.plainText) is not above the lower"
        + " (diastolic) one, \(unit.text(diastolic.plainText)). Are they swapped?"
    case .swappedPressures(let systolic, let diastolic, let unit, nil):
      "The upper (systolic) pressure, \(systolic.plainText), would not be above the lower (diastolic)"
        + " one, \(unit.text(diastolic.plainText)). If both are wrong, correct the other one first."
    case .otherDimension(let unit, let expected, let task):
      "‘\(task)’ takes values \(expected.given), not in \(unit.name)."
    case .notANumber(let expected, let task):
      "‘\(task)’ takes numbers\(expected == .one ? "" : " in \(expected.name)"), written like 63.9."
    case .answer(let error, let question, let task):
      "‘\(task)’, question ‘\(question)’: \(error.message)"
    case .unknownQuestion(let kind, let known, let task):
      (kind.map { "‘\(task)’ has no question ‘\($0)’" }
        ?? "An answer of ‘\(task)’ does not say which question it answers")
        + (kind.map { Spelling.suggestion(for: $0, among: known) } ?? "")
        + ". It asks for \(known.map { "‘\($0)’" }.joined(separator: ", "))."
    case .outcomeExists(let task, let occurrence):
      "Occurrence \(occurrence) of ‘\(task)’ has an outcome already. To replace it: measured outcome"
        + " set --task \(task.shellQuoted) --occurrence \(occurrence); to delete it: measured outcome"
        + " delete --task \(task.shellQuoted) --occurrence \(occurrence)"
    case .otherBytes(let sha256):
      "The bytes are not those of the picture or video \(sha256). Nothing was stored."
    case .computedOutcome(let task, let occurrence):
      "Occurrence \(occurrence) of ‘\(task)’ has an outcome that is computed from samples. To correct"
        + " a sample: measured samples correct, with its id from measured samples; to delete it: measured"
        + " samples delete; to put an answer in"
        + " their place: measured outcome set --task \(task.shellQuoted) --occurrence \(occurrence)"
    case .repeatedPatient(let id): "The plan has the patient ‘\(id)’ twice. Keep one."
    case .repeatedTask(let task, let patient):
      "The plan has the task ‘\(task)’ of ‘\(patient)’ twice. Give one another id."
    case .repeatedDevice(let device):
      "The plan binds the device ‘\(device)’ twice. Keep one, or add userIndex."
    case .repeatedThing(let thing):
      "The plan has \(thing.text) twice. Give one another id."
    case .hiddenOutcome(let task, let patient, let days, let effectiveDate, let isEnding, let zone):
      Self.hidden(
        task: task, patient: patient, days: days, effectiveDate: effectiveDate,
        isEnding: isEnding, timeZone: zone)
    case .changedByHand(let thing):
      "Both the plan and a person changed \(thing.text) since the last import. Import without"
        + " --strict to take the plan's, which measured plan undo takes back; to keep the person's,"
        + " take it over from measured plan export."
    case .deviceChangedByHand(let device):
      "Both the plan and a person changed the binding of \(device.text) since the last import."
        + " Import without --strict to take the plan's, which measured plan undo takes back; to keep"
        + " the person's, take it over from measured plan export."
    case .partPrunes:
      "A plan without ‘patients’ is a part: what it leaves out stays. Leave out --prune, or import"
        + " the whole plan (measured plan export writes it)."
    case .noImport: "There is no import or edit of the plan left to take back."
    case .laterEdit:
      "A later change of the plan stands on this one. Take that one back first."
    case .notDeleted(let thing): "\(thing.text.capitalizedFirst) is neither deleted nor ended."
    case .noConflict(let thing):
      "There is nothing to settle about \(thing.text). `measured tasks --conflicts` lists what there"
        + " is."
    case .takenPatient(let id): "The id ‘\(id)’ is taken, or was once. Choose another one."
    case .emptyID: "An id cannot be empty."
    case .nothingToUndo(let kind):
      "This is \(kind == .alert ? "an alert" : "a \(kind.rawValue)"), which changed nothing. Only what"
        + " a rule did can be taken back."
    case .firingUndone(let date, let zone):
      "What this rule did was taken back already, at \(date.toTheSecond(in: zone))."
    case .laterFiring(let number):
      "The rule's change \(number) of the same target stands on this one. Take that one back first."
    case .streamedSample:
      "A sample of a stream cannot be corrected. Delete the span with --device, --from and --to."
    case .sampleNotFinite(let quantity): "\(quantity.title): a sample needs a finite number."
    case .sampleDateOutOfRange(let quantity):
      "\(quantity.title): the time of a sample has to lie within the years 1 to 9999."
    case .sampleEndsBeforeStart(let quantity):
      "\(quantity.title): a sample cannot end before it starts."
    case .ownFile(let path): "‘\(path)’ is the store itself. Name another file for the copy."
    case .schedule(let error): "This cannot be done: \(error.message)."
    case .zeroCharacter(let text):
      "The text ‘\(text.replacing("\0", with: "␀"))’ contains a zero character, which no store can"
        + " hold. Leave it out."
    }
  }
}

extension StoreError.Refusal {
  /// The message for a change that would leave outcomes without their event.
  private static func hidden(
    task: String, patient: String, days: [Date], effectiveDate: Date, isEnding: Bool,
    timeZone: TimeZone
  ) -> String {
    let shown = days.prefix(3).map { String($0.toTheSecond(in: timeZone).prefix(16)) }
    let rest = days.count - shown.count
    let list = shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    let what =
      isEnding
      ? "The task ‘\(task)’ of ‘\(patient)’ cannot end at"
      : "The change of ‘\(task)’ of ‘\(patient)’ cannot be effective from"
    let advice =
      isEnding
      ? "End it later: measured task end \(task) --at TIME."
      : "To stop the task, use measured task end \(task); to lose these results knowingly, import"
        + " with --drop-outcomes; else give it a later effectiveDate."
    return "\(what) \(effectiveDate.toTheSecond(in: timeZone)): what was measured or answered for"
      + " \(list) would be left without its event. \(advice)"
  }
}

extension ThingReference {
  /// The thing in a sentence: `the task ‘walk’ of ‘john’`.
  var text: String {
    switch kind {
    case .patient: "patient ‘\(id)’"
    case .task: "task ‘\(id)’ of ‘\(patient)’"
    case .carePlan: "care plan ‘\(id)’ of ‘\(patient)’"
    case .contact: patient.isEmpty ? "contact ‘\(id)’" : "contact ‘\(id)’ of ‘\(patient)’"
    case .note: "note ‘\(id)’ of ‘\(patient)’"
    case .message: "message ‘\(id)’ of ‘\(patient)’"
    }
  }
}

extension String {
  /// The text with a capital first letter.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension AnswerError {
  /// The problem with an answer, and answers that would fit.
  var message: String {
    switch self {
    case .missing: "an answer is missing. Give one with this kind."
    case .repeated: "it takes one answer, and each choice once."
    case .wrongType(let type): "the answer must be \(Self.form(of: type))."
    case .outOfRange(let value, let minimum, let maximum, let unit):
      "\(Self.text(value, unit)) is \(Self.limits(minimum, maximum, unit))."
    case .offStep(let value, let step, let minimum, let unit):
      "\(Self.text(value, unit)) is between two steps. The steps are \(Self.text(step, unit)),"
        + " counted from \(Self.text(minimum ?? 0, unit))."
    case .unknownChoice(let text, let choices):
      "‘\(text)’ is not one of \(choices.joined(separator: ", "))"
        + Spelling.suggestion(for: text, among: choices) + "."
    case .otherDimension(let unit, let expected):
      "an answer in \(unit.name) cannot be converted"
        + (expected == .one ? ". Give it without a unit." : " to \(expected.name).")
    }
  }

  private static func limits(
    _ minimum: Double?, _ maximum: Double?, _ unit: UnitOfMeasure?
  ) -> String {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?):
      "not between \(text(minimum, nil)) and \(text(maximum, unit))"
    case (let minimum?, nil): "below \(text(minimum, unit)), the least answer"
    case (nil, let maximum): "above \(text(maximum ?? 0, unit)), the greatest answer"
    }
  }

  private static func text(_ number: Double, _ unit: UnitOfMeasure?) -> String {
    let symbol = unit?.symbol ?? ""
    return symbol.isEmpty ? number.plainText : "\(number.plainText) \(symbol)"
  }

  private static func form(of type: SurveyQuestion.AnswerType) -> String {
    switch type {
    case .scale, .number: "a number"
    case .text, .choice, .choices: "a text"
    case .boolean: "true or false"
    case .date: "a date such as 2026-11-20"
    case .time: "a time such as 07:30"
    case .photo: "a picture"
    case .video: "a video"
    }
  }
}

extension StoreError.Unknown {
  /// The thing that the store does not know, and those that it knows instead.
  var message: String {
    switch self {
    case .patient(let id, let known):
      "There is no patient ‘\(id)’\(Spelling.suggestion(for: id, among: known)). "
        + (known.isEmpty
          ? "There is none yet; import a plan."
          : "There is \(known.map { "‘\($0)’" }.joined(separator: ", ")).")
    case .taskVersion(let uuid):
      "There is no task with a version \(uuid.uuidString). `measured events` lists the events that"
        + " there are."
    case .outcome(let task, let occurrence):
      "Occurrence \(occurrence) of ‘\(task)’ has no outcome to delete."
    case .sampleNumber(let number):
      "There is no sample \(number). `measured samples` lists those there are."
    case .sample(let identity):
      "There is no sample ‘\(identity.rawValue)’. `measured samples` lists those there are."
    case .task(let task):
      "There is no task ‘\(task.task)’ of ‘\(task.patient)’. `measured tasks` lists those there are."
    case .thing(let thing): "There is no \(thing.text)."
    case .device(let device): "There are no samples of the device ‘\(device)’."
    case .binding(let device): "The device ‘\(device)’ is not bound."
    case .calibration(let sensor): "The sensor ‘\(sensor)’ has no calibration."
    case .firing(let id):
      "There is no firing \(id.uuidString). `measured plan rules` lists those there are."
    case .attachment(let sha256): "There is no picture or video \(sha256)."
    }
  }
}

extension StoreError.Failure {
  /// Why the store at a path, or of that name, cannot be read or written, and what to do.
  func message(store: String) -> String {
    switch self {
    case .system(let errno): "The store ‘\(store)’ cannot be used: \(Self.reason(errno))."
    case .notAFile: Self.notAStore(store, "is not a regular file")
    case .emptyFile: Self.notAStore(store, "is empty (0 bytes)")
    case .notADatabase: Self.notAStore(store, "is not a SQLite database")
    case .otherProgram: Self.notAStore(store, "is a database of another program")
    case .developmentStore:
      "The store ‘\(store)’ was made by a version before the first release, whose format is read no more;"
        + " it was not changed. Move it away, and import the plan into a new store."
    case .truncated(let size, let expected):
      "The store ‘\(store)’ is cut short: \(size) of \(expected) bytes are there. Restore it from a"
        + " backup."
    case .danglingLink(let target):
      "The store ‘\(store)’ is a link to ‘\(target)’, whose folder does not exist. Mount the disk, create"
        + " the folder, or remove the link."
    case .readOnlyLog:
      "The store ‘\(store)’ can only be read, and its last changes are in its log ‘\(store)-wal’. Open it"
        + " as the user who owns it, or copy both files to a folder that can be written."
    case .notCleaned:
      "The rows are removed from the store ‘\(store)’, but the file could not be written again, so"
        + " remains of them may still be in it. Free as much space as the store takes, end other"
        + " programs that use it, and do the same again."
    case .diskFull:
      "The store ‘\(store)’ is on a full disk; nothing of this change was written, what was stored"
        + " is safe. Free some space."
    case .busy:
      "The store ‘\(store)’ is in use by another program, which did not let go in time; try again."
    case .readOnly:
      "The store ‘\(store)’ cannot be written; check the owner of the file and the user of this program."
    case .cannotOpen:
      "The store ‘\(store)’ cannot be opened; check that its directory exists and may be written, and that"
        + " not too many files are open (ulimit -n)."
    case .deleted:
      "The file of the store ‘\(store)’ was deleted or renamed while it was open. Put it back; or restore"
        + " a backup (measured store restore) and restart the service: systemctl restart measured."
    case .replaced:
      "Another file is in the place of the store ‘\(store)’, which was open. Put the right one back;"
        + " to work with the other one, restart the service: systemctl restart measured."
    case .closed: "The store ‘\(store)’ is closed; open it again."
    case .damaged(let detail):
      "The store ‘\(store)’ is damaged (\(detail ?? "no details")); restore it from a backup."
    case .diskError(let detail):
      "The store ‘\(store)’ cannot be reached: the disk reports an error"
        + " (\(detail ?? "no details")). Check the disk, its free space, and the limit on file sizes"
        + " (ulimit -f)."
    case .statement(let code, let detail):
      "The store ‘\(store)’ refused a statement: \(detail ?? "code \(code)")."
    case .damagedBlock(let number, let detail):
      "The store ‘\(store)’ is damaged: block \(number) of streamed samples cannot be read"
        + " (\(detail)). Restore it from a backup."
    case .unreadable(let detail):
      "The store ‘\(store)’ contains data that this program cannot read: \(detail). `measured store"
        + " check` lists everything that is damaged; restore it from a backup: measured store restore."
    }
  }

  /// Why a file that a store writes, such as a backup, cannot be written, and what to do.
  func message(file: String) -> String {
    let reason =
      switch self {
      case .system(let errno): Self.reason(errno)
      case .diskFull: Self.reason(ENOSPC)
      case .readOnly: Self.reason(EACCES)
      case .cannotOpen: "check that its directory exists and may be written"
      case .diskError(let detail):
        "the disk reports an error\(detail.map { " (\($0))" } ?? ""); check the disk, its free space, and"
          + " the limit on file sizes (ulimit -f)"
      default: message(store: file)
      }
    return
      "The file ‘\(file)’ cannot be written: \(reason). A file of that name is as it was, and so is"
      + " the store."
  }

  private static func notAStore(_ path: String, _ what: String) -> String {
    "‘\(path)’ \(what), so it is not a store of measured; it was left unchanged. Name another path, or move"
      + " the file to create a new store there."
  }

  /// The reason and the advice, for the error numbers that people can do something about.
  private static func reason(_ errno: Int32) -> String {
    switch errno {
    case ENOSPC, EDQUOT: "the disk is full; free some space"
    case EACCES, EPERM:
      "permission is missing; check the owner of the file and the user of this program"
    case EMFILE, ENFILE:
      "too many files are open; raise the limit (ulimit -n) or end other programs"
    case EFBIG: "a limit on file sizes is reached; raise it (ulimit -f)"
    case ELOOP: "it is a link that leads to itself; remove it"
    case EROFS: "the file system is read-only; remount it for writing"
    case ENOTDIR: "a part of the path is a file, not a directory; choose another path"
    case ENOENT: "a part of the path does not exist; create it"
    case EISDIR: "it is a directory; name a file in it"
    default: unsafe String(cString: strerror(errno))
    }
  }
}

extension ScheduleError: PresentableError {
  var message: String { reason }
}

extension StoreError.ExportDamage {
  /// The problem with a line of an exported store, and the advice.
  var message: String {
    switch self {
    case .noHeader:
      #"it is not {"measured-store":1}, so this is no exported store. Name another file."#
    case .unknownVersion(let version):
      "the export has format \(version), this program knows 1. Export it again with this version, or"
        + " install the version that wrote it."
    case .noEnd:
      "the export ends here without its last line, so a part of it is missing. Copy the file again,"
        + " or export the store again with this version."
    case .wrongCount(let found, let expected):
      "the export had \(expected) lines before this one, and \(found) are left. Copy the file again, or"
        + " export the store again."
    case .wrongDigest:
      "the checksum is not that of the lines before it: the file was changed after it was written."
        + " Copy the file again, or export the store again."
    case .afterEnd:
      "it follows the last line of the export. Remove what was added, or export the store again."
    case .notUTF8: "it is not UTF-8 text. Copy the file again, or export the store again."
    case .tooLong(let limit): "it is longer than \(limit) bytes. Export the store again."
    case .tooManyValues(let limit): "it has more than \(limit) values. Export the store again."
    case .notAnObject: "it is no complete JSON object. Export the store again."
    case .unknownKind(let kind):
      "its kind ‘\(kind)’ is unknown. Install the version that wrote it."
    case .field(let field): "‘\(field)’ is missing or has another type. Export the store again."
    case .unknownField(let field):
      "‘\(field)’ is unknown. Install the version that wrote it."
    case .value(let value, let field):
      "‘\(field)’ cannot be ‘\(value.prefix(80))’. Export the store again."
    case .unknownQuantity(let name):
      "the quantity ‘\(name)’ is unknown. Install the version that wrote it."
    case .unknownUnit(let unit):
      "the unit ‘\(unit)’ is unknown, or does not fit the quantity. Install the version that wrote it."
    }
  }
}
