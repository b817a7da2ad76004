package import Actions

extension InvitationRefusal: Localizable {
  package var localized: LocalizedText { LocalizedText("boxes.refused.\(rawValue)") }
}
