import Care
import GATT
import TestSupport
import Testing

@testable import DeviceCatalog

struct StandardFramesTests {
  private func decode(_ name: CodecName, _ hex: String) throws -> FrameContent {
    var codec = name.codec(.none)
    return try codec.decode(bytes(hex))
  }

  /// Frames with the expected values: quantity and value.
  static let frames: [(codec: CodecName, hex: String, values: [String])] = [
    (.weightMeasurement, "00 803e", ["bodyMass 80.0"]),
    (.weightMeasurement, "08 803e 0000 0000", ["bodyMass 80.0"]),
    (
      .weightMeasurement, "04 803e ff",
      ["bodyMass 80.0"]
    ),
    (
      .weightMeasurement, "09 5046 ee00 d202",
      ["bodyMass 81.6466266", "bodyMassIndex 23.8", "height 1.83388"]
    ),
    (.bodyComposition, "0000 c200", ["bodyFatPercentage 19.4"]),
    (.bodyComposition, "0004 0000 803e", ["bodyMass 80.0"]),
    // Of an unknown user, the scale has computed nothing from a person's profile.
    (.bodyComposition, "0402 c200 ff 8813", ["impedance 500.0"]),
    (
      .bodyComposition, "0402 c200 01 8813", ["bodyFatPercentage 19.4", "impedance 500.0"]
    ),
    (.bodyComposition, "0000 ffff", []),
    (
      .bodyComposition, "6100 c200 803e 803e",
      ["bodyFatPercentage 19.4", "muscleMass 72.5747792", "fatFreeMass 72.5747792"]
    ),
    (.heartRate, "00 48", ["heartRate 72.0"]),
    (.heartRate, "01 2c01", ["heartRate 300.0"]),
    (.heartRate, "16 00 0004", ["rrInterval 1.0"]),
    // A rate without contact, where contact is detected, is no rate.
    (.heartRate, "04 c8", []),
    (.heartRate, "14 48 0004", []),
    (.heartRate, "06 48", ["heartRate 72.0"]),
    (.heartRate, "10 48 0000 0004", ["heartRate 72.0", "rrInterval 1.0"]),
    (.heartRate, "08 48 ffff", ["heartRate 72.0", "energyExpended 65535.0"]),
    (
      .bloodPressure, "00 7800 5000 5d00",
      ["bloodPressureSystolic 120.0", "bloodPressureDiastolic 80.0", "bloodPressureMean 93.0"]
    ),
    (.cuffPressure, "00 9600 ff07 ff07", ["cuffPressure 150.0"]),
    (.temperature, "00 6e0100ff", ["bodyTemperature 36.6"]),
    (.intermediateTemperature, "00 6e0100ff", ["bodyTemperature 36.6"]),
    (.pulseOximeterSpotCheck, "00 6100 4800", ["oxygenSaturation 97.0", "pulseRate 72.0"]),
    (.pulseOximeterSpotCheck, "02 6100 4800 0004", []),
    (.pulseOximeterContinuous, "00 6100 ff07", ["oxygenSaturation 97.0"]),
    (.glucose, "02 0200 ea07060c143008 63b0 11", ["bloodGlucoseMass 99.0"]),
    (.glucose, "00 0200 ea07060c143008", []),
    (.battery, "64", ["batteryLevel 100.0"]),
  ]

