package import Care
package import CareStore
import Digests
package import Foundation

/// A box's way to one centre: which request is sent next, how it is signed, and what an answer means.
///
/// A value: no clock and no network. Like ``BoxSession`` it is changed in a transaction, and the changed
/// one counts once that is committed.
package struct BoxLink: Sendable {
  /// The box's side of the session with its centre.
  package private(set) var session: BoxSession
  private let key: Secret<[UInt8]>
  /// The nonce that the centre wants signed next; before the first answer anything.
  private var nonce = String(repeating: "0", count: 32)
  /// A request that was not believed for its nonce, and is sent once more.
  private var unbelieved: Request?
  private var stale = 0

  /// So often a request is signed anew: another box with this key may take the nonces.
  private static let mostStale = 4
  /// The longest pause that a centre may ask for, in seconds.
  private static let longestPause = 600

  /// Makes a link.
  ///
  /// - Parameters:
  ///   - address: The centre's address.
  ///   - key: The box's private key.
  ///   - version: The version of the rows that this program writes.
  ///   - limits: How much travels at once.
  package init(
    address: String, key: Secret<[UInt8]>, version: Int = Centre.rowVersion,
    limits: BatchLimits = BatchLimits()
  ) {
    session = BoxSession(centre: address, version: version, limits: limits)
    self.key = key
  }

  /// A request that is to be sent.
  package struct Outbound: Hashable, Sendable {
    package let request: Request
    /// Its body, packed.
    package let body: [UInt8]
    package let fields: SignedRequest.Fields

    /// The fields of its head that prove who sends it.
    package var headers: [(name: String, value: String)] {
      [
        ("Content-Digest", fields.contentDigest), ("Signature-Input", fields.signatureInput),
        ("Signature", fields.signature),
      ]
    }
  }

  /// The step after an answer.
  package enum Next: Hashable, Sendable {
    /// Another request, or the end of the session if there is none.
    case next
    /// A pause: the centre, or what is before it, can not answer now.
    case later(status: Int)
    /// The centre does not know the key, or not any more.
    case unknown
  }

  /// After how many seconds the box goes on with what is long, if the session has ended before it; `nil`
  /// once both sides are level.
  package var pause: Int? { session.isPutOff ? session.later : nil }

  /// Begins a session: the box says how it is, and the two sides compare what they have given each other.
  package mutating func begin(_ report: BoxReport? = nil) {
    session.report = report
    session.restart()
    session.later = nil
    (unbelieved, stale) = (nil, 0)
  }

  /// The next request; `nil` once both sides are level, or what is left is to wait (``pause``).
  ///
  /// - Throws: `StoreError`, ``PackedMessage/Fault``.
  package mutating func next(
    in exchange: any RowExchange, makeChannel: () -> ChannelID
  ) throws -> Outbound? {
    let known = unbelieved
    unbelieved = nil
    guard let request = try known ?? session.next(in: exchange, makeChannel: makeChannel) else {
      return nil
    }
    let body = try PackedMessage.packed(request)
    let signed = SignedRequest(method: "POST", path: CentreDoor.path, body: body)
      .signed(by: key.revealed, nonce: nonce)
    guard let signed else { throw PackedMessage.Fault.malformed }
    return Outbound(request: request, body: body, fields: signed)
  }

  /// Takes an answer.
  ///
  /// - Throws: `StoreError`.
  package mutating func take(
    status: Int, body: [UInt8], to sent: Outbound, in exchange: any RowExchange,
    makeChannel: () -> ChannelID
  ) throws -> Next {
    let json = try? PackedMessage.unpacked(body)
    let message = json.flatMap { try? PackedMessage.read(DoorMessage.self, json: $0) }
    // Anything else would become a part of the head, and of what is signed.
    let given = message?.nonce.flatMap { ChannelID(text: $0) }?.text
    if let given { nonce = given }
    if let message { session.later = message.later.map { min(max($0, 1), Self.longestPause) } }
    switch (message?.reply, status) {
    case (let reply?, _):
      stale = 0
      try session.take(reply, to: sent.request, in: exchange, makeChannel: makeChannel)
      return session.isForbidden ? .unknown : .next
    case (nil, 401):
      guard given != nil else { return .unknown }
      stale += 1
      guard stale <= Self.mostStale else { return .later(status: status) }
      unbelieved = sent.request
      return .next
    case (nil, 413):
      // A proxy takes less than the centre does; what it takes of one row is not for the box to say.
      guard case .put(let put) = sent.request, put.batch.rows.count > 1 else {
        session.restart()
        return .later(status: status)
      }
      try session.take(.tooLong, to: sent.request, in: exchange, makeChannel: makeChannel)
      return .next
    default:
      session.restart()
      return .later(status: status)
    }
  }

  /// The answer was lost, or never came.
  package mutating func lose() {
    session.timeOut()
    unbelieved = nil
  }

  /// Takes the events that a person is to be told of.
  package mutating func takeEvents() -> [ExchangeEvent] { session.takeEvents() }
}

// MARK: - Joining

/// A centre that a box has joined.
package struct JoinedCentre: Hashable, Sendable, Codable {
  /// Its address.
  package var address: String
  /// The box's name there.
  package var box: String
  package var joined: Date

  private static let scope = "joined"

  /// Makes a record.
  package init(address: String, box: String, joined: Date) {
    (self.address, self.box, self.joined) = (address, box, joined)
  }

  /// The centres that a store has joined, by address.
  package static func all(in exchange: any RowExchange) throws -> [JoinedCentre] {
    try exchange.notes(scope).values
      .map { try JSONDecoder().decode(JoinedCentre.self, from: Data($0.utf8)) }
      .sorted { $0.address < $1.address }
  }

  /// Keeps it.
  package func keep(in exchange: any RowExchange) throws {
    try exchange.keep(value: self, Self.scope, address)
  }

  /// Leaves it: the store forgets what it knew of the centre, and keeps what came from there.
  package func leave(in exchange: any RowExchange) throws {
    try exchange.keep(nil, Self.scope, address)
    try exchange.keep(nil, SyncStatus.scope, address)
    try BoxSession(centre: address, version: 0).leave(in: exchange)
  }

  /// The name of a box with this key, and the text of its public half; `nil` for a key that is none.
  package static func publicKey(of key: Secret<[UInt8]>) -> (text: String, name: String)? {
    Ed25519.publicKey(of: key.revealed).map { ($0.hexString, SignedRequest.name(of: $0)) }
  }
}

/// How the exchange of a box with a centre goes.
package struct SyncStatus: Hashable, Sendable, Codable {
  static let scope = "sync"

  /// When it was tried last.
  package var tried: Date?
  /// When both sides were level last.
  package var level: Date?
  /// Why it did not go on the last time, as JSON; `nil` if it did.
  package var fault: String?
  /// Whether the centre did not know this box.
  package var isUnknown = false
  /// The last events that a person should hear of.
  package var events: [ExchangeEvent] = []
  /// When a person asked for a session.
  package var asked: Date?

  /// Makes one of nothing.
  package init() {}

  /// The status of a centre.
  package init(_ address: String, in exchange: any RowExchange) throws {
    self = try exchange.value(Self.scope, address) ?? SyncStatus()
  }

  /// Keeps it.
  package func keep(_ address: String, in exchange: any RowExchange) throws {
    try exchange.keep(value: self, Self.scope, address)
  }
}
