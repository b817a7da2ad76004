import Care
import TestSupport
import Testing

@testable import DeviceCatalog

struct ActivityFramesTests {
  @Test func `a crank at any speed is measured`() {
    var random = SeededGenerator(seed: 12)
    for _ in 0..<200 {
      let cadence = Int.random(in: 25...200, using: &random)
      var crank = CrankCadence()
      var (revolutions, ticks) = (UInt16.random(in: 0...UInt16.max, using: &random), 0.0)
      _ = crank.offer(revolutions: revolutions, time: 0)
      for _ in 0..<50 {
        let turns = UInt16.random(in: 1...4, using: &random)
        revolutions &+= turns
        ticks += Double(turns) * 60 * 1024 / Double(cadence)
        let time = UInt16(truncatingIfNeeded: Int(saturating: ticks.rounded()))
        let measured = crank.offer(revolutions: revolutions, time: time)
        #expect(measured.map { abs($0 - Double(cadence)) < 1 } == true)
      }
    }
  }

  @Test func `after a pause the next turn tells nothing`() {
    var crank = CrankCadence()
    #expect(crank.offer(revolutions: 10, time: 100) == nil)
    for _ in 0..<30 { #expect(crank.offer(revolutions: 10, time: 100) == nil) }
    #expect(crank.offer(revolutions: 11, time: 1124) == nil)
    #expect(crank.offer(revolutions: 12, time: 2148) == 60)
  }

  @Test func `a crank that starts again tells nothing`() {
    var crank = CrankCadence()
    _ = crank.offer(revolutions: 10_000, time: 100)
    #expect(crank.offer(revolutions: 3, time: 1124) == nil)
    #expect(crank.offer(revolutions: 4, time: 2148) == 60)
  }

  @Test func `distances and times are running totals`() throws {
    var codec = CodecName.treadmill.codec(.none)
    let content = try codec.decode(bytes("8405 1c02 900100 1e00 6801 06 60 2c01"))
    let counted = content.values.filter { $0.counter != nil }.map(\.quantity)
    #expect(counted == [.distanceWalked, .exerciseTime])
    #expect(content.values.allSatisfy { $0.quantity.aggregation == .discrete || $0.counter != nil })
  }

  @Test func `a continuous sensor counts from its start`() throws {
    var codec = CodecName.continuousGlucose.codec(.none)
    #expect(try codec.decode(bytes("06006e000f00")).values.map(\.time) == [nil])
    #expect(try codec.decode(bytes("ea07060c1430080400")).values.isEmpty)
    let value = try #require(try codec.decode(bytes("06006e000f00")).values.first)
    #expect(value.time?.description == "2026-06-12T21:03:08")
    // The session has stopped: what it sends is no value of now.
    #expect(try codec.decode(bytes("07806e000f0001")).values.isEmpty)
    #expect(throws: FrameDefect.self) { try codec.decode(bytes("05006e000f")) }
    // A start may be longer than its layout.
    var longer = CodecName.continuousGlucose.codec(.none)
    #expect(try longer.decode(bytes("ea07060c143008040000")).layout != nil)
    let dated = try longer.decode(bytes("06006e000f00")).values.first?.time
    #expect(dated?.description == "2026-06-12T21:03:08")
  }

  /// A summary of 1200 normal and 34 intensive steps, 900 m, in one part and in three.
  @Test func `steps are summed and parts are joined`() throws {
    let whole = bytes("0b 0100 0000 10270000 07000000 b00400 220000 840300")
    var codec = StepCounterCodec()
    let content = try codec.decode([0x80] + whole)
    #expect(content.values.map(\.quantity) == [.stepCount, .distanceWalked])
    #expect(content.values.map(\.value) == [1234, 900])
    #expect(content.values.allSatisfy { $0.counter != nil && $0.isStreamed })
    #expect(try codec.decode([0x82] + whole[..<8]).values == [])
    #expect(try codec.decode([0x01] + whole[8..<16]).values == [])
    #expect(try codec.decode([0x00] + whole[16...]) == content)
  }

  @Test func `a summary without one of its parts says nothing`() throws {
    let whole = bytes("0b 0100 0000 10270000 07000000 b00400 220000 840300")
    var codec = StepCounterCodec()
    _ = try codec.decode([0x82] + whole[..<8])
    #expect(try codec.decode([0x00] + whole[16...]).values == [])
    #expect(try codec.decode([0x01] + whole[8..<16]).values == [])
    #expect(try codec.decode([0x80] + whole).values.count == 2)
    #expect(throws: FrameDefect.self) { try codec.decode([]) }
    #expect(throws: FrameDefect.self) { try codec.decode([0x80] + whole.prefix(18)) }
    let longer = try codec.decode([0x80] + whole + [0])
    #expect(longer.values.map(\.value) == [1234, 900])
    #expect(longer.layout == .otherLength(count: 23, expected: 22))
    var endless = StepCounterCodec()
    var refused = 0
    for round in 0..<127 {
      let header = UInt8(round == 0 ? 0x80 : 0) | UInt8(126 - round)
      do {
        _ = try endless.decode([header] + [UInt8](repeating: 1, count: 400))
      } catch {
        refused += 1
      }
    }
    #expect(refused == 1)
  }
}
