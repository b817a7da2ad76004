/// The step periods that are told apart, counted in half samples of the 25 Hz signal.
///
/// Half-sample steps of the step period are whole samples of the stride, whose correlation carries
/// most of the evidence.
enum GaitLags {
  /// How many periods: 0.28 s to 1.1 s every 20 ms, a sprint to a shuffle.
  static let count = 42
  /// The same, filled up to whole vectors; what lies beyond `count` is never chosen.
  static let padded = 48
  /// The stride lag in samples of the period `index`, which is also its step lag in half samples.
  static func stride(_ index: Int) -> Int { shortestStride + index }

  /// Stride lag of the shortest period, in samples.
  static let shortestStride = 14
  /// The longest lag that is correlated: one beyond the longest stride, 2.24 s.
  static let longest = 56
}
