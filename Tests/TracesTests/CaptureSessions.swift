import Care
import Foundation
import GATT
import Radio
import TestSupport
import Traces

/// A strap and a scale, and what is said with them over and over.
enum CaptureSessions {
  static let strap = DeviceAddress(rawValue: 0xA0_9E_1A_01_02_03)
  static let scale = DeviceAddress(rawValue: 0x5C_CA_D3_70_D4_A2)

  static let heartRateService = BluetoothUUID(0x180D)
  static let heartRate = BluetoothUUID(0x2A37)
  static let controlPoint = BluetoothUUID(0x2A39)
  static let name = BluetoothUUID(0x2A00)
  static let vendorService = BluetoothUUID(
    high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)

  /// The strap's services as they are emitted.
  static let services = [
    GATTService(
      uuid: BluetoothUUID(0x1800),
      characteristics: [GATTCharacteristic(uuid: name, properties: [.read])]),
    GATTService(
      uuid: heartRateService,
      characteristics: [
        GATTCharacteristic(uuid: heartRate, properties: [.notify]),
        GATTCharacteristic(uuid: controlPoint, properties: [.write]),
      ]),
    GATTService(
      uuid: vendorService,
      characteristics: [
        GATTCharacteristic(uuid: vendorService, properties: [.indicate, .writeWithoutResponse])
      ]),
  ]

  /// All events of a capture, and what ended it early.
  static func read(_ bytes: [UInt8]) -> (events: [TimedEvent], error: TraceError?) {
    var events: [TimedEvent] = []
    do throws(TraceError) {
      var reader = try BtsnoopReader(MemoryStream(name: "hci.log", bytes: bytes))
      while let event = try reader.next() { events.append(event) }
      return (events, nil)
    } catch {
      return (events, error)
    }
  }

  /// The events of a capture that is whole, and what was skipped.
  static func whole(
    _ writer: CaptureWriter
  ) throws -> (events: [RadioEvent], skipped: [CaptureSkip: Int]) {
    var reader = try BtsnoopReader(MemoryStream(name: "hci.log", bytes: writer.bytes))
    var events: [RadioEvent] = []
    while let event = try reader.next() { events.append(event.event) }
    return (events, reader.skipped)
  }

  static func value(
    _ data: String, of characteristic: BluetoothUUID = heartRate,
    in service: BluetoothUUID? = heartRateService, from address: DeviceAddress = strap
  ) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: address, service: service, characteristic: characteristic, data: bytes(data)))
  }
}

extension CaptureWriter {
  /// Appends a discovery of the strap's services: their ranges in two answers, their
  /// characteristics in three, and an error that ends each.
  mutating func discovery(_ handle: UInt16, adapter: UInt16 = 0) {
    let script: [(String, String)] = [
      ("02 0502", "03 1700"),
      ("10 0100FFFF 0028", "11 06 0100 0500 0018 1000 1500 0D18"),
      (
        "10 1600FFFF 0028",
        "11 14 2000 FFFF C8F08D2D CD8AAD1C 87F3E702 805C00FB"
      ),
      ("08 0100FFFF 0328", "09 07 0200 02 0300 002A 1100 10 1200 372A"),
      ("08 1200FFFF 0328", "09 07 1400 08 1500 392A"),
      (
        "08 1500FFFF 0328",
        "09 15 2100 24 2200 C8F08D2D CD8AAD1C 87F3E702 805C00FB"
      ),
      ("08 2200FFFF 0328", "01 08 2200 0A"),
      ("04 1300 1300", "05 01 1300 0229"),
    ]
    for (request, answer) in script {
      exchange(handle, adapter: adapter, TestSupport.bytes(request), TestSupport.bytes(answer))
    }
  }

  /// Appends a heart rate notification.
  mutating func heartRate(_ handle: UInt16, adapter: UInt16 = 0, _ value: String) {
    att(handle, sent: false, adapter: adapter, TestSupport.bytes("1B 1200" + value))
  }

  /// A whole session with the strap: found, linked, discovered, subscribed to, received, gone.
  static func session(_ format: Format) -> CaptureWriter {
    var writer = CaptureWriter(format)
    writer.advertisement(CaptureSessions.strap, TestSupport.bytes("020106 03030D18"))
    writer.connected(0x0040, CaptureSessions.strap)
    writer.discovery(0x0040)
    writer.exchange(0x0040, TestSupport.bytes("12 1300 0100"), [0x13])
    writer.heartRate(0x0040, "0048")
    writer.heartRate(0x0040, "1049E803")
    writer.exchange(0x0040, TestSupport.bytes("12 1500 01"), [0x13])
    writer.exchange(0x0040, TestSupport.bytes("0A 0300"), [0x0B] + Array("H10".utf8))
    writer.disconnected(0x0040)
    return writer
  }
}
