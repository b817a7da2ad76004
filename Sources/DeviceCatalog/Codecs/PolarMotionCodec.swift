import GATT
import Motion

/// Acceleration of Polar sensors, raw and delta-compressed.
///
/// A data frame is the measurement type (u8, low six bits; 2 is acceleration), the time of the last
/// sample in nanoseconds since 2000 (u64), the frame type (u8; bit 7 is delta), and samples. The
/// control point's responses to a start carry the factor of compressed samples.
///
/// Source: Polar Measurement Data specification, `technical_documentation/online_measurement.pdf`.
struct PolarMotionCodec: Codec {
  /// The factor of compressed counts that the sensor sent last.
  private var factor: Float?

  /// The maximum number of samples in a frame; sensors send less than a hundred.
  static let maximumSamples = 512

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    do throws(GATTError) {
      var reader = ByteReader(frame)
      let kind = try reader.u8("measurement type")
      if kind == 0xF0 { return try response(&reader) }
      guard kind & 0x3F == 2 else { return FrameContent() }
      let time = try reader.u64("time")
      let type = try reader.u8("frame type")
      let samples =
        type & 0x80 == 0 ? try raw(&reader, type: type) : try deltas(&reader, type: type & 0x7F)
      return FrameContent(motion: MotionFrame(samples: samples, lastSampleNanoseconds: time))
    } catch {
      throw .malformed(error)
    }
  }

  /// Samples of three integers in thousandths of a g, 1 to 3 bytes each.
  private func raw(_ reader: inout ByteReader, type: UInt8) throws(GATTError) -> [MotionSample] {
    guard type <= 2 else {
      throw .invalid(field: "frame type", reason: "\(type) is not a known layout")
    }
    let width = Int(type) + 1
    var samples: [MotionSample] = []
    repeat {
      let x = try reader.signed("x", width: width)
      let y = try reader.signed("y", width: width)
      let z = try reader.signed("z", width: width)
      samples.append(try Self.sample([x, y, z], scale: 1000))
    } while !reader.isAtEnd && samples.count < Self.maximumSamples
    return samples
  }

  /// A complete first sample, then blocks of differences: bits of each, number of samples, and the
  /// differences, least significant bit first, padded to a whole byte.
  private func deltas(
    _ reader: inout ByteReader, type: UInt8
  ) throws(GATTError) -> [MotionSample] {
    guard type <= 1 else {
      throw .invalid(field: "frame type", reason: "compressed \(type) is not a known layout")
    }
    // Type 0 counts in g, type 1 in thousandths. Without a factor the range is 8 g over 16 bits,
    // the sensors' default.
    let scale =
      type == 0 ? Double(factor ?? 1.0 / 4096) * 1_000_000 : Double(factor ?? 1) * 1000
    var axes: [Int64] = [
      try reader.signed("first x", width: 2), try reader.signed("first y", width: 2),
      try reader.signed("first z", width: 2),
    ]
    var samples = [try Self.sample(axes, scale: scale)]
    while !reader.isAtEnd {
      let width = Int(try reader.u8("delta size"))
      let count = Int(try reader.u8("delta count"))
      guard width <= 32, samples.count + count <= Self.maximumSamples else {
        throw .invalid(field: "deltas", reason: "\(count) of \(width) bits are too much")
      }
      var bits = BitReader(try reader.bytes((count * 3 * width + 7) / 8, "deltas"))
      for _ in 0..<count {
        for axis in axes.indices { axes[axis] += bits.signed(width) }
        samples.append(try Self.sample(axes, scale: scale))
      }
    }
    return samples
  }

  private static func sample(_ axes: [Int64], scale: Double) throws(GATTError) -> MotionSample {
    let values = axes.compactMap { Int32(exactly: (Double($0) * scale).rounded()) }
    guard values.count == 3 else {
      throw .invalid(field: "sample", reason: "its acceleration is past 2000 g")
    }
    return MotionSample(time: 0, acceleration: Vector3(x: values[0], y: values[1], z: values[2]))
  }

  /// The control point's response: operation, measurement, status, more, settings.
  private mutating func response(_ reader: inout ByteReader) throws(GATTError) -> FrameContent {
    let operation = try reader.u8("operation")
    let measurement = try reader.u8("measurement")
    let status = try reader.u8("status")
    guard operation == 2, measurement == 2 else { return FrameContent() }
    // 6: the sensor is already streaming.
    guard status == 0 || status == 6 else {
      return FrameContent(note: .streamRefused(status: status))
    }
    if !reader.isAtEnd { _ = try reader.u8("more") }
    try readSettings(&reader)
    return FrameContent()
  }

  /// Settings are type, count, values; the width depends on the type.
  private mutating func readSettings(_ reader: inout ByteReader) throws(GATTError) {
    while !reader.isAtEnd {
      let type = try reader.u8("setting")
      let count = Int(try reader.u8("setting count"))
      switch type {
      case 5:
        for _ in 0..<count {
          let value = try reader.f32("factor")
          if value.isFinite, value > 0 { factor = value }
        }
      case 4: _ = try reader.bytes(count, "channels")
      default: _ = try reader.bytes(2 * count, "setting values")
      }
    }
  }
}

/// Reads numbers of any width, least significant bit first.
private struct BitReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The next `width` bits as two's complement; bits beyond the end are zero.
  mutating func signed(_ width: Int) -> Int64 {
    guard width > 0 else { return 0 }
    var value: Int64 = 0
    for place in 0..<width {
      let index = position >> 3
      if index < bytes.count, bytes[index] >> UInt8(position & 7) & 1 == 1 { value |= 1 << place }
      position += 1
    }
    return value >> (width - 1) & 1 == 1 ? value - (1 << width) : value
  }
}
