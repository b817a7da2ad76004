import Care
import Digests
import Foundation
import Interchange
import Synchronization
import Testing

@testable import Outlets

/// A clinic's server with SMART Backend Services, in this process: it believes nothing that it has not
/// verified.
final class ClinicServer: Sendable {
  struct Switches {
    /// Tokens end at once.
    var revokes = false
    /// How far its clock is ahead, in seconds.
    var ahead = 0
    var scopes: [String]?
    var capabilities: [String]? = ["client-confidential-asymmetric", "permission-v2"]
    /// The answer to a request for a token, in place of one.
    var token: (status: Int, body: String)?
    /// The pages of a search, by the address.
    var pages: [String: String] = [:]
  }

  static let base = "https://clinic.example/fhir"
  static let now = Date(timeIntervalSince1970: 1_795_000_000)
  let key: ClientKey
  private let point: (x: [UInt8], y: [UInt8])
  private let switches: Mutex<Switches>
  private let clock: @Sendable () -> Date
  private let state = Mutex((given: 0, ended: 0, names: Set<String>(), scopes: [String]()))

  init(
    _ switches: Switches = Switches(), clock: @escaping @Sendable () -> Date = { now }
  ) throws {
    self.clock = clock
    let pem = try #require(ES384.makeKey())
    key = try #require(ClientKey(pem: Secret(pem)))
    point = try #require(ES384.publicPoint(of: pem))
    self.switches = Mutex(switches)
  }

  var given: Int { state.withLock { $0.given } }
  var asked: [String] { state.withLock { $0.scopes } }

  func server(for purpose: BackendServices.Purpose = .sending) throws -> FHIRServer {
    let base = try #require(WebAddress(Self.base))
    let services = BackendServices(
      of: base, for: .init(id: "box-17", key: key), purpose: purpose, now: clock, name: UUID.random,
      send: { [self] in answer($0) })
    return FHIRServer(base, admission: .key(services), send: { [self] in answer($0) })
  }

  private func json(_ status: Int, _ text: String) -> TransferResult {
    .answered(status: status, retryAfter: nil, body: Data(text.utf8))
  }

