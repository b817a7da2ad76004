public import Foundation

/// Why a store did not do what was asked.
///
/// The cases carry facts; the words for people are the caller's.
public enum StoreError: Error, Hashable, Sendable {
  /// A rule forbids it; nothing changed.
  case refused(Refusal)
  /// There is no such patient, task version, outcome, sample or calibration.
  case unknown(Unknown)
  /// The store, at a path, was written by a newer version of this library; it was not touched.
  case newerSchema(store: String, version: Int, supported: Int)
  /// The store has an older schema, with which a daemon of an older version may be working.
  case olderSchema(store: String, version: Int, supported: Int)
  /// The store, at a path or `in memory`, cannot be read or written.
  case failed(Failure, store: String)
  /// A file that the store was to write at this path, such as a backup, cannot be written; one that
  /// is there stays.
  case notWritten(Failure, file: String)
  /// A line of an exported store, counted from 1, cannot be read; nothing of it was merged.
  case unreadableExport(line: Int, ExportDamage)
}

extension StoreError {
  /// A rule that forbids a change.
  public enum Refusal: Hashable, Sendable {
    // MARK: Outcomes

    /// The task is read-only, so its events take no outcome.
    case readOnlyTask(String)
    /// The assessment has its result for this occurrence and is not resettable.
    case notResettable(task: String)
    /// The version's schedule has no such occurrence; `count` is how many it has, `nil` if endless.
    case noSuchOccurrence(Int, task: String, version: Int, count: Int?)
    /// A later version of the task is effective at this occurrence of the version.
    case supersededOccurrence(Int, task: String, version: Int)
    /// The event is on a later day; `day` is its local midnight in `timeZone`.
    case notDueYet(task: String, day: Date, timeZone: TimeZone)
    /// The person says that it was done at a time that is not yet; to be read in `timeZone`.
    case answeredLongBefore(task: String, at: Date, start: Date, timeZone: TimeZone)
    case answeredInFuture(task: String, at: Date, timeZone: TimeZone)
    /// A number of the outcome is infinite or not a number.
    case notFinite(task: String)
    /// A number of a task, of its outcome or of a person is beyond what it can be.
    case amount(AmountFlaw, of: String)
    /// A person entered a value, in that unit, that nobody has; `task` is the task that it answers,
    /// if any.
    case implausible(Double, UnitOfMeasure, of: Quantity, task: String?)
    /// A person entered a systolic pressure that is not above the diastolic one; `task` is the task
    /// that they answer, `nil` for a correction.
    case swappedPressures(systolic: Double, diastolic: Double, UnitOfMeasure, task: String?)
    /// The unit of a value cannot be converted to that of the task's linkage.
    case otherDimension(UnitOfMeasure, expected: UnitOfMeasure, task: String)
    /// A value of a linked task is no number; `expected` is its linkage's unit.
    case notANumber(expected: UnitOfMeasure, task: String)
    /// An answer does not fit its question, by kind, of the task's survey, or is missing.
    case answer(AnswerError, question: String, task: String)
    /// The task's survey has no question of this kind; `known` are the kinds it has.
    case unknownQuestion(String?, known: [String], task: String)
    /// An outcome was added to an event that has one.
    case outcomeExists(task: String, occurrence: Int)
    /// The bytes are not those of the attachment with this SHA-256 digest.
    case otherBytes(sha256: String)
    /// A patient's pictures and videos have as many bytes together as they may have.
    case tooManyAttachmentBytes(patient: String, most: Int)
    /// The videos of a patient's tasks have as many bytes together as they may have.
    case tooManyVideoBytes(patient: String, most: Int)
    /// The outcome to delete is computed from samples.
    case computedOutcome(task: String, occurrence: Int)

    // MARK: Plans

    /// The plan names a patient twice.
    case repeatedPatient(String)
    /// The plan names a task of a patient twice.
    case repeatedTask(String, patient: String)
    /// The plan binds a device, or one of its user slots, twice.
    case repeatedDevice(DeviceID)
    /// The plan names a contact, care plan or note twice.
    case repeatedThing(ThingReference)
    /// The change would leave the outcomes of these events without their event; the dates are to be
    /// read in `timeZone`. `isEnding` if the task is to end at `effectiveDate`.
    case hiddenOutcome(
      task: String, patient: String, days: [Date], effectiveDate: Date, isEnding: Bool,
      timeZone: TimeZone)
    /// Both the plan and a person changed it since the last import.
    case changedByHand(ThingReference)
    /// Both the plan and a person changed the binding of a device since the last import.
    case deviceChangedByHand(DeviceID)
    /// A part of a plan leaves out what stays, so that it cannot end it.
    case partPrunes
    /// There is no import or edit that could be taken back.
    case noImport
    /// A later change of the plan stands on the edit that was to be taken back.
    case laterEdit
    /// The thing is neither deleted nor ended.
    case notDeleted(ThingReference)
    /// Nothing about it needs to be settled.
    case noConflict(ThingReference)
    /// The id is, or was, another patient's.
    case takenPatient(String)
    /// A text that stands for a topic of ntfy in an exported plan, of a topic that the store does not have.
    case unknownTopic(String)
    /// An id is empty.
    case emptyID

    // MARK: Firings

    /// A reminder, fallback or alert changed nothing that could be taken back.
    case nothingToUndo(Firing.Kind)
    /// The firing was taken back then; the date is to be read in `timeZone`.
    case firingUndone(Date, timeZone: TimeZone)
    /// A later change of the same target, the firing of that number, follows this one.
    case laterFiring(Int64)

    // MARK: Samples

