import GATT
import TestSupport
import Testing

struct MedicalFloatTests {
  @Test(
    arguments: [
      (0x0078, .value(mantissa: 120, exponent: 0), 120),
      (0xF16E, .value(mantissa: 366, exponent: -1), 36.6),
      (0x8078, .value(mantissa: 120, exponent: -8), 0.0000012),
      (0x7001, .value(mantissa: 1, exponent: 7), 10_000_000),
      (0x0FFF, .value(mantissa: -1, exponent: 0), -1),
      (0xFFFE, .value(mantissa: -2, exponent: -1), -0.2),
      (0x07FD, .value(mantissa: 2045, exponent: 0), 2045),
      (0x0803, .value(mantissa: -2045, exponent: 0), -2045),
      (0x0000, .value(mantissa: 0, exponent: 0), 0),
    ] as [(UInt16, MedicalFloat, Double)])
  func `an SFLOAT is a 12-bit mantissa and a 4-bit exponent, both two's complement`(
    bits: UInt16, value: MedicalFloat, double: Double
  ) {
    #expect(MedicalFloat(sfloat: bits) == value)
    #expect(value.doubleValue == double)
    #expect(value.sfloat == bits)
  }

  @Test(
    arguments: [
      (0x07FF, 0x007F_FFFF, .nan), (0x0800, 0x0080_0000, .nres),
      (0x07FE, 0x007F_FFFE, .positiveInfinity), (0x0802, 0x0080_0002, .negativeInfinity),
      (0x0801, 0x0080_0001, .reserved),
    ] as [(UInt16, UInt32, MedicalFloat)])
  func `special values have no Double`(sfloat: UInt16, float: UInt32, value: MedicalFloat) {
    #expect(MedicalFloat(sfloat: sfloat) == value)
    #expect(MedicalFloat(float: float) == value)
    #expect(value.sfloat == sfloat)
    #expect(value.float == float)
    #expect(value.doubleValue == nil)
  }

  @Test
  func `special mantissas are ordinary at any other exponent`() {
    #expect(MedicalFloat(sfloat: 0xF7FF).doubleValue == 204.7)
    #expect(MedicalFloat(sfloat: 0x1800).doubleValue == -20_480)
    #expect(MedicalFloat(float: 0xFF7F_FFFF).doubleValue == 838_860.7)
    #expect(MedicalFloat(float: 0x0180_0000).doubleValue == -83_886_080)
  }

  @Test(
    arguments: [
      ("6e0100ff", 36.6), ("720100fe", 3.7), ("00000000", 0), ("ffffff00", -1),
      ("010000 80", 1e-128), ("0100007f", 1e127), ("fdff7f7f", 8_388_605e127),
      ("d4 0e 00 fe", 37.96),
    ] as [(String, Double)])
  func `a FLOAT is a 24-bit mantissa and an 8-bit exponent`(hex: String, double: Double) throws {
    var reader = ByteReader(bytes(hex))
    let value = try reader.float("temperature")
    #expect(value.doubleValue == double)
    var writer = ByteWriter()
    writer.float(value)
    #expect(writer.bytes == bytes(hex))
  }

  @Test
  func `every SFLOAT is rounded correctly and encoded to the same bits`() {
    var wrong: [UInt16] = []
    for bits in UInt16.min...UInt16.max {
      let value = MedicalFloat(sfloat: bits)
      if value.sfloat != bits { wrong.append(bits) }
      if case .value(let mantissa, let exponent) = value,
        value.doubleValue != Double("\(mantissa)e\(exponent)")
      {
        wrong.append(bits)
      }
    }
    #expect(wrong == [])
  }

  @Test
  func `every FLOAT is rounded correctly and encoded to the same bits`() {
    var generator = SeededGenerator(seed: 11073)
    var wrong: [UInt32] = []
    for _ in 0..<50_000 {
      let bits = UInt32(truncatingIfNeeded: generator.next())
      let value = MedicalFloat(float: bits)
      if value.float != bits { wrong.append(bits) }
      if case .value(let mantissa, let exponent) = value,
        value.doubleValue != Double("\(mantissa)e\(exponent)")
      {
        wrong.append(bits)
      }
    }
    #expect(wrong == [])
  }

  @Test(
    arguments: [
      (.value(mantissa: 12_000, exponent: 0), .value(mantissa: 1200, exponent: 1)),
      // The number would be -2048 × 10^0, whose pattern is a special value.
      (.value(mantissa: -20_480, exponent: -1), .nres),
      (.value(mantissa: 3, exponent: 9), .value(mantissa: 300, exponent: 7)),
      (.value(mantissa: 500, exponent: -10), .value(mantissa: 5, exponent: -8)),
      (.value(mantissa: 0, exponent: 100), .value(mantissa: 0, exponent: 7)),
      (.value(mantissa: 0, exponent: -100), .value(mantissa: 0, exponent: -8)),
      (.value(mantissa: 12_345, exponent: 0), .nres),
      (.value(mantissa: 1, exponent: 11), .nres),
      (.value(mantissa: 1, exponent: -9), .nres),
      (.value(mantissa: 2047, exponent: 0), .nres),
      (.value(mantissa: -2046, exponent: 0), .nres),
      (.value(mantissa: .max, exponent: .max), .nres),
      (.value(mantissa: .min, exponent: .min), .nres),
    ] as [(MedicalFloat, MedicalFloat)])
  func `a number that does not fit is rescaled exactly, or is not at this resolution`(
    value: MedicalFloat, expected: MedicalFloat
  ) {
    #expect(MedicalFloat(sfloat: value.sfloat) == expected)
  }
}
