import Care

extension LocalDateTime {
  /// Reads what ``description`` wrote; `nil` for anything else.
  ///
  /// Fields are taken as they are, whether or not they make a real date.
  init?(text: String) {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let date = halves[0].split(separator: "-").compactMap { Int($0) }
    let time = halves[1].split(separator: ":").compactMap { Int($0) }
    guard date.count == 3, time.count == 3 else { return nil }
    self.init(
      year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1],
      second: time[2])
    guard description == text else { return nil }
  }
}
