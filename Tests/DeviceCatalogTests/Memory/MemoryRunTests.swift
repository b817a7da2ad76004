import Care
import Foundation
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// Monitors and scales whose memory is read.
struct MemoryRunTests {
  /// A session with a monitor, whose answers come a tenth of a second after what they answer.
  private struct Household {
    var bench: SessionBench
    var monitor = OmronMonitor()
    var seconds = 0.0

    init(
      _ id: String, key: Secret<[UInt8]>? = nil, isPlanned: Bool = true, monitorKey: [UInt8]? = nil
    ) throws {
      bench = try SessionBench(id)
      bench.session.trust(DeviceCredentials(key: key, isPlanned: isPlanned))
      monitor.key = monitorKey
    }

    /// One link, from its beginning until nothing more happens.
    mutating func link(
      _ characteristics: [String] = OmronMonitor.characteristics
    ) throws -> [SessionOutput] {
      var all = try bench.connect(characteristics, at: seconds)
      var queue = all.commands[...]
      while true {
        if let command = queue.popFirst() {
          seconds += 0.1
          guard case .write(_, let uuid, let data, _) = command else {
            if case .disconnect = command { break }
            continue
          }
          for (characteristic, value) in monitor.answers(to: data, on: uuid) {
            let outputs = bench.handle(
              .value(
                CharacteristicValue(
                  address: SessionBench.address, service: nil, characteristic: characteristic,
                  data: value)), at: seconds)
            all += outputs
            queue += outputs.commands
          }
        } else if let due = bench.session.wakeAt {
          seconds = max(seconds, due - SessionBench.time(0).steady)
          let outputs = bench.session.wake(at: SessionBench.time(seconds))
          all += outputs
          queue += outputs.commands
        } else {
          break
        }
      }
      seconds += 1
      all += bench.handle(.disconnected(SessionBench.address), at: seconds)
      monitor.linkEnded()
      seconds += 30
      return all
    }
  }

  private static let ownKey = LinkEnd(
    address: SessionBench.address, available: [], acknowledging: [],
    credentials: DeviceCredentials()
  ).ownKey

  /// A record of a HEM-7361T: 126/88 and so on, told apart by the minute.
  private func record(_ minute: Int, systolic: UInt8 = 101) -> String {
    let flags = UInt16(1) << 12 | UInt16(minute) << 6 | 30
    let content: [UInt8] = [
      systolic, 0x58, 0x54, 0x1A, 0x33, 0x1A, UInt8(flags & 0xFF), UInt8(flags >> 8), 0, 0, 0x4C, 0,
      0xBA, 0, 0, 0,
    ]
    return content.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private func minutes(_ outputs: [SessionOutput]) -> [Int] {
    outputs.readings.filter { $0.quantity == .bloodPressureSystolic }.compactMap {
      $0.deviceTime?.minute
    }
  }

  /// A monitor with three records of its first user, of which two are new, and none of its second.
  private func household() throws -> Household {
    var household = try Household("omron-hem-7361t", monitorKey: Self.ownKey)
    household.monitor.put("0300 0080 0200 0080", at: 0x10)
    for slot in 0..<3 { household.monitor.put(record(slot), at: 0x98 + 16 * slot) }
    return household
  }

  @Test func `gives what is new from the newest back`() throws {
    var household = try household()
    let outputs = try household.link()
    #expect(minutes(outputs) == [2, 1])
    #expect(outputs.readings.allSatisfy { $0.userIndex == 1 })
    #expect(
      outputs.readings.prefix(3).map(\.quantity) == [
        .bloodPressureSystolic, .bloodPressureDiastolic, .pulseRate,
      ])
    #expect(household.monitor.errors == 0 && household.monitor.strange == [])
    #expect(outputs.notes == [] && outputs.rejections == [])
  }

  /// The device's own count is never cleared, so it says how many are new on the first link only.
  @Test func `reads on the next link only what came since`() throws {
    var household = try household()
    _ = try household.link()
    #expect(minutes(try household.link()) == [2])
    household.monitor.put(record(3), at: 0x98 + 16 * 3)
    household.monitor.put(record(4), at: 0x98 + 16 * 4)
    household.monitor.put("0500 0080 0080 0080", at: 0x10)
    #expect(minutes(try household.link()) == [4, 3, 2])
  }

  @Test func `goes round the end`() throws {
    var household = try household()
    household.monitor.put("0100 0080 0300 0080", at: 0x10)
    household.monitor.put(record(40), at: 0x98 + 16 * 99)
    household.monitor.put(record(39), at: 0x98 + 16 * 98)
    #expect(minutes(try household.link()) == [0, 40, 39])
  }

