import Care
import GATT
import Testing

@testable import DeviceCatalog

struct DecodedValueTests {
  @Test func `the canonical unit needs no source`() throws {
    let value = try #require(DecodedValue(.bodyMass, 70))
    #expect(value.value == 70)
    #expect(value.unit == .kilogram)
    #expect(value.sourceValue == nil)
    #expect(!value.isStreamed)
  }

  @Test func `another unit is converted and stored`() throws {
    let value = try #require(DecodedValue(.bodyTemperature, 98.6, .degreeFahrenheit))
    #expect(abs(value.value - 37) < 1e-12)
    #expect(value.sourceValue == SourceValue(value: 98.6, unit: .degreeFahrenheit))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `a non finite number is no value`(number: Double) {
    #expect(DecodedValue(.bodyMass, number) == nil)
  }

  @Test func `a unit of something else is no value`() {
    #expect(DecodedValue(.bodyMass, 1, .metre) == nil)
    #expect(DecodedValue(.bodyMass, nil as MedicalFloat?) == nil)
    #expect(DecodedValue(.bodyMass, MedicalFloat.nan) == nil)
  }

  @Test(arguments: [
    (0, "2024-02-28T23:30:00"), (30, "2024-02-29T00:00:00"), (24 * 60 + 30, "2024-03-01T00:00:00"),
    (-(23 * 60 + 31), "2024-02-27T23:59:00"), (-525_600, "2023-02-28T23:30:00"),
  ])
  func `minutes are added by the calendar`(minutes: Int, result: String) {
    let time = LocalDateTime(year: 2024, month: 2, day: 28, hour: 23, minute: 30)
    #expect(time.adding(minutes: minutes).description == result)
  }
}
