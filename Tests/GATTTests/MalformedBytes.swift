import TestSupport

/// Bytes that a hostile or broken device may send.
///
/// They are truncated, extended or damaged frames, and noise. The noise is sliced from one buffer,
/// because generating it would take most of the time.
struct MalformedBytes {
  private static let noise: [UInt8] = {
    var generator = SeededGenerator(seed: 0x6A77)
    return generator.bytes(1 << 16)
  }()

  private let frames: [[UInt8]]
  private var generator: SeededGenerator

  /// Makes a source that varies `frames`, which must not be empty.
  init(varying frames: [[UInt8]], seed: UInt64) {
    self.frames = frames
    generator = SeededGenerator(seed: seed)
  }

  /// The next input, of 0…600 bytes.
  mutating func next() -> [UInt8] {
    let dice = generator.next()
    var bytes = frames[Int(truncatingIfNeeded: dice >> 8 & 0xFF) % frames.count]
    let number = Int(truncatingIfNeeded: dice >> 16 & 0xFFFF)
    let isLong = dice >> 32 & 7 == 0
    switch dice & 3 {
    case 0: bytes.removeLast(number % (bytes.count + 1))
    case 1: bytes += noise(1 + number % (isLong ? 550 : 9))
    case 2:
      for _ in 0...(number % 3) where !bytes.isEmpty {
        let change = generator.next()
        bytes[Int(truncatingIfNeeded: change >> 8 & 0xFF) % bytes.count] =
          UInt8(truncatingIfNeeded: change)
      }
    default: bytes = Array(noise(number % (isLong ? 601 : 25)))
    }
    return bytes
  }

  private mutating func noise(_ count: Int) -> ArraySlice<UInt8> {
    let start = Int(truncatingIfNeeded: generator.next() & 0x7FFF)
    return Self.noise[start..<(start + count)]
  }
}
