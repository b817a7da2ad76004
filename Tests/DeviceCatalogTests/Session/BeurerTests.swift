import Care
import DeviceCatalog
import GATT
import Radio
import TestSupport
import Testing

/// A scale that requires a user's consent.
struct BeurerTests {
  private let address = SessionBench.address
  private let control = BluetoothUUID(0x2A9F)
  static let characteristics = [
    "2A9D", "2A9C", "2A9F", "2A99", "FFF2", "2A2B", "2A85", "2A8C", "2A8E", "FFF3",
  ]

  private func write(_ characteristic: String, _ hex: String) throws -> RadioCommand {
    .write(
      address, characteristic: try uuid(characteristic), data: bytes(hex), withResponse: true)
  }

  private func read(_ characteristic: String) throws -> RadioCommand {
    .read(address, characteristic: try uuid(characteristic))
  }

  /// A link after the first steps, up to the first consent.
  private func consenting(
    _ users: [(index: UInt8, code: UInt16)] = [(1, 2520)],
    characteristics: [String] = characteristics
  ) throws -> (bench: SessionBench, outputs: [SessionOutput]) {
    var bench = try SessionBench("beurer-bf7xx")
    bench.session.trust(
      DeviceCredentials(
        users: users.map { .init(index: $0.index, consentCode: Secret($0.code)) }))
    _ = try bench.connect(characteristics)
    _ = try acknowledge("2A2B", &bench)
    _ = try acknowledge("FFF2", &bench)
    let outputs = try bench.value("FFF2", "01", at: 1)
    return (bench, outputs)
  }

  private func acknowledge(
    _ characteristic: String, _ bench: inout SessionBench
  ) throws -> [SessionOutput] {
    bench.handle(.written(address, characteristic: try uuid(characteristic)), at: 1)
  }

  @Test func `subscribes and sets the time first`() throws {
    var bench = try SessionBench("beurer-bf7xx")
    let commands = try bench.connect(Self.characteristics).commands
    #expect(
      commands.dropLast() == [
        .subscribe(address, characteristic: try uuid("2A9D")),
        .subscribe(address, characteristic: try uuid("2A9C")),
        .subscribe(address, characteristic: control),
        .subscribe(address, characteristic: try uuid("2A99")),
        .subscribe(address, characteristic: try uuid("FFF2")),
      ])
    #expect(try acknowledge("2A2B", &bench).commands == [write("FFF2", "00")])
    // One user's entry; the list continues.
    #expect(try acknowledge("FFF2", &bench) == [])
    #expect(try bench.value("FFF2", "00 01 424155 0000 bc07 0a0b b7 01 03", at: 1) == [])
  }

  @Test func `confirms the profile after the consent`() throws {
    var (bench, consent) = try consenting()
    #expect(consent == [.command(try write("2A9F", "02 01 d809"))])
    #expect(try acknowledge("2A9F", &bench) == [])
    #expect(try bench.value("2A9F", "20 02 01", at: 2).commands == [read("2A85")])
    #expect(try bench.value("2A85", "bc07 0a 0b", at: 2).commands == [read("2A8C")])
    #expect(try bench.value("2A8C", "00", at: 2).commands == [read("2A8E")])
    #expect(try bench.value("2A8E", "b700", at: 2).commands == [read("FFF3")])
    #expect(try bench.value("FFF3", "03", at: 2).commands == [write("2A85", "bc07 0a 0b")])
    #expect(try acknowledge("2A85", &bench).commands == [write("2A8C", "00")])
    #expect(try acknowledge("2A8C", &bench).commands == [write("2A8E", "b700")])
    #expect(try acknowledge("2A8E", &bench).commands == [write("FFF3", "03")])
    #expect(try acknowledge("FFF3", &bench).commands == [read("2A99")])
    #expect(
      try bench.value("2A99", "ff000000", at: 2).commands == [write("2A99", "00010000")])
    #expect(try acknowledge("2A99", &bench) == [])
    let weight = try bench.value("2A9D", "0e783eea07050c12353601ee002607", at: 5, confirmation: 1)
    #expect(weight.readings.map(\.userIndex) == [1, 1, 1])
    #expect(weight.commands == [.confirm(Confirmation(address: address, number: 1))])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func `writes back only what it read`() throws {
    var (bench, _) = try consenting()
    _ = try bench.value("2A9F", "20 02 01", at: 2)
    var commands: [RadioCommand] = []
    for _ in 0..<4 {
      commands += bench.handle(.failed(address, LinkError(reason: "no read")), at: 3).commands
    }
    // If the counter cannot be read either, it becomes 1.
    #expect(commands == [try read("2A8C"), try read("2A8E"), try read("FFF3"), try read("2A99")])
    #expect(
      bench.handle(.failed(address, LinkError(reason: "no read")), at: 3).commands
        == [try write("2A99", "01000000")])
  }

  @Test func `skips steps that a model does not support`() throws {
    var (bench, consent) = try consenting(
      characteristics: ["2A9D", "2A9C", "2A9F", "2A99", "2A2B", "2A8E"])
    // Without a list of users the consent follows the time directly.
    #expect(consent == [])
    #expect(try bench.value("2A9F", "20 02 01", at: 2).commands == [read("2A8E")])
    #expect(try bench.value("2A8E", "b700", at: 2).commands == [write("2A8E", "b700")])
    #expect(try acknowledge("2A8E", &bench).commands == [read("2A99")])
  }

  /// The scale's response, and its result.
  static let refusals: [(response: String, result: UserControlPoint.Result)] = [
    ("20 02 05", .userNotAuthorized), ("20 02 03", .invalidParameter),
    ("20 02 02", .opcodeNotSupported), ("20 02 04", .operationFailed),
  ]

  private func note(_ kind: SessionNote.Kind) -> SessionOutput {
    .note(SessionNote(address: address, name: "Beurer diagnostic scale", kind: kind))
  }

  @Test(arguments: refusals.indices)
  func `reports a refused consent`(index: Int) throws {
    var (bench, _) = try consenting()
    let outputs = try bench.value("2A9F", Self.refusals[index].response, at: 2)
    #expect(outputs == [note(.consentRefused(user: 1, Self.refusals[index].result))])
    #expect(bench.session.wakeAt == nil)
    #expect(outputs.notes.allSatisfy { !"\($0)".contains("2520") })
  }

  @Test func `ignores other responses`() throws {
    var (bench, _) = try consenting()
    for answer in ["20 01 01 01", "20", "21 02 01", "20 02 09", ""] {
      #expect(try bench.value("2A9F", answer, at: 2) == [])
    }
    #expect(bench.session.wakeAt == SessionBench.time(6).steady)
    #expect(
      bench.session.wake(at: SessionBench.time(6)) == [note(.consentUnanswered(user: 1))])
  }

  @Test func `sends the next users consent after the first`() throws {
    var (bench, consent) = try consenting([(1, 2520), (2, 7)])
    #expect(consent.commands == [try write("2A9F", "02 01 d809")])
    // The first is refused, the second is not.
    let second = try bench.value("2A9F", "20 02 05", at: 2)
    #expect(second.notes.count == 1)
    #expect(second.commands == [try write("2A9F", "02 02 0700")])
    #expect(try bench.value("2A9F", "20 02 01", at: 3).commands == [read("2A85")])
  }

  @Test func `reports a missing consent`() throws {
    let (_, outputs) = try consenting([])
    #expect(outputs == [note(.missingConsent)])
  }
}
