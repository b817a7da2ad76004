import Care
import Foundation
import GATT
import Motion
import Radio
import TestSupport
import Testing
import Traces

@Suite struct RadioTraceTests {
  static let header = #"{"measured-trace":1,"start":"2026-11-20T07:09:58-08:00","adapter":"hci0"}"#

  static func events(_ lines: [String]) throws -> [TimedEvent] {
    let text = ([header] + lines).joined(separator: "\n")
    var reader = try RadioTraceReader(MemoryStream(name: "a.jsonl", bytes: Array(text.utf8)))
    var events: [TimedEvent] = []
    while let event = try reader.next() { events.append(event) }
    return events
  }

  @Test func `reads every kind of event`() throws {
    let events = try Self.events([
      #"{"t":0,"type":"advertisement","address":"5C:CA:D3:70:D4:A2","addressType":"public","rssi":-60,"data":"0201060d"}"#,
      #"{"t":1,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#,
      #"{"t":1.2,"type":"services","address":"5C:CA:D3:70:D4:A2","services":[{"uuid":"180D","characteristics":[{"uuid":"2A37","properties":["notify"]}]}]}"#,
      "",
      #"{"t":2,"type":"value","address":"5C:CA:D3:70:D4:A2","service":"180D","characteristic":"2A37","data":"0048"}"#,
      #"{"t":3,"type":"disconnected","address":"5C:CA:D3:70:D4:A2"}"#,
      #"{"t":4,"type":"motion","sensor":"left-thigh","samples":[[0,0.01,0.02,1.0],[0.01,-0.01,0.02,1.0]]}"#,
      #"{"t":4,"type":"motion","sensor":"wrist","samples":[[0,0,0,1,10,-20,0.5]]}"#,
    ])
    let address = try #require(DeviceAddress("5C:CA:D3:70:D4:A2"))
    let start = try #require(Date(rfc3339: "2026-11-20T15:09:58Z"))
    #expect(
      events.map { $0.time.microseconds - start.microseconds }
        == [0, 1_000_000, 1_200_000, 2_000_000, 3_000_000, 4_000_000, 4_000_000])
    #expect(
      events.map(\.event) == [
        .advertisement(
          Advertisement(
            address: address, addressType: .public, rssi: -60, data: [0x02, 0x01, 0x06, 0x0D])),
        .connected(address),
        .services(
          address,
          [
            GATTService(
              uuid: BluetoothUUID(0x180D),
              characteristics: [
                GATTCharacteristic(uuid: BluetoothUUID(0x2A37), properties: [.notify])
              ])
          ]),
        .value(
          CharacteristicValue(
            address: address, service: BluetoothUUID(0x180D),
            characteristic: BluetoothUUID(0x2A37), data: [0x00, 0x48])),
        .disconnected(address),
        .motion(
          RecordedMotion(
            sensor: "left-thigh",
            samples: [
              MotionSample(time: 0, acceleration: Vector3(x: 10_000, y: 20_000, z: 1_000_000)),
              MotionSample(
                time: 10_000, acceleration: Vector3(x: -10_000, y: 20_000, z: 1_000_000)),
            ])),
        .motion(
          RecordedMotion(
            sensor: "wrist",
            samples: [
              MotionSample(
                time: 0, acceleration: Vector3(x: 0, y: 0, z: 1_000_000),
                angularRate: Vector3(x: 10_000, y: -20_000, z: 500))
            ])),
      ])
  }

  @Test(
    arguments: [
      (#"{"t":1,"type":"unheard","address":"5C:CA:D3:70:D4:A2"}"#, .unknownEvent("unheard")),
      (#"{"t":1,"type":"connected"}"#, .missingEventKey("address", event: "connected")),
      (
        #"{"t":1,"type":"connected","address":"5C:CA:D3:70:D4"}"#, .invalidAddress("5C:CA:D3:70:D4")
      ),
      (#"{"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#, .missingKey("t")),
      (#"{"t":"1","type":"connected"}"#, .wrongType(key: "t")),
      (
        #"{"t":-1,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#,
        .timeBeforeStart(-1)
      ),
      (#"{"t":1e10,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#, .timeTooLarge(1e10)),
      (#"{"t":1e11,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#, .timeTooLarge(1e11)),
      (
        #"{"t":1,"type":"advertisement","address":"5C:CA:D3:70:D4:A2","data":"020"}"#,
        .invalidHex(key: "data")
      ),
      (
        #"{"t":1,"type":"advertisement","address":"5C:CA:D3:70:D4:A2","data":"02zz"}"#,
        .invalidHex(key: "data")
      ),
      (
        #"{"t":1,"type":"value","address":"5C:CA:D3:70:D4:A2","characteristic":"2A3","data":""}"#,
        .invalidUUID("2A3")
      ),
      (#"{"t":1,"type":"motion","sensor":"a","samples":[[0,1,2]]}"#, .motionSampleLength(3)),
      (#"{"t":1,"type":"motion","sensor":"a","samples":[[0,1,2,1e9]]}"#, .motionSampleRange(1e9)),
      (#"{"t":1,"type":"motion","sensor":"a","samples":[[1e99,1,2,1]]}"#, .motionSampleTime(1e99)),
      (#"{"t":1,"type":"connected","address":"5C:CA"# + "\n", .notJSON),
    ] as [(String, TraceError.Problem)])
  func `refuses a line with its number and problem`(line: String, problem: TraceError.Problem) {
    #expect(throws: TraceError(file: "a.jsonl", line: 3, problem)) {
      try Self.events([#"{"t":0,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#, line])
    }
  }

  /// The recording ended while its last line was written.
  @Test func `leaves out a line that is cut off`() throws {
    let lines = [
      Self.header, #"{"t":0,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#,
      #"{"t":1,"type":"connected","address":"5C:CA"#,
    ]
    let text = lines.joined(separator: "\n")
    var reader = try RadioTraceReader(MemoryStream(name: "a.jsonl", bytes: Array(text.utf8)))
    #expect(
      try reader.next()?.event == .connected(try #require(DeviceAddress("5C:CA:D3:70:D4:A2"))))
    #expect(try reader.next() == nil)
    #expect(reader.skipped == [.cutLine: 1])
  }

  @Test(
    arguments: [
      ("", nil, .empty(.radioTrace)), ("{}", 1, .noTraceHeader),
      (#"{"measured-trace":2,"start":"2026-11-20T07:09:58-08:00"}"#, 1, .traceVersion(2)),
      (#"{"measured-trace":1,"start":"yesterday"}"#, 1, .invalidStart("yesterday")),
      (
        #"{"measured-trace":1,"start":"2026-02-30T07:09:58Z"}"#, 1,
        .invalidStart("2026-02-30T07:09:58Z")
      ),
    ] as [(String, Int?, TraceError.Problem)])
  func `refuses a header`(text: String, line: Int?, problem: TraceError.Problem) {
    #expect(throws: TraceError(file: "a.jsonl", line: line, problem)) {
      _ = try RadioTraceReader(MemoryStream(name: "a.jsonl", bytes: Array(text.utf8)))
    }
  }

  @Test func `writes what it reads`() throws {
    var generator = SeededGenerator(seed: 7)
    let start = try #require(Date(rfc3339: "2026-11-20T07:09:58-08:00"))
    let writer = RadioTraceWriter(start: start)
    var data = try writer.header(
      adapter: "hci0", timeZone: try #require(TimeZone(identifier: "UTC")))
    var time = start.microseconds
    var events: [TimedEvent] = []
    for _ in 0..<500 {
      time += Int64.random(in: 0...3_000_000, using: &generator)
      let event = TimedEvent(
        time: Date(microseconds: time), event: Self.randomEvent(using: &generator))
      events.append(event)
      data += try writer.line(event)
    }
    var reader = try RadioTraceReader(MemoryStream(name: "b.jsonl", bytes: Array(data)))
    var read: [TimedEvent] = []
    while let event = try reader.next() { read.append(event) }
    #expect(read == events)
  }

  static func randomEvent(using generator: inout SeededGenerator) -> RadioEvent {
    let address = DeviceAddress(rawValue: generator.next())
    let uuid = BluetoothUUID(high: generator.next(), low: generator.next())
    let data = generator.bytes(Int.random(in: 0...40, using: &generator))
    switch Int.random(in: 0...9, using: &generator) {
    case 0:
      return .advertisement(
        Advertisement(
          address: address, addressType: .random, rssi: -70, data: data,
          isConnectable: Bool.random(using: &generator)))
    case 1: return .connected(address)
    case 2: return .disconnected(address)
    case 3: return .written(address, characteristic: uuid)
    case 4: return .failed(address, LinkError(reason: "it went away"))
    case 7: return .failed(address, LinkError(.staleBond, reason: "it forgot the bond"))
    case 8: return .lost(address, count: Int.random(in: 0...1_000_000, using: &generator))
    case 9: return .bondChanged(address)
    case 5:
      func vector(_ limit: Int32) -> Vector3 {
        func component() -> Int32 { .random(in: -limit...limit, using: &generator) }
        return Vector3(x: component(), y: component(), z: component())
      }
      let samples = (0..<8).map { index in
        MotionSample(
          time: index * 10_000, acceleration: vector(8_000_000), angularRate: vector(2_000_000))
      }
      return .motion(RecordedMotion(sensor: "left-shank", samples: samples))
    default:
      return .value(
        CharacteristicValue(address: address, service: nil, characteristic: uuid, data: data))
    }
  }

  /// Hostile input ends in a typed error or in events for any bytes.
  @Test func `accepts random bytes`() throws {
    var generator = SeededGenerator(seed: 1)
    let pool = generator.bytes(1 << 16)
    let line = Array(
      #"{"t":2,"type":"value","address":"5C:CA:D3:70:D4:A2","characteristic":"2A37","data":"0048"}"#
        .utf8)
    var refused = 0
    for index in 0..<100_000 {
      var bytes = Array(Self.header.utf8) + [UInt8(ascii: "\n")]
      if index.isMultiple(of: 2) {
        let start = Int.random(in: 0..<(1 << 15), using: &generator)
        bytes += pool[start..<(start + Int.random(in: 1...80, using: &generator))]
      } else {
        var mutated = line
        let position = Int.random(in: 0..<mutated.count, using: &generator)
        mutated[position] = UInt8(truncatingIfNeeded: generator.next())
        bytes += mutated.prefix(Int.random(in: 1...mutated.count, using: &generator))
      }
      bytes.append(UInt8(ascii: "\n"))
      var reader = try RadioTraceReader(MemoryStream(name: "c.jsonl", bytes: bytes))
      do throws(TraceError) {
        while try reader.next() != nil {}
      } catch {
        #expect(error.file == "c.jsonl" && (error.line ?? 0) >= 2)
        refused += 1
      }
    }
    #expect(refused > 90_000)
  }

  @Test func `refuses a line without an end`() throws {
    let bytes = Array(Self.header.utf8) + [10] + [UInt8](repeating: 0x20, count: 2 << 20)
    var reader = try RadioTraceReader(MemoryStream(name: "d.jsonl", bytes: bytes))
    #expect(
      throws: TraceError(file: "d.jsonl", line: 2, .longLine(limit: 1_048_576))
    ) { try reader.next() }
  }
}
