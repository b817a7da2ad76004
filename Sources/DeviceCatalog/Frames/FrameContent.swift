public import Care
import Foundation
import GATT
import Motion

/// What one frame held.
struct FrameContent: Hashable, Sendable {
  /// The values, in the frame's order.
  var values: [DecodedValue] = []
  /// The integers that the definition names, for its flag tests.
  var fields: [String: Int64] = [:]
  /// Where in the frame they lie.
  var places: [String: Range<Int>] = [:]
  /// The motion samples.
  var motion: MotionFrame?
  /// The number that the device stored the frame's record under, where it numbers them.
  var sequence: UInt16?
  /// Why there is nothing, where that is as it should be: no skin contact, no result.
  var note: String?
}

/// The motion samples of one frame, before their times are known.
struct MotionFrame: Hashable, Sendable {
  /// The samples, oldest first; their times are 0 until a ``MotionTimeline`` assigns them.
  var samples: [MotionSample]
  /// The sensor's own time of the last sample in nanoseconds, where it sends one.
  var lastSampleNanoseconds: UInt64?
}

// MARK: - Values

/// One value that a frame carried.
public struct DecodedValue: Hashable, Sendable {
  /// What was measured.
  public var quantity: Quantity
  /// The value in the quantity's canonical unit.
  public var value: Double
  /// The value as the frame said it, where its unit is another.
  public var sourceValue: SourceValue?
  /// What the device's clock said; `nil` where the frame has no time or does not know it.
  public var time: LocalDateTime?
  /// The user slot on the device, where the frame names one.
  public var userIndex: Int?
  /// Whether the device streams it, so that the same bytes come again and again.
  public var isStreamed: Bool

  /// The bytes that are this value's alone, where the frame has others that come and go; `nil` for
  /// the whole frame.
  var raw: [UInt8]?

  /// The canonical unit, in which ``value`` is.
  public var unit: UnitOfMeasure { quantity.unit }

  /// Makes a value of what a frame said.
  ///
  /// - Returns: `nil` where `unit` does not measure `quantity`, or the number is not finite.
  init?(
    _ quantity: Quantity, _ number: Double, _ unit: UnitOfMeasure? = nil,
    time: LocalDateTime? = nil, userIndex: Int? = nil, isStreamed: Bool = false
  ) {
    let unit = unit ?? quantity.unit
    guard number.isFinite, let value = unit.convert(number, to: quantity.unit) else { return nil }
    self.quantity = quantity
    self.value = value
    self.sourceValue = unit == quantity.unit ? nil : SourceValue(value: number, unit: unit)
    self.time = time
    self.userIndex = userIndex
    self.isStreamed = isStreamed
  }
}

// MARK: - Device clock

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
