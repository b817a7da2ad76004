package import Care
package import Foundation

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

/// Gives a contact another way to be reached, which is tried last.
package struct AddChannel: Action {
  package var channel: Channel
  package var secret: ChannelSecret?
  package var contact: String
  /// Whose the contact is; an empty id for every patient's.
  package var owner: String

  /// Makes the action.
  package init(_ channel: Channel, secret: ChannelSecret?, contact: String, owner: String) {
    self.channel = channel
    self.secret = secret
    self.contact = contact
    self.owner = owner
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    var contact = try writer.contact(contact, of: owner)
    if !contact.channels.contains(channel) { contact.channels.append(channel) }
    let edit = try PutContact(contact).perform(in: writer, by: performer, now: now)
    if let secret { try writer.keep(secret) }
    return edit
  }
}

/// Takes a way to be reached from a contact.
package struct RemoveChannel: Action {
  package var channel: Channel
  package var contact: String
  /// Whose the contact is; an empty id for every patient's.
  package var owner: String

  /// Makes the action.
  package init(_ channel: Channel, contact: String, owner: String) {
    self.channel = channel
    self.contact = contact
    self.owner = owner
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    var contact = try writer.contact(contact, of: owner)
    contact.channels.removeAll { $0 == channel }
    return try PutContact(contact).perform(in: writer, by: performer, now: now)
  }
}

extension StoreReader {
  fileprivate func contact(_ id: String, of owner: String) throws -> Contact {
    let known = try things(Contact.self)
    guard let contact = known.first(where: { $0.id == id && $0.owner == owner }) else {
      throw MessageRefusal.unknownContact(id, known: known.map(\.id))
    }
    return contact
  }
}
