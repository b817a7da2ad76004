import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

// Swift Testing has another one.
private typealias Attachment = Care.Attachment

@Suite struct AttachmentTests: ~Copyable {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private static func plan() throws -> PlanDocument {
    var tasks: [PlannedTask] = []
    for person in ["john", "ann"] {
      var task = try PlannedTask.daily("wound", title: "Wound")
      task.patient = person
      task.survey = [
        try SurveyQuestion(kind: "picture", type: .photo),
        try SurveyQuestion(kind: "walk", type: .video, isOptional: true),
      ]
      tasks.append(task)
    }
    var plan = PlanDocument.example()
    plan.tasks = tasks
    plan.patients.append(Patient(id: "ann", name: PersonName(given: "Ann")))
    return plan
  }

  private func store(_ name: String = "a", seed: UInt64 = 1) async throws -> SQLStore {
    let store = try SQLStore.open(
      path: try TestEngine.makePlace(scratch.file(name)), makeUUID: SeededUUIDs(seed: seed).next)
    _ = try await store.write { try $0.importPlan(try Self.plan(), now: midnight) }
    return store
  }

  /// Bytes of a picture of 2.5 parts.
  private static let picture = MediaFiles.png(length: Attachment.partLength * 5 / 2)

  private func file(
    _ bytes: [UInt8], _ kind: MediaType.Kind? = .picture, for store: SQLStore, pieces: Int = 50_000
  ) throws -> AttachmentFile {
    let draft = try AttachmentDraft(kind, for: store, id: UUID())
    var rest = bytes[...]
    while !rest.isEmpty {
      try draft.append(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return try draft.finish()
  }

  @discardableResult
  private func answer(
    _ store: SQLStore, with bytes: [UInt8] = picture, patient: String = "john", on number: Int = 0
  ) async throws -> Attachment {
    let file = try file(bytes, for: store)
    try await store.write { writer in
      let event = try #require(
        try writer.events(patient: patient, task: "wound", from: day(number), to: day(number + 1))
          .first)
      try file.store(in: writer)
      _ = try writer.setOutcome(
        [
          OutcomeValue(
            value: .attachment(file.attachment), kind: "picture", time: day(number, hour: 13),
            provenance: .manual)
        ], of: event.reference, now: day(number, hour: 13))
    }
    return file.attachment
  }

  private func bytes(_ attachment: Attachment, in store: SQLStore) async throws -> [UInt8] {
    try await store.read { reader in
      try (0..<attachment.partCount).flatMap { try reader.part($0, of: attachment) }
    }
  }

  private func values(_ store: SQLStore, _ patient: String = "john") async throws -> [OutcomeValue]
  {
    try await store.read {
      try $0.events(patient: patient, task: "wound", from: midnight, to: day(3))
        .flatMap { $0.outcome?.values ?? [] }
    }
  }

  @Test
  func `a picture is kept as it is, and found over a restart`() async throws {
    let store = try await store()
    let attachment = try await answer(store)
    #expect(attachment.type == .png)
    #expect(attachment.byteCount == Self.picture.count)
    #expect(attachment.partCount == 3)
    #expect(try await bytes(attachment, in: store) == Self.picture)
    try store.close()
    let again = try SQLStore.example(at: store.place)
    #expect(try await values(again).map(\.value) == [.attachment(attachment)])
    #expect(try await bytes(attachment, in: again) == Self.picture)
    #expect(
      try await again.read { try $0.attachment(sha256: attachment.sha256) }
        == StoredAttachment(attachment: attachment, patients: ["john"]))
    #expect(try await again.check() == [])
    #expect(try scratch.names.allSatisfy { !$0.contains(".new") })
    #expect(try await again.contents().contains { $0.contains(attachment.sha256) })
  }

  @Test
  func `a day's query reads no bytes of a picture`() async throws {
    let store = try await store()
    try await answer(store)
    // Were they read with the day, the query would fail: there are none.
    try await store.write { writer in
      try (writer as? SQLTransaction)?.execute("DELETE FROM attachment")
    }
    #expect(try await values(store).count == 1)
    let size = try await store.read { reader in
      try (reader as? SQLTransaction)?.row(
        "SELECT max(length(CAST(value AS BLOB))) AS size FROM outcome_value"
      )?.required("size") as Int?
    }
    #expect(size == 32)
  }

