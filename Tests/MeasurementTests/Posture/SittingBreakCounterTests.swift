import Measurement
import Motion
@testable import TestSupport
import Testing

/// Breaks from sitting in synthetic traces whose breaks are known.
@Suite struct SittingBreakCounterTests {
  /// The breaks that a counter finds, in s, with packets of some samples.
  private func found(
    _ place: SittingBreakCounter.Place, _ samples: [MotionSample], packet: Int = 25
  ) -> [Double] {
    var (steps, breaks) = (StepCounter(), SittingBreakCounter(place))
    var found: [SittingBreak] = []
    for start in stride(from: 0, to: samples.count, by: packet) {
      let part = samples[start..<min(start + packet, samples.count)]
      found += breaks.add(contentsOf: part, steps: steps.add(contentsOf: part))
    }
    found += breaks.finish(steps: steps.finish())
    #expect(breaks.total == found.count)
    #expect(found.allSatisfy { $0.satFrom < $0.time })
    return found.map { Double($0.time) / 1e6 }
  }

  private func expect(
    _ found: [Double], _ truth: [Double], within seconds: Double,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(found.count == truth.count, "\(found) \(truth)", sourceLocation: location)
    for (found, truth) in zip(found, truth) {
      #expect(abs(found - truth) <= seconds, "\(found) \(truth)", sourceLocation: location)
    }
  }

  /// A morning: the first walk tells where "up" is, and what was before it.
  static let morning: [(SyntheticSitting.Posture, Double)] = [
    (.sit, 300), (.walk, 60), (.sit, 600), (.stand, 20), (.sit, 200), (.walk, 30), (.sit, 400),
    (.stand, 90), (.walk, 40), (.sit, 120),
  ]

  @Test(arguments: Rounds.seeds(12, from: 1))
  func `a thigh in any mounting shows every break`(seed: UInt64) {
    var day = SyntheticSitting(day: Self.morning.map { (posture: $0.0, seconds: $0.1) })
    day.seed = seed
    day.turn = [60, 75, 90][Int(seed % 3)]
    day.rate = [12.5, 25, 50, 100][Int(seed % 4)]
    #expect(day.breaks == [0 + 300, 960, 1180, 1610])
    expect(found(.thigh, day.samples), day.breaks, within: 3)
  }

  /// No breaks: rises of less than ten seconds, and sitting of less than a minute before one.
  @Test func `a short rise and a short sit are none`() {
    var day = SyntheticSitting(day: [
      (.walk, 60), (.sit, 300), (.stand, 6), (.sit, 300), (.walk, 30), (.sit, 40), (.stand, 60),
      (.sit, 40), (.walk, 40), (.sit, 100),
    ])
    day.rise = 0.8
    #expect(day.breaks == [666])
    expect(found(.thigh, day.samples), [666], within: 3)
  }

  /// Posture decides at the thigh, so that nothing but a rise counts.
  @Test func `a fidgeting thigh is no break`() {
    var day = SyntheticSitting(day: [(.walk, 40), (.sit, 1200), (.walk, 30), (.sit, 60)])
    day.fidgets = 6
    expect(found(.thigh, day.samples), [1240], within: 3)
  }

  /// Without a walk nobody knows what the sensor's posture means.
  @Test func `without a walk nothing is counted`() {
    let day = SyntheticSitting(day: [(.sit, 400), (.stand, 100), (.sit, 300), (.stand, 100)])
    #expect(found(.thigh, day.samples) == [])
  }

  @Test(arguments: Rounds.seeds(8, from: 1))
  func `a hip shows breaks with movement`(seed: UInt64) {
    var day = SyntheticSitting(day: [
      (.sit, 300), (.walk, 40), (.sit, 600), (.walk, 25), (.sit, 300), (.walk, 60), (.sit, 100),
    ])
    day.seed = seed
    day.turn = 20
    day.rate = [25, 50, 100][Int(seed % 3)]
    #expect(day.breaks == [300, 940, 1265])
    expect(found(.hip, day.samples), day.breaks, within: 4)
  }

  /// A hip that stands still cannot be told from one that sits, and a fidget is no movement about.
  @Test func `a hip misses a stand and ignores fidgets`() {
    var day = SyntheticSitting(day: [
      (.sit, 600), (.stand, 60), (.sit, 600), (.walk, 30), (.sit, 90),
    ])
    day.turn = 20
    day.fidgets = 2
    expect(found(.hip, day.samples), [1260], within: 4)
  }

  /// Nothing is counted across a hole in the samples.
  @Test func `a hole ends what was known`() {
    let day = SyntheticSitting(day: [(.walk, 60), (.sit, 100), (.walk, 60), (.sit, 30)])
    let whole = day.samples
    let holed = whole.filter { !(110_000_000..<159_000_000).contains($0.time) }
    #expect(found(.thigh, whole).count == 1)
    #expect(found(.thigh, holed).count == 0)
    // A short one does not matter.
    let short = whole.filter { !(110_000_000..<116_000_000).contains($0.time) }
    #expect(found(.thigh, short).count == 1)
  }

  @Test func `the packets do not matter`() {
    let day = SyntheticSitting(day: Self.morning.map { (posture: $0.0, seconds: $0.1) })
    let samples = day.samples
    #expect(found(.thigh, samples, packet: 1) == found(.thigh, samples, packet: 777))
  }

  @Test func `places are those of the plan`() {
    typealias Place = SittingBreakCounter.Place
    #expect(Place(Placement(joint: .knee, side: .left, segment: .thigh)) == .thigh)
    #expect(Place(Placement(segment: .pelvis)) == .hip)
    #expect(Place(Placement(joint: .hip)) == .hip)
    #expect(Place(Placement(joint: .knee, segment: .shank)) == nil)
    #expect(Place(Placement(joint: .wrist)) == nil)
    #expect(Place(Placement()) == nil)
  }

  @Test func `survives anything`() {
    var random = SeededGenerator(seed: 77)
    for place in [SittingBreakCounter.Place.thigh, .hip] {
      var counter = SittingBreakCounter(place)
      var time: Int64 = 0
      var count = 0
      for _ in 0..<Rounds.count(3_000) {
        var packet: [MotionSample] = []
        for _ in 0..<Int.random(in: 0...20, using: &random) {
          let sample = random.wildSample(after: time)
          time = sample.time
          packet.append(sample)
        }
        let steps = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          Step(
            time: Bool.random(using: &random) ? time : Int64(truncatingIfNeeded: random.next()),
            period: 500_000)
        }
        count += counter.add(contentsOf: packet, steps: steps).count
      }
      count += counter.finish().count
      #expect(counter.total == count)
    }
  }
}
