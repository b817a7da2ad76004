/// What the signal looks like around one moment, three times a second.
struct GaitFrame: Sendable {
  /// Samples from one frame to the next: 0.32 s, within which nobody ends one gait and begins another.
  static let hop = 8
  /// Correlations of 1.
  static let one: Int32 = 4_096

  /// The moment, in microseconds since the stretch began.
  var centre: Int64
  /// How alike the signal is to itself after each lag of 1 to 56 samples, in 1/4096; then zeros.
  var correlations = InlineArray<64, Int16>(repeating: 0)
  /// Whether the body moves here as it does in the window on average.
  var isMoving = false

  /// The correlation at a lag of 1 to 56 samples.
  subscript(lag: Int) -> Int32 { Int32(correlations[lag - 1]) }

  /// The step period of a state made finer, in 1/64 sample: the top of the parabola through the
  /// stride's correlation and its neighbours.
  func period(_ state: Int) -> Int32 {
    let lag = GaitLags.stride(state)
    let before = self[lag - 1]
    let stride = self[lag]
    let after = self[lag + 1]
    let curvature = 2 * stride - before - after
    guard curvature > 0, stride >= before, stride >= after else { return Int32(lag) * 32 }
    return Int32(lag) * 32 + 16 * (after - before) / curvature
  }
}
