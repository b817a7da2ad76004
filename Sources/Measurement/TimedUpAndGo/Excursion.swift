import Motion

/// A walk between two seats: the thigh lies still, rises, walks, sinks and lies still again.
///
/// Nothing is known of how the sensor is mounted. Walking says where up is for a thigh that hangs; a
/// seat is any stillness in which up is elsewhere.
struct Excursion: Hashable, Sendable {
  /// Activity in micro-g below which the thigh is still: tilting by 14° a second.
  ///
  /// Above breathing and any sensor's noise, and a third of what standing up takes; a fifth more or
  /// less hardly matters.
  static let stillness: Int64 = 50_000
  /// Cells that it must be still: 0.4 s, longer than any pause in the movement.
  static let rest = 20
  /// cos 20° in Q30: how far a seat is at least from upright.
  ///
  /// A loose pocket leaves 23° of the thigh's 90°.
  static let leastTurn: Int64 = 1_008_988_144
  /// cos 60° in Q30: how far the second seat may be from the first, the sensor sliding in a pocket.
  static let alike: Int64 = 536_870_912
  /// Cells before the onset in which calm is looked for: a second, a lean forward of the trunk.
  static let calmSpanBefore = 50
  /// Cells after the sinking in which calm is looked for: the two seconds that people sit still, of
  /// which the last half of the sinking and its aftermath take one.
  static let calmSpanAfter = 100
  /// Stirring in micro-g below which calm is not told apart: a sensor's own noise.
  static let calmest: Int64 = 3_000

  /// The cell in which the thigh first moves, and the one in which it is still again.
  let onset: Int
  let settling: Int
  /// The cell in which the thigh was half way up, and the one in which it was half way down.
  let rise: Int
  let sink: Int
  /// The last cell before the onset, and the first after the sinking, in which the thigh is calm.
  let calmBefore: Int
  let calmAfter: Int
  /// The cells that the times were found in.
  var cells: Range<Int> { min(onset, calmBefore)..<max(settling, calmAfter) + 1 }

  /// Finds the seats on both sides of a walk.
  init(about walk: Range<Int>, of thigh: ThighCourse) throws(TimedUpAndGoRefusal) {
    let stills = thigh.activity.spans { $0 < Self.stillness }.filter { $0.count >= Self.rest }
    let middle = (walk.lowerBound + walk.upperBound) / 2
    guard let upright = thigh.up(over: walk) else { throw .noWalk }
    let before = stills.last { still in
      still.upperBound <= middle && thigh.isSeat(still.suffix(Self.rest), besides: upright)
    }
    guard let before, let seat = thigh.up(over: before.suffix(Self.rest)) else { throw .noStandUp }
    let after = stills.first { still in
      still.lowerBound >= middle && thigh.isSeat(still.prefix(Self.rest), besides: upright)
    }
    guard let after, let seatAgain = thigh.up(over: after.prefix(Self.rest)),
      seat.cosine(to: seatAgain) >= Self.alike
    else { throw .noSitDown }
    onset = before.upperBound
    settling = after.lowerBound
    let between = onset..<settling
    let isUpright = { (index: Int, seat: Vector3) in
      thigh.ups[index].cosine(to: upright) > thigh.ups[index].cosine(to: seat)
    }
    rise = between.first { isUpright($0, seat) } ?? onset
    sink = between.last { isUpright($0, seatAgain) } ?? settling
    calmBefore = thigh.calm(in: max(onset - Self.calmSpanBefore, 0)..<onset).last ?? onset
    calmAfter =
      thigh.calm(in: sink..<min(sink + Self.calmSpanAfter, thigh.stirring.count)).first ?? settling
  }

  /// Judges every walk of a stretch: an excursion, or why it is none.
  ///
  /// Two walks with a pause between them lead from the same seat to the same seat, and are one.
  static func judge(_ thigh: ThighCourse) -> [Result<Excursion, TimedUpAndGoRefusal>] {
    var results: [Result<Excursion, TimedUpAndGoRefusal>] = []
    for walk in thigh.walks {
      let result = Result { () throws(TimedUpAndGoRefusal) in
        try Excursion(about: walk, of: thigh)
      }
      if case (.success(let next)?, .success(let last)?) = (Optional(result), results.last),
        next.onset == last.onset
      {
        continue
      }
      results.append(result)
    }
    return results
  }
}

extension ThighCourse {
  /// Mean departure in micro-g from which a thigh walks; slow gait has some 150 000.
  private static let walking: Int64 = 100_000
  /// Cells of a shortest walk: 5 s, in which nobody walks six metres and turns.
  ///
  /// Longer than taking a telephone out of a pocket and putting it down, which is 4.5 s.
  private static let shortestWalk = 250
  /// Cells of a pause within a walk that does not end it, such as before a turn: 1 s.
  private static let longestPause = 50

  /// The cells of each walk, pauses included.
  fileprivate var walks: [Range<Int>] {
    var walks: [Range<Int>] = []
    for span in stride.spans(where: { $0 > Self.walking }) {
      if let last = walks.last, span.lowerBound - last.upperBound < Self.longestPause {
        walks[walks.count - 1] = last.lowerBound..<span.upperBound
      } else {
        walks.append(span)
      }
    }
    return walks.filter { $0.count >= Self.shortestWalk }
  }

  /// The cells in which the thigh is nearly as calm as it gets in some cells: stirs at most four times
  /// as much as in the calmest.
  ///
  /// What calm is differs with people and pockets, so it is held against itself; two to six times
  /// make little difference.
  fileprivate func calm(in cells: Range<Int>) -> [Int] {
    let least = max(stirring[cells].min() ?? 0, Excursion.calmest)
    return cells.filter { stirring[$0] <= 4 * least }
  }

  /// Whether the thigh lay clearly elsewhere than upright.
  fileprivate func isSeat(_ cells: Range<Int>, besides upright: Vector3) -> Bool {
    guard let up = up(over: cells) else { return false }
    return up.cosine(to: upright) <= Excursion.leastTurn
  }
}
