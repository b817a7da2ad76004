package import Foundation

/// A message of MQTT.
package struct MQTTMessage: Hashable, Sendable {
  package var topic: String
  package var payload: Data
  /// Whether the broker keeps it for whoever subscribes later; of a message that arrives, whether it was
  /// kept.
  package var isRetained: Bool

  /// Makes a message.
  package init(_ topic: String, _ payload: Data, isRetained: Bool = false) {
    (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
  }
}

/// A connection to a broker, while it lasts.
package protocol MQTTSession: Sendable {
  /// Whether the broker still has what an earlier connection of this client left: it has not lost its
  /// memory since.
  var isResumed: Bool { get }
  /// Why it ended; `nil` while it lasts.
  var fault: DeliveryFault? { get }
  /// Publishes messages, and says what became of them once the broker has answered each.
  func publish(_ messages: [MQTTMessage]) async -> OutletAnswer
  /// Publishes a last message in place of the will, and disconnects.
  func close(_ last: MQTTMessage) async
}

/// The settings with which a connection begins.
package struct MQTTOpening: Sendable {
  /// The message that the broker sends if this client is lost.
  package var will: MQTTMessage
  package var subscriptions: [String]
  /// Takes what arrives; called on another thread.
  package var take: @Sendable (MQTTMessage) -> Void
  /// Learns that the connection ended; called on another thread.
  package var ended: @Sendable () -> Void

  /// Makes an opening.
  package init(
    will: MQTTMessage, subscriptions: [String], take: @escaping @Sendable (MQTTMessage) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    (self.will, self.subscriptions, self.take, self.ended) = (will, subscriptions, take, ended)
  }
}
