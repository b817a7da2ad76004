import Care
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// A device is told that it may delete a record only after the record was given away: as a
/// measurement, or as what is kept and not taken as one.
struct KeptBeforeDeletedTests {
  private static let acknowledgements: Set<[UInt8]> = [[0xD0], [0x04]]

  /// A definition with a rule, or none, that discards.
  private func definition(_ random: inout SeededGenerator) throws -> DeviceDefinition {
    func bit() -> Int { Int.random(in: 0...7, using: &random) }
    let rule =
      [
        "", ", validIf: flags.\(bit())", ", validIf: not flags.\(bit())",
        ", validIf: flags = \(bit())", ", invalid: [16000, 20000]",
      ].randomElement(using: &random) ?? ""
    let commit =
      [
        "", "    commit: {stable: flags.\(bit()), quantity: bodyMass}",
        "    commit: {stable: flags.\(bit()), removed: flags.\(bit()), quantity: bodyMass}",
      ].randomElement(using: &random) ?? ""
    let scale = ["0.005", "0.01", "0.1"].randomElement(using: &random) ?? ""
    let text = """
      id: sample
      name: Sample
      vendor: Nobody
      description: A synthetic scale.
      match:
        any:
          - {service: "181D", namePrefix: SAMPLE}
      link: {mode: connect}
      session:
        start:
          - subscribe: "2A9D"
          - waitFor: {characteristic: "2A9D", bytes: ee, seconds: 60, required: true}
          - write: {characteristic: "2A9D", hex: "04", deletes: true}
        answers:
          - {to: {characteristic: "2A9D", bytes: a0}, write: {characteristic: "2A9D", hex: d0}, deletes: true}
      records:
        - characteristic: "2A9D"
          stored: true
          bytes: a0
          fields:
            - {name: kind, type: u8}
            - {name: flags, type: u8}
            - {name: weight, type: u16le, quantity: bodyMass, scale: \(scale), unit: kg\(rule)}
            - {name: time, type: dateTime}
      \(commit)
        - {characteristic: "2A9D", bytes: ee, length: 1, ignored: true}
      vectors: []
      families: [Sample]
      """
    let file = DefinitionFile(name: "sample.yaml", text: text)
    return try #require(try DeviceCatalog.load([[file]]).definition("sample"))
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `nothing is acknowledged that was not given`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bench = SessionBench(try definition(&random))
    _ = try bench.connect(["2A9D"])
    var given: Set<[UInt8]> = []
    var sent: [[UInt8]] = []
    var isDamaged = false
    var acknowledged = 0
    func follow(_ outputs: [SessionOutput]) {
      for output in outputs {
        switch output {
        case .reading(let reading): given.insert(reading.raw)
        case .rejected: isDamaged = true
        case .command(.write(_, _, let data, _)) where Self.acknowledgements.contains(data):
          acknowledged += 1
          #expect(!isDamaged)
          #expect(given.isSuperset(of: sent))
        default: break
        }
      }
    }
    let damaged = Bool.random(using: &random) ? Int.random(in: 0..<12, using: &random) : nil
    for minute in 0..<12 {
      let weight = Int.random(in: 1...0xFFFF, using: &random)
      var frame: [UInt8] =
        [0xA0, UInt8.random(in: 0...255, using: &random), UInt8(weight & 255), UInt8(weight >> 8)]
        + [0xEA, 0x07, 11, 20, 7, UInt8(minute), 0]
      if minute == damaged { frame.removeLast(2) } else { sent.append(frame) }
      follow(try bench.value("2A9D", frame.hexString, at: 1 + Double(minute)))
    }
    follow(try bench.value("2A9D", "ee", at: 20))
    #expect(acknowledged == (damaged.map { $0 } ?? 13))
  }

  /// The history of a Mi Smart Scale, which is deleted by the last step.
  @Test(arguments: [("223e30e607020e10293a", true), ("223e30e607020e1029", false)])
  func `a step deletes only what was read`(record: String, deletes: Bool) throws {
    let history = "00002a2f-0000-3512-2118-0009af100700"
    var bench = try SessionBench("xiaomi-mi-scale-1")
    var outputs = try bench.connect([history])
    for (index, frame) in ["010100ffff4d45", record, "03"].enumerated() {
      let seconds = Double(index) + 1
      outputs += bench.handle(
        .written(SessionBench.address, characteristic: try uuid(history)), at: seconds)
      outputs += try bench.value(history, frame, at: seconds + 0.5)
    }
    for second in 5..<9 {
      outputs += bench.handle(
        .written(SessionBench.address, characteristic: try uuid(history)), at: Double(second))
    }
    let written = outputs.commands.compactMap { command -> [UInt8]? in
      if case .write(_, _, let data, _) = command { data } else { nil }
    }
    #expect(written.contains([3]))
    #expect(written.contains(bytes("04ffff4d45")) == deletes)
  }
}
