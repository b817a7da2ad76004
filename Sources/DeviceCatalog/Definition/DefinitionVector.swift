import Care
import GATT
import Motion
import Radio
import StrictYAML

/// Recorded or derived frames with the expected results.
public struct DefinitionVector: Sendable {
  /// The origin of the frames.
  public enum Provenance: String, Hashable, Sendable, CaseIterable {
    /// Recorded from a real device; ``DefinitionVector/from`` names the source.
    case real
    /// Derived from a specification or another vector.
    case derived
  }

  /// The name: `stable with impedance`.
  public let name: String
  /// Whether the frames were recorded or derived.
  public let provenance: Provenance
  /// The recording or specification from which the frames were taken.
  public let from: String

  /// The device's address; a synthetic one unless encryption depends on it.
  let address: DeviceAddress
  /// The key of encrypted frames, which is published with them.
  let key: [UInt8]?
  let frames: [Frame]
  let expected: [Expected]
  /// The number of frames that must be refused.
  let rejected: Int
  let origin: YAMLLocation

  /// The address of a vector without one.
  static let syntheticAddress = DeviceAddress(rawValue: 0xC0_FF_EE_00_00_01)

  /// One frame with its time.
  struct Frame: Hashable, Sendable {
    /// Seconds after the first.
    var at: Double
    var content: Content

    enum Content: Hashable, Sendable {
      case source(FrameSource, [UInt8])
      /// The AD structures of a whole advertisement.
      case advertisement([UInt8])
    }
  }

  /// One expected output.
  enum Expected: Hashable, Sendable {
    case reading(Quantity, Double, time: LocalDateTime?, source: SourceValue?, user: Int?)
    /// A motion sample, its time left out of the comparison.
    case motion(MotionSample)

    var isReading: Bool { sample == nil }

    var sample: MotionSample? {
      guard case .motion(let sample) = self else { return nil }
      return sample
    }
  }
}

// MARK: - Reading

extension DefinitionVector {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var vector = try node.mapping()
    name = try vector.required("name").string()
    provenance = try vector.required("provenance").choice()
    from = try vector.required("from").string()
    address = try vector.optional("address")?.deviceAddress() ?? Self.syntheticAddress
    key = try vector.optional("key")?.hexBytes()
    frames = try vector.required("frames").elements(atMost: 256, Frame.init(_:))
    expected = try vector.required("expect").elements(atMost: 512, Expected.init(_:))
    rejected = try vector.optional("rejected")?.integer(in: 0...256) ?? 0
    try vector.finish()
  }
}

extension DefinitionVector.Frame {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var frame = try node.mapping()
    at = try frame.optional("at")?.seconds() ?? 0
    if let advertisement = frame.optional("advertisement") {
      content = .advertisement(try advertisement.hexBytes())
    } else {
      content = .source(try FrameSource(&frame), try frame.required("hex").hexBytes())
    }
    try frame.finish()
  }
}

extension DefinitionVector.Expected {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var expected = try node.mapping()
    if let acceleration = expected.optional("acceleration") {
      self = .motion(
        MotionSample(
          time: 0, acceleration: try acceleration.vector(1_000_000),
          angularRate: try expected.optional("angularRate")?.vector(1000)))
    } else {
      let quantity = try expected.required("quantity").quantity()
      let value = try expected.required("value").number()
      let time = try expected.optional("time")?.localDateTime()
      let user = try expected.optional("user")?.integer(in: 0...255)
      let source = try expected.optional("sourceValue").map { node throws(YAMLError) in
        SourceValue(
          value: try node.number(), unit: try expected.required("sourceUnit").unit())
      }
      self = .reading(quantity, value, time: time, source: source, user: user)
    }
    try expected.finish()
  }
}

extension YAMLNode {
  /// `8C:D0:B2:F6:BE:EF`.
  fileprivate func deviceAddress() throws(YAMLError) -> DeviceAddress {
    let text = try string()
    guard let address = DeviceAddress(text) else {
      throw error("‘\(text)’ is no address: six pairs of hex digits, as in 8C:D0:B2:F6:BE:EF")
    }
    return address
  }

