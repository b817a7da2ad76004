import Foundation

/// The events that wait for the consumer, within limits.
///
/// Events leave in arrival order, except those of a device that sends faster than it is read: while
/// many of its values wait, its further events go to a flood lane. The flood lane alternates with
/// the regular lane once the device's earlier events have left. So each device's own order is
/// preserved, and no device waits behind a flood.
struct EventQueue: Sendable {
  private let limits: EventBuffer.Limits
  private var regularLane = EventLane()
  private var floodLane = EventLane()
  private var isFloodNext = false
  private var values: [DeviceAddress: Int] = [:]
  private var advertisements: [DeviceAddress: Int] = [:]
  private var valueCount = 0
  private var advertisementCount = 0
  /// Dropped values that are not reported yet.
  private var lost: [DeviceAddress: Int] = [:]
  /// When a linked device's losses were last reported.
  private var lossReported: [DeviceAddress: Date] = [:]

  /// The shortest time between two loss reports of a linked device, in seconds: a flood lasts.
  private static let lossPause = 60.0

  init(limits: EventBuffer.Limits) {
    self.limits = limits
  }

  var isEmpty: Bool { nextTime == nil }

  /// When the first event was received.
  var nextTime: Date? { [regularLane.nextTime, floodLane.nextTime].compactMap(\.self).min() }

  /// How many places the queue uses, gaps included.
  var places: Int { regularLane.places + floodLane.places }

  /// Adds an event, or counts it as lost if too many values wait.
  ///
  /// - Returns: Whether the event was kept.
  @discardableResult
  mutating func push(_ event: RadioEvent, at time: Date) -> Bool {
    switch event {
    case .value(let value):
      let waiting = values[value.address, default: 0]
      // Indications cannot flood, since the device waits for each confirmation; a dropped
      // indication would never be confirmed.
      let hasRoom = waiting < limits.valuesOfOneDevice && valueCount < limits.values
      guard hasRoom || value.confirmation != nil else {
        lost[value.address, default: 0] += 1
        return false
      }
      let isLossDue =
        lossReported[value.address].map { abs(time.timeIntervalSince($0)) >= Self.lossPause }
        ?? true
      if isLossDue { reportLoss(of: value.address, at: time) }
      values[value.address] = waiting + 1
      valueCount += 1
    case .advertisement(let advertisement):
      makeRoom(for: advertisement.address)
      advertisements[advertisement.address, default: 0] += 1
      advertisementCount += 1
    case .lost(let address, let count):
      // Reported with the device's next value, or with the link's end.
      lost[address, default: 0] += count
      return true
    case .disconnected(let address):
      reportLoss(of: address, at: time)
      lossReported[address] = nil
    default:
      break
    }
    append(event, at: time)
    return true
  }

  /// Takes the next event.
  ///
  /// - Parameter earliest: The event's time is raised to this, since the wall clock may have been
  ///   slewed or a flood may have waited.
  /// - Returns: The event; `nil` if none waits.
  mutating func pop(notBefore earliest: Date?) -> TimedEvent? {
    let mayTakeFlood =
      floodLane.nextAddress.map { regularLane.queuedCount(of: $0) == 0 } ?? false
    let takesFlood = mayTakeFlood && (isFloodNext || regularLane.nextTime == nil)
    guard let (event, time) = takesFlood ? floodLane.popFirst() : regularLane.popFirst() else {
      return nil
    }
    isFloodNext = !takesFlood
    discount(event)
    return TimedEvent(time: max(time, earliest ?? time), event: event)
  }

  /// Moves the times of all waiting events by `jump` seconds, after the wall clock was set.
  mutating func clockWasSet(by jump: TimeInterval) {
    regularLane.clockWasSet(by: jump)
    floodLane.clockWasSet(by: jump)
    lossReported = lossReported.mapValues { $0.addingTimeInterval(jump) }
  }

