import Agenda
import Care
import CareStore
import Exchange
import Foundation
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
    let boxes = try await environment.boxes()
    return try await responder.respond(
      to: request, context, key: [request.uri.path, environment.stampOfFacts], type: type
    ) { reader, now in
      try data(Morning(reader, boxes: boxes, now: now), reader.zone(), now)
    }
  }
}

extension WebEnvironment {
  /// A part of the key of an answer with facts beside the store, which are asked for again after some
  /// seconds.
  var stampOfFacts: String { "\(Int(saturating: now().timeIntervalSince1970 / 5))" }

  /// The boxes that joined; none where the store is no centre's.
  func boxes() async throws -> [Enrolment.Known] {
    try await store.readingExchange { try Enrolment(Centre()).boxes(in: $0) }
  }
}
