import Care
import Digests
import Foundation
import GATT
import Radio

/// The advertisements of Xiaomi's encrypted scales (S200, S400, S800).
///
/// The object 6E16 is the profile (u8), a u32 with the weight in 0.1 kg (bits 0-10), the heart rate
/// less 50 (bits 11-17; 0 and 127 are none) and the impedance in 0.1 Ω (bits 18-31), and the time
/// (u32, seconds since 1970). A frame without a weight has the impedance at 250 kHz; an empty one
/// means that the person has stepped off. One weighing is sent in several frames, each many times.
///
/// The object 4E16 has nine bytes, whose layout depends on the product. Of an S200 it is the profile
/// (u8), the weight in 0.01 kg (u32) and the time (u32). Of others the last two bytes are the weight in
/// 0.01 kg (u16), without a time: a weight is new if its number is not the last one. Below 10 kg
/// nobody stands on the scale.
///
/// Sources: Bluetooth-Devices/xiaomi-ble, `parser.py`; the layout of 4E16 of an S800 in
/// oliexdev/openScale.
struct XiaomiScaleCodec: Codec {
  private let context: CodecContext
  private var lastFrame: [UInt8] = []
  private var lastCounter: MiBeacon.Counter?
  private var lastTime: UInt32 = 0
  /// The values already returned for the weighing of ``lastTime``.
  private var given: Set<DecodedValue> = []

  /// The type of the object with a weighing.
  static let weighing: UInt16 = 0x6E16
  /// The type of the object with a weight alone.
  static let weightAlone: UInt16 = 0x4E16
  /// The number of the least weight at which somebody stands on the scale: 10 kg.
  private static let leastWeight = 1000
  /// The product numbers of the S200.
  private static let datedProducts: Set<UInt16> = [0x45C9, 0x4C04, 0x4DCB]

  init(_ context: CodecContext) {
    self.context = context
  }

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    // The same frame is received many times a second and decrypted once.
    guard frame != lastFrame else { return FrameContent() }
    do throws(GATTError) {
      let beacon = try MiBeacon(frame, from: context.address)
      switch beacon.payload {
      case .none: return FrameContent()
      case .clear:
        throw GATTError.invalid(
          field: "payload", reason: "it is not encrypted, so its sender is not authenticated")
      case .sealed: return try open(beacon, frame)
      }
    } catch {
      throw .malformed(error)
    }
  }

  private mutating func open(
    _ beacon: MiBeacon, _ frame: [UInt8]
  ) throws(GATTError) -> FrameContent {
    guard let key = context.credentials.key?.revealed else {
      return FrameContent(note: .missingKey)
    }
    let payload: [UInt8]
    do throws(AESCCM.Failure) {
      payload = try beacon.open(with: key, from: context.address)
    } catch {
      return FrameContent(note: error == .notAuthentic ? .wrongKey : .cipherUnavailable)
    }
    lastFrame = frame
    var content = FrameContent()
    for object in try MiBeacon.objects(in: payload) {
      switch object.type {
      case Self.weighing: try read(object.bytes, beacon.counter, into: &content)
      case Self.weightAlone where Self.datedProducts.contains(beacon.product):
        try readDatedWeight(object.bytes, beacon.counter, into: &content)
      case Self.weightAlone: try readWeight(object.bytes, beacon.counter, into: &content)
      default: continue
      }
    }
    return content
  }

  private mutating func readWeight(
    _ object: [UInt8], _ counter: MiBeacon.Counter, into content: inout FrameContent
  ) throws(GATTError) {
    var reader = ByteReader(object)
    _ = try reader.bytes(7, "state")
    let mass = Int(try reader.u16("weight"))
    try reader.finish()
    guard lastCounter.map(counter.follows) ?? true else {
      content.note = .replayed
      return
    }
    lastCounter = counter
    guard mass >= Self.leastWeight else {
      given = []
      return
    }
    guard let value = DecodedValue(.bodyMass, Double(mass) / 100), !given.contains(value) else {
      return
    }
    given = [value]
    content.values.append(value)
  }

  private mutating func readDatedWeight(
    _ object: [UInt8], _ counter: MiBeacon.Counter, into content: inout FrameContent
  ) throws(GATTError) {
    var reader = ByteReader(object)
    let profile = try reader.u8("profile")
    let mass = Int(try reader.u32("weight"))
    let time = try reader.u32("time")
    try reader.finish()
    guard begins(time, counter) else {
      content.note = .replayed
      return
    }
    guard mass >= Self.leastWeight,
      let value = DecodedValue(
        .bodyMass, Double(mass) / 100, time: clock(time), userIndex: Int(profile)),
      given.insert(value).inserted
    else { return }
    content.values.append(value)
  }

  /// Takes the time and number of a weighing's frame.
  ///
  /// - Returns: Whether the frame is of the last weighing or a later one.
  private mutating func begins(_ time: UInt32, _ counter: MiBeacon.Counter) -> Bool {
    // After a change of batteries the counter restarts at zero; the clock continues.
    guard time > lastTime || lastCounter.map(counter.follows) ?? true else { return false }
    if time != lastTime { given = [] }
    (lastCounter, lastTime) = (counter, time)
    return true
  }

  private func clock(_ time: UInt32) -> LocalDateTime {
    LocalDateTime(Date(timeIntervalSince1970: Double(time)), in: context.timeZone)
  }

  private mutating func read(
    _ object: [UInt8], _ counter: MiBeacon.Counter, into content: inout FrameContent
  ) throws(GATTError) {
    var reader = ByteReader(object)
    let profile = try reader.u8("profile")
    let measured = try reader.u32("measurement")
    let time = try reader.u32("time")
    try reader.finish()
    guard begins(time, counter) else {
      content.note = .replayed
      return
    }
    for value in values(of: measured, profile: profile, time: time)
    where given.insert(value).inserted {
      content.values.append(value)
    }
  }

  private func values(of measured: UInt32, profile: UInt8, time: UInt32) -> [DecodedValue] {
    let mass = measured & 0x7FF
    let beats = measured >> 11 & 0x7F
    let impedance = measured >> 18
    let clock = clock(time)
    // The raw bytes of a value are its own bits alone: the others differ between the frames of one
    // weighing.
    func value(_ quantity: Quantity, _ number: Double, _ mask: UInt32) -> DecodedValue? {
      var raw = ByteWriter()
      raw.u8(profile)
      raw.u32(measured & mask)
      raw.u32(time)
      var value = DecodedValue(quantity, number, time: clock, userIndex: Int(profile))
      value?.raw = raw.bytes
      return value
    }
    let heartRate =
      (1...126).contains(beats) ? value(.heartRate, Double(beats + 50), 0x7F << 11) : nil
    let ohms = impedance == 0 ? nil : Double(impedance) / 10
    // All ones are no weight: a scale that sends its weight elsewhere fills the place with them.
    let weight = mass == 0 || mass == 0x7FF ? nil : value(.bodyMass, Double(mass) / 10, 0x7FF)
    let atFrequency = mass == 0 ? Quantity.impedanceHighFrequency : .impedance
    return [weight, heartRate, ohms.flatMap { value(atFrequency, $0, 0x3FFF << 18) }]
      .compactMap(\.self)
  }
}

