public import Foundation

/// A document that a person is asked to agree to before a care plan begins.
public struct ConsentDocument: Hashable, Sendable, Codable {
  /// A part of the document under a heading of its own.
  public struct Section: Hashable, Sendable, Codable {
    /// The heading; `nil` for what stands before the first one.
    public var title: String?
    /// The text, in Markdown.
    public var text: String

    /// Makes a section.
    public init(title: String? = nil, text: String) {
      self.title = title
      self.text = text
    }
  }

  /// The document's name; `nil` for that of the care plan.
  public var title: String?
  /// The version as its author names it: `2`, `2026-11`.
  public var version: String
  /// The sections in order, at least one.
  public var sections: [Section]
  /// The SHA-256 of ``canonicalText`` in hexadecimal: an answer belongs to exactly this text.
  public var digest: String

  /// Makes a document.
  public init(title: String? = nil, version: String, sections: [Section], digest: String) {
    self.title = title
    self.version = version
    self.sections = sections
    self.digest = digest
  }

  /// Everything that the document says, as one text that no other document has.
  public var canonicalText: String {
    // The length before each part tells where it ends.
    let parts = [title ?? "", version] + sections.flatMap { [$0.title ?? "", $0.text] }
    return parts.map { "\($0.utf8.count):\($0)\n" }.joined()
  }
}

/// An answer to the document of a care plan: who agreed to it or withdrew, and when.
///
/// Answers are never changed: the latest one holds, the others are its history.
public struct ConsentAnswer: Hashable, Sendable {
  /// The two answers.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// The person agrees.
    case agreed
    /// The person does not agree, or no longer.
    case withdrawn
  }

  /// The answer's id, unique within a patient.
  public var id: String
  /// The id of the patient.
  public var patient: String
  /// The id of the care plan.
  public var carePlan: String
  /// The version of the document, as its author names it.
  public var version: String
  /// The digest of the document.
  public var digest: String
  /// The answer.
  public var state: State
  /// The name of who answered, as they typed it.
  public var name: String
  /// The name as it was drawn.
  public var signature: ConsentSignature?
  /// When it was answered.
  public var date: Date

  /// Makes an answer.
  public init(
    id: String, patient: String, carePlan: String, version: String, digest: String, state: State,
    name: String, signature: ConsentSignature? = nil, date: Date
  ) {
    self.id = id
    self.patient = patient
    self.carePlan = carePlan
    self.version = version
    self.digest = digest
    self.state = state
    self.name = name
    self.signature = signature
    self.date = date
  }
}

/// A name as it was drawn: lines in a field of ``width`` × ``height``, as the path of an SVG.
public struct ConsentSignature: Hashable, Sendable {
  /// The size of the field in which it is drawn.
  public static let width = 600
  public static let height = 200
  /// The longest path, in bytes.
  public static let longest = 20_000

  /// Lines from point to point: `M10 20L30 40L31 44M80 20L80 60`.
  public let path: String

  /// Takes a path; `nil` for one that has other commands, leaves its field or draws nothing.
  public init?(_ path: String) {
    guard !path.isEmpty, path.utf8.count <= Self.longest,
      path.wholeMatch(of: /(?:M[0-9]{1,3} [0-9]{1,3}(?:L[0-9]{1,3} [0-9]{1,3})+)+/) != nil
    else { return nil }
    for point in path.split(whereSeparator: { $0 == "M" || $0 == "L" }) {
      let numbers = point.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2, numbers[0] <= Self.width, numbers[1] <= Self.height else {
        return nil
      }
    }
    self.path = path
  }
}

/// The state of a person's consent to one care plan, or to all of them.
public enum ConsentState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The document, or its newest version, waits for an answer.
  case open
  /// Everything that asks for it is agreed to.
  case agreed
  /// The person does not agree.
  case withdrawn

  /// Whether the person's data may leave the box.
  public var permitsLeaving: Bool { self == .agreed }
}

/// The document of a care plan with what was answered.
public struct Consent: Hashable, Sendable {
  /// The care plan.
  public var carePlan: CarePlan
  /// Its document.
  public var document: ConsentDocument
  /// Every answer to any of its versions, oldest first.
  public var answers: [ConsentAnswer]

  /// The answer that holds: the latest one to this document.
  public var answer: ConsentAnswer? {
    answers.last.flatMap { $0.digest == document.digest ? $0 : nil }
  }

  /// The state that holds: another document is a new question.
  public var state: ConsentState {
    switch answer?.state {
    case .agreed: .agreed
    case .withdrawn: .withdrawn
    case nil: .open
    }
  }
}

extension StoreReader {
  /// The documents of the care plans of `patient` (of everyone for `nil`) with their answers.
  public func consents(of patient: String? = nil) throws -> [Consent] {
    let answers = try consentAnswers(of: patient)
    return try things(CarePlan.self, patient: patient).compactMap { carePlan in
      carePlan.consent.map { document in
        Consent(
          carePlan: carePlan, document: document,
          answers: answers.filter {
            $0.patient == carePlan.patient && $0.carePlan == carePlan.id
          })
      }
    }
  }

  /// Whether anything of a patient may leave the box: to other programs, machines and people.
  ///
  /// A care plan without a document asks nothing. A withdrawal holds until the person agrees again,
  /// also if its document or care plan is no longer there.
  ///
  /// - Returns: `agreed` if everything may leave; otherwise the reason why nothing may.
  public func consent(of patient: String) throws -> ConsentState {
    var latest: [String: ConsentAnswer.State] = [:]
    for answer in try consentAnswers(of: patient) { latest[answer.carePlan] = answer.state }
    guard !latest.values.contains(.withdrawn) else { return .withdrawn }
    return try consents(of: patient).contains { $0.state == .open } ? .open : .agreed
  }

  /// The answers, oldest first.
  private func consentAnswers(of patient: String?) throws -> [ConsentAnswer] {
    try things(ConsentAnswer.self, patient: patient)
      .sorted { ($0.date, $0.id) < ($1.date, $1.id) }
  }
}

// MARK: - Coding

extension ConsentAnswer: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, carePlan, version, digest, state, name, signature, date
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      carePlan: try container.decode(String.self, forKey: .carePlan),
      version: try container.decode(String.self, forKey: .version),
      digest: try container.decode(String.self, forKey: .digest),
      state: try container.decode(State.self, forKey: .state),
      name: try container.decode(String.self, forKey: .name),
      signature: try container.decodeIfPresent(ConsentSignature.self, forKey: .signature),
      date: try container.decode(CodedTime.self, forKey: .date).date)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encode(carePlan, forKey: .carePlan)
    try container.encode(version, forKey: .version)
    try container.encode(digest, forKey: .digest)
    try container.encode(state, forKey: .state)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(signature, forKey: .signature)
    try container.encode(CodedTime(date), forKey: .date)
  }
}

extension ConsentSignature: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let signature = ConsentSignature(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no drawn name")
    }
    self = signature
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(path)
  }
}
