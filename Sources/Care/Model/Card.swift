/// The card on which a task is shown; the engine ignores it.
public enum CardStyle: String, Hashable, Sendable, Codable, CaseIterable {
  /// One button.
  case simple
  /// One button below the instructions.
  case instructions
  /// One line with a button for each event of the day.
  case checklist
  /// One button for each event of the day, side by side.
  case grid
  /// A button that adds a value with its time to a list.
  case buttonLog
  /// The value with its unit: `62 bpm`.
  case labeledValue
  /// The value and its target: `22 / 30 min`.
  case numericProgress
  /// A picture with a title, to read on.
  case featuredContent
  /// Links to pages, mail and telephone.
  case link
  /// A page of text.
  case detail
}

/// The symbol of a task's card: one of CareKit's glyphs, or a symbol of the user's own.
public enum Glyph: Hashable, Sendable {
  /// A named glyph.
  case standard(Standard)
  /// The name of a symbol that the user provides.
  case custom(String)

  /// The named glyphs.
  public enum Standard: String, Hashable, Sendable, CaseIterable {
    case heart
    case accessibility, activeLife, adultLearning, awareness, blood, bloodPressure, cardio
    case childLearning, dentalHealth, femaleHealth, hearing, homeCare, infantCare, laboratory
    case maleHealth, maternalHealth, medication, mentalHealth, neuro, nutrition, optometry
    case pediatrics, physicalTherapy, podiatry, respiratoryHealth, scale, stethoscope, syringe
  }
}

// MARK: - Coding

/// A glyph is coded as its name, `"heart"`, or as `{"custom":"…"}`.
extension Glyph: Codable {
  private enum CodingKeys: String, CodingKey {
    case custom
  }

  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: CodingKeys.self) {
      self = .custom(try container.decode(String.self, forKey: .custom))
      return
    }
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let glyph = Standard(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "there is no glyph ‘\(name)’")
    }
    self = .standard(glyph)
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .standard(let glyph):
      var container = encoder.singleValueContainer()
      try container.encode(glyph.rawValue)
    case .custom(let name):
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .custom)
    }
  }
}
