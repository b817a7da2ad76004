import Care
import Foundation
import GATT

extension LocalDateTime {
  /// What a device's clock said; `nil` where it does not know its year, month or day.
  init?(_ time: DateTime?) {
    guard let time, time.isKnown else { return nil }
    self.init(
      year: Int(time.year), month: Int(time.month), day: Int(time.day), hour: Int(time.hour),
      minute: Int(time.minute), second: Int(time.second))
  }

  /// The time so many minutes later, by the calendar without summer time.
  func adding(minutes: Int) -> LocalDateTime {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = DateComponents(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    guard let date = calendar.date(from: parts),
      let moved = calendar.date(byAdding: .minute, value: minutes, to: date)
    else { return self }
    let now = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: moved)
    return LocalDateTime(
      year: now.year ?? year, month: now.month ?? month, day: now.day ?? day,
      hour: now.hour ?? hour, minute: now.minute ?? minute, second: now.second ?? second)
  }
}
