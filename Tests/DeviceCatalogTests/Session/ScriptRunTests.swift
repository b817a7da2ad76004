import Foundation
import GATT
import Radio
import Testing

@testable import DeviceCatalog

struct ScriptRunTests {
  private let address = SessionBench.address
  private let a = BluetoothUUID(0xAA01)
  private let b = BluetoothUUID(0xAA02)

  private func run(_ steps: [SessionStep], available: [BluetoothUUID]? = nil) -> ScriptRun {
    ScriptRun(
      [Instruction](steps, available: Set(available ?? [a, b]), users: []), for: address,
      timeZone: .gmt)
  }

  private func time(_ seconds: Double) -> EventTime { SessionBench.time(seconds) }

  private func write(_ byte: UInt8, withResponse: Bool = true) -> SessionStep {
    .write(a, .bytes([byte]), withResponse: withResponse)
  }

  private func written(_ byte: UInt8, withResponse: Bool = true) -> ScriptRun.Output {
    .command(.write(address, characteristic: a, data: [byte], withResponse: withResponse))
  }

  @Test func `performs steps without a response at once`() {
    var run = run([.subscribe(a), .subscribe(b), write(1, withResponse: false)])
    #expect(
      run.proceed(at: time(0)) == [
        .command(.subscribe(address, characteristic: a)),
        .command(.subscribe(address, characteristic: b)), written(1, withResponse: false),
      ])
    #expect(run.wakeAt == nil)
  }

  @Test func `one write waits for the other`() {
    var run = run([write(1), write(2)])
    #expect(run.proceed(at: time(0)) == [written(1)])
    #expect(run.written(b, at: time(0.1)) == [])
    #expect(run.written(a, at: time(0.2)) == [written(2)])
    #expect(run.wakeAt == time(5.2).steady)
    #expect(run.written(a, at: time(0.3)) == [])
    #expect(run.wakeAt == nil)
  }

  @Test func `a read waits for its value`() {
    var run = run([.read(b), write(1)])
    #expect(run.proceed(at: time(0)) == [.command(.read(address, characteristic: b))])
    #expect(run.value([1], of: a, at: time(1)) == [])
    #expect(run.value([], of: b, at: time(1)) == [written(1)])
  }

  @Test func `accepts an indication before the write response`() throws {
    let pattern = try #require(BytePattern("F0 0?"))
    let wait = SessionStep.waitFor(.init(characteristic: b, bytes: pattern, seconds: 2))
    var run = run([write(1), wait, write(2), wait, write(3)])
    #expect(run.proceed(at: time(0)) == [written(1)])
    #expect(run.value([0xF0, 0x01], of: b, at: time(0.1)) == [])
    #expect(run.written(a, at: time(0.2)) == [written(2)])
    // It was the response to the first write, not to the second.
    #expect(run.written(a, at: time(0.3)) == [])
    #expect(run.value([0xF0, 0x02], of: b, at: time(0.4)) == [written(3)])
  }

  @Test func `a wait ends with the right bytes`() throws {
    let pattern = try #require(BytePattern("F0 0?"))
    var run = run([.waitFor(.init(characteristic: b, bytes: pattern, seconds: 2)), write(1)])
    #expect(run.proceed(at: time(0)) == [])
    #expect(run.value([0xF0, 0x10], of: b, at: time(1)) == [])
    #expect(run.value([0xF0], of: b, at: time(1)) == [])
    #expect(run.value([0xF0, 0x0F, 9], of: b, at: time(1)) == [written(1)])
  }

  @Test func `a wait may want a length`() throws {
    let pattern = try #require(BytePattern("03"))
    var run = run([
      .waitFor(.init(characteristic: b, bytes: pattern, length: 1, seconds: 2)), write(1),
    ])
    _ = run.proceed(at: time(0))
    #expect(run.value([3, 0x24], of: b, at: time(1)) == [])
    #expect(run.value([3], of: b, at: time(1)) == [written(1)])
    #expect(!run.isFinished)
    #expect(run.written(a, at: time(1)) == [])
    #expect(run.isFinished)
  }

  @Test func `without a required value the rest is skipped`() throws {
    let pattern = try #require(BytePattern("03"))
    let wait = SessionStep.Wait(characteristic: b, bytes: pattern, seconds: 2, isRequired: true)
    var late = run([.waitFor(wait), write(1), .delay(1)])
    _ = late.proceed(at: time(0))
    #expect(late.wake(at: time(2)) == [])
    #expect(late.isFinished)
    var failed = run([.waitFor(wait), write(1)])
    _ = failed.proceed(at: time(0))
    #expect(failed.failed(at: time(1)) == [])
    #expect(failed.isFinished)
    var served = run([.waitFor(wait), write(1)])
    _ = served.proceed(at: time(0))
    #expect(served.value([3], of: b, at: time(1)) == [written(1)])
  }

  @Test func `reads all before writing them back`() {
    var run = run([.echo([a, b])])
    #expect(run.proceed(at: time(0)) == [.command(.read(address, characteristic: a))])
    #expect(
      run.value([1, 2], of: a, at: time(0)) == [.command(.read(address, characteristic: b))])
    #expect(
      run.value([], of: b, at: time(0))
        == [.command(.write(address, characteristic: a, data: [1, 2], withResponse: true))])
    #expect(
      run.written(a, at: time(0))
        == [.command(.write(address, characteristic: b, data: [], withResponse: true))])
  }

  /// A counter and its successor.
  @Test(arguments: [
    ([0, 0, 0, 0], [1, 0, 0, 0]), ([0xFF, 0xFF, 0, 0], [0, 0, 1, 0]),
    ([0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0]), ([7], [1, 0, 0, 0]), ([], [1, 0, 0, 0]),
    ([1, 0, 0, 0, 9], [2, 0, 0, 0]),
  ])
  func counts(from old: [UInt8], to new: [UInt8]) {
    var run = run([.increment(a)])
    _ = run.proceed(at: time(0))
    #expect(
      run.value(old, of: a, at: time(0))
        == [.command(.write(address, characteristic: a, data: new, withResponse: true))])
  }

  @Test func `a wait ends with its time`() throws {
    let pattern = try #require(BytePattern("F0"))
    var run = run([
      .waitFor(.init(characteristic: b, bytes: pattern, seconds: 2)), .delay(1), write(1),
    ])
    _ = run.proceed(at: time(0))
    #expect(run.wake(at: time(1.9)) == [])
    #expect(run.wake(at: time(2)) == [])
    #expect(run.wakeAt == time(3).steady)
    #expect(run.wake(at: time(3)) == [written(1)])
  }

  @Test func `a failure ends the wait for a response but no delay`() {
    var run = run([write(1), .delay(1), write(2)])
    _ = run.proceed(at: time(0))
    #expect(run.failed(at: time(0.5)) == [])
    #expect(run.wakeAt == time(1.5).steady)
    #expect(run.failed(at: time(0.6)) == [])
    #expect(run.wakeAt == time(1.5).steady)
    #expect(run.wake(at: time(1.5)) == [written(2)])
  }

  @Test func `unsupported steps are skipped`() {
    var run = run([.subscribe(b), write(1), .read(b)], available: [a])
    #expect(run.proceed(at: time(0)) == [written(1)])
    #expect(run.written(a, at: time(1)) == [])
    #expect(run.wakeAt == nil)
  }

  @Test func `nothing happens after the end`() {
    var run = run([])
    #expect(run.proceed(at: time(0)) == [])
    #expect(run.wake(at: time(1)) == [])
    #expect(run.failed(at: time(1)) == [])
    #expect(run.value([1], of: a, at: time(1)) == [])
    #expect(run.written(a, at: time(1)) == [])
  }

  /// The instant, the zone's offset in hours, and the Current Time that is written.
  static let clocks: [(seconds: Double, hours: Int, bytes: [UInt8])] = [
    // 1970-01-01 was a Thursday.
    (0, 0, [0xB2, 0x07, 1, 1, 0, 0, 0, 4, 0, 1]),
    (0, -1, [0xB1, 0x07, 12, 31, 23, 0, 0, 3, 0, 1]),
    // 2024-02-29T12:34:56Z, a Thursday; Sundays are 7.
    (1_709_210_096, 0, [0xE8, 0x07, 2, 29, 12, 34, 56, 4, 0, 1]),
    (1_709_210_096 + 3 * 86_400, 0, [0xE8, 0x07, 3, 3, 12, 34, 56, 7, 0, 1]),
  ]

  @Test(arguments: clocks.indices)
  func `the local time is written`(index: Int) throws {
    let (seconds, hours, bytes) = Self.clocks[index]
    let zone = try #require(TimeZone(secondsFromGMT: hours * 3600))
    let instant = Date(timeIntervalSince1970: seconds)
    let context = WriteContext(
      address: DefinitionVector.syntheticAddress, time: instant, timeZone: zone)
    #expect(SessionStep.Payload.currentTime.bytes(context) == bytes)
    #expect(SessionStep.Payload.dateTime.bytes(context) == Array(bytes.prefix(7)))
    // The value of GATT's decoder.
    let decoded = try CurrentTime(bytes)
    #expect(decoded.adjustReason == .manual)
    #expect(decoded.dateTime.isValid)
  }
}

