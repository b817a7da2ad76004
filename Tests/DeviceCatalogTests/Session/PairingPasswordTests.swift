import Care
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// Scales that send a password once, while they are paired, and ask for it on every later link.
struct PairingPasswordTests {
  private static let characteristics = ["8A21", "8A24", "8A22", "8A81", "8A82"]
  private static let key = Secret(bytes("f180a0cb 000000000000000000000000"))

  /// A scale on a new link, of the plan or not.
  private func bench(
    _ id: String = "transtek-body-connect", key: Secret<[UInt8]>? = nil, isPlanned: Bool = true
  ) throws -> SessionBench {
    var bench = try SessionBench(id)
    bench.session.trust(DeviceCredentials(key: key, isPlanned: isPlanned))
    _ = try bench.connect(Self.characteristics)
    return bench
  }

  private func written(_ outputs: [SessionOutput]) -> [String] {
    outputs.commands.compactMap { command in
      guard case .write(_, let uuid, let data, let withResponse) = command else { return nil }
      #expect(uuid == BluetoothUUID(0x8A81) && withResponse)
      return data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }

  private func name(_ slot: Int, _ text: String) -> String {
    let letters = text.utf8.map { String($0, radix: 16) }.joined()
    return "83 0\(slot)" + letters + String(repeating: "20", count: 18 - text.utf8.count)
  }

  @Test func `is kept before the scale hears of it`() throws {
    var bench = try bench()
    let outputs = try bench.value("8A82", "a0 f180a0cb", confirmation: 7)
    let confirmation = Confirmation(address: SessionBench.address, number: 7)
    #expect(
      outputs == [
        .learned(SessionBench.address, key: Self.key), .command(.confirm(confirmation)),
        .command(
          .write(
            SessionBench.address, characteristic: BluetoothUUID(0x8A81), data: bytes("2101000000"),
            withResponse: true)),
      ])
    #expect(!"\(outputs)".contains("241, 128"))
  }

  /// Nothing is written between the random number and the last of the eight names.
  @Test func `is paired after the eighth name`() throws {
    var bench = try bench()
    _ = try bench.value("8A82", "a0 f180a0cb")
    #expect(written(try bench.value("8A82", "a1 010040a1")) == ["20f080e06a"])
    for slot in 1...7 {
      #expect(try bench.value("8A82", name(slot, "mary")) == [])
    }
    // 2027-01-15T08:00:00 in seconds since 2010.
    #expect(
      written(try bench.value("8A82", name(8, ""))) == [
        "03086d656173757265642020202020202020" + "2020", "511708" + "0123a4d600", "0200970c20",
        "22",
      ])
  }

  @Test func `keeps an eighth user`() throws {
    var bench = try bench("weight-gurus-0376b")
    _ = try bench.value("8A82", "a0 f180a0cb")
    let name = name(8, "jane")
    #expect(
      written(try bench.value("8A82", name)) == [
        "03" + name.dropFirst(2).replacing(" ", with: ""), "0200970c20", "22",
      ])
  }

  @Test func `opens every later link`() throws {
    var bench = try bench("weight-gurus-0376b", key: Self.key)
    #expect(written(try bench.value("8A82", "a1 010040a1")) == ["20f080e06a", "0200970c20"])
    #expect(try bench.value("8A82", name(8, "")) == [])
    let weight = try bench.value("8A24", "3f581b00fe1020401f00000000881300ff0119")
    #expect(weight.readings.map(\.value) == [70, 500])
    #expect(weight.readings.map(\.userIndex) == [1, 1])
    let body = try bench.value("8A22", "6d1020401f01b7f058f290f123f0")
    #expect(body.readings.map(\.value) == [18.3, 60, 40])
    #expect(Set((weight + body).readings.map(\.deviceTime)).count == 1)
  }

  @Test func `is known after a link that broke in the pairing`() throws {
    var bench = try bench("trisa-body-analyze")
    #expect(written(try bench.value("8A82", "a0 f180a0cb")) == ["2101000000", "22"])
    _ = bench.handle(.disconnected(SessionBench.address), at: 1)
    // It is no pairing any more: the clock is set.
    _ = try bench.connect(Self.characteristics, at: 2)
    #expect(
      written(try bench.value("8A82", "a1 010040a1", at: 3)) == ["20f080e06a", "0203970c20"])
    let outputs = try bench.value("8A21", "1f b01d00fe da2f8110 00000000 0a1500ff 00 09", at: 4)
    #expect(outputs.readings.map(\.value) == [76, 538.6])
  }

  @Test func `is replaced by a new pairing`() throws {
    var bench = try bench(key: Secret(bytes("00000000000000000000000000000000")))
    let outputs = try bench.value("8A82", "a0 f180a0cb")
    #expect(outputs.first == .learned(SessionBench.address, key: Self.key))
    #expect(written(try bench.value("8A82", "a1 010040a1")) == ["20f080e06a"])
  }

  /// It may be a neighbour's scale, which the neighbour is pairing.
  @Test func `is not taken from a scale that the plan does not name`() throws {
    var bench = try bench(isPlanned: false)
    let note = SessionOutput.note(
      SessionNote(
        address: SessionBench.address, name: "Transtek Body Connect", kind: .notPaired))
    #expect(try bench.value("8A82", "a0 f180a0cb") == [note])
    #expect(try bench.value("8A82", "a1 010040a1") == [note])
    #expect(try bench.value("8A82", name(8, "")) == [])
  }

  @Test func `is asked for in vain`() throws {
    var bench = try bench()
    let outputs = try bench.value("8A82", "a1 010040a1")
    #expect(outputs.notes.map(\.kind) == [.notPaired])
    #expect(outputs.commands == [])
  }

  @Test(arguments: ["a0", "a0 f180a0", "a1", "a1 010040", "83", "83 08", "c0", ""])
  func `is not in a frame that is too short`(frame: String) throws {
    var bench = try bench(key: Self.key)
    let outputs = try bench.value("8A82", frame)
    #expect(!outputs.contains { if case .learned = $0 { true } else { false } })
    #expect(written(outputs).allSatisfy { $0.hasPrefix("02") })
  }

  @Test func `needs a subscription and a rule`() {
    let rule = "  password: {characteristic: \"8A82\", bytes: a0, at: 1, count: 4}\n"
    let answer = """
          - subscribe: "2A9D"
        answers:
          - to: {characteristic: "2A9D", bytes: "01"}
            write: {characteristic: FFF1, data: [{password: {at: 1, count: 4}}]}

      """
    func reasons(_ text: String) -> [String] {
      let file = SampleDefinition.file("    - subscribe: \"2A9D\"\n", text)
      return DeviceCatalog.lint([[file]]).map(\.reason)
    }
    #expect(reasons(answer) == ["the session has no ‘password’ that the answer depends on"])
    #expect(
      reasons(answer + rule) == ["the password comes from 8A82, which nothing subscribes to"])
    #expect(
      reasons(
        """
            - subscribe: "2A9D"
            - write: {characteristic: FFF1, data: [{password: {at: 1, count: 4}}]}

        """) == ["only an answer is an exclusive or with the password"])
  }
}