  /// Three decimal numbers, each `factor` times as an integer.
  fileprivate func vector(_ factor: Int64) throws(YAMLError) -> Vector3 {
    let parts = try elements(atMost: 3) { node throws(YAMLError) in
      guard let part = try node.ratio().scaled(1, by: factor) else {
        throw node.error("the number is too large")
      }
      return part
    }
    guard parts.count == 3 else { throw error("three numbers are needed: x, y, z") }
    return Vector3(x: parts[0], y: parts[1], z: parts[2])
  }

  /// `2022-02-14T16:41:58`, without a zone.
  fileprivate func localDateTime() throws(YAMLError) -> LocalDateTime {
    let text = try string()
    let halves = text.split(separator: "T")
    let parts = halves.flatMap { $0.split { $0 == "-" || $0 == ":" } }.compactMap { Int($0) }
    guard halves.count == 2, parts.count == 6 else {
      throw error("‘\(text)’ is no time of a device's clock: 2022-02-14T16:41:58")
    }
    return LocalDateTime(
      year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
      second: parts[5])
  }
}

// MARK: - Events

extension DefinitionVector.Frame {
  /// The frame as a radio event of a synthetic device.
  var event: RadioEvent? { event(of: DefinitionVector.syntheticAddress) }

  /// The frame as a radio event; `nil` if it is too long for an advertisement.
  func event(of address: DeviceAddress) -> RadioEvent? {
    switch content {
    case .advertisement(let data): return .advertisement(Self.advertisement(data, of: address))
    case .source(.characteristic(let uuid), let bytes):
      return .value(
        CharacteristicValue(
          address: address, service: nil, characteristic: uuid, data: bytes))
    case .source(.serviceData(let uuid), let bytes):
      return (try? AdvertisingStructure.serviceData(uuid, bytes)).flatMap {
        Self.event($0, of: address)
      }
    case .source(.manufacturerData(let company), let bytes):
      return (try? AdvertisingStructure.manufacturerData(company, bytes)).flatMap {
        Self.event($0, of: address)
      }
    }
  }

  private static func event(
    _ structure: AdvertisingStructure, of address: DeviceAddress
  ) -> RadioEvent? {
    (try? AdvertisingData(structures: [structure])).map {
      .advertisement(advertisement($0.encoded, of: address))
    }
  }

  private static func advertisement(
    _ data: [UInt8], of address: DeviceAddress
  ) -> Advertisement {
    Advertisement(address: address, addressType: .public, rssi: nil, data: data)
  }
}

extension DefinitionVector.Expected {
  /// The relative tolerance of a value, for the conversion of decimal to binary numbers.
  private static let tolerance = 1e-9

  /// The difference of a reading from the expected one; `nil` for none.
  func difference(from reading: Reading) -> String? {
    guard case .reading(let quantity, let value, let time, let source, let user) = self else {
      return nil
    }
    func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= Self.tolerance * max(1, abs(b)) }
    guard reading.quantity == quantity, isNear(reading.value, value) else {
      return
        "\(reading.quantity.rawValue) \(reading.value) instead of \(quantity.rawValue) \(value)"
    }
    guard reading.deviceTime == time else {
      return "\(quantity.rawValue) has the time \(reading.deviceTime.map(\.description) ?? "none")"
        + " instead of \(time.map(\.description) ?? "none")"
    }
    guard reading.userIndex == user else {
      return "\(quantity.rawValue) has the user \(reading.userIndex.map(String.init) ?? "none")"
        + " instead of \(user.map(String.init) ?? "none")"
    }
    guard let source else { return nil }
    guard let actual = reading.sourceValue, actual.unit == source.unit,
      isNear(actual.value, source.value)
    else {
      return "\(quantity.rawValue) was sent as \(reading.sourceValue?.value ?? reading.value)"
        + " instead of \(source.value) \(source.unit.code)"
    }
    return nil
  }
}
