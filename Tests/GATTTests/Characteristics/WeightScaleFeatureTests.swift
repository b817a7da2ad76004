import GATT
import TestSupport
import Testing

struct WeightScaleFeatureTests {
  @Test
  func `bits 0 to 2 are the supported features`() throws {
    let all = try WeightScaleFeature(bytes("07000000"))
    #expect(all.supportsTimeStamp && all.supportsMultipleUsers && all.supportsBodyMassIndex)
    let users = WeightScaleFeature(rawValue: 0b010)
    #expect(!users.supportsTimeStamp && users.supportsMultipleUsers)
    #expect(!users.supportsBodyMassIndex)
    #expect(users.encoded == bytes("02000000"))
  }

  @Test(
    arguments: [
      (0, nil, nil), (1, 0.5, 1), (2, 0.2, 0.5), (3, 0.1, 0.2), (4, 0.05, 0.1), (5, 0.02, 0.05),
      (6, 0.01, 0.02), (7, 0.005, 0.01), (8, nil, nil), (15, nil, nil),
    ] as [(UInt32, Double?, Double?)])
  func `bits 3 to 6 are the weight's resolution`(code: UInt32, kilograms: Double?, pounds: Double?)
  {
    let feature = WeightScaleFeature(rawValue: code << 3 | 0b111)
    #expect(feature.weightResolution(in: .si)?.doubleValue == kilograms)
    #expect(feature.weightResolution(in: .imperial)?.doubleValue == pounds)
  }

  @Test(
    arguments: [
      (0, nil, nil), (1, 0.01, 1), (2, 0.005, 0.5), (3, 0.001, 0.1), (4, nil, nil), (7, nil, nil),
    ] as [(UInt32, Double?, Double?)])
  func `bits 7 to 9 are the height's resolution`(code: UInt32, metres: Double?, inches: Double?) {
    let feature = WeightScaleFeature(rawValue: code << 7 | 0b111_1111)
    #expect(feature.heightResolution(in: .si)?.doubleValue == metres)
    #expect(feature.heightResolution(in: .imperial)?.doubleValue == inches)
  }

  @Test
  func `it is four bytes long`() {
    #expect(
      throws: GATTError.truncated(field: "weight scale feature", needed: 4, available: 3)
    ) { try WeightScaleFeature(bytes("070000")) }
  }
}
