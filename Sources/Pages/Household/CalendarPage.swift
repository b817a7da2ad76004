package import Care
package import Foundation
import Localization

/// The secret addresses at which calendar programs read plans.
package struct CalendarPage {
  private let frame: Frame
  private let content: Content

  /// An address that was made.
  package struct Link: Hashable, Sendable {
    package var digest: String
    package var patient: String
    package var created: Date

    /// Makes a link.
    package init(digest: String, patient: String, created: Date) {
      (self.digest, self.patient, self.created) = (digest, patient, created)
    }
  }

  private struct Content {
    let made: String?
    let cards: [Card]
    let back: String
  }

  private struct Card {
    let name: String
    let id: String
    let links: [Row]
  }

  private struct Row {
    let created: String
    let digest: String
    let whose: String
  }

  /// The address of the page.
  package static let address = LocalAddress("connect", "calendar")

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - people: Those whose plan the viewer may change.
  ///   - links: The addresses, of whomever they are.
  ///   - made: The address that was just made, which is shown this once.
  ///   - viewer: Who looks at it.
  package init(people: [Patient], links: [Link], made: String?, viewer: Viewer) {
    let words = viewer.language
    frame = Frame(
      viewer: viewer, section: .connect, title: words.text("calendar.title"),
      address: Self.address)
    content = Content(
      made: made,
      cards: people.map { person in
        let name = words.fullName(of: person)
        return Card(
          name: name, id: person.id,
          links: links.filter { $0.patient == person.id }.map { link in
            Row(
              created: words.text(
                "calendar.made",
                ["time": words.time(link.created, relativeTo: viewer.now, in: viewer.timeZone)]),
              digest: link.digest, whose: name)
          })
      }, back: LocalAddress("connect").description)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("calendar", content, frame: frame) }
}
