import Care
import Foundation

/// Which of two numbers of a date is the day.
package enum DateOrder: Hashable, Sendable {
  case dayFirst, monthFirst
}

/// A date and time as programs write them.
///
/// One reading serves all layouts: ISO 8601 with or without zone, `dd.MM.yyyy`, `MM/dd/yy`,
/// `Jul 18, 2026`, `18 Jan. 2024`, `4:51:59 pm`, also with the narrow space that Apple's systems
/// write before it.
struct ClockText: Hashable {
  var date: (year: Int, month: Int, day: Int)?
  var time: (hour: Int, minute: Int, second: Int)?
  /// Local time minus UTC, in seconds.
  var offset: Int?
  /// Microseconds within the second.
  var fraction: Int64 = 0
  /// Which of its numbers must be the day; `nil` if the text does not tell.
  var order: DateOrder?
  /// Whether day and month were told apart by `order` alone.
  var isOrdered = false

  static func == (a: ClockText, b: ClockText) -> Bool {
    a.local == b.local && a.offset == b.offset && a.fraction == b.fraction
      && (a.time == nil) == (b.time == nil)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(local)
    hasher.combine(offset)
  }

  /// The date with its time, midnight without one; `nil` without a date.
  var local: LocalDateTime? {
    guard let date else { return nil }
    let time = time ?? (0, 0, 0)
    return LocalDateTime(
      year: date.year, month: date.month, day: date.day, hour: time.hour, minute: time.minute,
      second: time.second)
  }

  /// Reads a text; `nil` for anything that is no date and no time.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - order: Which number is the day where only the file as a whole tells.
  init?(_ text: some StringProtocol, order: DateOrder? = nil) {
    if let quick = Self(iso: text) {
      self = quick
      return
    }
    var tokens = Tokens(text)
    guard !tokens.isEmpty, tokens.count <= 24 else { return nil }
    while let token = tokens.next() {
      switch token {
      case .number(let number, let length):
        guard readNumber(number, length, &tokens, order) else { return nil }
      case .word(let word): guard readWord(word, &tokens) else { return nil }
      case .mark("+"), .mark("-"):
        guard time != nil, offset == nil, readOffset(isNegative: token == .mark("-"), &tokens)
        else { return nil }
      case .mark(","), .mark("."), .mark("("), .mark(")"): break
      case .mark: return nil
      }
    }
    guard date != nil || time != nil else { return nil }
    guard local.map({ $0.secondsSince1970 != nil }) ?? true else { return nil }
  }