  private func answer(_ request: HTTPRequest) -> TransferResult {
    let switches = switches.withLock { $0 }
    let address = request.address.text.replacing("CLINIC", with: "clinic")
    if address == Self.base + "/.well-known/smart-configuration" {
      var document: [String: Any] = ["token_endpoint": "https://login.clinic.example/token?v=1"]
      document["capabilities"] = switches.capabilities
      document["scopes_supported"] = switches.scopes
      let data = (try? JSONSerialization.data(withJSONObject: document)) ?? Data()
      return .answered(status: 200, retryAfter: nil, body: data)
    }
    if address == "https://login.clinic.example/token?v=1" {
      if let (status, body) = switches.token { return json(status, body) }
      return token(String(decoding: request.body ?? Data(), as: UTF8.self), switches)
    }
    let (given, ended) = state.withLock { ($0.given, $0.ended) }
    let shown = request.headers.first { $0.name == "Authorization" }?.value
    guard shown == "Bearer token-\(given)", given > ended else { return json(401, "{}") }
    if switches.revokes, given < 2 {
      state.withLock { $0.ended = given }
      return json(401, "{}")
    }
    guard let page = switches.pages[String(address.dropFirst(Self.base.count))] else {
      return json(200, #"{"resourceType":"Bundle","type":"searchset"}"#)
    }
    return json(200, page)
  }

  private func token(_ form: String, _ switches: Switches) -> TransferResult {
    let fields = Dictionary(
      form.split(separator: "&").compactMap { field -> (String, String)? in
        let parts = field.split(separator: "=", maxSplits: 1)
        return parts.count == 2
          ? (String(parts[0]), String(parts[1]).removingPercentEncoding ?? "") : nil
      }, uniquingKeysWith: { a, _ in a })
    func refuse(_ words: String) -> TransferResult {
      json(400, #"{"error":"invalid_client","error_description":"\#(words)"}"#)
    }
    guard fields["grant_type"] == "client_credentials",
      fields["client_assertion_type"]
        == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      let parts = fields["client_assertion"]?.split(separator: "."), parts.count == 3,
      let signature = Base64URL.bytes(of: String(parts[2])),
      ES384.isValid(signature, of: Array("\(parts[0]).\(parts[1])".utf8), by: point),
      let head = object(parts[0]), let claims = object(parts[1])
    else { return refuse("signature") }
    guard head["alg"] as? String == "ES384", head["kid"] as? String == key.id,
      claims["iss"] as? String == "box-17", claims["sub"] as? String == "box-17",
      claims["aud"] as? String == "https://login.clinic.example/token?v=1"
    else { return refuse("claims") }
    let clock = Int(clock().timeIntervalSince1970) + switches.ahead
    guard let end = claims["exp"] as? Int, end > clock, end <= clock + 300 else {
      return refuse("exp")
    }
    return state.withLock { state in
      guard let name = claims["jti"] as? String, state.names.insert(name).inserted else {
        return refuse("jti")
      }
      state.given += 1
      state.scopes.append(fields["scope"] ?? "")
      return json(
        200,
        #"{"access_token":"token-\#(state.given)","token_type":"Bearer","expires_in":300}"#)
    }
  }

  private func object(_ part: Substring) -> [String: Any]? {
    Base64URL.bytes(of: String(part)).flatMap {
      try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
    }
  }
}

@Suite struct FHIRServerTests {
  private static func status(_ result: TransferResult) -> Int? {
    guard case .answered(let status, _, _) = result else { return nil }
    return status
  }

  @Test func `one token serves until half a minute before its end`() async throws {
    let clock = Mutex(ClinicServer.now)
    let clinic = try ClinicServer(clock: { clock.withLock { $0 } })
    let server = try clinic.server()
    for seconds in [0.0, 200, 269] {
      clock.withLock { $0 = ClinicServer.now + seconds }
      #expect(Self.status(await server.request("GET", "/metadata")) == 200)
      #expect(clinic.given == 1)
    }
    clock.withLock { $0 = ClinicServer.now + 271 }
    #expect(Self.status(await server.request("GET", "/metadata")) == 200)
    #expect(clinic.given == 2)
  }

  @Test func `a token that ended early is asked for once more`() async throws {
    let clinic = try ClinicServer(.init(revokes: true))
    let server = try clinic.server()
    #expect(Self.status(await server.request("GET", "/metadata")) == 200)
    #expect(clinic.given == 2)
  }

  @Test(
    arguments: [
      (["permission-v2"], nil, "system/Device.cruds system/Observation.cruds system/Patient.cruds"),
      (
        ["permission-v1"], nil,
        "system/Device.read system/Device.write system/Observation.read system/Observation.write "
          + "system/Patient.read system/Patient.write"
      ),
      (["permission-v2"], ["system/Observation.cruds", "openid"], "system/Observation.cruds"),
      // A pattern: what the server means by it is the server's.
      (
        ["permission-v2"], ["system/*.cruds"],
        "system/Device.cruds system/Observation.cruds system/Patient.cruds"
      ),
    ] as [([String], [String]?, String)])
  func `scopes are those that the server has`(
    capabilities: [String], scopes: [String]?, asked: String
  ) async throws {
    let clinic = try ClinicServer(.init(scopes: scopes, capabilities: capabilities))
    _ = await (try clinic.server()).request("GET", "/metadata")
    #expect(clinic.asked == [asked])
  }

  @Test func `plans are read with rights to read`() async throws {
    let clinic = try ClinicServer()
    _ = await (try clinic.server(for: .reading)).request("GET", "/metadata")
    #expect(
      clinic.asked == [
        "system/CarePlan.rs system/MedicationRequest.rs system/Questionnaire.rs "
          + "system/ServiceRequest.rs"
      ])
  }

  @Test(arguments: [-400, 400])
  func `a clock that is wrong is named`(ahead: Int) async throws {
    let clinic = try ClinicServer(.init(ahead: ahead))
    let result = await (try clinic.server()).request("GET", "/metadata")
    #expect(result == .ended(.later(.client(detail: "invalid_client: exp"), after: nil)))
  }

  @Test(arguments: [
    (503, "busy", DeliveryFault.busy(detail: "503 busy")),
    (200, "<html>", .unexpected(detail: "login.clinic.example gave no token")),
    (
      200, #"{"access_token":"a\nb","token_type":"bearer"}"#,
      .unexpected(detail: "login.clinic.example gave no token")
    ),
    (
      200, #"{"access_token":"a","token_type":"mac"}"#,
      .unexpected(detail: "login.clinic.example gave no token")
    ),
    (400, #"{"error":"invalid_scope"}"#, .client(detail: "invalid_scope")),
    (404, "no", .unexpected(detail: "404 no")),
  ])
  func `what gives no token says so`(status: Int, body: String, fault: DeliveryFault) async throws {
    let clinic = try ClinicServer(.init(token: (status, body)))
    let result = await (try clinic.server()).request("GET", "/metadata")
    guard case .ended(.later(let found, _)) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(found == fault)
  }

  // MARK: Searches

  private static func page(_ ids: [String], next: String? = nil, more: String = "") -> String {
    let entries =
      ids.map { #"{"resource":{"resourceType":"CarePlan","id":"\#($0)"}}"# } + [
        #"{"resource":{"resourceType":"OperationOutcome"},"search":{"mode":"outcome"}}"#
      ]
    let link = next.map {
      #","link":[{"relation":"self","url":"x"},{"relation":"next","url":"\#($0)"}]"#
    }
    return #"{"resourceType":"Bundle","type":"searchset"\#(link ?? ""),"entry":["#
      + entries.joined(separator: ",") + "]}"
  }

  @Test(arguments: [
    ClinicServer.base + "?_getpages=2", "?_getpages=2", "https://CLINIC.example/fhir?_getpages=2",
  ])
  func `a search reads all its pages`(next: String) async throws {
    let second = next.hasPrefix("https") ? "?_getpages=2" : "/?_getpages=2"
    let clinic = try ClinicServer(
      .init(pages: [
        "/CarePlan?patient=1": Self.page(["a", "b"], next: next), second: Self.page(["c"]),
      ]))
    let found = try await (try clinic.server()).search("CarePlan?patient=1")
    #expect(found.compactMap { $0.object?["id"]?.text } == ["a", "b", "c"])
  }

  @Test(arguments: [
    "https://evil.example/fhir?p=2", "http://clinic.example/fhir?p=2",
    "https://clinic.example:444/fhir?p=2", "file:///etc/passwd",
  ])
  func `the token goes to no other server`(next: String) async throws {
    let clinic = try ClinicServer(
      .init(pages: ["/CarePlan?patient=1": Self.page(["a"], next: next)]))
    let server = try clinic.server()
    await #expect(
      throws: FHIRSearchFault(
        query: "CarePlan?patient=1",
        fault: .unexpected(detail: "the next page is on another server")
      )
    ) { try await server.search("CarePlan?patient=1") }
  }

  @Test func `pages without end end`() async throws {
    let clinic = try ClinicServer(
      .init(pages: ["/CarePlan?p=1": Self.page(["a"], next: ClinicServer.base + "/CarePlan?p=1")]))
    let server = try clinic.server()
    await #expect(
      throws: FHIRSearchFault(
        query: "CarePlan?p=1", fault: .unexpected(detail: "more than 50 pages"))
    ) { try await server.search("CarePlan?p=1") }
  }

  @Test func `a key's name is the thumbprint of the standard`() throws {
    let clinic = try ClinicServer()
    let key = clinic.key.publicKey
    let text = "{\"crv\":\"P-384\",\"kty\":\"EC\",\"x\":\"\(key.x)\",\"y\":\"\(key.y)\"}"
    #expect(clinic.key.id == Base64URL.text(of: SHA256.digest(of: Array(text.utf8))))
    #expect(clinic.key.id.count == 43 && key.x.count == 64)
    #expect(ClientKey(pem: Secret("nothing")) == nil)
  }
}
