package import Care
import CareStore
import Foundation
import Localization
package import Outlets
package import StrictYAML

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
  /// The file with the long-lived token of one of its administrators.
  var tokenFile: String?

  /// Takes the keys of an outlet of that name, whose broker has the address that stands in `node`.
  package init(
    _ keys: inout MappingReader, name: String, _ address: WebAddress, at node: YAMLNode
  ) throws(YAMLError) {
    var id = name
    if let node = keys.optional("id") {
      id = try node.string()
      guard id.wholeMatch(of: /[A-Za-z0-9-]{1,32}/) != nil else {
        throw node.location.error("an id has 1 to 32 letters, digits and -")
      }
    }
    let discovery = keys.optional("discovery")
    let prefix = try discovery?.string() ?? "homeassistant"
    guard prefix.wholeMatch(of: /[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*/) != nil else {
      throw (discovery ?? node).location.error("‘discovery’ is a topic, such as homeassistant")
    }
    topics = HomeAssistantTopics(box: id, discovery: prefix)
    guard let parts = URLComponents(string: address.text), parts.path.isEmpty || parts.path == "/"
    else { throw node.location.error("the address of a broker has a host and a port alone") }
    broker = MQTTBroker(
      host: address.host, port: parts.port, isEncrypted: address.isEncrypted,
      client: topics.boxDevice)
    if let node = keys.optional("protocol") {
      // A number of YAML, or a text.
      guard let version = MQTTBroker.Version(rawValue: try node.scalar().text) else {
        throw node.location.error("‘protocol’ is 5 or 3.1.1")
      }
      broker.version = version
    }
    broker.user = try keys.optional("user")?.string()
    broker.authorities = try keys.optional("authorities")?.path()
    let certificate = keys.optional("certificate")
    broker.certificate = try certificate?.path()
    broker.key = try keys.optional("key")?.path()
    guard (broker.certificate == nil) == (broker.key == nil) else {
      throw (certificate ?? node).location.error("‘certificate’ and ‘key’ belong together")
    }
    language = try keys.optional("language")?.string()
    for pair in try keys.optional("presence")?.pairs() ?? [] {
      let topic = try pair.value.string()
      guard !topic.isEmpty, topic.utf8.count <= 255, !topic.contains(where: { "#+\0".contains($0) })
      else { throw pair.value.location.error("it is no topic, such as states/person/john/state") }
      guard presences.updateValue(pair.key, forKey: topic) == nil else {
        throw pair.value.location.error("two people have the same topic")
      }
    }
    let server = keys.optional("server")
    if let server {
      guard let address = WebAddress(try server.string()) else {
        throw server.location.error("it is no address: https://…, or http://… within the house")
      }
      self.server = address
    }
    let tokenFile = keys.optional("tokenFile")
    self.tokenFile = try tokenFile?.path()
    guard (server == nil) == (tokenFile == nil) else {
      throw (server ?? tokenFile ?? node).location.error("‘server’ and ‘tokenFile’ belong together")
    }
    let (takes, account) = (keys.optional("answers"), keys.optional("account"))
    let isTaken = try takes?.boolean() ?? true
    guard isTaken || account == nil else {
      throw (account ?? node).location.error("no answer is taken that an account could give")
    }
    answers =
      try isTaken
      ? account.map { node throws(YAMLError) in .account(try node.string()) } ?? .ofPeople : .none
  }

  /// The broker with its password.
  package func broker(password: Secret<String>?) -> MQTTBroker {
    var broker = broker
    broker.password = password
    return broker
  }

  /// A conversation with Home Assistant itself; `nil` where the settings do not say where it is.
  ///
  /// - Throws: ``OutletSecretMissing``, `PrivateFileError`, `DeliveryFault`.
  package func session(authorities: String?) async throws -> HomeAssistantSession? {
    guard let server, let tokenFile else { return nil }
    guard let token = try OutletSettings.secret(in: tokenFile) else {
      throw OutletSecretMissing(file: tokenFile)
    }
    return try await HomeAssistantSession(to: server, token: token, authorities: authorities)
  }

  /// The texts of the entities.
  package func words(in reader: any StoreReader) throws -> HomeAssistantWords {
    let tag = try language ?? reader.patients().compactMap(\.language).first
    let catalogue = LanguageCatalogue.embedded
    return HomeAssistantWords(in: tag.flatMap(catalogue.language(_:)) ?? catalogue.english)
  }

  /// Tries the broker beside the daemon, whose name it does not take; no measurement is sent.
  package func test(password: Secret<String>?) async -> DeliveryResult {
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
      return await testServer()
    }
  }

  /// Whether Home Assistant itself lets this box write the past, where the settings say where it is.
  private func testServer() async -> DeliveryResult {
    do {
      guard let session = try await session(authorities: broker.authorities) else {
        return .delivered
      }
      let isAdministrator = try await session.isAdministrator()
      await session.close()
      return isAdministrator
        ? .delivered : .later(.credentials(detail: "the token is no administrator's"), after: nil)
    } catch let fault as DeliveryFault {
      return .later(fault, after: nil)
    } catch {
      return .later(.credentials(detail: tokenFile ?? "tokenFile"), after: nil)
    }
  }
}
