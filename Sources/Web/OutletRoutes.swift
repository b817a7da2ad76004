import Actions
import Care
import CareStore
import Foundation
import Hummingbird
import Localization
package import Outlets
import Pages

/// The outlets of measurements that stand in the settings, and what tries one.
package struct OutletDesk: Sendable {
  /// Those of the settings, which are only shown.
  package var settings: [String: OutletDefinition]
  /// Asks the receiver of a name whether it would take something, and sends no measurement.
  package var test: @Sendable (_ name: String) async throws -> DeliveryResult

  /// Makes a desk.
  package init(
    settings: [String: OutletDefinition],
    test: @escaping @Sendable (_ name: String) async throws -> DeliveryResult
  ) {
    (self.settings, self.test) = (settings, test)
  }
}

extension WebEnvironment {
  /// How the outlets of measurements do, in a transaction.
  func receiverStatus(_ reader: any OutletReader) throws -> [ReceiverStatus] {
    try ReceiverStatus.all(in: reader, settings: receivers?.settings ?? [:])
  }

  /// The names of the outlets of the settings.
  var reservedOutlets: Set<String> { Set((receivers?.settings ?? [:]).keys) }

  /// Asks an outlet's receiver whether it would take something.
  ///
  /// - Throws: ``Fault`` where nothing is sent, and for a name that no outlet has; why it cannot be asked.
  func tryOutlet(_ name: String, _ words: Language) async throws -> DeliveryResult {
    guard let desk = receivers else { throw Fault(.refused, words.text("receiver.notHere")) }
    let known = try await store.readOutlets { reader in
      try receiverStatus(reader).contains { $0.name == name }
    }
    guard known else {
      let unknown = LocalizedText("command.outlet.unknown", ["name": .verbatim(name)])
      throw Fault(.unknown, words.text(unknown))
    }
    do {
      return try await desk.test(name)
    } catch {
      throw Fault(.refused, fault(error).message)
    }
  }
}

