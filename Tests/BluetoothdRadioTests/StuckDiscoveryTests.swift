import Testing

@testable import BluetoothdRadio

@Suite struct StuckDiscoveryTests {
  let start = ContinuousClock.now

  /// The remedies after refused stops, 9 s apart.
  func remedies(
    _ count: Int, isLinked: Bool = false, of discovery: inout StuckDiscovery
  ) -> [StuckDiscovery.Remedy?] {
    (0..<count).map { discovery.refused(at: start + .seconds($0 * 9), isLinked: isLinked) }
  }

  @Test func `takes one refused stop for a coincidence`() {
    var discovery = StuckDiscovery()
    for _ in 0..<5 {
      let remedy = discovery.refused(at: start, isLinked: false)
      #expect(remedy == nil)
      let wasStuck = discovery.stopped()
      #expect(!wasStuck)
    }
  }

  @Test func `ends with an accepted stop`() {
    var discovery = StuckDiscovery()
    let remedies = remedies(3, of: &discovery)
    #expect(remedies == [nil, .power, .wait])
    let wasStuck = [discovery.stopped(), discovery.stopped()]
    #expect(wasStuck == [true, false])
    #expect(!discovery.isProven)
  }

  @Test func `ends no link`() {
    var discovery = StuckDiscovery()
    let linked = remedies(20, isLinked: true, of: &discovery)
    #expect(linked == [nil] + Array(repeating: .wait, count: 19))
    let free = discovery.refused(at: start + .seconds(180), isLinked: false)
    #expect(free == .power)
  }

  /// With growing pauses, four times a day; then the user is told, until a day has passed.
  @Test func `stops switching off and on when that does not help`() {
    var discovery = StuckDiscovery()
    let remedies = remedies(2 * 86_400 / 9, of: &discovery)
    let cycles = remedies.indices.filter { remedies[$0] == .power }
    // At the second refusal, then 60, 120 and 240 s later, as soon as a stop is refused.
    #expect(cycles.prefix(4).map { $0 * 9 } == [9, 72, 198, 441])
    #expect(remedies[50...9600].allSatisfy { $0 == .advice })
    #expect(cycles.count == 8)
    #expect(cycles.dropFirst(4).allSatisfy { $0 * 9 >= 86_400 })
  }
}
