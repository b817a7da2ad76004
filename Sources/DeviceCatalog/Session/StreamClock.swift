/// Spaces the samples of a sensor that sends the time of the last sample of each frame.
///
/// Samples are spread between the last one of the frame before and the last one of this, since the
/// nominal rate of a sensor is not its real one. The sensor's clock tells only differences: it is
/// set against the arrival of the first frame, and anew when the two come apart by more than two
/// seconds.
struct StreamClock: Hashable, Sendable {
  /// Microseconds from sample to sample by the nominal rate.
  private let nominal: Int64
  /// The last sample's time by the sensor, in microseconds.
  private var lastDevice: Int64?
  /// The last sample's time as it was given out, in microseconds since 1970.
  private var last: Int64?
  /// What is added to the sensor's time.
  private var offset: Int64 = 0

  /// How far the sensor's clock and the arrival may come apart, in microseconds.
  static let tolerance: Int64 = 2_000_000

  /// Makes a clock for a stream of `milliHertz` thousandths of a sample a second.
  init(milliHertz: Int) {
    nominal = max(1, 1_000_000_000 / Int64(max(1, milliHertz)))
  }

  /// The times of `count` samples in microseconds since 1970, rising.
  mutating func times(count: Int, lastNanoseconds: UInt64, arrival: Int64) -> [Int64] {
    guard count > 0 else { return [] }
    let device = Int64(lastNanoseconds / 1000)
    let length = nominal * Int64(count)
    if lastDevice == nil || abs(arrival - (device + offset)) > Self.tolerance {
      offset = arrival - device
    }
    let end = device + offset
    // After a gap the samples belong to its end, not all over it.
    let follows = lastDevice.map { device > $0 && device - $0 <= 2 * length } ?? false
    let start = last.map { follows ? $0 : max($0, end - length) } ?? end - length
    let times = evenly(count, from: start, to: end)
    lastDevice = device
    last = times.last
    return times
  }
}
