import Foundation

extension SessionStep.Payload {
  /// The bytes to write at `time`, as the clock on the wall of `timeZone` shows it.
  func bytes(at time: Date, in timeZone: TimeZone) -> [UInt8] {
    if case .bytes(let bytes) = self { return bytes }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second, .weekday], from: time)
    func part(_ value: Int?) -> UInt8 { UInt8(clamping: value ?? 0) }
    let year = UInt16(clamping: parts.year ?? 0)
    let dateTime: [UInt8] = [
      UInt8(year & 0xFF), UInt8(year >> 8), part(parts.month), part(parts.day), part(parts.hour),
      part(parts.minute), part(parts.second),
    ]
    guard self == .currentTime else { return dateTime }
    // Foundation counts the days of the week from Sunday, 1; Current Time from Monday, 1.
    let weekday = UInt8(clamping: ((parts.weekday ?? 2) + 5) % 7 + 1)
    return dateTime + [weekday, 0, 1]
  }
}
