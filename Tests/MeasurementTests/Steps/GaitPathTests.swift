import Foundation
import Testing

@testable @_spi(Tuning) import Measurement

struct GaitPathTests {
  /// Scores that speak for one period, or for none.
  private func scores(for state: Int?) -> GaitScores {
    var scores = GaitScores(repeating: SIMD8(repeating: -1_000))
    if let state { scores[state / 8][state % 8] = 1_500 }
    return scores
  }

  /// The best path through frames that speak for these periods, oldest first.
  private func bestPath(_ truth: [Int?]) -> [Int?] {
    var path = GaitPath(tuning: .standard)
    for state in truth { path.add(scores(for: state)) }
    var state = path.last
    var found: [Int?] = []
    for number in stride(from: truth.count - 1, through: 0, by: -1) {
      found.append(state == GaitPath.rest ? nil : state)
      if number > 0 { state = path.origin(of: state, at: number) }
    }
    return found.reversed()
  }

  @Test
  func `a long walk is found from its first frame to its last`() {
    let truth =
      [Int?](repeating: nil, count: 7) + .init(repeating: 10, count: 16)
      + .init(repeating: nil, count: 8)
    #expect(bestPath(truth) == truth)
  }

  @Test
  func `a moment's likeness is no walk`() {
    #expect(bestPath((0..<31).map { (12..<16).contains($0) ? 10 : nil }).allSatisfy { $0 == nil })
  }

  @Test
  func `a walk that changes its pace stays one walk`() {
    let found = bestPath((0..<31).map { $0 < 15 ? 10 : 14 })
    #expect(found.prefix(14).allSatisfy { $0 == 10 })
    #expect(found.suffix(14).allSatisfy { $0 == 14 })
    #expect(!found.contains(nil))
  }

  @Test
  func `totals do not run away, however long it goes on`() {
    var path = GaitPath(tuning: .standard)
    for index in 0..<20_000 {
      path.add(GaitScores(repeating: SIMD8(repeating: index % 100 < 50 ? 1_700 : -4_000)))
    }
    #expect(path.last == GaitPath.rest)
    for _ in 0..<40 { path.add(scores(for: 41)) }
    #expect(path.last == 41)
  }
}

struct GaitEvidenceTests {
  /// The best period in 20 ms and its score, for a sine of a period in samples of 40 ms, of which
  /// every second wave is larger.
  private func best(
    period: Double, amplitude: Double, limp: Double = 0
  ) -> (period: Int, score: Int16) {
    var correlation = GaitCorrelation(tuning: .standard)
    var frame = GaitFrame(centre: 0)
    for index in 0..<400 {
      let phase = 2 * Double.pi * Double(index) / period
      let value = Int16(amplitude * 1_414 * (sin(phase) + limp * sin(phase / 2)))
      if correlation.add(value) { correlation.describe(in: &frame) }
    }
    let evidence = GaitEvidence(tuning: .standard)
    var scores = GaitScores(repeating: SIMD8(repeating: -8_000))
    evidence.score(frame.correlations.span, power: frame.power, in: &scores)
    let state = (0..<GaitLags.quickCount).max { scores[$0 / 8][$0 % 8] < scores[$1 / 8][$1 % 8] }
    return (GaitLags.period(state ?? 0), scores[(state ?? 0) / 8][(state ?? 0) % 8])
  }

  @Test(arguments: [(9.0, 0.7), (13.0, 0.25), (17.0, 0.12), (22.0, 0.06)])
  func `an amplitude that goes with the period favours walking`(period: Double, amplitude: Double) {
    let found = best(period: period, amplitude: amplitude)
    #expect(abs(Double(found.period) - 2 * period) <= 1)
    #expect(found.score > 1_000)
  }

  @Test
  func `a movement too strong or too weak for its period is penalised`() {
    let walk = best(period: 15, amplitude: 0.18).score
    #expect(best(period: 15, amplitude: 0.9).score < walk - 800)
    #expect(best(period: 15, amplitude: 0.03).score < walk - 200)
  }

  /// At the ankle, which moves more than any other place, every second step is another one.
  @Test
  func `the penalty of strength leaves a clear rhythm favoured`() {
    #expect(best(period: 15, amplitude: 1.1, limp: 0.5).score > 0)
    #expect(best(period: 15, amplitude: 1.2).score < 0)
  }

  /// Movement of people an octave weaker than the law is never that regular.
  @Test
  func `a movement much too weak must be as irregular as people are`() {
    let uneven = best(period: 17, amplitude: 0.035, limp: 0.4).score
    #expect(uneven > 400)
    #expect(best(period: 17, amplitude: 0.035).score < uneven - 400)
  }

  @Test
  func `states cover 0.28 s to 2 s without a break`() {
    let periods = (0..<GaitLags.count).map(GaitLags.period)
    #expect(periods.first == 14)
    #expect(periods.last == 100)
    #expect(zip(periods, periods.dropFirst()).allSatisfy { (1...2).contains($1 - $0) })
  }
}
