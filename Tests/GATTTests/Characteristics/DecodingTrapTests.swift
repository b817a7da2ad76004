import GATT
import TestSupport
import Testing

/// Each of these is a defect that was found in a published decoder.
struct DecodingTrapTests {
  @Test
  func `trap: pounds taken for kilograms`() throws {
    let value = try WeightMeasurement(bytes("01de44"))
    #expect(value.unitSystem == .imperial)
    #expect(value.weight?.doubleValue == 176.3)
    #expect(value.weight?.denominator == 100)
  }

  @Test
  func `trap: an unsuccessful weighing taken for 327.675 kg`() throws {
    #expect(try WeightMeasurement(bytes("00ffff")).weight == nil)
    #expect(try WeightMeasurement(bytes("01ffff")).weight == nil)
    #expect(try WeightMeasurement(bytes("00feff")).weight?.doubleValue == 327.67)
  }

  @Test
  func `trap: the imperial bit lost in encoding`() throws {
    let weight = WeightMeasurement(unitSystem: .imperial, rawWeight: 17_630)
    #expect(weight.encoded == bytes("01de44"))
    #expect(try WeightMeasurement(weight.encoded).unitSystem == .imperial)
    let composition = BodyCompositionMeasurement(
      unitSystem: .imperial, counts: [.fatPercentage: 200, .weight: 17_630])
    #expect(composition.encoded == bytes("0104 c800 de44"))
    #expect(try BodyCompositionMeasurement(composition.encoded) == composition)
  }

  @Test
  func `trap: a weight rescaled by the feature's resolution`() throws {
    // 16800 steps of 5 g are 84 kg, also on a scale with a resolution of 100 g.
    let feature = WeightScaleFeature(rawValue: 3 << 3)
    #expect(feature.weightResolution(in: .si)?.doubleValue == 0.1)
    #expect(try WeightMeasurement(bytes("00a041")).weight?.doubleValue == 84)
  }

  @Test(
    arguments: ["0000ffff", "00000000", "1000ffffffff", "100000000000"])
  func `trap: a sentinel exported as 6553.5 % fat`(hex: String) throws {
    let value = try BodyCompositionMeasurement(bytes(hex))
    #expect(value[.fatPercentage] == nil)
    #expect(value[.musclePercentage] == nil)
    #expect(!value.isSuccessful)
  }

  @Test
  func `trap: a biased exponent, which makes 120 mmHg of 0.0000012`() throws {
    #expect(try BloodPressureMeasurement(bytes("00 7800 5000 5d00")).systolic.doubleValue == 120)
    #expect(
      try BloodPressureMeasurement(bytes("00 7880 5000 5d00")).systolic
        == .value(mantissa: 120, exponent: -8))
    #expect(MedicalFloat.value(mantissa: 120, exponent: 0).sfloat == 0x0078)
  }

  @Test
  func `trap: not-a-number stored as 2047`() throws {
    let value = try BloodPressureMeasurement(bytes("04 7800 5000 ff07 ff07"))
    #expect(value.meanArterial.doubleValue == nil)
    #expect(value.pulseRate?.doubleValue == nil)
  }

  @Test
  func `trap: a binary power of ten, which makes 36.800000000000004 of 36.8`() {
    #expect(368 * 0.1 != 36.8)
    #expect(MedicalFloat(sfloat: 0xF170).doubleValue == 36.8)
  }

  @Test
  func `trap: RR-intervals dropped where the energy is sent too`() throws {
    let value = try HeartRateMeasurement(bytes("18 48 e803 0004 0002"))
    #expect(value.energyExpended == 1000)
    #expect(value.rrIntervals == [1024, 512])
  }

  @Test
  func `trap: RR-intervals taken for milliseconds`() throws {
    let value = try HeartRateMeasurement(bytes("10 48 0004 0002 6603"))
    #expect(value.rrIntervalsInSeconds.map(\.doubleValue) == [1, 0.5, 870.0 / 1024])
  }

  @Test
  func `trap: a rate of 0 from a strap that is not worn`() throws {
    let value = try HeartRateMeasurement(bytes("0400"))
    #expect(value.contact == .notDetected)
    #expect(value.rate == nil)
  }

  @Test
  func `trap: a clock that has lost its time drops the weight`() throws {
    let value = try WeightMeasurement(bytes("02 783e 00000000000000"))
    #expect(value.weight?.doubleValue == 79.96)
    #expect(value.timeStamp?.isKnown == false)
  }
}
