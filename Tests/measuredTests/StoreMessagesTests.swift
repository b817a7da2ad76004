import Care
import Foundation
import Testing

@testable import Terminal

struct StoreMessagesTests {
  private static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

  private static func time(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }

  private static func answer(_ error: AnswerError) -> StoreError.Refusal {
    .answer(error, question: "pain", task: "check-in")
  }

  static let refusals: [(StoreError.Refusal, String)] = [
    (.readOnlyTask("read"), "‘read’ is read-only: there is nothing to complete."),
    (
      .notResettable(task: "ask"),
      "‘ask’ already has a result for this occurrence. Add resettable: true to the task to"
        + " allow another one."
    ),
    (
      .noSuchOccurrence(9, task: "walk", version: 1, count: 7),
      "There is no occurrence 9 of ‘walk’, version 1, which has 7."
    ),
    (
      .noSuchOccurrence(-1, task: "walk", version: 2, count: nil),
      "There is no occurrence -1 of ‘walk’, version 2."
    ),
    (
      .supersededOccurrence(1, task: "walk", version: 1),
      "Occurrence 1 of ‘walk’, version 1, belongs to a later version of the task."
    ),
    (
      .notDueYet(task: "walk", day: time("2023-05-04T00:00:00-07:00"), timeZone: zone),
      "‘walk’ is due on 2023-05-04: it cannot be completed before that day."
    ),
    (.notFinite(task: "weigh"), "A value of ‘weigh’ is not a finite number."),
    (
      .otherDimension(.degreeCelsius, expected: .kilogram, task: "weigh"),
      "‘weigh’ takes values in kg, not in °C."
    ),
    (
      .notANumber(expected: .kilogram, task: "weigh"),
      "‘weigh’ takes numbers in kg, written like 63.9."
    ),
    (.notANumber(expected: .one, task: "walk"), "‘walk’ takes numbers, written like 63.9."),
    (
      .unknownQuestion("pian", known: ["pain", "sleep"], task: "check-in"),
      "‘check-in’ has no question ‘pian’ (did you mean ‘pain’?). It asks for ‘pain’, ‘sleep’."
    ),
    (
      .unknownQuestion(nil, known: ["pain"], task: "check-in"),
      "An answer of ‘check-in’ does not say which question it answers. It asks for ‘pain’."
    ),
    (
      answer(.missing),
      "‘check-in’, question ‘pain’: an answer is missing. Give one with this kind."
    ),
    (
      answer(.repeated),
      "‘check-in’, question ‘pain’: it takes one answer, and each choice once."
    ),
    (
      answer(.wrongType(expected: .scale)),
      "‘check-in’, question ‘pain’: the answer must be a number."
    ),
    (
      answer(.outOfRange(11, minimum: 1, maximum: 10, unit: nil)),
      "‘check-in’, question ‘pain’: 11 is not between 1 and 10."
    ),
    (
      answer(.outOfRange(-1, minimum: 0, maximum: nil, unit: .kilogram)),
      "‘check-in’, question ‘pain’: −1 kg is below 0 kg, the least answer."
    ),
    (
      answer(.outOfRange(25, minimum: nil, maximum: 24, unit: .hour)),
      "‘check-in’, question ‘pain’: 25 h is above 24 h, the greatest answer."
    ),
    (
      answer(.offStep(2.5, step: 1, minimum: 1, unit: nil)),
      "‘check-in’, question ‘pain’: 2.5 is between two steps. The steps are 1, counted from 1."
    ),
    (
      answer(.unknownChoice("wel", choices: ["well", "ill"])),
      "‘check-in’, question ‘pain’: ‘wel’ is not one of well, ill (did you mean ‘well’?)."
    ),
    (
      answer(.otherDimension(.kilogram, expected: .hour)),
      "‘check-in’, question ‘pain’: an answer in kg cannot be converted to h."
    ),
    (
      answer(.otherDimension(.kilogram, expected: .one)),
      "‘check-in’, question ‘pain’: an answer in kg cannot be converted. Give it without a unit."
    ),
    (
      .outcomeExists(task: "walk", occurrence: 2),
      "Occurrence 2 of ‘walk’ has an outcome already. To replace it: measured outcome set --task walk"
        + " --occurrence 2; to delete it: measured outcome delete --task walk --occurrence 2"
    ),
    (
      .computedOutcome(task: "weigh-in", occurrence: 0),
      "Occurrence 0 of ‘weigh-in’ has an outcome that is computed from samples. To correct a"
        + " sample: measured samples correct, with its id from measured samples; to delete it: measured"
        + " samples delete; to put an answer in their place: measured outcome set --task weigh-in --occurrence 0"
    ),
    (.repeatedPatient("john"), "The plan has the patient ‘john’ twice. Keep one."),
    (
      .repeatedTask("walk", patient: "john"),
      "The plan has the task ‘walk’ of ‘john’ twice. Give one another id."
    ),
    (
      .repeatedDevice("5c:ca:d3:70:d4:a2"),
      "The plan binds the device ‘5C:CA:D3:70:D4:A2’ twice. Keep one, or add userIndex."
    ),
    (
      .hiddenOutcome(
        task: "meals", patient: "john",
        days: (8...12).map { time("2026-12-\($0 < 10 ? "0" : "")\($0)T17:30:00-08:00") },
        effectiveDate: time("2026-12-07T07:30:00-08:00"), isEnding: false, timeZone: zone),
      "The change of ‘meals’ of ‘john’ cannot be effective from 2026-12-07T07:30:00-08:00: what was"
        + " measured or answered for 2026-12-08T17:30, 2026-12-09T17:30, 2026-12-10T17:30 and 2"
        + " more would be left without its event. To stop the task, use measured task end meals; to"
        + " lose these results knowingly, import with --drop-outcomes; else give it a later"
        + " effectiveDate."
    ),
    (
      .hiddenOutcome(
        task: "meals", patient: "john", days: [time("2026-12-08T17:30:00-08:00")],
        effectiveDate: time("2026-12-07T07:30:00-08:00"), isEnding: true, timeZone: zone),
      "The task ‘meals’ of ‘john’ cannot end at 2026-12-07T07:30:00-08:00: what was measured or"
        + " answered for 2026-12-08T17:30 would be left without its event. End it later: measured"
        + " task end meals --at TIME."
    ),
    (
      .changedByHand(.task(TaskReference(patient: "john", task: "walk"))),
      "Both the plan and a person changed task ‘walk’ of ‘john’ since the last import. Import"
        + " without --strict to take the plan's, which measured plan undo takes back; to keep the"
        + " person's, take it over from measured plan export."
    ),
    (
      .noConflict(.patient("john")),
      "There is nothing to settle about patient ‘john’. `measured tasks --conflicts` lists what there"
        + " is."
    ),
    (
      .partPrunes,
      "A plan without ‘patients’ is a part: what it leaves out stays. Leave out --prune, or import"
        + " the whole plan (measured plan export writes it)."
    ),
    (.noImport, "There is no import or edit of the plan left to take back."),
    (.laterEdit, "A later change of the plan stands on this one. Take that one back first."),
    (
      .deviceChangedByHand("5C:CA:D3:70:D4:A2"),
      "Both the plan and a person changed the binding of 5C:CA:D3:70:D4:A2 since the last import."
        + " Import without --strict to take the plan's, which measured plan undo takes back; to keep"
        + " the person's, take it over from measured plan export."
    ),
    (.notDeleted(.patient("john")), "Patient ‘john’ is neither deleted nor ended."),
    (.takenPatient("ben"), "The id ‘ben’ is taken, or was once. Choose another one."),
    (.emptyID, "An id cannot be empty."),
    (
      .streamedSample,
      "A sample of a stream cannot be corrected. Delete the span with --device, --from and --to."
    ),
    (.sampleNotFinite(.bodyMass), "Weight: a sample needs a finite number."),
    (
      .sampleDateOutOfRange(.bodyMass),
      "Weight: the time of a sample has to lie within the years 1 to 9999."
    ),
    (.sampleEndsBeforeStart(.stepCount), "Steps: a sample cannot end before it starts."),
    (
      .schedule(.tooManyOccurrences(limit: 5)),
      "This cannot be done: there are more than 5 occurrences in this span; ask for a shorter one."
    ),
    (
      .zeroCharacter("a\0b"),
      "The text ‘a␀b’ contains a zero character, which no store can hold. Leave it out."
    ),
  ]

