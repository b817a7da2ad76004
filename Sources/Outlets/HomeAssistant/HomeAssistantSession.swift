package import Care
package import Foundation
import Interchange

/// A conversation with a Home Assistant over its websocket, by the token of an administrator.
///
/// Source: developers.home-assistant.io, "WebSocket API"; home-assistant/core,
/// `components/recorder/websocket_api.py`.
package actor HomeAssistantSession: HomeAssistantRecorder {
  package nonisolated let version: HomeAssistantVersion
  private let socket: WebSocket
  private var lastID = 0

  /// Where the websocket is below the address.
  private static let path = "/api/websocket"
  /// The most messages that are passed over until the answer to a question comes.
  private static let mostOthers = 100

  /// Connects, and signs in.
  ///
  /// - Parameters:
  ///   - address: The address of Home Assistant.
  ///   - token: A long-lived token.
  ///   - authorities: A file with the certificates that are trusted in place of the system's.
  /// - Throws: ``DeliveryFault``.
  package init(
    to address: WebAddress, token: Secret<String>, authorities: String?
  ) async throws(DeliveryFault) {
    let socket = try await WebSocket(to: address, path: Self.path, authorities: authorities)
    do throws(DeliveryFault) {
      version = try await Self.signIn(token, over: socket)
    } catch {
      await socket.close()
      throw error
    }
    self.socket = socket
  }

  package func close() async { await socket.close() }

  private struct Greeting: Decodable {
    var type: String
    var version: String?
    var message: String?

    enum CodingKeys: String, CodingKey {
      case type, message
      case version = "ha_version"
    }
  }

  private static func signIn(
    _ token: Secret<String>, over socket: WebSocket
  ) async throws(DeliveryFault) -> HomeAssistantVersion {
    struct Authentication: Encodable {
      let type = "auth"
      var token: String

      enum CodingKeys: String, CodingKey {
        case type
        case token = "access_token"
      }
    }
    let hello: Greeting = try read(try await socket.receive())
    guard hello.type == "auth_required" else { throw .unexpected(detail: detail(hello.type)) }
    try await socket.send(try json(Authentication(token: token.revealed)))
    let answer: Greeting = try read(try await socket.receive())
    guard answer.type == "auth_ok" else {
      throw .credentials(detail: detail(answer.message ?? answer.type))
    }
    guard let version = answer.version.flatMap(HomeAssistantVersion.init) else {
      throw .unexpected(detail: detail("ha_version \(answer.version ?? "")"))
    }
    return version
  }

  // MARK: Questions

  /// A command with its number.
  private struct Numbered<Command: Encodable>: Encodable {
    var id: Int
    var command: Command

    enum CodingKeys: String, CodingKey { case id }

    func encode(to encoder: any Encoder) throws {
      try command.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
    }
  }

  private struct Head: Decodable {
    var id: Int?
    var type: String
    var success: Bool?
    var error: Trouble?

    struct Trouble: Decodable {
      var code: String
      var message: String?
    }
  }

  private struct Answer<Result: Decodable>: Decodable { var result: Result }

  /// Asks, and waits for the answer.
  private func ask<Result: Decodable>(
    _ command: some Encodable, _ result: Result.Type
  ) async throws(DeliveryFault) -> Result {
    lastID += 1
    let id = lastID
    try await socket.send(try Self.json(Numbered(id: id, command: command)))
    for _ in 0..<Self.mostOthers {
      let text = try await socket.receive()
      let head: Head = try Self.read(text)
      guard head.type == "result", head.id == id else { continue }
      guard head.success == true else { throw Self.fault(head.error) }
      let answer: Answer<Result> = try Self.read(text)
      return answer.result
    }
    throw .unexpected(detail: "it does not answer the question")
  }

  private static func fault(_ trouble: Head.Trouble?) -> DeliveryFault {
    let words = detail(
      [trouble?.code, trouble?.message].compactMap(\.self).joined(separator: ": "))
    return switch trouble?.code {
    // Only an administrator may change statistics.
    case "unauthorized": .credentials(detail: words)
    case "timeout": .timeout
    default: .message(detail: words)
    }
  }

  private static func detail(_ text: String) -> String { text.oneLine.shortened(toBytes: 200) }

  private static func json(_ value: some Encodable) throws(DeliveryFault) -> Data {
    do {
      return try JSONText.of(value)
    } catch {
      throw .unexpected(detail: "\(type(of: value))")
    }
  }

  private static func read<T: Decodable>(_ text: Data) throws(DeliveryFault) -> T {
    do {
      return try JSONDecoder().decode(T.self, from: text)
    } catch {
      throw .unexpected(detail: "it does not speak as Home Assistant does")
    }
  }

  /// A result of which nothing is read.
  private struct Nothing: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// Whether the token is that of an administrator.
  package func isAdministrator() async throws(DeliveryFault) -> Bool {
    struct Question: Encodable { let type = "auth/current_user" }
    struct User: Decodable {
      var isAdministrator: Bool

      enum CodingKeys: String, CodingKey { case isAdministrator = "is_admin" }
    }
    return try await ask(Question(), User.self).isAdministrator
  }

  // MARK: Statistics

  package func known() async throws(DeliveryFault) -> [String: String] {
    struct Question: Encodable { let type = "recorder/list_statistic_ids" }
    struct Statistic: Decodable {
      var id: String
      var source: String?
      var name: String?

      enum CodingKeys: String, CodingKey {
        case source, name
        case id = "statistic_id"
      }
    }
    let all = try await ask(Question(), [Statistic].self)
    return Dictionary(
      all.filter { $0.source == HomeAssistantStatistic.source }.map { ($0.id, $0.name ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  private struct Period: Encodable {
    let type = "recorder/statistics_during_period"
    var start: String
    var end: String
    var ids: [String]
    var period: String
    var types: [String]

    enum CodingKeys: String, CodingKey {
      case type, period, types
      case start = "start_time"
      case end = "end_time"
      case ids = "statistic_ids"
    }
  }

  private struct Row: Decodable {
    /// In milliseconds since 1970.
    var start: Double
    var mean: Double?
    var min: Double?
    var max: Double?
    var state: Double?
    var sum: Double?
  }

  private func rows(
    of statistic: HomeAssistantStatistic, from: Date, to: Date, by period: String
  ) async throws(DeliveryFault) -> [Row] {
    let question = Period(
      start: from.rfc3339(in: .gmt), end: to.rfc3339(in: .gmt), ids: [statistic.id],
      period: period, types: statistic.isSum ? ["state", "sum"] : ["mean", "min", "max"])
    return try await ask(question, [String: [Row]].self)[statistic.id] ?? []
  }

  package func earliest(
    of statistic: HomeAssistantStatistic, to: Date
  ) async throws(DeliveryFault) -> Date? {
    let rows = try await rows(
      of: statistic, from: Date(timeIntervalSince1970: 0), to: to, by: "month")
    return rows.map(\.start).min().map { Date(timeIntervalSince1970: $0 / 1_000) }
  }

  package func hours(
    of statistic: HomeAssistantStatistic, from: Date, to: Date
  ) async throws(DeliveryFault) -> [HomeAssistantHour] {
    try await rows(of: statistic, from: from, to: to, by: "hour").compactMap { row in
      let hour = HomeAssistantHour.hour(of: Date(timeIntervalSince1970: row.start / 1_000))
      if statistic.isSum {
        guard let state = row.state, let sum = row.sum else { return nil }
        return HomeAssistantHour(hour, .sum(state, total: sum))
      }
      guard let mean = row.mean, let least = row.min, let greatest = row.max else { return nil }
      return HomeAssistantHour(hour, .mean(mean, least: least, greatest: greatest))
    }
  }

  package func put(
    _ hours: ArraySlice<HomeAssistantHour>, of statistic: HomeAssistantStatistic
  ) async throws(DeliveryFault) {
    let question = HomeAssistantImport(hours, of: statistic, for: version)
    _ = try await ask(question, Nothing?.self)
  }

  package func clear(_ ids: [String]) async throws(DeliveryFault) {
    struct Question: Encodable {
      let type = "recorder/clear_statistics"
      var ids: [String]

      enum CodingKeys: String, CodingKey {
        case type
        case ids = "statistic_ids"
      }
    }
    _ = try await ask(Question(ids: ids), Nothing?.self)
  }
}

/// The command that writes hours of a statistic.
struct HomeAssistantImport: Encodable {
  let type = "recorder/import_statistics"
  let metadata: HomeAssistantStatistic.Metadata
  let stats: [Row]

  struct Row: Encodable {
    var start: String
    var mean: Double?
    var min: Double?
    var max: Double?
    var state: Double?
    var sum: Double?

    init(_ hour: HomeAssistantHour) {
      start = hour.start.rfc3339(in: .gmt)
      switch hour.values {
      case .mean(let mean, let least, let greatest): (self.mean, min, max) = (mean, least, greatest)
      case .sum(let sum, let total): (state, self.sum) = (sum, total)
      }
    }
  }

  init(
    _ hours: ArraySlice<HomeAssistantHour>, of statistic: HomeAssistantStatistic,
    for version: HomeAssistantVersion
  ) {
    metadata = statistic.metadata(for: version)
    stats = hours.map(Row.init)
  }
}
