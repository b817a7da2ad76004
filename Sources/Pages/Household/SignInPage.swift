package import Localization

/// The pages on which people prove who they are: sign in, claim the machine, change the passcode.
package struct SignInPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let intro: String?
    let forms: [Form]
  }

  private struct Form {
    let action: String
    let back: String
    let heading: String?
    let error: String?
    /// Whose passcode it is, for a browser's own store of passcodes.
    let username: String?
    let fields: [Field]
    let button: String
    let style: String
  }

  private struct Field {
    let name: String
    let label: String
    let hint: String?
    let type: String
    let autocomplete: String
    let value: String?
  }

  /// Which page it is.
  package enum Kind: Hashable, Sendable {
    /// Name and passcode.
    case signIn
    /// The code that the program printed, and the first person's name and passcode.
    case claim
    /// The signed-in person's passcode and the way out.
    case account
  }

  /// Makes a page.
  ///
  /// - Parameters:
  ///   - kind: Which page.
  ///   - viewer: Who looks at it.
  ///   - account: The text that the person types to sign in, on ``Kind/account``.
  ///   - back: The page to go to afterwards.
  ///   - entered: The input of a refused form's fields, without passcodes and codes.
  ///   - error: Why a form was refused.
  ///   - isChanged: Whether the passcode has just been changed.
  package init(
    _ kind: Kind, viewer: Viewer, account: String? = nil, back: String = "/today",
    entered: [String: String] = [:],
    error: LocalizedText? = nil, isChanged: Bool = false
  ) {
    let words = viewer.language
    let titleKey = kind == .claim ? "signin.claimTitle" : "signin.title"
    let path = kind == .signIn ? "signin" : kind == .claim ? "claim" : "account"
    let name = viewer.account?.name ?? ""
    var frame = Frame(
      viewer: viewer, title: kind == .account ? name : words.text(titleKey),
      address: LocalAddress(path, items: [("return", kind == .signIn ? back : nil)]))
    frame.hasNavigation = kind == .account
    self.frame = frame
    func field(
      _ name: String, _ key: String, hint: String? = nil, type: String = "text",
      _ autocomplete: String
    ) -> Field {
      Field(
        name: name, label: words.text("signin." + key),
        hint: hint.map { words.text("signin." + $0) }, type: type, autocomplete: autocomplete,
        value: type == "text" && name != "code" ? entered[name] : nil)
    }
    let passcode = field("passcode", "passcode", type: "password", "current-password")
    let new = [
      field(
        "new", "newPasscode", hint: "passcodeHint", type: "password", "new-password"),
      field("again", "again", type: "password", "new-password"),
    ]
    func form(
      _ action: String, _ heading: String?, _ fields: [Field], _ button: String,
      style: String = "main"
    ) -> Form {
      Form(
        action: action, back: back, heading: heading.map { words.text("signin." + $0) },
        error: style == "main" ? error.map { words.text($0) } : nil,
        username: kind == .account && !fields.isEmpty ? account : nil, fields: fields,
        button: words.text("signin." + button), style: style)
    }
    content =
      switch kind {
      case .signIn:
        Content(
          intro: words.text("signin.intro"),
          forms: [
            form("/signin", nil, [field("account", "account", "username"), passcode], "button")
          ])
      case .claim:
        Content(
          intro: words.text("signin.claimIntro"),
          forms: [
            form(
              "/claim", nil,
              [
                field("code", "code", hint: "codeHint", "off"), field("name", "name", "name"),
                field("account", "account", hint: "accountHint", "username"),
              ] + new, "claimButton")
          ])
      case .account:
        Content(
          intro: words.text(
            isChanged ? "signin.changed" : "signin.accountIntro", ["name": name]),
          forms: [
            form(
              "/account/passcode", "changeTitle",
              [field("passcode", "current", type: "password", "current-password")] + new,
              "changeButton"),
            form("/signout", "signOutTitle", [], "signOut", style: "quiet"),
          ])
      }
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("signin", content, frame: frame) }
}
