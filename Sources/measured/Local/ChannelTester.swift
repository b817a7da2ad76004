import Actions
import Care
import CareStore
import Foundation
import Localization
import Outlets

/// A message that tries a channel.
struct ChannelTrial: Codable, Hashable, Sendable {
  var channel: Channel
  var title: String
  var body: String

  /// The message in a language.
  init(_ channel: Channel, in language: Language) {
    self.channel = channel
    title = language.text("delivery.testTitle")
    body = language.text("delivery.testBody")
  }
}

/// Tries the channels of a store's people.
struct ChannelTester: Sendable {
  let store: SQLStore
  /// How mail is sent, as the settings say it now.
  let settings: @Sendable () -> MailSettings?
  let environment: [String: String]

  /// Sends the message, once.
  ///
  /// - Throws: ``NoSuchChannel`` for one that nobody of the store has: nothing is sent to an address
  ///   that only the one who asks has named.
  func perform(_ trial: ChannelTrial) async throws -> DeliveryResult {
    let known = try await store.read { try $0.channels() }
    guard known.contains(where: { $0.channel == trial.channel }) else {
      throw NoSuchChannel(name: trial.channel.text)
    }
    let courier = Courier(
      transport: Transport(authorities: environment["SSL_CERT_FILE"]),
      account: trial.channel.kind == .email ? try settings()?.account() : nil, now: { Date() })
    // Each test is a message of its own.
    let id = ItemID(of: ["test", trial.channel.text, UUID.random().uuidString])
    return await courier.deliver(
      OutgoingMessage(id: id, title: trial.title, body: trial.body), to: trial.channel,
      secret: store.secret(of: trial.channel)
    ).result
  }
}

/// Nobody has such a channel.
struct NoSuchChannel: Error, Hashable, Localizable, PresentableError {
  var name: String

  var exitCode: ExitCode { .unknown }

  var localized: LocalizedText {
    LocalizedText("delivery.noChannel", ["channel": .verbatim(name)])
  }
}
