import Foundation
import Measurement
import Motion

@testable import TestSupport

/// A recording with truth, read column by column.
struct MotionFile {
  private let columns: [String: Int]
  private let rows: [[Double?]]

  /// Reads a file below the shared data folder.
  init(_ path: String) throws {
    let text = try String(contentsOfFile: SharedData.path(path), encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline)
    let names = lines.first?.split(separator: ",").map(String.init) ?? []
    columns = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    rows = lines.dropFirst().map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    }
  }

  /// The values of a column; `nil` where a field is empty.
  func column(_ name: String) -> [Double?] {
    guard let index = columns[name] else { return [] }
    return rows.map { index < $0.count ? $0[index] : nil }
  }

  /// The motion samples, from either naming of the axes.
  var samples: [MotionSample] {
    let axes = columns["x"] == nil ? ["ax", "ay", "az"] : ["x", "y", "z"]
    let indices = (["t"] + axes + ["gx", "gy", "gz"]).compactMap { columns[$0] }
    return rows.compactMap { row in
      let values = indices.compactMap { row[$0] }
      guard values.count == indices.count, values.count >= 4 else { return nil }
      return MotionSample(
        time: Int64((values[0] * 1e6).rounded()),
        acceleration: .g(values[1], values[2], values[3]),
        angularRate: values.count < 7
          ? nil : .g(values[4] / 1_000, values[5] / 1_000, values[6] / 1_000))
    }
  }
}
