public import Motion

/// A synthetic walk: the acceleration on the chest.
///
/// The trunk rises and falls once a step and sways sideways once a stride; the foot's impact adds
/// twice the step's frequency. Amplitudes are those of comfortable walking (Menz et al.,
/// Gait & Posture 18:35, 2003: about 0.2 g rms vertical, 0.15 g fore and aft, 0.1 g sideways). The
/// sensor is upright and has uniform noise of 10 mg. The cadence varies by 3 % over half a minute,
/// as in people.
public struct GaitModel: Hashable, Sendable {
  /// Steps per minute.
  public var cadence: Int
  /// Samples per second.
  public var rate: Int
  /// Seconds of standing before the first step and after the last.
  public var margin: Int

  /// Makes a walk.
  public init(cadence: Int = 108, rate: Int = 50, margin: Int = 5) {
    self.cadence = cadence
    self.rate = rate
    self.margin = margin
  }

  /// The samples of `seconds` of walking with standing before and after; `t` counts from 0.
  public func samples(seconds: Int) -> [MotionSample] {
    var phase: Int64 = 0
    return (0..<(seconds + 2 * margin) * rate).map { index in
      let second = index / rate
      let isWalking = second >= margin && second < margin + seconds
      if isWalking { phase += phaseStep(at: index) }
      return sample(index, phase: phase, isWalking: isWalking)
    }
  }

  /// The step's phase per sample, in 65 536ths of a turn, times 64.
  private func phaseStep(at index: Int) -> Int64 {
    let mean = Int64(cadence) * 64 * 65_536 / Int64(60 * rate)
    let wander = Wave.sine(Int64(index) * 65_536 / Int64(30 * rate), amplitude: mean * 3 / 100)
    return mean + wander
  }

  private func sample(_ index: Int, phase: Int64, isWalking: Bool) -> MotionSample {
    let step = phase / 64
    let moving: Int64 = isWalking ? 1 : 0
    let vertical =
      Wave.sine(step, amplitude: 260_000) + Wave.sine(2 * step + 9000, amplitude: 90_000)
    let forward = Wave.cosine(step, amplitude: 190_000)
    let sideways = Wave.sine(step / 2, amplitude: 120_000)
    func component(_ value: Int64, _ channel: Int) -> Int32 {
      Int32(clamping: value + Wave.noise(index, channel: channel, amplitude: 10_000))
    }
    return MotionSample(
      time: Int64(index) * 1_000_000 / Int64(rate),
      acceleration: Vector3(
        x: component(moving * sideways, 0), y: component(1_000_000 + moving * vertical, 1),
        z: component(moving * forward, 2)))
  }
}

// MARK: - A bend

/// A synthetic exercise: a joint that bends and straightens a few times.
///
/// One sensor on the moving segment turns slowly about its own x axis (two seconds of bending and
/// one of holding, as physiotherapists instruct); it measures the turned gravity with 5 mg of noise,
/// and the angular rate of the movement.
public struct BendModel: Hashable, Sendable {
  /// How far the joint bends, in thousandths of a degree.
  public var range: Int
  /// The number of repetitions.
  public var repetitions: Int
  /// Samples per second.
  public var rate: Int

  /// Makes an exercise.
  public init(range: Int = 95_000, repetitions: Int = 3, rate: Int = 50) {
    self.range = range
    self.repetitions = repetitions
    self.rate = rate
  }

  /// Seconds of one repetition: bend 2, hold 1, straighten 2, rest 1.
  static let period = 6

  /// The samples of the exercise with two seconds of rest before and after; `t` counts from 0.
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

// MARK: - Waves

/// Periodic motion and noise in integers, so that synthetic recordings are the same on every
/// machine.
enum Wave {
  /// The sine of a phase in 65 536ths of a turn, times `amplitude`.
  ///
  /// Hastings' polynomial of ninth order for sin(πz/2), z in 0...1 (Approximations for Digital
  /// Computers, 1955, sheet 16), in Q30: within 2 millionths of the amplitude.
  static func sine(_ phase: Int64, amplitude: Int64) -> Int64 {
    let inHalf = phase & 0x7FFF
    let z = (inHalf <= 0x4000 ? inHalf : 0x8000 - inHalf) << 16
    let square = (z * z) >> 30
    var polynomial: Int64 = 162_655
    for coefficient: Int64 in [-5_018_418, 85_566_142, -693_598_253, 1_686_629_704] {
      polynomial = coefficient + ((polynomial * square) >> 30)
    }
    let value = (((polynomial * z) >> 30) * amplitude) >> 30
    return phase & 0x8000 == 0 ? value : -value
  }

  /// The cosine of a phase in 65 536ths of a turn, times `amplitude`.
  static func cosine(_ phase: Int64, amplitude: Int64) -> Int64 {
    sine(phase + 0x4000, amplitude: amplitude)
  }

  /// Uniform noise in -amplitude...amplitude, a function of the sample's number and channel alone.
  static func noise(_ index: Int, channel: Int, amplitude: Int64) -> Int64 {
    var z = UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ UInt64(bitPattern: Int64(channel)) &* 0xD1B5_4A32_D192_ED03) &* 0xBF58_476D_1CE4_E5B9
    let fraction = Int64(bitPattern: (z ^ z >> 31) & 0xFFFF) - 0x8000
    return fraction * amplitude / 0x8000
  }
}