    /// The sample is one of a stream, which cannot be corrected one by one.
    case streamedSample
    /// The value of a sample is infinite or not a number.
    case sampleNotFinite(Quantity)
    /// An instant of a sample lies outside of the years 1 to 9999.
    case sampleDateOutOfRange(Quantity)
    /// The sample ends before it starts.
    case sampleEndsBeforeStart(Quantity)

    // MARK: Everything

    /// The store's own file, at this path, cannot be its backup.
    case ownFile(String)
    /// More waits for the rest of what a phone sends than is kept, in bytes.
    case tooMuchWaiting(limit: Int)
    /// The keys and consent codes of devices are in a file, at this path, that is another user's.
    case foreignSecrets(String)
    /// A schedule cannot be expanded.
    case schedule(ScheduleError)
    /// A text contains U+0000, which SQLite cannot store.
    case zeroCharacter(String)
    /// A row could not be exported and merged again, for this reason.
    case notExportable(ExportDamage)
  }

  /// A thing that a store does not know.
  public enum Unknown: Hashable, Sendable {
    /// A patient; `known` are the ids of those there are.
    case patient(String, known: [String])
    /// A version of a task.
    case taskVersion(UUID)
    /// An event's outcome.
    case outcome(task: String, occurrence: Int)
    /// A sample, by the number it has in this store.
    case sampleNumber(Int64)
    /// A sample.
    case sample(SampleIdentity)
    /// A task.
    case task(TaskReference)
    /// A patient, task, contact, care plan or note.
    case thing(ThingReference)
    /// A device of which there are no samples.
    case device(DeviceID)
    /// The binding of a device.
    case binding(DeviceID)
    /// The calibration of a sensor.
    case calibration(DeviceID)
    /// A firing, by its id.
    case firing(UUID)
    /// A picture or video, by the SHA-256 digest of its bytes.
    case attachment(sha256: String)
  }

  /// Why a store cannot be read or written.
  public enum Failure: Hashable, Sendable {
    // MARK: The file

    /// A system call failed with this error number.
    case system(errno: Int32)
    /// The path leads to something that is neither a file nor a directory.
    case notAFile
    /// The file is empty.
    case emptyFile
    /// The file is not a SQLite database.
    case notADatabase
    /// The file is a database of another program.
    case otherProgram
    /// The file is a store that a program before the first release made.
    case developmentStore
    /// The file is shorter than its header says, both in bytes.
    case truncated(size: Int, expected: Int)

    /// The file has so many names (hard links): what is written under one of them is lost under
    /// another.
    case severalNames(Int)
    /// The path is a symbolic link to this path, whose directory does not exist.
    case danglingLink(String)
    /// The file may only be read, and what its write-ahead log contains would be missing.
    case readOnlyLog
    /// The file with the keys and consent codes of devices is not its owner's alone.
    case secretsUnsafe

    // MARK: The database

    /// Rows were removed, and their remains are still in the file: it could not be written again.
    case notCleaned
    /// The disk is full. Nothing of the change was written, and what was stored is safe.
    case diskFull
    /// Another program did not end its transaction in time.
    case busy
    /// The file may not be written.
    case readOnly
    /// The file cannot be opened.
    case cannotOpen
    /// The file was deleted or renamed; without a name, what is open is lost when it is closed.
    case deleted
    /// Another file is in the place of the one that is open.
    case replaced
    /// The store was closed.
    case closed
    /// The database is damaged; SQLite's message.
    case damaged(String?)
    /// The disk reports an error; SQLite's message.
    case diskError(String?)
    /// SQLite refused a statement; its result code and message.
    case statement(code: Int32, String?)
    /// A block of streamed samples, by its number, is damaged, for this reason.
    case damagedBlock(Int64, String)
    /// A row holds what this version cannot read.
    case unreadable(String)

    // MARK: The server

    /// The library that speaks with PostgreSQL is missing; why it cannot be loaded.
    case noLibrary(String)
    /// The address of a database cannot be read.
    case unreadableAddress
    /// The address of a database has a password, which others could read there.
    case passwordInAddress
    /// The server is of this version of PostgreSQL, which is too old.
    case oldServer(Int)
    /// The server cannot be reached, or broke the connection off; its message. Nothing of the change was
    /// kept.
    case unreachable(String)
    /// The connection broke off while a change was being kept: whether it was is not known.
    case uncertain
    /// PostgreSQL refused a statement; its SQLSTATE and message.
    case refusedStatement(state: String, String?)
    /// The store is on a server, and has no file.
    case onServer
  }
}

extension StoreError {
  /// A defect of a line of an exported store.
  public enum ExportDamage: Error, Hashable, Sendable {
    /// The first line does not say that it is an exported store.
    case noHeader
    /// The export has a format that this version does not know.
    case unknownVersion(Int)
    /// The line is the last one, and is not the line that ends an export: the rest is missing.
    case noEnd
    /// The line ends an export of `expected` lines, and `found` lines come before it.
    case wrongCount(found: Int, expected: Int)
    /// The line ends an export, and its digest is not that of the lines before it.
    case wrongDigest
    /// The line follows the one that ends the export.
    case afterEnd
    /// The line is not UTF-8.
    case notUTF8
    /// The line is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// The line has more values than any part of a store.
    case tooManyValues(limit: Int)
    /// The line is no JSON object.
    case notAnObject
    /// The kind of line is not known.
    case unknownKind(String)
    /// A field is missing, or has another type.
    case field(String)
    /// A field is not known.
    case unknownField(String)
    /// A field has a value that it cannot have.
    case value(String, field: String)
    /// The quantity is not known.
    case unknownQuantity(String)
    /// The unit is not known, or does not fit the quantity.
    case unknownUnit(String)
  }
}
