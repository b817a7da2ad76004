package import Agenda
package import Care
package import Foundation
package import Outlets

/// How a message to a person reads.
///
/// A locked telephone shows it: without the plan's permission there is no name and no value in it.
package struct MessageWords {
  private let words: Language
  private let reader: any StoreReader
  private let firings: FiringWords
  private let people: [String: Patient]
  private let now: Date
  private let offs: [Range<Date>]
  private let radioFailedSince: Date?

  /// The most lines of a message that holds several.
  private static let mostLines = 20

  /// Reads what messages name.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - words: The reader's language.
  ///   - zone: The reader's zone.
  ///   - offs: When the box was off.
  ///   - radioFailedSince: Since when its radio does not work; `nil` while it does.
  ///   - now: The current time.
  /// - Throws: `StoreError`.
  package init(
    _ reader: any StoreReader, in words: Language, zone: TimeZone, offs: [Range<Date>],
    radioFailedSince: Date? = nil, now: Date
  ) throws {
    (self.reader, self.words, self.offs, self.now) = (reader, words, offs, now)
    self.radioFailedSince = radioFailedSince
    firings = try FiringWords(reader, in: words, now: now, zone: zone)
    people = Dictionary(
      try reader.patients().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The message of an attempt, with the links that answer it; without one it says that it is answered
  /// at the box.
  ///
  /// - Throws: `StoreError`.
  package func message(
    for attempt: OutboxAttempt, links: [TapLink] = []
  ) throws -> OutgoingMessage {
    let item = attempt.item
    let parts = item.isGroup ? attempt.members : [item]
    var lines: [String] = []
    for part in parts {
      let line = try self.line(of: part)
      if !lines.contains(line) { lines.append(line) }
    }
    var body = Array(lines.prefix(Self.mostLines))
    if lines.count > body.count {
      body.append(words.text("outlet.more", count: lines.count - body.count))
    }
    if item.isGroup {
      body.insert(words.text("outlet." + item.key.kind.rawValue, count: parts.count), at: 0)
    }
    if links.isEmpty { body.append(words.text("outlet.answer")) }
    return OutgoingMessage(
      id: item.id, title: title(of: parts, isUrgent: item.isUrgent),
      body: body.joined(separator: "\n"),
      urgency: item.isUrgent ? .urgent : .normal, links: links)
  }

  private func title(of parts: [OutboxItem], isUrgent: Bool) -> String {
    let names = Set(parts.map(\.key.patient))
    if parts.allSatisfy(\.showsValue), names.count == 1, let patient = names.first ?? nil {
      return people[patient].map(words.fullName(of:)) ?? patient
    }
    return words.text(isUrgent ? "outlet.urgentTitle" : "outlet.title")
  }

  /// The line of a message for one occasion, as far as the plan allows it.
  func line(of item: OutboxItem) throws -> String {
    let neutral = words.text("outlet.neutral." + item.key.kind.rawValue)
    guard item.showsValue || item.key.kind == .alert else { return neutral }
    switch item.key.kind {
    case .alert, .reminder:
      guard let firing = try firing(of: item) else { return neutral }
      let line = item.showsValue ? firings.line(of: firing) : neutral
      // The reason names nobody, and says whether somebody has to go there.
      guard var evidence = try SilenceEvidence(of: firing, in: reader, offs: offs) else {
        return line
      }
      evidence.radioFailedSince = radioFailedSince
      return words.sentences([line, words.silence(SilenceReason.probable(evidence))])
    case .missed:
      let task = try reader.histories(patient: item.key.patient)
        .compactMap { $0.current(at: now) }.first { $0.id == item.key.task }
      return task.map { words.text("outlet.shown.missed", ["title": $0.title]) } ?? neutral
    case .message:
      let message = try reader.things(Message.self, patient: item.key.patient)
        .first { $0.id == item.key.subject }
      return message?.text ?? neutral
    case .question, .machine, .digest, .summary: return neutral
    }
  }

  private func firing(of item: OutboxItem) throws -> Firing? {
    try reader.firings(
      FiringQuery(
        patient: item.key.patient, task: item.key.task, eventsFrom: item.key.occurrence)
    ).first { $0.id.uuidString == item.key.subject }?.firing
  }
}

extension Language {
  /// Why nothing comes of a person.
  package func silence(_ silence: PersonMorning.Silence) -> String {
    switch silence {
    case .box: text("silence.box")
    case .device(let reasons): self.silence(reasons)
    }
  }

  /// The probable reasons of a silence, and what would tell two of them apart.
  package func silence(_ reasons: [SilenceReason]) -> String {
    let names = reasons.map { text("silence." + $0.rawValue) }
    let why = sentences(
      names.enumerated().map { $0 == 0 ? $1 : text("silence.or", ["reason": $1]) })
    guard reasons.count > 1 else { return why }
    return sentences([why, text("silence.test")])
  }
}