  @Test
  func `the same bytes are stored once`() async throws {
    let store = try await store()
    let first = try await answer(store)
    try await answer(store, patient: "ann", on: 1)
    let stored = try await store.read { try $0.attachment(sha256: first.sha256) }
    #expect(stored?.patients == ["ann", "john"])
    #expect(try await count(store) == 3)
    let second = try await answer(store, with: MediaFiles.png(length: 10))
    #expect(second.partCount == 1)
    #expect(
      try await store.read { try $0.attachment(sha256: first.sha256) }?.patients == ["ann"])
    try await store.write { writer in
      let event = try #require(
        try writer.events(patient: "john", task: "wound", from: day(0), to: day(1)).first)
      _ = try writer.deleteOutcome(of: event.reference, now: day(1))
    }
    #expect(try await store.read { try $0.attachment(sha256: second.sha256) } == nil)
    #expect(try await store.check() == [])
  }

  private func count(_ store: SQLStore) async throws -> Int? {
    try await store.read { reader in
      try (reader as? SQLTransaction)?.row("SELECT count(*) AS n FROM attachment")?.required("n")
    }
  }

  @Test
  func `what was replaced or taken back takes no room`() async throws {
    let store = try await store()
    let first = try await answer(store)
    try await answer(store, with: MediaFiles.png(length: 10))
    #expect(try await store.read { try $0.attachment(sha256: first.sha256) } == nil)
    #expect(try await count(store) == 1)
    try await store.write { writer in
      let event = try #require(
        try writer.events(patient: "john", task: "wound", from: day(0), to: day(1)).first)
      _ = try writer.deleteOutcome(of: event.reference, now: day(1))
    }
    #expect(try await count(store) == 0)
    #expect(try await store.check() == [])
    // The export has the versions, and another store takes them.
    let copy = try await store.copied(9)
    #expect(try await copy.exported() == store.exported())
    try await answer(store)
    #expect(try await count(store) == 3)
  }

  @Test
  func `a patient has no more bytes than one may have`() async throws {
    let store = try await store()
    try await answer(store)
    try await store.write { writer in
      // As many more of the largest pictures as there may be.
      let longest = MediaType.Kind.picture.longest
      for number in 1...Attachment.mostOfPatient / longest {
        try (writer as? SQLTransaction)?.execute(
          """
          INSERT INTO outcome_value
            (outcome, position, type, value, unit, kind, time, provenance, media_type, byte_count)
          SELECT outcome, ?, type, ?, unit, kind, time, provenance, media_type, ?
            FROM outcome_value WHERE position = 0
          """, [number, Data(repeating: UInt8(truncatingIfNeeded: number), count: 32), longest])
      }
    }
    let small = MediaFiles.png(length: 7_500_000)
    await #expect(
      throws: StoreError.refused(
        .tooManyAttachmentBytes(patient: "john", most: Attachment.mostOfPatient))
    ) { try await answer(store, with: small, on: 1) }
    #expect(try await count(store) == 3)
    // Another person's do not count, nor does what is replaced.
    try await answer(store, with: small, patient: "ann", on: 1)
    try await answer(store, with: small)
    try await answer(store, with: small, on: 1)
  }

  @Test
  func `a reference without its bytes, and other bytes than a reference's`() async throws {
    let store = try await store()
    let attachment = try file(Self.picture, for: store).attachment
    await #expect(throws: StoreError.unknown(.attachment(sha256: attachment.sha256))) {
      try await store.write { writer in
        let event = try #require(
          try writer.events(patient: "john", task: "wound", from: day(0), to: day(1)).first)
        _ = try writer.setOutcome(
          [
            OutcomeValue(
              value: .attachment(attachment), kind: "picture", time: midnight, provenance: .manual)
          ], of: event.reference, now: day(0, hour: 13))
      }
    }
    await #expect(throws: StoreError.refused(.otherBytes(sha256: attachment.sha256))) {
      try await store.write { writer in
        try writer.store(attachment) { _ in Array(Self.picture.prefix(Attachment.partLength)) }
      }
    }
    #expect(try await count(store) == 0)
    for digest in ["", "x", attachment.sha256.uppercased()] {
      #expect(try await store.read { try $0.attachment(sha256: digest) } == nil)
    }
  }

  @Test
  func `a video where a picture is asked for is refused by the question, too`() async throws {
    let store = try await store()
    let file = try file(MediaFiles.boxes("isom"), nil, for: store)
    await #expect(
      throws: StoreError.refused(
        .answer(.wrongType(expected: .photo), question: "picture", task: "wound"))
    ) {
      try await store.write { writer in
        let event = try #require(
          try writer.events(patient: "john", task: "wound", from: day(0), to: day(1)).first)
        try file.store(in: writer)
        _ = try writer.setOutcome(
          [
            OutcomeValue(
              value: .attachment(file.attachment), kind: "picture", time: midnight,
              provenance: .manual)
          ], of: event.reference, now: day(0, hour: 13))
      }
    }
    #expect(try await count(store) == 0)
  }

  @Test
  func `what cannot be stored is refused as what it is, and leaves no file`() async throws {
    let store = try await store()
    let cases: [([UInt8], MediaType.Kind?, AttachmentError)] = [
      ([], nil, .empty), (Array("PK\u{3}\u{4}".utf8), .picture, .otherContent(.zip)),
      (Array("Hello".utf8), .picture, .otherContent(.text)),
      (MediaFiles.boxes("isom"), .picture, .otherKind(.mp4, expected: .picture)),
      (MediaFiles.png(), .video, .otherKind(.png, expected: .video)),
      ([0xFF, 0xD8, 0xFF, 0xE0, 0, 0], .picture, .damaged(.jpeg)),
      (MediaFiles.png(length: 12_000_001), .picture, .tooLong(.picture)),
      (
        MediaFiles.jpeg(isEnded: false) + [UInt8](repeating: 1, count: 12_000_000), nil,
        .tooLong(.picture)
      ),
      (MediaFiles.boxes("isom", length: 50_000_001), .video, .tooLong(.video)),
    ]
    for (bytes, kind, error) in cases {
      #expect(throws: error) { try file(bytes, kind, for: store, pieces: 1 << 20) }
    }
    #expect(try file(MediaFiles.png(length: 12_000_000), for: store).attachment.partCount == 46)
    #expect(try scratch.names.allSatisfy { $0.hasPrefix("a") && !$0.contains(".new") })
  }

  @Test
  func `a JPEG loses where it was taken`() async throws {
    let store = try await store()
    let attachment = try await answer(
      store, with: MediaFiles.jpeg([MediaFiles.exif(orientation: 1)]))
    #expect(try await bytes(attachment, in: store) == MediaFiles.jpeg())
    #expect(attachment.byteCount == MediaFiles.jpeg().count)
  }

  // MARK: Videos of tasks

  /// Gives a task of john's a video of 2.5 parts.
  @discardableResult
  private func show(_ bytes: [UInt8] = film, in store: SQLStore, on number: Int = 0) async throws
    -> Attachment
  {
    let file = try file(bytes, .video, for: store)
    try await store.write { writer in
      try file.store(in: writer)
      var task = try #require(try Self.plan().tasks.first)
      task.video = file.attachment.reference
      _ = try writer.put(task, now: day(number, hour: 1))
      try writer.requireVideo(of: task)
    }
    return file.attachment
  }

  private static let film = MediaFiles.boxes("isom", length: Attachment.partLength * 5 / 2)

  @Test
  func `a task's video is kept with every version that shows it, and goes with its person`()
    async throws
  {
    let store = try await store()
    let first = try await show(in: store)
    let expected = StoredAttachment(attachment: first, patients: ["john"])
    #expect(try await store.read { try $0.attachment(sha256: first.sha256) } == expected)
    #expect(try await bytes(first, in: store) == Self.film)
    // Another one, an answer that is replaced, and a merge leave it: it may be taken back.
    let second = try await show(MediaFiles.boxes("mp42"), in: store, on: 1)
    try await answer(store, on: 1)
    try await answer(store, with: MediaFiles.png(length: 10), on: 1)
    try await store.writing { try $0.removeLooseAttachments() }
    for video in [first, second] {
      #expect(
        try await store.read { try $0.attachment(sha256: video.sha256) }?.patients == ["john"])
    }
    #expect(try await store.check() == [])
    let copy = try await store.copied(9)
    #expect(try await copy.exported() == store.exported())
    #expect(try await bytes(first, in: copy) == Self.film)
    #expect(try await copy.check() == [])
    try await store.erase(patient: "john", now: day(3))
    #expect(try await count(store) == 0)
    #expect(try await store.read { try $0.attachment(sha256: first.sha256) } == nil)
    #expect(try await store.check() == [])
  }

  @Test
  func `a task with a video that is not stored is refused, and found`() async throws {
    let store = try await store()
    let video = try await show(in: store)
    try await store.writing { try $0.execute("DELETE FROM attachment WHERE part = 1") }
    await #expect(throws: StoreError.unknown(.attachment(sha256: video.sha256))) {
      var task = try #require(try Self.plan().tasks.first)
      task.video = video.reference
      try await store.read { [task] in
        try ($0 as? any StoreWriter)?.requireVideo(of: task)
      }
    }
    let found = try await store.check().map(\.detail)
    #expect(found.contains(video.sha256))
  }

  @Test
  func `the videos of a person's tasks have no more bytes than they may have`() async throws {
    let store = try await store()
    let many = Attachment.mostOfPlan / MediaType.Kind.video.longest
    try await store.write { writer in
      for number in 0..<many {
        var task = try #require(try Self.plan().tasks.first)
        task.id = "film-\(number)"
        task.video =
          Attachment(
            type: .mp4, byteCount: MediaType.Kind.video.longest,
            sha256: [UInt8](repeating: UInt8(number), count: 32).hexString)?.reference
        _ = try writer.put(task, now: midnight)
      }
    }
    await #expect(
      throws: StoreError.refused(
        .tooManyVideoBytes(patient: "john", most: Attachment.mostOfPlan))
    ) { try await show(in: store) }
    #expect(try await count(store) == 0)
  }

  @Test
  func `a plan's video is one that every browser plays`() async throws {
    let store = try await store()
    for (bytes, error) in [
      (MediaFiles.boxes("qt  "), AttachmentError.notPlayed(.quickTime)),
      (MediaFiles.png(), .otherKind(.png, expected: .video)),
      (Array("#!/bin/sh".utf8), .otherContent(.program)),
    ] {
      #expect(throws: error) {
        let draft = try AttachmentDraft(.video, isForPlan: true, for: store, id: UUID())
        try draft.append(bytes)
        _ = try draft.finish()
      }
      #expect(throws: error) {
        let draft = AttachmentDraft()
        try draft.append(bytes)
        _ = try draft.finished()
      }
    }
    let draft = AttachmentDraft()
    try draft.append(MediaFiles.matroska("webm"))
    #expect(try draft.finished().type == .webm)
  }

  // MARK: Other stores

  @Test
  func `an export has the bytes; merged in any order the stores are alike`() async throws {
    let (a, b) = (try await store("a"), try await store("b", seed: 2))
    let attachment = try await answer(a)
    try await answer(b, patient: "ann")
    try await answer(b, with: MediaFiles.png(length: 10), patient: "ann", on: 1)
    let lines = try await a.exported()
    #expect(lines.count { $0.hasPrefix(#"{"content":"#) } == 3)
    let report = try await b.merge(lines: lines)
    // The bytes were there.
    #expect(report.attachments == 0)
    #expect(report.outcomes == 1)
    #expect(try await b.merge(lines: lines).isUnchanged)
    #expect(try await a.merge(lines: try await b.exported()).attachments == 1)
    #expect(try await a.exported() == b.exported())
    #expect(try await bytes(attachment, in: b) == Self.picture)
    let copy = try await a.copied(9)
    #expect(try await copy.exported() == a.exported())
    #expect(try await copy.check() == [])
    guard !TestEngine.isPostgreSQL else { return }
    try await a.backup(to: scratch.file("backup"))
    let backup = try SQLStore.open(
      path: scratch.file("backup"), makeUUID: SeededUUIDs(seed: 3).next)
    #expect(try await backup.exported() == a.exported())
    #expect(try await bytes(attachment, in: backup) == Self.picture)
  }

  @Test
  func `bytes that are not those of their digest are not merged`() async throws {
    let store = try await store()
    try await answer(store)
    let lines = try await store.exported()
    let place = try #require(lines.firstIndex { $0.hasPrefix(#"{"content":"#) })
    let other = try SQLStore.peer(7)
    for change in [
      { (line: String) in line.replacing(#"{"content":"89"#, with: #"{"content":"88"#) },
      { $0.replacing(#""part":0"#, with: #""part":7"#) },
      { $0.replacing(#""part":0"#, with: #""part":-1"#) },
      { $0.replacing(#""part":0"#, with: #""part":100000"#) },
      { $0.replacing(#""sha256":""#, with: #""sha256":"00"#) },
      { _ in
        #"{"content":"","kind":"attachment","part":0,"sha256":"\#(String(repeating: "0", count: 64))"}"#
      },
    ] as [(String) -> String] {
      var forged = lines
      forged[place] = change(lines[place])
      #expect(forged != lines)
      let sealed = forged.sealed
      await #expect(throws: StoreError.self) { _ = try await other.merge(lines: sealed) }
      #expect(try await count(other) == 0)
    }
    // Without an answer that refers to them they are not kept.
    let loose = lines.filter { !$0.contains(#""kind":"outcome""#) }.sealed
    #expect(try await other.merge(lines: loose).attachments == 0)
    #expect(try await count(other) == 0)
  }

  @Test
  func `what was erased is gone from the file, and does not come back`() async throws {
    let store = try await store()
    let secret = MediaFiles.png(length: 5_000) + Array("Jabberwock".utf8)
    let erased = try await answer(store, with: secret)
    let shared = try await answer(store, on: 1)
    try await answer(store, patient: "ann", on: 1)
    let lines = try await store.exported()
    try await store.erase(patient: "john", now: day(3))
    #expect(try await store.read { try $0.attachment(sha256: erased.sha256) } == nil)
    #expect(try await bytes(shared, in: store) == Self.picture)
    #expect(try await count(store) == 3)
    for name in try scratch.names {
      #expect(try contents(of: scratch.file(name)).range(of: Data("Jabberwock".utf8)) == nil)
    }
    let report = try await store.merge(lines: lines)
    #expect(report.attachments == 0)
    #expect(try await count(store) == 3)
    // A store that learns of the erasure loses the bytes, too.
    let other = try SQLStore.peer(5)
    _ = try await other.merge(lines: lines)
    #expect(try await count(other) == 4)
    _ = try await other.merge(lines: try await store.exported())
    #expect(try await count(other) == 3)
    #expect(try await other.check() == [])
    try store.close()
  }

  private static let zeros =
    TestEngine.isPostgreSQL ? "decode(repeat('00', 262144), 'hex')" : "zeroblob(262144)"

  @Test(
    arguments: [
      ("UPDATE attachment SET content = \(zeros) WHERE part = 1", .damagedAttachment),
      ("DELETE FROM attachment", .missingAttachment),
      ("DELETE FROM attachment WHERE part = 2", .damagedAttachment),
      ("UPDATE outcome_value SET byte_count = 7", .missingAttachment),
      ("UPDATE outcome_value SET media_type = 'text/html'", .unreadableRow),
    ] as [(String, StoreFinding.Kind)])
  func `damaged and missing bytes are found`(sql: String, kind: StoreFinding.Kind) async throws {
    let store = try await store()
    let attachment = try await answer(store)
    let lines = try await store.exported()
    try store.close()
    try TestEngine.damage(store.place, by: sql)
    let damaged = try SQLStore.example(at: store.place)
    let findings = try await damaged.check()
    #expect(findings.contains { $0.kind == kind }, "\(findings)")
    guard sql.contains("attachment SET") || sql.hasPrefix("DELETE") else { return }
    // The export of another store mends it.
    _ = try await damaged.merge(lines: lines)
    #expect(try await damaged.check() == [])
    #expect(try await bytes(attachment, in: damaged) == Self.picture)
  }
}
