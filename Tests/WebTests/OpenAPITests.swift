import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The description of the interface, held against what is served.
@Suite struct OpenAPITests {
  let site: TestSite
  let document: OpenAPIDocument

  init() async throws {
    site = try TestSite(measuring: MeasuringStub().measuring)
    try await site.store.importHousehold()
    document = try OpenAPIDocument(try await site.get("/api/v1/openapi.json").text)
  }

  @Test
  func `every answer is described, and as it is described`() async throws {
    let id = try #require(
      try await site.get("/api/v1/events").list("events").last?["id"] as? String)
    let weigh = try #require(
      try await site.get("/api/v1/events").list("events").first?["id"] as? String)
    let consent = CarePlan(
      id: "heart", patient: "anna", title: "Heart",
      consent: ConsentDocument(
        version: "1", sections: [.init(title: "Data", text: "We keep it **here**.")],
        digest: "bf1936034bc4365698a9855c172b8377647d4a19aa22f0fda651615fc52ff68e"))
    _ = try await site.store.write { try $0.put(consent, now: TestSite.noon) }
    let rule = Rule(
      kind: "range", trigger: .results(1, ofLast: 1, .above(1)), contact: "c", message: "m")
    let now = TestSite.noon
    let firing = Firing(
      Firing.Key(.rule, EventKey(patient: "anna", task: "knee", start: now), rule: rule), due: now,
      date: now, results: [RuleResult(start: now, time: now, value: 92, unit: .degree)],
      target: Firing.TargetChange(from: 90, to: 100, unit: .degree, effectiveDate: now))
    let fired = try #require(
      try await site.store.write { try $0.record(firing, making: nil, now: now) }
    ).id.uuidString
    try await site.store.noteOutlet("nora")
    let requests: [(HTTPRequest.Method, String, String, String?)] = [
      (.get, "/api/v1/openapi.json", "/api/v1/openapi.json", nil),
      (.get, "/api/v1/health", "/api/v1/health", nil),
      (.get, "/api/v1/ready", "/api/v1/ready", nil),
      (.get, "/metrics", "/metrics", nil),
      (.get, "/api/v1/events", "/api/v1/events", nil),
      (.get, "/api/v1/events", "/api/v1/events?patient=eve", nil),
      (.get, "/api/v1/events", "/api/v1/events?x", nil),
      (.get, "/api/v1/events/{event}", "/api/v1/events/\(id)", nil),
      (.get, "/api/v1/events/{event}", "/api/v1/events/0", nil),
      (.put, "/api/v1/events/{event}/outcome", "/api/v1/events/\(id)/outcome", "{}"),
      (
        .put, "/api/v1/events/{event}/outcome", "/api/v1/events/\(weigh)/outcome",
        #"{"values":[{"value":63.9}]}"#
      ),
      (.get, "/api/v1/events", "/api/v1/events?date=2026-11-20", nil),
      (
        .post, "/api/v1/events/{event}/outcome/values", "/api/v1/events/\(id)/outcome/values",
        #"{"value":1}"#
      ),
      (
        .delete, "/api/v1/events/{event}/outcome/values", "/api/v1/events/\(id)/outcome/values",
        nil
      ),
      (.delete, "/api/v1/events/{event}/outcome", "/api/v1/events/\(id)/outcome", nil),
      (
        .post, "/api/v1/events/{event}/outcome/restoration",
        "/api/v1/events/\(id)/outcome/restoration", nil
      ),
      (
        .post, "/api/v1/events/{event}/outcome/restoration",
        "/api/v1/events/\(id)/outcome/restoration", nil
      ),
      (.post, "/api/v1/events/{event}/snooze", "/api/v1/events/\(id)/snooze", #"{"minutes":5}"#),
      (.post, "/api/v1/events/{event}/snooze", "/api/v1/events/\(id)/snooze", "{}"),
      (.post, "/api/v1/sessions", "/api/v1/sessions", #"{"event":"\(id)"}"#),
      (.post, "/api/v1/sessions", "/api/v1/sessions", "{}"),
      (.post, "/api/v1/sessions", "/api/v1/sessions", #"{"event":"0"}"#),
      (.get, "/api/v1/sessions", "/api/v1/sessions", nil),
      (.get, "/api/v1/sessions/{session}", "/api/v1/sessions/1", nil),
      (.get, "/api/v1/sessions/{session}", "/api/v1/sessions/9", nil),
      (.post, "/api/v1/sessions/{session}/start", "/api/v1/sessions/1/start", nil),
      (.post, "/api/v1/sessions/{session}/again", "/api/v1/sessions/1/again", nil),
      (.get, "/api/v1/sessions/{session}", "/api/v1/sessions/1", nil),
      (.post, "/api/v1/sessions/{session}/done", "/api/v1/sessions/1/done", nil),
      (.get, "/api/v1/sessions/{session}", "/api/v1/sessions/1", nil),
      (.post, "/api/v1/sessions/{session}/keep", "/api/v1/sessions/1/keep", nil),
      (.post, "/api/v1/sessions/{session}/cancel", "/api/v1/sessions/1/cancel", nil),
      (
        .post, "/api/v1/events/{event}/performance", "/api/v1/events/\(id)/performance",
        #"{"attempts":[{"shown":3000,"pressed":3300}]}"#
      ),
      (
        .post, "/api/v1/events/{event}/performance", "/api/v1/events/\(id)/performance", "[]"
      ),
      (
        .post, "/api/v1/events/{event}/attachments", "/api/v1/events/\(id)/attachments?kind=x", "{}"
      ),
      (.post, "/api/v1/events/{event}/attachments", "/api/v1/events/\(id)/attachments", "{}"),
      (.post, "/api/v1/events/{event}/attachments", "/api/v1/events/0/attachments?kind=x", "{}"),
      (.get, "/api/v1/attachments/{sha256}", "/api/v1/attachments/x", nil),
      (.put, "/api/v1/tasks/{task}/video", "/api/v1/tasks/weigh-in/video", "{}"),
      (.put, "/api/v1/tasks/{task}/video", "/api/v1/tasks/nothing/video", "{}"),
      (.delete, "/api/v1/tasks/{task}/video", "/api/v1/tasks/pills/video", nil),
      (.delete, "/api/v1/tasks/{task}/video", "/api/v1/tasks/nothing/video", nil),
      (.get, "/api/v1/samples", "/api/v1/samples", nil),
      (.get, "/api/v1/samples", "/api/v1/samples?last=0", nil),
      (
        .post, "/api/v1/samples", "/api/v1/samples",
        #"{"patient":"anna","quantity":"bodyMass","value":63.5,"at":"2026-11-20T07:10"}"#
      ),
      (.post, "/api/v1/samples", "/api/v1/samples", #"{"quantity":"bodyMass"}"#),
      (
        .post, "/api/v1/samples", "/api/v1/samples",
        #"{"patient":"anna","quantity":"stepCount","value":63.5}"#
      ),
      (.get, "/api/v1/samples/{sample}", "/api/v1/samples/1", nil),
      (.get, "/api/v1/samples/{sample}", "/api/v1/samples/99", nil),
      (
        .post, "/api/v1/samples/{sample}/correction", "/api/v1/samples/1/correction",
        #"{"value":141,"unit":"lb","reason":"a typing error"}"#
      ),
      (.get, "/api/v1/samples", "/api/v1/samples?patient=anna", nil),
      (
        .put, "/api/v1/samples/{sample}/assignment", "/api/v1/samples/1/assignment",
        #"{"patient":"kim"}"#
      ),
      (
        .put, "/api/v1/samples/{sample}/assignment", "/api/v1/samples/1/assignment", "{}"
      ),
      (
        .delete, "/api/v1/samples/{sample}/assignment", "/api/v1/samples/1/assignment", nil
      ),
      (.delete, "/api/v1/samples/{sample}", "/api/v1/samples/1", nil),
      (.get, "/api/v1/samples", "/api/v1/samples?deleted=true", nil),
      (.post, "/api/v1/samples/{sample}/restoration", "/api/v1/samples/1/restoration", nil),
      (.get, "/api/v1/samples/{sample}/changes", "/api/v1/samples/1/changes", nil),
      (.get, "/api/v1/patients", "/api/v1/patients", nil),
      (.get, "/api/v1/plan", "/api/v1/plan", nil),
      (.put, "/api/v1/plan", "/api/v1/plan", "timeZone: nowhere"),
      (
        .put, "/api/v1/contacts/{contact}", "/api/v1/contacts/nora",
        #"{"name":{"given":"Nora"},"phoneNumbers":[{"value":"1"}],"address":{"city":"Berlin"}}"#
      ),
      (.put, "/api/v1/contacts/{contact}", "/api/v1/contacts/nora", #"{"name":{}}"#),
      (.get, "/api/v1/contacts", "/api/v1/contacts", nil),
      (.delete, "/api/v1/contacts/{contact}", "/api/v1/contacts/nora", nil),
      (.delete, "/api/v1/contacts/{contact}", "/api/v1/contacts/nobody", nil),
      (
        .put, "/api/v1/channels", "/api/v1/channels",
        #"{"patient":"anna","channels":[{"channel":"email:a@example.org"},"#
          + #"{"channel":"ntfy:https://ntfy.example/t","secret":"tk_1"}]}"#
      ),
      (.put, "/api/v1/channels", "/api/v1/channels", #"{"patient":"eve","channels":[]}"#),
      (.put, "/api/v1/channels", "/api/v1/channels", #"{"channels":[]}"#),
      (.get, "/api/v1/channels", "/api/v1/channels", nil),
      (
        .post, "/api/v1/channels/test", "/api/v1/channels/test",
        #"{"channel":"email:a@example.org"}"#
      ),
      (
        .post, "/api/v1/channels/test", "/api/v1/channels/test",
        #"{"channel":"email:b@example.org"}"#
      ),
      (.get, "/api/v1/outlets", "/api/v1/outlets", nil),
      (.post, "/api/v1/outlets/pause", "/api/v1/outlets/pause", #"{"name":"nora"}"#),
      (.post, "/api/v1/outlets/resume", "/api/v1/outlets/resume", #"{"name":"nobody"}"#),
      (.post, "/api/v1/outlets/retry", "/api/v1/outlets/retry", #"{"name":"nora"}"#),
      (
        .post, "/api/v1/outlets", "/api/v1/outlets",
        #"{"name":"days","kind":"file","people":["anna"],"quantities":["bodyMass"]}"#
      ),
      (.post, "/api/v1/outlets", "/api/v1/outlets", #"{"name":"days","kind":"fax"}"#),
      (
        .post, "/api/v1/outlets", "/api/v1/outlets",
        #"{"name":"days","kind":"file","people":"all"}"#
      ),
      (.post, "/api/v1/outlets/test", "/api/v1/outlets/test", #"{"name":"days"}"#),
      (.post, "/api/v1/outlets/remove", "/api/v1/outlets/remove", #"{"name":"days"}"#),
      (.post, "/api/v1/outlets/remove", "/api/v1/outlets/remove", #"{"name":"days"}"#),
      (.put, "/api/v1/plan/zone", "/api/v1/plan/zone", #"{"timeZone":"Europe/Berlin"}"#),
      (
        .put, "/api/v1/patients/{patient}/presence", "/api/v1/patients/anna/presence",
        #"{"home":true,"from":"2026-11-20T07:00","to":"2026-11-20T09:00"}"#
      ),
      (
        .put, "/api/v1/patients/{patient}/presence", "/api/v1/patients/anna/presence",
        #"{"home":true}"#
      ),
      (.get, "/api/v1/weighings", "/api/v1/weighings", nil),
      (.get, "/api/v1/morning", "/api/v1/morning", nil),
      (
        .put, "/api/v1/patients/{patient}/weigher", "/api/v1/patients/anna/weigher",
        #"{"sample":1}"#
      ),
      (.put, "/api/v1/plan/zone", "/api/v1/plan/zone", #"{"timeZone":"nowhere"}"#),
      (
        .post, "/api/v1/messages", "/api/v1/messages", #"{"patient":"anna","text":"Hello"}"#
      ),
      (.post, "/api/v1/messages", "/api/v1/messages", #"{"patient":"anna","text":" "}"#),
      (.get, "/api/v1/messages", "/api/v1/messages", nil),
      (.get, "/api/v1/consents", "/api/v1/consents?patient=anna", nil),
      (
        .post, "/api/v1/consents", "/api/v1/consents",
        #"{"patient":"anna","carePlan":"heart","state":"agreed","name":"Anna","signature":"M0 0L9 9","#
          + #""digest":"bf1936034bc4365698a9855c172b8377647d4a19aa22f0fda651615fc52ff68e"}"#
      ),
      (
        .post, "/api/v1/consents", "/api/v1/consents",
        #"{"patient":"anna","carePlan":"x","state":"agreed","name":"Anna","digest":"0"}"#
      ),
      (.post, "/api/v1/consents", "/api/v1/consents", "{}"),
      (.get, "/api/v1/consents", "/api/v1/consents", nil),
      (.get, "/api/v1/firings", "/api/v1/firings?patient=anna&kind=rule&from=2026-11-01", nil),
      (.get, "/api/v1/firings", "/api/v1/firings?kind=x", nil),
      (
        .post, "/api/v1/firings/{firing}/undo", "/api/v1/firings/\(fired)/undo", nil
      ),
      (
        .post, "/api/v1/firings/{firing}/undo", "/api/v1/firings/\(fired)/undo", nil
      ),
      (.post, "/api/v1/firings/{firing}/undo", "/api/v1/firings/x/undo", nil),
      (.get, "/api/v1/firings", "/api/v1/firings", nil),
      (.get, "/api/v1/devices", "/api/v1/devices", nil),
      (.post, "/api/v1/exchange", "/api/v1/exchange", "{}"),
      (.post, "/api/v1/exchange/boxes", "/api/v1/exchange/boxes", "{}"),
      (.get, "/api/v1/phones/noop", "/api/v1/phones/noop", nil),
      (.post, "/api/v1/phones/noop", "/api/v1/phones/noop", "{}"),
      (.post, "/api/v1/phones/openscale", "/api/v1/phones/openscale", #"{"event":"test"}"#),
      (.post, "/api/v1/phones/openscale", "/api/v1/phones/openscale", "{}"),
      (
        .post, "/api/v1/phones/health-auto-export", "/api/v1/phones/health-auto-export", "{}"
      ),
      (.get, "/api/v1/adherence", "/api/v1/adherence", nil),
      (.get, "/api/v1/adherence", "/api/v1/adherence?task=pills&by=month", nil),
    ]
    var tried: Set<String> = []
    for (method, path, target, body) in requests {
      let answer =
        if let body { try await site.json(method, target, body) } else {
          try await site.send(method, target)
        }
      tried.insert("\(method.rawValue.lowercased()) \(path)")
      let faults = document.faults(method: method.rawValue.lowercased(), path: path, answer)
      #expect(faults.isEmpty, "\(method) \(target): \(answer.status) \(answer.text)")
    }
    #expect(document.operations.subtracting(tried).isEmpty)
  }

  @Test
  func `every served route is described`() {
    let served = RouteRule.table.keys.compactMap { route -> String? in
      guard let space = route.firstIndex(of: " ") else { return nil }
      let path = route[route.index(after: space)...]
      guard path.starts(with: "/api/v1/") || path == "/metrics" else { return nil }
      return "\(route[..<space].lowercased()) \(path)"
    }
    #expect(Set(served) == document.operations)
  }

  /// The answers of guard and gate, whatever the route.
  @Test
  func `every operation has the answers that any route can give`() {
    for operation in document.operations {
      let isOpen = ["/health", "/ready", "/exchange/boxes"].contains { operation.hasSuffix($0) }
      let statuses = document.statuses(of: operation)
      #expect(statuses.isSuperset(of: ["403", "421", "500", "503"]), "\(operation)")
      #expect(statuses.contains("401") != isOpen, "\(operation)")
    }
  }

  /// A client refuses an answer with a word that its description does not have.
  @Test(
    arguments: [
      ("Firing", "kind", Firing.Kind.allCases.map(\.rawValue)),
      ("Value", "provenance", Provenance.allCases.map(\.rawValue)),
      ("Sample", "provenance", Provenance.allCases.map(\.rawValue)),
      // A sample that counts has no state.
      ("Sample", "state", Sample.State.allCases.filter { $0 != .live }.map(\.rawValue)),
      ("Consent", "state", ConsentState.allCases.map(\.rawValue)),
      ("ConsentAnswer", "state", ConsentAnswer.State.allCases.map(\.rawValue)),
      ("NewMessage", "sender", Message.Sender.allCases.map(\.rawValue)),
    ])
  func `the words of a value are all described`(
    schema: String, property: String, words: [String]
  ) {
    #expect(Set(document.words(of: property, in: schema)) == Set(words))
  }

  @Test
  func `the reference has every operation`() async throws {
    let html = try await site.get("/reference").text
    for operation in document.operations {
      let parts = operation.split(separator: " ", maxSplits: 1)
      let heading = "\(parts[0].uppercased())</span> <code class=\"path\">\(parts[1])</code>"
      #expect(html.contains(heading), "\(operation)")
    }
  }

  @Test
  func `a path that is not described is not served`() async throws {
    for path in ["/api/v1", "/api/v1/", "/api/v2/events", "/api/v1/tasks/x", "/api"] {
      #expect(try await site.get(path).status == 404)
    }
  }
}

/// As much of OpenAPI 3.1 and JSON Schema as the document uses.
struct OpenAPIDocument {
  private let root: [String: Any]

  init(_ text: String) throws {
    root = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private var paths: [String: [String: Any]] { root["paths"] as? [String: [String: Any]] ?? [:] }

  /// The words that a property of a schema may have.
  func words(of property: String, in schema: String) -> [String] {
    let schemas = (root["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]]
    let properties = schemas?[schema]?["properties"] as? [String: [String: Any]]
    return properties?[property]?["enum"] as? [String] ?? []
  }

  /// Every operation: `get /api/v1/events`.
  var operations: Set<String> {
    Set(paths.flatMap { path, methods in methods.keys.map { "\($0) \(path)" } })
  }

  /// The statuses of the answers of an operation, `get /api/v1/events`.
  func statuses(of operation: String) -> Set<String> {
    let parts = operation.split(separator: " ").map(String.init)
    let operation = paths[parts[1]]?[parts[0]] as? [String: Any]
    return Set((operation?["responses"] as? [String: Any] ?? [:]).keys)
  }

  /// The faults of an answer: its parts that are not as described.
  func faults(method: String, path: String, _ answer: SiteAnswer) -> [String] {
    guard let operation = paths[path]?[method] as? [String: Any],
      let responses = operation["responses"] as? [String: [String: Any]]
    else { return ["\(method) \(path) is not described"] }
    guard let response = responses[String(answer.status)] else {
      return ["\(answer.status) is not described"]
    }
    guard let content = response["content"] as? [String: [String: Any]] else { return [] }
    let type = answer.headers[.contentType] ?? ""
    guard let schema = content[type]?["schema"] as? [String: Any] else {
      return ["\(type) is not described"]
    }
    guard type.hasSuffix("json") else { return [] }
    guard
      let value = try? JSONSerialization.jsonObject(
        with: Data(answer.text.utf8), options: .fragmentsAllowed)
    else { return ["the body is no JSON"] }
    return faults(of: value, schema, at: "body")
  }

  private func faults(of value: Any, _ schema: [String: Any], at place: String) -> [String] {
    if let reference = schema["$ref"] as? String {
      let components = root["components"] as? [String: [String: [String: Any]]]
      let name = String(reference.split(separator: "/").last ?? "")
      guard let target = components?["schemas"]?[name] else { return ["\(place): no \(reference)"] }
      return faults(of: value, target, at: place)
    }
    if let choices = schema["oneOf"] as? [[String: Any]] {
      let fitting = choices.filter { self.faults(of: value, $0, at: place).isEmpty }
      return fitting.count == 1 ? [] : ["\(place): fits \(fitting.count) choices"]
    }
    var faults: [String] = []
    let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
    if !types.isEmpty, !types.contains(where: { Self.isOf($0, value) }) {
      return ["\(place): \(value) is no \(types)"]
    }
    if let allowed = schema["enum"] as? [String], !allowed.contains(value as? String ?? "") {
      faults.append("\(place): \(value) is none of \(allowed)")
    }
    if let items = schema["items"] as? [String: Any], let list = value as? [Any] {
      for (index, item) in list.enumerated() {
        faults += self.faults(of: item, items, at: "\(place)[\(index)]")
      }
    }
    guard let object = value as? [String: Any] else { return faults }
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    for name in schema["required"] as? [String] ?? [] where object[name] == nil {
      faults.append("\(place): \(name) is missing")
    }
    for (name, item) in object {
      if let property = properties[name] {
        faults += self.faults(of: item, property, at: "\(place).\(name)")
      } else if schema["additionalProperties"] as? Bool == false {
        faults.append("\(place): \(name) is not described")
      }
    }
    return faults
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "null": value is NSNull
    case "string": value is String
    case "array": value is [Any]
    case "object": value is [String: Any]
    case "boolean": (value as? NSNumber).map(isBoolean) ?? false
    case "integer":
      (value as? NSNumber).map { !isBoolean($0) && $0.doubleValue == $0.doubleValue.rounded() }
        ?? false
    case "number": (value as? NSNumber).map { !isBoolean($0) } ?? false
    default: false
    }
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    unsafe String(cString: number.objCType) == "c"
  }
}
