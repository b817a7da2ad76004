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
    return try await responder.respond(to: request, context, key: "firings?" + items.key) {
      reader, _ in
      let zone = try reader.zone()
      let query = FiringQuery(
        patient: try items["patient"].map { try reader.patient(named: $0) },
        kinds: kind.map { [$0] }, from: try items.date("from", in: zone),
        to: try items.date("to", in: zone), limit: Self.limit)
      return try JSONText.of(
        FiringList(firings: try reader.firings(query).map { FiringOutput($0, in: zone) }))
    }
  }

  @Sendable private func undo(_ request: Request, _ context: WebContext) async throws -> Response {
    let (firing, zone) = try await FiringChanges(environment, context)
      .undo(context.parameters.require("firing"))
    return try JSONBody.response(FiringOutput(firing, in: zone))
  }
}

/// The changes by which people take back firings of rules.
struct FiringChanges {
  let environment: WebEnvironment
  let context: WebContext

  init(_ environment: WebEnvironment, _ context: WebContext) {
    self.environment = environment
    self.context = context
  }

  /// Takes a rule's firing back.
  ///
  /// - Throws: ``Fault`` for a firing that is not there for this client; ``AccessDenied``;
  ///   `StoreError`.
  func undo(_ text: String) async throws -> (StoredFiring, TimeZone) {
    let now = environment.now()
    return try await environment.store.write { writer in
      guard let id = UUID(uuidString: text),
        let stored = try context.scope(.plan).reader(writer).firings(FiringQuery())
          .first(where: { $0.id == id })
      else { throw Fault(.unknown, "There is no firing ‘\(text)’.") }
      // The next version of a task is the plan's.
      try context.demand(.plan, on: .patient(stored.firing.event.patient))
      return (try writer.undoFiring(id, now: now), try writer.zone())
    }
  }
}
