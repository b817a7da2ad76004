import Foundation
import GATT
import Radio
import Testing

@testable import DeviceCatalog

@Suite("ScriptRun")
struct ScriptRunTests {
  private let address = SessionBench.address
  private let a = BluetoothUUID(0xAA01)
  private let b = BluetoothUUID(0xAA02)

  private func run(_ steps: [SessionStep], available: [BluetoothUUID]? = nil) -> ScriptRun {
    ScriptRun(
      steps, for: address, available: Set(available ?? [a, b]), timeZone: .gmt)
  }

  private func time(_ seconds: Double) -> Date { SessionBench.time(seconds) }

  private func write(_ byte: UInt8, withResponse: Bool = true) -> SessionStep {
    .write(a, .bytes([byte]), withResponse: withResponse)
  }

  private func written(_ byte: UInt8, withResponse: Bool = true) -> RadioCommand {
    .write(address, characteristic: a, data: [byte], withResponse: withResponse)
  }

  @Test func doesAtOnceWhatNeedsNoAnswer() {
    var run = run([.subscribe(a), .subscribe(b), write(1, withResponse: false)])
    #expect(
      run.proceed(at: time(0)) == [
        .subscribe(address, characteristic: a), .subscribe(address, characteristic: b),
        written(1, withResponse: false),
      ])
    #expect(run.wakeAt == nil)
  }

  @Test func oneWriteWaitsForTheOther() {
    var run = run([write(1), write(2)])
    #expect(run.proceed(at: time(0)) == [written(1)])
    #expect(run.written(b, at: time(0.1)) == [])
    #expect(run.written(a, at: time(0.2)) == [written(2)])
    #expect(run.wakeAt == time(5.2))
    #expect(run.written(a, at: time(0.3)) == [])
    #expect(run.wakeAt == nil)
  }

  @Test func aReadWaitsForItsValue() {
    var run = run([.read(b), write(1)])
    #expect(run.proceed(at: time(0)) == [.read(address, characteristic: b)])
    #expect(run.value([1], of: a, at: time(1)) == [])
    #expect(run.value([], of: b, at: time(1)) == [written(1)])
  }

  @Test func aWaitEndsWithTheRightBytes() throws {
    let pattern = try #require(BytePattern("F0 0?"))
    var run = run([.waitFor(b, pattern, timeout: 2), write(1)])
    #expect(run.proceed(at: time(0)) == [])
    #expect(run.value([0xF0, 0x10], of: b, at: time(1)) == [])
    #expect(run.value([0xF0], of: b, at: time(1)) == [])
    #expect(run.value([0xF0, 0x0F, 9], of: b, at: time(1)) == [written(1)])
  }

  @Test func aWaitEndsWithItsTime() throws {
    let pattern = try #require(BytePattern("F0"))
    var run = run([.waitFor(b, pattern, timeout: 2), .delay(1), write(1)])
    _ = run.proceed(at: time(0))
    #expect(run.wake(at: time(1.9)) == [])
    #expect(run.wake(at: time(2)) == [])
    #expect(run.wakeAt == time(3))
    #expect(run.wake(at: time(3)) == [written(1)])
  }

  @Test func aFailureEndsAnAnswersWaitButNoDelay() {
    var run = run([write(1), .delay(1), write(2)])
    _ = run.proceed(at: time(0))
    #expect(run.failed(at: time(0.5)) == [])
    #expect(run.wakeAt == time(1.5))
    #expect(run.failed(at: time(0.6)) == [])
    #expect(run.wakeAt == time(1.5))
    #expect(run.wake(at: time(1.5)) == [written(2)])
  }

  @Test func whatTheDeviceLacksIsLeftOut() {
    var run = run([.subscribe(b), write(1), .read(b)], available: [a])
    #expect(run.proceed(at: time(0)) == [written(1)])
    #expect(run.written(a, at: time(1)) == [])
    #expect(run.wakeAt == nil)
  }

  @Test func nothingHappensAfterTheEnd() {
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
  func theClockIsWrittenAsTheWallShowsIt(index: Int) throws {
    let (seconds, hours, bytes) = Self.clocks[index]
    let zone = try #require(TimeZone(secondsFromGMT: hours * 3600))
    let instant = Date(timeIntervalSince1970: seconds)
    #expect(SessionStep.Payload.currentTime.bytes(at: instant, in: zone) == bytes)
    #expect(SessionStep.Payload.dateTime.bytes(at: instant, in: zone) == Array(bytes.prefix(7)))
    // What GATT's own decoder makes of it.
    let decoded = try CurrentTime(bytes)
    #expect(decoded.adjustReason == .manual)
    #expect(decoded.dateTime.isValid)
  }
}
