import Care
import Foundation

/// The scale of an axis of values: its ends and the values that are marked on it.
struct AxisScale: Hashable, Sendable {
  /// The value at the beginning of the axis.
  let minimum: Double
  /// The value at its end, above ``minimum``.
  let maximum: Double
  /// The marked values, at least one, ascending.
  let ticks: [Double]

  /// Chooses the ends.
  ///
  /// The rules of the bar chart of CareKit 1 (`OCKBarChart`): a given maximum below the data's is
  /// ignored, and so is a given minimum above the data's. Ends that are not given lie on a mark.
  ///
  /// - Parameters:
  ///   - values: The data; what is not finite is left out.
  ///   - minimum: The wanted beginning.
  ///   - maximum: The wanted end.
  ///   - count: About how many marks are wanted.
  ///   - isWhole: Whether only whole numbers are marked.
  init(
    of values: some Sequence<Double>, minimum: Double? = nil, maximum: Double? = nil,
    count: Int = 4, isWhole: Bool = false
  ) {
    // Beyond this range the difference of two values has no digits left.
    let data = values.filter { $0.isFinite && abs($0) < 1e12 }
    let given = [minimum, maximum].map { $0.flatMap { $0.isFinite && abs($0) < 1e12 ? $0 : nil } }
    let least = data.min() ?? given[0] ?? given[1].map { min(0, $0) } ?? 0
    let most = data.max() ?? given[1] ?? max(least, 1)
    let lower = given[0].map { min($0, least) } ?? least
    let upper = given[1].map { max($0, most) } ?? most
    let isFlat = upper - lower <= abs(upper) * 1e-9
    let margin = isFlat ? max(abs(upper) * 0.02, isWhole ? 1 : 0.1) : 0
    let step = Self.step(upper - lower + 2 * margin, count: max(1, count), isWhole: isWhole)
    let keepsLower = given[0].map { $0 <= least } ?? false
    let keepsUpper = given[1].map { $0 >= most } ?? false
    let first = keepsLower ? lower : ((lower - margin) / step).rounded(.down) * step
    var last = keepsUpper ? upper : ((upper + margin) / step).rounded(.up) * step
    if last <= first { last = first + max(step, abs(first) * 0.01) }
    self.minimum = first
    self.maximum = last
    let begin = Int(saturating: (first / step - 1e-9).rounded(.up))
    let end = Int(saturating: (last / step + 1e-9).rounded(.down))
    let limit: Int = max(begin, min(end, begin + 20))
    let slack: Double = step * 1e-9
    let reach: ClosedRange<Double> = (first - slack)...(last + slack)
    let marks: [Double] = (begin...limit).map { number -> Double in Double(number) * step }
      .filter(reach.contains)
    ticks = marks.isEmpty ? [first] : marks
  }

  /// Where a value lies, 0 at the beginning and 1 at the end; values outside lie at the nearer one.
  func fraction(_ value: Double) -> Double {
    guard value.isFinite else { return 0 }
    return min(max((value - minimum) / (maximum - minimum), 0), 1)
  }

  /// A step of 1, 2 or 5 times a power of ten, of which about `count` make `span`.
  private static func step(_ span: Double, count: Int, isWhole: Bool) -> Double {
    let raw = max(span, 1e-6) / Double(count)
    let power = pow(10, log10(raw).rounded(.down))
    let factor = raw / power
    let step = power * (factor <= 1.01 ? 1 : factor <= 2.01 ? 2 : factor <= 5.01 ? 5 : 10)
    return isWhole ? max(1, step.rounded()) : step
  }
}
