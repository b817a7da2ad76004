public import Foundation
public import Motion

/// Which device or sensor: a Bluetooth address, or the name of a recorded sensor.
///
/// A Bluetooth address (six pairs of hex digits, separated by colons) has one spelling, in
/// capitals, in whichever case it is given. A name keeps its spelling. Two identifiers that differ
/// only in the case of the letters A–Z are equal, as they are for SQLite's `NOCASE` collation: a
/// plan finds its sensor in either spelling. Streams and stored samples are told apart by ``text``,
/// so that no sample is merged with another sensor's.
public struct DeviceID: Sendable {
  /// The address in capitals (`5C:CA:D3:70:D4:A2`), or the name as it is spelt (`left-thigh`).
  public let text: String

  /// The device of that address or name.
  public init(_ text: String) {
    let spelling = AddressSpelling(text)
    self.text = spelling == .other ? text.uppercased() : text
  }

  /// A typed value comes from no device.
  package static let entered = DeviceID("entered")

  /// Whether it is a Bluetooth address, not the name of a recorded or wired sensor.
  public var isAddress: Bool { AddressSpelling(text) != .none }

  /// How a text spells a Bluetooth address.
  private enum AddressSpelling {
    case none, capitals, other

    /// Reads the text once, as every row of a store that names a device asks for it.
    init(_ text: String) {
      self = .none
      guard text.utf8.count == 17 else { return }
      var (place, isCapital) = (0, true)
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: ":"): guard place % 3 == 2 else { return }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"):
          guard place % 3 != 2 else { return }
        case UInt8(ascii: "a")...UInt8(ascii: "f"):
          guard place % 3 != 2 else { return }
          isCapital = false
        default: return
        }
        place += 1
      }
      self = isCapital ? .capitals : .other
    }
  }

  /// The bytes of the text with the letters A–Z in lower case.
  private var folded: some Sequence<UInt8> {
    text.utf8.lazy.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }
}

extension DeviceID: Hashable, Comparable {
  public static func == (a: DeviceID, b: DeviceID) -> Bool { a.folded.elementsEqual(b.folded) }

  public static func < (a: DeviceID, b: DeviceID) -> Bool {
    a.folded.lexicographicallyPrecedes(b.folded)
  }

  public func hash(into hasher: inout Hasher) {
    for byte in folded { hasher.combine(byte) }
  }
}

extension DeviceID: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The text.
  public var description: String { text }

  /// The device of that address or name.
  public init(stringLiteral text: String) { self.init(text) }
}

/// A device is coded as its text.
extension DeviceID: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Which device a reading came from, and which definition read it.
public struct DeviceIdentity: Hashable, Sendable {
  /// The Bluetooth address, or the name of a recorded sensor.
  public var address: DeviceID
  /// The id of the definition that read it (`xiaomi-mi-scale-2`), if one did.
  public var definition: String?

  /// Makes an identity.
  public init(address: DeviceID, definition: String? = nil) {
    self.address = address
    self.definition = definition
  }
}

/// A device that a plan assigns to a patient.
public struct DeviceBinding: Hashable, Sendable, Codable {
  /// The Bluetooth address, or a recorded sensor's name.
  public var address: DeviceID
  /// The definition to read it with; `nil` to recognise it.
  public var definition: String?
  /// The patient it is assigned to; `nil` if its user slots or its readings decide.
  public var patient: String?
  /// The user slot on the device that is this patient's.
  public var userIndex: Int?
  /// Where it is worn.
  public var placement: Placement?
  /// The bind key of its encrypted advertisements: 16 bytes.
  public var key: Secret<[UInt8]>?
  /// The consent code of the user slot, 0...9999.
  public var consentCode: Secret<UInt16>?

  /// The encoded keys: all but the secrets, which stay on this machine.
  private enum CodingKeys: String, CodingKey {
    case address, definition, patient, userIndex, placement
  }

  /// Makes a binding.
  public init(
    address: DeviceID, definition: String? = nil, patient: String? = nil, userIndex: Int? = nil,
    placement: Placement? = nil, key: Secret<[UInt8]>? = nil, consentCode: Secret<UInt16>? = nil
  ) {
    self.address = address
    self.definition = definition
    self.patient = patient
    self.userIndex = userIndex
    self.placement = placement
    self.key = key
    self.consentCode = consentCode
  }
}

extension [DeviceBinding] {
  /// Whether a device is the household's: the plan names it, or it is no radio device, but a sensor
  /// by whose name somebody handed its recording in.
  package func isOfHousehold(_ device: DeviceID) -> Bool {
    !device.isAddress || contains { $0.address == device }
  }
}

/// The calibration of one sensor's accelerometer, applied before anything is measured with it.
public struct SensorCalibration: Hashable, Sendable {
  /// How a calibration was determined.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    /// With the sensor at rest on one side: the offset alone.
    case atRest
    /// With the sensor at rest on each of its six sides: offset and scale.
    case sixPositions
  }

  /// The sensor's Bluetooth address, or the name of a recorded one.
  public var address: DeviceID
  /// How it was determined.
  public var method: Method
  /// The correction.
  public var calibration: AccelerometerCalibration
  /// When it was stored.
  public var createdDate: Date

  /// Makes a calibration.
  public init(
    address: DeviceID, method: Method, calibration: AccelerometerCalibration, createdDate: Date
  ) {
    self.address = address
    self.method = method
    self.calibration = calibration
    self.createdDate = createdDate
  }
}

/// A value that gives access to a person's data, and that no log, dump or debugger line shows.
///
/// Descriptions and reflection do not contain the value. Code that needs it reads ``revealed``,
/// which is easy to find in a review.
public struct Secret<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The value itself.
  public let revealed: Value

  /// Wraps `value`.
  public init(_ value: Value) {
    revealed = value
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `(secret)`, for every value.
  public var description: String { "(secret)" }

  /// `(secret)`, for every value.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
