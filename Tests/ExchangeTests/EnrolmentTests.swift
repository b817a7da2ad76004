import Care
import Digests
import Foundation
import TestSupport
import Testing

@testable import CareStore
@testable import Exchange

struct SignedRequestTests {
  private static let secret = [UInt8](repeating: 7, count: 32)
  private static let nonce = String(repeating: "0a", count: 16)

  private static func signer(
    _ request: SignedRequest, _ fields: SignedRequest.Fields, knows: Bool = true,
    spends: Bool = true
  ) throws -> String {
    let publicKey = try #require(Ed25519.publicKey(of: secret))
    return try request.signer(
      fields, publicKey: { $0 == SignedRequest.name(of: publicKey) && knows ? publicKey : nil },
      spend: { nonce, _ in spends && nonce == Self.nonce })
  }

  @Test func `a signed request names its key`() throws {
    let request = SignedRequest(method: "POST", path: "/exchange", body: [1, 2, 3])
    let fields = try #require(request.signed(by: Self.secret, nonce: Self.nonce))
    let publicKey = try #require(Ed25519.publicKey(of: Self.secret))
    #expect(try Self.signer(request, fields) == SHA256.digest(of: publicKey).hexString)
  }

  @Test func `whatever is altered is refused`() throws {
    let request = SignedRequest(method: "POST", path: "/exchange", body: [1, 2, 3])
    let fields = try #require(request.signed(by: Self.secret, nonce: Self.nonce))
    let other = try #require(
      request.signed(by: [UInt8](repeating: 8, count: 32), nonce: Self.nonce))
    func altered(_ change: (inout SignedRequest, inout SignedRequest.Fields) -> Void) throws {
      var (request, fields) = (request, fields)
      change(&request, &fields)
      _ = try Self.signer(request, fields)
    }
    #expect(throws: SignedRequest.Refusal.otherBody) { try altered { r, _ in r.body = [1, 2, 4] } }
    #expect(throws: SignedRequest.Refusal.otherSignature) { try altered { r, _ in r.path = "/x" } }
    #expect(throws: SignedRequest.Refusal.otherSignature) {
      try altered { r, _ in r.method = "GET" }
    }
    #expect(throws: SignedRequest.Refusal.otherSignature) {
      try altered { _, f in f.signature = other.signature }
    }
    #expect(throws: SignedRequest.Refusal.otherSignature) {
      try altered { _, f in
        f.signatureInput = f.signatureInput.replacingOccurrences(of: "0a0a", with: "0b0b")
      }
    }
    #expect(throws: SignedRequest.Refusal.unknownKey) { try altered { _, f in f = other } }
    #expect(throws: SignedRequest.Refusal.unknownKey) {
      _ = try Self.signer(request, fields, knows: false)
    }
    #expect(throws: SignedRequest.Refusal.usedNonce) {
      _ = try Self.signer(request, fields, spends: false)
    }
    for text in [
      "", "box=()", "box=(\"@method\");nonce=\"\"", String(repeating: "a", count: 10_000),
    ] {
      #expect(throws: SignedRequest.Refusal.malformed) {
        try altered { _, f in f.signatureInput = text }
      }
      #expect(throws: SignedRequest.Refusal.malformed) {
        try altered { _, f in f.signature = text }
      }
    }
  }

  @Test(arguments: Rounds.seeds(400, from: 5))
  func `a byte that is changed anywhere is noticed`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let request = SignedRequest(method: "POST", path: "/exchange", body: random.bytes(20))
    let fields = try #require(request.signed(by: random.bytes(32), nonce: Self.nonce))
    var texts = [fields.contentDigest, fields.signatureInput, fields.signature].map {
      Array($0.utf8)
    }
    let which = Int(random.next() % 3)
    let place = Int(random.next() % UInt64(texts[which].count))
    texts[which][place] ^= UInt8(1 << (random.next() % 7))
    let changed = texts.map { String(decoding: $0, as: UTF8.self) }
    let altered = SignedRequest.Fields(
      contentDigest: changed[0], signatureInput: changed[1], signature: changed[2])
    #expect(throws: SignedRequest.Refusal.self) { try Self.signer(request, altered) }
  }
}

