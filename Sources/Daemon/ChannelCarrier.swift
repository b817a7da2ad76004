import Care
import CareStore
import Foundation
import Localization
import Outlets
import Terminal

/// Carries messages by the channels that the plan gives to people.
struct ChannelCarrier: MessageCarrier {
  let store: SQLStore
  /// How mail is sent, as the settings say it now.
  let settings: @Sendable () -> MailSettings?
  /// Where telephones reach the page; `nil` if they do not.
  var page: WebAddress?
  let transport: Transport

  func ways(to recipient: Recipient, in reader: any StoreReader) throws -> [Reader.Way] {
    try reader.channels(of: recipient).map { _ in Reader.Way() }
  }

  func kind(ofWay way: Int, to recipient: Recipient, in reader: any StoreReader) throws -> String {
    let channels = try reader.channels(of: recipient)
    return channels.indices.contains(way) ? channels[way].kind.rawValue : ""
  }

  func deliver(
    _ message: OutgoingMessage, to recipient: Recipient, by way: Int
  ) async -> DeliveryResult {
    await perform(to: recipient, by: way) { courier, channel, secret in
      await courier.deliver(message, to: channel, secret: secret).result
    }
  }

  func withdraw(_ id: ItemID, from recipient: Recipient, by way: Int) async -> DeliveryResult {
    await perform(to: recipient, by: way) { courier, channel, secret in
      await courier.withdraw(id, from: channel, secret: secret)
        ?? .refused(.message(detail: channel.kind.rawValue))
    }
  }

  private func perform(
    to recipient: Recipient, by way: Int,
    _ body: @Sendable (Courier, Channel, Secret<String>?) async -> DeliveryResult
  ) async -> DeliveryResult {
    do {
      let channels = try await store.read { try $0.channels(of: recipient) }
      // The plan has another list since: the next look plans anew.
      guard channels.indices.contains(way) else { return .later(.gone, after: nil) }
      let channel = channels[way]
      let account = channel.kind == .email ? try settings()?.account() : nil
      return await body(
        Courier(transport: transport, account: account, now: { Date() }), channel,
        store.secret(of: channel))
    } catch let error as StoreError {
      return .later(.unexpected(detail: Message.of(error)), after: nil)
    } catch {
      return .later(.credentials(detail: Message.of(error)), after: nil)
    }
  }
}

extension StoreReader {
  /// The ways to a recipient, in the order in which they are tried; none to somebody who is gone.
  fileprivate func channels(of recipient: Recipient) throws -> [Channel] {
    guard let contact = recipient.contact else {
      return try patients().first { $0.id == recipient.patient }?.channels ?? []
    }
    return try things(Contact.self)
      .first { $0.id == contact && $0.patient == recipient.patient }?.channels ?? []
  }
}
