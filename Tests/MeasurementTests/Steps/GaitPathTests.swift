import Testing

@testable import Measurement

struct GaitPathTests {
  /// Scores that speak for one period, or for none.
  private func scores(for state: Int?) -> InlineArray<42, Int32> {
    var scores = InlineArray<42, Int32>(repeating: -2_000)
    if let state { scores[state] = 2_000 }
    return scores
  }

  @Test
  func `a long walk is found from its first frame to its last`() {
    var path = GaitPath(tuning: .standard)
    let truth =
      [Int?](repeating: nil, count: 12) + .init(repeating: 10, count: 25)
      + .init(repeating: nil, count: 13)
    for state in truth { path.add(scores(for: state)) }
    let found = path.bestPath().reversed().map { $0 == GaitPath.rest ? nil : Int($0) }
    #expect(found == truth)
  }

  @Test
  func `a moment's likeness is no walk`() {
    var path = GaitPath(tuning: .standard)
    for index in 0..<50 { path.add(scores(for: (20..<26).contains(index) ? 10 : nil)) }
    #expect(path.bestPath().allSatisfy { $0 == GaitPath.rest })
  }

  @Test
  func `a walk that changes its pace stays one walk`() {
    var path = GaitPath(tuning: .standard)
    for index in 0..<50 { path.add(scores(for: index < 25 ? 10 : 14)) }
    let found = path.bestPath().reversed()
    #expect(found.prefix(25).allSatisfy { $0 == 10 })
    #expect(found.suffix(25).allSatisfy { $0 == 14 })
  }

  @Test
  func `totals do not run away, however long it goes on`() {
    var path = GaitPath(tuning: .standard)
    for index in 0..<200_000 {
      path.add(InlineArray(repeating: index % 2 == 0 ? .max >> 12 : .min >> 12))
    }
    #expect(path.bestPath().count == GaitPath.memory)
  }
}
