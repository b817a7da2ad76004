import Access
import Care
package import CareStore
package import Foundation
package import Outlets

/// Lets whoever has a secret address read a person's plan as a calendar.
package struct AddCalendarLink: MessageAction {
  package var patient: String
  /// The secret of the address, of which the store keeps the digest alone.
  package var token: TapToken

  /// Makes the action.
  package init(of patient: String, token: TapToken) {
    (self.patient, self.token) = (patient, token)
  }

  /// The path of the address, which is shown once.
  package var path: String { "/calendar/\(token.text.revealed)\(Self.ending)" }

  /// The ending of a calendar's name.
  private static let ending = ".ics"

  /// The token in the last part of a path; `nil` for another name.
  package static func token(inName name: String) -> TapToken? {
    name.hasSuffix(ending) ? TapToken(String(name.dropLast(ending.count))) : nil
  }

  /// The most addresses of one person.
  package static let most = 10

  /// - Throws: As ``MessageAction``; ``CalendarLinkRefusal``.
  package func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.plan, on: .patient(patient))
    guard try writer.patients().contains(where: { $0.id == patient }) else {
      throw CalendarLinkRefusal.unknown
    }
    guard try writer.calendarLinks().count(where: { $0.patient == patient }) < Self.most else {
      throw CalendarLinkRefusal.tooMany
    }
    try writer.put(StoredCalendarLink(digest: token.digest, patient: patient, created: now))
  }
}

/// Ends a secret address.
package struct RemoveCalendarLink: MessageAction {
  package var digest: String

  /// Makes the action.
  package init(_ digest: String) { self.digest = digest }

  /// - Throws: As ``MessageAction``; ``CalendarLinkRefusal``.
  package func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws {
    let link = try writer.calendarLink(digest: digest)
    // Whoever may not know the person does not learn of the address either.
    guard let link, performer.grant.permits(.plan, on: .patient(link.patient)) else {
      throw CalendarLinkRefusal.unknown
    }
    try performer.demand(.plan, on: .patient(link.patient))
    try writer.removeCalendarLink(digest: digest)
  }
}

/// Why an address of a calendar is not made or ended.
package enum CalendarLinkRefusal: Error, Hashable, Sendable {
  /// There is no such person or address.
  case unknown
  /// The person has ``AddCalendarLink/most``.
  case tooMany
}
