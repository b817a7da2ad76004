import Testing

@testable import BluetoothdRadio

@Suite struct StuckDiscoveryTests {
  let start = ContinuousClock.now

  /// What is due after refused stops, `pause` apart.
  func remedies(
    _ count: Int, every pause: Duration, isLinked: Bool = false,
    of discovery: inout StuckDiscovery
  ) -> [StuckDiscovery.Remedy?] {
    (0..<count).map { discovery.refused(at: start + pause * $0, isLinked: isLinked) }
  }

  @Test func `takes one refused stop for a coincidence`() {
    var discovery = StuckDiscovery()
    for _ in 0..<5 {
      let remedy = discovery.refused(at: start, isLinked: false)
      #expect(remedy == nil)
      #expect(discovery.leastStrength == nil)
      let wasStuck = discovery.stopped()
      #expect(!wasStuck)
    }
  }

  @Test func `tries another filter first, then power`() {
    var discovery = StuckDiscovery()
    let remedies = remedies(4, every: .seconds(9), of: &discovery)
    #expect(remedies == [nil, .otherFilter, .otherFilter, .power])
    let wasStuck = [discovery.stopped(), discovery.stopped()]
    #expect(wasStuck == [true, false])
    #expect(discovery.leastStrength == nil)
  }

  @Test func `uses a filter that differs from the one before`() {
    var discovery = StuckDiscovery()
    var strengths: [Int16?] = []
    for _ in 0..<6 {
      strengths.append(discovery.leastStrength)
      _ = discovery.refused(at: start, isLinked: false)
    }
    #expect(strengths == [nil, nil, -127, -126, -127, -126])
  }

  @Test func `ends no link`() {
    var discovery = StuckDiscovery()
    let linked = remedies(20, every: .seconds(9), isLinked: true, of: &discovery)
    #expect(linked == [nil, .otherFilter, .otherFilter] + Array(repeating: nil, count: 17))
    let free = discovery.refused(at: start + .seconds(180), isLinked: false)
    #expect(free == .power)
  }

  /// With growing pauses, four times a day; then the user is told, until a day has passed.
  @Test func `stops switching off and on when that does not help`() {
    var discovery = StuckDiscovery()
    let remedies = remedies(2 * 86_400 / 9, every: .seconds(9), of: &discovery)
    let cycles = remedies.indices.filter { remedies[$0] == .power }
    // 27 s, then 60, 120 and 240 s later, as soon as a stop is refused.
    #expect(cycles.prefix(4).map { $0 * 9 } == [27, 90, 216, 459])
    #expect(remedies[52...9000].allSatisfy { $0 == .advice })
    #expect(cycles.count == 8)
    #expect(cycles.dropFirst(4).allSatisfy { $0 * 9 >= 86_400 })
  }
}
