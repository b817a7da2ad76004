import Care
package import CareStore
package import Foundation

/// The door of a centre: what each request of a box comes to, whoever carries it.
///
/// A request is believed by its signature alone. What it costs before that is bounded: the key is looked
/// up in a read, and only the body of a known key is unpacked. A nonce is good for one request; who
/// signs with another one gets the next, and has done nothing.
package struct CentreDoor: Sendable {
  /// Where boxes speak.
  package static let path = "/api/v1/exchange"
  /// Where they join.
  package static let joinPath = "/api/v1/exchange/boxes"

  /// An answer over HTTP.
  package struct Answer: Hashable, Sendable {
    package var status: Int
    /// The packed body; empty for a request that is not believed.
    package var body: [UInt8]
    /// After how many seconds the box is to come again; `nil` for what is answered.
    package var retryAfter: Int?

    init(_ status: Int, _ body: [UInt8] = [], retryAfter: Int? = nil) {
      (self.status, self.body, self.retryAfter) = (status, body, retryAfter)
    }

    init(_ status: Int, _ message: DoorMessage) throws(PackedMessage.Fault) {
      (self.status, body) = (status, try PackedMessage.packed(message))
    }
  }

  /// A request whose sender is known.
  package struct Believed: Hashable, Sendable {
    /// The box's name.
    package var box: String
    fileprivate var nonce: String
    fileprivate var body: [UInt8]

    /// The memory that an answer to it may take: its text, what is read of it, and a batch.
    package var memory: Int { 3 * PackedMessage.most(of: body) + 2 << 20 }
  }

  private let centre: Centre
  private let enrolment: Enrolment
  private let line = DoorLine()

  private let random: @Sendable (Int) -> [UInt8]

  /// So many requests wait when boxes are asked to bring long rows later: a minute's weighings of a
  /// thousand boxes come before the weeks of one.
  package static let many = 8
  /// So many wait when long rows are refused: of a box that does not know that it is asked.
  package static let tooMany = 64
  /// After how many seconds long rows are to come.
  package static let pause = 30

  /// Makes the door of a centre.
  ///
  /// - Parameters:
  ///   - centre: The centre.
  ///   - random: As many bytes that nobody can foretell.
  package init(_ centre: Centre, random: @escaping @Sendable (Int) -> [UInt8]) {
    (self.centre, enrolment, self.random) = (centre, Enrolment(centre), random)
  }

  /// Makes the code of an invitation.
  package func code() -> String { Enrolment.code(random(12)) }

  /// Finds out who signed a request; nothing is written.
  ///
  /// - Returns: The request; `nil` if it is nobody's.
  /// - Throws: `StoreError`.
  package func believe(
    _ request: SignedRequest, _ fields: SignedRequest.Fields, in store: SQLStore
  ) async throws -> Believed? {
    let enrolment = enrolment
    return try await store.readingExchange { exchange in
      var nonce = ""
      do {
        let box = try request.signer(
          fields, publicKey: { try enrolment.publicKey(of: $0, in: exchange) },
          spend: { given, _ in
            nonce = given
            return true
          })
        return Believed(box: box, nonce: nonce, body: request.body)
      } catch is SignedRequest.Refusal {
        return nil
      }
    }
  }

  /// Runs `body` when it is the request's turn; it is told how many others wait.
  ///
  /// - Throws: ``DoorBusy``, and what `body` throws.
  package func inTurn<Result>(
    _ request: Believed, _ body: (_ waiting: Int) async throws -> Result
  ) async throws -> Result {
    try await line.run(for: request.box, length: request.body.count, body)
  }

  /// Answers a request, in one transaction.
  ///
  /// - Parameters:
  ///   - request: The request, whose turn it is.
  ///   - store: The centre's store.
  ///   - now: The time.
  ///   - waiting: How many others wait.
  /// - Returns: The answer.
  /// - Throws: `PackedMessage.Fault` for a body that is no request, `StoreError`.
  package func answer(
    _ request: Believed, in store: SQLStore, now: Date, waiting: Int = 0
  ) async throws -> Answer {
    let body = try PackedMessage.read(
      Request.self, json: try PackedMessage.unpacked(request.body))
    // Nothing is written, so that the nonce stays the box's.
    if waiting >= Self.tooMany, body.stream?.isLong == true {
      return Answer(503, retryAfter: Self.pause)
    }
    let later = waiting >= Self.many ? Self.pause : nil
    let (centre, enrolment, box, nonce) = (centre, enrolment, request.box, random(16))
    return try await store.exchanging { exchange in
      // It may have been revoked since it was looked up.
      guard try enrolment.publicKey(of: box, in: exchange) != nil else { return Answer(401) }
      let isGiven = try enrolment.spend(request.nonce, of: box, in: exchange)
      let next = try enrolment.giveNonce(nonce, to: box, in: exchange)
      guard isGiven else { return try Answer(401, DoorMessage(nonce: next)) }
      switch body {
      case .hello, .still: try exchange.closeHours(at: now)
      case .latest, .put, .get: break
      }
      let reply = try centre.answer(body, from: box, in: exchange)
      try enrolment.note(contact: now, body.report, of: box, in: exchange)
      return try Answer(reply.status, DoorMessage(nonce: next, reply: reply, later: later))
    }
  }

  /// Lets a box join by its code.
  ///
  /// - Throws: ``EnrolmentRefusal``, `StoreError`.
  package func join(_ message: JoinMessage, in store: SQLStore, now: Date) async throws
    -> JoinedMessage
  {
    guard let key = [UInt8](hex: message.key) else { throw EnrolmentRefusal.badKey }
    let enrolment = enrolment
    // Nobody's guesses keep others from writing.
    let isKnown = try await store.readingExchange {
      try enrolment.knows(code: message.code, publicKey: key, in: $0)
    }
    guard isKnown else { throw EnrolmentRefusal.unknownCode }
    let box = try await store.exchanging { exchange in
      try enrolment.join(
        code: message.code, publicKey: key, board: message.board, now: now, in: exchange)
    }
    let zone = try await store.read { try $0.planTimeZone() }
    return JoinedMessage(box: box, timeZone: zone?.identifier)
  }
}

extension Reply {
  /// The status over HTTP.
  var status: Int {
    switch self {
    case .welcome, .taken, .batch, .level: 200
    case .forbidden: 403
    case .conflict: 409
    case .gone: 410
    case .tooLong: 413
    case .wants: 422
    }
  }
}