  @Test(arguments: refusals)
  func `a refusal says why and ends with 3`(refusal: StoreError.Refusal, message: String) {
    #expect(StoreError.refused(refusal).message == message)
    #expect(StoreError.refused(refusal).exitCode == .refused)
  }

  static let unknown: [(StoreError.Unknown, String)] = [
    (
      .patient("jane", known: ["ann", "john"]),
      "There is no patient ‘jane’. There is ‘ann’, ‘john’."
    ),
    (
      .patient("jane", known: []),
      "There is no patient ‘jane’. There is none yet; import a plan."
    ),
    (
      .outcome(task: "walk", occurrence: 1),
      "Occurrence 1 of ‘walk’ has no outcome to delete."
    ),
    (.sampleNumber(7), "There is no sample 7. `measured samples` lists those there are."),
    (
      .sample(SampleIdentity(text: "scale|1")),
      "There is no sample ‘scale|1’. `measured samples` lists those there are."
    ),
    (.device("left-thigh"), "There are no samples of the device ‘left-thigh’."),
    (.binding("left-thigh"), "The device ‘left-thigh’ is not bound."),
    (.calibration("left-thigh"), "The sensor ‘left-thigh’ has no calibration."),
  ]

  @Test(arguments: unknown)
  func `an unknown ID is named and ends with 4`(unknown: StoreError.Unknown, message: String) {
    #expect(StoreError.unknown(unknown).message == message)
    #expect(StoreError.unknown(unknown).exitCode == .unknown)
  }

