import Care

/// A smooth line through values with noise and gaps, such as weights.
///
/// A robust locally weighted regression: W. S. Cleveland, "Robust Locally Weighted Regression and
/// Smoothing Scatterplots", Journal of the American Statistical Association 74 (1979), 829–836. At
/// each place a straight line is fitted to the near values; their weight falls with the distance
/// (tricube) and, in two further passes, with how far they lie off the line (bisquare). It looks to
/// both sides, so it does not lag behind as an average of the past does, follows a slope up to the
/// ends, and bridges gaps. The window is in days, rather than a share of the values, so that a line
/// has the same smoothness in every span.
enum Trend {
  /// A place of the line.
  struct Point: Hashable, Sendable {
    /// The position, in days.
    var x: Double
    /// The smoothed value.
    var value: Double
    /// How far ``bandShare`` of the near values lie off it at most.
    var spread: Double
  }

  /// The share of the values that the band around a line holds.
  static let bandShare = 0.8
  /// The fewest values, at different positions, that make a line.
  static let leastCount = 5
  /// The most values of one line, a year and a half of days; of more, the latest count.
  static let mostCount = 550

  /// The line through values, at each of their positions.
  ///
  /// - Parameters:
  ///   - values: The values by position, ascending.
  ///   - window: How far to each side values count, in days; farther where fewer than
  ///     ``leastCount`` lie within.
  /// - Returns: Nothing for fewer than ``leastCount`` values. The cost grows with the number of
  ///   values times that in a window.
  static func line(through values: [(x: Double, y: Double)], window: Double) -> [Point] {
    let values = Array(values.filter { $0.x.isFinite && $0.y.isFinite }.suffix(mostCount))
    guard Set(values.map(\.x)).count >= leastCount, window > 0 else { return [] }
    var robustness = Array(repeating: 1.0, count: values.count)
    var fitted: [Double] = []
    for pass in 0..<3 {
      fitted = values.map { fit(values, robustness, at: $0.x, window: window)?.value ?? $0.y }
      guard pass < 2 else { break }
      let distances = zip(values, fitted).map { abs($0.y - $1) }
      let limit = 6 * median(distances)
      guard limit > 0 else { break }
      robustness = distances.map { distance in
        let part = distance / limit
        return part < 1 ? (1 - part * part) * (1 - part * part) : 0
      }
    }
    let distances = zip(values, fitted).map { (x: $0.x, y: abs($0.y - $1)) }
    return zip(values, fitted).map { value, smooth in
      let spread = quantile(bandShare, of: distances, at: value.x, window: window * 1.5)
      return Point(x: value.x, value: smooth, spread: spread)
    }
  }

  /// Daily values without their slow change, around their mean: what rises or falls for weeks goes along
  /// with everything else that does.
  static func removed(from values: [Int: Double]) -> [Int: Double] {
    let points = values.sorted { $0.key < $1.key }.map { (x: Double($0.key), y: $0.value) }
    let line = line(through: points, window: 14)
    guard line.count == points.count, !points.isEmpty else { return values }
    let mean = points.reduce(0) { $0 + $1.y } / Double(points.count)
    return Dictionary(
      uniqueKeysWithValues: zip(points, line).map {
        (Int(saturating: $0.x), $0.y - $1.value + mean)
      })
  }

  /// The change of the line in its last `days`, if it covers them.
  static func change(of line: [Point], days: Double) -> Double? {
    guard let last = line.last, let first = line.first, last.x - first.x >= days else { return nil }
    let start = last.x - days
    guard let after = line.firstIndex(where: { $0.x >= start }) else { return nil }
    let next = line[after]
    guard after > 0, next.x > start else { return last.value - next.value }
    let before = line[after - 1]
    let part = (start - before.x) / (next.x - before.x)
    return last.value - (before.value + part * (next.value - before.value))
  }

  /// The line of the weighted least squares at a place; `nil` if no value counts.
  private static func fit(
    _ values: [(x: Double, y: Double)], _ robustness: [Double], at place: Double, window: Double
  ) -> (value: Double, slope: Double)? {
    let reach = reach(values, at: place, window: window)
    // Sums around the place keep the digits.
    var (s, sx, sy, sxx, sxy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (value, robust) in zip(values, robustness) {
      let weight = tricube((value.x - place) / reach) * robust
      guard weight > 0 else { continue }
      let dx = value.x - place
      s += weight
      sx += weight * dx
      sy += weight * value.y
      sxx += weight * dx * dx
      sxy += weight * dx * value.y
    }
    guard s > 0 else { return nil }
    let determinant = s * sxx - sx * sx
    guard determinant > 1e-9 * s * max(sxx, 1e-9) else { return (sy / s, 0) }
    let slope = (s * sxy - sx * sy) / determinant
    return ((sy - slope * sx) / s, slope)
  }

  /// The value that a share of the near values, weighted by their nearness, does not exceed.
  ///
  /// Those far off the line count as well: the band holds its share of all.
  private static func quantile(
    _ share: Double, of values: [(x: Double, y: Double)], at place: Double, window: Double
  ) -> Double {
    let reach = reach(values, at: place, window: window)
    let near = values.map { (y: $0.y, weight: tricube(($0.x - place) / reach)) }
      .filter { $0.weight > 0 }.sorted { $0.y < $1.y }
    var left = near.reduce(0) { $0 + $1.weight } * share
    for value in near {
      left -= value.weight
      if left <= 0 { return value.y }
    }
    return near.last?.y ?? 0
  }

  /// The window, widened to hold ``leastCount`` values.
  private static func reach(
    _ values: [(x: Double, y: Double)], at place: Double, window: Double
  ) -> Double {
    let near = values.count { abs($0.x - place) < window }
    guard near < leastCount else { return window }
    let distances = values.map { abs($0.x - place) }.sorted()
    return max(window, (distances.element(leastCount - 1) ?? window) * 1.001)
  }

  private static func tricube(_ distance: Double) -> Double {
    let d = abs(distance)
    guard d < 1 else { return 0 }
    let rest = 1 - d * d * d
    return rest * rest * rest
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let upper = sorted.element(sorted.count / 2) else { return 0 }
    guard sorted.count.isMultiple(of: 2) else { return upper }
    return (upper + sorted[sorted.count / 2 - 1]) / 2
  }
}
