public import Motion

/// A made-up exercise: a joint that bends and straightens a few times.
///
/// One sensor on the moving segment turns about its own x axis, slowly (a bend in two seconds with
/// a hold of one, as physiotherapists ask for); it feels gravity from the turned direction, 5 mg of
/// noise, and the angular rate that belongs to the movement.
public struct BendModel: Hashable, Sendable {
  /// How far the joint bends, in thousandths of a degree.
  public var range: Int
  /// How often.
  public var repetitions: Int
  /// Samples a second.
  public var rate: Int

  /// Makes an exercise.
  public init(range: Int = 95_000, repetitions: Int = 3, rate: Int = 50) {
    self.range = range
    self.repetitions = repetitions
    self.rate = rate
  }

  /// Seconds of one repetition: bend 2, hold 1, straighten 2, rest 1.
  static let period = 6

  /// The samples of the whole exercise with two seconds of rest around it; `t` counts from 0.
  public var samples: [MotionSample] {
    let count = (repetitions * Self.period + 4) * rate
    return (0..<count).map { index in
      let angle = self.angle(index)
      let next = self.angle(index + 1)
      // Thousandths of a degree as 65 536ths of a turn.
      let phase = Int64(angle) * 65_536 / 360_000
      func component(_ value: Int64, _ channel: Int) -> Int32 {
        Int32(clamping: value + Wave.noise(index, channel: channel, amplitude: 5000))
      }
      return MotionSample(
        time: Int64(index) * 1_000_000 / Int64(rate),
        acceleration: Vector3(
          x: component(0, 0), y: component(Wave.sine(phase, amplitude: 1_000_000), 1),
          z: component(Wave.cosine(phase, amplitude: 1_000_000), 2)),
        angularRate: Vector3(x: Int32(clamping: (next - angle) * rate), y: 0, z: 0))
    }
  }

  /// The joint's angle at a sample, in thousandths of a degree.
  private func angle(_ index: Int) -> Int {
    let inExercise = index - 2 * rate
    guard inExercise >= 0, inExercise < repetitions * Self.period * rate else { return 0 }
    let t = inExercise % (Self.period * rate)
    switch t {
    case ..<(2 * rate): return raised(t)
    case ..<(3 * rate): return range
    case ..<(5 * rate): return raised(5 * rate - t)
    default: return 0
    }
  }

  /// A raised cosine from 0 to the full range over two seconds.
  private func raised(_ t: Int) -> Int {
    let phase = Int64(t) * 32_768 / Int64(2 * rate)
    return Int((Int64(range) - Wave.cosine(phase, amplitude: Int64(range))) / 2)
  }
}
