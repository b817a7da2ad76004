import Actions
package import Care
import Foundation
import Localization

/// The people to call or write to, and the messages with them.
package struct ConnectPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let groups: [Group]
    let people: People?
    let messages: [MessageRow]
    let more: String?
    let form: Form?
    let report: String
    let newContact: String?
    let calendar: String?
    let consents: Consents?
  }

  private struct Consents {
    let rows: [ConsentRow]
  }

  private struct Group {
    let key: String
    let title: String
    let cards: [Card]
  }

  /// The people of the plan whom messages may reach.
  private struct People {
    let cards: [PersonCard]
  }

  private struct PersonCard {
    let name: String
    let initials: String
    let tint: String
    let reach: Reach
  }

  /// How messages reach somebody, in the order in which the ways are tried.
  private struct Reach {
    let title: String
    /// Why no message comes by itself; `nil` where some may.
    let none: String?
    let channelList: [Way]
    let owner: String?
    let contact: String?
    let back: String
    let kinds: [Choice]

    struct Way {
      let kind: String
      let text: String
      let address: String
      /// The place before this one; `nil` for the first.
      let earlier: String?
    }

    init(
      to name: String, _ person: ReachedPerson, _ channels: [Channel], isTold: Bool,
      back: String, _ words: Language
    ) {
      title = words.text("channel.of", ["name": name])
      none =
        channels.isEmpty
        ? words.text("channel.none", ["name": name])
        : isTold ? nil : words.text("channel.untold", ["name": name])
      (owner, contact) = (person.patient, person.contact)
      self.back = back
      channelList = channels.enumerated().map { place, channel in
        Way(
          kind: words.text("channel.kind." + channel.kind.rawValue), text: channel.text,
          address: String(channel.text.drop { $0 != ":" }.dropFirst()),
          earlier: place == 0 ? nil : String(place - 1))
      }
      kinds = Channel.Kind.allCases.map {
        Choice(id: $0.rawValue, name: words.text("channel.kind." + $0.rawValue))
      }
    }
  }

  private struct Card {
    let name: String
    let initials: String
    let tint: String
    let role: String?
    let ways: [Way]
    let address: String?
    let whose: String?
    let reach: Reach?
    let edit: Edit?
  }

  /// Where a contact is changed, and what removes it.
  private struct Edit {
    let address: String
    let owner: String
    let id: String
    let back: String
    let fullName: String
  }

  private struct Way {
    let address: String?
    let action: String
    let label: String
    let value: String
  }

  private struct Form {
    let back: String
    let patient: String?
    let people: [Choice]
    let contacts: [Choice]
    let limit: Int
  }

  private struct Choice {
    let id: String
    let name: String
  }

  /// How many messages are listed.
  private static let messageLimit = 50
  /// The longest message, in characters.
  package static let longestMessage = 4000

  /// Reads the page of the viewer's person, or of everyone.
  package init(_ reader: any StoreReader, viewer: Viewer, notice: Notice? = nil) throws {
    let words = viewer.language
    let address = LocalAddress("connect", items: [("patient", viewer.patient)])
    let people = try reader.patients()
    frame = Frame(
      viewer: viewer, section: .connect, title: words.text("nav.connect"), address: address,
      people: people, notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let contacts = try reader.things(Contact.self).filter { contact in
      contact.patient == nil || viewer.patient == nil || contact.patient == viewer.patient
    }
    let told = try reader.toldPeople()
    let consents = try reader.consents(of: viewer.patient)
    let messages = try MessageRow.latest(
      reader, patient: viewer.patient, people: people, limit: Self.messageLimit + 1,
      back: address.description, viewer)
    let person = viewer.patient ?? (people.count == 1 ? people.first?.id : nil)
    content = Content(
      groups: Contact.Category.allCases.compactMap { category in
        let cards = contacts.enumerated().filter { $0.element.category == category }
          .map { Self.card($0.element, place: $0.offset, people, told, viewer) }
        guard !cards.isEmpty else { return nil }
        return Group(
          key: "contacts-" + category.rawValue, title: words.text("connect." + category.rawValue),
          cards: cards)
      },
      people: viewer.may(.plan) && !people.isEmpty
        ? People(
          cards: people.enumerated().filter {
            viewer.patient == nil || $0.element.id == viewer.patient
          }.map { place, person in
            let name = words.fullName(of: person)
            return PersonCard(
              name: name, initials: name.prefix(1).uppercased(),
              tint: Tint(place: place + 3).rawValue,
              reach: Reach(
                to: name, ReachedPerson(patient: person.id), person.channels,
                isTold: told.contains(person.id), back: address.description, words))
          }) : nil, messages: Array(messages.prefix(Self.messageLimit)),
      more: messages.count > Self.messageLimit
        ? words.text("connect.more", ["count": String(Self.messageLimit)]) : nil,
      form: people.isEmpty || !viewer.may(.answer)
        ? nil
        : Form(
          back: address.description, patient: person,
          people: person == nil
            ? people.map { Choice(id: $0.id, name: words.fullName(of: $0)) } : [],
          contacts: contacts.map { Choice(id: $0.id, name: words.fullName(of: $0)) },
          limit: Self.longestMessage),
      report: LocalAddress("report", items: [("patient", person)]).description,
      newContact: viewer.may(.plan) && !people.isEmpty
        ? LocalAddress("setup", "contact").description : nil,
      calendar: viewer.may(.plan) && !people.isEmpty ? CalendarPage.address.description : nil,
      consents: consents.isEmpty
        ? nil : Consents(rows: consents.map { ConsentRow($0, people: people, viewer: viewer) }))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("connect", content, frame: frame) }

  private static func card(
    _ contact: Contact, place: Int, _ people: [Patient], _ told: Set<String>, _ viewer: Viewer
  ) -> Card {
    let words = viewer.language
    let role = [contact.role ?? contact.title, contact.organization].compactMap(\.self)
    let whose =
      viewer.patient == nil && people.count > 1
      ? people.first { $0.id == contact.patient }.map(words.fullName(of:)) : nil
    func ways(_ key: String, _ values: [LabeledValue], _ link: (String) -> String?) -> [Way] {
      values.map { value in
        Way(
          address: link(value.value), action: words.text("connect." + key),
          label: words.text("connect.to", ["name": words.fullName(of: contact)]),
          value: [value.label, value.value].compactMap(\.self).joined(separator: " "))
      }
    }
    return Card(
      name: words.fullName(of: contact), initials: contact.initials,
      tint: Tint(place: place + 2).rawValue,
      role: role.isEmpty ? nil : role.joined(separator: ", "),
      ways: ways("call", contact.phoneNumbers) { ContactLink.telephone($0, scheme: "tel") }
        + ways("text", contact.messagingNumbers) { ContactLink.telephone($0, scheme: "sms") }
        + ways("mail", contact.emailAddresses) { ContactLink.mail($0) },
      address: contact.address?.lines, whose: whose,
      reach: viewer.may(contact.patient == nil ? .wholePlan : .plan)
        ? Reach(
          to: words.fullName(of: contact),
          ReachedPerson(patient: contact.patient, contact: contact.id), contact.channels,
          isTold: told.contains(contact.id),
          back: LocalAddress("connect", items: [("patient", viewer.patient)]).description, words)
        : nil,
      edit: viewer.may(contact.patient == nil ? .wholePlan : .plan)
        ? Edit(
          address: LocalAddress(
            "setup", "contact", items: [("patient", contact.owner), ("contact", contact.id)]
          ).description, owner: contact.owner, id: contact.id,
          back: LocalAddress("connect", items: [("patient", viewer.patient)]).description,
          fullName: words.fullName(of: contact)) : nil)
  }
}

