import Motion

/// Acceleration and angular rate of WitMotion's Bluetooth sensors.
///
/// Packets of 20 bytes, `55 61` and nine 16-bit counts (acceleration at 16 g, angular rate at 2000
/// deg/s, angles at 180 deg full scale), follow each other without regard to where notifications
/// end. There is no checksum: a packet is where its two first bytes are.
struct WitMotionCodec: Codec {
  private var buffer: [UInt8] = []

  private static let packet = 20
  private static let acceleration = Ratio(16, 32768)
  private static let angularRate = Ratio(2000, 32768)

  mutating func decode(_ frame: [UInt8]) throws(DecodeError) -> FrameContent {
    buffer += frame
    var samples: [MotionSample] = []
    while let start = nextPacket() {
      buffer.removeFirst(start)
      guard buffer.count >= Self.packet else { break }
      let packet = Array(buffer.prefix(Self.packet))
      buffer.removeFirst(Self.packet)
      let a = AxesRule(type: .s16le, at: 2, scale: Self.acceleration)
      let w = AxesRule(type: .s16le, at: 8, scale: Self.angularRate)
      guard let acceleration = a.read(packet, shift: 0, factor: 1_000_000) else { continue }
      samples.append(
        MotionSample(
          time: 0, acceleration: acceleration, angularRate: w.read(packet, shift: 0, factor: 1000)))
    }
    return FrameContent(motion: samples.isEmpty ? nil : MotionFrame(samples: samples))
  }

  /// Where the next packet begins, whole or not.
  ///
  /// Where there is none, everything is dropped but a last byte that may be its first.
  private mutating func nextPacket() -> Int? {
    for index in buffer.indices.dropLast() where buffer[index] == 0x55 {
      if buffer[index + 1] == 0x61 { return index }
    }
    buffer = buffer.last == 0x55 ? [0x55] : []
    return nil
  }
}
