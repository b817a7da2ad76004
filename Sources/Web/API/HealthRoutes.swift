import Care
import CareStore
import EmbeddedFiles
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Whether the program runs, whether its store answers, and what can be asked.
struct HealthRoutes {
  let environment: WebEnvironment

  func add(to group: RouterGroup<WebContext>) {
    group.get("health") { _, _ in try JSONBody.response(Health(status: "ok")) }
    group.get("ready", use: ready)
    group.get("openapi.json") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-cache"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: OpenAPI.document)))
    }
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

/// The interface's description of itself.
enum OpenAPI {
  /// The document, OpenAPI 3.1 as JSON.
  static let document = EmbeddedFile.at("openapi.json")?.bytes ?? []
}
