import Motion

/// A walk between two rests on a seat: the thigh is still, rises, walks, sinks and is still again.
///
/// The mounting is unknown. The walk gives the direction of up for an upright thigh; a seat is any
/// rest with another direction.
struct UpAndGoTrial: Hashable, Sendable {
  /// Activity in micro-g below which the thigh is still: tilting by 14° a second.
  ///
  /// Above breathing and any sensor's noise, and a third of the activity of standing up; a change
  /// by a fifth has little effect.
  static let stillness: Int64 = 50_000
  /// The shortest rest in cells: 0.4 s, longer than any pause in the movement.
  static let rest = 20
  /// cos 20° in Q30: the least angle between a seat and upright.
  ///
  /// A loose pocket leaves 23° of the thigh's 90°.
  fileprivate static let leastTurn: Int64 = 1_008_988_144
  /// cos 60° in Q30: the largest angle between both seats, as the sensor can slide in a pocket.
  static let alike: Int64 = 536_870_912
  /// Cells before the onset in which calm is searched: a second, the duration of leaning forward.
  private static let calmSpanBefore = 50
  /// Cells after the sinking in which calm is searched: two seconds of sitting still, of which the
  /// second half of the sinking and its after-movements take one.
  private static let calmSpanAfter = 100
  /// The floor of the deviation in micro-g: a sensor's own noise.
  fileprivate static let calmest: Int64 = 3_000

  /// The cell in which the thigh first moves, and the one in which it is still again.
  let onset: Int
  let settling: Int
  /// The cells in which the thigh was half way up and half way down.
  let rise: Int
  let sink: Int
  /// The last cell before the onset, and the first after the sinking, in which the thigh is calm.
  let calmBefore: Int
  let calmAfter: Int
  /// The cells that determine the times.
  var cells: Range<Int> { min(onset, calmBefore)..<max(settling, calmAfter) + 1 }

  /// Finds the seats on both sides of a walk.
  init(about walk: Range<Int>, of thigh: ThighSignals) throws(TimedUpAndGoRefusal) {
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

  /// The trial of each walk of a stretch, or why it is none.
  ///
  /// Two walks with a pause between them that lead from the same seat are one trial.
  static func judge(_ thigh: ThighSignals) -> [Result<UpAndGoTrial, TimedUpAndGoRefusal>] {
    var results: [Result<UpAndGoTrial, TimedUpAndGoRefusal>] = []
    for walk in thigh.walks {
      let result = Result { () throws(TimedUpAndGoRefusal) in
        try UpAndGoTrial(about: walk, of: thigh)
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

extension ThighSignals {
  /// The least mean deviation of walking in micro-g; slow gait has about 150 000.
  private static let walking: Int64 = 100_000
  /// The shortest walk in cells: 5 s, less than six metres and a turn take.
  ///
  /// Longer than taking a phone out of a pocket and putting it down, which is 4.5 s.
  private static let shortestWalk = 250
  /// The longest pause within a walk in cells, such as before a turn: 1 s.
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

  /// The calm cells among `cells`: the deviation is at most four times that of the calmest.
  ///
  /// The deviation at rest differs between people and pockets, so the limit is relative; factors
  /// from two to six give similar results.
  fileprivate func calm(in cells: Range<Int>) -> [Int] {
    let least = max(stirring[cells].min() ?? 0, UpAndGoTrial.calmest)
    return cells.filter { stirring[$0] <= 4 * least }
  }

  /// Whether the thigh was clearly not upright.
  fileprivate func isSeat(_ cells: Range<Int>, besides upright: Vector3) -> Bool {
    guard let up = up(over: cells) else { return false }
    return up.cosine(to: upright) <= UpAndGoTrial.leastTurn
  }
}
