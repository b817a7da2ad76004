import Care
import Foundation
import GATT
import Testing

@testable import DeviceCatalog

/// The commented template in `Devices/README.md`, which has every key of the format once.
struct DefinitionTemplateTests {
  private func template(_ number: Int = 1) throws -> DeviceDefinition {
    let text = try String(
      contentsOf: Repository.devices.appending(path: "README.md"), encoding: .utf8)
    let yaml = try #require(
      text.split(separator: "```yaml\n")[number].split(separator: "```").first)
    let file = DefinitionFile(name: "README.md", text: String(yaml))
    return try #require(try DeviceCatalog.load([[file]]).definitions.first)
  }

  @Test func `describes the device`() throws {
    let definition = try template()
    #expect(definition.name == "Example Scale")
    #expect(definition.vendor == "Example")
    #expect(definition.families == ["Example S1", "Example S2 Plus"])
    #expect(definition.prepare == "step on barefoot")
    #expect(definition.link == DeviceDefinition.Link(mode: .connect, bond: .none))
  }

  @Test func `describes the recognition`() throws {
    let match = try template().match
    #expect(match.all == [MatchClause(namePrefix: "EX-")])
    #expect(
      match.any == [
        MatchClause(service: BluetoothUUID(0x181D)),
        MatchClause(
          serviceData: DataClause(
            key: BluetoothUUID(0x181D), length: 13, bytes: BytePattern("22 ?? 3?"))),
        MatchClause(
          manufacturerData: DataClause(key: 0x0499, length: 24, bytes: BytePattern("05"))),
      ])
    // 16 for the name, with 10, 20 + 5 + 3, 20 + 5 + 2.
    #expect(match.alternatives.map(MatchRule.specificity(of:)) == [26, 44, 43])
  }

  @Test func `describes the session`() throws {
    let script = try template().session
    let (command, answer) = (BluetoothUUID(0xFFF1), BluetoothUUID(0xFFF2))
    let (users, records) = (BluetoothUUID(0x2A9F), BluetoothUUID(0x2A52))
    #expect(
      script.start == [
        .subscribe(BluetoothUUID(0x2A9D)), .subscribe(answer), .subscribe(BluetoothUUID(0xFFF3)),
        .subscribe(try uuid("E95DCA4B-251D-470A-A062-FA1922DFA9A8")), .subscribe(users),
        .subscribe(records), .write(BluetoothUUID(0x2A2B), .currentTime, withResponse: true),
        .write(command, .bytes([1, 2]), withResponse: false),
        .waitFor(
          .init(
            characteristic: answer, bytes: try #require(BytePattern("F0 02")), length: 4,
            seconds: 5, isRequired: true)),
        .delay(0.5), .read(BluetoothUUID(0x2A19)),
        .consent(
          users,
          then: [
            .echo([BluetoothUUID(0x2A8E), BluetoothUUID(0x2A85)]),
            .increment(BluetoothUUID(0x2A99)),
          ]),
        .fetchRecords(records),
      ])
    #expect(
      script.keepAlive
        == .init(characteristic: command, bytes: [0], withResponse: false, seconds: 5))
    #expect(script.end == [.write(command, .bytes([3]), withResponse: true)])
  }

  @Test func `describes the fields`() throws {
    let records = try template().records
    #expect(
      records.map(\.source) == [
        .serviceData(BluetoothUUID(0x181D)), .characteristic(BluetoothUUID(0xFFF3)),
        .characteristic(BluetoothUUID(0xFFF2)), .characteristic(BluetoothUUID(0xFFF2)),
        .characteristic(try uuid("E95DCA4B-251D-470A-A062-FA1922DFA9A8")),
        .characteristic(BluetoothUUID(0x2A9D)),
      ])
    let first = try #require(records.first)
    #expect(first.bytes == BytePattern("2?"))
    #expect(first.length == 13)
    #expect(first.userField == "slot")
    #expect(!first.isStreamed)
    #expect(!first.isStored)
    #expect(
      first.commit
        == CommitRule(
          stable: FlagTest(field: "flags", bit: 5, isSet: true),
          removed: FlagTest(field: "flags", bit: 7, isSet: true), quantity: .bodyMass,
          companion: .init(quantity: .impedance, seconds: 15)))
    guard case .fields(let fields, nil) = first.content else {
      Issue.record("the first record has fields alone")
      return
    }
    #expect(fields.map(\.name) == ["flags", "weight", "time", "slot", "impedance"])
    #expect(fields[1].invalid == [0, 0xFFFF])
    #expect(fields[1].value?.scales.map(\.unit) == [.pound, .kilogram])
    guard case .fields(let others, nil) = records[1].content else {
      Issue.record("the second record has fields alone")
      return
    }
    #expect(others.map(\.name) == ["flags", "fat", "power", "steps", "moved", "beats"])
    #expect(others.map(\.repeats) == [false, false, false, false, false, true])
    #expect(others[1].presence == FlagTest(field: "flags", bit: 1, isSet: true))
    #expect(others[2].bits == BitRange(first: 5, count: 11))
    #expect(others[2].value?.scales.map(\.offset) == [Ratio(1600, 1)])
    #expect(others[3].value?.counter == .daily)
    #expect(others[4].context == .bodyMovement)
  }

  @Test func `describes stored records`() throws {
    let records = try template().records
    #expect(records.map(\.isJoined) == [false, false, true, false, false, false])
    let isIgnored = records.map { if case .nothing = $0.content { true } else { false } }
    #expect(isIgnored == [false, false, false, true, false, false])
    #expect(records.map(\.length) == [13, nil, 3, 4, nil, nil])
  }

  @Test func `describes motion`() throws {
    let record = try #require(try template().records.dropFirst(4).first)
    #expect(record.milliHertz == 50_000)
    guard case .fields(let fields, let motion?) = record.content else {
      Issue.record("the second record has motion")
      return
    }
    #expect(fields.isEmpty)
    #expect(
      motion
        == MotionRule(
          acceleration: AxesRule(type: .s16le, at: 0, scale: Ratio(1, 1000)),
          angularRate: AxesRule(type: .s16le, at: 6, scale: Ratio(1, 32)), stride: 12))
  }

  @Test func `its motion vector passes`() throws {
    let definition = try template()
    let vector = try #require(definition.vectors.last)
    #expect(vector.run(on: definition) == [])
  }

  /// The text there can be copied: it is whole.
  @Test(arguments: 1...3)
  func `has no findings`(number: Int) throws {
    let definition = try template(number)
    #expect(definition.ownFindings == [])
    let failures = definition.vectors.flatMap { $0.run(on: definition) }
    #expect(failures.isEmpty)
  }

  @Test func `describes a memory`() throws {
    let memory = try #require(try template(3).memory)
    #expect(memory.index == .init(at: 0x10, type: .u16le, countsUnread: true))
    #expect(memory.users == [.init(at: 0x98, records: 60), .init(at: 0x458, records: 60)])
    #expect(memory.length == 16)
  }

  @Test func `the protocol has no findings`() throws {
    let protocolScale = try template(2)
    #expect(protocolScale.id == "example-protocol")
    #expect(protocolScale.ownFindings == [])
    #expect(protocolScale.vectors.map { $0.run(on: protocolScale) } == [[], [], []])
  }

  @Test func `names every part of a time and checksum`() throws {
    let text = try String(
      contentsOf: Repository.devices.appending(path: "README.md"), encoding: .utf8)
    let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init))
    #expect(words.isSuperset(of: TimePart.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: ChecksumRule.Kind.allCases.map(\.rawValue)))
  }

  @Test func `names every codec and type`() throws {
    let text = try String(
      contentsOf: Repository.devices.appending(path: "README.md"), encoding: .utf8)
    let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init))
    #expect(words.isSuperset(of: CodecName.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: FieldType.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: MemoryCodec.allCases.map(\.rawValue)))
    #expect(words.isSuperset(of: HandshakeCodec.allCases.map(\.rawValue)))
  }
}