extension Contact {
  /// The first letters of the names.
  fileprivate var initials: String {
    let letters = name.initials
    return letters.isEmpty ? String((title ?? id).prefix(1)).uppercased() : letters
  }
}

extension PostalAddress {
  /// The lines of the address.
  fileprivate var lines: String? {
    let town = [postalCode, city].compactMap(\.self).joined(separator: " ")
    let lines = [street, town, state, country].compactMap(\.self).filter { !$0.isEmpty }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }
}

// MARK: - Links

/// Addresses that open a telephone or mail program.
enum ContactLink {
  /// The address of a telephone number: `tel:+49301234567`.
  ///
  /// - Returns: `nil` for a text that is no number: RFC 3966's digits and visual separators alone.
  static func telephone(_ text: String, scheme: String) -> String? {
    let separators: Set<Character> = [" ", "-", ".", "(", ")", "/", "\u{A0}"]
    var digits = ""
    for (place, character) in text.trimmingCharacters(in: .whitespaces).enumerated() {
      if character == "+", place == 0 {
        digits.append(character)
      } else if character.isASCII, character.isNumber {
        digits.append(character)
      } else if !separators.contains(character) {
        return nil
      }
    }
    let count = digits.count { $0 != "+" }
    return (2...15).contains(count) ? scheme + ":" + digits : nil
  }