  /// The form that nearly every row has, digit by digit: `2026-03-02 07:04:31 +0100`.
  private init?(iso text: some StringProtocol) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    for byte in text.utf8.prefix(41) { bytes.append(byte) }
    self.init(isoBytes: bytes.span)
  }

  init?(isoBytes bytes: Span<UInt8>) {
    func digits(_ start: Int, _ count: Int) -> Int? {
      guard start + count <= bytes.count else { return nil }
      var value = 0
      for index in start..<(start + count) {
        let digit = bytes[index] &- 0x30
        guard digit <= 9 else { return nil }
        value = value * 10 + Int(digit)
      }
      return value
    }
    guard bytes.count >= 10, bytes.count <= 40, bytes[4] == UInt8(ascii: "-"),
      bytes[7] == UInt8(ascii: "-"),
      let year = digits(0, 4), let month = digits(5, 2), let day = digits(8, 2)
    else { return nil }
    date = (year, month, day)
    guard LocalDateTime(year: year, month: month, day: day).secondsSince1970 != nil else {
      return nil
    }
    guard bytes.count > 10 else { return }
    guard bytes[10] == 0x20 || bytes[10] == UInt8(ascii: "T"), bytes.count >= 16,
      bytes[13] == UInt8(ascii: ":"), let hour = digits(11, 2), let minute = digits(14, 2),
      hour < 24, minute < 60
    else { return nil }
    var second = 0
    var index = 16
    if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
      guard let read = digits(17, 2), read < 60 else { return nil }
      second = read
      index = 19
      if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
        index += 1
        var scale: Int64 = 100_000
        while index < bytes.count, case let digit = bytes[index] &- 0x30, digit <= 9 {
          fraction += Int64(digit) * scale
          scale /= 10
          index += 1
        }
      }
    }
    time = (hour, minute, second)
    if index < bytes.count, bytes[index] == 0x20 { index += 1 }
    guard index < bytes.count else { return }
    if bytes[index] == UInt8(ascii: "Z") {
      guard index + 1 == bytes.count else { return nil }
      offset = 0
      return
    }
    let sign = bytes[index]
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = digits(index + 1, 2), hours < 24
    else { return nil }
    let hasColon = index + 3 < bytes.count && bytes[index + 3] == UInt8(ascii: ":")
    let place = index + (hasColon ? 4 : 3)
    guard let minutes = place == bytes.count ? 0 : digits(place, 2), minutes < 60,
      place == bytes.count || place + 2 == bytes.count
    else { return nil }
    offset = (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  // MARK: - Any other form

  private mutating func readNumber(
    _ number: Int, _ length: Int, _ tokens: inout Tokens, _ order: DateOrder?
  ) -> Bool {
    // A time of day.
    if case .mark(":") = tokens.peek {
      guard time == nil, number < 25, tokens.take(":"), let minute = tokens.number(), minute < 60
      else { return false }
      var second = 0
      if tokens.take(":") {
        guard let read = tokens.number(), read < 60 else { return false }
        second = read
        if tokens.peek == .mark(".") || tokens.peek == .mark(","),
          case .number(let part, let digits) = tokens.peekSecond, digits <= 9
        {
          tokens.skip(2)
          fraction = Int64(
            saturating: Double(part) * pow(10, Double(6 - digits)))
        }
      }
      guard number < 24 else { return false }
      time = (number, minute, second)
      return true
    }
    guard date == nil else { return false }
    // A day with the name of its month: 18 Jan. 2024.
    if case .word(let word) = tokens.peekPast("."), let month = Self.month(word), number <= 31 {
      tokens.skip(tokens.peek == .mark(".") ? 2 : 1)
      tokens.take(".")
      tokens.take(",")
      guard let year = tokens.number() else { return false }
      date = (Self.year(year), month, number)
      return true
    }
    guard case .mark(let mark) = tokens.peek, "-/.".contains(mark), tokens.take(mark),
      let second = tokens.number(), tokens.take(mark),
      case .number(let third, let thirdLength)? = tokens.next()
    else { return false }
    if length == 4 {
      date = (number, second, third)
      return true
    }
    guard length <= 2, thirdLength == 2 || thirdLength == 4 else { return false }
    let year = Self.year(third)
    // A point is Germany's and its neighbours', who all write the day first.
    if mark == "." || number > 12 {
      self.order = mark == "." ? nil : .dayFirst
      date = (year, second, number)
    } else if second > 12 {
      self.order = .monthFirst
      date = (year, number, second)
    } else {
      isOrdered = number != second
      date = order == .monthFirst ? (year, number, second) : (year, second, number)
    }
    return true
  }

  private mutating func readWord(_ word: String, _ tokens: inout Tokens) -> Bool {
    switch word {
    case "am", "pm", "a", "p", "上午", "下午":
      guard var now = time, (1...12).contains(now.hour) else { return false }
      let isAfternoon = word.hasPrefix("p") || word == "下午"
      now.hour = now.hour % 12 + (isAfternoon ? 12 : 0)
      time = now
      // a.m.
      if tokens.peek == .mark("."), case .word("m") = tokens.peekSecond { tokens.skip(2) }
      return true
    case "t": return true
    case "z", "utc", "gmt":
      guard offset == nil else { return false }
      offset = 0
      guard tokens.peek == .mark("+") || tokens.peek == .mark("-") else { return true }
      let isNegative = tokens.take("-")
      if !isNegative { tokens.take("+") }
      return readOffset(isNegative: isNegative, &tokens)
    default:
      guard date == nil else { return false }
      guard let month = Self.month(word) else {
        // The name of a weekday.
        return time == nil && word.count >= 2
      }
      tokens.take(".")
      guard let day = tokens.number() else { return false }
      tokens.take(",")
      guard let year = tokens.number() else { return false }
      date = (Self.year(year), month, day)
      return true
    }
  }

  private mutating func readOffset(isNegative: Bool, _ tokens: inout Tokens) -> Bool {
    guard case .number(let number, let length)? = tokens.next() else { return false }
    var (hours, minutes) = length > 2 ? (number / 100, number % 100) : (number, 0)
    if length <= 2, tokens.take(":") {
      guard let read = tokens.number() else { return false }
      minutes = read
    }
    guard hours < 24, minutes < 60 else { return false }
    if isNegative { (hours, minutes) = (-hours, -minutes) }
    offset = hours * 3600 + minutes * 60
    return true
  }

  private static func year(_ number: Int) -> Int {
    number >= 100 ? number : number >= 70 ? 1900 + number : 2000 + number
  }

  /// The month that a word begins in one of eight languages.
  private static func month(_ word: String) -> Int? {
    let folded = word.folding(options: .diacriticInsensitive, locale: nil)
    if folded.hasPrefix("juil") { return 7 }
    return months[String(folded.prefix(3))]
  }

  private static let months: [String: Int] = [
    "jan": 1, "ene": 1, "gen": 1, "sty": 1, "feb": 2, "fev": 2, "lut": 2, "mar": 3, "mrt": 3,
    "maa": 3, "apr": 4, "avr": 4, "abr": 4, "kwi": 4, "may": 5, "mai": 5, "maj": 5, "mei": 5,
    "mag": 5, "jun": 6, "jui": 6, "giu": 6, "cze": 6, "jul": 7, "lug": 7, "lip": 7, "aug": 8,
    "aou": 8, "ago": 8, "sie": 8, "sep": 9, "set": 9, "wrz": 9, "oct": 10, "okt": 10, "ott": 10,
    "out": 10, "paz": 10, "nov": 11, "lis": 11, "dec": 12, "dez": 12, "dic": 12, "gru": 12,
  ]

  /// The parts of a text.
  private struct Tokens {
    enum Token: Hashable {
      case number(Int, Int)
      case word(String)
      case mark(Character)
    }

    private var tokens: [Token] = []
    private var place = 0

    init(_ text: some StringProtocol) {
      var rest = Substring(text)[...]
      while let first = rest.first, tokens.count <= 24 {
        if first.isASCII, first.isNumber {
          let digits = rest.prefix { $0.isASCII && $0.isNumber }
          tokens.append(
            digits.count <= 9
              ? .number(Int(digits) ?? 0, digits.count) : .mark("?"))
          rest = rest.dropFirst(digits.count)
        } else if first.isLetter {
          let word = rest.prefix(while: \.isLetter)
          tokens.append(.word(word.lowercased()))
          rest = rest.dropFirst(word.count)
        } else {
          if !first.isWhitespace { tokens.append(.mark(first)) }
          rest = rest.dropFirst()
        }
      }
    }

    var isEmpty: Bool { tokens.isEmpty }
    var count: Int { tokens.count }
    var peek: Token? { place < tokens.count ? tokens[place] : nil }
    var peekSecond: Token? { place + 1 < tokens.count ? tokens[place + 1] : nil }

    /// The next token but one if the next is that mark, else the next.
    func peekPast(_ mark: Character) -> Token? { peek == .mark(mark) ? peekSecond : peek }

    mutating func next() -> Token? {
      defer { place += 1 }
      return peek
    }

    mutating func skip(_ count: Int) { place += count }

    @discardableResult
    mutating func take(_ mark: Character) -> Bool {
      guard peek == .mark(mark) else { return false }
      place += 1
      return true
    }

    mutating func number() -> Int? {
      guard case .number(let number, _)? = peek else { return nil }
      place += 1
      return number
    }
  }
}

