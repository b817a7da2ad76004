package import Care
import Digests
import Foundation

// Who knows a topic of ntfy may read what is sent to it. The rows of people have it, since each box of a
// person is to send; an export has what stands for it.

extension Channel {
  /// The channel as it leaves the store: a name stands for its topic.
  package var withoutTopic: Channel { standIn(SHA256.digest) }
}

/// The channels in the payloads of versions.
enum Reachability {
  /// The payload with what stands for each topic: what exports have, and derived ids rest on.
  static func withoutTopics(_ payload: String) -> String {
    replacing(channels(of: payload), in: payload, by: \.withoutTopic)
  }

  /// How many topics a payload lacks.
  static func missingTopics(_ payload: String) -> Int {
    channels(of: payload).count(where: \.isStandIn)
  }

  /// The channels of a payload, as far as topics are concerned.
  fileprivate static func channels(of payload: String) -> [Channel] {
    struct Content: Decodable { var channels: [Channel]? }
    guard payload.contains(#""ntfy":"#) else { return [] }
    return (try? JSON.value(Content.self, from: payload))?.channels ?? []
  }

  fileprivate static func replacing(
    _ channels: [Channel], in payload: String, by other: (Channel) -> Channel
  ) -> String {
    channels.reduce(into: payload) { payload, channel in
      guard case .ntfy(_, let old) = channel, case .ntfy(_, let new) = other(channel) else {
        return
      }
      // A quotation mark inside a text is escaped, so that this is a key and its value.
      payload = payload.replacing(#""topic":"\#(old.text)""#, with: #""topic":"\#(new.text)""#)
    }
  }
}

extension VersionRow {
  /// The version as an export has it.
  var withoutTopics: VersionRow {
    var version = self
    version.payload = Reachability.withoutTopics(payload)
    return version
  }
}

extension SQLTransaction {
  /// A version with the topics that other versions of the same person have, for what stands for them.
  ///
  /// Of the same person alone: who names what stands for another household's topic does not get it.
  func withKnownTopics(_ version: VersionRow) throws -> VersionRow {
    let channels = Reachability.channels(of: version.payload).filter(\.isStandIn)
    guard !channels.isEmpty else { return version }
    let known = try rows(
      """
      SELECT payload FROM version
        WHERE type IN ('patient', 'contact') AND patient = ? AND payload LIKE '%"ntfy":%'
      """, [version.patient]
    ) { try Reachability.channels(of: $0.text("payload")) }
    let topics = Dictionary(
      known.joined().filter { !$0.isStandIn }.map { ($0.withoutTopic, $0) },
      uniquingKeysWith: { first, _ in first })
    var version = version
    version.payload = Reachability.replacing(channels, in: version.payload) { topics[$0] ?? $0 }
    return version
  }
}
