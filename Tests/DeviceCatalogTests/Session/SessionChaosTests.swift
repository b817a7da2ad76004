import Care
import Foundation
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// The invariants of every session, for random events.
struct SessionChaosTests {
  private let address = SessionBench.address
  private let credentials = DeviceCredentials(
    key: Secret(bytes("0728974d657a4b60964c1b1677f35f7c")),
    users: [
      .init(index: 1, consentCode: Secret(2520)), .init(index: 2, consentCode: Secret(7)),
    ])

  /// A random event for a session of `definition`.
  private func event(
    of definition: DeviceDefinition, using generator: inout SeededGenerator
  ) -> RadioEvent {
    let known = definition.session.start.flatMap(\.characteristics)
    let characteristic = known.randomElement(using: &generator) ?? BluetoothUUID(0x2A9D)
    switch generator.next() % 12 {
    case 0: return .connected(address)
    case 1:
      let found = known.filter { _ in Bool.random(using: &generator) }
      return .services(
        address,
        [
          GATTService(
            uuid: BluetoothUUID(0x181D),
            characteristics: found.map { GATTCharacteristic(uuid: $0, properties: [.notify]) })
        ])
    case 2: return .disconnected(address)
    case 3: return .written(address, characteristic: characteristic)
    case 4:
      let kind = LinkFailure.allCases.randomElement(using: &generator) ?? .other
      return .failed(address, LinkError(kind, reason: "chaos"))
    case 5, 6:
      let frames = definition.vectors.flatMap(\.frames)
      if let event = frames.randomElement(using: &generator)?.event(of: address) { return event }
      return .lost(address, count: 1)
    case 7: return advertisement(generator.bytes(Int.random(in: 0...31, using: &generator)))
    default:
      let answers = ["20 02 01", "20 02 05", "01", "03", "06 00 01 01", "06 00 01 06", "00"]
      let value = bytes(answers.randomElement(using: &generator) ?? "")
      return .value(
        CharacteristicValue(
          address: address, service: nil, characteristic: characteristic, data: value,
          confirmation: Confirmation(address: address, number: generator.next() % 100)))
    }
  }

  private func advertisement(_ data: [UInt8]) -> RadioEvent {
    .advertisement(Advertisement(address: address, addressType: .random, rssi: nil, data: data))
  }

  @Test func `keeps its invariants`() throws {
    for (number, definition) in try Repository.catalog().definitions.enumerated() {
      var generator = SeededGenerator(seed: 4000 + UInt64(number))
      var session = DeviceSession(
        definition: definition, address: address, timeZone: .gmt, credentials: credentials)
      var time = SessionBench.time(0)
      for _ in 0..<Rounds.count(1000) {
        time = time.at(time.steady + Double.random(in: 0...8, using: &generator))
        if generator.next() % 16 == 0 {
          // The machine's clock is set.
          let jump = Double.random(in: -1e6...1e6, using: &generator)
          time = EventTime(time.date + jump, setting: time.setting + jump)
        }
        let wasLinked = session.isLinked
        let event = event(of: definition, using: &generator)
        var outputs = session.handle(event, at: time)
        check(outputs, wasLinked: wasLinked)
        if let due = session.wakeAt, due <= time.steady || generator.next() % 2 == 0 {
          time = time.at(max(time.steady, due))
          let wasLinked = session.isLinked
          outputs = session.wake(at: time)
          check(outputs, wasLinked: wasLinked)
          // A timer that has fired is over.
          #expect(session.wakeAt.map { $0 > time.steady } ?? true)
        }
      }
    }
  }

  private func check(_ outputs: [SessionOutput], wasLinked: Bool) {
    #expect(outputs.count < 600)
    // Acknowledgements follow the readings.
    let firstCommand = outputs.firstIndex { if case .command = $0 { true } else { false } }
    let lastReading = outputs.lastIndex { if case .reading = $0 { true } else { false } }
    #expect((lastReading ?? -1) < (firstCommand ?? .max))
    for case .connect in outputs.commands where wasLinked {
      Issue.record("a link was requested while one was up")
    }
    for note in outputs.notes {
      let text = "\(note)"
      #expect(!text.contains("2520") && !text.contains("0728974d"))
    }
  }
}
