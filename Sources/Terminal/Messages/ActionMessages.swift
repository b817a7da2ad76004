package import Actions
package import Localization

extension MessageRefusal: Localizable, PresentableError {
  package var exitCode: ExitCode {
    switch self {
    case .empty, .tooLong: .malformedArgument
    case .unknownContact: .unknown
    }
  }

  package var localized: LocalizedText {
    switch self {
    case .empty: "messageRefusal.empty"
    case .tooLong(let most): LocalizedText("messageRefusal.tooLong", ["most": .init(most)])
    case .unknownContact(let contact, _):
      LocalizedText("messageRefusal.unknownContact", ["contact": .verbatim(contact)])
    }
  }
}

extension ScreenTestRefusal: Localizable, PresentableError {
  package var exitCode: ExitCode { .refused }

  package var localized: LocalizedText {
    LocalizedText("screenTest.otherTask", ["task": .verbatim(title)])
  }
}

extension SnoozeRefusal: Localizable, PresentableError {
  package var exitCode: ExitCode { .refused }

  package var localized: LocalizedText {
    switch self {
    case .nothingToPutOff(let title):
      LocalizedText("snooze.nothing", ["task": .verbatim(title)])
    case .outOfReach(let title, let end):
      LocalizedText("snooze.outOfReach", ["task": .verbatim(title), "end": .verbatim(end)])
    }
  }
}

extension PresenceRefusal: Localizable, PresentableError {
  package var exitCode: ExitCode {
    switch self {
    case .notSaid: .refused
    case .noSpan: .malformedArgument
    }
  }

  package var localized: LocalizedText {
    switch self {
    case .notSaid(let patient):
      LocalizedText("presence.notSaid", ["patient": .verbatim(patient)])
    case .noSpan: "presence.noSpan"
    }
  }
}

extension WeigherRefusal: PresentableError {
  package var exitCode: ExitCode { .refused }
}

extension ConsentRefusal: PresentableError {
  package var exitCode: ExitCode {
    switch self {
    case .noDocument: .unknown
    case .noName, .longName, .noSignature: .malformedArgument
    case .otherDocument: .refused
    }
  }
}

extension ContactRefusal: PresentableError {
  package var exitCode: ExitCode { .malformedArgument }
}

extension ChannelRefusal: PresentableError {
  package var exitCode: ExitCode {
    switch self {
    case .nobody, .unknown: .unknown
    case .malformed, .secret: .malformedArgument
    case .tooMany, .twice: .refused
    }
  }
}

extension UnknownOutlet: PresentableError {
  package var exitCode: ExitCode { .unknown }
}

extension CalendarLinkRefusal: PresentableError {
  package var exitCode: ExitCode { self == .unknown ? .unknown : .refused }
}