extension HistoryTime {
  /// The time of a text, or of a date and a time of day beside it.
  ///
  /// - Returns: `nil` if there is no date.
  init?(_ text: ClockText) {
    guard let local = text.local else { return nil }
    if let offset = text.offset, text.time != nil {
      guard let seconds = local.secondsSince1970 else { return nil }
      self = .instant(
        Date(microseconds: (seconds - Int64(offset)) * 1_000_000 + text.fraction))
    } else if text.time != nil {
      self = .local(local)
    } else {
      self = .day(local)
    }
  }

  /// The day of a text as ISO 8601 has it, `2026-08-05`; `nil` for any other text.
  package init?(day text: String) {
    guard text.utf8.count == 10, let clock = ClockText(text), let time = Self(clock),
      case .day = time
    else { return nil }
    self = time
  }

  /// The instant that a number counts from 1970, in seconds to nanoseconds by its size.
  ///
  /// - Returns: `nil` for numbers that are no time between 2001 and 2096.
  init?(unix number: Double) {
    for (least, perSecond) in [(1e9, 1.0), (1e12, 1e3), (1e15, 1e6), (1e18, 1e9)]
    where number >= least && number < 4 * least {
      let microseconds = (number / perSecond * 1_000_000).rounded()
      self = .instant(Date(microseconds: Int64(saturating: microseconds)))
      return
    }
    return nil
  }

  /// The time of a spreadsheet's day number: 45353.295 is 2024-03-02T07:04:48.
  init?(spreadsheetDay number: Double) {
    guard number > 60, number < 80_000 else { return nil }
    let seconds = Int64(saturating: ((number - 25_569) * 86_400).rounded())
    let (days, inDay) = seconds.flooredDivision(by: 86_400)
    let local = LocalDateTime(daysSince1970: days, secondOfDay: Int(inDay))
    self = number == number.rounded() ? .day(local) : .local(local)
  }
}
