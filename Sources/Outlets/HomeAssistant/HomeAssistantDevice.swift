import Foundation

/// The description of a device for Home Assistant, from 2024.12 on.
///
/// Source: home-assistant/core, `components/mqtt/schemas.py`, `MQTT_DEVICE_DISCOVERY_SCHEMA`. Keys that
/// Home Assistant does not know it ignores without a word.
struct HomeAssistantDevice: Encodable {
  var device: Identity
  let origin = Origin()
  var availabilityTopic: String
  var components: [String: Component]

  struct Origin: Encodable {
    let name = "measured"
  }

  struct Identity: Encodable {
    var identifiers: [String]
    /// Joins what Home Assistant's own Bluetooth sees of it.
    var connections: [[String]]?
    var name: String
    var manufacturer: String?
    var viaDevice: String?
  }

  struct Component: Encodable {
    var platform: String
    var uniqueId: String?
    var name: String?
    var deviceClass: String?
    var stateTopic: String?
    var valueTemplate: String?
    var jsonAttributesTopic: String?
    var unitOfMeasurement: String?
    var stateClass: String?
    var lastResetValueTemplate: String?
    var suggestedDisplayPrecision: Int?
    var forceUpdate: Bool?
    var expireAfter: Int?
    var entityCategory: String?
    var enabledByDefault: Bool?
    var options: [String]?
    var eventTypes: [String]?
    var commandTopic: String?
    var payloadPress: String?
    var min: Double?
    var max: Double?
    var step: Double?
    var mode: String?

    /// A component of a platform with its name for ever.
    init(_ platform: String, _ uniqueID: String, name: String) {
      (self.platform, uniqueId, self.name) = (platform, uniqueID, name)
    }

    /// Makes the description that removes a component of that platform.
    init(removed platform: String) { self.platform = platform }
  }

  /// The description as JSON.
  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.keyEncodingStrategy = .convertToSnakeCase
      return try encoder.encode(self)
    }
  }
}
