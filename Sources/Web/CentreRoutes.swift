import Actions
import Care
import CareStore
package import Exchange
import Foundation
import Hummingbird
import Interchange
package import Localization
import Outlets
import Pages

/// The joining and leaving of centres, by the program that serves the page.
package struct CentreDesk: Sendable {
  /// The end of an attempt to join.
  package enum Outcome: Sendable {
    /// It is joined, in words.
    case joined(LocalizedText)
    /// Why it is not.
    case refused(LocalizedText)
  }

  /// Joins the centre of an address by a code.
  package var join: @Sendable (_ address: String, _ code: String) async throws -> Outcome
  /// Leaves a centre that was joined.
  package var leave: @Sendable (JoinedCentre) async throws -> Void

  /// Makes a desk.
  package init(
    join: @escaping @Sendable (_ address: String, _ code: String) async throws -> Outcome,
    leave: @escaping @Sendable (JoinedCentre) async throws -> Void
  ) {
    (self.join, self.leave) = (join, leave)
  }
}

/// The centre that a box joins, on its page of the set-up, and a centre's invitations.
struct CentreRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.post("setup/centre/join", use: join)
    router.post("setup/centre/leave", use: leave)
    router.get("setup/boxes", use: boxes)
    router.post("setup/boxes/invite", use: invite)
  }

  // MARK: A box

  @Sendable private func join(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let desk = environment.centres else { throw Fault(.refused, "No centre is joined here.") }
    // Whoever has both in one text, as the command has them, need not take them apart.
    let words = [form["address"], form["code"]].compactMap(\.self)
      .flatMap { $0.split(whereSeparator: \.isWhitespace) }.map(String.init)
    guard words.count == 2 else {
      throw Fault(.malformed, "The form names no address and code.")
    }
    let viewer = Viewer(of: request, context, site: site, now: environment.now())
    let text: LocalizedText
    switch try await desk.join(words[0], words[1]) {
    case .joined(let said): text = said
    case .refused(let reason):
      context.note.fail()
      text = reason
    }
    return .page(
      MessagePage(
        viewer: viewer, title: viewer.language.text("setup.centre.title"),
        text: viewer.language.text(text),
        back: ("/setup#centre", viewer.language.text("frame.setup"))
      ).html(site), status: .ok)
  }

  @Sendable private func leave(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    let centre = try await environment.store.readingExchange { try JoinedCentre.all(in: $0) }
      .first { $0.address == form["centre"] }
    guard let desk = environment.centres, let centre else {
      throw Fault(.unknown, "No such centre is joined here.")
    }
    try await desk.leave(centre)
    return PageRoutes.redirect(to: "/setup#centre")
  }

  // MARK: A centre

  @Sendable private func boxes(_ request: Request, _ context: WebContext) async throws -> Response {
    let query = try QueryItems(request, known: ["lang"], allowsEmpty: true)
    guard environment.door != nil else { throw Fault(.unknown, "This is no centre.") }
    var response = try await page(request, context, query)
    response.remember(query, site: site)
    return response
  }

  private func page(
    _ request: Request, _ context: WebContext, _ query: QueryItems? = nil,
    refusal: InvitationRefusal? = nil
  ) async throws -> Response {
    let known = try await environment.boxes()
    let (people, viewer) = try await environment.store.read { reader in
      (try reader.patients(), try self.viewer(request, context, reader, query))
    }
    let page = BoxesPage(
      boxes: known.map { box in
        BoxesPage.Box(
          name: box.name, cohort: box.box.cohort, people: box.membership.people.sorted(),
          joined: box.box.joined, contact: box.contact, state: box.state.rawValue)
      }, people: people, refusal: refusal?.localized, viewer: viewer)
    return .page(page.html(site), status: refusal == nil ? .ok : .unprocessableContent)
  }

  @Sendable private func invite(_ request: Request, _ context: WebContext) async throws -> Response
  {
    let form = try await FormBody(request, context)
    guard let door = environment.door else { throw Fault(.unknown, "This is no centre.") }
    guard let boxes = form["boxes"].flatMap({ Int($0) }),
      let people = form["people"].flatMap({ Int($0) }),
      let days = form["days"].flatMap({ Int($0) }), let cohort = form["cohort"]
    else { throw Fault(.malformed, "The form names no boxes.") }
    let codes = (0..<max(0, min(boxes, InviteBoxes.mostBoxes + 1))).map { _ in door.code() }
    do {
      let (invited, read) = try await environment.perform(
        InviteBoxes(
          people: Set(form.values("person")), newPeople: people, cohort: cohort, days: days,
          codes: codes), context
      ) { _, reader in (try reader.patients(), try self.viewer(request, context, reader)) }
      return .page(
        KitPage(
          invited, address: environment.reached ?? "https://\(request.head.authority ?? "")",
          people: read.0, languages: site.languages, viewer: read.1
        ).html(site), status: .ok)
    } catch let refusal as InvitationRefusal {
      context.note.fail()
      return try await page(request, context, refusal: refusal)
    }
  }

  private func viewer(
    _ request: Request, _ context: WebContext, _ reader: any StoreReader,
    _ query: QueryItems? = nil
  ) throws -> Viewer {
    let now = environment.now()
    return Viewer(
      of: request, context, query, site: site, now: now,
      timeZone: try reader.zone(of: nil, at: now), deviceNames: environment.deviceNames)
  }
}

extension SetupPage.Centre {
  /// The centres that a store has joined, as the page shows them.
  static func all(in reader: any StoreReader) throws -> [SetupPage.Centre] {
    // Who may read everything reads the store itself.
    guard let exchange = reader as? any RowExchange else { return [] }
    return try JoinedCentre.all(in: exchange).map { centre in
      let status = try SyncStatus(centre.address, in: exchange)
      return SetupPage.Centre(
        address: centre.address, level: status.level,
        fault: status.fault.flatMap {
          try? JSONDecoder().decode(DeliveryFault.self, from: Data($0.utf8))
        }, isUnknown: status.isUnknown)
    }
  }
}
