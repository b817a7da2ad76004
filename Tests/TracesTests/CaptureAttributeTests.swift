import GATT
import Radio
import TestSupport
import Testing
import Traces

@Suite struct CaptureAttributeTests {
  typealias Sessions = CaptureSessions

  static func name(_ text: String) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: Sessions.strap, service: BluetoothUUID(0x1800), characteristic: Sessions.name,
        data: Array(text.utf8)))
  }

  /// The events after the start of a link on which the services have been discovered and emitted.
  static func events(
    _ script: [(sent: Bool, hex: String)]
  ) throws -> (events: [RadioEvent], skipped: [CaptureSkip: Int]) {
    try CaptureFragmentTests.events { writer in
      for (sent, hex) in script { writer.att(0x40, sent: sent, bytes(hex)) }
    }
  }

  @Test func `reads notifications indications and multiple values`() throws {
    let (events, skipped) = try Self.events([
      (false, "1B 1200 0048"), (false, "1D 2200 01"), (true, "1E"),
      (false, "23 1200 0200 0049 2200 0000 0F00 0100 FF 1200 0200 004A"), (false, "1B 1200"),
    ])
    #expect(
      events == [
        Sessions.value("0048"),
        Sessions.value("01", of: Sessions.vendorService, in: Sessions.vendorService),
        Sessions.value("0049"),
        Sessions.value("", of: Sessions.vendorService, in: Sessions.vendorService),
        Sessions.value("004A"), Sessions.value(""),
      ])
    #expect(skipped == [.unknownAttribute: 1])
  }

  @Test func `matches answers with requests`() throws {
    let (events, skipped) = try Self.events([
      // Refused, then answered; then responses without a request.
      (true, "0A 0300"), (false, "01 0A 0300 05"), (false, "0B 4142"),
      (true, "0A 0300"), (false, "0B 4142"), (false, "0B 4344"), (false, "13"),
      // A write that is refused, one to a descriptor, one without a response, one to a value.
      (true, "12 1500 01"), (false, "01 12 1500 03"), (false, "13"),
      (true, "12 1300 0000"), (false, "13"), (true, "52 2200 FF"), (false, "13"),
      (true, "12 1500 01"), (false, "13"),
      // Answers of another kind than the request.
      (true, "0A 0300"), (false, "13"), (false, "0B 4142"),
      (true, "12 1500 01"), (false, "0B 4142"), (false, "13"),
      // Other requests stand between.
      (true, "0E 0300 0300"), (false, "0F 4142"), (true, "16 1500 0000 01"), (false, "13"),
    ])
    #expect(
      events == [
        Self.name("AB"), .written(Sessions.strap, characteristic: Sessions.controlPoint),
      ])
    #expect(skipped == [:])
  }

  @Test func `ignores the peers requests`() throws {
    let (events, skipped) = try Self.events([
      (true, "0A 0300"),
      (false, "0A 0300"), (true, "0B 5858"), (false, "12 1500 01"), (true, "13"),
      (true, "1B 1200 0050"), (true, "01 0A 0300 05"),
      (false, "0B 4142"),
    ])
    #expect(events == [Self.name("AB")])
    #expect(skipped == [:])
  }

  static let full = "4142434445464748494A4B4C4D4E4F50515253545556"

  /// At an MTU of 23 a response holds 22 bytes; after a full one the value may continue.
  @Test(arguments: [
    ([(true, "0C 0300 1600"), (false, "0D 5758")], "ABCDEFGHIJKLMNOPQRSTUVWX"),
    ([(true, "0C 0300 1600"), (false, "0D")], "ABCDEFGHIJKLMNOPQRSTUV"),
    ([(true, "0C 0300 1600"), (false, "01 0C 0300 0B")], "ABCDEFGHIJKLMNOPQRSTUV"),
    ([(true, "0C 0300 1600"), (false, "01 0C 0300 07")], "ABCDEFGHIJKLMNOPQRSTUV"),
    ([(true, "12 1500 01")], "ABCDEFGHIJKLMNOPQRSTUV"),
  ])
  func `reassembles a long value`(script: [(Bool, String)], expected: String) throws {
    let (events, skipped) = try Self.events(
      [(true, "0A 0300"), (false, "0B" + Self.full)] + script.map { (sent: $0.0, hex: $0.1) })
    #expect(events == [Self.name(expected)])
    #expect(skipped == [:])
  }

  @Test(
    arguments: [
      ([(true, "0C 0300 1600"), (false, "01 0C 0300 05")], [.incompleteRead: 1]),
      ([(true, "0C 0300 1600"), (false, "1B")], [.malformed: 1]),
    ] as [([(Bool, String)], [CaptureSkip: Int])])
  func `skips an incomplete value`(script: [(Bool, String)], expected: [CaptureSkip: Int]) throws {
    let (events, skipped) = try Self.events(
      [(true, "0A 0300"), (false, "0B" + Self.full)] + script.map { (sent: $0.0, hex: $0.1) })
    #expect(events.isEmpty)
    #expect(skipped == expected)
  }

  @Test func `counts a long value cut by the links end`() throws {
    let (events, skipped) = try CaptureFragmentTests.events {
      $0.exchange(0x40, bytes("0A 0300"), bytes("0B" + Self.full))
      $0.disconnected(0x40)
    }
    #expect(events == [.disconnected(Sessions.strap)])
    #expect(skipped == [.incompleteRead: 1])
  }

  /// A part from the middle is no value, and neither MTU is taken alone.
  @Test func `reads parts at the negotiated MTU`() throws {
    let (events, _) = try Self.events([
      (true, "0C 0300 0500"), (false, "0D 4142"),
      (true, "02 1900"), (false, "03 F700"),
      (true, "0A 0300"), (false, "0B" + Self.full + "57"),
      (true, "0C 0300 0000"), (false, "0D" + Self.full + "5758"),
      (true, "0C 0300 1800"), (false, "0D 59"),
    ])
    #expect(
      events == [Self.name("ABCDEFGHIJKLMNOPQRSTUVW"), Self.name("ABCDEFGHIJKLMNOPQRSTUVWXY")])
  }

  @Test func `emits the services again when they change`() throws {
    let (events, _) = try Self.events([
      // The same again is no news; a service in the place of two others is.
      (true, "10 0100FFFF 0028"), (false, "11 06 0100 0500 0018 1000 1500 0D18"),
      (false, "1B 1200 0048"),
      (true, "10 0100FFFF 0028"), (false, "11 06 0100 1300 1D18"),
      (true, "08 0100FFFF 0328"), (false, "09 07 1100 20 1200 9D2A"),
      (false, "1D 1200 001234"), (false, "1B 0300 41"),
    ])
    let weight = BluetoothUUID(0x2A9D)
    let weightScale = BluetoothUUID(0x181D)
    #expect(
      events == [
        Sessions.value("0048"),
        .services(
          Sessions.strap,
          [
            GATTService(
              uuid: weightScale,
              characteristics: [GATTCharacteristic(uuid: weight, properties: [.indicate])]),
            Sessions.services[2],
          ]),
        Sessions.value("001234", of: weight, in: weightScale),
      ])
  }

  /// During a discovery, descriptor reads and values do not emit the services.
  @Test func `emits the services when first needed`() throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.heartRate(0x40, "0047")
    writer.discovery(0x40)
    writer.exchange(0x40, bytes("0A 1300"), bytes("0B 0000"))
    writer.exchange(0x40, bytes("0A 0700"), bytes("0B 0000"))
    writer.heartRate(0x40, "0048")
    writer.heartRate(0x40, "0049")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(
      events == [
        .connected(Sessions.strap), .services(Sessions.strap, Sessions.services),
        Sessions.value("0048"), Sessions.value("0049"),
      ])
    #expect(skipped == [.unknownAttribute: 2])
  }

  @Test func `knows a characteristic without its service`() throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.exchange(0x40, bytes("08 0100FFFF 0328"), bytes("09 07 1100 10 1200 372A"))
    writer.heartRate(0x40, "0048")
    let (events, _) = try Sessions.whole(writer)
    #expect(events == [.connected(Sessions.strap), Sessions.value("0048", in: nil)])
  }

  @Test(arguments: [
    ("10 0100FFFF 0028", "11 06 0500 0100 0018"), ("10 0100FFFF 0028", "11 06 0000 0100 0018"),
    ("10 0100FFFF 0028", "11 05 0100 0500 00"), ("08 0100FFFF 0328", "09 07 1200 10 1200 372A"),
    ("08 0100FFFF 0328", "09 09 1100 10 1200 372A0000"), ("08 0100FFFF 0328", "09 03 1100 10"),
  ])
  func `learns nothing from a damaged answer`(request: String, answer: String) throws {
    let (events, skipped) = try Self.events([
      (true, request), (false, answer), (false, "1B 1200 0048"),
    ])
    #expect(events == [Sessions.value("0048")])
    #expect(skipped == [.malformed: 1])
  }

  /// A discovery with other types yields neither services nor characteristics.
  @Test func `learns only from what it asked for`() throws {
    let (events, skipped) = try Self.events([
      (true, "08 0100FFFF 002A"), (false, "09 07 1100 10 1200 9D2A"),
      (true, "10 0100FFFF 0128"), (false, "11 06 0100 FFFF 1D18"),
      (false, "09 07 1100 10 1200 9D2A"), (false, "1B 1200 0048"),
    ])
    #expect(events == [Sessions.value("0048")])
    #expect(skipped == [:])
  }

  @Test func `limits the number of characteristics`() throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    for index in 0..<1025 as Range<UInt16> {
      let declaration = 2 * index + 1
      writer.exchange(
        0x40, bytes("08 0100FFFF 0328"),
        bytes("09 07") + declaration.octets + [0x10] + (declaration + 1).octets + bytes("372A"))
    }
    writer.att(0x40, sent: false, [0x1B] + UInt16(2048).octets + [0])
    writer.att(0x40, sent: false, [0x1B] + UInt16(2050).octets + [0])
    let (events, skipped) = try Sessions.whole(writer)
    #expect(events == [.connected(Sessions.strap), Sessions.value("00", in: nil)])
    #expect(skipped == [.tableFull: 1, .unknownAttribute: 1])
  }
}
