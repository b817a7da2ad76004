import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The secret addresses at which calendar programs read plans.
struct CalendarRoutesTests {
  /// The path of the address that a page shows.
  private static func path(in html: String) throws -> String {
    let parts = html.components(separatedBy: "/calendar/")
    let rest = try #require(parts.first { $0.contains(".ics") })
    return "/calendar/" + String(rest.prefix(36))
  }

  @Test func `an address has the plan of one person, until it is ended`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    let made = try await access.form("/connect/calendar/add", "patient=anna", as: nurse)
    #expect(made.status == 200)
    let path = try Self.path(in: made.text)
    // Nobody has signed in there.
    let calendar = try await access.site.get(path)
    #expect(calendar.status == 200)
    #expect(calendar.headers[.contentType] == "text/calendar; charset=utf-8")
    #expect(calendar.text.hasPrefix("BEGIN:VCALENDAR\r\n"))
    #expect(calendar.text.contains("Weight of anna") && !calendar.text.contains("Weight of kim"))
    // It is shown once, and the store has its digest alone.
    let page = try await access.get("/connect/calendar", as: nurse)
    #expect(page.status == 200 && !page.text.contains(path.dropFirst(10).prefix(32)))
    let digest = try #require(
      try await access.site.store.readMessages { try $0.calendarLinks().first?.digest })
    #expect(page.text.contains(digest) && !path.contains(digest))
    let ended = try await access.form("/connect/calendar/remove", "digest=\(digest)", as: nurse)
    #expect(ended.status == 303)
    #expect(try await access.site.get(path).status == 404)
  }

  @Test(arguments: [
    "/calendar/x", "/calendar/x.ics", "/calendar/.ics",
    "/calendar/00000000000000000000000000000000.ics",
    "/calendar/00000000000000000000000000000000",
  ])
  func `what is no address has nothing`(path: String) async throws {
    let access = try await TestAccess()
    #expect(try await access.site.get(path).status == 404)
  }

  @Test func `who may not plan for a person makes and ends no address`() async throws {
    let access = try await TestAccess()
    let carer = try await access.signIn("carer")
    #expect(try await access.form("/connect/calendar/add", "patient=kim", as: carer).status == 403)
    _ = try await access.localSite.form("/connect/calendar/add", "patient=kim")
    let digest = try #require(
      try await access.site.store.readMessages { try $0.calendarLinks().first?.digest })
    let ended = try await access.form("/connect/calendar/remove", "digest=\(digest)", as: carer)
    #expect(ended.status == 404)
    let page = try await access.get("/connect/calendar", as: carer)
    #expect(page.text.contains("Anna") && !page.text.contains(digest))
    let doctor = try await access.signIn("doctor")
    #expect(try await access.get("/connect/calendar", as: doctor).status == 403)
  }

  @Test func `a person has so many addresses at most, and none that is erased`() async throws {
    let access = try await TestAccess()
    let site = access.localSite
    for _ in 0..<AddCalendarLink.most {
      #expect(try await site.form("/connect/calendar/add", "patient=anna").status == 200)
    }
    let refused = try await site.form("/connect/calendar/add", "patient=anna")
    #expect(refused.status == 409 && refused.text.contains("A person has 10 addresses at most"))
    #expect(try await site.form("/connect/calendar/add", "patient=eve").status == 404)
    try await access.site.store.erase(patient: "anna", now: TestSite.noon)
    #expect(try await access.site.store.readMessages { try $0.calendarLinks() } == [])
  }
}
