/// The byte order mark of UTF-8, with which some editors begin a file.
let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

/// The column names in the first line of a CSV file.
///
/// Case, quotes and spaces around a name are ignored, and so is a byte order mark.
struct CSVHeader {
  /// The names, from the left.
  let names: [String]

  /// Reads a header.
  init(_ line: [UInt8], separator: UInt8 = UInt8(ascii: ",")) {
    let text = line.starts(with: byteOrderMark) ? line.dropFirst(byteOrderMark.count) : line[...]
    names = text.split(separator: separator, omittingEmptySubsequences: false).map {
      Self.normalised(String(decoding: $0, as: UTF8.self))
    }
  }

  /// A column's name in small letters, without spaces and quotes.
  static func normalised(_ name: String) -> String {
    name.lowercased().filter { !" \"\t\r".contains($0) }
  }

  /// The names for an error, cut after 100 characters.
  var summary: String { String(names.joined(separator: ",").prefix(100)) }

  /// Refuses a row that has more columns than the header, unless the rest is blank.
  ///
  /// A decimal comma makes two columns of one number, and would shift the values behind it.
  func check(width fields: [ArraySlice<UInt8>]) throws(TraceError.Problem) {
    guard fields.count > names.count,
      fields[names.count...].contains(where: { $0.contains { $0 > UInt8(ascii: " ") } })
    else { return }
    throw .longRow(columns: fields.count, header: names.count)
  }

  /// The position of a column; `nil` if there is none of that name.
  func position(_ name: String) throws(TraceError.Problem) -> Int? {
    guard let first = names.firstIndex(of: name) else { return nil }
    guard names.lastIndex(of: name) == first else {
      throw .duplicateColumn(name)
    }
    return first
  }
}

/// Reads named columns of numbers from a CSV file with a header, in constant memory.
public struct NumberFileReader {
  private let header: CSVHeader
  private let columns: [(index: Int, name: String)]
  private var lines: LineReader

  /// Reads the header, which must contain every one of `names`; other columns are ignored.
  ///
  /// - Throws: ``TraceError`` if a column is missing or duplicate.
  public init(_ stream: any ByteStream, columns names: [String]) throws(TraceError) {
    lines = LineReader(stream, limit: 1 << 16)
    guard let line = try lines.next() else {
      throw TraceError(file: stream.name, .empty(.numbers))
    }
    let header = CSVHeader(line)
    self.header = header
    do throws(TraceError.Problem) {
      columns = try names.map { name throws(TraceError.Problem) in
        guard let index = try header.position(name) else {
          throw .missingColumn(name, header: header.summary)
        }
        return (index, name)
      }
    } catch {
      throw TraceError(file: stream.name, line: 1, error)
    }
  }

  /// The numbers of the next row in billionths, in the order of the names; `nil` after the last.
  public mutating func next() throws(TraceError) -> [Int64]? {
    while let line = try lines.nextRange() {
      guard !line.isEmpty else { continue }
      let fields = lines.bytes[line].split(
        separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      do throws(TraceError.Problem) {
        try header.check(width: fields)
        return try columns.map { index, name throws(TraceError.Problem) in
          guard index < fields.count, !fields[index].isEmpty else {
            throw .missingNumber(column: name)
          }
          let field = fields[index]
          guard
            let number = DecimalField.billionths(
              lines.bytes.span, in: field.startIndex..<field.endIndex)
          else {
            throw .invalidNumber(String(decoding: field.prefix(40), as: UTF8.self), column: name)
          }
          return number
        }
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, error)
      }
    }
    return nil
  }
}

// MARK: - Decimal numbers

