package import Care

/// The topics and names of a box in Home Assistant; they follow from the ids of box, person, task and
/// quantity, and stay when a person or a task is called otherwise.
package struct HomeAssistantTopics: Hashable, Sendable {
  /// The box among those of one broker.
  package let box: String
  /// Where Home Assistant looks for devices.
  package let discovery: String

  /// Makes the topics.
  ///
  /// - Parameters:
  ///   - box: The name of the box: letters, digits, `-`.
  ///   - discovery: The discovery prefix of Home Assistant's settings.
  package init(box: String, discovery: String = "homeassistant") {
    (self.box, self.discovery) = (box, discovery)
  }

  private var root: String { "measured/\(box)" }
  /// `online` or `offline`.
  package var availability: String { "\(root)/status" }
  /// Where Home Assistant says that it has started.
  package var birth: String { "\(discovery)/status" }
  /// The answers of every task.
  package var commands: String { "\(root)/+/task/+/set" }

  package func value(_ quantity: Quantity, of patient: String) -> String {
    "\(root)/\(Self.slug(patient))/\(quantity.rawValue)"
  }

  package func value(_ quantity: Quantity, of sensor: DeviceID) -> String {
    "\(root)/sensor/\(Self.slug(sensor.text))/\(quantity.rawValue)"
  }

  /// When a sensor measured last.
  package func lastSeen(_ sensor: DeviceID) -> String {
    "\(root)/sensor/\(Self.slug(sensor.text))/lastSeen"
  }

  package func task(_ task: String, of patient: String) -> String {
    "\(root)/\(Self.slug(patient))/task/\(Self.slug(task))"
  }

  package func command(_ task: String, of patient: String) -> String {
    self.task(task, of: patient) + "/set"
  }

  /// The events of a person; of the box for `nil`.
  package func events(of patient: String?) -> String {
    "\(root)/" + (patient.map { Self.slug($0) + "/" } ?? "") + "event"
  }

  /// How many readings wait for their person.
  package var waiting: String { "\(root)/waiting" }

  // MARK: Devices

  /// The name of the box, a person or a sensor as a device.
  package var boxDevice: String { "measured_\(box)" }
  package func device(of patient: String) -> String { "\(boxDevice)_person_\(Self.slug(patient))" }
  package func device(of sensor: DeviceID) -> String {
    "\(boxDevice)_sensor_\(Self.slug(sensor.text))"
  }

  /// The topic that describes a device.
  package func description(of device: String) -> String { "\(discovery)/device/\(device)/config" }

  /// Whether a topic describes a device.
  package func isDescription(_ topic: String) -> Bool { topic.hasPrefix("\(discovery)/device/") }

  /// A text as a part of a topic and an id, where letters, digits, `_` and `-` alone are allowed.
  ///
  /// No two texts have the same one: what is none of them, `_` too, is written as its bytes.
  package static func slug(_ text: String) -> String {
    var slug = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D:
        slug.unicodeScalars.append(Unicode.Scalar(byte))
      default: slug += "_" + [byte].hexString
      }
    }
    return slug
  }

  /// The text of a slug; `nil` for what is none.
  package static func text(ofSlug slug: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = slug.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "_") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let one = UInt8(digits, radix: 16) else { return nil }
      rest = rest.dropFirst(2)
      bytes.append(one)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return Self.slug(text) == slug ? text : nil
  }
}
