/// Periodic motion and noise in integers, so that made-up recordings are the same on every machine.
enum Wave {
  /// The sine of a phase in 65 536ths of a turn, times `amplitude`.
  ///
  /// Bhaskara's rational approximation, within 0.2 % of the amplitude: sin(πx) ≈ 16x(1−x) / (5 − 4x(1−x))
  /// for x in 0...1.
  static func sine(_ phase: Int64, amplitude: Int64) -> Int64 {
    let inTurn = phase & 0xFFFF
    let x = inTurn & 0x7FFF
    let product = x * (0x8000 - x)
    let value = 16 * product * amplitude / (5 * 0x4000_0000 - 4 * product)
    return inTurn < 0x8000 ? value : -value
  }

  /// The cosine, likewise.
  static func cosine(_ phase: Int64, amplitude: Int64) -> Int64 {
    sine(phase + 0x4000, amplitude: amplitude)
  }

  /// Noise evenly spread over -amplitude...amplitude, a function of the sample's number alone.
  static func noise(_ index: Int, channel: Int, amplitude: Int64) -> Int64 {
    var z = UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ UInt64(bitPattern: Int64(channel)) &* 0xD1B5_4A32_D192_ED03) &* 0xBF58_476D_1CE4_E5B9
    let fraction = Int64(bitPattern: (z ^ z >> 31) & 0xFFFF) - 0x8000
    return fraction * amplitude / 0x8000
  }
}
