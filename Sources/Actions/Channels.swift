import Access
package import Care
import CareStore
package import Foundation

/// A person whom messages reach: a patient, or a contact.
package struct ReachedPerson: Hashable, Sendable {
  /// The patient, or the one whose contact it is; `nil` for a contact of every patient.
  package var patient: String?
  /// The contact; `nil` for the patient.
  package var contact: String?

  /// Makes a person.
  package init(patient: String?, contact: String? = nil) {
    (self.patient, self.contact) = (patient, contact)
  }
}

/// A channel, and who is reached by it.
package struct PersonChannel: Hashable, Sendable {
  package var person: ReachedPerson
  package var channel: Channel

  /// The id of the patient or contact.
  package var id: String { person.contact ?? person.patient ?? "" }
}

extension StoreReader {
  /// The ways by which people are reached, of each person in the order in which they are tried.
  package func channels() throws -> [PersonChannel] {
    let patients = try patients().flatMap { patient in
      patient.channels.map {
        PersonChannel(person: ReachedPerson(patient: patient.id), channel: $0)
      }
    }
    let contacts = try things(Contact.self).flatMap { contact in
      contact.channels.map {
        PersonChannel(
          person: ReachedPerson(patient: contact.patient, contact: contact.id), channel: $0)
      }
    }
    return patients + contacts
  }

  /// The ways to a person, in the order in which they are tried.
  ///
  /// - Throws: ``ChannelRefusal/nobody(_:)`` for somebody whom the plan does not have.
  package func channels(of person: ReachedPerson) throws -> [Channel] {
    let found: [Channel]?
    if let contact = person.contact {
      found =
        try things(Contact.self)
        .first { $0.id == contact && $0.patient == person.patient }?.channels
    } else {
      found = try patients().first { $0.id == person.patient }?.channels
    }
    guard let found else { throw ChannelRefusal.nobody(person.contact ?? person.patient ?? "") }
    return found
  }

  /// The person of an id: a contact, of a patient or of everybody, else a patient.
  ///
  /// - Throws: ``ChannelRefusal/nobody(_:)``.
  package func reachedPerson(_ id: String, of patient: String? = nil) throws -> ReachedPerson {
    let contacts = try things(Contact.self)
      .filter { $0.id == id && (patient == nil || $0.patient == nil || $0.patient == patient) }
    if let contact = contacts.first(where: { $0.patient == patient }) ?? contacts.first {
      return ReachedPerson(patient: contact.patient, contact: id)
    }
    guard try patients().contains(where: { $0.id == id }) else { throw ChannelRefusal.nobody(id) }
    return ReachedPerson(patient: id)
  }
}

extension StoreReader {
  /// The ids of those whom the plan names to be told of something.
  ///
  /// - Throws: `StoreError`.
  package func toldPeople() throws -> Set<String> {
    let tasks = try histories(patient: nil).compactMap(\.versions.last?.planned)
    let rules = try patients().flatMap(\.notify) + tasks.flatMap(\.notify)
    return Set(rules.flatMap(\.to) + tasks.flatMap(\.rules).compactMap(\.contact))
  }
}

/// Sets the ways by which messages reach a person, in the order in which they are tried.
package struct SetChannels: Action {
  package var person: ReachedPerson
  package var channels: [Channel]
  /// The secrets that open new ones; those of the others stay.
  package var secrets: [ChannelSecret]

  /// Makes the action.
  package init(_ person: ReachedPerson, _ channels: [Channel], secrets: [ChannelSecret] = []) {
    (self.person, self.channels, self.secrets) = (person, channels, secrets)
  }

  /// A further way, which is tried last; another secret for one that is there, or the topic for what stands
  /// for it.
  ///
  /// `secret` is what opens it; `nil` if nothing does.
  ///
  /// - Throws: ``ChannelRefusal``; `StoreError`.
  package static func adding(
    _ channel: Channel, secret: String?, to person: ReachedPerson, in reader: any StoreReader
  ) throws -> SetChannels {
    let known = try reader.channels(of: person)
    let secrets = try secret.map { text throws(ChannelRefusal) in
      guard let secret = ChannelSecret(channel, text) else { throw .secret(channel.kind) }
      return [secret]
    }
    var channels = known
    if let place = known.firstIndex(where: { $0.isStandIn && $0 == channel.withoutTopic }) {
      channels[place] = channel
    } else if !known.contains(channel) {
      channels.append(channel)
    }
    return SetChannels(person, channels, secrets: secrets ?? [])
  }

  /// Without a way.
  ///
  /// - Throws: ``ChannelRefusal``; `StoreError`.
  package static func removing(
    _ channel: Channel, from person: ReachedPerson, in reader: any StoreReader
  ) throws -> SetChannels {
    var known = try reader.channels(of: person)
    guard let place = known.firstIndex(of: channel) else {
      throw ChannelRefusal.unknown(channel.text)
    }
    known.remove(at: place)
    return SetChannels(person, known)
  }

  /// With a way at another place, from 0.
  ///
  /// - Throws: ``ChannelRefusal``; `StoreError`.
  package static func moving(
    _ channel: Channel, to place: Int, of person: ReachedPerson, in reader: any StoreReader
  ) throws -> SetChannels {
    var action = try removing(channel, from: person, in: reader)
    action.channels.insert(channel, at: min(max(place, 0), action.channels.count))
    return action
  }

  /// - Returns: The edit's number; `nil` if the plan is as before.
  /// - Throws: As ``Action``; ``ChannelRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int64? {
    try performer.demand(.plan, on: person.patient.map { .patient($0) } ?? .box)
    guard channels.count <= Channel.most else { throw ChannelRefusal.tooMany }
    guard Set(channels).count == channels.count else { throw ChannelRefusal.twice }
    guard secrets.allSatisfy({ channels.contains($0.channel) }) else {
      throw ChannelRefusal.unknown(secrets.first?.channel.text ?? "")
    }
    let known = try writer.channels(of: person)
    if let nowhere = channels.first(where: { $0.isStandIn && !known.contains($0) }) {
      throw StoreError.refused(.unknownTopic(nowhere.text))
    }
    guard known != channels || !secrets.isEmpty else { return nil }
    return try writer.editReviewedPlan(now: now) { writer in
      if let id = person.contact {
        guard
          var contact = try writer.things(Contact.self)
            .first(where: { $0.id == id && $0.patient == person.patient })
        else { throw ChannelRefusal.nobody(id) }
        contact.channels = channels
        _ = try writer.put(contact, now: now)
      } else {
        let id = person.patient ?? ""
        guard var patient = try writer.patients().first(where: { $0.id == id }) else {
          throw ChannelRefusal.nobody(id)
        }
        patient.channels = channels
        _ = try writer.put(patient, now: now)
      }
      for secret in secrets { try writer.keep(secret) }
    }
  }
}

/// Why the ways to a person stay as they are.
package enum ChannelRefusal: Error, Hashable, Sendable {
  /// The plan has nobody of that id.
  case nobody(String)
  /// The text is no channel of the kind.
  case malformed(String)
  /// The person has no such channel.
  case unknown(String)
  /// There are more than ``Channel/most``.
  case tooMany
  /// One is there twice.
  case twice
  /// The secret opens no such channel.
  case secret(Channel.Kind)
}
