import Care
import Foundation
import Synchronization
import TestSupport

@testable import CareStore

/// Random ids that a seed determines.
final class SeededUUIDs: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func next() -> UUID {
    var bytes = generator.withLock { $0.bytes(16) }
    // A random UUID: version 4 of RFC 9562.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = bytes.hexString.map(String.init)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hex[$0].joined() }
    return UUID(uuidString: groups.joined(separator: "-")) ?? UUID()
  }
}

extension SQLStore {
  /// An empty store in memory with ids of its own.
  static func peer(_ seed: UInt64) throws -> SQLStore {
    try TestEngine.makeStore(makeUUID: SeededUUIDs(seed: seed).next)
  }

  /// The lines of the export.
  func exported() async throws -> [String] {
    let lines = Lines()
    try await export { lines.append($0) }
    return lines.all
  }

  /// Another store with the same rows.
  func copied(_ seed: UInt64) async throws -> SQLStore {
    let copy = try SQLStore.peer(seed)
    _ = try await copy.merge(lines: try await exported())
    return copy
  }
}

extension [String] {
  /// The lines with the end that they need as an export.
  var sealed: [String] {
    var seal = ExportSeal()
    let lines = filter { !$0.hasPrefix(#"{"kind":"end""#) }
    for line in lines { seal.add(line) }
    return lines + [seal.end().line]
  }
}

/// Collected lines.
final class Lines: Sendable {
  private let lines = Mutex<[String]>([])

  func append(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

extension Sample {
  /// A weight that a scale broadcast.
  static func broadcast(
    _ kilograms: Double = 72.4, at arrival: Date, patient: String? = "john",
    raw: [UInt8] = [0x1B, 0x18, 0x40]
  ) -> Sample {
    let reading = Reading(
      quantity: .bodyMass, value: kilograms, arrival: arrival,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2", definition: "mi-scale"),
      isBroadcast: true, raw: raw)
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: patient,
      unassignedReason: patient == nil ? "two people weigh about this much" : nil, start: arrival,
      end: arrival)
  }

  /// The steps of a minute.
  static func steps(
    _ count: Double, at start: Date, arrival: Date? = nil, patient: String? = "john"
  ) -> Sample {
    streamed(
      .stepCount, count, at: start, length: 60, arrival: arrival ?? start + 60, patient: patient)
  }

  /// A streamed sample.
  static func streamed(
    _ quantity: Quantity, _ value: Double, at start: Date, length: TimeInterval = 0,
    arrival: Date? = nil, device: DeviceID = "C0:FF:EE:00:00:01", patient: String? = "john"
  ) -> Sample {
    let reading = Reading(
      quantity: quantity, value: value, arrival: arrival ?? start,
      interval: length > 0 ? DateInterval(start: start, duration: length) : nil,
      device: DeviceIdentity(address: device, definition: "strap"), isStreamed: true,
      raw: [0x16, UInt8(Int(saturating: value) & 0xFF)])
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: patient,
      unassignedReason: patient == nil ? "worn by nobody" : nil, start: start,
      end: start + length)
  }

  /// A single reading over a link.
  static func linked(
    _ kilograms: Double, at arrival: Date, patient: String? = "john"
  ) -> Sample {
    let reading = Reading(
      quantity: .bodyMass, value: kilograms, arrival: arrival,
      device: DeviceIdentity(address: "AA:BB:CC:DD:EE:01", definition: "scale"),
      raw: [0xDE, 0xAD, 0xBE, 0xEF, 0x42, UInt8(Int(saturating: kilograms) & 0xFF)])
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: patient,
      unassignedReason: patient == nil ? "nobody weighs this" : nil, start: arrival, end: arrival)
  }
}