  @Test func `reads both users`() throws {
    var household = try household()
    household.monitor.put("0300 0100 0100 0100", at: 0x10)
    household.monitor.put(record(50), at: 0x6D8)
    let outputs = try household.link()
    #expect(minutes(outputs) == [2, 50])
    #expect(Set(outputs.readings.map(\.userIndex)) == [1, 2])
  }

  /// The index of a device of another model names a place that this one does not have.
  @Test func `reads nothing of another memory`() throws {
    var household = try household()
    household.monitor.put("f000 0080 0200 0080", at: 0x10)
    let outputs = try household.link()
    #expect(outputs.readings == [] && outputs.notes.map(\.kind) == [.otherMemory])
    #expect(household.monitor.errors == 0)
    // Newer monitors have one channel only.
    let few = [OmronFrame.lock, OmronFrame.commands[0], OmronFrame.replies[0]].map(\.description)
    let second = try household.link(few)
    #expect(second.notes.map(\.kind) == [.otherMemory] && household.monitor.strange == [])
  }

  @Test func `goes on after a refused user`() throws {
    var household = try household()
    household.monitor.put("0300 0100 0100 0100", at: 0x10)
    household.monitor.refused = [0x98 + 16 * 2]
    household.monitor.put(record(50), at: 0x6D8)
    #expect(minutes(try household.link()) == [50])
  }

  /// Every place at which the device falls silent: what was read stays, and the rest comes later.
  @Test func `loses nothing when the device falls silent`() throws {
    for patience in 0...6 {
      var household = try household()
      household.monitor.patience = patience
      let first = try household.link()
      #expect(patience >= 6 || first.notes.map(\.kind) == [.memorySilent], "\(patience)")
      household.monitor.patience = .max
      let found = Set(minutes(first)).union(minutes(try household.link()))
      #expect(found == [1, 2], "\(patience)")
    }
  }

  @Test func `is paired in its pairing mode only`() throws {
    var household = try household()
    household.monitor.key = bytes("deadbeaf12341234deadbeaf12341234")
    let refused = try household.link()
    #expect(refused.notes.map(\.kind) == [.keyRefused] && refused.readings == [])
    #expect(household.monitor.programmedKeys == [])
    household.monitor.isPairing = true
    #expect(minutes(try household.link()) == [2, 1])
    #expect(household.monitor.programmedKeys == [Self.ownKey])
    household.monitor.isPairing = false
    #expect(minutes(try household.link()) == [2])
  }

  /// A neighbour's monitor, whose button was held by its owner.
  @Test func `is not paired without the plan`() throws {
    var household = try Household("omron-hem-7361t", isPlanned: false)
    household.monitor.isPairing = true
    #expect(try household.link().notes.map(\.kind) == [.notPaired])
    #expect(household.monitor.programmedKeys == [])
  }

  @Test func `is opened with the key in the plan`() throws {
    let key = bytes("deadbeaf12341234deadbeaf12341234")
    var household = try Household("omron-hem-7361t", key: Secret(key), monitorKey: key)
    household.monitor.put("0100 0080 0100 0080", at: 0x10)
    household.monitor.put(record(7), at: 0x98)
    let outputs = try household.link()
    #expect(minutes(outputs) == [7])
    #expect(!"\(outputs.notes)".contains("deadbeaf"))
  }

  /// Without a count of the new ones, all are read, back to the first empty place.
  @Test func `reads all without a count`() throws {
    var household = try Household("omron-hem-7530t", monitorKey: Self.ownKey)
    household.monitor.put("0002 0000 0000 0000", at: 0x260)
    household.monitor.put("5b781a4819d71b42000014006996", at: 0x2E8)
    household.monitor.put("5b781a4819d71b82000014006996", at: 0x2E8 + 14)
    #expect(minutes(try household.link()) == [46, 45])
  }

  @Test func `reads a scale of four users`() throws {
    var household = try Household("omron-hbf-702t", monitorKey: Self.ownKey)
    household.monitor.put("80 80 c1 80 80 80 81 80", at: 0x1A0)
    household.monitor.put(
      "00003ad05f024e183b6d223389cc0000" + String(repeating: "00", count: 10) + "5a80"
        + String(repeating: "00", count: 20), at: 0xE60)
    let outputs = try household.link()
    #expect(outputs.readings.first?.value == 72.4)
    #expect(Set(outputs.readings.map(\.userIndex)) == [3])
  }

