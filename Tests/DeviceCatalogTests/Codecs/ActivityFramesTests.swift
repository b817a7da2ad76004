import Care
import TestSupport
import Testing

@testable import DeviceCatalog

@Suite("Activity frames")
struct ActivityFramesTests {
  @Test func aCrankAtAnySpeedIsMeasured() {
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
        let time = UInt16(truncatingIfNeeded: Int(ticks.rounded()))
        let measured = crank.offer(revolutions: revolutions, time: time)
        #expect(measured.map { abs($0 - Double(cadence)) < 1 } == true)
      }
    }
  }

  @Test func afterAPauseTheNextTurnTellsNothing() {
    var crank = CrankCadence()
    #expect(crank.offer(revolutions: 10, time: 100) == nil)
    for _ in 0..<30 { #expect(crank.offer(revolutions: 10, time: 100) == nil) }
    #expect(crank.offer(revolutions: 11, time: 1124) == nil)
    #expect(crank.offer(revolutions: 12, time: 2148) == 60)
  }

  @Test func aCrankThatStartsAgainTellsNothing() {
    var crank = CrankCadence()
    _ = crank.offer(revolutions: 10_000, time: 100)
    #expect(crank.offer(revolutions: 3, time: 1124) == nil)
    #expect(crank.offer(revolutions: 4, time: 2148) == 60)
  }

  @Test func distancesAndTimesAreRunningTotals() throws {
    var codec = CodecName.treadmill.codec(.none)
    let content = try codec.decode(bytes("8405 1c02 900100 1e00 6801 06 60 2c01"))
    let counted = content.values.filter { $0.counter != nil }.map(\.quantity)
    #expect(counted == [.distanceWalked, .exerciseTime])
    #expect(content.values.allSatisfy { $0.quantity.aggregation == .discrete || $0.counter != nil })
  }

  @Test func aContinuousSensorCountsFromItsStart() throws {
    var codec = CodecName.continuousGlucose.codec(.none)
    #expect(try codec.decode(bytes("06006e000f00")).values.map(\.time) == [nil])
    #expect(try codec.decode(bytes("ea07060c1430080400")).values.isEmpty)
    let value = try #require(try codec.decode(bytes("06006e000f00")).values.first)
    #expect(value.time?.description == "2026-06-12T21:03:08")
    // The session has stopped: what it sends is no value of now.
    #expect(try codec.decode(bytes("07806e000f0001")).values.isEmpty)
    #expect(throws: FrameDefect.self) { try codec.decode(bytes("05006e000f")) }
  }
}
