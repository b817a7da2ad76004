import FixedPoint
public import Motion

extension InclinationFilter {
  /// The inclinations of a whole recording, each made with what came after it as well.
  ///
  /// For the end of a task, when all is there: what the filter made forwards is filtered again
  /// backwards, so that nothing lags, and the gyroscope's bias is the one learnt over the whole. One
  /// inclination a sample, in order. Cost: three passes over the samples.
  public static func smooth(
    _ samples: [MotionSample], usesGyroscope: Bool = true
  ) -> (inclinations: [Inclination], quality: InclinationQuality) {
    var learning = InclinationFilter(usesGyroscope: usesGyroscope)
    for sample in samples { _ = learning.advance(sample) }
    let bias = learning.bias.bias
    var forwards = InclinationFilter(usesGyroscope: usesGyroscope, pass: .forwards, bias: bias)
    var backwards = InclinationFilter(
      usesGyroscope: usesGyroscope, pass: .backwards, bias: .zero - bias)
    // What the first pass ignored has no force, and the second must not see it.
    let once = samples.map { forwards.advance($0) }
    var twice: [WideVector?] = zip(samples, once).reversed().map { sample, force in
      guard let force else { return nil }
      return backwards.advance(sample.reversed(with: force))
    }
    twice.reverse()
    return (inclinations(samples, twice), learning.quality)
  }

  /// One inclination a sample; those without a force repeat the one before.
  private static func inclinations(
    _ samples: [MotionSample], _ forces: [WideVector?]
  ) -> [Inclination] {
    var up = Vector3(x: 0, y: 0, z: 1 << 30)
    return zip(samples, forces).map { sample, force in
      up = force?.unit ?? up
      return Inclination(time: sample.time, up: up)
    }
  }
}

extension MotionSample {
  /// The sample as time running backwards meets it, turns and all, with another force.
  fileprivate func reversed(with force: WideVector) -> Self {
    let microg = force.map { $0.roundedShift(right: 8) }
    return Self(
      time: ~time,
      acceleration: Vector3(
        x: Int32(clamping: microg.x), y: Int32(clamping: microg.y), z: Int32(clamping: microg.z)),
      angularRate: angularRate.map {
        Vector3(x: 0 &- $0.x, y: 0 &- $0.y, z: 0 &- $0.z)
      })
  }
}