struct EnrolmentTests {
  private static let now = Town.start
  private static let centre = Centre(version: 1)
  private static let enrolment = Enrolment(centre)
  private static let key = [UInt8](repeating: 3, count: 32)
  private static let invitation = Invitation(
    people: ["p0"], cohort: "north", expires: now + 86_400)

  private static func store() throws -> SQLStore {
    try TestEngine.makeStore(makeUUID: Names(seed: 1).uuid)
  }

  @Test func `a code lets one box join, however it is typed`() async throws {
    let store = try Self.store()
    let code = Enrolment.code((0..<12).map { UInt8($0 * 19) })
    #expect(code.count == 14)
    #expect(Enrolment.code([UInt8](repeating: 0, count: 12)) == "0000-0000-0000")
    try await store.exchanging { exchange in
      try Self.enrolment.invite(Self.invitation, code: code, in: exchange)
      let typed = code.lowercased().replacingOccurrences(of: "-", with: " ")
        .replacingOccurrences(of: "0", with: "o")
      let box = try Self.enrolment.join(
        code: typed, publicKey: Self.key, board: nil, now: Self.now, in: exchange)
      #expect(box == SignedRequest.name(of: Self.key))
      #expect(try Self.enrolment.boxes(in: exchange).map(\.membership.people) == [["p0"]])
      #expect(try Self.enrolment.publicKey(of: box, in: exchange) == Self.key)
      #expect(throws: EnrolmentRefusal.unknownCode) {
        try Self.enrolment.join(
          code: code, publicKey: [UInt8](repeating: 4, count: 32), board: nil, now: Self.now,
          in: exchange)
      }
    }
  }

  @Test func `a code that is old, or a key that is none or known, lets nobody join`() async throws {
    let store = try Self.store()
    try await store.exchanging { exchange in
      func join(_ code: String, _ key: [UInt8], _ date: Date) throws -> String {
        try Self.enrolment.join(
          code: code, publicKey: key, board: nil, now: date, in: exchange)
      }
      for code in ["A", "B"] {
        try Self.enrolment.invite(Self.invitation, code: code, in: exchange)
      }
      #expect(throws: EnrolmentRefusal.unknownCode) { try join("A", Self.key, Self.now + 86_400) }
      #expect(throws: EnrolmentRefusal.badKey) { try join("A", [1], Self.now) }
      _ = try join("A", Self.key, Self.now)
      #expect(throws: EnrolmentRefusal.knownKey) { try join("B", Self.key, Self.now) }
    }
  }

  @Test func `a revoked key may nothing any more`() async throws {
    let store = try Self.store()
    try await store.exchanging { exchange in
      try Self.enrolment.invite(Self.invitation, code: "A", in: exchange)
      let box = try Self.enrolment.join(
        code: "A", publicKey: Self.key, board: nil, now: Self.now, in: exchange)
      let hello = Request.hello(
        .init(channel: ChannelID(bytes: Self.key), isNew: true, version: 1, out: [:], into: [:]))
      guard case .welcome = try Self.centre.answer(hello, from: box, in: exchange) else {
        Issue.record("not welcome")
        return
      }
      let nonce = try Self.enrolment.giveNonce(Self.key, to: box, in: exchange)
      #expect(try Self.enrolment.revoke(box, in: exchange))
      #expect(try Self.enrolment.publicKey(of: box, in: exchange) == nil)
      #expect(try !Self.enrolment.spend(nonce, of: box, in: exchange))
      #expect(try Self.centre.answer(hello, from: box, in: exchange) == .forbidden)
      #expect(try !Self.enrolment.revoke("somebody", in: exchange))
    }
  }

  @Test func `a nonce is good for one request of one box, and few wait`() async throws {
    let store = try Self.store()
    try await store.exchanging { exchange in
      let nonces = try (0..<12).map { number in
        try Self.enrolment.giveNonce(
          [UInt8](repeating: UInt8(number), count: 16), to: "A", in: exchange)
      }
      #expect(try !Self.enrolment.spend(nonces[11], of: "B", in: exchange))
      let good = try nonces.filter { try Self.enrolment.spend($0, of: "A", in: exchange) }
      #expect(good == Array(nonces.suffix(8)))
      #expect(try nonces.allSatisfy { try !Self.enrolment.spend($0, of: "A", in: exchange) })
    }
  }
}

