import FixedPoint
public import Motion

extension Tremor {
  /// The slowest rate in thousandths of a hertz: 50 Hz, with 5 % for a sensor's own clock.
  public static let lowestRate = 47_500
  /// Bins of the band, 3 to 12 Hz, and how many either side of a peak are its own.
  static let band = 12...48
  static let reach = 3
  /// The share of the band in thousandths from which a peak dominates: noise alone spreads evenly,
  /// and a peak's seven bins of 37 then hold a fifth of it, by chance twice that in six seconds.
  static let dominance = 450

  /// Looks for a tremor in a recording of one sensor on a limb held in one posture.
  ///
  /// From 6 s on, at 50 Hz or more; windows with a hole of more than 0.1 s are left out. Throws where
  /// nothing can be looked for. Cost: some 500 multiplications a sample.
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
    // The slope of a slow movement rises towards 3 Hz without being a peak there.
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

  /// Where between the bins the tone lies, in thousandths of a hertz.
  ///
  /// A Hann window's three highest bins are as 2(A₊ - A₋) / (A₋ + 2A₀ + A₊) to a bin's width, exactly
  /// for a single tone.
  private static func frequency(of spectrum: TremorSpectrum, at bin: Int) -> Int64 {
    let (below, middle, above) = (
      root(spectrum[bin - 1] << 8), root(spectrum[bin] << 8), root(spectrum[bin + 1] << 8)
    )
    let offset = (2 * 250 * (above - below)).roundedDivision(by: below + 2 * middle + above)
    return (Int64(bin) * 250 + offset.clamped(to: 125)).clamped(to: 12_000)
  }

  /// The amplitude in nanometres of an acceleration's in micro-g at so many thousandths of a hertz.
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
