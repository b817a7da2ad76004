import Care
import DeviceCatalog
import GATT
import Radio
import Testing

/// The stored records of a Mi scale are fetched after a weighing, and deleted after they are
/// stored.
struct MiScaleHistoryTests {
  private let address = SessionBench.address
  private let history = "00002a2f-0000-3512-2118-0009af100700"
  private let weighing = "0226e607020e10293af7019a38"

  private func write(_ bytes: [UInt8]) throws -> SessionOutput {
    .command(
      .write(address, characteristic: try uuid(history), data: bytes, withResponse: true))
  }

  /// A scale that has advertised for some time.
  private func advertisedScale() throws -> (bench: SessionBench, outputs: [SessionOutput]) {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    var outputs: [SessionOutput] = []
    for second in stride(from: 0.0, through: 25, by: 5) {
      outputs += try bench.advertise(0x181B, weighing, at: second)
    }
    return (bench, outputs)
  }

  @Test func `connects once the weighing is over`() throws {
    let (_, outputs) = try advertisedScale()
    #expect(outputs.readings.map(\.value) == [72.45, 503])
    #expect(outputs.commands == [.connect(address)])
    #expect(outputs.last == .command(.connect(address)))
  }

  @Test func `does not connect while the impedance is awaited`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    for second in stride(from: 0.0, through: 15, by: 5) {
      _ = try bench.advertise(0x181B, "0204e607020e10293a00009a38", at: second)
    }
    #expect(try bench.advertise(0x181B, "0224e607020e10293a00009a38", at: 21) == [])
    #expect(try bench.advertise(0x181B, weighing, at: 22).commands == [.connect(address)])
  }

  @Test func `deletes stored records`() throws {
    var (bench, _) = try advertisedScale()
    let begin = try bench.connect(["2A2B", history], at: 26).commands
    #expect(begin.first == .subscribe(address, characteristic: try uuid(history)))
    #expect(begin.count == 2)
    let clock = RadioEvent.written(address, characteristic: CurrentTime.uuid)
    let records = RadioEvent.written(address, characteristic: try uuid(history))
    #expect(bench.handle(clock, at: 27) == [try write([1, 0xFF, 0xFF, 0x4D, 0x45])])
    #expect(bench.handle(records, at: 27) == [])
    #expect(try bench.value(history, "01 0200 ffff 4d45", at: 27) == [try write([2])])
    #expect(bench.handle(records, at: 27) == [])

    // The advertised weighing, and a missed one.
    let first = try bench.value(history, weighing, at: 28)
    let second = try bench.value(history, "0324e607020f07000a00003a3e", at: 28)
    #expect((first + second).readings.map(\.quantity) == [.bodyMass, .impedance, .bodyMass])
    #expect((first + second).commands == [])
    // Both readings precede the write that deletes the records.
    #expect(try bench.value(history, "03", at: 29) == [try write([3])])
    #expect(bench.handle(records, at: 29) == [try write([4, 0xFF, 0xFF, 0x4D, 0x45])])
    #expect(bench.handle(records, at: 29) == [.command(.disconnect(address))])
    #expect(bench.handle(.disconnected(address), at: 30) == [])

    // No further connection for an hour.
    for time in [60.0, 100, 3600, 3625] {
      #expect(try bench.advertise(0x181B, weighing, at: time).commands == [])
    }
    #expect(try bench.advertise(0x181B, weighing, at: 3630).commands == [.connect(address)])
  }

  @Test func `deletes nothing without the end`() throws {
    var (bench, _) = try advertisedScale()
    var outputs = try bench.connect([history], at: 26)
    outputs += try bench.value(history, weighing, at: 27)
    while let due = bench.session.wakeAt { outputs += bench.session.wake(at: due) }
    #expect(outputs.readings.map(\.value) == [72.45, 503])
    #expect(
      outputs.commands.suffix(2) == [
        .write(address, characteristic: try uuid(history), data: [2], withResponse: true),
        .disconnect(address),
      ])
  }

  @Test func `a record is the same sample as the advertisement`() throws {
    var (bench, advertised) = try advertisedScale()
    let stored = try bench.value(history, weighing, at: 26)
    #expect(
      stored.readings.map { SampleIdentity($0) } == advertised.readings.map { SampleIdentity($0) })
    #expect(stored.readings.count == 2)
    // The first was received before its impedance.
    var other = try SessionBench("xiaomi-mi-scale-2")
    _ = try other.advertise(0x181B, "0224e607020e10293a00009a38")
    let early = other.session.wake(at: SessionBench.time(15)).readings
    #expect(
      early.map { SampleIdentity($0) } == stored.readings.prefix(1).map { SampleIdentity($0) })
  }

  @Test func `version 1 sends two records in one notification`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-1")
    let two = "223e30e607020e10293a 222c30e607020f07000a"
    #expect(try bench.value(history, two).readings.map(\.value) == [61.75, 61.66])
    #expect(
      try bench.value(history, two + "22").rejections.map(\.defect) == [
        .wrongLength(count: 21, expected: 10)
      ])
    // A record that is not stable is kept, and no weight.
    let unstable = try bench.value(history, "023e30e607020e10293a").readings
    #expect(unstable.map(\.value) == [61.75] && unstable.allSatisfy { $0.discardedBy != nil })
  }
}
