import Foundation
import Testing

@testable import Radio

@Suite struct ClockWatchTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private static let begin = ContinuousClock.now

  /// A look at `wall` seconds by the wall clock, `ran` by the running one.
  private static func look(
    _ wall: Double, ran: ClosedRange<Double>
  ) -> ClockWatch.Look {
    var instants = [begin + .seconds(ran.lowerBound), begin + .seconds(ran.upperBound)]
    return ClockWatch.Look({ start + wall }, { instants.removeFirst() })
  }

  @Test(arguments: [
    (10.0, 10.0...10.0, nil as Double?),
    (10.9, 10...10, nil),
    (9.1, 10...10, nil),
    (86_410, 10...10, 86_400),
    (-86_390, 10...10, -86_400),
    (3_610, 10...10, 3_600),
    // Between the two clocks the process was stopped for an hour.
    (10, 10...3_610, nil),
    (3_610, 10...3_610, nil),
    (3_620, 10...3_610, 10),
    (5, 10...3_610, -5),
  ])
  func `tells a jump from time`(_ wall: Double, _ ran: ClosedRange<Double>, _ jump: Double?) throws
  {
    var watch = ClockWatch()
    #expect(watch.jump(at: Self.look(0, ran: 0...0)) == nil)
    let found = watch.jump(at: Self.look(wall, ran: ran))
    #expect((found == nil) == (jump == nil))
    if let found, let jump { #expect(abs(found - jump) < 0.001) }
    // It is told once.
    let later = Self.look(wall + 5, ran: ran.upperBound + 5...ran.upperBound + 5)
    if ran.lowerBound == ran.upperBound { #expect(watch.jump(at: later) == nil) }
  }

  /// A slewed clock is half a percent fast for a day, looked at every minute.
  @Test func `does not take a slew for a jump`() {
    var watch = ClockWatch()
    for minute in 0..<1440 {
      let ran = Double(minute) * 60
      #expect(watch.jump(at: Self.look(ran * 1.005, ran: ran...ran)) == nil)
    }
  }
}
