import Care
import CareStore
import Foundation
import Interchange
import Synchronization

@testable import Outlets

/// One value as a receiver has it, or as the store does.
struct Fact: Hashable, Comparable, Codable, CustomStringConvertible {
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

/// A folder with a file for each day of a person, which is written as a whole.
final class FolderReceiver: Receiver {
  private let days = Mutex<[String: [Fact]]>([:])

  var facts: [Fact] { days.withLock { $0.values.flatMap(\.self).sorted() } }

  func answer(_ request: HTTPRequest) -> TransferResult {
    guard let day = try? JSONDecoder().decode([Fact].self, from: request.body ?? Data()) else {
      return .answered(status: 400, retryAfter: nil, body: Data("no file".utf8))
    }
    days.withLock { $0[request.address.text] = day }
    return .taken
  }

  /// Writes a person's day as the store has it.
  static func write(
    _ patient: String, on date: Date, of store: SQLStore, to folder: WebAddress,
    send: @Sendable (HTTPRequest) async -> TransferResult
  ) async -> DeliveryResult {
    let start = Date(
      timeIntervalSince1970: (date.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
    let day = start.microseconds..<(start + 86_400).microseconds
    do {
      let facts = try await OutletFaultTests.facts(of: store, people: [patient])
        .filter { day.contains($0.time) }
      guard let file = folder.appending("/\(patient)/\(day.lowerBound)") else {
        return .later(.folder("", detail: "no name"), after: nil)
      }
      return await send(
        HTTPRequest("PUT", file, headers: [], body: try JSONEncoder().encode(facts))
      )
      .meaning
    } catch {
      return .later(.folder("", detail: "\(error)"), after: nil)
    }
  }
}

/// A FHIR server of Observations: batches, updates by id or by identifier, doubles.
final class FHIRReceiver: Receiver {
  private let takesIDs: Bool
  private let resources = Mutex<[String: FHIRObject]>([:])
  private let lastID = Mutex(0)

  init(takesIDs: Bool) { self.takesIDs = takesIDs }

  /// Every Observation, in any state.
  var observations: [FHIRObject] {
    resources.withLock { $0.values.filter { $0["resourceType"]?.text == "Observation" } }
  }

  /// Stores a resource as another writer does.
  func add(_ resource: FHIRObject, id: String) {
    var resource = resource
    resource["id"] = .string(id)
    resources.withLock { $0[id] = resource }
  }

  var facts: [Fact] {
    observations.filter { $0["status"]?.text != "entered-in-error" }.flatMap(Self.facts).sorted()
  }

  private static func identifier(_ object: FHIRObject?) -> String? {
    object?["identifier"]?.elements?.first?.object?["value"]?.text
  }

  private static func facts(_ resource: FHIRObject) -> [Fact] {
    let patient = resource["subject"]?.object?["identifier"]?.object?["value"]?.text ?? ""
    let start =
      resource["effectiveDateTime"]?.text
      ?? resource["effectivePeriod"]?.object?["start"]?.text ?? ""
    let time = (Date(rfc3339: start) ?? .distantPast).microseconds
    func fact(_ part: FHIRObject, _ value: Double, after seconds: Int = 0) -> Fact {
      let codes = part["code"]?.object?["coding"]?.elements ?? []
      let own = codes.compactMap(\.object).first {
        $0["system"]?.text == FHIRName.codes("quantity")
      }
      return Fact(
        patient: patient, quantity: own?["code"]?.text ?? "",
        time: time + Int64(seconds) * 1_000_000, value: value)
    }
    func number(_ part: FHIRObject) -> Double? {
      guard case .number(let number)? = part["valueQuantity"]?.object?["value"] else { return nil }
      return number.double
    }
    if let data = resource["valueSampledData"]?.object?["data"]?.text {
      return data.split(separator: " ").enumerated().compactMap { second, text in
        Double(text).map { fact(resource, $0, after: second) }
      }
    }
    let parts = resource["component"]?.elements?.compactMap(\.object) ?? [resource]
    return parts.compactMap { part in number(part).map { fact(part, $0) } }
  }

  func answer(_ request: HTTPRequest) -> TransferResult {
    func json(_ value: FHIRValue, _ status: Int = 200) -> TransferResult {
      .answered(status: status, retryAfter: nil, body: FHIRJSON.text(of: value))
    }
    if request.address.text.hasSuffix("/metadata") {
      let observation: FHIRObject = [
        "type": "Observation", "updateCreate": .boolean(takesIDs),
      ]
      return json(
        .object([
          "resourceType": "CapabilityStatement",
          "rest": .array([.object(["resource": .array([.object(observation)])])]),
        ]))
    }
    if request.method == "GET" {
      let value = request.address.text.components(separatedBy: "%7C").last
      let found = observations.filter { Self.identifier($0) == value }
      return json(
        .object([
          "resourceType": "Bundle", "type": "searchset",
          "entry": .array(found.map { .object(["resource": .object($0)]) }),
        ]))
    }
    guard let body = request.body, let bundle = try? FHIRJSON.value(of: body),
      let entries = bundle.object?["entry"]?.elements
    else { return json(.object(["resourceType": "OperationOutcome"]), 400) }
    let responses = entries.map { entry -> FHIRValue in
      let status = put(
        entry.object?["resource"]?.object ?? FHIRObject(),
        entry.object?["request"]?.object?["url"]?.text ?? "")
      return .object(["response": .object(["status": .string(status)])])
    }
    return json(
      .object([
        "resourceType": "Bundle", "type": "batch-response", "entry": .array(responses),
      ]))
  }

  private func put(_ resource: FHIRObject, _ url: String) -> String {
    var resource = resource
    if url.contains("?") {
      let value = url.components(separatedBy: "%7C").last
      let found = observations.filter { Self.identifier($0) == value }
      guard found.count < 2 else { return "412 Precondition Failed" }
      let id =
        found.first?["id"]?.text
        ?? lastID.withLock { id in
          id += 1
          return "s\(id)"
        }
      add(resource, id: id)
      return found.isEmpty ? "201 Created" : "200 OK"
    }
    let id = String(url.drop { $0 != "/" }.dropFirst())
    guard takesIDs || resources.withLock({ $0[id] != nil }) else {
      return "405 Method Not Allowed"
    }
    // An Observation never changes its subject.
    let before = resources.withLock { $0[id]?["subject"] }
    guard before == nil || before == resource["subject"] else { return "422 Another subject" }
    resource["id"] = .string(id)
    add(resource, id: id)
    return before == nil ? "201 Created" : "200 OK"
  }
}
