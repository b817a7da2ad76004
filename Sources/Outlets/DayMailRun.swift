package import Care
import CareStore
package import Foundation
import Interchange

/// Files of days by mail: a mail a day for each person with the days that changed.
///
/// An ``OutletRun`` follows the store as for a folder, and notes in a ``DayLedger`` which days changed.
/// A day goes once it is over, at the next ``hour``; what changes later goes in the mail of the next day.
/// The name of a mail follows from the outlet, its days, their content, and how often they went: an attempt
/// whose answer was lost has it again, and most mailboxes keep one.
package struct DayMailRun: OutletWork {
  /// A day in a mail.
  package struct Day: Hashable, Sendable {
    /// `2026-11-20`.
    package var day: String
    /// How many values of which quantities are in its files.
    package var counts: [Quantity: Int]
    package var files: [String]
    /// Whether it went before, which this mail replaces.
    package var wasSent: Bool
  }

  /// The subject of a mail.
  package enum Subject: Hashable, Sendable {
    /// Days of a person; `isMore`: others follow in another mail.
    case days(of: String, [Day], isMore: Bool)
    /// A person who is not there any more: nothing that went before holds.
    case gone(String)
  }

  /// The ways to what this room does not know.
  package struct Environment: Sendable {
    /// The files of a person's day as the store has it.
    package var content:
      @Sendable (_ patient: String, DateInterval, any StoreReader) throws -> DayContent
    /// Title and text of a mail.
    package var words: @Sendable (Subject, any StoreReader) throws -> (title: String, body: String)
    package var post: @Sendable (OutgoingMessage, [MailAttachment]) async -> DeliveryResult

    /// Makes an environment.
    package init(
      content:
        @escaping @Sendable (_ patient: String, DateInterval, any StoreReader) throws -> DayContent,
      words:
        @escaping @Sendable (Subject, any StoreReader) throws -> (title: String, body: String),
      post: @escaping @Sendable (OutgoingMessage, [MailAttachment]) async -> DeliveryResult
    ) {
      (self.content, self.words, self.post) = (content, words, post)
    }
  }

  /// The hour of the night at which the days that are over go.
  package static let hour = 4
  /// The most days of a mail.
  package static let mostDays = 31
  /// The most bytes of the files of a mail, which is a third longer: many servers take no more than 10 MB.
  package static let mostBytes = 7_000_000
  /// A refused mail with more bytes may be too long for the server.
  private static let longMail = 1_000_000
  /// The most days that are read at once.
  private static let mostRead = 100

  private var notes: OutletRun
  private let ledger: DayLedger
  private let receiver: String
  private let scope: OutletScope
  private let environment: Environment
  private var random: any RandomNumberGenerator & Sendable
  private var days = Self.mostDays
  /// The time of the last look that found nothing to send, and until when there is nothing.
  private var lastLook: Date?
  private var wakeAt: Date?

  private var name: String { ledger.outlet }

  /// Makes a run.
  package init(
    by ledger: DayLedger, to receiver: MailAddress, scope: OutletScope, _ environment: Environment,
    random: any RandomNumberGenerator & Sendable
  ) {
    (self.ledger, self.receiver, self.scope) = (ledger, receiver.mailbox, scope)
    (self.environment, self.random) = (environment, random)
    let outlet = FileOutlet(
      in: ledger.zone, isNote: true, write: { await ledger.note($0, on: $1) },
      probe: { .delivered })
    notes = OutletRun(
      ledger.outlet, of: outlet, scope: scope, from: ledger.store, now: ledger.now, random: random)
  }

  /// Begins, or goes on after a start of the program.
  ///
  /// - Parameter receiver: What tells the receiver from another one.
  /// - Throws: ``StoreError``.
  package func begin(receiver: String) async throws { try await notes.begin(receiver: receiver) }

  package func stop() async {}

  /// Notes what changed, and sends the next mail if one is due.
  ///
  /// - Throws: ``StoreError``, `EncodingError`.
  package mutating func round() async throws -> OutletRun.Next {
    let (course, hasDue) = try await ledger.store.readOutlets { [name] reader in
      (
        try OutletCourse(name, in: reader),
        try !reader.refused(by: name, isDue: true, limit: 1).isEmpty
      )
    }
    if hasDue { ledger.hasNews = true }
    guard case .rest(let until) = try await notes.round() else { return .round }
    let date = ledger.now()
    guard !course.isPaused else { return .rest(until: nil) }
    if let pause = course.pause(at: date) { return .rest(until: pause) }
    // The clock may have been set back since.
    let isOld = lastLook.map { $0 > date } ?? true || wakeAt.map { $0 <= date } ?? false
    if ledger.hasNews || isOld {
      let look = try await ledger.store.readOutlets { [self] in try self.look(in: $0, at: date) }
      guard look.isEmpty else {
        try await send(look)
        return .round
      }
      (ledger.hasNews, lastLook, wakeAt) = (look.isWithheld, date, look.wakeAt)
    }
    return .rest(until: [until, wakeAt].compactMap(\.self).min())
  }

  // MARK: Reading

  /// A mail on its way.
  private struct Draft: Sendable {
    var message: OutgoingMessage
    var files: [MailAttachment]
    /// The days of it, with the digests of their content.
    var days: [DayName: String]
    var size: Int { files.reduce(0) { $0 + $1.bytes.count } }
  }

  /// The result of one reading of the ledger.
  private struct Look: Sendable {
    var draft: Draft?
    /// The days of which nothing is to be said.
    var settled: Set<DayName> = []
    /// The days that no mail can take, with the bytes of their files.
    var tooLong: [DayName: Int] = [:]
    /// A person who is not there any more, of whom nothing is kept once the receiver knows.
    var gone: String?
    var wakeAt: Date?
    /// Whether something waits for a consent.
    var isWithheld = false

    var isEmpty: Bool { draft == nil && settled.isEmpty && tooLong.isEmpty && gone == nil }
  }

  private func look(in reader: any OutletReader, at date: Date) throws -> Look {
    var (look, records, due) = (Look(), [DayName: DayRecord](), [DayName]())
    let refused = Set(
      try reader.refused(by: name, isDue: false, limit: OutletRun.mostRefused).map(\.name))
    let patients = Set(try reader.patients().map(\.id))
    for item in try reader.published(by: name) {
      guard let day = DayName(item.name), let record = DayRecord(item) else { continue }
      records[day] = record
      guard let noted = record.waits, !refused.contains(item.name) else { continue }
      let moment = moment(of: day, noted: noted, isForced: record.isForced, now: date)
      if moment <= date {
        due.append(day)
      } else {
        look.wakeAt = min(look.wakeAt ?? moment, moment)
      }
    }
    // Of whom nothing may leave, that waits until it may.
    let withheld = try Set(due.map(\.patient)).intersection(patients).filter { patient in
      guard scope.people?.contains(patient) ?? true else { return true }
      return try !reader.consent(of: patient).permitsLeaving
    }
    look.isWithheld = !withheld.isEmpty
    guard let person = due.filter({ !withheld.contains($0.patient) }).min()?.patient else {
      return look
    }
    let own = records.filter { $0.key.patient == person }
    if patients.contains(person) {
      try read(due.filter { $0.patient == person }.sorted(), own, in: reader, &look)
    } else {
      look.gone = person
      guard own.values.contains(where: { $0.wasSent(to: receiver) }) else { return look }
      let words = try environment.words(.gone(person), reader)
      let id = ItemID(of: ["gone", name, receiver, person] + own.keys.sorted().map(\.day))
      look.draft = Draft(
        message: OutgoingMessage(id: id, title: words.title, body: words.body), files: [],
        days: own.filter { $0.value.waits != nil }.mapValues { _ in "" })
    }
    return look
  }

  /// The moment at which a day goes.
  private func moment(of day: DayName, noted: Date, isForced: Bool, now: Date) -> Date {
    guard let end = day.interval(in: ledger.zone)?.end else { return now }
    // Noted in what is the future now: the clock was set back.
    if isForced || noted > now { return end }
    return Calendar.gregorian(in: ledger.zone).nextDate(
      after: max(noted, end) - 1, matching: DateComponents(hour: Self.hour, minute: 0, second: 0),
      matchingPolicy: .nextTime) ?? end
  }

  /// Reads days of one person into a mail, as far as it takes them.
  private func read(
    _ due: [DayName], _ records: [DayName: DayRecord], in reader: any OutletReader,
    _ look: inout Look
  ) throws {
    var (days, files, digests, size) = ([Day](), [MailAttachment](), [DayName: String](), 0)
    var parts: [String] = []
    var isMore = due.count > Self.mostRead
    for name in due.prefix(Self.mostRead) {
      guard let record = records[name], let interval = name.interval(in: ledger.zone) else {
        look.settled.insert(name)
        continue
      }
      let content = try environment.content(name.patient, interval, reader)
      let (digest, wasSent) = (content.digest, record.wasSent(to: receiver))
      let isKnown = wasSent && !record.isForced && record.digest == digest
      guard !isKnown, wasSent || !content.isEmpty else {
        look.settled.insert(name)
        continue
      }
      guard content.size <= Self.mostBytes else {
        look.tooLong[name] = content.size
        continue
      }
      guard days.count < self.days, size + content.size <= Self.mostBytes else {
        isMore = true
        break
      }
      let own = content.files.compactMap { file in
        // An empty file takes the place of the one that went before.
        file.isEmpty && !wasSent
          ? nil
          : file.bytes.map { bytes in
            MailAttachment(name: name.file(file.end), type: file.type, bytes: bytes)
          }
      }
      days.append(
        Day(day: name.day, counts: content.counts, files: own.map(\.name), wasSent: wasSent))
      files += own
      digests[name] = digest
      size += content.size
      parts += [name.day, digest, String(record.sent + 1)]
    }
    guard let person = due.first?.patient, !days.isEmpty else { return }
    let words = try environment.words(.days(of: person, days, isMore: isMore), reader)
    look.draft = Draft(
      message: OutgoingMessage(
        id: ItemID(of: ["days", self.name, receiver, person] + parts), title: words.title,
        body: words.body), files: files, days: digests)
  }

  // MARK: Sending

  private mutating func send(_ look: Look) async throws {
    var (look, result) = (look, DeliveryResult?.none)
    if let draft = look.draft {
      result = await environment.post(draft.message, draft.files)
      let fewer = max(1, draft.days.count / 2)
      switch result {
      case .later(.full, _) where draft.days.count > 1: days = fewer
      case .refused where draft.days.count > 1 && draft.size > Self.longMail:
        // Perhaps it is too long.
        (days, look.draft, result) = (fewer, nil, nil)
      case .delivered: days = Self.mostDays
      default: break
      }
    }
    try await keep(look, result)
  }

  private mutating func keep(_ look: Look, _ result: DeliveryResult?) async throws {
    let date = ledger.now()
    random = try await ledger.store.writeOutlets { [name, receiver, random] writer in
      var random = random
      for day in look.settled { try Self.settle(day, by: name, in: writer, now: date) { _ in } }
      for (day, size) in look.tooLong {
        let fault = DeliveryFault.message(
          detail: "\(size) bytes in a day; a mail has at most \(Self.mostBytes)")
        try Self.refuse(day, by: name, fault, in: writer, now: date)
      }
      if let gone = look.gone, look.draft == nil || result == .delivered {
        for item in try writer.published(by: name) where DayName(item.name)?.patient == gone {
          try writer.removePublished(item.name, by: name)
          try writer.removeRefused(item.name, by: name)
        }
      }
      guard let draft = look.draft, let result else { return random }
      switch result {
      case .delivered where look.gone != nil: break
      case .delivered:
        for (day, digest) in draft.days {
          try Self.settle(day, by: name, in: writer, now: date) { record in
            record.sent += 1
            (record.receiver, record.digest) = (receiver, digest)
          }
        }
      case .refused(let fault):
        for day in draft.days.keys {
          try Self.refuse(day, by: name, fault, in: writer, now: date)
        }
      case .later, .unknown: break
      }
      var course = try OutletCourse(name, in: writer)
      course.take(result, now: date, using: &random)
      try course.keep(name, in: writer)
      return random
    }
  }

  /// Notes that a day waits no more.
  private static func settle(
    _ day: DayName, by outlet: String, in writer: any OutletWriter, now: Date,
    _ change: (inout DayRecord) -> Void
  ) throws {
    let item = try writer.published(by: outlet, named: day.text)
    var record = item.flatMap(DayRecord.init) ?? DayRecord()
    (record.waits, record.isForced) = (nil, false)
    change(&record)
    try record.keep(day, by: outlet, in: writer, now: now)
  }

  /// Keeps a day that the receiver does not take, with its words.
  private static func refuse(
    _ day: DayName, by outlet: String, _ fault: DeliveryFault, in writer: any OutletWriter,
    now: Date
  ) throws {
    try writer.putRefused(
      RefusedItem(
        name: day.text, place: nil, date: now,
        fault: String(decoding: try JSONText.of(fault), as: UTF8.self)), by: outlet)
  }
}

extension DayRecord {
  /// Whether a receiver has some version of it.
  func wasSent(to receiver: String) -> Bool { sent > 0 && self.receiver == receiver }
}
