import Actions
import Care
package import CareStore
package import Foundation
import Localization
package import Outlets

extension OutletSettings {
  /// Asks the receiver whether it would take something.
  ///
  /// No measurement is sent. A mailbox gets a mail that says that it is a test.
  ///
  /// - Parameters:
  ///   - store: The store, which keeps the secrets of its own outlets.
  ///   - folder: Where folders without a path are.
  ///   - authorities: A file with the authorities that are trusted in place of the system's.
  ///   - mail: How mail is sent, by the settings.
  ///   - now: The current time.
  /// - Returns: What it answers.
  /// - Throws: As ``outlet(of:folder:zone:now:send:)``.
  package func test(
    in store: SQLStore?, folder: String, authorities: String?, mail: MailSettings?,
    now: @escaping @Sendable () -> Date
  ) async throws -> DeliveryResult {
    if var home = homeAssistant {
      home.broker.authorities = home.broker.authorities ?? authorities
      return await home.test(
        password: try secret(in: store), token: try secret("tokenFile", in: store))
    }
    let transport = Transport(authorities: authorities)
    if let address = definition.mailbox {
      // Each test is a message of its own.
      let id = ItemID(of: ["test", name, UUID.random().uuidString])
      let words = Console.language
      return await MailSettings.post(
        OutgoingMessage(
          id: id, title: words.text("delivery.testTitle"), body: words.text("delivery.testBody")),
        to: address, by: mail, over: transport, now: now)
    }
    let outlet = try outlet(
      of: store, folder: folder, zone: .gmt, now: now, send: { await transport.send($0) })
    return await outlet?.test() ?? .later(.unexpected(detail: kind.rawValue), after: nil)
  }
}

extension OutletSettings {
  /// The outlets of a settings file; without a path, of the service's own.
  package static func ofSettings(_ path: String?) -> [OutletSettings] {
    let (settings, faults) = ServiceSettings.readable(path ?? ServiceSettings.path)
    // An outlet that is not understood would be one that there is not.
    for fault in faults { Console.error(fault) }
    return settings.outlets
  }

  /// Why an outlet of a name is not found.
  package static func unknown(_ name: String) -> CommandFailure {
    CommandFailure(.unknown, LocalizedText("command.outlet.unknown", ["name": "\(name)"]))
  }

  /// The outlet of a name: of the settings, else of those that a store keeps.
  ///
  /// - Throws: ``CommandFailure`` if there is none; `StoreError`.
  package static func named(
    _ name: String, in settings: [OutletSettings], store: SQLStore?
  ) async throws -> OutletSettings {
    if let found = settings.first(where: { $0.name == name }) { return found }
    guard
      let definition = try await store?.readOutlets({ try OutletDefinition.all(in: $0)[name] }),
      let found = OutletSettings(name, definition)
    else { throw unknown(name) }
    return found
  }
}
