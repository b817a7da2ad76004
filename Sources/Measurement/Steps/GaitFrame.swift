/// What the signal looks like around one moment, five times a second.
struct GaitFrame: Sendable {
  /// Samples from one frame to the next: 0.2 s.
  static let hop = 5

  /// The moment, in samples since the stretch began.
  var centre: Int
  /// Evidence for each period, in 1/4096 (see `GaitLags`).
  var scores: InlineArray<42, Int32>
  /// Each period made finer by a parabola through the stride's correlation, in 1/64 sample.
  var periods: InlineArray<42, Int32>
  /// Whether the body moves here as it does in the window on average.
  var isMoving: Bool
}
