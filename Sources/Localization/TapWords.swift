package import Actions
package import Care
package import Foundation
package import Outlets

/// How a link of a message reads on its page: who answers, what that does, and what came of it.
package struct TapText: Hashable, Sendable {
  /// One button, and the step that it takes.
  package struct Button: Hashable, Sendable {
    package var step: String
    package var label: String
    /// Whether a reason can be given beside it.
    package var asksReason = false
  }

  /// Who answers, in a sentence; `nil` where that is not known.
  package var who: String?
  /// The words of the message, the effect of a tap, or the step that was done; a sentence each.
  package var lines: [String]
  /// `nil` where nothing is left to do.
  package var button: Button?

  /// Why a link gives no answer.
  package init(_ refusal: TapRefusal, in words: Language) {
    lines = [words.text("tap.refused." + refusal.key)]
  }

  /// Why nothing is answered over a connection that others can read.
  package init(unprotectedIn words: Language) {
    lines = [words.text("tap.refused.plain")]
  }

  /// A link after a step.
  ///
  /// - Throws: `StoreError`.
  package init(
    _ result: TapResult, in words: Language, _ reader: any StoreReader, now: Date
  ) throws {
    let people = try Audience(reader, now: now)
    let zone = people.clock(of: result.recipient)?.timeZone ?? people.zone
    func name(_ recipient: Recipient) throws -> String {
      try words.name(of: recipient, in: reader)
    }
    func time(_ date: Date) -> String { words.time(date, relativeTo: now, in: zone) }
    who = words.text("tap.as", ["name": try name(result.recipient)])
    switch result.state {
    case .open:
      let message =
        result.item.isGroup
        ? nil
        : try MessageWords(reader, in: words, zone: zone, offs: [], now: now)
          .line(of: result.item)
      let effect = words.text(
        "tap.effect." + result.answer.rawValue,
        [
          "title": result.event?.task.title ?? "",
          "time": time(result.event?.occurrence.start ?? result.item.key.occurrence),
        ])
      lines = [message, effect].compactMap(\.self)
      button = Button(
        step: "answer", label: words.label(of: result.answer),
        asksReason: result.answer == .notDone)
    case .answered(let other, let date):
      lines = [
        words.text(
          "tap.answered",
          [
            "name": try name(other), "time": time(date),
            "answer": words.label(of: result.answer),
          ])
      ]
      if other != result.recipient {
        lines = [words.text("tap.answeredBy", ["name": try name(other), "time": time(date)])]
      }
    case .settled: lines = [words.text("tap.settled")]
    case .takenBack: lines = [words.text("tap.takenBack")]
    }
    guard result.mayTakeBack else { return }
    lines.append(words.text("tap.until"))
    button = Button(step: "takeBack", label: words.text("tap.takeBack"))
  }
}

extension Language {
  /// The label of the button of an answer.
  package func label(of answer: TapAnswer) -> String { text("tap.label." + answer.rawValue) }

  /// The name of somebody who is told; the id of somebody who is gone.
  package func name(of recipient: Recipient, in reader: any StoreReader) throws -> String {
    guard let contact = recipient.contact else {
      let patient = try reader.patients().first { $0.id == recipient.patient }
      return patient.map(fullName(of:)) ?? recipient.patient ?? recipient.text
    }
    return try reader.things(Contact.self)
      .first { $0.id == contact && $0.patient == recipient.patient }.map(fullName(of:)) ?? contact
  }
}

extension TapRefusal {
  fileprivate var key: String {
    switch self {
    case .unknown: "unknown"
    case .expired: "expired"
    case .gone: "gone"
    case .notTakenBack: "notTakenBack"
    }
  }
}
