public import Foundation

/// A person or office that a patient can call or write to.
public struct Contact: Hashable, Sendable {
  /// How a contact is related to the patient.
  public enum Category: String, Hashable, Sendable, Codable, CaseIterable {
    /// One who cares for the patient by profession.
    case careTeam
    /// Family and friends.
    case personal
  }

  /// The contact's id, unique within a patient.
  public var id: String
  /// The id of the patient; `nil` for a contact of every patient.
  public var patient: String?
  /// The contact's name.
  public var name: PersonName
  /// The title: `Dr`, or the relation: `daughter`.
  public var title: String?
  /// The contact's function: `Physiotherapist`.
  public var role: String?
  /// The office or practice.
  public var organization: String?
  /// How the contact is related to the patient.
  public var category: Category
  /// Telephone numbers.
  public var phoneNumbers: [LabeledValue]
  /// Addresses for e-mail.
  public var emailAddresses: [LabeledValue]
  /// Numbers for text messages.
  public var messagingNumbers: [LabeledValue]
  /// The postal address.
  public var address: PostalAddress?
  /// The language in which this contact reads, a BCP 47 tag; `nil` for the patient's.
  public var language: String?
  /// The zone of the contact's clock; `nil` for the plan's.
  public var timeZone: TimeZone?
  /// The hours in which only what is urgent rings for this contact.
  public var quiet: QuietHours?
  /// The ways by which messages reach the contact, in the order in which they are tried.
  public var channels: [Channel]

  /// Makes a contact.
  public init(
    id: String, patient: String? = nil, name: PersonName, title: String? = nil,
    role: String? = nil, organization: String? = nil, category: Category = .careTeam,
    phoneNumbers: [LabeledValue] = [], emailAddresses: [LabeledValue] = [],
    messagingNumbers: [LabeledValue] = [], address: PostalAddress? = nil, language: String? = nil,
    timeZone: TimeZone? = nil, quiet: QuietHours? = nil, channels: [Channel] = []
  ) {
    self.id = id
    self.patient = patient
    self.name = name
    self.title = title
    self.role = role
    self.organization = organization
    self.category = category
    self.phoneNumbers = phoneNumbers
    self.emailAddresses = emailAddresses
    self.messagingNumbers = messagingNumbers
    self.address = address
    self.language = language
    self.timeZone = timeZone
    self.quiet = quiet
    self.channels = channels
  }
}

extension Contact {
  /// The contact without the ways by which messages reach them.
  ///
  /// A topic of ntfy is a secret, and who knows the address of a program may call it.
  package var withoutChannels: Contact {
    var contact = self
    contact.channels = []
    return contact
  }
}

/// A number or address with the word that tells it from others: `home`, `practice`.
public struct LabeledValue: Hashable, Sendable, Codable {
  /// The word.
  public var label: String?
  /// The number or address.
  public var value: String

  /// Makes a labeled value.
  public init(label: String? = nil, value: String) {
    self.label = label
    self.value = value
  }
}

/// A postal address.
public struct PostalAddress: Hashable, Sendable, Codable {
  /// Street and house number, in several lines if needed.
  public var street: String?
  /// The city.
  public var city: String?
  /// The state or province.
  public var state: String?
  /// The postal code.
  public var postalCode: String?
  /// The country.
  public var country: String?

  /// Makes an address.
  public init(
    street: String? = nil, city: String? = nil, state: String? = nil, postalCode: String? = nil,
    country: String? = nil
  ) {
    self.street = street
    self.city = city
    self.state = state
    self.postalCode = postalCode
    self.country = country
  }
}

/// A message between a patient and a contact.
public struct Message: Hashable, Sendable {
  /// Who wrote a message.
  public enum Sender: String, Hashable, Sendable, Codable, CaseIterable {
    case patient, contact
  }

  /// The message's id, unique within a patient.
  public var id: String
  /// The id of the patient.
  public var patient: String
  /// The id of the contact; `nil` for the whole care team.
  public var contact: String?
  /// Who wrote it.
  public var sender: Sender
  /// The text of the message.
  public var text: String
  /// When it was sent.
  public var sentDate: Date

  /// Makes a message.
  public init(
    id: String, patient: String, contact: String? = nil, sender: Sender, text: String,
    sentDate: Date
  ) {
    self.id = id
    self.patient = patient
    self.contact = contact
    self.sender = sender
    self.text = text
    self.sentDate = sentDate
  }
}

// MARK: - Coding

extension Contact: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, name, title, role, organization, category, phoneNumbers, emailAddresses
    case messagingNumbers, address, language, timeZone, quiet, channels
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func values(_ key: CodingKeys) throws -> [LabeledValue] {
      try container.decodeIfPresent([LabeledValue].self, forKey: key) ?? []
    }
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decodeIfPresent(String.self, forKey: .patient),
      name: try container.decode(PersonName.self, forKey: .name),
      title: try container.decodeIfPresent(String.self, forKey: .title),
      role: try container.decodeIfPresent(String.self, forKey: .role),
      organization: try container.decodeIfPresent(String.self, forKey: .organization),
      category: try container.decode(Category.self, forKey: .category),
      phoneNumbers: try values(.phoneNumbers), emailAddresses: try values(.emailAddresses),
      messagingNumbers: try values(.messagingNumbers),
      address: try container.decodeIfPresent(PostalAddress.self, forKey: .address),
      language: try container.decodeIfPresent(String.self, forKey: .language),
      timeZone: try container.decodeIfPresent(CodedZone.self, forKey: .timeZone)?.timeZone,
      quiet: try container.decodeIfPresent(QuietHours.self, forKey: .quiet),
      channels: try container.decodeIfPresent([Channel].self, forKey: .channels) ?? [])
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encodeIfPresent(patient, forKey: .patient)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(title, forKey: .title)
    try container.encodeIfPresent(role, forKey: .role)
    try container.encodeIfPresent(organization, forKey: .organization)
    try container.encode(category, forKey: .category)
    try container.encodeIfNotEmpty(phoneNumbers, forKey: .phoneNumbers)
    try container.encodeIfNotEmpty(emailAddresses, forKey: .emailAddresses)
    try container.encodeIfNotEmpty(messagingNumbers, forKey: .messagingNumbers)
    try container.encodeIfPresent(address, forKey: .address)
    try container.encodeIfPresent(language, forKey: .language)
    try container.encodeIfPresent(timeZone.map(CodedZone.init), forKey: .timeZone)
    try container.encodeIfPresent(quiet, forKey: .quiet)
    try container.encodeIfNotEmpty(channels, forKey: .channels)
  }
}

extension Message: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, contact, sender, text, sentDate
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      contact: try container.decodeIfPresent(String.self, forKey: .contact),
      sender: try container.decode(Sender.self, forKey: .sender),
      text: try container.decode(String.self, forKey: .text),
      sentDate: try container.decode(CodedTime.self, forKey: .sentDate).date)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encodeIfPresent(contact, forKey: .contact)
    try container.encode(sender, forKey: .sender)
    try container.encode(text, forKey: .text)
    try container.encode(CodedTime(sentDate), forKey: .sentDate)
  }
}
