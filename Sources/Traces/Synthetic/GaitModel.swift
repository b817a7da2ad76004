public import Motion

/// A made-up walk: what an accelerometer on the chest feels of it.
///
/// The trunk rises and falls once a step and sways sideways once a stride; the foot's impact adds
/// the double of the step's frequency. Amplitudes are those of comfortable walking (Menz et al.,
/// Gait & Posture 18:35, 2003: about 0.2 g rms vertical, 0.15 g fore and aft, 0.1 g sideways). The
/// sensor is worn upright and carries uniform noise of 10 mg. Cadence wanders by 3 % over half a
/// minute, as it does in people.
public struct GaitModel: Hashable, Sendable {
  /// Steps a minute.
  public var cadence: Int
  /// Samples a second.
  public var rate: Int
  /// Seconds of standing before the first step and after the last.
  public var margin: Int

  /// Makes a walk.
  public init(cadence: Int = 108, rate: Int = 50, margin: Int = 5) {
    self.cadence = cadence
    self.rate = rate
    self.margin = margin
  }

  /// The samples of `seconds` of walking with standing around it; `t` counts from 0.
  public func samples(seconds: Int) -> [MotionSample] {
    var phase: Int64 = 0
    return (0..<(seconds + 2 * margin) * rate).map { index in
      let second = index / rate
      let isWalking = second >= margin && second < margin + seconds
      if isWalking { phase += phaseStep(at: index) }
      return sample(index, phase: phase, isWalking: isWalking)
    }
  }

  /// How far a sample takes the step's phase, in 65 536ths of a turn, times 64.
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
