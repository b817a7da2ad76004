package import Actions

extension ConsentRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .noDocument(let carePlan, let known):
      LocalizedText(
        "consent.none",
        [
          "carePlan": .verbatim(carePlan), "suggestion": .suggestion(for: carePlan, among: known),
        ])
    case .otherDocument: "refused.otherDocument"
    case .noName: "refused.noName"
    case .longName: "refused.longName"
    case .noSignature: "refused.noSignature"
    }
  }
}

extension ContactRefusal: Localizable {
  package var localized: LocalizedText { "flaw.noTitle" }
}
