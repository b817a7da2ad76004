import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Pages

/// The whole store as a file, for administrators.
struct BackupRoute {
  let environment: WebEnvironment

  func add(to router: Router<WebContext>) {
    router.post("setup/backup", use: download)
  }

  @Sendable private func download(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    // The form's token is checked.
    _ = try await FormBody(request, context)
    let store = environment.store
    // A copy takes as much of the disk as the store, until the client has it.
    let place = try environment.copies.take(for: context.sender)
    let memory = try environment.memory.take(2 * Self.partLength, for: context.sender)
    let copy = try await store.backup()
    let body = ResponseBody(contentLength: copy.byteCount) { [place, memory] writer in
      defer { withExtendedLifetime((place, memory)) {} }
      var place = 0
      while place < copy.byteCount {
        let bytes = try copy.bytes(at: place, count: Self.partLength)
        guard !bytes.isEmpty else { break }
        try await writer.write(ByteBuffer(bytes: bytes))
        place += bytes.count
      }
      try await writer.finish(nil)
    }
    let zone = try await store.read { try $0.zone() }
    let day = environment.now().formatted(
      Date.ISO8601FormatStyle(timeZone: zone).year().month().day())
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/vnd.sqlite3", .cacheControl: "no-store",
        .contentLength: String(copy.byteCount),
        .contentDisposition: "attachment; filename=\"measured-\(day).sqlite\"",
      ],
      body: body)
  }

  /// How many bytes are in memory at a time.
  private static let partLength = 256 << 10
}