/// Reads decimal numbers as whole billionths, so that a file gives the same integers on every
/// machine.
enum DecimalField {
  /// The number that begins at `index`, in billionths; `index` moves to the comma or line end
  /// behind it.
  ///
  /// The fast path for nearly every field: a sign, at most 18 digits and a point.
  ///
  /// - Returns: `nil` for any other field, which ``billionths(_:in:)`` reads; `index` then is
  ///   anywhere in it.
  @inline(__always)
  static func plain(_ bytes: Span<UInt8>, at index: inout Int) -> Int64? {
    let end = bytes.count
    guard index < end else { return nil }
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let first = index
    var mantissa: UInt64 = 0
    while index < end, case let digit = bytes[index] &- UInt8(ascii: "0"), digit <= 9 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      index += 1
    }
    var decimals = 0
    var digits = index - first
    if index < end, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let point = index
      while index < end, case let digit = bytes[index] &- UInt8(ascii: "0"), digit <= 9 {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        index += 1
      }
      decimals = index - point
      digits += decimals
    }
    guard index < end, isDelimiter(bytes[index]), digits > 0, digits <= 18, decimals <= 9 else {
      return nil
    }
    let (value, overflow) = mantissa.multipliedReportingOverflow(by: powersOfTen[9 - decimals])
    guard !overflow, value <= largest else { return nil }
    return isNegative ? -Int64(value) : Int64(value)
  }

  @inline(__always)
  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private static let powersOfTen: InlineArray<10, UInt64> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]

  private static let largest: UInt64 = 9_000_000_000_000_000_000

  /// The number in `bytes[range]`, in billionths, rounded half away from zero.
  ///
  /// The format is an optional sign, digits, a point, digits and an exponent, with spaces around.
  ///
  /// - Returns: `nil` for anything else, and beyond ± 9 × 10⁹.
  static func billionths(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int64? {
    number(bytes, in: range, decimals: 9)
  }

  /// The number in `bytes[range]` times 10^`decimals`, rounded half away from zero.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a line.
  ///   - range: The field.
  ///   - decimals: The decimals to keep, −9…9.
  ///   - point: The decimal point.
  /// - Returns: `nil` for anything else than a number, and beyond ± 9 × 10¹⁸ of the result.
  static func number(
    _ bytes: Span<UInt8>, in range: Range<Int>, decimals: Int, point: UInt8 = UInt8(ascii: ".")
  ) -> Int64? {
    var (index, end) = (range.lowerBound, range.upperBound)
    while index < end, isSpace(bytes[index]) { index += 1 }
    while end > index, isSpace(bytes[end - 1]) { end -= 1 }
    guard index < end else { return nil }
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }

    var mantissa: UInt64 = 0
    var scale = 0
    var digits = 0
    var hasPoint = false
    while index < end, bytes[index] | 0x20 != UInt8(ascii: "e") {
      let digit = bytes[index] &- UInt8(ascii: "0")
      if digit <= 9 {
        digits += 1
        // Digits beyond the seventeenth are far below a billionth of anything in range.
        if mantissa < 100_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(digit)
          if hasPoint { scale += 1 }
        } else if !hasPoint {
          scale -= 1
        }
      } else {
        guard bytes[index] == UInt8(ascii: ".") || bytes[index] == point, !hasPoint else {
          return nil
        }
        hasPoint = true
      }
      index += 1
    }
    guard digits > 0 else { return nil }
    if index < end {
      guard let exponent = exponent(bytes, in: (index + 1)..<end) else { return nil }
      scale -= exponent
    }
    return scaled(mantissa, by: decimals - scale).map { isNegative ? -$0 : $0 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func exponent(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int? {
    var text = ""
    guard range.count <= 4 else { return nil }
    for index in range { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    return Int(text).flatMap { abs($0) <= 40 ? $0 : nil }
  }

  private static func scaled(_ mantissa: UInt64, by exponent: Int) -> Int64? {
    guard exponent < 0 else {
      var value = mantissa
      for _ in 0..<min(exponent, 20) {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        guard !overflow else { return nil }
        value = product
      }
      return value <= largest ? Int64(value) : nil
    }
    guard exponent > -19 else { return 0 }
    var divisor: UInt64 = 1
    for _ in 0..<(-exponent) { divisor *= 10 }
    let (quotient, remainder) = mantissa.quotientAndRemainder(dividingBy: divisor)
    return Int64(quotient + (remainder >= divisor - divisor / 2 ? 1 : 0))
  }
}
