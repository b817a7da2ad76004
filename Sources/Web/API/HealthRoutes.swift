import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird

/// Whether the program runs, and whether its store answers.
struct HealthRoutes {
  let environment: WebEnvironment

  func add(to group: RouterGroup<WebContext>) {
    group.get("health") { _, _ in try JSONBody.response(Health(status: "ok")) }
    group.get("ready", use: ready)
  }

  private struct Health: Encodable {
    var status: String
  }

  @Sendable private func ready(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    do {
      _ = try await environment.store.read { try $0.planRevision() }
      return try JSONBody.response(Health(status: "ready"))
    } catch {
      return Problem(status: .serviceUnavailable, detail: environment.fault(error).message).response
    }
  }
}