// MARK: - MiBeacon

/// A MiBeacon (service data of FE95 of Xiaomi's devices), versions 4 and 5.
///
/// Frame control (u16, low byte first), product (u16), frame counter (u8); then, by the flags of
/// the frame control, the sender's address (6 bytes, reversed), its abilities (1 or 2 bytes), and
/// the payload. An encrypted payload ends in the upper three bytes of the counter and four bytes of
/// the tag. Source: Bluetooth-Devices/xiaomi-ble, `parser.py`.
struct MiBeacon: Hashable, Sendable {
  /// The product's number.
  private(set) var product: UInt16
  /// The frame's number.
  private(set) var counter: Counter
  /// The payload: encrypted, in clear, or none.
  private(set) var payload: Payload

  /// The payload of a beacon.
  enum Payload: Hashable, Sendable {
    case none
    case clear
    case sealed(message: [UInt8], tag: [UInt8], nonceMiddle: [UInt8])
  }

  /// The number of a frame: 8 bits, and 24 more in an encrypted frame.
  struct Counter: Hashable, Sendable {
    var low: UInt8
    var high: [UInt8] = []

    /// Whether this number is later than `other`.
    ///
    /// Some devices leave the upper bits at zero, so that the lower ones wrap after 255.
    func follows(_ other: Counter) -> Bool {
      if high != other.high {
        return other.high.reversed().lexicographicallyPrecedes(high.reversed())
      }
      return (1...127).contains(low &- other.low)
    }
  }

  /// Reads a beacon.
  ///
  /// - Throws: ``GATTError`` for a beacon that is too short, of a mesh, of an older version, or
  ///   with another address than `sender`.
  init(_ frame: [UInt8], from sender: DeviceAddress) throws(GATTError) {
    var reader = ByteReader(frame)
    let control = try reader.u16("frame control")
    func isSet(_ bit: UInt16) -> Bool { control >> bit & 1 == 1 }
    guard !isSet(7), control >> 12 >= 4 else {
      throw .invalid(field: "frame control", reason: "it is of a mesh, or of a version before 4")
    }
    let productBytes = try reader.bytes(2, "product")
    product = productBytes.reversed().reduce(0) { $0 << 8 | UInt16($1) }
    counter = Counter(low: try reader.u8("frame counter"))
    if isSet(4) {
      let claimed = try reader.u48("address")
      guard claimed == sender.rawValue else {
        throw .invalid(field: "address", reason: "the beacon was sent by another device")
      }
    }
    if isSet(5), try reader.u8("abilities") & 0x20 != 0 { _ = try reader.u8("inputs and outputs") }
    guard isSet(6) else {
      payload = .none
      return
    }
    guard isSet(3) else {
      payload = .clear
      return
    }
    let rest = reader.remainder()
    guard rest.count > 7 else {
      throw .truncated(field: "encrypted payload", needed: 8, available: rest.count)
    }
    counter.high = Array(rest.suffix(7).prefix(3))
    payload = .sealed(
      message: Array(rest.dropLast(7)), tag: Array(rest.suffix(4)),
      nonceMiddle: productBytes + [counter.low])
  }

  /// The payload decrypted with the bind key.
  ///
  /// - Throws: ``AESCCM/Failure``.
  func open(with key: [UInt8], from sender: DeviceAddress) throws(AESCCM.Failure) -> [UInt8] {
    guard case .sealed(let message, let tag, let middle) = payload else { throw .badLength }
    let reversed = (0..<6).map { UInt8(truncatingIfNeeded: sender.rawValue >> (8 * $0)) }
    return try AESCCM.open(
      message, tag: tag, key: key, nonce: reversed + middle + counter.high, associated: [0x11])
  }

  /// The objects of a decrypted payload, each of type (u16), length (u8) and bytes.
  ///
  /// - Throws: ``GATTError`` if the last one is truncated.
  static func objects(in payload: [UInt8]) throws(GATTError) -> [(type: UInt16, bytes: [UInt8])] {
    var reader = ByteReader(payload)
    var objects: [(type: UInt16, bytes: [UInt8])] = []
    while !reader.isAtEnd {
      let type = try reader.u16("object type")
      let count = Int(try reader.u8("object length"))
      objects.append((type, try reader.bytes(count, "object")))
    }
    return objects
  }
}
