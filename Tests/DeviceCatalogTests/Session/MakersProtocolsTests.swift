import Care
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// Whole sessions of makers' own protocols: what is written after what the device sends.
struct MakersProtocolsTests {
  /// A value that a device sends, and the commands that are then written.
  ///
  /// The clock is 2027-01-15T08:00:00Z.
  struct Exchange {
    var characteristic: String
    var sent: String
    var written: [String] = []
  }

  private func check(
    _ id: String, _ characteristics: [String], first: [String], _ exchanges: [Exchange]
  ) throws -> [Reading] {
    var bench = try SessionBench(id)
    var outputs = try bench.connect(characteristics)
    while let command = outputs.commands.last, case .write(_, let uuid, _, true) = command {
      let more = bench.handle(.written(SessionBench.address, characteristic: uuid))
      guard !more.isEmpty else { break }
      outputs += more
    }
    #expect(outputs.commands.compactMap(short) == first.map(compact))
    var readings: [Reading] = []
    for (index, exchange) in exchanges.enumerated() {
      let outputs = try bench.value(exchange.characteristic, exchange.sent, at: Double(index) / 10)
      #expect(outputs.commands.compactMap(short) == exchange.written.map(compact))
      #expect(outputs.rejections == [])
      // A reading that is acknowledged has been given out before.
      if let answer = outputs.firstIndex(where: { [$0].commands.isEmpty == false }) {
        #expect(outputs[answer...].allSatisfy { [$0].readings.isEmpty })
      }
      readings += outputs.readings
    }
    return readings
  }

  private func compact(_ text: String) -> String { text.replacing(" ", with: "") }

  private func short(_ command: RadioCommand) -> String? {
    guard case .write(_, let uuid, let data, _) = command else { return nil }
    let digits = data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    return "\(uuid):" + digits.joined()
  }

  @Test func `qn basic`() throws {
    let readings = try check(
      "qn-scale", ["FFE1", "FFE2", "FFE3", "FFE4"], first: [],
      [
        Exchange(
          characteristic: "FFE1", sent: "1211ff03aa670003ff030305000005074f",
          written: ["FFE3: 1309ff01100000002c"]),
        Exchange(
          characteristic: "FFE1", sent: "1404ff17", written: ["FFE4: 2008ff 808edc32 43"]),
        Exchange(characteristic: "FFE1", sent: "2104ff24"),
        Exchange(characteristic: "FFE1", sent: "100bff1522000000000051"),
        Exchange(characteristic: "FFE1", sent: "100bff1d470101f901f771"),
      ])
    #expect(readings.map(\.value) == [74.95, 505])
  }

