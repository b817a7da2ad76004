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
  /// The store, at a path or `in memory`, cannot be read or written.
  case failed(Failure, store: String)
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
    /// A number of the outcome is infinite or not a number.
    case notFinite(task: String)
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
    /// The outcome to delete is computed from samples.
    case computedOutcome(task: String, occurrence: Int)

    // MARK: Plans

    /// The plan names a patient twice.
    case repeatedPatient(String)
    /// The plan names a task of a patient twice.
    case repeatedTask(String, patient: String)
    /// The plan binds a device, or one of its user slots, twice.
    case repeatedDevice(DeviceID)
    /// The task's id is that of a deleted task.
    case deletedTask(String, patient: String)
    /// The version would be effective at or before the start of an event that has an outcome, and
    /// hide it; the dates are to be read in `timeZone`.
    case hiddenOutcome(
      task: String, patient: String, start: Date, effectiveDate: Date, timeZone: TimeZone)

    // MARK: Samples

    /// The sample belongs to a patient already.
    case assignedSample(patient: String)
    /// The value of a sample is infinite or not a number.
    case sampleNotFinite(Quantity)
    /// The sample ends before it starts.
    case sampleEndsBeforeStart(Quantity)

    // MARK: Everything

    /// A schedule cannot be expanded.
    case schedule(ScheduleError)
    /// A text contains U+0000, which SQLite cannot store.
    case zeroCharacter(String)
  }

  /// What a store does not know.
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
    /// A sample that was deleted.
    case deletedSample(SampleIdentity)
    /// The calibration of a sensor.
    case calibration(DeviceID)
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
    /// The file is shorter than its header says, both in bytes.
    case truncated(size: Int, expected: Int)

    // MARK: The database

    /// The disk is full. Nothing of the change was written, and what was stored is safe.
    case diskFull
    /// Another program did not end its transaction in time.
    case busy
    /// The file may not be written.
    case readOnly
    /// The file cannot be opened.
    case cannotOpen
    /// The store was closed.
    case closed
    /// The database is damaged; SQLite's message.
    case damaged(String?)
    /// The disk reports an error; SQLite's message.
    case diskError(String?)
    /// SQLite refused a statement; its result code and message.
    case statement(code: Int32, String?)
    /// A row holds what this version cannot read.
    case unreadable(String)
  }
}
