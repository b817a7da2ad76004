import Care
import Foundation
import Testing

@Suite struct QuantityTests {
  @Test(arguments: Quantity.allNames)
  func everyQuantityIsWhole(name: String) throws {
    let quantity = try #require(Quantity(rawValue: name))
    #expect(quantity.rawValue == name)
    // A unit that is not in the table would have become the number 1.
    #expect(UnitOfMeasure(quantity.unit.code) == quantity.unit)
    #expect(!quantity.definition.title.isEmpty)
    #expect(quantity.definition.plausible.lowerBound < quantity.definition.plausible.upperBound)
    let data = try JSONEncoder().encode([quantity])
    #expect(try JSONDecoder().decode([Quantity].self, from: data) == [quantity])
  }

  @Test(arguments: [
    ("bodyMass", "kg"), ("heartRate", "/min"), ("rrInterval", "s"), ("rangeOfMotion", "deg"),
    ("bloodPressureSystolic", "mm[Hg]"), ("bodyTemperature", "Cel"), ("stepCount", "1"),
    ("oxygenSaturation", "%"), ("impedance", "Ohm"), ("airPressure", "hPa"),
  ])
  func hasItsCanonicalUnit(name: String, code: String) throws {
    #expect(try #require(Quantity(rawValue: name)).unit.code == code)
  }

  @Test func codesAreUnique() {
    let definitions = Quantity.allNames.compactMap { Quantity(rawValue: $0)?.definition }
    let loinc = definitions.compactMap(\.loinc)
    let mdc = definitions.compactMap(\.mdc)
    #expect(Set(loinc).count == loinc.count)
    #expect(Set(mdc).count == mdc.count)
  }

  /// LOINC codes end in a check digit: the digits weighted 2, 1, 2, … from the right, as Luhn has it.
  @Test(arguments: Quantity.allNames.compactMap { Quantity(rawValue: $0)?.definition.loinc })
  func loincCodesHaveTheirCheckDigit(code: String) throws {
    let parts = code.split(separator: "-")
    try #require(parts.count == 2)
    var sum = 0
    for (index, digit) in parts[0].compactMap(\.wholeNumberValue).reversed().enumerated() {
      let weighted = index.isMultiple(of: 2) ? digit * 2 : digit
      sum += weighted / 10 + weighted % 10
    }
    #expect(parts[1] == String((10 - sum % 10) % 10))
  }

  @Test func onlyWhatAddsUpIsCumulative() {
    let cumulative = Quantity.allNames.filter {
      Quantity(rawValue: $0)?.definition.aggregation == .cumulative
    }
    #expect(cumulative == ["distanceWalked", "exerciseTime", "stepCount"])
  }

  @Test(arguments: ["", "weight", "BodyMass"])
  func refusesWhatIsNoQuantity(name: String) {
    #expect(Quantity(rawValue: name) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Quantity].self, from: JSONEncoder().encode([name]))
    }
  }
}
