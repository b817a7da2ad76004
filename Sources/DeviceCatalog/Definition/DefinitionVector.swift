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
    /// Printed as an example elsewhere, in a specification or in the tests of another program;
    /// nobody says that a device sent it.
    case published
    /// Derived from a specification or another vector.
    case derived
  }

  /// The name: `stable with impedance`.
  public let name: String
  /// Whether the frames were recorded, published or derived.
  public let provenance: Provenance
  /// The recording or specification from which the frames were taken.
  public let from: String

  /// The device's address; a synthetic one unless encryption depends on it.
  let address: DeviceAddress
  /// The key of encrypted frames, which is published with them.
  let key: [UInt8]?
  let frames: [Frame]
  let expected: [Expected]
  /// The writes to the device that the session makes, in order, over a link that is up when the
  /// first frame comes; `nil` if the frames are played without a link.
  let writes: [Write]?
  /// The number of frames that must be refused.
  let rejected: Int
  /// The number of stored records that must be kept, and not taken as measurements; `nil` if they are
  /// not counted.
  let discarded: Int?
  /// How many results it expects.
  package var expectedCount: Int { expected.count }
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

  /// A value that is written to a characteristic.
  struct Write: Hashable, Sendable {
    var characteristic: BluetoothUUID
    var data: [UInt8]
  }

  /// One expected output.
  enum Expected: Hashable, Sendable {
    case reading(ExpectedReading)
    /// A motion sample, its time left out of the comparison.
    case motion(MotionSample)

    var reading: ExpectedReading? {
      guard case .reading(let reading) = self else { return nil }
      return reading
    }

    var sample: MotionSample? {
      guard case .motion(let sample) = self else { return nil }
      return sample
    }
  }
}

/// A reading that a vector expects.
struct ExpectedReading: Hashable, Sendable {
  var quantity: Quantity
  /// In the quantity's canonical unit.
  var value: Double
  /// By how much the value may differ, where a publication has rounded it.
  var tolerance = 0.0
  var time: LocalDateTime?
  var source: SourceValue?
  var user: Int?
  /// The device's remarks on the measurement; `nil` if they are not compared.
  var context: MeasurementContext?
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
    writes = try vector.optional("writes")?.elements(atMost: 256, Write.init(_:))
    rejected = try vector.optional("rejected")?.integer(in: 0...256) ?? 0
    discarded = try vector.optional("discarded")?.integer(in: 0...256)
    try vector.finish()
  }
}

extension DefinitionVector.Write {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var write = try node.mapping()
    characteristic = try write.required("characteristic").uuid()
    data = try write.required("hex").hexBytes()
    try write.finish()
  }
}

extension DefinitionVector.Write: CustomStringConvertible {
  /// The write as a line of a vector's `writes`.
  var description: String {
    "{characteristic: \"\(characteristic)\", hex: \"\(data.hexString)\"}"
  }
}

extension DefinitionVector.Frame {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var frame = try node.mapping()
    at = try frame.optional("at")?.moment() ?? 0
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
      var reading = ExpectedReading(
        quantity: try expected.required("quantity").quantity(),
        value: try expected.required("value").number())
      if let node = expected.optional("tolerance") {
        reading.tolerance = try node.number()
        // A wide one would let a wrong layout pass.
        guard (0...max(1, abs(reading.value)) / 20).contains(reading.tolerance) else {
          throw node.error("a tolerance is for rounding: at most a twentieth of the value")
        }
      }
      reading.time = try expected.optional("time")?.localDateTime()
      reading.user = try expected.optional("user")?.integer(in: 0...255)
      reading.context = try expected.optional("context").map { node throws(YAMLError) in
        MeasurementContext(
          try node.elements(atMost: 16) { name throws(YAMLError) in try name.measurementContext() })
      }
      reading.source = try expected.optional("sourceValue").map { node throws(YAMLError) in
        SourceValue(
          value: try node.number(), unit: try expected.required("sourceUnit").unit())
      }
      self = .reading(reading)
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
    case .source(.anyManufacturerData, let bytes):
      guard bytes.count >= 2 else { return nil }
      let company = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
      return (try? AdvertisingStructure.manufacturerData(company, Array(bytes.dropFirst(2))))
        .flatMap { Self.event($0, of: address) }
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

extension ExpectedReading {
  /// The relative tolerance of a value, for the conversion of decimal to binary numbers.
  private static let binaryTolerance = 1e-9

  /// The differences of a reading from the expected one.
  func differences(from reading: Reading) -> [String] {
    func isNear(_ a: Double, _ b: Double, _ tolerance: Double) -> Bool {
      abs(a - b) <= max(tolerance, Self.binaryTolerance * max(1, abs(b)))
    }
    let name = quantity.rawValue
    guard reading.quantity == quantity else {
      return ["\(reading.quantity.rawValue) \(reading.value) instead of \(name) \(value)"]
    }
    var found: [String] = []
    if !isNear(reading.value, value, tolerance) {
      found.append("\(name) \(reading.value) instead of \(name) \(value)")
    }
    if reading.deviceTime != time {
      found.append(
        "\(name) has the time \(reading.deviceTime.map(\.description) ?? "none")"
          + " instead of \(time.map(\.description) ?? "none")")
    }
    if reading.userIndex != user {
      found.append(
        "\(name) has the user \(reading.userIndex.map(String.init) ?? "none")"
          + " instead of \(user.map(String.init) ?? "none")")
    }
    if let context, reading.context != context {
      found.append(
        "\(name) has the context [\(reading.context.names.joined(separator: ", "))]"
          + " instead of [\(context.names.joined(separator: ", "))]")
    }
    guard let source else { return found }
    let actual = reading.sourceValue
    if actual?.unit != source.unit
      || !isNear(actual?.value ?? reading.value, source.value, tolerance)
    {
      found.append(
        "\(name) was sent as \(actual?.value ?? reading.value)"
          + (actual.map { " \($0.unit.code)" } ?? "")
          + " instead of \(source.value) \(source.unit.code)")
    }
    return found
  }
}

extension Reading {
  /// The reading as a line of a vector's `expect`.
  var expectation: String {
    var parts = [
      "quantity: \(quantity.rawValue)", "value: \(quantity.rounded(value, in: quantity.unit).text)",
    ]
    if let deviceTime { parts.append("time: \(deviceTime.description)") }
    if let userIndex { parts.append("user: \(userIndex)") }
    if !context.isEmpty { parts.append("context: [\(context.names.joined(separator: ", "))]") }
    if let sourceValue {
      parts.append(
        "sourceValue: \(quantity.rounded(sourceValue.value, in: sourceValue.unit).text)")
      parts.append("sourceUnit: \"\(sourceValue.unit.code)\"")
    }
    return "- {\(parts.joined(separator: ", "))}"
  }
}

extension MotionSample {
  /// The sample as a line of a vector's `expect`.
  var expectation: String {
    func text(_ vector: Vector3, per unit: Double) -> String {
      "[" + [vector.x, vector.y, vector.z].map { (Double($0) / unit).text }.joined(separator: ", ")
        + "]"
    }
    let rate = angularRate.map { ", angularRate: " + text($0, per: 1000) } ?? ""
    return "- {acceleration: \(text(acceleration, per: 1_000_000))\(rate)}"
  }
}

extension Double {
  /// The shortest decimal number, without a fraction of 0.
  fileprivate var text: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
