/// Finds the stands in the angle of a thigh.
///
/// A stand begins two thirds of a rise above the lowest angle since the last, and ends half a rise
/// below the highest since: swaying half way does not count, and a sensor may slip between two
/// stands. The size of a rise is estimated from the recording: a strapped sensor turns by 60° to
/// 90°, one in a trouser pocket by as little as 30° (the recordings of timed up and go).
struct StandFinder: Hashable, Sendable {
  /// The least rise of the thigh in a stand, in microdegrees: fidgeting stays below.
  private static let leastRise: Int64 = 25_000_000

  /// One passage of the thigh from seated to standing and back, as sample indices.
  struct Passage: Hashable, Sendable {
    /// The first sample of standing.
    var up: Int
    /// The first sample after standing.
    var down: Int?
  }

  let thigh: ThighRise
  /// The angle of standing in microdegrees.
  let upright: Int64
  /// The passages, in order; at least one.
  let passages: [Passage]

  /// Finds all stands in `thigh`.
  init(_ thigh: ThighRise) throws(ChairStandRefusal) {
    let highest = thigh.angles.max() ?? 0
    // The median near the top, which ignores a single swing of the leg.
    let upright = thigh.angles.filter { $0 > highest / 2 }.median ?? 0
    guard upright >= Self.leastRise else { throw .noStand(degrees: Int(upright / 1_000_000)) }
    var passages: [Passage] = []
    var isStanding = false
    var extreme: Int64 = 0
    for (index, angle) in thigh.angles.enumerated() {
      extreme = isStanding ? max(extreme, angle) : min(extreme, angle)
      if !isStanding, angle - extreme > upright / 3 * 2 {
        passages.append(Passage(up: index))
      } else if isStanding, extreme - angle > upright / 2 {
        passages[passages.count - 1].down = index
      } else {
        continue
      }
      isStanding.toggle()
      extreme = angle
    }
    self.thigh = thigh
    self.upright = upright
    self.passages = passages
  }

  /// The times of the passage with this number.
  func repetition(_ number: Int) -> StandRepetition {
    let passage = passages[number]
    let seatedFrom = number > 0 ? passages[number - 1].down ?? 0 : 0
    let next = number + 1 < passages.count ? passages[number + 1].up : thigh.angles.count - 1
    let standingUntil = passage.down ?? thigh.angles.count - 1
    return StandRepetition(
      start: thigh.departure(before: passage.up, since: seatedFrom, upwards: upright),
      standing: thigh.arrival(after: passage.up, until: standingUntil, upwards: upright),
      sitting: passage.down.map {
        thigh.departure(before: $0, since: passage.up, upwards: -upright)
      },
      seated: passage.down.map { thigh.arrival(after: $0, until: next, upwards: -upright) })
  }

  /// Whether the person is on the way up at the sample `index`, more than half way, but not yet up.
  func isHalfUp(at index: Int) -> Bool {
    let before = passages.last { $0.up <= index }
    let seatedFrom = before.map { $0.down ?? .max } ?? 0
    guard seatedFrom <= index, let lowest = thigh.angles[seatedFrom...index].min() else {
      return false
    }
    return (thigh.angles[index] - lowest) * 2 > upright
  }
}