  /// The address of a mailbox: `mailto:anna@example.org`.
  ///
  /// - Returns: `nil` for a text that is not one plain address.
  static func mail(_ text: String) -> String? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, (3...254).contains(text.utf8.count) else { return nil }
    func isPlain(_ part: Substring, _ others: String) -> Bool {
      !part.isEmpty
        && part.unicodeScalars.allSatisfy { scalar in
          scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || others.unicodeScalars.contains(scalar)
        }
    }
    guard isPlain(parts[0], "!#$'*+-/=^_`{|}~."), isPlain(parts[1], "-."), parts[1].contains(".")
    else { return nil }
    // Characters that are special in a web address are percent-encoded.
    let box = parts[0].unicodeScalars.map { scalar in
      "#^`{|}/".unicodeScalars.contains(scalar)
        ? "%" + String(scalar.value, radix: 16, uppercase: true) : String(scalar)
    }
    return "mailto:" + box.joined() + "@" + parts[1]
  }
}

// MARK: - Messages

/// A message in a list.
struct MessageRow {
  let text: String
  let source: String
  let isOwn: Bool
  let date: Date
  var undo: Undo?

  /// The form that takes back what a rule did.
  struct Undo {
    let address: String
    let back: String
    let name: String
  }

  /// The latest messages, and what rules and alerts did, the newest first; with the address of the
  /// page, what a rule did has a form that takes it back.
  static func latest(
    _ reader: any StoreReader, patient: String?, people: [Patient], limit: Int,
    back: String? = nil, _ viewer: Viewer
  ) throws -> [MessageRow] {
    let firings = try reader.firings(
      FiringQuery(patient: patient, kinds: [.alert, .rule], limit: limit))
    let text = try FiringText(reader, people: people, viewer: viewer)
    let rows =
      try written(reader, patient: patient, people: people, limit: limit, viewer)
      + firings.reversed().map { stored in
        let firing = stored.firing
        let isStanding =
          try firing.kind != .alert || firing.isStanding(in: reader, now: viewer.now)
        return text.row(stored, back: back, isStanding: isStanding)
      }
    return Array(rows.sorted { $0.date > $1.date }.prefix(limit))
  }

  private static func written(
    _ reader: any StoreReader, patient: String?, people: [Patient], limit: Int, _ viewer: Viewer
  ) throws -> [MessageRow] {
    let words = viewer.language
    let contacts = try reader.things(Contact.self)
    let messages = try reader.things(Message.self, patient: patient)
      .sorted { ($1.sentDate, $0.id) < ($0.sentDate, $1.id) }.prefix(limit)
    return messages.map { message in
      let person =
        people.first { $0.id == message.patient }.map(words.fullName(of:)) ?? message.patient
      let contact = message.contact.map { id in
        contacts.first { $0.id == id }.map(words.fullName(of:)) ?? id
      }
      let team = contact ?? words.text("connect.team")
      let isOwn = message.sender == .patient
      let isToday =
        message.sentDate.day(in: viewer.timeZone) == viewer.now.day(in: viewer.timeZone)
      return MessageRow(
        text: message.text,
        source: words.text(
          "connect.source",
          [
            "from": isOwn ? person : team, "to": isOwn ? team : person,
            "time": words.when(message.sentDate, isToday: isToday, viewer),
          ]), isOwn: isOwn, date: message.sentDate)
    }
  }
}
