/// Writes long lists of whole numbers in JSON as their differences, which pack to a fraction: the times
/// of an hour's samples are alike but for their last digits.
///
/// It works on the text, so that what is read back is the same, byte by byte. A list of differences
/// begins with a tilde, which no list of JSON does, and one that says the same as the list before it is
/// a tilde alone; a text that has such a beginning in one of its strings stays as it is.
enum IntegerLists {
  /// The beginning of a text with differences.
  static let mark = UInt8(ascii: "~")
  /// Shorter lists stay.
  private static let fewest = 4

  private static let (open, close) = (UInt8(ascii: "["), UInt8(ascii: "]"))
  private static let (comma, minus, zero) = (
    UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: "0")
  )

  /// The text with differences, after the mark; the text itself if it has nothing to gain.
  static func differences(_ text: [UInt8]) -> [UInt8] {
    var result = [mark]
    result.reserveCapacity(text.count)
    var (place, hasLists) = (0, false)
    var before: [Int64] = []
    while place < text.count {
      let byte = text[place]
      result.append(byte)
      place += 1
      guard byte == open, place < text.count else { continue }
      if text[place] == mark { return text }
      guard let (numbers, end) = list(text, from: place), numbers.count >= fewest else { continue }
      hasLists = true
      result.append(mark)
      place = end
      guard numbers != before else { continue }
      before = numbers
      var last: Int64 = 0
      for (index, number) in numbers.enumerated() {
        if index > 0 { result.append(comma) }
        // Numbers of 18 digits at most: no difference overflows.
        result.append(contentsOf: String(number - last).utf8)
        last = number
      }
    }
    return hasLists ? result : text
  }

  /// The text of which ``differences(_:)`` made this one; `nil` for what it never makes, and for more
  /// than `most` bytes.
  static func sums(_ text: [UInt8], most: Int) -> [UInt8]? {
    guard text.first == mark else { return text.count <= most ? text : nil }
    var result: [UInt8] = []
    var place = 1
    var before = 0..<0
    while place < text.count {
      guard result.count <= most else { return nil }
      let byte = text[place]
      result.append(byte)
      place += 1
      guard byte == open, place < text.count, text[place] == mark else { continue }
      if place + 1 < text.count, text[place + 1] == close {
        guard !before.isEmpty, result.count + before.count <= most else { return nil }
        result.append(contentsOf: result[before])
        place += 1
        continue
      }
      guard let (numbers, end) = list(text, from: place + 1), numbers.count >= fewest else {
        return nil
      }
      let start = result.count
      var last: Int64 = 0
      for (index, number) in numbers.enumerated() {
        if index > 0 { result.append(comma) }
        let (sum, isBeyond) = last.addingReportingOverflow(number)
        guard !isBeyond, result.count <= most else { return nil }
        result.append(contentsOf: String(sum).utf8)
        last = sum
      }
      before = start..<result.count
      place = end
    }
    return result.count <= most ? result : nil
  }

  /// The whole numbers from a place to the end of their list, if there is nothing else before it.
  private static func list(_ text: [UInt8], from start: Int) -> (numbers: [Int64], end: Int)? {
    var numbers: [Int64] = []
    var place = start
    while true {
      let isNegative = place < text.count && text[place] == minus
      if isNegative { place += 1 }
      let first = place
      var number: Int64 = 0
      while place < text.count, (zero...zero + 9).contains(text[place]) {
        guard place - first < 18 else { return nil }
        number = number * 10 + Int64(text[place] - zero)
        place += 1
      }
      // Only what is written as this program writes it comes back as it was.
      let digits = place - first
      guard digits > 0, digits == 1 || text[first] != zero, !isNegative || number != 0,
        place < text.count, text[place] == comma || text[place] == close
      else { return nil }
      numbers.append(isNegative ? -number : number)
      if text[place] == close { return (numbers, place) }
      place += 1
    }
  }
}
