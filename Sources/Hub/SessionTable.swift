import Care
import DeviceCatalog
import Foundation
import GATT
import Radio

/// The devices in range, each with its session; a stranger is a device that no definition matches.
///
/// Bounded: a further device replaces the one received longest ago, linked ones last.
struct SessionTable {
  /// The most sessions.
  static let mostSessions = 256
  /// The most strangers.
  static let mostStrangers = 512

  private let catalog: DeviceCatalog
  private var bindings: [DeviceBinding] = []
  private var timeZone = TimeZone.gmt
  private var devices: [DeviceAddress: ReceivedDevice] = [:]
  private var turn = 0

  init(catalog: DeviceCatalog) {
    self.catalog = catalog
  }

  /// Applies a plan's devices and its zone to the devices recognised from now on; keys and consent
  /// codes take effect at once.
  mutating func bind(_ bindings: [DeviceBinding], timeZone: TimeZone) {
    self.bindings = bindings
    self.timeZone = timeZone
    for address in devices.keys {
      let credentials = credentials(of: address)
      devices[address]?.session?.trust(credentials)
    }
  }

  /// The keys and consent codes that the plan has for a device.
  private func credentials(of address: DeviceAddress) -> DeviceCredentials {
    let device = DeviceID(address.description)
    return DeviceCredentials(bindings.filter { $0.address == device })
  }

  /// The earliest deadline of a session.
  var wakeAt: Date? { devices.values.compactMap { $0.session?.wakeAt }.min() }

  /// The number of sessions.
  var sessionCount: Int { devices.values.count { $0.session != nil } }

  /// The number of strangers.
  var strangerCount: Int { devices.count - sessionCount }

  /// Whether the device is read without the plan: it is recognised, and needs no key or consent.
  func knows(_ address: DeviceAddress) -> Bool {
    devices[address]?.session.map { !$0.definition.needsCredentials } ?? false
  }

  /// Passes an event to its device's session, which starts with the event that identifies the device.
  ///
  /// A name or a service that arrives later may identify the device better; its session then
  /// continues with the better definition.
  mutating func handle(_ event: RadioEvent, at time: Date) -> [SessionOutput] {
    guard let address = event.address else { return [] }
    turn += 1
    var isMore = devices[address] == nil
    var device = devices[address] ?? ReceivedDevice(address: address)
    device.lastReceived = turn
    var outputs: [SessionOutput] = []
    let hasNews = device.learn(from: event)
    if device.session == nil, let definition = definition(of: device) {
      isMore = true
      device.session = DeviceSession(
        definition: definition, address: address, timeZone: timeZone,
        credentials: credentials(of: address))
    } else if hasNews, let definition = definition(of: device) {
      outputs += device.session?.become(definition, at: time) ?? []
    }
    outputs += device.session?.handle(event, at: time) ?? []
    devices[address] = device
    return isMore ? removeOldest(at: time) + outputs : outputs
  }

  /// Wakes the sessions whose deadlines are due.
  mutating func wake(at time: Date) -> [SessionOutput] {
    let due = devices.filter { $0.value.session?.wakeAt.map { $0 <= time } ?? false }
    return due.keys.sorted().flatMap { devices[$0]?.session?.wake(at: time) ?? [] }
  }

  /// Ends every session.
  mutating func end(at time: Date) -> [SessionOutput] {
    devices.keys.sorted().flatMap { devices[$0]?.session?.end(at: time) ?? [] }
  }

  /// The definition that the plan names for a device, otherwise the best match.
  private func definition(of device: ReceivedDevice) -> DeviceDefinition? {
    let address = DeviceID(device.known.address.description)
    let bound = bindings.first { $0.address == address }?.definition
    return bound.flatMap(catalog.definition) ?? catalog.matches(for: device.known).first?.definition
  }

  /// Removes the device received longest ago if there are too many of its kind.
  ///
  /// - Returns: The outputs that its session held back.
  private mutating func removeOldest(at time: Date) -> [SessionOutput] {
    guard devices.count > min(Self.mostSessions, Self.mostStrangers) else { return [] }
    let strangers = devices.filter { $0.value.session == nil }
    if strangers.count > Self.mostStrangers,
      let oldest = strangers.min(by: { $0.value.lastReceived < $1.value.lastReceived })
    {
      devices[oldest.key] = nil
    }
    guard devices.count - strangers.count > Self.mostSessions else { return [] }
    let oldest = devices.filter { $0.value.session != nil }.min {
      ($0.value.session?.isLinked == true ? 1 : 0, $0.value.lastReceived)
        < ($1.value.session?.isLinked == true ? 1 : 0, $1.value.lastReceived)
    }
    guard let oldest else { return [] }
    devices[oldest.key] = nil
    var session = oldest.value.session
    return session?.end(at: time) ?? []
  }
}

// MARK: - One device

/// A device in range: what is known of it, and its session once it is recognised.
struct ReceivedDevice: Sendable {
  /// What it has advertised so far.
  private(set) var known: AdvertisedDevice
  /// Its session; `nil` for a stranger.
  var session: DeviceSession?
  /// Its last event, counted in events of the whole table.
  var lastReceived = 0

  init(address: DeviceAddress) {
    known = AdvertisedDevice(address: address)
  }

  /// Learns the features of the device from an event.
  ///
  /// - Returns: Whether a feature is new, so that another definition may match.
  mutating func learn(from event: RadioEvent) -> Bool {
    let before = features
    switch event {
    case .advertisement(let advertisement): known.merge(advertisement)
    case .services(_, let services): known.merge(services: services)
    case .value(let value):
      guard session == nil, let service = value.service else { return false }
      known.merge(services: [GATTService(uuid: service, characteristics: [])])
    default: return false
    }
    return features != before
  }

  /// The features that identify a device, without the bytes of its measurements.
  private var features: Features {
    Features(
      name: known.name, services: known.services, serviceData: Set(known.serviceData.keys),
      manufacturerData: Set(known.manufacturerData.keys))
  }

  private struct Features: Equatable {
    var name: String?
    var services: Set<BluetoothUUID>
    var serviceData: Set<BluetoothUUID>
    var manufacturerData: Set<UInt16>
  }
}
