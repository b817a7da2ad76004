import Care
import DeviceCatalog
import Foundation
import GATT
import Radio

/// The devices that are heard, each in its session; strangers until something recognises them.
///
/// Both tables are bounded: of more devices than that, the one heard longest ago is forgotten,
/// linked ones last.
struct SessionTable {
  /// How many sessions are kept at most.
  static let mostSessions = 256
  /// How many devices that no definition describes are remembered at most.
  static let mostStrangers = 512

  private let catalog: DeviceCatalog
  private var bindings: [DeviceBinding] = []
  private var timeZone = TimeZone.gmt
  private var sessions: [DeviceAddress: Entry<DeviceSession>] = [:]
  private var strangers: [DeviceAddress: Entry<AdvertisedDevice>] = [:]
  private var turn = 0

  private struct Entry<Content> {
    var content: Content
    var lastHeard: Int
  }

  init(catalog: DeviceCatalog) {
    self.catalog = catalog
  }

  /// Takes over a plan's devices and its zone, for the sessions that begin from now on.
  mutating func bind(_ bindings: [DeviceBinding], timeZone: TimeZone) {
    self.bindings = bindings
    self.timeZone = timeZone
  }

  /// When a session wants to be woken.
  var wakeAt: Date? { sessions.values.compactMap(\.content.wakeAt).min() }

  /// How many sessions there are.
  var sessionCount: Int { sessions.count }

  /// How many devices are remembered that nothing describes.
  var strangerCount: Int { strangers.count }

  /// Whether the device has a session.
  func knows(_ address: DeviceAddress) -> Bool { sessions[address] != nil }

  /// Hands an event to its device's session, beginning one where the device is recognised by it.
  mutating func handle(_ event: RadioEvent, at time: Date) -> [SessionOutput] {
    guard let address = event.address else { return [] }
    turn += 1
    var outputs: [SessionOutput] = []
    if sessions[address] == nil, let definition = recognise(address, by: event) {
      strangers[address] = nil
      sessions[address] = Entry(
        content: DeviceSession(definition: definition, address: address, timeZone: timeZone),
        lastHeard: turn)
      outputs += forgetOldestSession(at: time)
    }
    sessions[address]?.lastHeard = turn
    return outputs + (sessions[address]?.content.handle(event, at: time) ?? [])
  }

  /// Wakes the sessions whose time has come.
  mutating func wake(at time: Date) -> [SessionOutput] {
    let due = sessions.filter { $0.value.content.wakeAt.map { $0 <= time } ?? false }.keys.sorted()
    return due.flatMap { sessions[$0]?.content.wake(at: time) ?? [] }
  }

  /// Ends every session in good order.
  mutating func end(at time: Date) -> [SessionOutput] {
    sessions.keys.sorted().flatMap { sessions[$0]?.content.end(at: time) ?? [] }
  }

  private mutating func recognise(
    _ address: DeviceAddress, by event: RadioEvent
  ) -> DeviceDefinition? {
    let text = address.description
    if let id = bindings.first(where: { $0.address.uppercased() == text })?.definition,
      let definition = catalog.definition(id)
    {
      return definition
    }
    var device = strangers[address]?.content ?? AdvertisedDevice(address: address)
    switch event {
    case .advertisement(let advertisement): device.merge(advertisement)
    case .services(_, let services): device.merge(services: services)
    case .value(let value):
      guard let service = value.service else { return nil }
      device.merge(services: [GATTService(uuid: service, characteristics: [])])
    default: return nil
    }
    if let match = catalog.matches(for: device).first { return match.definition }
    strangers[address] = Entry(content: device, lastHeard: turn)
    if strangers.count > Self.mostStrangers,
      let oldest = strangers.min(by: { $0.value.lastHeard < $1.value.lastHeard })?.key
    {
      strangers[oldest] = nil
    }
    return nil
  }

  /// Ends the session heard longest ago where there are too many; what it held back is not lost.
  private mutating func forgetOldestSession(at time: Date) -> [SessionOutput] {
    guard sessions.count > Self.mostSessions else { return [] }
    let oldest = sessions.min {
      ($0.value.content.isLinked ? 1 : 0, $0.value.lastHeard)
        < ($1.value.content.isLinked ? 1 : 0, $1.value.lastHeard)
    }
    guard let address = oldest?.key, var forgotten = sessions.removeValue(forKey: address) else {
      return []
    }
    return forgotten.content.end(at: time)
  }
}