struct BoxReportTests {
  /// A box says what it likes: its program is another one, or nobody's.
  @Test func `a time that ends before it begins is none, and texts are bounded in bytes`() throws {
    let accents = "e" + String(repeating: "\\u0301", count: 500)
    let text = """
      {"program": "\(accents)", "faults": ["clock"], "offs": [
        {"start": 200, "end": 100}, {"start": 100, "end": 100}, {"start": 100, "end": 200}]}
      """
    let report = try JSONDecoder().decode(BoxReport.self, from: Data(text.utf8))
    let begin = Date(timeIntervalSinceReferenceDate: 100)
    #expect(report.spans == [begin..<begin + 100])
    #expect(report.bounded.program.utf8.count <= 66 && report.bounded.faults == ["clock"])
    #expect(report.bounded == report.bounded.bounded)
  }

  @Test(arguments: [nil, 0, 90, -86_400] as [TimeInterval?])
  func `the difference of the clocks is that of the moment in which a box speaks`(
    difference: TimeInterval?
  ) async throws {
    let wire = try await Wire(seed: 5)
    let date = wire.now
    let report = BoxReport(program: "1", date: difference.map { date + $0 })
    let text = try JSONEncoder().encode(report)
    let read = try JSONDecoder().decode(BoxReport.self, from: text)
    let enrolment = Enrolment(Centre(version: 1))
    let clock = try await wire.centre.exchanging { exchange in
      let box = try #require(try enrolment.boxes(in: exchange).first?.name)
      try enrolment.note(contact: date, read, of: box, in: exchange)
      // A request without a report says nothing new.
      try enrolment.note(contact: date + 5, nil, of: box, in: exchange)
      return try enrolment.boxes(in: exchange).first?.clock
    }
    #expect(clock == difference)
  }
}

struct DeviceKitTests {
  private static let scale = DeviceBinding(
    address: DeviceID("A0:9E:1A:00:00:01"), definition: "weight-scale")
  private static let cuff = DeviceBinding(address: DeviceID("A0:9E:1A:00:00:02"), patient: "p0")
  private static let enrolment = Enrolment(Centre(version: 1))

  /// Speaks, and binds what may be bound, as a box does.
  private static func session(_ wire: Wire, binds: Bool = true) async throws {
    let devices = try await wire.box.read { try $0.deviceBindings() }
    #expect(try await wire.session(BoxReport(program: "1", devices: devices)))
    guard binds else { return }
    let centre = wire.link.session.centre
    try await wire.box.exchanging { [now = wire.now] exchange in
      try DeviceKit.bind(from: centre, in: exchange) { try exchange.bind($0, now: now) }
    }
  }

  private static func bound(_ store: SQLStore) async throws -> [DeviceBinding] {
    try await store.read { try $0.deviceBindings() }
  }

