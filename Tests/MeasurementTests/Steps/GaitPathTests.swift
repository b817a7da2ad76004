import Testing

@testable @_spi(Tuning) import Measurement

struct GaitPathTests {
  /// Scores that speak for one period, or for none.
  private func scores(for state: Int?) -> InlineArray<48, Int16> {
    var scores = InlineArray<48, Int16>(repeating: -1_000)
    if let state { scores[state] = 1_500 }
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
      path.add(InlineArray(repeating: index % 100 < 50 ? 1_700 : -4_000))
    }
    #expect(path.last == GaitPath.rest)
    for _ in 0..<40 { path.add(scores(for: 41)) }
    #expect(path.last == 41)
  }
}
