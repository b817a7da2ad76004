/// The columns' names in the first line of a CSV file.
///
/// Capitals, quotes and spaces around a name make no difference, nor does a byte order mark.
struct CSVHeader {
  /// The names, from the left.
  let names: [String]

  /// Reads a header.
  init(_ line: [UInt8]) {
    let text = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line[...]
    names = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self).lowercased().filter { !" \"\t".contains($0) }
    }
  }

  /// The names as an error message shows them.
  var summary: String { String(names.joined(separator: ",").prefix(100)) }

  /// Where the column of that name is; `nil` where there is none.
  func position(_ name: String) throws(LineProblem) -> Int? {
    guard let first = names.firstIndex(of: name) else { return nil }
    guard names.lastIndex(of: name) == first else {
      throw LineProblem("there are two columns ‘\(name)’")
    }
    return first
  }
}
