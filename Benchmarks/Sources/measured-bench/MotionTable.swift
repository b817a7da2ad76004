import Foundation
import Measurement
import Motion

/// A recording read from CSV: named columns of numbers, `nil` where a field is empty.
struct MotionTable {
  private var columns: [String: [Double?]] = [:]

  init(contentsOf path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var lines = text.split(whereSeparator: \.isNewline)[...]
    let names = lines.popFirst().map { $0.split(separator: ",").map(String.init) } ?? []
    for name in names { columns[name] = [] }
    for line in lines {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      for (name, field) in zip(names, fields) { columns[name]?.append(Double(field)) }
    }
  }

  subscript(_ name: String) -> [Double?]? { columns[name] }

  /// The motion samples, from either naming of the axes.
  var samples: [MotionSample] {
    guard let t = self["t"], let x = self["ax"] ?? self["x"], let y = self["ay"] ?? self["y"],
      let z = self["az"] ?? self["z"]
    else { return [] }
    let rates = [self["gx"], self["gy"], self["gz"]].compactMap(\.self)
    return t.indices.compactMap { index in
      guard let time = t[index], let force = Self.vector([x, y, z], index, unit: 1e6) else {
        return nil
      }
      return MotionSample(
        time: Int64((time * 1e6).rounded()), acceleration: force,
        angularRate: rates.count == 3 ? Self.vector(rates, index, unit: 1e3) : nil)
    }
  }

  private static func vector(_ axes: [[Double?]], _ index: Int, unit: Double) -> Vector3? {
    guard let x = axes[0][index], let y = axes[1][index], let z = axes[2][index] else { return nil }
    return Vector3(
      x: Int32((x * unit).rounded()), y: Int32((y * unit).rounded()),
      z: Int32((z * unit).rounded()))
  }
}
