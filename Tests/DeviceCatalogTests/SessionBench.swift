import Care
import DeviceCatalog
import Foundation
import GATT
import Radio
import TestSupport

/// A session of a shipped or given definition, with a clock that the test sets.
struct SessionBench {
  static let address = DeviceAddress(rawValue: 0x5C_CA_D3_70_D4_A2)
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  var session: DeviceSession

  init(_ id: String, timeZone: TimeZone = .gmt) throws {
    self.init(try Repository.definition(id), timeZone: timeZone)
  }

  init(_ definition: DeviceDefinition, timeZone: TimeZone = .gmt) {
    session = DeviceSession(
      definition: definition, address: Self.address, timeZone: timeZone)
  }

  static func time(_ seconds: Double) -> EventTime { EventTime(start + seconds) }

  /// Passes the session an event at a time in seconds from the start.
  mutating func handle(_ event: RadioEvent, at seconds: Double = 0) -> [SessionOutput] {
    session.handle(event, at: Self.time(seconds))
  }

  /// An advertisement with service data.
  mutating func advertise(
    _ service: UInt16, _ hex: String, at seconds: Double = 0
  ) throws -> [SessionOutput] {
    let structure = try AdvertisingStructure.serviceData(BluetoothUUID(service), bytes(hex))
    let data = try AdvertisingData(structures: [structure]).encoded
    return handle(
      .advertisement(
        Advertisement(address: Self.address, addressType: .public, rssi: -60, data: data)),
      at: seconds)
  }

  /// A value of a characteristic.
  mutating func value(
    _ characteristic: String, _ hex: String, at seconds: Double = 0,
    confirmation: UInt64? = nil
  ) throws -> [SessionOutput] {
    let uuid = try uuid(characteristic)
    return handle(
      .value(
        CharacteristicValue(
          address: Self.address, service: nil, characteristic: uuid, data: bytes(hex),
          confirmation: confirmation.map { Confirmation(address: Self.address, number: $0) })),
      at: seconds)
  }

  /// A link with these characteristics, all under one service.
  mutating func connect(
    _ characteristics: [String], at seconds: Double = 0
  ) throws -> [SessionOutput] {
    let found = try characteristics.map {
      GATTCharacteristic(uuid: try uuid($0), properties: [.notify, .write])
    }
    let service = GATTService(uuid: BluetoothUUID(0x180D), characteristics: found)
    return handle(.connected(Self.address), at: seconds)
      + handle(.services(Self.address, [service]), at: seconds)
  }
}

extension DeviceSession {
  /// Performs the actions that are due at a time of a clock that is not set.
  mutating func wake(at due: SteadyTime) -> [SessionOutput] {
    wake(at: SessionBench.time(0).at(due))
  }
}

/// The UUID of a text.
func uuid(_ text: String) throws -> BluetoothUUID {
  guard let uuid = BluetoothUUID(text) else {
    throw GATTError.invalid(field: "UUID", reason: text)
  }
  return uuid
}

extension [SessionOutput] {
  var readings: [Reading] {
    compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
  }

  var batches: [MotionBatch] {
    compactMap { if case .motion(let batch) = $0 { batch } else { nil } }
  }

  var commands: [RadioCommand] {
    compactMap { if case .command(let command) = $0 { command } else { nil } }
  }

  var rejections: [RejectedFrame] {
    compactMap { if case .rejected(let frame) = $0 { frame } else { nil } }
  }

  var failures: [LinkReport] {
    compactMap { if case .linkFailed(let report) = $0 { report } else { nil } }
  }

  var notes: [SessionNote] {
    compactMap { if case .note(let note) = $0 { note } else { nil } }
  }
}
