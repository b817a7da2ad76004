/// Reads a few named columns of numbers from a CSV file with a header, in constant memory.
public struct NumberFileReader {
  private let columns: [(index: Int, name: String)]
  private var lines: LineReader

  /// Reads the header; every one of `names` must be a column, others are ignored.
  ///
  /// - Throws: ``TraceError`` where a column is missing or named twice.
  public init(_ stream: any ByteStream, columns names: [String]) throws(TraceError) {
    lines = LineReader(stream, limit: 1 << 16)
    guard let line = try lines.next() else {
      throw TraceError(
        file: stream.name, reason: "the file is empty; it begins with its columns' names")
    }
    let header = CSVHeader(line)
    do throws(LineProblem) {
      columns = try names.map { name throws(LineProblem) in
        guard let index = try header.position(name) else {
          throw LineProblem("there is no column ‘\(name)’; this file has ‘\(header.summary)’")
        }
        return (index, name)
      }
    } catch {
      throw TraceError(file: stream.name, line: 1, reason: error.reason)
    }
  }

  /// The numbers of the next row in billionths, in the order of the names; `nil` after the last.
  public mutating func next() throws(TraceError) -> [Int64]? {
    while let line = try lines.nextRange() {
      guard !line.isEmpty else { continue }
      let fields = lines.bytes[line].split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      var numbers: [Int64] = []
      for (index, name) in columns {
        guard index < fields.count,
          let number = DecimalField.billionths(
            lines.bytes.span, in: fields[index].startIndex..<fields[index].endIndex)
        else {
          throw TraceError(
            file: lines.name, line: lines.lineNumber,
            reason: "there is no number in column ‘\(name)’")
        }
        numbers.append(number)
      }
      return numbers
    }
    return nil
  }
}
