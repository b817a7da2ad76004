import Foundation
import GATT
import Radio
import Recency
import Synchronization
import Terminal

/// Gives the events of the daemon's radio to others beside the hub.
///
/// A reader that is slow loses advertisements and values, which are counted; one that reads nothing
/// for a minute is ended.
final class RadioTap: Sendable {
  fileprivate struct State {
    var readers: [Int: EventBuffer] = [:]
    var lastID = 0
    var seen = RecencyTable<DeviceAddress, Seen>()
    /// The devices whose links the hub uses.
    var hubLinks: Set<DeviceAddress> = []
  }

  /// The known state of a device.
  fileprivate struct Seen {
    /// The latest advertisement and the latest scan response, or what else differs.
    var advertisements: [Advertisement] = []
    var isLinked = false
    var services: [GATTService]?
  }

  private let state = Mutex(State())

  /// The most devices that are remembered, beside those with a link.
  static let mostDevices = 512
  /// How long a reader may read nothing.
  static let patience = Duration.seconds(60)

  /// Passes an event on.
  func add(_ event: TimedEvent) {
    let event = TimedEvent(time: event.time, event: event.event.withoutConfirmation)
    let readers = state.withLock { state in
      state.note(event)
      for (id, reader) in state.readers where reader.stall > Self.patience {
        reader.interrupt()
        state.readers[id] = nil
      }
      return Array(state.readers.values)
    }
    for reader in readers { reader.push(event.event) }
  }

  /// The devices with a link.
  var linked: Set<DeviceAddress> {
    state.withLock { Set($0.seen.byUse.filter(\.value.isLinked).map(\.key)) }
  }

  /// Notes a command of the hub, which may use a link that another client has asked for.
  func hubSent(_ command: RadioCommand) {
    state.withLock { state in
      switch command {
      case .disconnect(let address): state.hubLinks.remove(address)
      case .connect(let address, _), .subscribe(let address, _, _), .read(let address, _),
        .write(let address, _, _, _):
        state.hubLinks.insert(address)
      case .confirm: break
      }
    }
  }

  /// Whether the hub uses a link, or waits for it.
  func isOfHub(_ address: DeviceAddress) -> Bool {
    state.withLock { $0.hubLinks.contains(address) }
  }

  /// Reads events from now on.
  ///
  /// - Parameter links: Whether the known state of the devices with a link comes first, as if it
  ///   happened now.
  ///
  /// - Returns: The reader, which ends when it is released.
  func read(links: Bool) -> Reader {
    let buffer = EventBuffer(timer: { _, _ in {} }, now: { Date() })
    let id = state.withLock { state in
      if links {
        for (address, seen) in state.seen.byUse.sorted(by: { $0.key < $1.key }) where seen.isLinked
        {
          seen.events(of: address).forEach { buffer.push($0) }
        }
      }
      state.lastID += 1
      state.readers[state.lastID] = buffer
      return state.lastID
    }
    return Reader(buffer: buffer) { [weak self] in
      self?.state.withLock { $0.readers[id] = nil }
    }
  }

  /// One reader, until it is released.
  final class Reader: Sendable {
    private let buffer: EventBuffer
    private let onEnd: @Sendable () -> Void

    fileprivate init(buffer: EventBuffer, onEnd: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.onEnd = onEnd
    }

    deinit { onEnd() }

    /// The next event; `nil` at the end.
    func next() async -> TimedEvent? {
      guard case .event(let event) = await buffer.next(until: nil) else { return nil }
      return event
    }

    /// Ends it, after all events so far.
    func finish() { buffer.interrupt() }
  }
}

extension RadioTap.State {
  /// Remembers what an event says of a device.
  fileprivate mutating func note(_ event: TimedEvent) {
    switch event.event {
    case .advertisement(let advertisement):
      change(advertisement.address) { $0.add(advertisement) }
    case .connected(let address):
      change(address) { ($0.isLinked, $0.services) = (true, nil) }
    case .services(let address, let services):
      change(address) { ($0.isLinked, $0.services) = (true, services) }
    case .disconnected(let address):
      change(address) { ($0.isLinked, $0.services) = (false, nil) }
      hubLinks.remove(address)
    case .failed(let address, _):
      // An attempt to connect, unless the link is up.
      if seen[address]?.isLinked != true { hubLinks.remove(address) }
    case .value, .written, .lost, .bondChanged, .motion: break
    }
  }

  private mutating func change(
    _ address: DeviceAddress, _ change: (inout RadioTap.Seen) -> Void
  ) {
    if seen[address] == nil, seen.count >= RadioTap.mostDevices {
      seen.removeOldest { !$0.isLinked }
    }
    var device = seen[address] ?? RadioTap.Seen()
    change(&device)
    seen.use(address, device)
  }
}

extension RadioTap.Seen {
  fileprivate mutating func add(_ advertisement: Advertisement) {
    advertisements.removeAll { $0.data == advertisement.data }
    advertisements.append(advertisement)
    if advertisements.count > 2 { advertisements.removeFirst() }
  }

  /// The events that lead to what is known.
  fileprivate func events(of address: DeviceAddress) -> [RadioEvent] {
    // A bonded device may be linked without an advertisement.
    let known =
      advertisements.isEmpty
      ? [Advertisement(address: address, addressType: .public, rssi: nil, data: [])]
      : advertisements
    return known.map { .advertisement($0) } + [.connected(address)]
      + (services.map { [.services(address, $0)] } ?? [])
  }
}

extension RadioEvent {
  /// The event for those who confirm nothing.
  fileprivate var withoutConfirmation: RadioEvent {
    guard case .value(var value) = self else { return self }
    value.confirmation = nil
    return .value(value)
  }
}
