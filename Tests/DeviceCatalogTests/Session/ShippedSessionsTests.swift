import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// The commands of each shipped definition on a link on which every command succeeds.
struct ShippedSessionsTests {
  /// The commands in short form, for a device with every characteristic of the steps.
  static let sessions: [(id: String, commands: [String])] = [
    (
      "sig-heart-rate",
      ["subscribe 2A37", "read 2A19"]
    ),
    (
      "sig-blood-pressure",
      [
        "subscribe 2A35", "subscribe 2A36", "subscribe 2B34", "write 2A2B 10 bytes",
        "write 2A08 7 bytes",
      ]
    ),
    (
      "sig-glucose",
      [
        "subscribe 2A18", "subscribe 2A34", "subscribe 2A52", "write 2A2B 10 bytes",
        "write 2A52 0101",
      ]
    ),
    (
      // Without a consent in the plan only the time is set.
      "beurer-bf7xx",
      [
        "subscribe 2A9D", "subscribe 2A9C", "subscribe 2A9F", "subscribe 2A99", "subscribe FFF2",
        "write 2A2B 10 bytes", "write FFF2 00",
      ]
    ),
    (
      // The monitor did not send its own time.
      "omron-blood-pressure", ["subscribe 2A35", "subscribe 2A2B"]
    ),
    (
      "omron-sig-scale", ["subscribe 2A9D", "subscribe 2A9C", "subscribe 2A2B"]
    ),
    (
      // The end of the records was not received, so they are not deleted.
      "xiaomi-mi-scale-2",
      [
        "subscribe 00002A2F-0000-3512-2118-0009AF100700", "write 2A2B 10 bytes",
        "write 00002A2F-0000-3512-2118-0009AF100700 01ffff4d45",
        "write 00002A2F-0000-3512-2118-0009AF100700 02",
        "disconnect(5C:CA:D3:70:D4:A2)",
      ]
    ),
    (
      "sig-weight-scale",
      [
        "subscribe 2A9D", "subscribe 2A9C", "write 2A2B 10 bytes", "write 2A08 7 bytes",
        "read 2A19",
      ]
    ),
    (
      "microbit-accelerometer",
      [
        "subscribe E95DCA4B-251D-470A-A062-FA1922DFA9A8", "subscribe 2A37",
        "write E95DFB24-251D-470A-A062-FA1922DFA9A8 1400",
      ]
    ),
    (
      "nordic-thingy52",
      [
        "subscribe EF680406-9B35-4933-9B10-52FFA9740042",
        "write EF680401-9B35-4933-9B10-52FFA9740042 6400f401f401320000",
      ]
    ),
    (
      "witmotion-bwt901ble",
      [
        "subscribe 0000FFE4-0000-1000-8000-00805F9A34FB",
        "write 0000FFE9-0000-1000-8000-00805F9A34FB ffaa6988b5",
        "write 0000FFE9-0000-1000-8000-00805F9A34FB ffaa030800",
      ]
    ),
    (
      "polar-verity-sense",
      [
        "subscribe 2A37", "subscribe FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8",
        "subscribe FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8",
        "write FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8 0202020108000001340001011000040103",
        "read 2A19",
      ]
    ),
  ]

  private func short(_ command: RadioCommand) -> String {
    switch command {
    case .subscribe(_, let uuid, _): "subscribe \(uuid)"
    case .read(_, let uuid): "read \(uuid)"
    case .write(_, let uuid, let data, _):
      // The time is asserted elsewhere.
      uuid == CurrentTime.uuid || uuid == DateTime.uuid
        ? "write \(uuid) \(data.count) bytes" : "write \(uuid) \(hex(data))"
    case .disconnect(let address): "disconnect(\(address))"
    default: "\(command)"
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test(arguments: sessions.indices)
  func ask(index: Int) throws {
    let (id, commands) = Self.sessions[index]
    var bench = try SessionBench(id)
    let names = bench.session.definition.session.start.flatMap(\.characteristics)
    var outputs = try bench.connect(names.map(\.description))
    // Every wait ends after its time limit; the link with a silent sensor is renewed after all.
    while let due = bench.session.wakeAt {
      let more = bench.session.wake(at: due)
      let isSilent = more.contains { output in
        if case .note(let note) = output, case .silent = note.kind { true } else { false }
      }
      guard !isSilent else { break }
      outputs += more
    }
    #expect(outputs.commands.map(short) == commands)
  }

  @Test func `paired devices require a bond`() throws {
    #expect(
      try Repository.catalog().definitions.filter { $0.link.bond == .required }.map(\.id) == [
        "aandd-ble", "beurer-bf500", "beurer-bf7xx", "microlife-bp3gy1", "nonin-3230",
        "omron-blood-pressure",
        "omron-hbf-222t", "omron-hbf-702t", "omron-hem-6161t", "omron-hem-6232t",
        "omron-hem-7142t2", "omron-hem-7146t2", "omron-hem-7150t", "omron-hem-7151t",
        "omron-hem-7155t", "omron-hem-7188t1", "omron-hem-7320t", "omron-hem-7322t",
        "omron-hem-7361t",
        "omron-hem-7380t1", "omron-hem-7530t", "omron-hem-7600t", "omron-sig-scale",
        "sanitas-sbf72", "sig-continuous-glucose", "sig-glucose",
      ])
  }

  @Test func `connected devices request what they decode`() throws {
    for definition in try Repository.catalog().definitions where definition.link.mode == .connect {
      #expect(!definition.session.start.isEmpty || definition.memory != nil)
    }
  }

  @Test(arguments: [
    ("polar-h10", "FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8", "0302"),
    ("polar-verity-sense", "FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8", "0302"),
    ("movesense", "34800001-7185-4D5D-B431-630E7050E8F0", "0263"),
    ("movella-dot", "15172001-4947-11E9-8646-D663BD873D93", "010015"),
  ])
  func `streams are stopped`(id: String, characteristic: String, bytes: String) throws {
    var bench = try SessionBench(id)
    _ = try bench.connect([characteristic])
    #expect(
      bench.session.end(at: SessionBench.time(1)).commands.map(short).first
        == "write \(characteristic) \(bytes)")
  }
}
