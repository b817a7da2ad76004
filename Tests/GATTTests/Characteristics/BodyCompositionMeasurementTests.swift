import GATT
import TestSupport
import Testing

struct BodyCompositionMeasurementTests {
  typealias Component = BodyCompositionMeasurement.Component

  @Test(
    arguments: [
      (
        "9803c200df1a9701cc2fca21a811",
        [
          .fatPercentage: 19.4, .basalMetabolism: 6879, .musclePercentage: 40.7,
          .softLeanMass: 61.18, .bodyWaterMass: 43.25, .impedance: 452,
        ]
      ),
      (
        "9803f300962389014042fa2f550f",
        [
          .fatPercentage: 24.3, .basalMetabolism: 9110, .musclePercentage: 39.3,
          .softLeanMass: 84.8, .bodyWaterMass: 61.41, .impedance: 392.5,
        ]
      ),
    ] as [(String, [Component: Double])])
  func `frames of a BF720 and a BF788`(hex: String, expected: [Component: Double]) throws {
    let value = try BodyCompositionMeasurement(bytes(hex))
    for component in Component.allCases {
      #expect(value[component]?.doubleValue == expected[component])
    }
    #expect(value.isSuccessful)
    #expect(value.unitSystem == .si)
    #expect(value.timeStamp == nil)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `a frame of zeros is no composition, even with a metabolism`() throws {
    let value = try BodyCompositionMeasurement(bytes("9803000096230000000000000000"))
    #expect(!value.isSuccessful)
    #expect(value.counts == [.basalMetabolism: 9110])
    for component in Component.allCases where component != .basalMetabolism {
      #expect(value[component] == nil)
    }
  }

  @Test
  func `the fat percentage comes before the time, and the components in bit order`() throws {
    let hex = "ff1f c200 ea07050c123536 02 0100 0200 0300 0400 0500 0600 0700 0800 0900"
    let value = try BodyCompositionMeasurement(bytes(hex))
    #expect(value.unitSystem == .imperial)
    #expect(value.timeStamp?.description == "2026-05-12T18:53:54")
    #expect(value.userIndex == 2)
    #expect(value.isMultiplePacket)
    #expect(
      value.counts == [
        .fatPercentage: 194, .basalMetabolism: 1, .musclePercentage: 2, .muscleMass: 3,
        .fatFreeMass: 4, .softLeanMass: 5, .bodyWaterMass: 6, .impedance: 7, .weight: 8,
        .height: 9,
      ])
    #expect(value[.muscleMass]?.doubleValue == 0.03)
    #expect(value[.weight]?.doubleValue == 0.08)
    #expect(value[.height]?.doubleValue == 0.9)
    #expect(value[.impedance]?.doubleValue == 0.7)
    #expect(value.encoded == bytes(hex))
  }

  @Test
  func `counts of 0 and 0xFFFF are left out`() {
    let value = BodyCompositionMeasurement(
      counts: [.fatPercentage: 0xFFFF, .impedance: 0, .weight: 15_992])
    #expect(value.counts == [.weight: 15_992])
    #expect(!value.isSuccessful)
    #expect(value.encoded == bytes("0004 ffff 783e"))
  }

  @Test(
    arguments: [
      ("98", "flags", 1), ("9803c2", "body fat percentage", 1),
      ("9803c200df", "basal metabolism", 1), ("9803c200df1a", "muscle percentage", 0),
      ("9803c200df1a9701", "soft lean mass", 0), ("9803c200df1a9701cc2f", "body water mass", 0),
      ("9803c200df1a9701cc2fca21", "impedance", 0),
    ])
  func `a frame that ends early names the field`(hex: String, field: String, available: Int) {
    #expect(throws: GATTError.truncated(field: field, needed: 2, available: available)) {
      try BodyCompositionMeasurement(bytes(hex))
    }
  }
}
