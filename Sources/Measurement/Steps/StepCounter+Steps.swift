public import Motion

/// For who wants the steps alone.
extension StepCounter {
  /// Takes the next sample and returns the steps that became sure with it, oldest first.
  public mutating func add(_ sample: MotionSample) -> [Step] {
    var log = StepLog()
    add(sample, to: &log)
    return log.steps
  }

  /// Takes a block of samples; returns what adding each of them would.
  @inlinable
  public mutating func add(contentsOf samples: some Sequence<MotionSample>) -> [Step] {
    var log = StepLog()
    add(contentsOf: samples, to: &log)
    return log.steps
  }

  /// Ends the stream, or a stretch of it, and returns the steps that were still open.
  public mutating func finish() -> [Step] {
    var log = StepLog()
    finish(to: &log)
    return log.steps
  }
}
