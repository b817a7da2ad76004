import Foundation
import Radio

/// What waits for the consumer, in order and within limits.
struct EventQueue: Sendable {
  private let limits: EventBuffer.Limits
  private var events: [Entry] = []
  /// Where the queue begins in `events`: taking from the front moves nothing.
  private var head = 0
  /// How many places behind `head` are empty.
  private var gaps = 0
  private var values: [DeviceAddress: Int] = [:]
  private var advertisements: [DeviceAddress: Int] = [:]
  private var valueCount = 0
  private var advertisementCount = 0
  private var lost: [DeviceAddress: Int] = [:]

  /// An event, or the place where one was before it was dropped.
  private struct Entry {
    var time: Date
    var event: RadioEvent?
  }

  init(limits: EventBuffer.Limits) {
    self.limits = limits
  }

  var isEmpty: Bool { nextTime == nil }

  /// When the first event was heard.
  var nextTime: Date? { head < events.count ? events[head].time : nil }

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
      // What was lost before it is told before it.
      if let count = lost.removeValue(forKey: value.address) {
        events.append(Entry(time: time, event: .lost(value.address, count: count)))
      }
      values[value.address] = waiting + 1
      valueCount += 1
    case .advertisement(let advertisement):
      let address = advertisement.address
      if advertisements[address, default: 0] >= limits.advertisementsOfOneDevice {
        dropOldestAdvertisement { $0 == address }
      } else if advertisementCount >= limits.advertisements {
        dropOldestAdvertisement { _ in true }
      }
      advertisements[address, default: 0] += 1
      advertisementCount += 1
    case .disconnected(let address):
      if let count = lost.removeValue(forKey: address) {
        events.append(Entry(time: time, event: .lost(address, count: count)))
      }
    default:
      break
    }
    events.append(Entry(time: time, event: event))
  }

  /// Takes the first event; its time is no earlier than `earliest`, though the wall clock may have
  /// been set back.
  mutating func pop(notBefore earliest: Date?) -> TimedEvent? {
    guard head < events.count, let event = events[head].event else { return nil }
    let time = events[head].time
    head += 1
    forget(event)
    skipDropped()
    return TimedEvent(time: max(time, earliest ?? time), event: event)
  }

  /// How many places the queue takes, empty ones among them.
  var places: Int { events.count }

  private mutating func skipDropped() {
    while head < events.count, events[head].event == nil {
      head += 1
      gaps -= 1
    }
    guard head + gaps > 256, (head + gaps) * 2 > events.count else { return }
    events = events[head...].filter { $0.event != nil }
    (head, gaps) = (0, 0)
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

  private mutating func dropOldestAdvertisement(where matches: (DeviceAddress) -> Bool) {
    let index = events.indices.dropFirst(head).first { index in
      guard case .advertisement(let advertisement) = events[index].event else { return false }
      return matches(advertisement.address)
    }
    guard let index, let event = events[index].event else { return }
    forget(event)
    events[index].event = nil
    gaps += 1
    skipDropped()
  }

  private static func decrement(_ counts: inout [DeviceAddress: Int], _ address: DeviceAddress) {
    guard let count = counts[address] else { return }
    counts[address] = count > 1 ? count - 1 : nil
  }
}
