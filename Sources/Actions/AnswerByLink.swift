import Access
package import Care
package import CareStore
package import Foundation
package import Outlets

/// Answers by a link of a message: shows what it would do, does it, or takes it back.
///
/// The link is the right: it was sent to one person, for one answer, for a day. The answer is the same
/// action as that of every other face.
package struct AnswerByLink: Sendable {
  /// One step of a person's.
  package enum Step: Hashable, Sendable {
    /// Says what the link would do; nothing is changed.
    case show
    /// Answers, the first time.
    case answer(reason: String?)
    /// Takes back what the link did.
    case takeBack
  }

  /// The token of the link, as it came.
  package var token: String
  package var step: Step

  /// The longest reason, in characters.
  package static let longestReason = 200

  /// Makes a step.
  package init(_ token: String, _ step: Step) {
    self.token = token
    self.step = step
  }

  /// Whether there is such a link.
  package func isKnown(in reader: any MessageReader) throws -> Bool {
    try TapToken(token).map { try reader.link(digest: $0.digest) != nil } ?? false
  }

  /// - Throws: ``TapRefusal``; the errors of the action. Nothing is then changed.
  package func perform(in writer: any MessageWriter, now: Date) throws -> TapResult {
    guard let digest = TapToken(token)?.digest, let link = try writer.link(digest: digest),
      let recipient = Recipient(link.recipient), let answer = TapAnswer(rawValue: link.answer),
      let message = ItemID(link.message)
    else { throw TapRefusal.unknown }
    guard let item = try Outbox(writer, now: now).items[message],
      try Audience(writer, now: now).recipients.contains(recipient)
    else { throw TapRefusal.gone }
    var tap = Tap(link: link, recipient: recipient, answer: answer, item: item, now: now)
    var isChanged = false
    switch step {
    case .show: break
    case .answer(let reason):
      if try tap.state(in: writer) == .open {
        try tap.perform(reason: reason, in: writer)
        isChanged = true
      }
    case .takeBack:
      try tap.takeBack(in: writer)
      isChanged = true
    }
    let state = try tap.state(in: writer)
    guard state != .open || now < link.expires else { throw TapRefusal.expired }
    return TapResult(
      recipient: recipient, answer: answer, channel: link.channel, item: item,
      patient: link.patient, event: try tap.event(in: writer), state: state, isChanged: isChanged,
      mayTakeBack: tap.mayTakeBack)
  }
}

/// Why a link gives no answer.
package enum TapRefusal: Error, Hashable, Sendable {
  /// There is no such link, or it was altered.
  case unknown
  /// Its day is over.
  case expired
  /// The plan no longer has its reader, or the message is no longer there.
  case gone
  /// Its answer was changed by somebody since, or was given more than a day ago.
  case notTakenBack
}

/// A link of a message after a step.
package struct TapResult: Sendable {
  /// How far a link is.
  package enum State: Hashable, Sendable {
    /// A tap answers.
    case open
    /// It was answered by a link: by whom and when.
    case answered(by: Recipient, at: Date)
    /// It was answered otherwise.
    case settled
    /// It was answered, and that was taken back.
    case takenBack
  }

  /// Who answers by it.
  package var recipient: Recipient
  package var answer: TapAnswer
  /// The kind of the channel by which it left.
  package var channel: String
  package var item: OutboxItem
  /// Whose event or measurement it is.
  package var patient: String?
  /// The event that it answers, as it is now; `nil` if it answers none.
  package var event: Event?
  package var state: State
  /// Whether this step changed something.
  package var isChanged: Bool
  package var mayTakeBack: Bool

  /// The action and its channel, for the audit log: `done by ntfy: pills`.
  package var auditText: String {
    ["\(answer.rawValue) by \(channel)", item.key.task].compactMap(\.self).joined(separator: ": ")
  }
}

/// A link that is there, with its message.
private struct Tap {
  var link: StoredLink
  var recipient: Recipient
  var answer: TapAnswer
  var item: OutboxItem
  var now: Date

  /// How long an answer can be taken back, in seconds: a day.
  private static let takingBack: TimeInterval = 86_400

  var mayTakeBack: Bool {
    guard let answered = link.answered, link.takenBack == nil, answer.isReversible else {
      return false
    }
    return now < answered + Self.takingBack
  }

  /// The link is the permission, for the one whom it is about.
  private var performer: Performer {
    Performer(grant: Grant([.answer, .correct], .only(Set([link.patient].compactMap(\.self)))))
  }

  func event(in reader: any StoreReader) throws -> Event? {
    try item.event(of: link.patient, in: reader, now: now)
  }

  func state(in reader: any MessageReader) throws -> TapResult.State {
    if let answered = link.answered {
      return link.takenBack == nil ? .answered(by: recipient, at: answered) : .takenBack
    }
    if let other = try otherAnswer(in: reader) { return other }
    switch answer {
    case .seen: return item.answered == nil ? .open : .settled
    case .done, .notDone:
      guard let event = try event(in: reader) else { throw TapRefusal.gone }
      return event.isAnswerable(at: now) ? .open : .settled
    case .mine, .guest:
      return try waitingSample(in: reader) == nil ? .settled : .open
    }
  }

  /// The answer that a link of the same occasion has given.
  private func otherAnswer(in reader: any MessageReader) throws -> TapResult.State? {
    guard let occasion = item.occasion else { return nil }
    let items = try Outbox(reader, now: now).items
    let used = try reader.usedLinks().last { other in
      other.takenBack == nil
        && ItemID(other.message).flatMap { items[$0]?.occasion } == occasion
    }
    guard let used, let answered = used.answered, let other = Recipient(used.recipient) else {
      return nil
    }
    return .answered(by: other, at: answered)
  }

