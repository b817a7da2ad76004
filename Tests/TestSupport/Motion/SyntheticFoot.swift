import Foundation
import Motion

/// A synthetic foot that rests for most of each stride and swings in the rest of it.
struct SyntheticFoot {
  /// Seconds of a stride: two steps.
  var stride = 1.2
  /// The largest force of a swing in g.
  var swing = 0.5

  /// Standing for 8 s, walking for so many strides, standing again; 50 samples a second.
  func samples(strides: Int) -> [MotionSample] {
    var generator = SeededGenerator(seed: 8)
    let walk = Double(strides) * stride
    return (0..<Int((walk + 16) * 50)).map { index in
      let time = Double(index) / 50 - 8
      let phase = time / stride - (time / stride).rounded(.down)
      let isSwinging = (0..<walk).contains(time) && phase < 0.4
      let push = isSwinging ? swing * sin(phase / 0.4 * 2 * .pi) : 0
      let noise = generator.noise(0.01)
      return MotionSample(
        time: Int64(index) * 20_000, acceleration: .g(push + noise.x, noise.y, 1 + noise.z + push))
    }
  }
}
