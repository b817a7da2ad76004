import Care
import DeviceCatalog
import Foundation
import Radio
import Testing

@testable import Hub
@testable import TestSupport

/// Most of what is received is what a stranger has said before.
@Suite struct StrangersTests {
  private static let start = time("2026-11-20T07:10:00-08:00")

  private static func advertisement(_ payload: [UInt8]) -> RadioEvent {
    TimedEvent.serviceData(0xFFF0, payload, at: start).event
  }

  /// How often definitions are asked while a stranger sends payloads.
  private func questions(_ payloads: [[UInt8]]) -> Int {
    var device = ReceivedDevice(address: .scale)
    var count = 0
    for payload in payloads {
      guard case .advertisement(let advertisement) = Self.advertisement(payload) else { continue }
      guard !device.isRepeated(advertisement) else { continue }
      _ = device.handle(
        .advertisement(advertisement), at: EventTime(Self.start),
        definition: { _ in
          count += 1
          return nil
        }, session: { DeviceSession(definition: $0, address: .scale, timeZone: .gmt) })
    }
    return count
  }

  @Test(arguments: [
    ([[1], [1], [1]], 1), ([[1], [2], [2]], 2), ([[1], [2], [1]], 3), ([[], []], 1),
  ])
  func `asks the definitions once`(payloads: [[UInt8]], asked: Int) {
    #expect(questions(payloads) == asked)
  }

  @Test func `recognises a stranger that the plan names`() throws {
    let catalog = try Catalog.shipped()
    var table = SessionTable(catalog: catalog)
    for _ in 0..<3 { _ = table.handle(Self.advertisement([1]), at: EventTime(Self.start)) }
    #expect(table.sessionCount == 0)
    #expect(table.strangerCount == 1)
    let definition = try #require(catalog.definitions.first)
    table.bind(
      [
        DeviceBinding(
          address: DeviceID(DeviceAddress.scale.description), definition: definition.id)
      ], timeZone: .gmt)
    _ = table.handle(Self.advertisement([1]), at: EventTime(Self.start))
    #expect(table.sessionCount == 1)
    #expect(table.strangerCount == 0)
  }
}
