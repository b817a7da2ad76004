import Care
import DeviceCatalog
import Foundation
import GATT
import Radio

/// Prints nanoseconds a frame of the catalogue's decoding, beside a decoder of the same frames that is
/// written by hand and gives nothing but numbers.
///
/// A frame goes the whole way through a session: its record is found, checked and read, and its readings
/// are made. Kinds of devices that the catalogue in `folder` does not have are left out, so that an
/// older one can be measured with the same source.
func printDecodeSpeeds(_ folder: String = "../Devices") throws {
  let files = try DefinitionFile.files(in: URL(filePath: folder))
  let catalog = try DeviceCatalog.load([files])
  print("\ndecoding, ns a frame")
  print(
    column("", width: 24), column("catalogue"), column("by hand"), "  readings a frame",
    separator: "")
  for kind in DecodedKind.all {
    guard let definition = catalog.definition(kind.definition) else { continue }
    let frames = kind.frames
    let (whole, readings) = best(frames.count) {
      var session = DeviceSession(
        definition: definition, address: DecodedKind.address, timeZone: .gmt)
      var readings = 0
      for (index, event) in kind.events.enumerated() {
        let time = EventTime(Date(timeIntervalSince1970: 1_800_000_000 + Double(index)))
        for output in session.handle(event, at: time) {
          switch output {
          case .reading: readings += 1
          case .motion(let batch): readings += batch.samples.count
          default: break
          }
        }
      }
      return Double(readings)
    }
    let (hand, _) = best(frames.count) { frames.reduce(0) { $0 + kind.byHand($1) } }
    print(
      column(kind.definition, width: 24), column(whole, digits: 0, width: 12),
      column(hand, digits: 1, width: 12), column(readings / Double(frames.count), digits: 1),
      separator: "")
  }
}

/// The least time of five runs in ns a frame, and what the work gives.
private func best(_ frames: Int, _ work: () -> Double) -> (nanoseconds: Double, result: Double) {
  let clock = ContinuousClock()
  var best = Duration.seconds(1_000)
  var result = 0.0
  for _ in 0..<5 { best = min(best, clock.measure { result = work() }) }
  let nanoseconds =
    Double(best.components.attoseconds) / 1e9 + Double(best.components.seconds) * 1e9
  return (nanoseconds / Double(frames), result)
}

/// A kind of device with many different frames.
private struct DecodedKind: Sendable {
  static let address = DeviceAddress(rawValue: 0x5C_CA_D3_70_D4_A2)
  static let count = 20_000

  var definition: String
  /// Where the frames come from.
  var source: Source
  /// The frame of a number.
  var frame: @Sendable (Int) -> [UInt8]
  var byHand: @Sendable ([UInt8]) -> Double

  enum Source: Sendable {
    case characteristic(BluetoothUUID)
    case serviceData(UInt16)
    case manufacturerData(UInt16)
  }

  var frames: [[UInt8]] { (0..<Self.count).map(frame) }

  var events: [RadioEvent] {
    frames.map { frame in
      switch source {
      case .characteristic(let uuid):
        return .value(
          CharacteristicValue(
            address: Self.address, service: nil, characteristic: uuid, data: frame))
      case .serviceData(let service):
        return Self.advertisement(
          [UInt8(frame.count + 3), 0x16, UInt8(service & 0xFF), UInt8(service >> 8)] + frame)
      case .manufacturerData(let company):
        return Self.advertisement(
          [UInt8(frame.count + 3), 0xFF, UInt8(company & 0xFF), UInt8(company >> 8)] + frame)
      }
    }
  }

  private static func advertisement(_ data: [UInt8]) -> RadioEvent {
    .advertisement(
      Advertisement(address: address, addressType: .public, rssi: -60, data: data))
  }

