package import Actions
import Care
package import Outlets

extension WeigherRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .severalPatients: "refused.severalPatients"
    case .noWeighing: "refused.noWeighing"
    }
  }
}

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

extension ChannelRefusal {
  /// The rule: a key of the languages' section `refused`, for a page.
  package var code: String {
    switch self {
    case .nobody, .unknown: "channelGone"
    case .malformed: "noChannel"
    case .tooMany, .twice: "tooManyChannels"
    case .secret(.ntfy): "secretNtfy"
    case .secret(.email): "secretEmail"
    case .secret(.webhook): "secretWebhook"
    case .secret(.homeAssistant): "secretHomeAssistant"
    }
  }
}

extension ChannelRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .nobody(let id): LocalizedText("channel.nobody", ["id": .verbatim(id)])
    case .malformed(let text): LocalizedText("channel.malformed", ["text": .verbatim(text)])
    case .unknown(let text): LocalizedText("channel.unknown", ["text": .verbatim(text)])
    case .tooMany: LocalizedText("channel.tooMany", ["most": .init(Channel.most)])
    case .twice: "channel.twice"
    case .secret(.ntfy): "refused.secretNtfy"
    case .secret(.email): "refused.secretEmail"
    case .secret(.webhook): "refused.secretWebhook"
    case .secret(.homeAssistant): "refused.secretHomeAssistant"
    }
  }
}

extension UnknownOutlet: Localizable {
  package var localized: LocalizedText {
    LocalizedText(
      known.isEmpty ? "command.outlet.unknown" : "command.outlet.unknownOf",
      ["name": .verbatim(name), "known": .verbatim(known.joined(separator: ", "))])
  }
}

extension CalendarLinkRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .unknown: "calendar.unknown"
    case .tooMany: LocalizedText("calendar.tooMany", ["most": .init(AddCalendarLink.most)])
    }
  }
}

extension OutletFlaw: Localizable {
  package var localized: LocalizedText {
    switch reason {
    case .missing: LocalizedText("outletFlaw.missing", ["key": .verbatim(key)])
    case .tooLong: LocalizedText("outletFlaw.tooLong", ["key": .verbatim(key)])
    case .address(let isBroker): isBroker ? "outletFlaw.broker" : "outletFlaw.address"
    case .brokerPath: "outletFlaw.brokerPath"
    case .mailAddress: "outletFlaw.mailAddress"
    case .quantity(let text): LocalizedText("outletFlaw.quantity", ["text": .verbatim(text)])
    case .day: "outletFlaw.day"
    case .id: "outletFlaw.id"
    case .topic: "outletFlaw.topic"
    case .choice(_, let known):
      LocalizedText(
        "outletFlaw.choice",
        ["key": .verbatim(key), "known": .verbatim(known.joined(separator: ", "))])
    case .path(let text): LocalizedText("outletFlaw.path", ["text": .verbatim(text)])
    case .presenceTopic: "outletFlaw.presenceTopic"
    case .sameTopic: "outletFlaw.sameTopic"
    case .record(let text): LocalizedText("outletFlaw.record", ["text": .verbatim(text)])
    case .together(let first, let second):
      LocalizedText(
        "outletFlaw.together", ["first": .verbatim(first), "second": .verbatim(second)])
    case .apart(let first, let second):
      LocalizedText(
        "outletFlaw.apart", ["first": .verbatim(first), "second": .verbatim(second)])
    case .clientWithoutKey: "outletFlaw.clientWithoutKey"
    case .noAnswers: "outletFlaw.noAnswers"
    case .unknownKey: LocalizedText("outletFlaw.unknownKey", ["key": .verbatim(key)])
    case .nobody(let id): LocalizedText("outletFlaw.nobody", ["text": .verbatim(id)])
    case .name(let text): LocalizedText("outletFlaw.name", ["text": .verbatim(text)])
    case .nameTaken(let text): LocalizedText("outletFlaw.nameTaken", ["text": .verbatim(text)])
    case .tooMany:
      LocalizedText("outletFlaw.tooMany", ["most": .init(OutletDefinition.most)])
    case .secret(.webhook): "outletFlaw.secretWebhook"
    case .secret: "outletFlaw.secretOther"
    }
  }
}