/// The page of where measurements go, and its forms.
struct OutletRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("setup/outlets", use: show)
    router.post("setup/outlets", use: add)
    router.post("setup/outlets/remove", use: remove)
    router.post("setup/outlets/test", use: test)
    router.get("setup/outlets/plan", use: showPlan)
    router.post("setup/outlets/plan/take", use: takePlan)
    router.post("setup/outlets/plan/decline", use: declinePlan)
  }

  @Sendable private func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let query = try QueryItems(request, known: ["kind", "lang"], allowsEmpty: true)
    let draft = try query["kind"].map { text in
      guard let kind = OutletKind(rawValue: text) else {
        throw Fault(.malformed, "‘\(text)’ is no kind of an outlet.")
      }
      return OutletsPage.Draft(kind)
    }
    var response = try await page(draft, request, context, query)
    response.remember(query, site: site)
    return response
  }

  private func page(
    _ draft: OutletsPage.Draft?, _ request: Request, _ context: WebContext,
    _ query: QueryItems? = nil
  ) async throws -> Response {
    let now = environment.now()
    return try await environment.store.readOutlets { reader in
      let viewer = Viewer(
        of: request, context, query, site: site, now: now,
        timeZone: try reader.zone(of: nil, at: now), deviceNames: environment.deviceNames)
      let page = try OutletsPage(
        reader, receivers: try environment.receiverStatus(reader),
        proposals: try PlanProposal.all(in: reader), draft: draft,
        isSending: environment.receivers != nil, viewer: viewer)
      return .page(page.html(site), status: draft?.flaw == nil ? .ok : .unprocessableContent)
    }
  }

  @Sendable private func add(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let kind = form["kind"].flatMap(OutletKind.init) else {
      throw Fault(.malformed, "The form names no kind of an outlet.")
    }
    var (values, secrets): ([String: [String]], [String: Secret<String>]) = ([:], [:])
    for key in kind.typedKeys {
      if key.form == .secret {
        secrets[key.name] = form[key.typedName].map { Secret($0) }
      } else if key.form == .records {
        let prefix = OutletsPage.recordPrefix
        values[key.name] = form.all.filter { $0.name.hasPrefix(prefix) }.compactMap { field in
          form[field.name].map { "\($0) \(field.name.dropFirst(prefix.count))" }
        }
      } else {
        values[key.name] = form.values(key.name).map {
          $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }.filter { !$0.isEmpty }
      }
    }
    // Who chose everybody and somebody means everybody.
    if values["people"]?.contains("all") == true { values["people"] = ["all"] }
    let name = form["name"] ?? ""
    let action = AddOutlet(
      name, OutletDefinition(kind, values), secrets: secrets,
      reserved: environment.reservedOutlets)
    do {
      try await environment.perform(action, context, site)
    } catch let flaw as OutletFlaw {
      context.note.fail()
      return try await page(
        OutletsPage.Draft(kind, name: name, values: values, flaw: flaw), request, context)
    }
    return PageRoutes.redirect(to: OutletsPage.address.description)
  }

  @Sendable private func remove(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    try await environment.perform(RemoveOutlet(form["name"] ?? ""), context, site)
    return PageRoutes.redirect(to: form.back)
  }

  @Sendable private func test(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    let viewer = Viewer(of: request, context, site: site, now: environment.now())
    let words = viewer.language
    let name = form["name"] ?? ""
    let text: String
    do {
      let result = try await environment.tryOutlet(name, words)
      text = words.text(result == .delivered ? "receiver.answers" : result.localized)
      if result != .delivered { context.note.fail() }
    } catch let fault as Fault where fault.kind == .refused {
      context.note.fail()
      text = fault.message
    }
    return .page(
      MessagePage(
        viewer: viewer, title: words.text("receiver.tested", ["name": name]), text: text,
        back: (OutletsPage.address.description + "#receivers", words.text("receiver.title"))
      ).html(site), status: .ok)
  }

  // MARK: The plans that servers have

  @Sendable private func showPlan(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let query = try QueryItems(request, known: ["name", "lang"], allowsEmpty: true)
    return try await plan(of: query["name"] ?? "", request, context)
  }

  /// The page of what the plan of an outlet's server would change.
  private func plan(
    of outlet: String, _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let (now, store) = (environment.now(), environment.store)
    guard let proposal = try await store.readOutlets({ try PlanProposal.all(in: $0)[outlet] }),
      let text = proposal.text, let digest = proposal.digest
    else { return gone(request, context) }
    do {
      let plan = try environment.plans.parse(text)
      let report = try await store.preview(
        plan, options: PlanImportOptions(isLive: true), now: now)
      return try await store.read { reader in
        let viewer = Viewer(
          of: request, context, site: site, now: now, timeZone: try reader.zone())
        let page = try PlanDiffPage(
          reader, report: report, plan: plan, text: "", revision: try reader.planRevision(),
          proposal: .init(outlet: outlet, digest: digest), viewer: viewer)
        return .page(page.html(site), status: .ok)
      }
    } catch {
      return try refused(error, request, context)
    }
  }

  @Sendable private func takePlan(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let outlet = form["name"], let digest = form["digest"], let seen = form["revision"] else {
      throw Fault(.malformed, "The form names no plan.")
    }
    let (proposal, revision) = try await environment.store.readOutlets { reader in
      (try PlanProposal.all(in: reader)[outlet], try reader.planRevision())
    }
    guard let text = proposal?.text, proposal?.digest == digest else {
      return gone(request, context)
    }
    // The plan has changed since: what the other one changes is another thing now.
    guard seen == String(revision) else { return try await plan(of: outlet, request, context) }
    do {
      let plan = try environment.plans.parse(text)
      try await environment.perform(
        TakeProposal(outlet, digest: digest, plan: plan), context, site)
    } catch is ProposalGone {
      return gone(request, context)
    } catch {
      return try refused(error, request, context)
    }
    return PageRoutes.redirect(to: FormRoutes.address("/setup", .planImported))
  }

  @Sendable private func declinePlan(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    do {
      try await environment.perform(
        DeclineProposal(form["name"] ?? "", digest: form["digest"] ?? ""), context, site)
    } catch is ProposalGone {
      return gone(request, context)
    }
    return PageRoutes.redirect(to: "/setup")
  }

  /// The page of a proposal that waits no more.
  private func gone(_ request: Request, _ context: WebContext) -> Response {
    failure("receiver.proposals", request, context, status: .notFound) {
      $0.text("receiver.proposalGone")
    }
  }

  /// The page of a plan that cannot be taken over.
  private func refused(
    _ error: any Error, _ request: Request, _ context: WebContext
  ) throws -> Response {
    let fault = error as? Fault ?? environment.fault(error)
    guard fault.kind != .failed else { throw error }
    return failure("setup.planRefused", request, context, status: .conflict) { _ in fault.message }
  }

  private func failure(
    _ title: String, _ request: Request, _ context: WebContext, status: HTTPResponse.Status,
    text: (Language) -> String
  ) -> Response {
    context.note.fail()
    let viewer = Viewer(of: request, context, site: site, now: environment.now())
    let words = viewer.language
    return .page(
      MessagePage(
        viewer: viewer, title: words.text(title), text: text(words),
        back: ("/setup", words.text("frame.setup"))
      ).html(site), status: status)
  }
}