  /// Frames with what the device says of the measurement.
  static let contexts: [(codec: CodecName, hex: String, context: MeasurementContext)] = [
    (.bloodPressure, "00 7800 5000 5d00", []),
    (.bloodPressure, "10 7800 5000 5d00 0400", [.irregularPulse]),
    (.bloodPressure, "10 7800 5000 5d00 0300", [.bodyMovement, .cuffTooLoose]),
    (.bloodPressure, "10 7800 5000 5d00 2000", [.improperPosition]),
    (.bloodPressure, "10 7800 5000 5d00 1000", [.pulseBelowRange]),
    (.cuffPressure, "10 9600 ff07 ff07 0100", []),
    (.temperature, "04 6e0100ff 03", [.ear]),
    (.temperature, "04 6e0100ff 09", [.tympanum]),
    (.temperature, "04 6e0100ff 0a", []),
    (.glucose, "02 0200 ea07060c143008 63b0 11", [.finger, .capillaryWholeBlood]),
    (.glucose, "02 0200 ea07060c143008 63b0 29", [.alternateSite, .interstitialFluid]),
    (.glucose, "0a 0200 ea07060c143008 63b0 f0 0500", [.batteryLow, .sampleInsufficient]),
    (.glucoseContext, "46 0500 03 54 41f0", [.fasting]),
    (.glucoseContext, "46 0500 05 41 41f0", [.bedtime, .stress]),
    (.continuousGlucose, "07 80 6e00 0f00 08", [.sensorFault]),
    (.enhancedBloodPressure, "10 7800 5000 5d00 0600", [.irregularPulse, .cuffTooLoose]),
  ]

  @Test(arguments: contexts.indices)
  func `says how it came about`(index: Int) throws {
    let (codec, hex, context) = Self.contexts[index]
    let content = try decode(codec, hex)
    #expect(!content.values.isEmpty)
    #expect(content.values.allSatisfy { $0.context == context })
  }

  @Test func `every context has its name`() {
    for (context, name) in MeasurementContext.all {
      #expect(MeasurementContext(name: name) == context)
      #expect(context.names == [name])
    }
    #expect(
      Set(MeasurementContext.all.map(\.context.rawValue)).count == MeasurementContext.all.count)
    #expect(MeasurementContext(names: "irregularPulse ear") == [.irregularPulse, .ear])
    #expect(MeasurementContext(names: "tail") == nil)
    #expect(MeasurementContext(names: "") == [])
  }

  @Test(arguments: frames.indices)
  func read(index: Int) throws {
    let (codec, hex, values) = Self.frames[index]
    let content = try decode(codec, hex)
    #expect(
      content.values.map { value in
        // Nine digits: a conversion may round the last.
        let rounded = (value.value * 1e9).rounded() / 1e9
        return "\(value.quantity.rawValue) \(rounded)"
      } == values)
    #expect((content.note == nil) == !values.isEmpty)
  }

  /// A pulse's list of intervals ends with the last whole one.
  @Test(arguments: frames.indices)
  func `are refused when truncated, or it is said`(index: Int) {
    let (codec, hex, _) = Self.frames[index]
    guard let content = try? decode(codec, String(hex.dropLast(2))) else { return }
    #expect(codec == .heartRate && content.layout != nil)
  }

  @Test func `streams and measurements are distinguished`() throws {
    let streamed = try Set(
      Self.frames.filter { try decode($0.codec, $0.hex).values.contains(where: \.isStreamed) }
        .map(\.codec))
    #expect(
      streamed == [
        .heartRate, .cuffPressure, .intermediateTemperature, .pulseOximeterContinuous, .battery,
      ])
  }

  @Test func `user indexes are decoded`() throws {
    #expect(try decode(.weightMeasurement, "04 803e 02").values.map(\.userIndex) == [2])
    #expect(try decode(.weightMeasurement, "04 803e ff").values.map(\.userIndex) == [nil])
  }

  @Test func `a day without a month is no time`() throws {
    #expect(try decode(.weightMeasurement, "02 803e ea07000c143008").values.map(\.time) == [nil])
    #expect(try decode(.weightMeasurement, "02 803e 00000000000000").values.map(\.time) == [nil])
  }

  @Test func `every codec is found by its characteristic`() {
    for name in CodecName.allCases {
      guard let uuid = name.facts.characteristic else { continue }
      #expect(CodecName(adopted: uuid) == name)
    }
    #expect(CodecName(adopted: BluetoothUUID(0x2A00)) == nil)
  }
}
