import Access
import Actions
import Agenda
import Care
import CareStore
import Exchange
import Foundation
import HTTPTypes
import Hummingbird
import Localization
import NIOCore
import Pages

/// The pages for people, and what they link.
struct PageRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder
  let site: Site

  func add(to router: Router<WebContext>) {
    let isCentre = environment.door != nil
    router.get("/") { _, _ in Self.redirect(to: isCentre ? "/morning" : "/today") }
    router.get("assets/:name", use: asset)
    router.get("favicon.ico") { _, _ in Self.redirect(to: "/assets/icon.svg") }
    router.get("changes", use: changes)
    page(router, "today", ["date"]) { reader, viewer, items, notice in
      let date = try items.date("date", in: viewer.timeZone) ?? viewer.now
      return try TodayPage(reader, viewer: viewer, date: date, notice: notice).html(site)
    }
    page(router, "events/:event", []) { reader, viewer, items, notice in
      guard
        let page = try EventPage(reader, viewer: viewer, event: items.path, notice: notice)
      else { throw Fault(.unknown, "There is no event ‘\(items.path)’.") }
      return page.html(site)
    }
    page(router, "events/:event/perform", []) { reader, viewer, items, notice in
      guard
        let page = try PerformPage(reader, viewer: viewer, event: items.path, notice: notice)
      else { throw Fault(.unknown, "There is nothing to perform at ‘\(items.path)’.") }
      return page.html(site)
    }
    page(router, "morning", [], asks: [.boxes]) { reader, viewer, items, notice in
      try MorningPage(
        Morning(reader, boxes: items.boxes, now: viewer.now), reader, viewer: viewer,
        notice: notice
      ).html(site)
    }
    page(router, "measurements", []) { reader, viewer, _, notice in
      try MeasurementsPage(reader, viewer: viewer, notice: notice).html(site)
    }
    page(router, "measurements/:quantity", ["span", "place", "deleted"]) {
      reader, viewer, items, notice in
      try QuantityPage(
        reader, quantity: Quantity(named: items.path), place: items["place"], viewer: viewer,
        span: try items.span ?? .month, showsDeleted: items["deleted"] != nil, notice: notice
      ).html(site)
    }
    page(router, "weighings", ["span"]) { reader, viewer, items, notice in
      try TracksPage(
        reader, viewer: viewer, span: try items.span ?? .month, notice: notice
      ).html(site)
    }
    page(router, "insights", ["span", "date"]) { reader, viewer, items, notice in
      try InsightsPage(
        reader, viewer: viewer, span: try items.span ?? .month,
        date: try items.date("date", in: viewer.timeZone), notice: notice
      ).html(site)
    }
    page(router, "report", ["from", "to"]) { reader, viewer, items, _ in
      try ReportPage(
        reader, viewer: viewer, from: try items.date("from", in: viewer.timeZone),
        to: try items.date("to", in: viewer.timeZone)
      ).html(site)
    }
    page(router, "connect", []) { reader, viewer, _, notice in
      try ConnectPage(reader, viewer: viewer, notice: notice).html(site)
    }
    page(router, "consent", ["plan"]) { reader, viewer, items, notice in
      let carePlan = items["plan"] ?? ""
      guard
        let page = try ConsentPage(reader, viewer: viewer, carePlan: carePlan, notice: notice)
      else { throw Fault(.unknown, "The care plan ‘\(carePlan)’ asks nothing.") }
      return page.html(site)
    }
    page(router, "devices", [], asks: [.findings]) { reader, viewer, items, notice in
      try DevicesPage(
        reader, viewer: viewer, nearby: environment.nearby(), findings: items.findings,
        notice: notice
      ).html(site)
    }
    page(router, "reference", []) { _, viewer, _, _ in
      try ReferencePage(OpenAPI.document, viewer: viewer).html(site)
    }
    page(router, "setup", [], asks: [.findings]) { reader, viewer, items, notice in
      // Who may read everything reads the store itself.
      let outlets = try (reader as? any MessageReader).map {
        try OutletStatus.all(in: $0, now: viewer.now)
      }
      return try SetupPage(
        reader, viewer: viewer, findings: items.findings, outlets: outlets ?? [],
        proposals: try (reader as? any OutletReader).map { try PlanProposal.all(in: $0) } ?? [:],
        centres: environment.centres == nil ? nil : SetupPage.Centre.all(in: reader),
        notice: notice
      ).html(site)
    }
  }

  // MARK: Pages

  /// A page's parameters, with the last part of its path.
  private struct PageItems {
    var query: QueryItems
    var path: String
    /// The faults that keep the radio from measuring.
    var findings: [SetupFinding] = []
    /// The boxes that joined this centre.
    var boxes: [Enrolment.Known] = []

    subscript(name: String) -> String? { query[name] }

    var span: PageSpan? {
      get throws { try query.choice("span") }
    }

    func date(_ name: String, in zone: TimeZone) throws -> Date? {
      try query.date(name, in: zone)
    }
  }

  /// Facts beside the store that a page asks for.
  private enum Beside {
    case findings, boxes
  }

  /// Adds a page: rendered once for all who see the same, and not sent again if it is the same.
  private func page(
    _ router: Router<WebContext>, _ path: String, _ known: Set<String>, asks: Set<Beside> = [],
    _ html: @escaping @Sendable (any StoreReader, Viewer, PageItems, Notice?) throws -> String
  ) {
    let names = known.union(["patient", "lang"]).union(Notice.queryNames)
    router.get(RouterPath(path)) { request, context in
      let query = try QueryItems(request, known: names, allowsEmpty: true)
      var items = PageItems(
        query: query,
        path: context.parameters.get("event") ?? context.parameters.get("quantity") ?? "")
      if asks.contains(.findings) { items.findings = await environment.findings() }
      if asks.contains(.boxes) { items.boxes = try await environment.boxes() }
      let notice = Notice(query.values)
      let asked = language(of: request, query)
      let stamp = asks.isEmpty ? "" : environment.stampOfFacts
      let key =
        ["page", request.uri.path, asked?.code ?? "", accepted(request).code, stamp] + query.key
      var response = try await responder.respond(
        to: request, context, key: key, type: "text/html; charset=utf-8"
      ) { [items] reader, now in
        var viewer = try viewer(reader, query, asked: asked, accepted: accepted(request), now: now)
        viewer.identify(context)
        return Data(try html(reader, viewer, items, notice).utf8)
      }
      response.remember(query, site: site)
      response.headers[.vary] = "Accept, Accept-Language, Cookie"
      return response
    }
  }

  /// Who looks, for a page that is not shared.
  func viewer(
    _ reader: any StoreReader, _ query: QueryItems, of request: Request, _ context: WebContext,
    now: Date
  ) throws -> Viewer {
    var viewer = try viewer(
      reader, query, asked: language(of: request, query), accepted: accepted(request), now: now)
    viewer.identify(context)
    return viewer
  }

  /// Who looks: the person of the address, or the only one there is.
  private func viewer(
    _ reader: any StoreReader, _ query: QueryItems, asked: Language?, accepted: Language, now: Date
  ) throws -> Viewer {
    let patients = try reader.patients()
    let patient =
      try query["patient"].map { try reader.patient(named: $0) }
      ?? (patients.count == 1 ? patients.first?.id : nil)
    let person = patients.first { $0.id == patient }
    var viewer = Viewer(
      language: asked ?? person?.language.flatMap { site.language($0) } ?? accepted,
      patient: patient, now: now, timeZone: try reader.zone(of: patient, at: now),
      deviceNames: environment.deviceNames)
    viewer.canMeasure = environment.measuring != nil
    viewer.canPair = environment.pairing != nil
    viewer.isCentre = environment.door != nil
    viewer.weighings = environment.weighings
    return viewer
  }

  // MARK: Languages

  /// The language that the reader chose on the page.
  private func language(of request: Request, _ query: QueryItems) -> Language? {
    (query["lang"] ?? request.cookies["lang"]?.value).flatMap { site.language($0) }
  }

  /// The language that the browser asks for.
  private func accepted(_ request: Request) -> Language {
    site.language(accepting: request.headers[.acceptLanguage])
  }

  // MARK: Files and changes

  @Sendable private func asset(_ request: Request, _ context: WebContext) async throws -> Response {
    let name = try context.parameters.require("name")
    let query = try QueryItems(request, known: ["v"], allowsEmpty: true)
    guard let asset = site.asset(named: name) else {
      throw Fault(.unknown, "There is no file ‘\(name)’.")
    }
    // Another content has another address.
    let caching = query["v"] == asset.hash ? "public, max-age=31536000, immutable" : "no-cache"
    let tag = "\"\(asset.hash)\""
    guard request.headers[.ifNoneMatch] != tag else { return Response(status: .notModified) }
    return Response(
      status: .ok,
      headers: [.contentType: asset.mediaType, .cacheControl: caching, .eTag: tag],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: asset.bytes)))
  }

  /// A stream that says that the store has changed; a page then asks for itself again.
  @Sendable private func changes(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    return try await responder.respond(to: request, context, key: ["changes"], type: "text/plain") {
      _, now in
      Data("\(now.microseconds)".utf8)
    }
  }

  static func redirect(to address: String) -> Response {
    Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
  }
}

