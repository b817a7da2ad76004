import Access
import Care
package import CareStore
package import Foundation

/// Lets whoever has a secret address read a person's plan as a calendar.
package struct AddCalendarLink: MessageAction {
  package var patient: String
  /// The digest of the token of the address.
  package var digest: String

  /// Makes the action.
  package init(of patient: String, digest: String) {
    (self.patient, self.digest) = (patient, digest)
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
    try writer.put(StoredCalendarLink(digest: digest, patient: patient, created: now))
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
