import FixedPoint
import Motion

/// Finds gravity from an accelerometer alone: three Butterworth low-passes at 2 Hz.
///
/// Right as long as the sensor moves slowly; `Steadiness` tells whether it did. The sections are
/// designed for the measured rate and designed anew where it departs by more than a sixteenth.
struct TiltFilter: Hashable, Sendable {
  /// Corner frequency in micro-hertz: above any slow limb movement, below a heel strike.
  static let corner: Int64 = 2_000_000

  /// One filter an axis, once an interval is known.
  private var filters: Axes?
  /// Mean interval in microseconds with 8 fractional bits, and the one the filters are made for.
  private var interval: Int64 = 0
  private var designed: Int64 = 0
  /// The filtered force in micro-g.
  private(set) var force = WideVector.zero

  private struct Axes: Hashable, Sendable {
    var x: Biquad
    var y: Biquad
    var z: Biquad

    mutating func filter(_ force: Vector3) -> Vector3 {
      Vector3(x: x.filter(force.x), y: y.filter(force.y), z: z.filter(force.z))
    }
  }

  /// Starts as though the first sample's force had been there for ever.
  mutating func start(_ acceleration: Vector3) {
    force = WideVector(acceleration)
    filters = nil
    interval = 0
    designed = 0
  }

  /// Takes the next force, `newInterval` microseconds after the last (1...1 000 000).
  mutating func add(_ acceleration: Vector3, interval newInterval: Int64) {
    // The first interval, then a mean over some 32 of them: jitter averages out.
    interval = interval == 0 ? newInterval << 8 : interval + ((newInterval << 8) - interval) / 32
    if abs(interval - designed) > designed / 16 { redesign() }
    guard let filtered = filters?.filter(acceleration) else { return }
    force = WideVector(filtered)
  }

  private mutating func redesign() {
    // 2^8 · 10^12 over the mean interval: the rate in micro-hertz.
    let rate = 256_000_000_000_000 / max(interval, 1)
    let cutoff = min(Self.corner, rate * 2 / 5)
    guard let design = BiquadCoefficients.lowPass(cutoff: cutoff, rate: rate) else { return }
    designed = interval
    if var axes = filters {
      axes.x.redesign(design)
      axes.y.redesign(design)
      axes.z.redesign(design)
      filters = axes
    } else {
      filters = Axes(
        x: Self.settled(design, force.x), y: Self.settled(design, force.y),
        z: Self.settled(design, force.z))
    }
  }

  private static func settled(_ design: BiquadCoefficients, _ input: Int64) -> Biquad {
    var filter = Biquad(design)
    filter.settle(at: Int32(clamping: input))
    return filter
  }
}
