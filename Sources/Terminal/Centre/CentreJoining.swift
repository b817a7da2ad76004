package import Care
package import CareStore
package import Exchange
package import Foundation
import Interchange
package import Localization
package import Outlets

/// The joining of a centre: the key is made here, and registered there by the code of an invitation.
package struct CentreJoining: Sendable {
  package var store: SQLStore
  package var transport: Transport
  /// The current time.
  package var now: @Sendable () -> Date

  package init(store: SQLStore, transport: Transport, now: @escaping @Sendable () -> Date) {
    (self.store, self.transport, self.now) = (store, transport, now)
  }

  /// The centre that was joined.
  package struct Joined: Sendable {
    package var centre: JoinedCentre
    /// The centre's zone, if a plan without one took it.
    package var zone: TimeZone?
  }

  /// Why a centre is not joined.
  package enum Refusal: Error, Hashable, Localizable {
    /// The text is no address of a centre that others cannot overhear.
    case badAddress(String)
    case already(centre: String)
    /// The key that was made for the centre is none.
    case badKey
    case unknownCode
    /// Something answers that is no centre.
    case noCentre(address: String)
    /// The centre, or the way to it, cannot go on now.
    case later(LocalizedText)

    package var localized: LocalizedText {
      switch self {
      case .badAddress(let address):
        LocalizedText("command.join.badAddress", ["address": "\(address)"])
      case .already(let centre): LocalizedText("command.join.already", ["centre": "\(centre)"])
      case .badKey: LocalizedText("command.join.badKey")
      case .unknownCode: LocalizedText("command.join.unknownCode")
      case .noCentre(let address):
        LocalizedText("command.join.noCentre", ["centre": "\(address)"])
      case .later(let reason): reason
      }
    }
  }

  /// Reads the address of a centre.
  ///
  /// - Throws: ``Refusal/badAddress(_:)``.
  package static func address(_ text: String) throws(Refusal) -> WebAddress {
    guard let address = WebAddress(text), !address.text.contains("?"),
      address.isEncrypted || HostName.isThisMachine(address.host)
    else { throw .badAddress(text) }
    return address
  }

  /// Joins the centre of an address by a code.
  ///
  /// - Throws: ``Refusal``, `StoreError`.
  package func join(_ address: WebAddress, code: String) async throws -> Joined {
    let base = address.base
    guard let place = WebAddress(base)?.appending(CentreDoor.joinPath) else {
      throw Refusal.badAddress(address.text)
    }
    let joined = try await store.readingExchange { try JoinedCentre.all(in: $0) }
    guard !joined.contains(where: { $0.address == base }) else {
      throw Refusal.already(centre: base)
    }
    // An answer that was lost is asked for again, with the same key.
    let key = store.key(ofCentre: base) ?? Secret(AccessFiles.random(32))
    try store.keep([.centre(CentreSecret(address: base, key: key))])
    guard let publicKey = JoinedCentre.publicKey(of: key) else { throw Refusal.badKey }
    let message = try JSONText.of(JoinMessage(code: code, key: publicKey.text))
    let result = await transport.send(
      HTTPRequest(
        "POST", place, headers: [.init("Content-Type", "application/json")], body: message))
    switch result {
    case .answered(200, _, let body):
      guard let answer = try? PackedMessage.read(JoinedMessage.self, json: Array(body)),
        answer.box == publicKey.name
      else { throw Refusal.noCentre(address: base) }
      let centre = JoinedCentre(address: base, box: publicKey.name, joined: now())
      try await store.exchanging { try centre.keep(in: $0) }
      return Joined(centre: centre, zone: try await take(answer.timeZone, in: store))
    case .answered(403, _, _):
      try store.forgetKey(ofCentre: base)
      throw Refusal.unknownCode
    case .answered(404, _, _), .answered(405, _, _):
      try store.forgetKey(ofCentre: base)
      throw Refusal.noCentre(address: base)
    case .answered(let status, let retryAfter, let body):
      let detail = String(decoding: body.prefix(200), as: UTF8.self)
      throw Refusal.later(
        DeliveryResult(status: status, retryAfter: retryAfter, detail: detail).localized)
    case .ended(let result): throw Refusal.later(result.localized)
    case .taken: throw Refusal.noCentre(address: base)
    }
  }

  /// Gives a plan without a zone the centre's, so that its days begin where the people live.
  ///
  /// - Returns: The zone, if the plan had none.
  private func take(_ identifier: String?, in store: SQLStore) async throws -> TimeZone? {
    guard let zone = identifier.flatMap(TimeZone.init(identifier:)) else { return nil }
    let now = now()
    return try await store.write { writer in
      guard try writer.planTimeZone() == nil else { return nil }
      try writer.setPlanTimeZone(zone, now: now)
      return zone
    }
  }
}

extension SQLStore {
  fileprivate func forgetKey(ofCentre address: String) throws {
    try keep([.centre(CentreSecret(address: address, key: nil))])
  }
}

extension JoinedCentre {
  /// Leaves the centre, and throws the key away.
  ///
  /// - Throws: `StoreError`; the errors of the secrets' file.
  package func leave(_ store: SQLStore) async throws {
    try await store.exchanging { try leave(in: $0) }
    try store.forgetKey(ofCentre: address)
  }
}
