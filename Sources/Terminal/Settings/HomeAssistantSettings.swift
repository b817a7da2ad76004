package import Care
import CareStore
import Foundation
import Localization
package import Outlets

/// Settings of Home Assistant over a broker: the keys of an outlet of the kind `mqtt`.
package struct HomeAssistantSettings: Hashable {
  /// Whose rights an answer from Home Assistant has.
  package enum Answers: Hashable {
    /// None is taken.
    case none
    /// Those to answer for the people whom the outlet publishes.
    case ofPeople
    /// Those of an account, for these people.
    case account(String)
  }

  /// The broker without its password.
  package var broker: MQTTBroker
  package var topics: HomeAssistantTopics
  package var answers: Answers
  /// The language of the entities, a BCP 47 tag; `nil` for that of the first person.
  package var language: String?
  /// The patients by the topics that say whether they are at home; none by default.
  package var presences: [String: String] = [:]
  /// Where Home Assistant itself is, for what no broker takes: the past.
  package var server: WebAddress?

  /// Takes the keys of an outlet of that name; `nil` if they were not checked.
  package init?(_ definition: OutletDefinition, name: String) {
    topics = HomeAssistantTopics(
      box: definition["id"] ?? name, discovery: definition["discovery"] ?? "homeassistant")
    guard let address = definition["address"].flatMap(OutletDefinition.broker),
      let parts = URLComponents(string: address.text)
    else { return nil }
    broker = MQTTBroker(
      host: address.host, port: parts.port, isEncrypted: address.isEncrypted,
      client: topics.boxDevice)
    if let version = definition["protocol"].flatMap(MQTTBroker.Version.init) {
      broker.version = version
    }
    broker.user = definition["user"]
    broker.authorities = definition["authorities"]
    (broker.certificate, broker.key) = (definition["certificate"], definition["key"])
    language = definition["language"]
    for text in definition.values["presence"] ?? [] {
      // The person, and the topic, in which spaces may be.
      let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2 { presences[parts[1]] = parts[0] }
    }
    server = definition["server"].flatMap(WebAddress.init)
    answers =
      definition["answers"] == "false"
      ? .none : definition["account"].map(Answers.account) ?? .ofPeople
  }

  /// The broker with its password.
  package func broker(password: Secret<String>?) -> MQTTBroker {
    var broker = broker
    broker.password = password
    return broker
  }

  /// A conversation with Home Assistant itself; `nil` where nobody said where it is.
  ///
  /// - Throws: `DeliveryFault`.
  package func session(
    token: Secret<String>?, authorities: String?
  ) async throws -> HomeAssistantSession? {
    guard let server, let token else { return nil }
    return try await HomeAssistantSession(to: server, token: token, authorities: authorities)
  }

  /// The texts of the entities.
  package func words(in reader: any StoreReader) throws -> HomeAssistantWords {
    let tag = try language ?? reader.patients().compactMap(\.language).first
    let catalogue = LanguageCatalogue.embedded
    return HomeAssistantWords(in: tag.flatMap(catalogue.language(_:)) ?? catalogue.english)
  }

  /// Tries the broker beside the daemon, whose name it does not take; no measurement is sent.
  package func test(
    password: Secret<String>?, token: Secret<String>?
  ) async -> DeliveryResult {
    var broker = broker(password: password)
    broker.client += "_test"
    let nothing = MQTTMessage("measured/\(topics.box)/test", Data(), isRetained: true)
    // Nothing is retained under these names: an empty message asks for the right alone.
    let description = MQTTMessage(
      topics.description(of: topics.boxDevice + "_test"), Data(), isRetained: true)
    let opening = MQTTOpening(
      will: nothing, subscriptions: [topics.birth] + (answers == .none ? [] : [topics.commands]),
      take: { _ in }, ended: {})
    switch await MQTTClient.open(broker, opening) {
    case .failure(let fault): return .later(fault, after: nil)
    case .success(let session):
      let answer = await session.publish([nothing, description])
      let isDeaf = session.isDeaf
      await session.close(nothing)
      if let fault = answer.refused[0] ?? answer.refused[1] { return .refused(fault) }
      guard !isDeaf else {
        return .refused(
          .message(detail: "subscribe \(opening.subscriptions.joined(separator: ", "))"))
      }
      guard answer.result == .delivered else { return answer.result }
      return await testServer(token)
    }
  }

  /// Whether Home Assistant itself lets this box write the past, where the settings say where it is.
  private func testServer(_ token: Secret<String>?) async -> DeliveryResult {
    do {
      guard
        let session = try await session(token: token, authorities: broker.authorities)
      else {
        return .delivered
      }
      let isAdministrator = try await session.isAdministrator()
      await session.close()
      return isAdministrator
        ? .delivered : .later(.credentials(detail: "the token is no administrator's"), after: nil)
    } catch let fault as DeliveryFault {
      return .later(fault, after: nil)
    } catch {
      return .later(.credentials(detail: "\(error)"), after: nil)
    }
  }
}
