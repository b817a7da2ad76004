import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange

/// The routes of the plan's firings: reminders, fallbacks, alerts, rules.
struct FiringRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  func add(to group: RouterGroup<WebContext>) {
    group.get("firings", use: list)
    group.post("firings/:firing/undo", use: undo)
  }

  private struct FiringList: Encodable {
    var firings: [FiringOutput]
  }

  /// The most firings of an answer; the latest.
  private static let limit = 1_000

  @Sendable private func list(_ request: Request, _ context: WebContext) async throws -> Response {
    let items = try QueryItems(request, known: ["patient", "from", "to", "kind"])
    let kind = try items.choice("kind", Firing.Kind.self)
    return try await responder.respond(to: request, context, key: ["firings"] + items.key) {
      reader, now in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      let zone = try reader.zone(of: patient, at: now)
      let query = FiringQuery(
        patient: patient,
        kinds: kind.map { [$0] }, from: try items.date("from", in: zone),
        to: try items.date("to", in: zone), limit: Self.limit)
      return try JSONText.of(
        FiringList(firings: try reader.firings(query).map { FiringOutput($0, in: zone) }))
    }
  }

  @Sendable private func undo(_ request: Request, _ context: WebContext) async throws -> Response {
    JSONBody.response(
      text: try await environment.undoFiring(context.parameters.require("firing"), context))
  }
}

extension WebEnvironment {
  /// Takes back the firing of that id, in a request's name.
  ///
  /// - Returns: The firing as JSON.
  /// - Throws: ``Fault`` for a text that is no id; errors of the action.
  func undoFiring(
    _ text: String, _ context: WebContext
  ) async throws -> Data {
    guard let id = UUID(uuidString: text) else {
      throw Fault(.unknown, "There is no firing ‘\(text)’.")
    }
    return try await perform(UndoFiring(id), context) { firing, reader in
      try JSONText.of(FiringOutput(firing, in: reader.zone()))
    }.1
  }
}