// MARK: - Keeping the link

struct KeepAliveRunTests {
  private let address = SessionBench.address
  private let rule = SessionScript.KeepAlive(
    characteristic: BluetoothUUID(0xFFF1), bytes: [0xAA], withResponse: false, seconds: 5)

  private var write: RadioCommand {
    .write(address, characteristic: rule.characteristic, data: [0xAA], withResponse: false)
  }

  @Test func `writes periodically`() {
    var run = KeepAliveRun(rule, of: address, from: SessionBench.time(0).steady)
    let writes = [4.9, 5, 5.1, 10].map { run.wake(at: SessionBench.time($0).steady) }
    #expect(writes == [nil, write, nil, write])
    #expect(run.wakeAt == SessionBench.time(15).steady)
  }

  @Test func `skips missed intervals`() {
    var run = KeepAliveRun(rule, of: address, from: SessionBench.time(0).steady)
    let writes = [100, 100.1].map { run.wake(at: SessionBench.time($0).steady) }
    #expect(writes == [write, nil])
    #expect(run.wakeAt == SessionBench.time(105).steady)
  }

  @Test func `is part of a session`() throws {
    let definition = try SampleDefinition.definition(
      "  start:",
      "  keepAlive: {characteristic: FFF1, hex: aa, response: false, every: 5}\n  start:")
    var bench = SessionBench(definition)
    #expect(try bench.connect(["2A9D", "FFF1"]).commands.count == 1)
    #expect(bench.session.wakeAt == SessionBench.time(5).steady)
    #expect(bench.session.wake(at: SessionBench.time(5)) == [.command(write)])
    _ = bench.handle(.disconnected(address), at: 6)
    #expect(bench.session.wakeAt == nil)
    // A device without the characteristic needs none.
    #expect(try bench.connect(["2A9D"], at: 7).commands.count == 1)
    #expect(bench.session.wakeAt == nil)
  }
}