  @Test func `an unknown version points to the events`() throws {
    let uuid = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
    #expect(
      StoreError.unknown(.taskVersion(uuid)).message
        == "There is no task with a version 00000000-0000-4000-8000-000000000001. `measured events`"
        + " lists the events that there are.")
  }

  @Test func `a newer schema is refused`() {
    let error = StoreError.newerSchema(store: "/a.db", version: 7, supported: 3)
    #expect(
      error.message
        == "The store ‘/a.db’ was written by a newer version of this program (its schema is 7, this"
        + " program knows 3). It was not touched. Install the newer version, or name another store."
    )
    #expect(error.exitCode == .refused)
  }

  @Test func `an older schema is refused`() {
    let error = StoreError.olderSchema(store: "/a.db", version: 1, supported: 2)
    #expect(
      error.message
        == "The store ‘/a.db’ has the schema 1 of an older version of this program; this one works"
        + " with 2. It was not touched. Restart the service, so that it is of the same version as"
        + " this program: systemctl restart measured.")
    #expect(error.exitCode == .refused)
  }

  @Test func `secrets that are another user's are refused`() {
    let error = StoreError.refused(.foreignSecrets("/a.db.secrets"))
    #expect(
      error.message
        == "Keys and consent codes of devices are in ‘/a.db.secrets’, which is another user's. While"
        + " the service runs, it keeps them: systemctl start measured. Or do it as that user: sudo -u"
        + " measured measured plan import FILE.")
    #expect(error.exitCode == .refused)
  }

  static let failures: [(StoreError.Failure, String)] = [
    (
      .system(errno: ENOSPC), "The store ‘/a.db’ cannot be used: the disk is full; free some space."
    ),
    (
      .system(errno: EACCES),
      "The store ‘/a.db’ cannot be used: permission is missing; check the owner of the"
        + " file and the user of this program."
    ),
    (
      .system(errno: EROFS),
      "The store ‘/a.db’ cannot be used: the file system is read-only; remount it for writing."
    ),
    (
      .system(errno: ENOTDIR),
      "The store ‘/a.db’ cannot be used: a part of the path is a file, not a directory; choose"
        + " another path."
    ),
    (
      .system(errno: ENOENT),
      "The store ‘/a.db’ cannot be used: a part of the path does not exist; create it."
    ),
    (
      .system(errno: EISDIR),
      "The store ‘/a.db’ cannot be used: it is a directory; name a file in it."
    ),
    (.system(errno: EIO), "The store ‘/a.db’ cannot be used: Input/output error."),
    (
      .emptyFile,
      "‘/a.db’ is empty (0 bytes), so it is not a store of measured; it was left unchanged. Name"
        + " another path, or move the file to create a new store there."
    ),
    (
      .truncated(size: 1, expected: 2),
      "The store ‘/a.db’ is cut short: 1 of 2 bytes are there. Restore it from a backup."
    ),
    (
      .diskFull,
      "The store ‘/a.db’ is on a full disk; nothing of this change was written, what was stored is"
        + " safe. Free some space."
    ),
    (.closed, "The store ‘/a.db’ is closed; open it again."),
    (.damaged(nil), "The store ‘/a.db’ is damaged (no details); restore it from a backup."),
    (.statement(code: 1, nil), "The store ‘/a.db’ refused a statement: code 1."),
    (
      .unreadable("‘x’ in ‘unit’"),
      "The store ‘/a.db’ contains data that this program cannot read: ‘x’ in ‘unit’. `measured store"
        + " check` lists everything that is damaged; restore it from a backup: measured store restore."
    ),
  ]

  @Test(arguments: failures)
  func `a failure says what to do and ends with 1`(failure: StoreError.Failure, message: String) {
    let error = StoreError.failed(failure, store: "/a.db")
    #expect(error.message == message)
    #expect(error.exitCode == .failed)
  }

  static let unwritten: [(StoreError.Failure, String)] = [
    (.system(errno: ENOSPC), "the disk is full; free some space"),
    (.diskFull, "the disk is full; free some space"),
    (.system(errno: EISDIR), "it is a directory; name a file in it"),
    (.cannotOpen, "check that its directory exists and may be written"),
    (
      .diskError("disk I/O error"),
      "the disk reports an error (disk I/O error); check the disk, its free space, and the limit on"
        + " file sizes (ulimit -f)"
    ),
  ]

  @Test(arguments: unwritten)
  func `a file that cannot be written is named`(failure: StoreError.Failure, reason: String) {
    let error = StoreError.notWritten(failure, file: "/b.db")
    #expect(
      error.message
        == "The file ‘/b.db’ cannot be written: \(reason). A file of that name is as it was, and so is"
        + " the store.")
    #expect(error.exitCode == .failed)
  }

  @Test func `every schedule error has its own words`() {
    let errors: [ScheduleError] = [
      .noElements, .intervalNotForward, .intervalTooLong, .endNotAfterStart, .durationOutOfRange,
      .dateOutOfRange, .noSuchTime, .tooManyOccurrences(limit: 5),
    ]
    #expect(Set(errors.map(\.message)).count == errors.count)
  }
}