  mutating func perform(reason: String?, in writer: any MessageWriter) throws {
    guard now < link.expires else { throw TapRefusal.expired }
    switch answer {
    case .seen:
      var outbox = try Outbox(writer, now: now)
      outbox.answer(item.id, now: now)
      try outbox.keep(in: writer)
      try acknowledge(in: writer)
    case .done, .notDone:
      guard let event = try event(in: writer) else { throw TapRefusal.gone }
      let reason = reason.map { String($0.prefix(AnswerByLink.longestReason)) }
      _ = try AnswerEvent(
        event,
        answer: Answer(state: answer == .done ? .done : .notDone, reason: reason)
      ).perform(in: writer, by: performer, now: now)
    case .mine, .guest:
      guard let sample = try waitingSample(in: writer), let patient = link.patient else {
        throw TapRefusal.gone
      }
      try change(sample, answer == .mine ? .assign(patient: patient) : .disown, in: writer)
    }
    link.answered = now
    try writer.put(link)
  }

  /// Lets the other stores of the person know who looks after an alert.
  private func acknowledge(in writer: any MessageWriter) throws {
    guard item.key.kind == .alert, let patient = item.key.patient, !item.isGroup else { return }
    let alert = try writer.alerts(of: patient, since: now - AcknowledgeAlerts.reach, now: now).first
    {
      $0.firing.event.task == item.key.task && $0.firing.event.start == item.key.occurrence
    }
    guard let alert else { return }
    let name = try recipient.contact.map { id in
      try writer.things(Contact.self).first {
        $0.id == id && $0.patient == recipient.patient
      }?.name.full ?? id
    }
    _ = try AcknowledgeAlerts(
      of: patient, event: alert.firing.event,
      by: try name ?? writer.patients().first { $0.id == recipient.patient }?.displayName
    ).perform(
      in: writer, by: Performer(grant: Grant([.correct], .only([patient]))), now: now)
  }

  mutating func takeBack(in writer: any MessageWriter) throws {
    guard mayTakeBack, let answered = link.answered else { throw TapRefusal.notTakenBack }
    switch answer {
    case .seen: throw TapRefusal.notTakenBack
    case .done, .notDone:
      let state: Answer.State = answer == .done ? .done : .notDone
      // A later answer is somebody else's.
      guard let event = try event(in: writer), let outcome = event.outcome,
        outcome.answer.state == state, outcome.createdDate < answered + 1
      else { throw TapRefusal.notTakenBack }
      _ = try TakeBack(event, .wholeAnswer).perform(in: writer, by: performer, now: now)
    case .mine, .guest:
      let sample = try samples(.anyone, in: writer).first { sample in
        answer == .mine ? sample.patient == link.patient : sample.patient == nil
      }
      guard let sample,
        let last = try writer.changes(of: sample.identity).last, last.decidedBy == .person,
        last.date < answered + 1
      else { throw TapRefusal.notTakenBack }
      try change(sample, .unassign, in: writer)
    }
    link.takenBack = now
    try writer.put(link)
  }

  // MARK: Measurements

  /// The measurement that waits for its person; `nil` if it waits no longer.
  private func waitingSample(in reader: any StoreReader) throws -> Sample? {
    try samples(.unassigned, in: reader).first
  }

  private func samples(
    _ owner: SampleQuery.Owner, in reader: any StoreReader
  ) throws -> [Sample] {
    let start = item.key.occurrence
    return try reader.samples(
      SampleQuery(
        owner: owner, device: DeviceID(item.key.subject), from: start,
        to: Date(microseconds: start.microseconds + 1),
        states: owner == .anyone ? Set(Sample.State.allCases) : [.live]))
  }

  private func change(
    _ sample: Sample, _ change: SampleChange, in writer: any StoreWriter
  ) throws {
    _ = try ChangeSamples([.sample(sample.identity)], change, reason: nil)
      .perform(in: writer, by: performer, now: now)
  }
}

extension OutboxItem {
  /// The event that a message is about, of a patient; `nil` if it is about none.
  fileprivate func event(
    of patient: String?, in reader: any StoreReader, now: Date
  ) throws -> Event? {
    guard let patient, let task = key.task, !isGroup else { return nil }
    let event: EventKey?
    switch key.kind {
    case .missed:
      event = Int(key.subject).map {
        EventKey(patient: patient, task: task, start: key.occurrence, ordinal: $0)
      }
    case .reminder:
      event = try reader.firings(
        FiringQuery(patient: patient, task: task, eventsFrom: key.occurrence)
      ).first { $0.id.uuidString == key.subject }?.firing.event
    case .alert, .question, .machine, .message, .digest, .summary: event = nil
    }
    return try event.flatMap { try reader.event($0, now: now) }
  }

  /// The answers that its reader can give with one tap, the likeliest first.
  package func tapAnswers(in reader: any StoreReader, now: Date) throws -> [TapAnswer] {
    switch key.kind {
    case .alert, .machine, .message, .digest, .summary: return [.seen]
    // Whose it is, only the one who stood on the scale knows.
    case .question: return recipient.contact == nil ? [.mine, .guest] : [.seen]
    case .missed, .reminder:
      guard let event = try event(of: key.patient, in: reader, now: now),
        event.isAnswerable(at: now)
      else { return [.seen] }
      return (event.task.planned.isDoneByTap ? [.done] : []) + [.notDone, .seen]
    }
  }
}

extension Event {
  /// Whether nobody has answered it, and it has no value.
  fileprivate func isAnswerable(at now: Date) -> Bool {
    outcome == nil && ![.readOnly, .done, .notDone, .skipped].contains(state(at: now))
  }
}
