import FixedPoint
public import Motion

/// The steps and the duration of a walk.
public struct Walk: Hashable, Sendable {
  /// Steps taken.
  public var steps: Int
  /// When it began, in microseconds on the samples' clock.
  public var start: Int64
  /// How long it took in microseconds.
  public var duration: Int64

  /// Steps a minute, in thousandths.
  public var cadence: Int64 {
    Int64(steps).scaled(by: 60_000_000_000, over: max(duration, 1))
  }

  /// The walk that `recording` has in `range`.
  init(_ recording: WalkRecording, in range: Range<Int64>) {
    steps = recording.steps(in: range).count
    start = range.lowerBound
    duration = range.upperBound &- range.lowerBound
  }
}

/// A walk over a known distance: time, speed, cadence.
///
/// At the trunk the time is right to 0.5 s, by the steps alone to 1 s, which is 5 and 10 % of ten
/// metres. Pass the times at which the person passed the marks if they are known.
public struct TimedWalk: Hashable, Sendable {
  /// The walk, from its first step or the caller's mark to its last.
  public var walk: Walk
  /// The distance that the caller stated, in millimetres.
  public var distance: Int64
  /// The speed by the sensor's own movement, without the distance; `nil` where no method holds.
  public var own: WalkingSpeed?
  /// The quality of the samples.
  public var quality: SignalQuality

  /// The speed in millimetres a second.
  public var speed: Int64 { distance.scaled(by: 1_000_000, over: max(walk.duration, 1)) }
  /// The mean length of a step in millimetres; `nil` without steps.
  public var stepLength: Int64? { walk.steps > 0 ? distance / Int64(walk.steps) : nil }

  /// Valid distances in millimetres: 1 m to 10 km, as in ResearchKit.
  public static let distances: ClosedRange<Int64> = 1_000...10_000_000

  /// Measures a walk of `distance` millimetres in a recording of one sensor on `segment`, `nil` if
  /// nobody stated where; at the trunk and the pelvis begin and end are the most accurate.
  ///
  /// `start` and `end` are when the person passed the marks (microseconds), by default the first
  /// and the last step. `height` is the person's in millimetres, for the sensor's own speed. Throws if there are no ten steps in a row, if a twentieth of the walk was
  /// not recorded, or if distance or times are invalid.
  public static func measure(
    _ samples: [MotionSample], on segment: Segment? = nil, distance: Int64, start: Int64? = nil,
    end: Int64? = nil, height: Int64? = nil
  ) throws(WalkRefusal) -> Self {
    guard distances.contains(distance) else { throw .distance(millimetres: distance) }
    let recording = try WalkRecording(samples, on: segment)
    let walking = try recording.walking()
    let (first, last) = (start ?? walking.lowerBound, end ?? walking.upperBound)
    guard first < last, !last.subtractingReportingOverflow(first).overflow else {
      throw .backwards
    }
    let walk = Walk(recording, in: first..<last)
    guard walk.steps > 0 else { throw .noWalk }
    try recording.refuseSilence(in: first..<last)
    let own = try? WalkingSpeed.measure(samples, on: segment, height: height, in: first..<last)
    return Self(walk: walk, distance: distance, own: own, quality: recording.quality)
  }
}

/// Why a walk was not measured.
public enum WalkRefusal: Error, Hashable, Sendable {
  /// The stream is unusable.
  case stream(SignalQuality.Refusal)
  /// The sensor sent nothing for this many milliseconds of the walk.
  case dropout(milliseconds: Int64)
  /// There are fewer than ten steps in a row.
  case noWalk
  /// The distance, in millimetres, is not within 1 m to 10 km.
  case distance(millimetres: Int64)
  /// The end of the walk is not after its beginning.
  case backwards
  /// The recording ends this many seconds after the start, before the six minutes are over.
  case tooShort(seconds: Int64)
  /// A short walk has so few steps on the way back.
  case noWayBack(steps: Int)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .noWalk: "noWalk"
    case .distance: "distance"
    case .backwards: "backwards"
    case .tooShort: "tooShort"
    case .noWayBack: "noWayBack"
    }
  }
}

/// The steps and the gaps of a recording.
struct WalkRecording: Hashable, Sendable {
  /// Every step, in order.
  let steps: [Step]
  /// The gaps longer than a second, from the sample before to the sample after.
  let silences: [Range<Int64>]
  /// The last sample's time.
  let end: Int64
  /// The quality of the samples.
  let quality: SignalQuality
  /// The movement of a trunk; `nil` at another place.
  private let extent: WalkExtent?

  /// Counts the steps of a recording of one sensor on a segment; `nil` if nobody stated where.
  init(_ samples: [MotionSample], on segment: Segment? = nil) throws(WalkRefusal) {
    var counter = StepCounter(on: segment)
    var steps = counter.add(contentsOf: samples)
    steps += counter.finish()
    var silences: [Range<Int64>] = []
    var end = samples.first?.time ?? 0
    for sample in samples where sample.time > end {
      let (silence, overflow) = sample.time.subtractingReportingOverflow(end)
      if overflow || silence > StreamMonitor.longestInterval { silences.append(end..<sample.time) }
      end = sample.time
    }
    self.steps = steps.sorted { $0.time < $1.time }
    self.silences = silences
    self.end = end
    quality = counter.quality
    extent = segment == .trunk || segment == .pelvis ? WalkExtent(samples) : nil
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
  }

  /// The steps from `start` on and before `end`.
  func steps(in range: Range<Int64>) -> [Step] {
    steps.filter { range.contains($0.time) }
  }

  /// Refuses gaps that make up more than a twentieth of `range`, as they lose steps.
  func refuseSilence(in range: Range<Int64>) throws(WalkRefusal) {
    var lost: UInt64 = 0
    for silence in silences {
      let part = silence.clamped(to: range)
      lost += UInt64(bitPattern: part.upperBound &- part.lowerBound)
    }
    if lost > UInt64(bitPattern: range.upperBound &- range.lowerBound) / 20 {
      throw .dropout(milliseconds: Int64(lost / 1_000))
    }
  }

  /// When the walking began and ended: at the trunk by its movement, elsewhere half a step before the
  /// first and after the last.
  func walking() throws(WalkRefusal) -> Range<Int64> {
    guard let first = steps.first, let last = steps.last else { throw .noWalk }
    let (start, end) = (first.time &- first.period / 2, last.time &+ last.period / 2)
    guard start < end else { throw .noWalk }
    return extent?.range(around: start..<end) ?? start..<end
  }
}
