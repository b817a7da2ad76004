import Actions

extension MessageRefusal: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .empty, .tooLong: .malformedArgument
    case .unknownContact: .unknown
    }
  }

  var message: String {
    switch self {
    case .empty: "The message is empty."
    case .tooLong(let most): "The message is too long: at most \(most) characters."
    case .unknownContact(let contact, let known):
      "There is no contact ‘\(contact)’"
        + (known.isEmpty ? "." : "; there is \(known.quoted).")
    }
  }
}

extension ScreenTestRefusal: PresentableError {
  var exitCode: ExitCode { .refused }

  var message: String { "‘\(title)’ is not performed on a screen." }
}
