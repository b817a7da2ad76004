import Care
import CareStore
import Exchange
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// Boxes at the door of a centre, over HTTP.
@Suite struct ExchangeRoutesTests {
  private static let path = CentreDoor.path
  private static let key: [UInt8] = (0..<32).map { $0 }

  /// A centre behind a proxy, with an invitation for Anna's box.
  private static func centre() async throws -> TestAccess {
    let access = try await TestAccess(isBehindProxy: true)
    let invitation = Invitation(
      people: ["anna"], cohort: "north", expires: TestSite.noon + 86_400)
    try await access.site.store.exchanging {
      try Enrolment(Centre(version: 1)).invite(invitation, code: "ABCD", in: $0)
    }
    return access
  }

  private static func join(
    _ access: TestAccess, code: String = "ABCD", key: [UInt8] = key
  ) async throws -> SiteAnswer {
    let text = JoinedCentre.publicKey(of: Secret(key))?.text ?? ""
    return try await access.site.json(
      .post, CentreDoor.joinPath, #"{"code":"\#(code)","key":"\#(text)"}"#)
  }

  /// Sends a signed request, with other fields than its own if `change` sets them.
  private static func send(
    _ access: TestAccess, _ outbound: BoxLink.Outbound,
    _ change: (inout HTTPFields) throws -> Void = { _ in }
  ) async throws -> SiteAnswer {
    var fields: HTTPFields = [.contentType: "application/json", .contentEncoding: "gzip"]
    for (name, value) in outbound.headers {
      fields[try #require(HTTPField.Name(name))] = value
    }
    try change(&fields)
    return try await access.site.send(.post, path, fields, bytes: outbound.body)
  }

  /// Exchanges until both sides are level.
  private static func session(
    _ link: inout BoxLink, of box: SQLStore, with access: TestAccess
  ) async throws -> BoxLink.Next {
    link.begin()
    while true {
      let (next, outbound) = try await box.exchanging { [link] exchange in
        var link = link
        let outbound = try link.next(in: exchange, makeChannel: { ChannelID(bytes: key) })
        return (link, outbound)
      }
      link = next
      guard let outbound else { return .next }
      let answer = try await send(access, outbound)
      let (after, step) = try await box.exchanging { [link] exchange in
        var link = link
        let step = try link.take(
          status: answer.status, body: answer.bytes, to: outbound, in: exchange,
          makeChannel: { ChannelID(bytes: key) })
        return (link, step)
      }
      link = after
      guard step == .next else { return step }
    }
  }

  /// The first request of a session.
  private static func first(of link: BoxLink, _ box: SQLStore) async throws -> BoxLink.Outbound? {
    try await box.exchanging { exchange in
      var link = link
      link.begin()
      return try link.next(in: exchange, makeChannel: { ChannelID(bytes: key) })
    }
  }

  private static func box() throws -> (SQLStore, BoxLink) {
    (
      try SQLStore.inMemory(makeUUID: { UUID() }),
      BoxLink(address: "https://centre.example", key: Secret(key), version: 1)
    )
  }

  @Test func `a box joins, gets the plan of its person alone, and brings what it measured`()
    async throws
  {
    let access = try await Self.centre()
    let joined = try await Self.join(access)
    #expect(joined.status == 200)
    #expect(
      try joined.object["box"] as? String == JoinedCentre.publicKey(of: Secret(Self.key))?.name)
    let zone = try await access.site.store.read { try $0.planTimeZone() }
    #expect(try joined.object["timeZone"] as? String == zone?.identifier)
    var (box, link) = try Self.box()
    #expect(try await Self.session(&link, of: box, with: access) == .next)
    #expect(try await box.read { try $0.patients().map(\.id) } == ["anna"])
    let reading = Reading(
      quantity: .bodyMass, value: 64.25, arrival: TestSite.noon,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), raw: [7])
    let sample = Sample(
      identity: SampleIdentity(reading), reading: reading, patient: "anna", start: TestSite.noon,
      end: TestSite.noon)
    try await box.write { _ = try $0.insert(sample) }
    #expect(try await Self.session(&link, of: box, with: access) == .next)
    let values = try await access.site.store.read {
      try $0.samples(SampleQuery(owner: .patient("anna"), quantity: .bodyMass)).map(\.reading.value)
    }
    #expect(values.contains(64.25))
    // An answer to a box has no fields that are a browser's.
    let quiet = try #require(try await Self.first(of: link, box))
    let answer = try await Self.send(access, quiet)
    #expect(answer.status == 200)
    let head = answer.headers.reduce(0) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
    }
    #expect(head + 17 + 37 < 200, "\(answer.headers)")
    #expect(answer.bytes.count < 150)
  }

  @Test func `a code that is wrong, or of another box, lets nobody in`() async throws {
    let access = try await Self.centre()
    #expect(try await Self.join(access, code: "ABCE").status == 403)
    #expect(try await Self.join(access).status == 200)
    #expect(try await Self.join(access).status == 200)
    #expect(try await Self.join(access, key: [UInt8](repeating: 1, count: 32)).status == 403)
    for body in ["", "{}", "[]", #"{"code":1,"key":2}"#] {
      let answer = try await access.site.json(.post, CentreDoor.joinPath, body)
      #expect(answer.status == 400, "\(body)")
    }
    let long = String(repeating: "A", count: 5_000)
    #expect(try await Self.join(access, code: long).status == 413)
  }

  /// Whatever is not a signed request of a known box does nothing and costs little.
  @Test func `what is not signed by a known key is refused`() async throws {
    let access = try await Self.centre()
    _ = try await Self.join(access)
    var (box, link) = try Self.box()
    let outbound = try #require(try await Self.first(of: link, box))
    for name in ["Content-Digest", "Signature-Input", "Signature"] {
      let field = try #require(HTTPField.Name(name))
      #expect(try await Self.send(access, outbound) { $0[field] = nil }.status == 400)
      #expect(
        try await Self.send(access, outbound) { $0[field] = "x" + ($0[field] ?? "") }.status == 401)
    }
    #expect(try await Self.send(access, outbound) { $0[.contentEncoding] = nil }.status == 400)
    #expect(try await Self.send(access, outbound) { $0[.contentType] = "text/plain" }.status == 400)
    var other = BoxLink(
      address: "https://centre.example", key: Secret([UInt8](repeating: 5, count: 32)), version: 1)
    #expect(try await Self.session(&other, of: box, with: access) == .unknown)
    link = BoxLink(address: "https://centre.example", key: Secret(Self.key), version: 1)
    #expect(try await Self.session(&link, of: box, with: access) == .next)
    #expect(access.site.environment.memory.taken == 0)
  }

  @Test func `nothing is taken over a way that others can read`() async throws {
    let access = try await TestAccess()
    #expect(try await Self.join(access).status == 426)
    let (box, link) = try Self.box()
    let outbound = try #require(try await Self.first(of: link, box))
    #expect(try await Self.send(access, outbound).status == 426)
  }

  @Test func `a machine that is no centre has no such routes`() async throws {
    let site = try TestSite(isCentre: false)
    #expect(try await site.json(.post, Self.path, "{}").status == 404)
    #expect(try await site.json(.post, CentreDoor.joinPath, "{}").status == 404)
  }

  @Test func `a body that is too long is not read, and none keeps memory`() async throws {
    let access = try await Self.centre()
    let answer = try await access.site.send(
      .post, Self.path,
      [
        .contentType: "application/json", .contentEncoding: "gzip",
        try #require(HTTPField.Name("Content-Digest")): "x",
        try #require(HTTPField.Name("Signature-Input")): "x",
        try #require(HTTPField.Name("Signature")): "x",
      ], bytes: [UInt8](repeating: 0, count: PackedMessage.longestPacked + 1))
    #expect(answer.status == 413)
    #expect(access.site.environment.memory.taken == 0)
  }
}
