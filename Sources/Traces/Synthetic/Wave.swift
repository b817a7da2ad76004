/// Periodic motion and noise in integers, so that made-up recordings are the same on every machine.
enum Wave {
  /// The sine of a phase in 65 536ths of a turn, times `amplitude`.
  ///
  /// Hastings' polynomial of ninth order for sin(πz/2), z in 0...1 (Approximations for Digital
  /// Computers, 1955, sheet 16), in Q30: within 2 millionths of the amplitude.
  static func sine(_ phase: Int64, amplitude: Int64) -> Int64 {
    let inHalf = phase & 0x7FFF
    let z = (inHalf <= 0x4000 ? inHalf : 0x8000 - inHalf) << 16
    let square = (z * z) >> 30
    var polynomial: Int64 = 162_655
    for coefficient: Int64 in [-5_018_418, 85_566_142, -693_598_253, 1_686_629_704] {
      polynomial = coefficient + ((polynomial * square) >> 30)
    }
    let value = (((polynomial * z) >> 30) * amplitude) >> 30
    return phase & 0x8000 == 0 ? value : -value
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
