import FixedPoint
import Motion

/// Resamples the force of a recording to a constant rate, with linear interpolation on each axis.
///
/// A cell of 20 ms holds the mean over it, which is the anti-alias filter for a faster sensor. It
/// is meant for movement slower than a few hertz: at 3.5 Hz the mean is 0.8 % low.
enum UniformForce {
  /// Microseconds in a cell: 50 cells a second.
  static let cell: Int64 = 20_000
  /// The clamp on each axis in micro-g: 32 g, the widest range sold.
  static let limit: Int64 = 32_000_000

  /// The cells of a recording in micro-g, from its first sample to its last.
  ///
  /// Times must rise, by no more than a second at a time.
  static func cells(_ samples: [MotionSample]) -> [WideVector] {
    guard let first = samples.first else { return [] }
    var cells: [WideVector] = []
    var open = OpenCell()
    var last = (time: first.time, force: force(first))
    for sample in samples.dropFirst() {
      let next = (time: sample.time, force: force(sample))
      let interval = next.time - last.time
      var done: Int64 = 0
      var from = last.force
      while open.filled + interval - done >= cell {
        done += cell - open.filled
        let to = last.force + (next.force - last.force).map { $0 * done / interval }
        cells.append(open.close(from: from, to: to))
        from = to
      }
      open.add(from: from, to: next.force, lasting: interval - done)
      last = next
    }
    return cells
  }

  private static func force(_ sample: MotionSample) -> WideVector {
    WideVector(sample.acceleration).map { $0.clamped(to: limit) }
  }

  /// The cell that is being filled; `area` is twice its integral in micro-g microseconds.
  private struct OpenCell {
    private(set) var filled: Int64 = 0
    private var area = WideVector.zero

    mutating func add(from: WideVector, to: WideVector, lasting duration: Int64) {
      area = area + (from + to).map { $0 * duration }
      filled += duration
    }

    /// Fills the rest with a line and returns the mean.
    mutating func close(from: WideVector, to: WideVector) -> WideVector {
      add(from: from, to: to, lasting: cell - filled)
      defer { self = Self() }
      return area.map { $0.roundedDivision(by: 2 * cell) }
    }
  }
}
