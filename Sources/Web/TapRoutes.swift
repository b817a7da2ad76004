import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Localization
import Logging
import NIOCore
import Outlets
import Pages

/// The page and the address that take the answers of links in messages.
///
/// The token of the link is the only right: no cookie counts, and requests of other sites are taken,
/// since the pages of a telephone's program send them. The page itself asks nothing of the store, and
/// has the token from the fragment of its address, which no server sees: a mail scanner that fetches
/// it changes nothing.
struct TapRoutes {
  let environment: WebEnvironment
  let site: Site
  let access: WebAccess?
  let logger: Logger

  func add(to router: Router<WebContext>) {
    guard environment.takesTaps else { return }
    router.get(RouterPath(TapLink.path), use: show)
    router.post(RouterPath(TapLink.path), use: answer)
  }

  @Sendable private func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let words = site.language(for: request)
    guard ProtectedWay.holds(request, context, access) else { return unprotected(words) }
    return page(nil, words, status: .ok)
  }

  @Sendable private func answer(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let words = site.language(for: request)
    guard ProtectedWay.holds(request, context, access) else { return unprotected(words) }
    // A telephone's program may name any media type.
    let form = try FormBody(try await request.body.collect(upTo: context.maxUploadSize))
    let token = form["t"] ?? ""
    let step: AnswerByLink.Step =
      switch form["step"] {
      case nil, "show": .show
      case "answer": .answer(reason: form["reason"])
      case "takeBack": .takeBack
      case let other?: throw Fault(.malformed, "There is no step ‘\(other)’.")
      }
    let now = environment.now()
    do {
      let action = AnswerByLink(token, step)
      // A guess is refused before it waits for the writer.
      let isKnown = try await environment.store.readMessages { try action.isKnown(in: $0) }
      guard isKnown else { throw TapRefusal.unknown }
      let taken = try await environment.store.writeMessages { [site] writer in
        let result = try action.perform(in: writer, now: now)
        let reader = try Audience(writer, now: now).language(of: result.recipient)
        let words = reader.flatMap { site.language($0) } ?? words
        return (result, words, try TapText(result, in: words, writer, now: now))
      }
      if taken.0.isChanged { await note(taken.0, step, context, at: now) }
      return page(
        taken.2, taken.1, token: token,
        status: step.isDone(taken.0) ? .ok : .conflict)
    } catch let refusal as TapRefusal {
      return page(TapText(refusal, in: words), words, status: refusal.status)
    }
  }

  private func unprotected(_ words: Language) -> Response {
    ProtectedWay.refused(page(TapText(unprotectedIn: words), words, status: .upgradeRequired))
  }

  private func page(
    _ text: TapText?, _ words: Language, token: String? = nil, status: HTTPResponse.Status
  ) -> Response {
    var viewer = Viewer(language: words, patient: nil, now: environment.now(), timeZone: .gmt)
    viewer.rights = []
    var response = Response.page(
      TapPage(text, token: token, viewer: viewer).html(site), status: status)
    for (name, value) in Self.headers {
      if let name = HTTPField.Name(name) { response.headers[name] = value }
    }
    return response
  }

  private static let headers = [
    "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow",
    // Whoever has the token may read what it leads to, from any page.
    "Access-Control-Allow-Origin": "*",
  ]

  /// Writes the answer to the audit log: who, by which action and channel, whose.
  private func note(
    _ result: TapResult, _ step: AnswerByLink.Step, _ context: WebContext, at now: Date
  ) async {
    guard let access else { return }
    await access.write(
      AuditEntry(
        time: now, subject: .link(result.recipient.text),
        action: step == .takeBack ? .undo : .answer,
        object: [.mine, .guest].contains(result.answer) ? .sample : .event, id: result.auditText,
        patient: result.patient, client: context.client, outcome: .done), logger)
  }
}

extension AnswerByLink.Step {
  /// Whether the step led to what was asked.
  fileprivate func isDone(_ result: TapResult) -> Bool {
    guard case .answer = self else { return true }
    return result.isChanged
  }
}

extension TapRefusal {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .unknown: .notFound
    case .expired, .gone: .gone
    case .notTakenBack: .conflict
    }
  }
}
