import Testing

@testable import DeviceCatalog

@Suite("CatchUp")
struct CatchUpTests {
  private func hears(_ catchUp: inout CatchUp, _ seconds: [Double]) -> [Bool] {
    seconds.map { catchUp.heard(at: SessionBench.time($0)) }
  }

  @Test func leavesAWeighingInPeace() {
    var catchUp = CatchUp()
    let answers = hears(&catchUp, [0, 1, 19.9, 20, 21])
    #expect(answers == [false, false, false, true, true])
  }

  @Test func theNextWeighingIsLeftInPeaceToo() {
    var catchUp = CatchUp()
    let answers = hears(&catchUp, [0, 30, 90, 150.1, 160, 170.1])
    #expect(answers == [false, true, true, false, false, true])
  }

  @Test func fetchesOnceAnHour() {
    var catchUp = CatchUp()
    _ = hears(&catchUp, [0])
    catchUp.done(at: SessionBench.time(20))
    let answers = hears(&catchUp, [50, 3590, 3630])
    #expect(answers == [false, false, true])
  }

  @Test func triesAgainAfterTenMinutes() {
    var catchUp = CatchUp()
    _ = hears(&catchUp, [0])
    catchUp.began(at: SessionBench.time(20))
    let answers = hears(&catchUp, [50, 590, 630])
    #expect(answers == [false, false, true])
  }
}
