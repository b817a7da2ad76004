import Care
import Foundation
import Synchronization

@testable import Outlets

/// One value as a receiver has it, or as the store does.
struct Fact: Hashable, Comparable, CustomStringConvertible {
  var patient: String
  var quantity: String
  /// µs since 1970.
  var time: Int64
  var value: Double

  var description: String { "\(patient) \(quantity) \(time) \(value)" }

  static func < (a: Fact, b: Fact) -> Bool {
    (a.patient, a.quantity, a.time, a.value) < (b.patient, b.quantity, b.time, b.value)
  }
}

/// A server on the other side of a request, in this process.
protocol Receiver: Sendable {
  /// Answers a request, and keeps what it says.
  func answer(_ request: HTTPRequest) -> TransferResult
  /// Every value that it has: doubles are in it twice.
  var facts: [Fact] { get }
}

/// A receiver of webhooks that keeps the greatest revision of each item, as the document says.
final class WebhookReceiver: Receiver {
  private struct Item {
    var revision: Int64
    var patient: String?
    var parts: [Int: [Fact]]
  }

  private struct Body: Decodable {
    var type: String
    var data: Content
    struct Content: Decodable { var items: [Entry] }
    struct Entry: Decodable {
      var id: String
      var revision: Int64
      var quantity: String
      var state: String
      var patient: String?
      var part: Int?
      var values: [Value]?
    }
    struct Value: Decodable {
      var quantity: String?
      var value: Double
      var time: String
    }
  }

  private let items = Mutex<[String: Item]>([:])

  var facts: [Fact] {
    items.withLock { $0.values.flatMap { $0.parts.values.flatMap(\.self) } }.sorted()
  }

  func answer(_ request: HTTPRequest) -> TransferResult {
    let headers = Dictionary(
      request.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { a, _ in a })
    guard let data = request.body, let body = try? JSONDecoder().decode(Body.self, from: data),
      headers["webhook-signature"]?.hasPrefix("v1,") == true, headers["webhook-id"] != nil,
      data.count <= Webhook.mostBytes
    else { return .answered(status: 400, retryAfter: nil, body: Data("no message".utf8)) }
    items.withLock { items in
      for entry in body.data.items {
        let known = items[entry.id]
        if let known, known.revision > entry.revision { continue }
        var item = Item(revision: entry.revision, patient: entry.patient, parts: [:])
        if let known, known.revision == entry.revision { item.parts = known.parts }
        if entry.state == "removed" { item.parts = [:] }
        if let values = entry.values {
          item.parts[entry.part ?? 1] = values.map {
            Fact(
              patient: entry.patient ?? "", quantity: $0.quantity ?? entry.quantity,
              time: (Date(rfc3339: $0.time) ?? .distantPast).microseconds, value: $0.value)
          }
        }
        items[entry.id] = item
      }
    }
    return .answered(status: 204, retryAfter: nil, body: Data())
  }
}

/// A database of points, which a point of the same measurement, tags and time replaces.
final class InfluxReceiver: Receiver {
  private struct Key: Hashable {
    var measurement: String
    var tags: String
    var time: Int64
  }

  private let points = Mutex<[Key: Fact]>([:])

  var facts: [Fact] { points.withLock { $0.values.sorted() } }

  func answer(_ request: HTTPRequest) -> TransferResult {
    let text = String(decoding: request.body ?? Data(), as: UTF8.self)
    if request.address.text.contains("/query?") { return delete(text) }
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 3, let time = Int64(parts[2]),
        let value = parts[1].split(separator: ",").first.flatMap({ Double($0.dropFirst(6)) })
      else { return .answered(status: 400, retryAfter: nil, body: Data(line.utf8)) }
      let names = parts[0].split(separator: ",")
      let patient = names.dropFirst().first { $0.hasPrefix("patient=") }?.dropFirst(8) ?? ""
      points.withLock {
        $0[Key(measurement: String(names[0]), tags: String(parts[0]), time: time)] = Fact(
          patient: String(patient), quantity: String(names[0]), time: time / 1_000, value: value)
      }
    }
    return .answered(status: 204, retryAfter: nil, body: Data())
  }

  private func delete(_ text: String) -> TransferResult {
    let query = String(text.dropFirst(2)).removingPercentEncoding ?? ""
    let pattern =
      /DELETE FROM "(\w+)" WHERE "patient" = '(\w+)' AND time >= (-?\d+) AND time < (-?\d+)( AND "device" = '([^']*)')?/
    guard let found = query.wholeMatch(of: pattern), let from = Int64(found.3),
      let to = Int64(found.4)
    else {
      return .answered(status: 200, retryAfter: nil, body: Data(#"{"error":"no query"}"#.utf8))
    }
    points.withLock { points in
      points = points.filter { key, fact in
        !(key.measurement == found.1 && fact.patient == found.2 && key.time >= from
          && key.time < to
          && (found.6.map { key.tags.contains("device=\($0)") } ?? true))
      }
    }
    return .answered(status: 200, retryAfter: nil, body: Data(#"{"results":[{}]}"#.utf8))
  }
}
