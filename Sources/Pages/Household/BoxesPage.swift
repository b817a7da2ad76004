package import Actions
package import Care
package import Foundation
package import Localization
import QRCodes

/// The boxes of a centre, and the form that invites others.
package struct BoxesPage {
  private let frame: Frame
  private let content: Content

  /// A box as the page shows it.
  package struct Box: Hashable, Sendable {
    package var name: String
    package var cohort: String
    package var people: [String]
    package var joined: Date
    /// When it last spoke.
    package var contact: Date?
    /// How it stands: a key of the language files' section `boxes.state`.
    package var state: String

    /// Makes a box.
    package init(
      name: String, cohort: String, people: [String], joined: Date, contact: Date?, state: String
    ) {
      (self.name, self.cohort, self.people) = (name, cohort, people)
      (self.joined, self.contact, self.state) = (joined, contact, state)
    }
  }

  private struct Content {
    let error: String?
    let rows: [Row]
    let people: [Choice]
    let mostBoxes: Int
    let mostDays: Int
  }

  private struct Row {
    let name: String
    let cohort: String
    let people: String
    let contact: String
    let state: String
  }

  private struct Choice {
    let id: String
    let name: String
  }

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - boxes: The boxes that joined, the first one first.
  ///   - people: The people of the centre.
  ///   - refusal: Why no box was invited.
  ///   - viewer: Who looks at it.
  package init(
    boxes: [Box], people: [Patient], refusal: LocalizedText? = nil, viewer: Viewer
  ) {
    let words = viewer.language
    func name(_ id: String) -> String {
      people.first { $0.id == id }.map(words.fullName(of:)) ?? id
    }
    frame = Frame(
      viewer: viewer, title: words.text("boxes.title"), address: LocalAddress("setup", "boxes"))
    content = Content(
      error: refusal.map { words.text($0) },
      rows: boxes.map { box in
        Row(
          name: String(box.name.prefix(8)), cohort: box.cohort,
          people: words.list(box.people.map(name)),
          contact: box.contact.map {
            words.time($0, relativeTo: viewer.now, in: viewer.timeZone)
          } ?? words.text("morning.neverSpoke"),
          state: words.text("boxes.state.\(box.state)"))
      },
      people: people.map { Choice(id: $0.id, name: words.fullName(of: $0)) },
      mostBoxes: InviteBoxes.mostBoxes, mostDays: InviteBoxes.mostDays)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("boxes", content, frame: frame) }
}

/// The sheets that lie in the parcels of boxes: where to join, by which code, and how.
package struct KitPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let sheets: [Sheet]
  }

  private struct Sheet {
    let address: String
    let code: String
    let command: String
    let qr: Code?
    let people: String
    let parts: [Part]
  }

  /// Address and code for a telephone's camera.
  private struct Code {
    let side: Int
    let path: String
  }

  /// The steps, in one language.
  private struct Part {
    let code: String
    let title: String
    let steps: [String]
    let end: String
  }

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - invited: The codes, which are shown this once.
  ///   - address: The address of the centre.
  ///   - people: The people of the centre.
  ///   - languages: The languages of the sheets.
  ///   - viewer: Who looks at it.
  package init(
    _ invited: [InviteBoxes.Invited], address: String, people: [Patient], languages: [Language],
    viewer: Viewer
  ) {
    let words = viewer.language
    frame = Frame(
      viewer: viewer, title: words.text("kit.title"), address: LocalAddress("setup", "boxes"),
      hasLanguages: false)
    content = Content(
      sheets: invited.map { invitation in
        Sheet(
          address: address, code: invitation.code,
          command: "measured join \(address) \(invitation.code)",
          qr: QRCode(invitation.line(of: address)).map { Code(side: $0.side + 8, path: $0.path) },
          people: words.list(
            invitation.people.map { id in
              people.first { $0.id == id }.map(words.fullName(of:)) ?? id
            }),
          parts: languages.map { language in
            Part(
              code: language.code, title: language.text("kit.heading"),
              steps: [
                language.text("kit.plug"), language.text("kit.open"), language.text("kit.enter"),
                language.text("kit.wait"),
              ],
              end: language.text(
                "kit.end",
                [
                  "time": language.time(
                    invitation.expires, relativeTo: viewer.now, in: viewer.timeZone)
                ]))
          })
      })
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("kit", content, frame: frame) }
}
