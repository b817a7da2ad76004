import GATT
import Radio
import TestSupport
import Testing
import Traces

/// Hostile captures end in events or in a typed error with its position for any bytes.
@Suite struct CaptureFuzzTests {
  typealias Sessions = CaptureSessions

  /// A short session with every kind of packet, in records that can be mixed.
  static func seedRecords() -> [[UInt8]] {
    var writer = CaptureWriter(.uart)
    writer.advertisement(Sessions.scale, bytes("020106"))
    writer.connected(0x40, Sessions.strap)
    writer.exchange(0x40, bytes("10 0100FFFF 0028"), bytes("11 06 1000 1500 0D18"))
    writer.exchange(0x40, bytes("08 0100FFFF 0328"), bytes("09 07 1100 10 1200 372A"))
    writer.heartRate(0x40, "0048")
    writer.event(
      0x3E,
      CaptureAdvertisingTests.event(CaptureAdvertisingTests.extended(type: 0x20, [1, 2])))
    writer.exchange(0x40, bytes("0A 1200"), bytes("0B 0048"))
    writer.disconnected(0x40)
    return zip(writer.boundaries, writer.boundaries.dropFirst()).map { start, end in
      Array(writer.bytes[start..<end])
    }
  }

  /// Whether times never decrease and errors have a position.
  static func isSound(_ events: [TimedEvent], _ error: TraceError?, size: Int) -> Bool {
    let inOrder = zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
    guard let error else { return inOrder }
    return inOrder && error.file == "hci.log"
      && (0...size).contains(error.offset ?? -1)
  }

  @Test(arguments: CaptureWriter.Format.allCases)
  func `accepts records of random bytes`(format: CaptureWriter.Format) {
    var generator = SeededGenerator(seed: UInt64(format.rawValue))
    let pool = generator.bytes(1 << 16)
    for _ in 0..<Rounds.count(17_000, gate: 5_000) {
      var writer = CaptureWriter(format)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let start = Int.random(in: 0..<(1 << 15), using: &generator)
        let packet = Array(pool[start..<start + Int.random(in: 0...40, using: &generator)])
        switch Int.random(in: 0...3, using: &generator) {
        case 0: writer.record(flags: UInt32(generator.next() & 0x1_0007), packet)
        case 1: writer.event(0x3E, [[1, 2, 0x0A, 0x0D, 0x29][start % 5]] + packet)
        case 2: writer.connected(0x40, Sessions.strap)
        default: writer.att(0x40, sent: start % 2 == 0, [UInt8(start % 0x24)] + packet)
        }
      }
      let (events, error) = Sessions.read(writer.bytes)
      #expect(error == nil && Self.isSound(events, error, size: writer.bytes.count))
    }
  }

  @Test(arguments: Rounds.seeds(2))
  func `accepts mutated sessions`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let header = CaptureWriter(.uart).bytes
    let records = Self.seedRecords()
    var refused = 0
    let rounds = Rounds.count(25_000, gate: 10_000)
    for _ in 0..<rounds {
      // Records left out, twice, or in another order; then bytes changed; then a cut.
      var capture = header
      for record in records where Int.random(in: 0...9, using: &generator) > 0 {
        capture += record
        if Int.random(in: 0...9, using: &generator) == 0 {
          capture += records[Int.random(in: records.indices, using: &generator)]
        }
      }
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        let position = Int.random(in: 0..<capture.count, using: &generator)
        capture[position] = UInt8(truncatingIfNeeded: generator.next())
      }
      if Bool.random(using: &generator) {
        capture.removeLast(Int.random(in: 0..<capture.count, using: &generator))
      }
      let (events, error) = Sessions.read(capture)
      #expect(Self.isSound(events, error, size: capture.count))
      refused += error == nil ? 0 : 1
    }
    // Both ends are met often.
    #expect((rounds / 5...rounds * 24 / 25).contains(refused))
  }
}
