package import Care
package import CareStore
import Digests
package import Foundation

/// An invitation to join a centre, good for one box.
package struct Invitation: Hashable, Sendable, Codable {
  /// The people that the box will have.
  package var people: Set<String>
  /// The group to which the box belongs: who cares for its people.
  package var cohort: String
  package var expires: Date
  /// The devices that the box is to read; `nil` for none.
  package var devices: [DeviceBinding]?
  /// The name of the box in whose place it is to stand.
  package var replaces: String?

  /// Makes an invitation.
  package init(
    people: Set<String>, cohort: String, expires: Date, devices: [DeviceBinding] = [],
    replaces: String? = nil
  ) {
    (self.people, self.cohort, self.expires) = (people, cohort, expires)
    self.devices = devices.isEmpty ? nil : devices
    self.replaces = replaces
  }
}

/// A box that joined a centre.
package struct EnrolledBox: Hashable, Sendable, Codable {
  /// 32 bytes; the box's name is their digest.
  package var publicKey: [UInt8]
  package var cohort: String
  package var joined: Date
  /// A digest of its board's serial number: a copied card in another board has another one.
  package var board: String?
  /// The name of the code by which it joined: an answer that was lost can be asked for again.
  var code: String
}

/// Why a box cannot join.
package enum EnrolmentRefusal: Error, Hashable, Sendable {
  /// No such code is waiting: it is misspelt, was used or is too old.
  case unknownCode
  /// The key is none.
  case badKey
  /// The key has joined already, or was revoked.
  case knownKey
}

