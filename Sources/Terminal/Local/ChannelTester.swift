import Actions
package import Care
package import CareStore
import Foundation
package import Localization
package import Outlets

/// A message that tries a channel.
package struct ChannelTrial: Codable, Hashable, Sendable {
  package var channel: Channel
  package var title: String
  package var body: String

  /// The message in a language.
  package init(_ channel: Channel, in language: Language) {
    self.channel = channel
    title = language.text("delivery.testTitle")
    body = language.text("delivery.testBody")
  }
}

/// Tries the channels of a store's people.
package struct ChannelTester: Sendable {
  package let store: SQLStore
  /// How mail is sent, as the settings say it now.
  package let settings: @Sendable () -> MailSettings?
  package let environment: [String: String]

  package init(
    store: SQLStore, settings: @escaping @Sendable () -> MailSettings?,
    environment: [String: String]
  ) {
    self.store = store
    self.settings = settings
    self.environment = environment
  }

  /// Sends the message, once.
  ///
  /// - Throws: ``NoSuchChannel`` for one that nobody of the store has: nothing is sent to an address
  ///   that only the one who asks has named.
  package func perform(_ trial: ChannelTrial) async throws -> DeliveryResult {
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
package struct NoSuchChannel: Error, Hashable, Localizable, PresentableError {
  package var name: String

  package init(name: String) {
    self.name = name
  }

  package var exitCode: ExitCode { .unknown }

  package var localized: LocalizedText {
    LocalizedText("delivery.noChannel", ["channel": .verbatim(name)])
  }
}
