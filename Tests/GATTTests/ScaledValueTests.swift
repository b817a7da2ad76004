import GATT
import Testing

struct ScaledValueTests {
  @Test(
    arguments: [
      (UnitSystem.si, 15_630, 78.15), (.si, 1, 0.005), (.si, 65_534, 327.67), (.si, 0, 0),
      (.imperial, 17_630, 176.3), (.imperial, 1, 0.01), (.imperial, 65_534, 655.34),
    ] as [(UnitSystem, UInt16, Double)])
  func `a count becomes the nearest double of its decimal`(
    units: UnitSystem, count: UInt16, expected: Double
  ) {
    #expect(units.mass(count).doubleValue == expected)
    #expect(units.mass(count).numerator == Int(count))
  }

  @Test
  func `a height is in steps of 1 mm or a tenth of an inch`() {
    #expect(UnitSystem.si.height(1830).doubleValue == 1.83)
    #expect(UnitSystem.imperial.height(721).doubleValue == 72.1)
  }

  @Test
  func `every count of every step is rounded once`() {
    var wrong: [UInt16] = []
    for count in UInt16.min...UInt16.max {
      // The decimal text of n/200 is n × 5 thousandths, and text is converted correctly rounded.
      let kilograms = Double("\(Int(count) * 5)e-3")
      let pounds = Double("\(count)e-2")
      if UnitSystem.si.mass(count).doubleValue != kilograms
        || UnitSystem.imperial.mass(count).doubleValue != pounds
      {
        wrong.append(count)
      }
    }
    #expect(wrong == [])
  }
}
