package import Care

/// A channel, and who is reached by it.
package struct PersonChannel: Hashable, Sendable {
  /// The id of the patient or contact.
  package var person: String
  package var channel: Channel
}

extension StoreReader {
  /// The ways by which people are reached, of each person in the order in which they are tried.
  package func channels() throws -> [PersonChannel] {
    let patients = try patients().flatMap { patient in
      patient.channels.map { PersonChannel(person: patient.id, channel: $0) }
    }
    let contacts = try things(Contact.self).flatMap { contact in
      contact.channels.map { PersonChannel(person: contact.id, channel: $0) }
    }
    return patients + contacts
  }
}
