import GATT
import Motion

/// Acceleration and angular rate of WitMotion's Bluetooth sensors.
///
/// Packets of 20 bytes, `55 61` and nine 16-bit counts (acceleration at 16 g, angular rate at 2000
/// deg/s, angles at 180 deg full scale), are sent as a stream that notifications cut at any byte.
/// There is no checksum: a packet begins at its two first bytes.
struct WitMotionCodec: Codec {
  private var buffer: [UInt8] = []

  private static let packet = 20
  private static let acceleration = Ratio(16, 32768)
  private static let angularRate = Ratio(2000, 32768)

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    buffer += frame
    var samples: [MotionSample] = []
    while let start = nextPacket() {
      buffer.removeFirst(start)
      guard buffer.count >= Self.packet else { break }
      let packet = Array(buffer.prefix(Self.packet))
      buffer.removeFirst(Self.packet)
      guard
        let acceleration = Self.vector(packet, at: 2, Self.acceleration, factor: 1_000_000)
      else { continue }
      samples.append(
        MotionSample(
          time: 0, acceleration: acceleration,
          angularRate: Self.vector(packet, at: 8, Self.angularRate, factor: 1000)))
    }
    return FrameContent(motion: samples.isEmpty ? nil : MotionFrame(samples: samples))
  }

  /// Three counts from `start`, each `factor` times the scale's unit.
  private static func vector(
    _ packet: [UInt8], at start: Int, _ scale: Ratio, factor: Int64
  ) -> Vector3? {
    var reader = ByteReader(packet.dropFirst(start))
    var components: [Int32] = []
    for axis in ["x", "y", "z"] {
      guard let count = try? reader.s16(axis), let value = scale.scaled(Int64(count), by: factor)
      else { return nil }
      components.append(value)
    }
    return Vector3(x: components[0], y: components[1], z: components[2])
  }

  /// The start of the next packet, complete or not.
  ///
  /// Without one, everything is dropped except a last byte that may be its first.
  private mutating func nextPacket() -> Int? {
    for index in buffer.indices.dropLast() where buffer[index] == 0x55 {
      if buffer[index + 1] == 0x61 { return index }
    }
    buffer = buffer.last == 0x55 ? [0x55] : []
    return nil
  }
}
