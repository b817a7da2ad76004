import Foundation
import Radio

/// What waits for the consumer, within limits.
///
/// Events come out in the order in which they went in, but for a device that sends faster than it is
/// read: once it has much waiting, what it sends goes on a second lane, which takes turns with the
/// first as soon as what it sent before is out. So each device's own order holds, and nobody waits
/// behind a flood.
struct EventQueue: Sendable {
  private let limits: EventBuffer.Limits
  private var steady = EventLane()
  private var crowded = EventLane()
  /// How many events of a device are on each lane.
  private var steadiness: [DeviceAddress: Int] = [:]
  private var crowding: [DeviceAddress: Int] = [:]
  private var isCrowdedNext = false
  private var values: [DeviceAddress: Int] = [:]
  private var advertisements: [DeviceAddress: Int] = [:]
  private var valueCount = 0
  private var advertisementCount = 0
  private var lost: [DeviceAddress: Int] = [:]
  /// When a linked device's losses were last told.
  private var lossTold: [DeviceAddress: Date] = [:]

  /// How often losses are told, in seconds: a flood goes on and on.
  private static let lossPause = 60.0

  init(limits: EventBuffer.Limits) {
    self.limits = limits
  }

  var isEmpty: Bool { nextTime == nil }

  /// When the first event was heard.
  var nextTime: Date? { [steady.nextTime, crowded.nextTime].compactMap(\.self).min() }

  /// How many places the queue takes, empty ones among them.
  var places: Int { steady.places + crowded.places }

  /// Adds an event, or counts it as lost where its device has too many waiting.
  mutating func push(_ event: RadioEvent, at time: Date) {
    switch event {
    case .value(let value):
      let waiting = values[value.address, default: 0]
      // An indication cannot flood, since its device waits for the confirmation; dropping it would
      // leave the link without one.
      let hasRoom = waiting < limits.valuesOfOneDevice && valueCount < limits.values
      guard hasRoom || value.confirmation != nil else {
        lost[value.address, default: 0] += 1
        return
      }
      if lossTold[value.address].map({ abs(time.timeIntervalSince($0)) >= Self.lossPause }) ?? true
      {
        tellLoss(of: value.address, at: time)
      }
      values[value.address] = waiting + 1
      valueCount += 1
    case .advertisement(let advertisement):
      makeRoom(for: advertisement.address)
      advertisements[advertisement.address, default: 0] += 1
      advertisementCount += 1
    case .disconnected(let address):
      tellLoss(of: address, at: time)
      lossTold[address] = nil
    default:
      break
    }
    append(event, at: time)
  }

  /// Takes the next event; its time is no earlier than `earliest`, though the wall clock may have
  /// been set back or a flood have waited.
  mutating func pop(notBefore earliest: Date?) -> TimedEvent? {
    let isCrowdFree = crowded.nextAddress.map { steadiness[$0] == nil } ?? false
    let takesCrowded = isCrowdFree && (isCrowdedNext || steady.nextTime == nil)
    guard let (event, time) = takesCrowded ? crowded.popFirst() : steady.popFirst() else {
      return nil
    }
    isCrowdedNext = !takesCrowded
    if takesCrowded { Self.leave(&crowding, event) } else { Self.leave(&steadiness, event) }
    forget(event)
    return TimedEvent(time: max(time, earliest ?? time), event: event)
  }

  /// What was lost before an event is told before it.
  private mutating func tellLoss(of address: DeviceAddress, at time: Date) {
    guard let count = lost.removeValue(forKey: address) else { return }
    lossTold[address] = time
    append(.lost(address, count: count), at: time)
  }

  private mutating func append(_ event: RadioEvent, at time: Date) {
    guard let address = event.address else { return steady.append(event, at: time) }
    if crowding[address] != nil || values[address, default: 0] > limits.crowd {
      crowding[address, default: 0] += 1
      crowded.append(event, at: time)
    } else {
      steadiness[address, default: 0] += 1
      steady.append(event, at: time)
    }
  }

  /// Drops an old advertisement where a new one of `address` would be too many.
  private mutating func makeRoom(for address: DeviceAddress) {
    let isOfAll = advertisements[address, default: 0] < limits.advertisementsOfOneDevice
    if isOfAll, advertisementCount < limits.advertisements { return }
    let matches: (RadioEvent) -> Bool = { event in
      guard case .advertisement(let advertisement) = event else { return false }
      return isOfAll || advertisement.address == address
    }
    if let dropped = steady.dropFirst(where: matches) {
      Self.leave(&steadiness, dropped)
      forget(dropped)
    } else if let dropped = crowded.dropFirst(where: matches) {
      Self.leave(&crowding, dropped)
      forget(dropped)
    }
  }

  private static func leave(_ counts: inout [DeviceAddress: Int], _ event: RadioEvent) {
    if let address = event.address { decrement(&counts, address) }
  }

  private mutating func forget(_ event: RadioEvent) {
    switch event {
    case .value(let value):
      valueCount -= 1
      Self.decrement(&values, value.address)
    case .advertisement(let advertisement):
      advertisementCount -= 1
      Self.decrement(&advertisements, advertisement.address)
    default:
      break
    }
  }

  private static func decrement(_ counts: inout [DeviceAddress: Int], _ address: DeviceAddress) {
    guard let count = counts[address] else { return }
    counts[address] = count > 1 ? count - 1 : nil
  }
}
