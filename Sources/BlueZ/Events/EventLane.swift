import Foundation
import Radio

/// Events in the order in which they came, of which some in the middle may be dropped.
struct EventLane: Sendable {
  private var events: [Entry] = []
  /// Where the lane begins in `events`: taking from the front moves nothing.
  private var head = 0
  /// Whose event is first.
  var nextAddress: DeviceAddress? { head < events.count ? events[head].event?.address : nil }

  /// How many places behind `head` are empty.
  private var gaps = 0

  /// An event, or the place where one was before it was dropped.
  private struct Entry {
    var time: Date
    var event: RadioEvent?
  }

  /// When the first event was heard.
  var nextTime: Date? { head < events.count ? events[head].time : nil }

  /// How many places the lane takes, empty ones among them.
  var places: Int { events.count }

  mutating func append(_ event: RadioEvent, at time: Date) {
    events.append(Entry(time: time, event: event))
  }

  mutating func popFirst() -> (event: RadioEvent, time: Date)? {
    guard head < events.count, let event = events[head].event else { return nil }
    let time = events[head].time
    head += 1
    skipGaps()
    return (event, time)
  }

  /// Drops the oldest event that `matches`, and tells which it was.
  mutating func dropFirst(where matches: (RadioEvent) -> Bool) -> RadioEvent? {
    let index = events.indices.dropFirst(head).first { events[$0].event.map(matches) ?? false }
    guard let index, let event = events[index].event else { return nil }
    events[index].event = nil
    gaps += 1
    skipGaps()
    return event
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
