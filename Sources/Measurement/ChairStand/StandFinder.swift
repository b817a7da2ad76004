/// Finds the stands in the course of a thigh.
///
/// Two thresholds a third of the way from either end, so that swaying at one of them is not a
/// stand. What is up is learnt from the recording: a low chair needs 70°, a high one 100°.
struct StandFinder: Hashable, Sendable {
  /// The least rise of the thigh in microdegrees that can be a stand: from the highest seat that
  /// needs a rise at all; legs crossed or stretched out stay below.
  static let leastRise: Int64 = 45_000_000

  /// One passage of the thigh from seated to standing, and back, by index into the course.
  struct Passage: Hashable, Sendable {
    /// The first sample above the upper threshold.
    var up: Int
    /// The first sample below the lower threshold again.
    var down: Int?
  }

  let course: ThighRise
  /// The angle of standing in microdegrees.
  let upright: Int64
  /// The passages, in order; at least one.
  let passages: [Passage]

  /// Finds every stand in `course`.
  init(_ course: ThighRise) throws(ChairStandRefusal) {
    let highest = course.angles.max() ?? 0
    // The median of what is near the top: one swing of the leg beyond it does not count.
    let upright = course.angles.filter { $0 > highest / 2 }.median ?? 0
    guard upright >= Self.leastRise else { throw .noStand(degrees: Int(upright / 1_000_000)) }
    var passages: [Passage] = []
    var isStanding = false
    for (index, angle) in course.angles.enumerated() {
      if !isStanding, angle > upright / 3 * 2 {
        passages.append(Passage(up: index))
        isStanding = true
      } else if isStanding, angle < upright / 3 {
        passages[passages.count - 1].down = index
        isStanding = false
      }
    }
    self.course = course
    self.upright = upright
    self.passages = passages
  }

  /// The times of the passage with this number.
  func repetition(_ number: Int) -> StandRepetition {
    let passage = passages[number]
    let seatedFrom = number > 0 ? passages[number - 1].down ?? 0 : 0
    let next = number + 1 < passages.count ? passages[number + 1].up : course.angles.count - 1
    let standingUntil = passage.down ?? course.angles.count - 1
    return StandRepetition(
      start: course.departure(before: passage.up, since: seatedFrom, sign: 1),
      standing: course.arrival(after: passage.up, until: standingUntil, sign: 1),
      sitting: passage.down.map { course.departure(before: $0, since: passage.up, sign: -1) },
      seated: passage.down.map { course.arrival(after: $0, until: next, sign: -1) })
  }
}
