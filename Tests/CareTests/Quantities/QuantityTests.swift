@testable import Care
import Foundation
import Testing

@Suite struct QuantityTests {
  @Test func `names are unique`() {
    #expect(Set(Quantity.all.map(\.rawValue)).count == Quantity.all.count)
    #expect(Quantity.allNames == Quantity.all.map(\.rawValue).sorted())
  }

  /// A quantity that is missing from the list compiles, but no plan, store or command knows it.
  @Test func `every static member is listed`() throws {
    #expect(try definedNames("Quantity", "Quantities") == Quantity.all.map(\.rawValue))
  }

  @Test(
    arguments: [
      (.bodyMass, 141.190_000_000_000_03, .pound, 141.19),
      (.bodyMass, 72.574_779_200_000_01, .kilogram, 72.574_779_2),
      (.tremorAcceleration, 0.032_048_132_199_999_996, .metrePerSquareSecond, 0.032_048_132),
      (.rrInterval, 0.820_312_5, .second, 0.820_312_5), (.stepCount, 1e12 + 1, .one, 1e12 + 1),
      (.heartRate, .infinity, .perMinute, .infinity), (.height, -0.1 - 0.2, .metre, -0.3),
    ] as [(Quantity, Double, UnitOfMeasure, Double)])
  func `a value for programs has no noise`(
    quantity: Quantity, value: Double, unit: UnitOfMeasure, rounded: Double
  ) {
    #expect(quantity.rounded(value, in: unit) == rounded)
  }

  /// A value that a person enters in their units comes back from the canonical one as printed.
  @Test(arguments: Quantity.all)
  func `a printed value is exact in the persons units`(quantity: Quantity) throws {
    for units in PreferredUnits.allCases {
      let other = quantity.unit(for: units)
      for step in 1...400 {
        let given = Double(step * 37) / 100
        let canonical = try #require(other.convert(given, to: quantity.unit))
        let printed = quantity.rounded(canonical, in: quantity.unit)
        let back = try #require(quantity.unit.convert(printed, to: other))
        #expect((back * 10_000).rounded() == Double(step * 3_700), "\(other.code)")
      }
    }
  }

  @Test func `is equal by name`() {
    let other = Quantity("bodyMass", .pound, title: "Mass", plausible: 0...1)
    #expect(other == .bodyMass)
    #expect(Set([other, .bodyMass]).count == 1)
    #expect(Quantity.height != .bodyMass)
  }

  @Test func `what a scale measures with a weight`() {
    let companions = Quantity.all.filter(\.isMeasuredWithWeight)
    #expect(
      companions == [
        .bodyMassIndex, .height, .bodyFatPercentage, .basalMetabolicRate, .musclePercentage,
        .muscleMass, .fatFreeMass, .softLeanMass, .bodyWaterMass, .bodyWaterPercentage,
        .boneMass, .visceralFat, .impedance, .impedanceHighFrequency,
      ])
  }

  @Test func `what is not measured on a person`() {
    let others = Quantity.all.filter { !$0.isPersonal }
    #expect(
      others == [
        .batteryLevel, .batteryVoltage, .airTemperature, .relativeHumidity, .airPressure,
        .accelerationX, .accelerationY, .accelerationZ, .movementCount,
      ])
  }

  @Test(arguments: Quantity.allNames)
  func `every quantity is whole`(name: String) throws {
    let quantity = try #require(Quantity(rawValue: name))
    #expect(quantity.rawValue == name)
    #expect(UnitOfMeasure(quantity.unit.code) == quantity.unit)
    #expect(!quantity.title.isEmpty)
    #expect(quantity.plausible.lowerBound < quantity.plausible.upperBound)
    let data = try JSONEncoder().encode([quantity])
    #expect(try JSONDecoder().decode([Quantity].self, from: data) == [quantity])
  }

  @Test(arguments: [
    ("bodyMass", "kg"), ("heartRate", "/min"), ("rrInterval", "s"), ("rangeOfMotion", "deg"),
    ("bloodPressureSystolic", "mm[Hg]"), ("bodyTemperature", "Cel"), ("stepCount", "1"),
    ("oxygenSaturation", "%"), ("impedance", "Ohm"), ("airPressure", "hPa"),
  ])
  func `has its canonical unit`(name: String, code: String) throws {
    #expect(try #require(Quantity(rawValue: name)).unit.code == code)
  }

  @Test func `codes are unique`() {
    let loinc = Quantity.all.compactMap(\.loinc)
    let mdc = Quantity.all.compactMap(\.mdc)
    #expect(Set(loinc).count == loinc.count)
    #expect(Set(mdc).count == mdc.count)
  }

  /// LOINC codes end in a check digit: the Luhn algorithm, with weights 2, 1, 2, …
  /// from the right.
  @Test(arguments: Quantity.all.compactMap(\.loinc))
  func `loinc codes have their check digit`(code: String) throws {
    let parts = code.split(separator: "-")
    try #require(parts.count == 2)
    var sum = 0
    for (index, digit) in parts[0].compactMap(\.wholeNumberValue).reversed().enumerated() {
      let weighted = index.isMultiple(of: 2) ? digit * 2 : digit
      sum += weighted / 10 + weighted % 10
    }
    #expect(parts[1] == String((10 - sum % 10) % 10))
  }

  @Test func `only what adds up is cumulative`() {
    let cumulative = Quantity.all.filter { $0.aggregation == .cumulative }
    #expect(
      cumulative == [
        .stepCount, .sittingBreaks, .exerciseTime, .distanceWalked, .distanceCycled,
        .wheelRevolutions,
      ])
  }

  @Test(arguments: ["", "weight", "BodyMass"])
  func `refuses what is no quantity`(name: String) {
    #expect(Quantity(rawValue: name) == nil)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Quantity].self, from: JSONEncoder().encode([name]))
    }
  }

  @Test(arguments: [
    (Quantity.bodyMass, PreferredUnits.us, UnitOfMeasure.pound, 1),
    (.bodyMass, .uk, .stone, 3), (.bodyMass, .metric, .kilogram, 2), (.height, .us, .inch, 0),
    (.bodyTemperature, .us, .degreeFahrenheit, 1), (.bodyTemperature, .uk, .degreeCelsius, 1),
    (.distanceWalked, .us, .mile, 3), (.heartRate, .us, .perMinute, 0),
    (.rangeOfMotion, .uk, .degree, 0),
  ])
  func `has the unit and digits of a person`(
    quantity: Quantity, units: PreferredUnits, unit: UnitOfMeasure, digits: Int
  ) {
    #expect(quantity.unit(for: units) == unit)
    #expect(quantity.fractionDigits(in: unit) == digits)
    #expect(quantity.unit(for: nil) == quantity.unit)
  }
}
