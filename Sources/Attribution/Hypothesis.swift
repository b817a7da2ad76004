import FixedPoint

/// One account of who weighed when: the estimates that follow from it, and its probability.
struct Hypothesis: Sendable {
  /// The named people in the household's order, then the strangers in the order of their coming.
  var tracks: [Track]
  /// log2 of the probability in units of 2^-16, relative to the best.
  var weight: Int64 = 0
  /// Whose the recent weighings were, oldest first.
  private(set) var past: [Past] = []

  /// Strangers that are remembered; a household has few unnamed members.
  static let strangers = 6

  mutating func advance(by minutes: Int64) {
    for index in tracks.indices { tracks[index].advance(by: minutes) }
    tracks.removeAll(where: \.isForgotten)
  }

  /// Whether a label may name a track; `nil` is a new stranger.
  func fits(_ label: Weighing.Label, _ track: Int?) -> Bool {
    track.map { tracks[$0].fits(label) } ?? (label == .nobody)
  }

  /// Learns a weighing of a track, or of a new stranger who gets the identifier `id`.
  mutating func learn(_ weighing: Weighing, track: Int?, isJump: Bool, id: Int32) {
    if let track {
      tracks[track].learn(weighing, isJump: isJump)
      remember(tracks[track].id)
      return
    }
    remember(id)
    makeRoom()
    tracks.append(Track(stranger: weighing, id: id))
  }

  /// Passes over a typed value that says nothing of a person.
  mutating func skip() { remember(-1) }

  private mutating func remember(_ id: Int32) {
    if past.count == 2 * Past.depth { past.removeFirst(Past.depth) }
    past.append(Past(id))
  }

  /// Counts a label that is taken for a mistake against the estimate that it contradicts.
  mutating func contradict(_ track: Int) { tracks[track].contradict() }

  /// Adds a stranger who has the estimate of `track`; returns the number.
  mutating func addStranger(like track: Track, id: Int32) -> Int {
    makeRoom()
    tracks.append(Track(strangerLike: track, id: id))
    return tracks.count - 1
  }

  /// Forgets the rarest stranger where there are too many.
  private mutating func makeRoom() {
    let named = tracks.count { $0.isNamed }
    if tracks.count - named >= Self.strangers,
      let rarest = tracks.indices.dropFirst(named).min(by: { tracks[$0].visits < tracks[$1].visits }
      )
    {
      tracks.remove(at: rarest)
    }
  }

  /// Gives each of two people the other's estimate.
  mutating func exchange(_ one: Int, _ other: Int) {
    let track = tracks[one]
    tracks[one].adopt(tracks[other])
    tracks[other].adopt(track)
  }

  func isSimilar(to other: Self) -> Bool {
    tracks.count == other.tracks.count
      && zip(tracks, other.tracks).allSatisfy { $0.isSimilar(to: $1) }
  }

  mutating func merge(_ other: Self) {
    let share = BinaryLogarithm.power(minus: max(0, weight - other.weight))
    let part = share.scaled(by: 1 << 20, over: share + 1 << 30)
    for index in tracks.indices { tracks[index].merge(other.tracks[index], share: part) }
    for index in past.indices { past[index].merge(other.past[index], share: part) }
    weight = BinaryLogarithm.sum(weight, other.weight)
  }
}

/// Whose one weighing was: the two most probable people, by their tracks' identifiers.
struct Past: Hashable, Sendable {
  private(set) var first: Int32
  private(set) var second: Int32 = -1
  /// Their shares in units of 2^-20.
  private(set) var firstShare: Int32 = 1 << 20
  private(set) var secondShare: Int32 = 0

  /// Weighings that are looked back on, at least: two months of one person.
  static let depth = 48

  init(_ id: Int32) { first = id }

  /// The mixture with another account; `share` is the other's in units of 2^-20.
  mutating func merge(_ other: Self, share: Int64) {
    if self == other { return }
    func part(_ value: Int32, _ share: Int64) -> Int32 { Int32((Int64(value) * share) >> 20) }
    let own = (1 << 20) - share
    var shares = [(first, part(firstShare, own)), (second, part(secondShare, own))]
    for (id, value) in [(other.first, other.firstShare), (other.second, other.secondShare)] {
      if let index = shares.firstIndex(where: { $0.0 == id }) {
        shares[index].1 += part(value, share)
      } else {
        shares.append((id, part(value, share)))
      }
    }
    shares.sort { ($1.1, $0.0) < ($0.1, $1.0) }
    (first, firstShare) = shares[0]
    (second, secondShare) = shares[1]
  }
}
