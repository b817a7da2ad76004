import Care
import Digests
import Foundation
import Testing

@testable import CareStore
@testable import Exchange

/// A box and a centre with the door between them, as HTTP has it.
final class Wire {
  /// The fate of a request.
  enum Fate: CaseIterable, Sendable {
    case arrives
    /// The request, or its answer, is lost.
    case lost, unanswered
    /// It arrives twice; the box hears the first or the second answer.
    case twice, twiceLate
    /// A proxy has no time, or takes no body of this length.
    case busy, proxyTooLong
    /// One byte of the body is another one.
    case damaged
  }

  let box: SQLStore
  let centre: SQLStore
  let door: CentreDoor
  let names: Names
  let key: [UInt8]
  var link: BoxLink
  var now = Town.start
  /// How many other requests wait at the centre.
  var waiting = 0
  /// Whether one of the two sides is older: what newer centres say beside is missing.
  var isOlder = false
  /// The request that was sent last.
  private(set) var sent: BoxLink.Outbound?
  private(set) var statuses: [Int] = []
  /// Bytes in both directions: the bodies, and the heads as libcurl and the server write them.
  private(set) var bytes = 0
  private(set) var requests = 0

  static let address = "https://centre.example"

  init(seed: UInt64, people: Set<String> = ["p0"], limits: BatchLimits = BatchLimits()) async throws
  {
    let names = Names(seed: seed)
    self.names = names
    door = CentreDoor(Centre(version: 1)) { Array(names.bytes().prefix($0)) }
    key = names.bytes() + names.bytes()
    (box, centre) = (
      try TestEngine.makeStore(makeUUID: names.uuid), try TestEngine.makeStore(makeUUID: names.uuid)
    )
    link = BoxLink(address: Self.address, key: Secret(key), version: 1, limits: limits)
    let enrolment = Enrolment(Centre(version: 1))
    let invitation = Invitation(people: people, cohort: "north", expires: now + 60)
    try await centre.exchanging { try enrolment.invite(invitation, code: "A", in: $0) }
    let publicKey = try #require(JoinedCentre.publicKey(of: Secret(key)))
    let joined = try await door.join(
      JoinMessage(code: "A", key: publicKey.text), in: centre, now: now)
    #expect(joined.box == publicKey.name)
  }

  /// Exchanges until both sides are level; whether they got there.
  func session(
    _ report: BoxReport? = nil, fates: (Int) -> Fate = { _ in .arrives }, most: Int = 400
  ) async throws -> Bool {
    link.begin(report)
    for number in 0..<most {
      guard try await step(fates(number)) else { return sent == nil }
    }
    return false
  }

  /// Sends one request; `false` at the end of a session.
  func step(_ fate: Fate) async throws -> Bool {
    let names = names
    let (next, outbound) = try await box.exchanging { [link] exchange in
      var link = link
      let outbound = try link.next(in: exchange, makeChannel: names.channel)
      return (link, outbound)
    }
    (link, sent) = (next, outbound)
    guard let outbound else { return false }
    var answer: CentreDoor.Answer?
    switch fate {
    case .lost: break
    case .unanswered: _ = try await self.answer(outbound)
    case .arrives: answer = try await self.answer(outbound)
    case .twice:
      answer = try await self.answer(outbound)
      _ = try await self.answer(outbound)
    case .twiceLate:
      _ = try await self.answer(outbound)
      answer = try await self.answer(outbound)
    case .busy: answer = CentreDoor.Answer(503)
    case .proxyTooLong: answer = CentreDoor.Answer(413, Array("<html>".utf8))
    case .damaged:
      var body = outbound.body
      body[body.count / 2] ^= 1
      answer = try await self.answer(outbound, body: body)
    }
    guard let answer else {
      link.lose()
      return true
    }
    let body = isOlder ? try Self.asOlder(answer.body) : answer.body
    statuses.append(answer.status)
    let (after, step) = try await box.exchanging { [link] exchange in
      var link = link
      let next = try link.take(
        status: answer.status, body: body, to: outbound, in: exchange,
        makeChannel: names.channel)
      return (link, next)
    }
    link = after
    return step == .next || fate != .arrives
  }

  /// The part of an answer that an older box reads, or that an older centre says.
  private static func asOlder(_ body: [UInt8]) throws -> [UInt8] {
    guard !body.isEmpty else { return body }
    var message = try PackedMessage.read(DoorMessage.self, json: PackedMessage.unpacked(body))
    message.later = nil
    if case .welcome(var welcome) = message.reply {
      welcome.takesLatest = nil
      message.reply = .welcome(welcome)
    }
    return try PackedMessage.packed(message)
  }

  /// The centre's answer to a request.
  func answer(_ outbound: BoxLink.Outbound, body: [UInt8]? = nil) async throws -> CentreDoor.Answer
  {
    let request = SignedRequest(
      method: "POST", path: CentreDoor.path, body: body ?? outbound.body)
    requests += 1
    // The lines and fields that do not change are 170 bytes of a request and 190 of an answer.
    bytes += 170 + outbound.body.count + outbound.fields.contentDigest.utf8.count
    bytes += outbound.fields.signatureInput.utf8.count + outbound.fields.signature.utf8.count + 50
    guard let believed = try await door.believe(request, outbound.fields, in: centre) else {
      return CentreDoor.Answer(401)
    }
    let answer = try await door.answer(believed, in: centre, now: now, waiting: waiting)
    bytes += 190 + answer.body.count
    return answer
  }

  /// The differences of the stores in the rows that travel; none at the end.
  func differences() async throws -> [String] {
    let (mine, theirs) = (try await Household.rows(box), try await Household.rows(centre))
    return Set(mine.keys).union(theirs.keys).filter { mine[$0]?.lines != theirs[$0]?.lines }
      .map { "\($0.text): \(mine[$0]?.lines ?? []) \(theirs[$0]?.lines ?? [])" }.sorted()
  }
}
