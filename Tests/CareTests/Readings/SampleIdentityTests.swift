import Care
import Foundation
import TestSupport
import Testing

@Suite struct SampleIdentityTests {
  private static let clock = LocalDateTime(
    year: 2026, month: 11, day: 21, hour: 7, minute: 10, second: 2)
  private static let arrival = Date(timeIntervalSince1970: 1_795_000_000)

  private static func reading(
    clock: LocalDateTime? = nil, isStreamed: Bool = false, isBroadcast: Bool = false
  ) -> Reading {
    Reading(
      quantity: .bodyMass, value: 64, deviceTime: clock, arrival: arrival,
      device: DeviceIdentity(address: "00:00:5E:00:53:07"), userIndex: 2, ordinal: 3,
      isStreamed: isStreamed, isBroadcast: isBroadcast, raw: [0x0A, 0xFF])
  }

  @Test(
    arguments: [
      (reading(clock: clock), true, "2026-11-21T07:10:02|3|2|0aff"),
      (reading(clock: clock), false, "a1795000000000000|3|2|0aff"),
      (reading(), true, "a1795000000000000|3|2|0aff"),
      (reading(isBroadcast: true), true, "b1795000000000000|3|2|0aff"),
      (reading(isStreamed: true), true, "a1795000000000000|3|2|"),
    ] as [(Reading, Bool, String)])
  func `has the parts of its reading`(reading: Reading, isTrusted: Bool, rest: String) throws {
    let identity = SampleIdentity(reading, isClockTrusted: isTrusted)
    #expect(identity.text == "00:00:5E:00:53:07|bodyMass|" + rest)
    let parts = try #require(identity.parts)
    #expect(parts.device == "00:00:5E:00:53:07")
    #expect(parts.quantity == .bodyMass)
    #expect(parts.ordinal == 3)
    #expect(parts.userIndex == 2)
    #expect(parts.raw == (reading.isStreamed ? [] : [0x0A, 0xFF]))
  }

  @Test func `its text gives it back`() {
    var random = SeededGenerator(seed: 7)
    func pick<T>(_ all: [T]) -> T { all[Int(random.next() % UInt64(all.count))] }
    for _ in 0..<Rounds.count(2000) {
      let fields = (0..<6).map { _ in Int(random.next() % 256) }
      let clock = LocalDateTime(
        year: Int(random.next() % 65_536), month: fields[0], day: fields[1], hour: fields[2],
        minute: fields[3], second: fields[4])
      let reading = Reading(
        quantity: pick(Quantity.all), value: 1, deviceTime: pick([nil, clock]),
        arrival: Date(timeIntervalSince1970: Double(random.next() % 4_000_000_000) - 1e9),
        device: DeviceIdentity(
          address: DeviceID(pick(["5C:CA:D3:70:D4:A2", "left|thigh", "|", "", "Ä a1|bodyMass"]))),
        userIndex: pick([nil, 0, fields[5]]), ordinal: Int(random.next() % 4_294_967_296),
        isStreamed: pick([true, false]), isBroadcast: pick([true, false]),
        raw: random.bytes(fields[5] % 20))
      let identity = SampleIdentity(reading, isClockTrusted: pick([true, false]))
      let read = SampleIdentity(text: identity.text)
      #expect(read == identity)
      #expect(read.hashValue == identity.hashValue)
      #expect(read.parts == identity.parts)
    }
  }

  /// The same parts in another spelling are another identity: nothing is confused with anything.
  @Test(arguments: [
    "", "|||||", "health:17:bodyMass", "scale|bodyMass|a1|0||0A", "scale|bodyMass|a01|0||0a",
    "scale|bodyMass|a1|+0||0a", "scale|bodyMass|a1|0|x|0a", "scale|shoeSize|a1|0||0a",
    "scale|bodyMass|c1|0||0a", "scale|bodyMass|2026-1-1T00:00:00|0||", "scale|bodyMass|a1|0|",
    "scale|bodyMass|a99999999999999999999|0||0a",
  ])
  func `any other text is the name of an entry`(text: String) {
    let identity = SampleIdentity(text: text)
    #expect(identity.parts == nil)
    #expect(identity.text == text)
    #expect(identity == SampleIdentity(text: text))
  }
}
