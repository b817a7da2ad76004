package import Localization

/// The page that takes the answer of a link in a message: one button.
package struct TapPage {
  private let frame: Frame
  private var content: Content

  private struct Content {
    let who: String?
    let lines: [String]
    let form: Form?
    /// Whether the script is to ask what the link does.
    let asks: Bool
    /// The address of the script that asks what the link does.
    var script: String?
  }

  private struct Form {
    let token: String
    let step: String
    let label: String
    let asksReason: Bool
  }

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - text: What the link does or did; `nil` before its token is known.
  ///   - token: The token that the button sends.
  ///   - viewer: Who looks at it.
  package init(_ text: TapText?, token: String? = nil, viewer: Viewer) {
    let words = viewer.language
    var frame = Frame(
      viewer: viewer, title: words.text("tap.title"), address: LocalAddress("answer"))
    frame.hasNavigation = false
    // Another address would lose the token, and the language is the reader's.
    frame.hasLanguages = false
    self.frame = frame
    content = Content(
      who: text?.who, lines: text?.lines ?? [words.text("tap.wait")],
      form: text?.button.flatMap { button in
        token.map {
          Form(token: $0, step: button.step, label: button.label, asksReason: button.asksReason)
        }
      }, asks: text == nil)
  }

  /// The page.
  package func html(_ site: Site) -> String {
    var content = content
    content.script = site.asset(named: "answer.js")?.address
    return site.html("answer", content, frame: frame)
  }
}
