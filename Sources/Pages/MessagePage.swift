import Localization

/// A page that says what went wrong and what to do.
package struct MessagePage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let text: String
    let advice: String?
    let back: String
    let backTitle: String
  }

  /// Makes a page of given words: `text` is what happened and why, `advice` what to do.
  ///
  /// `back` is where a person does it, and what the link there says; the day without one.
  package init(
    viewer: Viewer, title: String, text: String, advice: String? = nil,
    back: (address: String, title: String)? = nil
  ) {
    frame = Frame(
      viewer: viewer, title: title, address: LocalAddress("today"))
    content = Content(
      text: text, advice: advice,
      back: back?.address
        ?? LocalAddress("today", items: [("patient", viewer.patient)]).description,
      backTitle: back?.title ?? viewer.language.text("message.back"))
  }

  /// Makes the page of an error that a server can meet.
  package init(viewer: Viewer, problem: Problem) {
    let words = viewer.language
    let key = "message." + problem.rawValue
    self.init(
      viewer: viewer, title: words.text(key + ".title"), text: words.text(key + ".text"),
      advice: words.text(key + ".advice"))
  }

  /// The errors that have words of their own.
  package enum Problem: String, CaseIterable, Sendable {
    /// There is no such page.
    case notFound
    /// The person may not see or do this.
    case forbidden
    /// The form's content cannot be read.
    case badRequest
    /// The store cannot be read or written now.
    case unavailable
    /// Something in the program failed.
    case failed
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("message", content, frame: frame) }
}
