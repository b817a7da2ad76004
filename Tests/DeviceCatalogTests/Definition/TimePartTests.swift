import Care
import Foundation
import TestSupport
import Testing

@testable import DeviceCatalog

/// The parts of a time in the forms in which devices send them and want them.
struct TimePartTests {
  /// 2026-11-20T06:09:58Z, 07:09:58 in Berlin, a Friday.
  static let instant = Date(timeIntervalSince1970: 1_795_154_998)
  static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// A part, local or not, and its number in a field of some bits.
  static let numbers: [(rule: TimeRule, bits: Int, number: Int64)] = [
    (TimeRule(part: .since1970), 32, 1_795_154_998),
    (TimeRule(part: .since1970, isLocal: true), 32, 1_795_158_598),
    (TimeRule(part: .since2000), 32, 848_470_198),
    (TimeRule(part: .since2010, isLocal: true), 32, 532_854_598),
    (TimeRule(part: .year), 16, 2026), (TimeRule(part: .year), 8, 26),
    (TimeRule(part: .month), 8, 11), (TimeRule(part: .day), 8, 20), (TimeRule(part: .hour), 8, 7),
    (TimeRule(part: .minute), 8, 9), (TimeRule(part: .second), 8, 58),
    (TimeRule(part: .weekday), 8, 5), (TimeRule(part: .dayOfYear), 16, 324),
    (TimeRule(part: .zoneMinutes), 16, 60),
  ]

  @Test(arguments: numbers.indices)
  func `is written`(index: Int) {
    let (rule, bits, number) = Self.numbers[index]
    #expect(rule.number(at: Self.instant, in: Self.berlin, bits: bits) == number)
  }

  @Test func `is read as it is written`() {
    let written = LocalDateTime(Self.instant, in: Self.berlin)
    func number(_ rule: TimeRule, _ bits: Int) -> Int64 {
      rule.number(at: Self.instant, in: Self.berlin, bits: bits)
    }
    for part in [TimePart.since1970, .since2000, .since2010] {
      for isLocal in [false, true] {
        let rule = TimeRule(part: part, isLocal: isLocal)
        var time = FrameTime(arrival: nil, timeZone: Self.berlin)
        time.add(number(rule, 32), rule, bits: 32)
        #expect(time.value == written)
      }
    }
    for yearBits in [7, 8, 16] {
      var time = FrameTime(arrival: nil, timeZone: Self.berlin)
      for part in [TimePart.year, .month, .day, .hour, .minute, .second] {
        let bits = part == .year ? yearBits : 8
        time.add(number(TimeRule(part: part), bits), TimeRule(part: part), bits: bits)
      }
      #expect(time.value == written)
    }
  }

  @Test func `an age is counted back from the arrival`() {
    var time = FrameTime(arrival: Self.instant, timeZone: Self.berlin)
    time.add(3600, TimeRule(part: .age), bits: 32)
    #expect(time.value == LocalDateTime("2026-11-20T06:09:58"))
    time = FrameTime(arrival: nil, timeZone: Self.berlin)
    time.add(3600, TimeRule(part: .age), bits: 32)
    #expect(time.value == nil)
  }

  @Test func `a time without a date is none`() {
    var time = FrameTime(arrival: nil, timeZone: .gmt)
    time.add(7, TimeRule(part: .hour), bits: 8)
    #expect(time.value == nil)
    for part in [TimePart.year, .month, .day] { time.add(0, TimeRule(part: part), bits: 16) }
    #expect(time.value == nil)
  }

  /// The fields of a record, a frame, and the time of its weight in Berlin.
  static let frames: [(fields: String, frame: String, time: String?)] = [
    ("{name: t, type: u32be, time: since1970}", "000a 6affe436", "2026-11-20T07:09:58"),
    (
      "{name: t, type: u32le, time: since2010, zone: local}", "000a 46b7c21f", "2026-11-20T07:09:58"
    ),
    ("{name: t, type: u32be, time: since1970, invalid: [0]}", "000a 00000000", nil),
    ("{name: t, type: u16be, time: age}", "000a 0e10", "2027-01-15T08:00:00"),
  ]

  @Test(arguments: frames.indices)
  func `is a field of a record`(index: Int) throws {
    let (field, frame, time) = Self.frames[index]
    let text = SampleDefinition.lines
      .replacing("    length: 3\n", with: "")
      .replacing(
        "- {name: flags, type: u8}", with: "- {name: weight, type: u16be, quantity: bodyMass}"
      )
      .replacing(
        "- {name: weight, type: u16le, quantity: bodyMass, scale: 0.005, unit: kg}",
        with: "- \(field)")
    let file = DefinitionFile(name: "sample.yaml", text: text)
    let loaded = try #require(try DeviceCatalog.load([[file]]).definition("sample"))
    var bench = SessionBench(loaded, timeZone: Self.berlin)
    let reading = try #require(try bench.value("2A9D", frame).readings.first)
    #expect(reading.deviceTime?.description == time)
  }

  /// A field in YAML, and the reason for which it is refused.
  static let refusals: [(field: String, reason: String)] = [
    ("type: u8, time: weekday", "‘weekday’ is only written"),
    ("type: f32le, time: since1970", "a part of the time is one integer without a quantity"),
    (
      "type: u8, time: year, zone: local",
      "‘zone’ is for seconds since an epoch; other parts are always local"
    ),
    ("type: u8, zone: local", "a ‘zone’ without a ‘time’"),
  ]

  @Test(arguments: refusals.indices)
  func `is refused`(index: Int) {
    let (field, reason) = Self.refusals[index]
    let file = SampleDefinition.file("{name: flags, type: u8}", "{name: flags, \(field)}")
    #expect(DeviceCatalog.lint([[file]]).map(\.reason) == [reason])
  }
}