extension Grant {
  /// The rights that a page offers to a sender with this grant.
  ///
  /// A page shows what its reader may read, and a role permits all of it or none.
  var rights: Set<Viewer.Right> {
    let permitted: [(Viewer.Right, Bool)] = [
      (.answer, permissions.contains(.answer)), (.correct, permits(.correct, on: .tray)),
      (.plan, permissions.contains(.plan)), (.add, permits(.add, on: .box)),
      (.wholePlan, permits(.plan, on: .box)), (.readAll, permits(.read, on: .box)),
      (.devices, permits(.devices, on: .box)), (.administer, permits(.administer, on: .box)),
    ]
    return Set(permitted.filter(\.1).map(\.0))
  }
}

extension Viewer.Account {
  /// The account of a person who signed in; `nil` for a program and the machine itself.
  init?(_ identity: Identity) {
    guard let token = identity.formToken else { return nil }
    self.init(name: identity.name, formToken: token)
  }
}

// MARK: - Page exchange

// The parts of requests that several routes read, and answers to a browser.

extension Request {
  /// The media type of the body, in lower case and without parameters; empty without one.
  var mediaType: String {
    let type = headers[.contentType]?.split(separator: ";").first
    return type?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
  }

  /// Whether a browser asks for a page, rather than a program for data.
  var asksForPage: Bool {
    !uri.path.hasPrefix("/api/") && headers[.accept]?.contains("text/html") == true
  }
}