  /// Newer monitors have one channel, and no key of their own.
  @Test(arguments: [("omron-hem-7142t2", true), ("omron-hem-7146t2", false)])
  func `reads over a pairing`(id: String, needsToken: Bool) throws {
    var household = try Household(id)
    household.monitor.isWhole = true
    household.monitor.isBonded = !needsToken
    household.monitor.put("0200 0080 0200 0080", at: 0x260)
    household.monitor.put("5f5a621a72198c1180000e00eb14", at: 0x2E8)
    household.monitor.put("6558541a331ade1800004c00ba00", at: 0x2E8 + 14)
    let characteristics =
      [OmronFrame.replies[0], OmronFrame.commands[0]] + (needsToken ? [OmronFrame.lock] : [])
    let outputs = try household.link(characteristics.map(\.description))
    #expect(minutes(outputs) == [35, 6])
    #expect(outputs.notes == [] && household.monitor.errors == 0)
    #expect(household.monitor.strange == [] && household.monitor.programmedKeys == [])
    // Without the token it is silent.
    guard needsToken else { return }
    let few = try household.link(characteristics.dropLast().map(\.description))
    #expect(few.notes.map(\.kind) == [.otherMemory])
  }

  /// No damaged bit of a reply gives a reading.
  @Test func `refuses what is damaged`() throws {
    let pieces = OmronMonitor.pieces(of: [0x81, 0, 0, 0x98, 16], bytes(record(1)))
    let whole = pieces.flatMap(\.value)
    for place in whole.indices {
      for bit in 0..<8 {
        var bench = try SessionBench("omron-hem-7361t")
        var damaged = whole
        damaged[place] ^= 1 << UInt8(bit)
        var outputs: [SessionOutput] = []
        for (number, start) in stride(from: 0, to: damaged.count, by: 16).enumerated() {
          outputs += bench.handle(
            .value(
              CharacteristicValue(
                address: SessionBench.address, service: nil,
                characteristic: OmronFrame.replies[number],
                data: Array(damaged[start..<min(start + 16, damaged.count)]))))
        }
        #expect(outputs.readings == [], "bit \(bit) of byte \(place)")
      }
    }
  }

  /// Random pieces end in no reading without a whole frame, and never in a crash.
  @Test func `survives random pieces`() throws {
    var generator = SeededGenerator(seed: 812)
    var bench = try SessionBench("omron-hbf-702t")
    _ = try bench.connect(OmronMonitor.characteristics)
    for round in 0..<20_000 {
      var piece = generator.bytes(Int.random(in: 0...20, using: &generator))
      if round % 3 == 0, !piece.isEmpty { piece[0] = UInt8.random(in: 0...70, using: &generator) }
      let uuid = (OmronFrame.replies + [OmronFrame.lock]).randomElement(using: &generator)
      let outputs = bench.handle(
        .value(
          CharacteristicValue(
            address: SessionBench.address, service: nil, characteristic: uuid ?? OmronFrame.lock,
            data: piece)), at: Double(round) / 100)
      #expect(outputs.count < 50)
    }
  }

  @Test func `closes the memory before a link is ended`() throws {
    var bench = try SessionBench("omron-hem-7361t")
    _ = try bench.connect(OmronMonitor.characteristics)
    _ = try bench.value(OmronFrame.lock.description, "8100")
    let last = bench.session.end(at: SessionBench.time(1)).commands
    #expect(last.count == 2)
    guard case .write(_, OmronFrame.commands[0], let data, _) = last.first else {
      Issue.record("nothing is written")
      return
    }
    #expect(data == bytes("080f000000000007"))
  }
}

struct OmronFrameTests {
  /// The frames that userx14/omblepy and oliexdev/openScale describe.
  @Test func `are those of the protocol`() {
    #expect(OmronFrame.open == bytes("0800000000100018"))
    #expect(OmronFrame.close == bytes("080f000000000007"))
    #expect(OmronFrame.read(at: 0x2C0, size: 0x20) == bytes("08010002c02000eb"))
  }

  @Test func `are read`() throws {
    let closed = try #require(try OmronFrame(bytes("088f000000000087")))
    #expect(closed.kind == .closed && closed.result == 0 && closed.data == [])
    // A size without its data: nothing was written there.
    var short: [UInt8] = [0x10, 0x81, 0, 2, 0xC0, 0x20] + [UInt8](repeating: 0, count: 9)
    short.append(short.reduce(0, ^))
    #expect(try OmronFrame(short)?.data == [UInt8](repeating: 0xFF, count: 0x20))
    #expect(throws: FrameDefect.self) { try OmronFrame(bytes("088f000000000086")) }
    #expect(throws: FrameDefect.self) { try OmronFrame([]) }
    #expect(try OmronFrame(bytes("0881c0000000 0049")) == nil)
  }
}
