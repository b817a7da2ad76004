import Care
import DeviceCatalog
import GATT
import TestSupport
import Testing

struct CharacteristicDecodingTests {
  private func decode(_ characteristic: String, _ hex: String) throws -> [DecodedValue] {
    try CharacteristicDecoding.decode(try uuid(characteristic), bytes: bytes(hex))
  }

  @Test func `heart rate is a reading for each beat`() throws {
    let values = try decode("2A37", "1f 4800 6400 0004 0003")
    #expect(
      values.map(\.quantity.rawValue)
        == ["heartRate", "energyExpended", "rrInterval", "rrInterval"])
    #expect(values.map(\.value) == [72, 100, 1, 0.75])
    #expect(values.map(\.unit.code) == ["/min", "kJ", "s", "s"])
    #expect(values.allSatisfy { $0.isStreamed })
  }

  @Test func `lost contact is no heart rate`() throws {
    #expect(try decode("2A37", "0400") == [])
    #expect(try decode("2A37", "0648").map(\.value) == [72])
  }

  @Test func `pounds become kilograms`() throws {
    let value = try #require(try decode("2A9D", "015046").first)
    #expect(abs(value.value - 81.6466266) < 1e-12)
    #expect(value.sourceValue == SourceValue(value: 180, unit: .pound))
    #expect(value.unit == .kilogram)
  }

  @Test func `an unsuccessful weight is none`() throws {
    #expect(try decode("2A9D", "02 ffff ea07050c123536") == [])
  }

  @Test func `special numbers are left out`() throws {
    // NaN, NRes, +INF in turn.
    #expect(try decode("2A35", "00 7800 ff07 0008").map(\.value) == [120])
    #expect(try decode("2A35", "04 fe07 0208 0108 ff07") == [])
    #expect(try decode("2A1C", "00 00008000") == [])
  }

  @Test func `an unset clock is no time`() throws {
    let set = try decode("2A5E", "01 6100 4800 ea07060c143008")
    #expect(set.map(\.time?.description) == ["2026-06-12T20:48:08", "2026-06-12T20:48:08"])
    #expect(try decode("2A5E", "11 6100 4800 ea07060c143008").map(\.time) == [nil, nil])
  }

  @Test(arguments: [
    ("0000", "2026-06-12T23:48:08"), ("3c00", "2026-06-13T00:48:08"),
    ("c4ff", "2026-06-12T22:48:08"), ("0080", "2026-05-21T05:40:08"),
  ])
  func `a glucose meters offset moves its time`(offset: String, time: String) throws {
    let values = try decode("2A18", "07 0100 ea07060c173008 \(offset) 37c0 11")
    #expect(values.map(\.value) == [5.5])
    #expect(values.map(\.time?.description) == [time])
  }

  @Test func `an unknown characteristic is an error`() throws {
    #expect(throws: DecodeError.unknownCharacteristic(BluetoothUUID(0x2A00))) {
      try decode("2A00", "00")
    }
  }

  @Test func `malformed bytes are an error`() {
    let error = #expect(throws: DecodeError.self) { try decode("2A37", "0148") }
    #expect(
      error?.description
        == "The data ends inside the field 'heart rate': it needs 2 bytes, 1 left."
        + " Nothing of it is used.")
  }

  @Test func `the catalogue decodes vendor characteristics`() throws {
    let catalog = try Repository.catalog()
    let data = try uuid("E95DCA4B-251D-470A-A062-FA1922DFA9A8")
    let values = try catalog.decode(data, bytes: bytes("f4ff0800e803"))
    #expect(values.map(\.quantity) == [.accelerationX, .accelerationY, .accelerationZ])
    #expect(values.map(\.sourceValue?.value) == [-0.012, 0.008, 1])
    #expect(values.map(\.value).last == 9.80665)
    #expect(
      try catalog.decode(BluetoothUUID(0x2A37), bytes: [0, 72]).map(\.value) == [72])
  }

  @Test func `the catalogue decodes service data by its UUID`() throws {
    let catalog = try Repository.catalog()
    let service = BluetoothUUID(0x181D)
    #expect(
      try catalog.decode(service, bytes: bytes("223e30e607020e10293a")).map(\.value) == [61.75])
    // Removed, and not stable: not final.
    #expect(try catalog.decode(service, bytes: bytes("a23e30e607020e10293a")) == [])
    #expect(try catalog.decode(service, bytes: bytes("023e30e607020e10293a")) == [])
  }

  @Test func `a device may be named`() throws {
    let catalog = try Repository.catalog()
    let service = BluetoothUUID(0x181D)
    #expect(
      try catalog.decode(service, bytes: bytes("223e30e607020e10293a"), device: "xiaomi-mi-scale-1")
        .map(\.value) == [61.75])
    #expect(throws: DecodeError.unknownDefinition("unknown")) {
      try catalog.decode(service, bytes: [], device: "unknown")
    }
    #expect(throws: DecodeError.notOfDefinition(service, definition: "polar-h10")) {
      try catalog.decode(service, bytes: [], device: "polar-h10")
    }
    #expect(throws: DecodeError.unknownCharacteristic(BluetoothUUID(0x2AFF))) {
      try catalog.decode(BluetoothUUID(0x2AFF), bytes: [])
    }
  }

  @Test func `an advertisement is decoded by the matching definition`() throws {
    let catalog = try Repository.catalog()
    // Flags, then 16 bytes of service data 181B.
    let advertisement = bytes("020106 1016 1b18 0226e607020e10293af7019a38")
    let (definition, values) = try catalog.decode(advertisement: advertisement)
    #expect(definition == "xiaomi-mi-scale-2")
    #expect(values.map(\.value) == [503, 72.45])
    #expect(values.map(\.time?.description) == ["2022-02-14T16:41:58", "2022-02-14T16:41:58"])
    let named = try catalog.decode(advertisement: advertisement, device: "xiaomi-mi-scale-2")
    #expect(named.values == values)
    let nothing = try catalog.decode(advertisement: bytes("020106"))
    #expect(nothing.definition == nil)
    #expect(nothing.values == [])
    #expect(throws: DecodeError.self) { try catalog.decode(advertisement: bytes("0516")) }
  }
}