/// Who belongs to a centre: invitations, the keys of boxes, and the nonces that they may sign.
package struct Enrolment: Sendable {
  private static let invitations = "invitation"
  private static let boxes = "enrolled"
  private static let contacts = "contact"
  private static let reports = "report"
  private static let clocks = "clock"
  /// Two boxes may have one key, each with a request on its way.
  private static let mostNonces = 8

  private let centre: Centre

  /// Makes the enrolment of a centre.
  package init(_ centre: Centre) { self.centre = centre }

  /// The digits of codes: none of them looks like another one.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  /// A code of random bytes, at least 12: 60 bits in groups of four.
  package static func code(_ bytes: [UInt8]) -> String {
    let code = bytes.prefix(12).map { String(digits[Int($0 & 31)]) }
    return stride(from: 0, to: code.count, by: 4)
      .map { code[$0..<min($0 + 4, code.count)].joined() }.joined(separator: "-")
  }

  /// The name under which a code waits, whichever way it was typed.
  private static func name(ofCode code: String) -> String {
    let typed = code.uppercased().filter { $0.isLetter || $0.isNumber }.map { digit -> Character in
      switch digit {
      case "O": "0"
      case "I", "L": "1"
      default: digit
      }
    }
    return SHA256.digest(of: Array("measured invitation \(String(typed))".utf8)).hexString
  }

  /// Lets an invitation wait under a code, of which only a digest is kept.
  package func invite(
    _ invitation: Invitation, code: String, in exchange: any RowExchange
  ) throws {
    try exchange.keep(value: invitation, Self.invitations, Self.name(ofCode: code))
  }

  /// Whether a code waits for a box, or a key has joined.
  func knows(
    code: String, publicKey: [UInt8], in exchange: any RowExchange
  ) throws -> Bool {
    try exchange.note(Self.invitations, Self.name(ofCode: code)) != nil
      || exchange.note(Self.boxes, SignedRequest.name(of: publicKey)) != nil
  }

  /// Lets a box join by a code, which is of no use to any other key afterwards.
  ///
  /// - Returns: The box's name.
  /// - Throws: ``EnrolmentRefusal``.
  package func join(
    code: String, publicKey: [UInt8], board: String?, now: Date, in exchange: any RowExchange
  ) throws -> String {
    let name = Self.name(ofCode: code)
    let box = SignedRequest.name(of: publicKey)
    if let known: EnrolledBox = try exchange.value(Self.boxes, box), known.code == name,
      try self.publicKey(of: box, in: exchange) != nil
    {
      return box
    }
    guard let invitation: Invitation = try exchange.value(Self.invitations, name),
      now < invitation.expires
    else { throw EnrolmentRefusal.unknownCode }
    guard publicKey.count == 32 else { throw EnrolmentRefusal.badKey }
    guard try exchange.note(Self.boxes, box) == nil else { throw EnrolmentRefusal.knownKey }
    try exchange.keep(nil, Self.invitations, name)
    try exchange.keep(
      value: EnrolledBox(
        publicKey: publicKey, cohort: invitation.cohort, joined: now, board: board, code: name),
      Self.boxes, box)
    try centre.set(Membership(people: invitation.people), of: box, in: exchange)
    try DeviceKit.give(invitation.devices ?? [], to: box, in: exchange)
    if let old = invitation.replaces { try replace(old, by: box, in: exchange) }
    return box
  }

  /// Gives the people and devices of a box to another one, which stands in its place.
  package func replace(
    _ box: String, by other: String, in exchange: any RowExchange
  ) throws {
    try centre.replace(box, by: other, in: exchange)
    let report: BoxReport? = try exchange.value(Self.reports, box)
    try DeviceKit.give(
      (report?.devices ?? []) + DeviceKit.kit(of: box, in: exchange), to: other, in: exchange)
  }

  /// A box that joined, with what the centre knows of it.
  package struct Known: Hashable, Sendable {
    package var name: String
    package var box: EnrolledBox
    package var membership: Membership
    /// When it last spoke.
    package var contact: Date?
    /// The state that it last reported; `nil` if it never did.
    package var report: BoxReport?
    /// How far its clock was ahead of the centre's then, in seconds; `nil` if it did not say.
    package var clock: TimeInterval?
    /// Whether two boxes speak with its key.
    package var isTwin: Bool
  }

  /// How a box stands with its centre.
  package enum State: String, CaseIterable, Sendable {
    case ready, replaced, revoked, twin
  }

  /// The boxes that joined, the first one first.
  package func boxes(in exchange: any RowExchange) throws -> [Known] {
    try exchange.notes(Self.boxes).compactMap { name, content in
      guard let membership = try centre.membership(of: name, in: exchange) else { return nil }
      return Known(
        name: name,
        box: try JSONDecoder().decode(EnrolledBox.self, from: Data(content.utf8)),
        membership: membership, contact: try exchange.value(Self.contacts, name),
        report: try exchange.value(Self.reports, name),
        clock: try exchange.value(Self.clocks, name),
        isTwin: try centre.isTwin(name, in: exchange))
    }.sorted { ($0.box.joined, $0.name) < ($1.box.joined, $1.name) }
  }

  /// Notes that a box spoke, and what it said of itself.
  func note(
    contact date: Date, _ report: BoxReport?, of box: String, in exchange: any RowExchange
  ) throws {
    try exchange.keep(value: date, Self.contacts, box)
    guard var report = report?.bounded else { return }
    if let devices = report.devices {
      try DeviceKit.settle(devices, of: box, in: exchange)
    } else {
      // Only the begin of a session names them.
      let last: BoxReport? = try exchange.value(Self.reports, box)
      report.devices = last?.devices
    }
    try exchange.keep(value: report, Self.reports, box)
    // Only now both clocks are known.
    let clock = report.date.map { $0.timeIntervalSince(date) }
    if let clock, clock.isFinite {
      try exchange.keep(value: clock, Self.clocks, box)
    } else {
      try exchange.keep(nil, Self.clocks, box)
    }
  }

  /// Lets a stolen key do nothing any more.
  ///
  /// - Returns: Whether there is such a box.
  package func revoke(_ box: String, in exchange: any RowExchange) throws -> Bool {
    guard var membership = try centre.membership(of: box, in: exchange) else { return false }
    membership.isRevoked = true
    try centre.set(membership, of: box, in: exchange)
    try exchange.forget("nonce/" + box)
    return true
  }

  /// The public key of a box that may speak; `nil` for any other name.
  package func publicKey(of box: String, in exchange: any RowExchange) throws -> [UInt8]? {
    guard let known: EnrolledBox = try exchange.value(Self.boxes, box),
      try centre.membership(of: box, in: exchange)?.isRevoked == false
    else { return nil }
    return known.publicKey
  }

  /// Keeps a nonce of 16 random bytes for the next request of a box.
  ///
  /// - Returns: The nonce.
  package func giveNonce(
    _ bytes: [UInt8], to box: String, in exchange: any RowExchange
  ) throws -> String {
    let nonce = bytes.prefix(16).hexString
    let scope = "nonce/" + box
    let given: [(String, Int)] = try exchange.notes(scope).compactMap { nonce, turn in
      Int(turn).map { (nonce, $0) }
    }.sorted { $0.1 > $1.1 }
    for (old, _) in given.dropFirst(Self.mostNonces - 1) { try exchange.keep(nil, scope, old) }
    try exchange.keep(String((given.first?.1 ?? 0) + 1), scope, nonce)
    return nonce
  }

  /// Takes a nonce back.
  ///
  /// - Returns: Whether it was given to the box, and not used.
  package func spend(_ nonce: String, of box: String, in exchange: any RowExchange) throws -> Bool {
    guard try exchange.note("nonce/" + box, nonce) != nil else { return false }
    try exchange.keep(nil, "nonce/" + box, nonce)
    return true
  }
}

extension Enrolment.Known {
  /// How the box stands with its centre.
  package var state: Enrolment.State {
    if membership.isRevoked { return .revoked }
    if membership.isReplaced { return .replaced }
    return isTwin ? .twin : .ready
  }
}