  /// Adds a report of a device's losses before its event.
  private mutating func reportLoss(of address: DeviceAddress, at time: Date) {
    guard let count = lost.removeValue(forKey: address) else { return }
    lossReported[address] = time
    append(.lost(address, count: count), at: time)
  }

  private mutating func append(_ event: RadioEvent, at time: Date) {
    guard let address = event.address else { return regularLane.append(event, at: time) }
    let isFlood =
      floodLane.queuedCount(of: address) > 0
      || values[address, default: 0] > limits.regularValuesOfOneDevice
    if isFlood { floodLane.append(event, at: time) } else { regularLane.append(event, at: time) }
  }

  /// Drops an old advertisement if another one of `address` would exceed a limit.
  private mutating func makeRoom(for address: DeviceAddress) {
    let isOfAll = advertisements[address, default: 0] < limits.advertisementsOfOneDevice
    if isOfAll, advertisementCount < limits.advertisements { return }
    let matches: (RadioEvent) -> Bool = { event in
      guard case .advertisement(let advertisement) = event else { return false }
      return isOfAll || advertisement.address == address
    }
    let dropped = regularLane.dropFirst(where: matches) ?? floodLane.dropFirst(where: matches)
    if let dropped { discount(dropped) }
  }

  private mutating func discount(_ event: RadioEvent) {
    switch event {
    case .value(let value):
      valueCount -= 1
      values.decrement(value.address)
    case .advertisement(let advertisement):
      advertisementCount -= 1
      advertisements.decrement(advertisement.address)
    default:
      break
    }
  }
}

/// Events in arrival order; events in the middle may be dropped.
struct EventLane: Sendable {
  private var events: [Entry] = []
  /// Where the lane begins in `events`, so that removing the first event moves no others.
  private var head = 0
  /// How many places behind `head` are empty.
  private var gaps = 0
  private var counts: [DeviceAddress: Int] = [:]

  /// An event, or the place of a dropped one.
  private struct Entry {
    var time: Date
    var event: RadioEvent?
  }

  /// The device of the first event.
  var nextAddress: DeviceAddress? { head < events.count ? events[head].event?.address : nil }

  /// When the first event was received.
  var nextTime: Date? { head < events.count ? events[head].time : nil }

  /// How many places the lane uses, gaps included.
  var places: Int { events.count }

  /// How many events of a device wait.
  func queuedCount(of address: DeviceAddress) -> Int { counts[address] ?? 0 }

  mutating func append(_ event: RadioEvent, at time: Date) {
    events.append(Entry(time: time, event: event))
    if let address = event.address { counts[address, default: 0] += 1 }
  }

  mutating func popFirst() -> (event: RadioEvent, time: Date)? {
    guard head < events.count, let event = events[head].event else { return nil }
    let time = events[head].time
    head += 1
    skipGaps()
    discount(event)
    return (event, time)
  }

  mutating func clockWasSet(by jump: TimeInterval) {
    for index in events.indices { events[index].time.addTimeInterval(jump) }
  }

  /// Drops the oldest event that `matches`, and returns it.
  mutating func dropFirst(where matches: (RadioEvent) -> Bool) -> RadioEvent? {
    let index = events.indices.dropFirst(head).first { events[$0].event.map(matches) ?? false }
    guard let index, let event = events[index].event else { return nil }
    events[index].event = nil
    gaps += 1
    skipGaps()
    discount(event)
    return event
  }

  private mutating func discount(_ event: RadioEvent) {
    if let address = event.address { counts.decrement(address) }
  }

  private mutating func skipGaps() {
    while head < events.count, events[head].event == nil {
      head += 1
      gaps -= 1
    }
    guard head + gaps > 256, (head + gaps) * 2 > events.count else { return }
    events = events[head...].filter { $0.event != nil }
    (head, gaps) = (0, 0)
  }
}

extension [DeviceAddress: Int] {
  /// Decrements a count; a count of zero is removed.
  fileprivate mutating func decrement(_ address: DeviceAddress) {
    guard let count = self[address] else { return }
    self[address] = count > 1 ? count - 1 : nil
  }
}