  @Test func `qn extended`() throws {
    let readings = try check(
      "qn-scale", ["FFF1", "FFF2"], first: [],
      [
        Exchange(
          characteristic: "FFF1", sent: "1212ff0fac140004ff0f070a0000059f30e9",
          written: ["FFF2: 1309ff01100000002c"]),
        Exchange(
          characteristic: "FFF1", sent: "1404ff17", written: ["FFF2: 2008ff 808edc32 43"]),
        Exchange(
          characteristic: "FFF1", sent: "2105ff0025",
          written: ["FFF2: a00d02feffee012306a404026e"]),
        Exchange(characteristic: "FFF1", sent: "a10602fe01a8", written: ["FFF2: 2206ff000128"]),
        Exchange(characteristic: "FFF1", sent: "2313ff0201f04b2e7e311cd901f401f600e617"),
        Exchange(characteristic: "FFF1", sent: "100efffe021d4701f901f700d245"),
      ])
    #expect(readings.map(\.value) == [73.85, 500, 74.95, 505])
    #expect(
      readings.map { $0.deviceTime?.description } == [
        "2026-04-24T13:36:11", "2026-04-24T13:36:11", nil, nil,
      ])
  }

  @Test func `qn etekcity keeps its vendor byte`() throws {
    let readings = try check(
      "qn-scale", ["FFF1", "FFF2"], first: [],
      [
        Exchange(
          characteristic: "FFF1", sent: "120f1500000000000000000000000036",
          written: ["FFF2: 130915011000000042"]),
        Exchange(characteristic: "FFF1", sent: "2104153a", written: ["FFF2: 2204153b"]),
        Exchange(
          characteristic: "FFF1", sent: "23141501016e6e73302b48016b013400000000e1"),
      ])
    #expect(readings.map(\.value) == [110.8, 363])
  }

  @Test func yunmai() throws {
    let readings = try check(
      "yunmai-scale", ["FFE4", "FFE9"],
      first: [
        "FFE9: 0d12100100000001aa0123555a0000010387", "FFE9: 0d0d11 6b49d200 0000000000 ec",
        "FFE9: 0d05130016",
      ],
      [Exchange(characteristic: "FFE4", sent: "0d1e14020065f69f88000000011e9b0200086062")])
    #expect(readings.map(\.value) == [78.35, 512])
  }

  /// One acknowledgement deletes all that is stored, so it waits for the result.
  @Test func `lefu records are acknowledged after the last`() throws {
    let readings = try check(
      "renpho-es-26bb", ["2A10", "2A11"], first: ["2A11: 55aa9000040100000094"],
      [
        Exchange(characteristic: "2A10", sent: "55aa11000501010107001f"),
        Exchange(characteristic: "2A10", sent: "55aa15000c000017cf0369000002670000db"),
        Exchange(characteristic: "2A10", sent: "55aa15000c000017ca0363000001470000af"),
        Exchange(
          characteristic: "2A10", sent: "55aa14000701000017d9035664",
          written: ["2A11: 55aa9500010196"]),
      ])
    #expect(readings.map(\.value) == [60.95, 873, 60.9, 867, 61.05, 854])
    #expect(
      readings.map { $0.deviceTime?.description } == [
        "2027-01-15T07:49:45", "2027-01-15T07:49:45", "2027-01-15T07:54:33",
        "2027-01-15T07:54:33", nil, nil,
      ])
    #expect(readings.map(\.isDatedByAge) == [true, true, true, true, false, false])
  }

  @Test func `lefu with a guest`() throws {
    let readings = try check(
      "renpho-es-cs20m-lefu", ["2A10", "2A11", "2A12"],
      first: [
        "2A11: 55aa970009 0100006b49d2000000 26",
        "2A11: 55aa96000e 1907c3010106a400001b58a9ff05 52", "2A11: 55aa9000040100000094",
      ],
      [
        Exchange(characteristic: "2A10", sent: "55aa1400070000001ec30000fb"),
        Exchange(characteristic: "2A12", sent: "55aa18000d01010900001ec301df00ef00eccb"),
      ])
    #expect(readings.map(\.value) == [78.75, 479])
  }

  @Test func `eufy history is fetched and deleted`() throws {
    let readings = try check(
      "eufy-classic", ["FFF1", "FFF4"],
      first: ["FFF1: fd37000100000000000 0cb", "FFF1: f1 07eb 01 0f 08 00 00"],
      [
        Exchange(characteristic: "FFF4", sent: "f100", written: ["FFF1: f200"]),
        Exchange(characteristic: "FFF4", sent: "cf7b132a1c00000000009107ea0b1407093a"),
        Exchange(characteristic: "FFF4", sent: "f200", written: ["FFF1: f201"]),
        Exchange(characteristic: "FFF4", sent: "cf7b132a1c000000000091"),
      ])
    #expect(readings.map(\.value) == [498.7, 72.1, 72.1, 498.7])
  }

  @Test func `oximeter records are asked for by tens`() throws {
    let readings = try check(
      "beurer-po60", ["FF01", "FF02"], first: ["FF01: 831b010f080000000036"],
      [
        Exchange(characteristic: "FF02", sent: "e900180311072c00180311072d0c000000635f61"),
        Exchange(characteristic: "FF02", sent: "55414835"),
        Exchange(characteristic: "FF02", sent: "e909180311072c00180311072d0c000000635f61"),
        Exchange(characteristic: "FF02", sent: "5541483e", written: ["FF01: 99011a"]),
      ])
    #expect(readings.map(\.value) == [97, 72, 97, 72])
  }

  /// All but the first two bytes is hidden by the address; each step follows the answer to the last.
  @Test func `realme is masked both ways`() throws {
    var bench = try SessionBench("realme-scale")
    var outputs = try bench.connect(["A621", "A622", "A624", "A625"])
    for _ in 0..<6 {
      outputs += bench.handle(.written(SessionBench.address, characteristic: try uuid("A624")))
      outputs += try bench.value("A625", "000101")
    }
    #expect(
      outputs.commands.compactMap(short) == [
        "A624:100b5cc2d270d4a25ccad370d6",
        "A624:10085cc0cb1b9d705cca",
        "A624:100414cbd371",
        "A624:100b4ccbd270f7a2f6cad36b8c",
        "A624:10034cced3",
        "A624:10034ccdd2",
      ])
    let result = try bench.value("A621", "101114c8d370d4a25ccacf5ab154c342d284d4")
    #expect(result.readings.map(\.value) == [72.1, 500])
  }
}