  static let all = [
    DecodedKind(
      definition: "sig-heart-rate", source: .characteristic(BluetoothUUID(0x2A37)),
      frame: { [0x16, 60 + UInt8($0 % 40), UInt8($0 % 251), 3] },
      byHand: { Double($0[1]) + Double(little($0, 2)) / 1024 }),
    DecodedKind(
      definition: "sig-blood-pressure", source: .characteristic(BluetoothUUID(0x2A35)),
      frame: { number in
        [0x16, 110 + UInt8(number % 40), 0, 80, 0, 93, 0, 0xEA, 0x07, 6, 12, 20]
          + [UInt8(number / 60 % 60), UInt8(number % 60), 72, 0, 0, 0]
      },
      byHand: { Double(little($0, 1)) + Double(little($0, 3)) + Double(little($0, 14)) }),
    DecodedKind(
      definition: "sig-weight-scale", source: .characteristic(BluetoothUUID(0x2A9D)),
      frame: { number in
        [0x06, UInt8(number % 251), 0x3E, 0xEA, 0x07, 6, 12, 20, UInt8(number / 60 % 60)]
          + [UInt8(number % 60), 1]
      },
      byHand: { Double(little($0, 1)) / 200 }),
    DecodedKind(
      definition: "xiaomi-mi-scale-2", source: .serviceData(0x181B),
      frame: { number in
        [
          0x02, 0x26, 0xE6, 0x07, 2, 14, 16, UInt8(number / 60 % 60), UInt8(number % 60), 0xF7,
          0x01,
        ]
          + [UInt8(number % 251), 0x38]
      },
      byHand: { Double(little($0, 11)) / 200 + Double(little($0, 9)) }),
    DecodedKind(
      definition: "ruuvitag", source: .manufacturerData(0x0499),
      frame: { number in
        [
          0x05, 0x12, UInt8(number % 251), 0x53, 0x94, 0xC3, 0x7C, 0x00, 0x04, 0xFF, 0xFC, 0x04,
          0x0C,
        ]
          + [0xAC, 0x36, 0x42, UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
          + [0xCB, 0xB8, 0x33, 0x4C, 0x88, 0x4F]
      },
      byHand: { frame in
        let places = [1, 3, 5, 7, 9, 11, 13]
        return places.reduce(0) { $0 + Double(Int16(truncatingIfNeeded: big(frame, $1))) / 200 }
          + Double(frame[15])
      }),
    DecodedKind(
      definition: "microbit-accelerometer",
      source: .characteristic(
        BluetoothUUID("E95DCA4B-251D-470A-A062-FA1922DFA9A8") ?? BluetoothUUID(0)),
      frame: { [UInt8($0 % 251), 0, 0, 0, 0xE8, 3] },
      byHand: { Double(little($0, 0)) + Double(little($0, 2)) + Double(little($0, 4)) }),
    DecodedKind(
      definition: "qn-scale", source: .characteristic(BluetoothUUID(0xFFF1)),
      frame: { number in
        let frame: [UInt8] = [
          0x10, 0x0E, 0xFF, UInt8(number >> 8 & 0xFF), 2, 0x1D, UInt8(number % 251), 1, 0xF9, 1,
          0xF7, 0, 0xD2,
        ]
        return frame + [frame.reduce(0, &+)]
      },
      byHand: { frame in
        guard frame.dropLast().reduce(0, &+) == frame[13], frame[4] == 2 else { return 0 }
        return Double(big(frame, 5)) / 100 + Double(big(frame, 7))
      }),
    DecodedKind(
      definition: "yunmai-scale", source: .characteristic(BluetoothUUID(0xFFE4)),
      frame: { number in
        let frame: [UInt8] = [
          0x0D, 0x1E, 0x14, 0x02, 0, 0x65, 0xF6, UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF), 0,
          0, 0, 1, 0x1E, 0x9B, 0x02, 0, 0x08, 0x60,
        ]
        return frame + [frame.dropFirst().reduce(0, ^)]
      },
      byHand: { frame in
        guard frame.dropFirst().reduce(0, ^) == 0 else { return 0 }
        return Double(big(frame, 13)) / 100 + Double(big(frame, 15))
      }),
    DecodedKind(
      definition: "viatom-pc-60fw",
      source: .characteristic(
        BluetoothUUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E") ?? BluetoothUUID(0)),
      frame: { number in
        let frame: [UInt8] = [
          0xAA, 0x55, 0x0F, 0x08, 0x01, 90 + UInt8(number % 9), 60 + UInt8(number % 40), 0, 0x57, 0,
          0xC0,
        ]
        return frame + [crc8Maxim(frame)]
      },
      byHand: { frame in
        guard crc8Maxim(frame.dropLast()) == frame[11] else { return 0 }
        return Double(frame[5]) + Double(frame[6]) + Double(frame[8]) / 10
      }),
    DecodedKind(
      definition: "omron-hem-7361t",
      source: .characteristic(
        BluetoothUUID("49123040-AEE8-11E1-A74D-0002A5D5C51B") ?? BluetoothUUID(0)),
      frame: { number in
        // Short enough for one piece: an eight-byte part of the memory, which is no record.
        let frame: [UInt8] = [
          0x10, 0x81, 0, 0, 0x10, 8, UInt8(number & 0xFF), 0, 1, 0, 1, 0, 1, 0, 0,
        ]
        return frame + [frame.reduce(0, ^)]
      },
      byHand: { $0.reduce(0, ^) == 0 ? Double($0[6]) : 0 }),
  ]
}

private func little(_ bytes: [UInt8], _ place: Int) -> Int {
  Int(bytes[place]) | Int(bytes[place + 1]) << 8
}

private func big(_ bytes: [UInt8], _ place: Int) -> Int {
  Int(bytes[place]) << 8 | Int(bytes[place + 1])
}

private func crc8Maxim(_ bytes: some Sequence<UInt8>) -> UInt8 {
  bytes.reduce(0) { crc, byte in
    (0..<8).reduce(crc ^ byte) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x8C }
  }
}
