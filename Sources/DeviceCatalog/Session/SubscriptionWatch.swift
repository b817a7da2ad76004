import Care
import Foundation
import GATT

/// Watches over the subscriptions of one link, so that it does not stay up without a word.
///
/// A device that refuses a subscription is asked again after a pause, from the first step on: some
/// accept it a moment later. If it refuses again and has sent nothing, the link is renewed, which
/// clears what the device or bluetoothd keeps of the old one. So is the link with a sensor that
/// sends all the time and has fallen silent, and with a device that refuses a subscription for want
/// of a bond and sends nothing else for a minute.
struct SubscriptionWatch: Hashable, Sendable {
  /// An action on the link.
  enum Action: Hashable, Sendable {
    /// Perform the definition's steps again.
    case beginAgain
    /// End the link, because of this state of the device; `nil` if it has been told.
    case hangUp(SessionNote.Kind?)
  }

  /// The pause, in seconds, before a refused subscription is tried again.
  static let retryPause: TimeInterval = 2
  /// How many seconds a sensor that sends all the time may be silent: a minute, and a little more
  /// than a recording's clock runs on.
  static let silence: TimeInterval = 61
  /// How often a subscription may be refused on one link.
  static let mostRefusals = 2

  /// The characteristics of the measurements.
  private let needed: Set<BluetoothUUID>
  private let isStream: Bool
  private var refusals: [BluetoothUUID: Int] = [:]
  private var hasSpoken = false
  /// When the link ends, since a subscription needs a bond; `nil` if none does.
  private var bondedBy: SteadyTime?
  private var retryAt: SteadyTime?
  private var speaksBy: SteadyTime?

  /// Watches a link whose services are known at `time`.
  ///
  /// - Parameters:
  ///   - subscribed: The characteristics to which the steps subscribe.
  ///   - isStream: Whether the device sends all the time.
  ///   - time: The current time.
  init(_ subscribed: Set<BluetoothUUID>, isStream: Bool, at time: SteadyTime) {
    // A device may well keep its battery level to itself.
    needed = subscribed.subtracting([BatteryLevel.uuid])
    self.isStream = isStream
    if isStream { speaksBy = time + Self.silence }
  }

  /// The time of the next action.
  var wakeAt: SteadyTime? { [retryAt, speaksBy, bondedBy].compactMap(\.self).min() }

  /// A value arrived.
  ///
  /// - Returns: Whether it is of a subscription that matters.
  mutating func heard(_ characteristic: BluetoothUUID, at time: SteadyTime) -> Bool {
    guard needed.contains(characteristic) else { return false }
    hasSpoken = true
    bondedBy = nil
    if isStream { speaksBy = time + Self.silence }
    return true
  }

  /// A subscription was refused.
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - needsBond: Whether the device refuses it for want of a bond: asking again is no use, and
  ///     the link of a pairing must not end at once.
  ///   - time: The current time.
  /// - Returns: The action to take now; `nil` for none.
  mutating func refused(
    _ characteristic: BluetoothUUID, needsBond: Bool, at time: SteadyTime
  ) -> Action? {
    guard needed.contains(characteristic) else { return nil }
    if needsBond {
      if !hasSpoken { bondedBy = bondedBy ?? time + Self.silence }
      return nil
    }
    let count = min(refusals[characteristic, default: 0], Self.mostRefusals) + 1
    refusals[characteristic] = count
    guard count >= Self.mostRefusals else {
      retryAt = retryAt ?? time + Self.retryPause
      return nil
    }
    // Measurements that the device does send go on.
    guard !hasSpoken else { return nil }
    return hangUp(.subscriptionRefused(characteristic))
  }

  /// The user has paired the device, or deleted its bond.
  mutating func bondChanged() -> Action? {
    guard bondedBy != nil else { return nil }
    bondedBy = nil
    return .beginAgain
  }

  /// The due action.
  mutating func wake(at time: SteadyTime) -> Action? {
    if let bondedBy, bondedBy <= time { return hangUp(nil) }
    if let speaksBy, speaksBy <= time {
      return hangUp(.silent(seconds: Int(saturating: Self.silence)))
    }
    guard let retryAt, retryAt <= time else { return nil }
    self.retryAt = nil
    return .beginAgain
  }

  private mutating func hangUp(_ reason: SessionNote.Kind?) -> Action {
    (retryAt, speaksBy, bondedBy) = (nil, nil, nil)
    return .hangUp(reason)
  }
}

extension DeviceDefinition {
  /// The characteristics over which motion is streamed.
  var motionCharacteristics: Set<BluetoothUUID> {
    Set(
      records.compactMap { record in
        guard record.milliHertz != nil, case .characteristic(let uuid) = record.source else {
          return nil
        }
        return uuid
      })
  }

  /// Whether a linked device of this kind sends all the time.
  var isStream: Bool {
    records.contains { record in
      record.isStreamed || record.milliHertz != nil
        || record.source == .characteristic(HeartRateMeasurement.uuid)
    }
  }
}
