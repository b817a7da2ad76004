import FixedPoint
public import Motion

/// The frequency and the amplitude of a limb's tremor in one posture.
///
/// Accelerations are those of all three axes together, so the sensor may be worn in any
/// orientation. They include the rotation of gravity with the limb, as usual in accelerometry of
/// tremor (reviewed by Haubenberger et al. 2016, Mov Disord 31:1327). Posture (rest, postural,
/// kinetic) and side are the caller's.
///
/// Validated on synthetic movement only: frequency within 0.01 Hz, amplitudes within 4 % if the
/// noise is a tenth of the tremor; noise alone is reported as a tremor in 1 of 300 recordings of 6
/// s, in none of 300 of 10 s.
public struct Tremor: Hashable, Sendable {
  /// A rhythm that stands out from everything else between 3 and 12 Hz.
  public struct Peak: Hashable, Sendable {
    /// Its frequency in thousandths of a hertz, 3 000...12 000.
    public var frequency: Int64
    /// Root mean square of the acceleration within 0.75 Hz of it, in micro-g.
    public var acceleration: Int64
    /// The amplitude of the movement in nanometres, from the middle to one end.
    ///
    /// For a straight movement: a / (2πf)², without an integration, which would drift.
    public var displacement: Int64
    /// The share of the power between 3 and 12 Hz that lies within 0.75 Hz of it, in thousandths.
    public var share: Int
  }

  /// The dominant rhythm; `nil` if there is no tremor above unsteadiness and the sensor's noise.
  public var peak: Peak?
  /// Root mean square of the acceleration between 3 and 12 Hz in micro-g, whether rhythmic or not.
  public var acceleration: Int64
  /// The share of the power between 1 and 20 Hz that lies between 3 and 12 Hz, in thousandths.
  public var bandShare: Int
  /// The quality of the samples.
  public var quality: SignalQuality
}

extension Tremor {
  /// The slowest rate in thousandths of a hertz: 50 Hz, with 5 % for a sensor's own clock.
  public static let lowestRate = 47_500
  /// Bins of the band, 3 to 12 Hz, and the number of bins on either side that belong to a peak.
  static let band = 12...48
  static let reach = 3
  /// The least share of a dominant peak in the band, in thousandths: the seven bins of a peak hold
  /// a fifth of white noise, by chance up to twice that in six seconds.
  private static let dominance = 450

  /// Looks for a tremor in a recording of one sensor on a limb in one posture.
  ///
  /// At least 6 s at 50 Hz or more; windows with a gap of more than 0.1 s are left out. Throws if
  /// the recording is too short or too slow. Cost: about 500 multiplications a sample.
  public static func measure(_ samples: [MotionSample]) throws(TremorRefusal) -> Tremor {
    var monitor = StreamMonitor()
    let ordered = samples.filter { monitor.judge($0) != .outOfOrder }
    let quality = monitor.quality
    if case .refused(let refusal) = quality.verdict { throw .stream(refusal) }
    if let rate = quality.rate, rate < lowestRate { throw .rateBelow50(rate: rate) }
    let spectrum = TremorSpectrum(ordered)
    guard spectrum.windows >= TremorSpectrum.leastWindows else {
      throw .tooShort(seconds: quality.duration / 1_000_000)
    }
    let power = spectrum.power(band)
    return Tremor(
      peak: peak(of: spectrum, amid: power), acceleration: root(power),
      bandShare: share(power, of: spectrum.power(FourierBank.bins)), quality: quality)
  }

  /// The highest bin that is higher than its neighbours, if it dominates.
  private static func peak(of spectrum: TremorSpectrum, amid power: Int64) -> Peak? {
    // The spectrum of a slow movement rises towards 3 Hz without a peak there.
    let summits = band.filter {
      spectrum[$0] >= spectrum[$0 - 1] && spectrum[$0] > spectrum[$0 + 1]
    }
    guard let bin = summits.max(by: { spectrum[$0] < spectrum[$1] }) else { return nil }
    let own = spectrum.power(bin - reach...bin + reach)
    let share = share(own, of: max(power, own))
    guard share >= dominance else { return nil }
    let frequency = frequency(of: spectrum, at: bin)
    return Peak(
      frequency: frequency, acceleration: root(own),
      displacement: displacement(root(2 * own), frequency), share: share)
  }

  /// The frequency of the tone between the bins, in thousandths of a hertz.
  ///
  /// With a Hann window its offset is 2(A₊ - A₋) / (A₋ + 2A₀ + A₊) bins, exactly for a single tone.
  private static func frequency(of spectrum: TremorSpectrum, at bin: Int) -> Int64 {
    let (below, middle, above) = (
      root(spectrum[bin - 1] << 8), root(spectrum[bin] << 8), root(spectrum[bin + 1] << 8)
    )
    let offset = (2 * 250 * (above - below)).roundedDivision(by: below + 2 * middle + above)
    return (Int64(bin) * 250 + offset.clamped(to: 125)).clamped(to: 12_000)
  }

  /// The amplitude in nanometres of an acceleration in micro-g at a frequency in thousandths of a
  /// hertz.
  private static func displacement(_ acceleration: Int64, _ frequency: Int64) -> Int64 {
    // 9 806.65 nm/s² a micro-g over (2π / 1000)²: 9 806.65e6 / 39.4784176 = 248 405 339.
    acceleration.scaled(by: 248_405_339, over: frequency * frequency)
  }

  private static func root(_ power: Int64) -> Int64 {
    Int64(power.magnitude.integerSquareRoot)
  }

  private static func share(_ part: Int64, of whole: Int64) -> Int {
    whole > 0 ? Int(part.scaled(by: 1_000, over: whole)) : 0
  }
}

/// Why a recording was not searched for a tremor.
///
/// A recording without a tremor is not refused: its result has no peak.
public enum TremorRefusal: Error, Hashable, Sendable {
  /// The stream is unusable.
  case stream(SignalQuality.Refusal)
  /// The sensor's rate in thousandths of a hertz; 50 Hz are needed.
  case rateBelow50(rate: Int)
  /// Only this many seconds are without a gap.
  case tooShort(seconds: Int64)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .rateBelow50: "rateBelow50"
    case .tooShort: "tooShort"
    }
  }
}
