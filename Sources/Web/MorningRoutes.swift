package import Agenda
package import Care
import CareStore
import Exchange
package import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore

/// How the people stand this morning, for programs.
struct MorningRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  func add(to group: RouterGroup<WebContext>) {
    group.get("morning") { request, context in
      try await answer(request, context, type: "application/json") { morning, zone, now in
        try JSONText.of(morning.people.map { MorningOutput($0, zone, now: now) })
      }
    }
  }

  func addTable(to router: Router<WebContext>) {
    router.get("morning.csv") { request, context in
      try await answer(request, context, type: "text/csv; charset=utf-8") { morning, zone, now in
        let lines =
          [MorningOutput.csvHeading] + morning.people.map { MorningOutput($0, zone, now: now).csv }
        return Data(lines.map { $0 + "\r\n" }.joined().utf8)
      }
    }
  }

  private func answer(
    _ request: Request, _ context: WebContext, type: String,
    _ data: @escaping @Sendable (Morning, TimeZone, Date) throws -> Data
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let contacts = try await environment.contacts()
    let stamp = "\(Int(saturating: environment.now().timeIntervalSince1970 / 5))"
    return try await responder.respond(
      to: request, context, key: [request.uri.path, stamp], type: type
    ) { reader, now in
      try data(Morning(reader, contacts: contacts, now: now), reader.zone(), now)
    }
  }
}

extension WebEnvironment {
  /// When a box of each person's last spoke; `nil` where none of them has.
  func contacts() async throws -> [String: Date?] {
    try await store.readingExchange { try Enrolment(Centre()).contacts(in: $0) }
  }
}

extension Morning {
  /// Reads the morning of a store to which boxes speak.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader, contacts: [String: Date?], now: Date) throws {
    try self.init(reader, contacts: contacts, longestPause: SyncPace.longest, now: now)
  }
}