  @Test func `a box binds what the centre names, once, and what it has stays`() async throws {
    let wire = try await Wire(seed: 11)
    var own = Self.scale
    own.definition = "another"
    try await Household.fill(wire.box)
    let box = try await wire.centre.exchanging { exchange in
      let box = try #require(try Self.enrolment.boxes(in: exchange).first?.name)
      var strange = Self.cuff
      (strange.address, strange.patient) = (DeviceID("A0:9E:1A:00:00:03"), "somebody")
      try DeviceKit.give([Self.scale, Self.cuff, strange], to: box, in: exchange)
      return box
    }
    try await wire.box.write { [own, now = wire.now] in try $0.bind(own, now: now) }
    try await Self.session(wire)
    #expect(try await Self.bound(wire.box) == [own, Self.cuff])
    // An unbound device stays so, also while the centre has not heard of it.
    try await wire.box.write { [now = wire.now] in try $0.unbind(Self.cuff.address, now: now) }
    try await wire.box.write { [now = wire.now] in
      _ = try $0.put(Note(id: "n8", patient: "p0", content: "off"), now: now)
    }
    #expect(try await wire.session())
    try await Self.session(wire)
    #expect(try await Self.bound(wire.box) == [own])
    try await wire.box.write { [now = wire.now] in try $0.bind(Self.cuff, now: now) }
    // The centre hears of it at the next session, and then names it no more.
    wire.now += 3_600
    try await wire.box.write { [now = wire.now] in
      _ = try $0.put(Note(id: "n9", patient: "p0", content: "on"), now: now)
    }
    try await Self.session(wire)
    let rest = try await wire.centre.readingExchange { try DeviceKit.kit(of: box, in: $0) }
    #expect(rest.map(\.patient) == ["somebody"])
    try await wire.box.write { [now = wire.now] in try $0.unbind(Self.cuff.address, now: now) }
    try await Self.session(wire)
    #expect(try await Self.bound(wire.box) == [own])
  }

  @Test func `a device waits until the box has its person`() async throws {
    let wire = try await Wire(seed: 12)
    try await wire.centre.exchanging { exchange in
      let box = try #require(try Self.enrolment.boxes(in: exchange).first?.name)
      try DeviceKit.give([Self.cuff], to: box, in: exchange)
    }
    try await Self.session(wire)
    #expect(try await Self.bound(wire.box) == [])
    try await wire.centre.write { [now = wire.now] in
      _ = try $0.put(Patient(id: "p0", name: PersonName(given: "Ann")), now: now)
    }
    try await Self.session(wire)
    #expect(try await Self.bound(wire.box) == [Self.cuff])
  }

  @Test func `the devices of a broken box go to the one in its place`() async throws {
    let store = try TestEngine.makeStore(makeUUID: Names(seed: 3).uuid)
    let now = Town.start
    try await store.exchanging { exchange in
      try Self.enrolment.invite(
        Invitation(people: ["p0"], cohort: "north", expires: now + 86_400, devices: [Self.scale]),
        code: "A", in: exchange)
      let old = try Self.enrolment.join(
        code: "A", publicKey: [UInt8](repeating: 1, count: 32), board: nil, now: now, in: exchange)
      #expect(try DeviceKit.kit(of: old, in: exchange) == [Self.scale])
      var keyed = Self.cuff
      keyed.key = Secret([UInt8](repeating: 9, count: 16))
      let report = try JSONDecoder().decode(
        BoxReport.self,
        from: try JSONEncoder().encode(BoxReport(program: "1", devices: [Self.scale, keyed])))
      try Self.enrolment.note(contact: now, report, of: old, in: exchange)
      // A question whether anything is new says nothing of devices.
      try Self.enrolment.note(contact: now, BoxReport(program: "1"), of: old, in: exchange)
      #expect(try DeviceKit.kit(of: old, in: exchange) == [])
      try Self.enrolment.invite(
        Invitation(people: [], cohort: "north", expires: now + 86_400, replaces: old), code: "B",
        in: exchange)
      let new = try Self.enrolment.join(
        code: "B", publicKey: [UInt8](repeating: 2, count: 32), board: nil, now: now, in: exchange)
      // No key has travelled.
      #expect(try DeviceKit.kit(of: new, in: exchange) == [Self.scale, Self.cuff])
      let boxes = try Self.enrolment.boxes(in: exchange)
      #expect(boxes.first { $0.name == new }?.membership.people == ["p0"])
      #expect(boxes.first { $0.name == old }?.state == .replaced)
    }
  }

  @Test func `what a side names is bounded`() {
    var devices = (0..<200).map { DeviceBinding(address: DeviceID("sensor\($0)")) }
    devices[0].definition = String(repeating: "a", count: 65)
    devices[1].userIndex = 256
    devices[2].patient = "a\u{0}"
    let kept = DeviceKit.bounded(devices)
    #expect(kept == Array(devices[3..<3 + DeviceKit.most]))
  }
}