extension Response {
  /// An HTML page that is not kept.
  static func page(_ html: String, status: HTTPResponse.Status) -> Response {
    Response(
      status: status,
      headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  /// Keeps the language that the page's address asks for, for the pages that follow.
  mutating func remember(_ query: QueryItems?, site: Site) {
    remember(tag: query?["lang"], site: site)
  }

  /// Keeps a language that the reader chose, for the pages that follow.
  mutating func remember(tag: String?, site: Site) {
    guard let language = tag.flatMap({ site.language($0) }) else { return }
    setCookie(
      Cookie(
        name: "lang", value: language.code, maxAge: 365 * 86_400, path: "/", httpOnly: true,
        sameSite: .lax))
  }
}

extension Site {
  /// The language that the reader chose on the page, else the one that the browser asks for.
  func language(for request: Request) -> Language {
    request.cookies["lang"].flatMap { language($0.value) }
      ?? language(accepting: request.headers[.acceptLanguage])
  }

  /// The language that the page's address asks for, else as without an address.
  func language(for request: Request, _ query: QueryItems?) -> Language {
    query?["lang"].flatMap { language($0) } ?? language(for: request)
  }
}

extension Viewer {
  /// The reader of a page that is not one person's; without `query` it answers a form.
  init(
    of request: Request, _ context: WebContext, _ query: QueryItems? = nil, site: Site, now: Date,
    timeZone: TimeZone = .gmt, deviceNames: [String: String] = [:]
  ) {
    self.init(
      language: site.language(for: request, query), patient: nil, now: now, timeZone: timeZone,
      deviceNames: deviceNames)
    identify(context)
  }

  /// Takes the account and the rights of the request's sender.
  mutating func identify(_ context: WebContext) {
    account = context.identity.flatMap(Account.init)
    rights = context.grant.rights
  }
}
