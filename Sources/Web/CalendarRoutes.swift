import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Localization
import NIOCore
import Outlets
import Pages

/// The plan of a person as a calendar, at a secret address that can be ended.
struct CalendarRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("calendar/{token}", use: calendar)
    router.get("connect/calendar", use: show)
    router.post("connect/calendar/add", use: add)
    router.post("connect/calendar/remove", use: remove)
  }

  // MARK: The calendar

  /// The token of the address is the only right: no cookie counts.
  @Sendable private func calendar(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let name = try context.parameters.require("token")
    let now = environment.now()
    let text = try await environment.store.readMessages { reader -> String? in
      guard let token = AddCalendarLink.token(inName: name),
        let link = try reader.calendarLink(digest: token.digest)
      else { return nil }
      // Nothing of a person leaves whose consent is open or withdrawn.
      let mayLeave = try reader.consent(of: link.patient).permitsLeaving
      let histories = try mayLeave ? reader.histories(patient: link.patient) : []
      return try CalendarFile(histories, at: now).text
    }
    guard let text else {
      throw Fault(.unknown, site.language(for: request).text("calendar.unknown"))
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/calendar; charset=utf-8", .cacheControl: "private, no-cache",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  // MARK: Its addresses

  @Sendable private func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let query = try QueryItems(request, known: ["lang", "patient"], allowsEmpty: true)
    var response = try await page(nil, request, context, query)
    response.remember(query, site: site)
    return response
  }

  private func page(
    _ made: String?, _ request: Request, _ context: WebContext, _ query: QueryItems? = nil
  ) async throws -> Response {
    let now = environment.now()
    return try await environment.store.readMessages { reader in
      let viewer = Viewer(
        of: request, context, query, site: site, now: now,
        timeZone: try reader.zone(of: nil, at: now), deviceNames: environment.deviceNames)
      let people = try reader.patients().filter {
        context.grant.permits(.plan, on: .patient($0.id))
      }
      let links = try reader.calendarLinks().map { link in
        CalendarPage.Link(digest: link.digest, patient: link.patient, created: link.created)
      }
      let page = CalendarPage(people: people, links: links, made: made, viewer: viewer)
      return .page(page.html(site), status: .ok)
    }
  }

  @Sendable private func add(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let patient = form["patient"] else { throw Fault(.malformed, "The form names nobody.") }
    var random = SystemRandomNumberGenerator()
    let link = AddCalendarLink(of: patient, token: TapToken(using: &random))
    try await perform(link, request, context)
    let base = environment.reached ?? "http://\(request.head.authority ?? "")"
    // It is shown this once.
    return try await page(base + link.path, request, context)
  }

  @Sendable private func remove(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    try await perform(RemoveCalendarLink(form["digest"] ?? ""), request, context)
    return PageRoutes.redirect(to: CalendarPage.address.description)
  }

  private func perform<A: MessageAction>(
    _ action: A, _ request: Request, _ context: WebContext
  ) async throws {
    do {
      try await environment.perform(action, context, site)
    } catch let refusal as CalendarLinkRefusal {
      throw Fault(
        refusal == .unknown ? .unknown : .refused,
        site.language(for: request).text(refusal.localized))
    }
  }
}
