import Foundation
import Measurement
import Motion

@testable import TestSupport

/// A recording with truth, read column by column.
struct MotionFile {
  private let columns: [String: Int]
  /// The fields row by row; not a number where one is empty or no number.
  private let fields: [Double]

  /// Reads a file below the shared data folder.
  ///
  /// The recordings are 100 MB, and these tests are not optimized: bytes are read, not characters.
  init(_ path: String) throws {
    var text = [UInt8](try Data(contentsOf: URL(fileURLWithPath: SharedData.path(path))))
    // `strtod` ends here.
    text.append(0)
    let header = text.prefix { !Self.isNewline($0) && $0 != 0 }
    let names = String(decoding: header, as: UTF8.self).split(separator: ",").map(String.init)
    columns = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    fields = Self.numbers(text, from: header.count, width: names.count)
  }

  private static func isNewline(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  /// The numbers of all rows behind a place, `width` for each of them.
  private static func numbers(_ text: [UInt8], from start: Int, width: Int) -> [Double] {
    var numbers: [Double] = []
    numbers.reserveCapacity(text.count / 6)
    unsafe text.withUnsafeBytes { bytes in
      guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return }
      var place = start
      while unsafe bytes[place] != 0 {
        if isNewline(unsafe bytes[place]) {
          place += 1
          continue
        }
        for column in 0..<width {
          var number = Double.nan
          // It skips white space, also the end of a line before a number.
          if unsafe !isNewline(bytes[place]) {
            var end: UnsafeMutablePointer<CChar>?
            let value = unsafe strtod(base + place, &end)
            let length = unsafe end.map { unsafe UnsafePointer($0) - base } ?? place
            if length > place { (number, place) = (value, length) }
          }
          numbers.append(number)
          while unsafe bytes[place] != 0, unsafe bytes[place] != 44, unsafe !isNewline(bytes[place])
          {
            place += 1
          }
          if unsafe bytes[place] == 44, column < width - 1 { place += 1 }
        }
        while unsafe bytes[place] != 0, unsafe !isNewline(bytes[place]) { place += 1 }
      }
    }
    return numbers
  }

  /// The places of the rows' first fields.
  private var rows: StrideTo<Int> { stride(from: 0, to: fields.count, by: max(1, columns.count)) }

  /// The values of a column; `nil` where a field is empty.
  func column(_ name: String) -> [Double?] {
    guard let index = columns[name] else { return [] }
    return rows.map { fields[$0 + index].isNaN ? nil : fields[$0 + index] }
  }

  /// The motion samples, from either naming of the axes.
  var samples: [MotionSample] {
    let axes = columns["x"] == nil ? ["ax", "ay", "az"] : ["x", "y", "z"]
    let indices = (["t"] + axes + ["gx", "gy", "gz"]).compactMap { columns[$0] }
    return rows.compactMap { row in
      let values = indices.map { fields[row + $0] }
      guard values.count >= 4, !values.contains(where: \.isNaN) else { return nil }
      return MotionSample(
        time: Int64((values[0] * 1e6).rounded()),
        acceleration: .g(values[1], values[2], values[3]),
        angularRate: values.count < 7
          ? nil : .g(values[4] / 1_000, values[5] / 1_000, values[6] / 1_000))
    }
  }
}
