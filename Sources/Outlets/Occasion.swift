public import Care
public import Foundation

/// Who is told: a contact, of one patient or of all, or a patient.
public struct Recipient: Hashable, Comparable, Sendable, Codable {
  /// The patient, or the one whose contact it is; `nil` for a contact of every patient.
  public var patient: String?
  /// The contact; `nil` for the patient.
  public var contact: String?

  /// A patient.
  public init(patient: String) { self.patient = patient }

  /// A contact; of every patient without one.
  public init(contact: String, of patient: String? = nil) {
    self.contact = contact
    self.patient = patient
  }

  /// The name of the recipient's outlet: `nora`, `john/nora`, or `john/` for the patient.
  public var text: String { (patient.map { $0 + "/" } ?? "") + (contact ?? "") }

  /// Reads ``text``; `nil` for what is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, !first.isEmpty else { return nil }
    if parts.count == 1 {
      self.init(contact: String(first))
    } else {
      self.init(patient: String(first))
      contact = last.isEmpty ? nil : String(last)
    }
  }

  public static func < (one: Self, other: Self) -> Bool { one.text < other.text }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let recipient = Recipient(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "this names no recipient"))
    }
    self = recipient
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// The facts of a reader that messages need.
public struct Reader: Hashable, Sendable {
  /// A way to reach the reader.
  public struct Way: Hashable, Sendable {
    /// Whether the same message sent again is no second one.
    public var knowsNames: Bool

    /// Makes a way.
    public init(knowsNames: Bool = true) { self.knowsNames = knowsNames }
  }

  /// The ways, in the order in which they are tried.
  public var ways: [Way]
  /// The hours in which only what is urgent rings.
  public var quiet: QuietHours?
  /// The zone of the reader's clock.
  public var timeZone: TimeZone

  /// Makes a reader.
  public init(ways: [Way], quiet: QuietHours? = nil, timeZone: TimeZone) {
    self.ways = ways
    self.quiet = quiet
    self.timeZone = timeZone
  }
}

/// Something that somebody is told of.
public struct Occasion: Hashable, Sendable {
  /// The kinds of occasions, and of the messages that hold several.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case alert, missed, reminder, question, machine
    /// A text that a person wrote.
    case message
    /// The messages that were held in quiet hours.
    case digest
    /// The messages that were due while the box was off.
    case summary
  }

  /// The identity of an occasion: the same one is told once.
  public struct Key: Hashable, Sendable, Codable {
    public var kind: Kind
    /// The patient; `nil` for what belongs to nobody.
    public var patient: String?
    /// The task; `nil` for what has none.
    public var task: String?
    /// The subject, for programs: a firing, a sample, a fault of the machine.
    public var subject: String
    /// The start of the event, or when a fault began.
    public var occurrence: Date

    /// Makes a key.
    public init(
      _ kind: Kind, patient: String? = nil, task: String? = nil, subject: String = "",
      occurrence: Date
    ) {
      self.kind = kind
      self.patient = patient
      self.task = task
      self.subject = subject
      self.occurrence = occurrence
    }

    /// The name that follows from it.
    public var id: ItemID { id(with: []) }

    /// The name of the message to a recipient; `after` tells a repeated one from the first.
    func id(to recipient: Recipient, repeatedAfter after: TimeInterval?) -> ItemID {
      id(with: [recipient.text] + (after.map { ["\(Int64(saturating: $0))"] } ?? []))
    }

    private func id(with more: [String]) -> ItemID {
      let start = Int64(saturating: occurrence.timeIntervalSince1970 * 1_000)
      return ItemID(of: [kind.rawValue, patient ?? "", task ?? "", subject, "\(start)"] + more)
    }
  }

  /// Who is told, and when.
  public struct Step: Hashable, Sendable {
    public var recipient: Recipient
    /// How long nobody has answered, in seconds.
    public var after: TimeInterval
    public var isUrgent: Bool
    public var showsValue: Bool

    /// Makes a step.
    public init(
      _ recipient: Recipient, after: TimeInterval = 0, isUrgent: Bool = false,
      showsValue: Bool = false
    ) {
      self.recipient = recipient
      self.after = after
      self.isUrgent = isUrgent
      self.showsValue = showsValue
    }
  }

  public var key: Key
  /// When it was measured, or became due.
  public var happened: Date
  /// When this box learned of it: an escalation counts from then.
  public var noticed: Date
  /// From when on telling it is of no use; `nil` for never.
  public var until: Date?
  public var steps: [Step]

  /// Makes an occasion.
  public init(
    _ key: Key, happened: Date, noticed: Date, until: Date? = nil, steps: [Step]
  ) {
    self.key = key
    self.happened = happened
    self.noticed = noticed
    self.until = until
    self.steps = steps
  }
}

/// All that decides at one moment who is told what.
public struct OutboxFacts: Hashable, Sendable {
  /// The occasions that nobody has answered and that still hold.
  public var occasions: [Occasion]
  /// The people who can be reached.
  public var readers: [Recipient: Reader]
  /// Until when this box has told everything: only what it learned later is told.
  public var toldUntil: Date
  /// When the box was off during the last week.
  public var offs: [Range<Date>]

  /// Makes facts.
  public init(
    occasions: [Occasion], readers: [Recipient: Reader], toldUntil: Date, offs: [Range<Date>] = []
  ) {
    self.occasions = occasions
    self.readers = readers
    self.toldUntil = toldUntil
    self.offs = offs
  }
}
