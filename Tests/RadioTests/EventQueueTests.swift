import Foundation
import GATT
import TestSupport
import Testing

@testable import Radio

@Suite struct EventQueueTests {
  static func device(_ number: UInt64) -> DeviceAddress { DeviceAddress(rawValue: number) }

  static func value(_ device: UInt64, _ byte: UInt8, confirmation: UInt64? = nil) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: Self.device(device), service: nil, characteristic: BluetoothUUID(0x2A37),
        data: [byte],
        confirmation: confirmation.map { Confirmation(address: Self.device(device), number: $0) }))
  }

  static func advertisement(_ device: UInt64, _ byte: UInt8) -> RadioEvent {
    .advertisement(
      Advertisement(
        address: Self.device(device), addressType: .public, rssi: nil, data: [byte]))
  }

  static func limits(values: Int = 4, advertisements: Int = 2) -> EventBuffer.Limits {
    var limits = EventBuffer.Limits()
    limits.valuesOfOneDevice = values
    limits.values = values * 2
    limits.advertisementsOfOneDevice = advertisements
    limits.advertisements = advertisements * 2
    return limits
  }

  static func drain(_ queue: inout EventQueue) -> [RadioEvent] {
    var events: [RadioEvent] = []
    while let event = queue.pop(notBefore: nil) { events.append(event.event) }
    return events
  }

  @Test func `counts the dropped newest values of a flooding device`() {
    var queue = EventQueue(limits: Self.limits())
    let areKept = (0..<10).map { byte in
      queue.push(Self.value(1, UInt8(byte)), at: Date(timeIntervalSince1970: 0))
    }
    #expect(areKept == Array(repeating: true, count: 4) + Array(repeating: false, count: 6))
    queue.push(Self.value(2, 99), at: Date(timeIntervalSince1970: 1))
    #expect(Self.drain(&queue) == (0..<4).map { Self.value(1, $0) } + [Self.value(2, 99)])
    queue.push(Self.value(1, 10), at: Date(timeIntervalSince1970: 2))
    #expect(Self.drain(&queue) == [.lost(Self.device(1), count: 6), Self.value(1, 10)])
  }

  @Test func `reports losses when the link ends`() {
    var queue = EventQueue(limits: Self.limits(values: 1))
    for byte: UInt8 in 0..<3 { queue.push(Self.value(1, byte), at: .distantPast) }
    queue.push(.disconnected(Self.device(1)), at: .distantPast)
    #expect(
      Self.drain(&queue)
        == [Self.value(1, 0), .lost(Self.device(1), count: 2), .disconnected(Self.device(1))])
  }

  @Test func `adds up what the radio has lost`() {
    var queue = EventQueue(limits: Self.limits(values: 1))
    for count in 1...100 { queue.push(.lost(Self.device(1), count: count), at: .distantPast) }
    #expect(queue.isEmpty)
    for byte: UInt8 in 0..<3 { queue.push(Self.value(1, byte), at: .distantPast) }
    queue.push(.lost(Self.device(2), count: 7), at: .distantPast)
    queue.push(.disconnected(Self.device(1)), at: .distantPast)
    #expect(
      Self.drain(&queue)
        == [
          .lost(Self.device(1), count: 5050), Self.value(1, 0), .lost(Self.device(1), count: 2),
          .disconnected(Self.device(1)),
        ])
  }

  @Test func `reports a flood once a minute`() {
    var queue = EventQueue(limits: Self.limits(values: 1))
    var reported: [Int] = []
    for second in 0..<150 {
      for byte: UInt8 in 0..<3 {
        queue.push(Self.value(1, byte), at: Date(timeIntervalSince1970: Double(second)))
      }
      for case .lost(_, let count) in Self.drain(&queue) { reported.append(count) }
    }
    #expect(reported == [2, 120, 120])
  }

  @Test func `never drops indications or link events`() {
    var queue = EventQueue(limits: Self.limits(values: 1))
    let events: [RadioEvent] =
      [Self.value(1, 0), Self.value(1, 1, confirmation: 7)]
      + (0..<50).map { _ in .connected(Self.device(3)) }
    for event in events { queue.push(event, at: .distantPast) }
    #expect(Self.drain(&queue) == events)
  }

  /// A flood preserves its own order, and delays no other device.
  @Test func `floods delay no other device`() {
    var limits = EventBuffer.Limits()
    limits.regularValuesOfOneDevice = 3
    var queue = EventQueue(limits: limits)
    for byte: UInt8 in 0..<100 { queue.push(Self.value(1, byte), at: .distantPast) }
    queue.push(.disconnected(Self.device(1)), at: .distantPast)
    for byte: UInt8 in 0..<3 { queue.push(Self.value(2, byte), at: .distantPast) }
    let events = Self.drain(&queue)
    let flood = events.filter { $0.address == Self.device(1) }
    #expect(flood == (0..<100).map { Self.value(1, $0) } + [.disconnected(Self.device(1))])
    let places = events.indices.filter { events[$0].address == Self.device(2) }
    #expect(places.count == 3)
    #expect(places.allSatisfy { $0 < 12 })
  }

  @Test func `stores the newest advertisements of each device`() {
    var queue = EventQueue(limits: Self.limits())
    for byte: UInt8 in 0..<5 { queue.push(Self.advertisement(1, byte), at: .distantPast) }
    queue.push(Self.advertisement(2, 0), at: .distantPast)
    #expect(
      Self.drain(&queue)
        == [Self.advertisement(1, 3), Self.advertisement(1, 4), Self.advertisement(2, 0)])
    for device: UInt64 in 1...9 { queue.push(Self.advertisement(device, 0), at: .distantPast) }
    #expect(Self.drain(&queue) == (6...9).map { Self.advertisement($0, 0) })
  }

  @Test func `times never decrease`() {
    var queue = EventQueue(limits: Self.limits())
    queue.push(.connected(Self.device(1)), at: Date(timeIntervalSince1970: 5))
    let event = queue.pop(notBefore: Date(timeIntervalSince1970: 9))
    #expect(event?.time == Date(timeIntervalSince1970: 9))
  }

  /// A consumer that is stuck in one value while every device advertises.
  @Test func `is bounded while the consumer is stuck`() {
    var queue = EventQueue(limits: Self.limits())
    queue.push(Self.value(1, 0), at: .distantPast)
    for step: UInt64 in 0..<10_000 {
      queue.push(Self.advertisement(step % 100, UInt8(step & 255)), at: .distantPast)
    }
    #expect(queue.places <= 600)
    #expect(Self.drain(&queue).count == 5)
  }

  /// For any events, the queue stays within its limits and in order.
  @Test(arguments: UInt64(1)...20) func `stays within its limits`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = EventQueue(limits: Self.limits())
    var popped: [Date] = []
    for step in 0..<2000 {
      let time = Date(timeIntervalSince1970: Double(step))
      let device = UInt64.random(in: 1...6, using: &generator)
      switch Int.random(in: 0...3, using: &generator) {
      case 0: queue.push(Self.advertisement(device, UInt8(step & 255)), at: time)
      case 1, 2: queue.push(Self.value(device, UInt8(step & 255)), at: time)
      default: if let event = queue.pop(notBefore: nil) { popped.append(event.time) }
      }
    }
    let rest = Self.drain(&queue)
    #expect(rest.count <= 8 + 8 + 4)
    #expect(queue.places <= 600)
    #expect(popped == popped.sorted())
    #expect(queue.isEmpty)
  }
}
