import Care
import Foundation
import Testing

@Suite struct UnitOfMeasureTests {
  @Test func `every static member is listed once`() throws {
    #expect(try definedNames("UnitOfMeasure", "UnitOfMeasure") == UnitOfMeasure.all.map(\.code))
    #expect(Set(UnitOfMeasure.all.map(\.code)).count == UnitOfMeasure.all.count)
  }

  private func unit(_ text: String) throws -> UnitOfMeasure { try #require(UnitOfMeasure(text)) }

  @Test(arguments: [
    (100.0, "lb", "kg", 45.359237), (1, "[stone_av]", "[lb_av]", 14), (16, "oz", "lb", 1),
    (72.4, "kg", "g", 72_400), (1, "mi", "m", 1609.344), (12, "in", "ft", 1),
    (1, "ft", "cm", 30.48),
    (90, "min", "h", 1.5), (1, "d", "s", 86_400), (72, "bpm", "/s", 1.2),
    (1, "Hz", "count/min", 60),
    (37, "Cel", "[degF]", 98.6), (98.6, "°F", "°C", 37), (0, "Cel", "K", 273.15),
    (-40, "°F", "°C", -40), (180, "deg", "rad", Double.pi), (16, "kPa", "mmHg", 120.0102),
    (1013.25, "hPa", "Pa", 101_325), (50, "%", "1", 0.5), (2000, "count", "steps", 2000),
    (100, "kcal", "kJ", 418.4), (500, "mV", "V", 0.5), (5.5, "mmol/L", "mol/L", 0.0055),
    (90, "mg/dL", "kg/L", 0.0009), (500, "mg", "g", 0.5), (25, "µg", "mg", 0.025),
    (2.5, "dL", "mL", 250), (3, "drops", "mL", 0.15), (2, "tablets", "1", 2),
  ])
  func converts(value: Double, from: String, to: String, expected: Double) throws {
    let converted = try #require(try unit(from).convert(value, to: unit(to)))
    #expect(abs(converted - expected) <= max(1e-9, abs(expected) * 1e-6))
    let back = try #require(try unit(to).convert(converted, to: unit(from)))
    #expect(abs(back - value) <= max(1e-9, abs(value) * 1e-12))
  }

  @Test(arguments: [
    ("Cel", "kg"), ("/min", "s"), ("1", "kg"), ("mmol/L", "mg/dL"), ("deg", "deg/s"),
    ("IU", "mg"), ("mL", "g"), ("IU", "1"), ("tablets", "puffs"), ("%", "tablets"),
    ("capsules", "tablets"),
  ])
  func `refuses other dimensions`(from: String, to: String) throws {
    #expect(try unit(from).convert(1, to: unit(to)) == nil)
  }

  @Test(arguments: [
    ("lb", "[lb_av]"), ("bpm", "/min"), ("count", "1"), ("count/min", "/min"), ("mmHg", "mm[Hg]"),
    ("", "1"), ("°", "deg"),
  ])
  func `takes what people write`(text: String, code: String) throws {
    #expect(try unit(text).code == code)
    #expect(try unit(text) == unit(code))
  }

  @Test(arguments: ["KG", "pounds", "kg ", "m/s/s", "MMHG"])
  func `refuses what is no unit`(text: String) {
    #expect(UnitOfMeasure(text) == nil)
  }

  @Test(arguments: [
    ("KG", "kg"), ("kgs", "kg"), ("pounds", "[lb_av]"), ("F", "[degF]"), ("c", "Cel"),
    ("mg/dl", "mg/dL"), ("MMHG", "mm[Hg]"), ("iu", "[iU]"), ("mcg", "ug"), ("ML", "mL"),
    ("stone", "[stone_av]"), ("Tablet", "{tablet}"), ("Hz", "Hz"),
  ])
  func `is the one that a person means`(text: String, code: String) {
    #expect(UnitOfMeasure(typed: text)?.code == code)
  }

  @Test(arguments: ["furlong", "kgg", "m/s/s", "x"])
  func `is none that nobody knows`(text: String) {
    #expect(UnitOfMeasure(typed: text) == nil)
  }

  @Test func `keeps each code and symbol apart`() {
    for unit in UnitOfMeasure.all {
      #expect(UnitOfMeasure(typed: unit.code) == unit)
      #expect(UnitOfMeasure(unit.name) == unit || unit == .standardGravity)
    }
  }

  @Test func `is coded under its code`() throws {
    let data = try JSONEncoder().encode([unit("lb")])
    #expect(String(decoding: data, as: UTF8.self) == #"["[lb_av]"]"#)
    #expect(try JSONDecoder().decode([UnitOfMeasure].self, from: data) == [unit("lb")])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([UnitOfMeasure].self, from: Data(#"["pounds"]"#.utf8))
    }
  }
}
