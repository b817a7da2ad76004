import Access
package import Care
package import Foundation

/// Writes a message to or from a patient.
package struct SendMessage: Action {
  package var text: String
  /// The patient whose message it is.
  package var patient: String
  /// The contact; `nil` for everybody.
  package var contact: String?
  package var sender: Message.Sender

  /// The most characters of a message.
  package static let longest = 4_000

  /// Makes the action.
  package init(
    _ text: String, patient: String, contact: String? = nil, sender: Message.Sender = .patient
  ) {
    self.text = text
    self.patient = patient
    self.contact = contact
    self.sender = sender
  }

  /// - Throws: As ``Action``; ``MessageRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Message {
    // A patient writes in their own name alone.
    try performer.demand(sender == .patient ? .answer : .correct, on: .patient(patient))
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { throw MessageRefusal.empty }
    guard text.count <= Self.longest else { throw MessageRefusal.tooLong(most: Self.longest) }
    let people = try writer.patients().map(\.id)
    guard people.contains(patient) else {
      throw StoreError.unknown(.patient(patient, known: people))
    }
    if let contact {
      let known = try writer.things(Contact.self)
        .filter { $0.patient == nil || $0.patient == patient }
      guard known.contains(where: { $0.id == contact }) else {
        throw MessageRefusal.unknownContact(contact, known: known.map(\.id))
      }
    }
    // The number of the message at that instant, so that two of them differ.
    let sameTime = try writer.things(Message.self, patient: patient).count {
      $0.sentDate.microseconds == now.microseconds
    }
    let message = Message(
      id: "\(now.microseconds)-\(sameTime)", patient: patient, contact: contact, sender: sender,
      text: text, sentDate: now)
    _ = try writer.put(message, now: now)
    return message
  }
}

/// Why a message is not written.
package enum MessageRefusal: Error, Hashable, Sendable {
  case empty
  case tooLong(most: Int)
  /// The patient has no such contact.
  case unknownContact(String, known: [String])
}
