import Care
import DeviceCatalog
import Foundation
import GATT
import Radio
import Recency

/// The devices in range, each with its session; a stranger is a device that no definition matches.
///
/// Bounded: a further device replaces the one received longest ago, linked ones last. An event
/// costs the same however many devices are in range.
struct SessionTable {
  /// The most sessions.
  static let mostSessions = 256
  /// The most strangers.
  static let mostStrangers = 512

  private let catalog: DeviceCatalog
  private let mostStrangers: Int
  private var bindings: [DeviceBinding] = []
  private var timeZone = TimeZone.gmt
  private var devices: [DeviceAddress: ReceivedDevice] = [:]
  private var strangers = RecencyTable<DeviceAddress, Void>()
  private var unlinked = RecencyTable<DeviceAddress, Void>()
  private var linked = RecencyTable<DeviceAddress, Void>()
  /// The deadlines of the sessions that wait for one.
  private var deadlines: [DeviceAddress: SteadyTime] = [:]

  /// Makes a table that recognises the devices of `catalog`.
  init(catalog: DeviceCatalog, mostStrangers: Int = Self.mostStrangers) {
    self.catalog = catalog
    self.mostStrangers = mostStrangers
  }

  /// Applies a plan's devices and its zone to the devices recognised from now on; keys and consent
  /// codes take effect at once.
  mutating func bind(_ bindings: [DeviceBinding], timeZone: TimeZone) {
    self.bindings = bindings
    self.timeZone = timeZone
    for address in devices.keys {
      devices[address]?.forgetMismatch()
      let credentials = Self.credentials(of: address, bindings)
      devices[address]?.session?.trust(credentials)
      devices[address]?.session?.isGuest = !bindings.isOfHousehold(DeviceID(address.description))
      deadlines[address] = devices[address]?.session?.wakeAt
    }
  }

  /// The keys and consent codes that the plan has for a device.
  private static func credentials(
    of address: DeviceAddress, _ bindings: [DeviceBinding]
  ) -> DeviceCredentials {
    let device = DeviceID(address.description)
    return DeviceCredentials(bindings.filter { $0.address == device })
  }

  /// The earliest deadline of a session.
  var wakeAt: SteadyTime? { deadlines.values.min() }

  /// The devices whose links are up or being connected.
  var linkedDevices: Set<DeviceAddress> {
    Set(devices.filter { $0.value.session?.hasLink == true }.keys)
  }

  /// The number of sessions.
  var sessionCount: Int { unlinked.count + linked.count }

  /// The number of strangers.
  var strangerCount: Int { strangers.count }

  /// Whether the device is read without the plan: it is recognised, and needs no key or consent.
  func knows(_ address: DeviceAddress) -> Bool {
    devices[address]?.session.map { !$0.definition.needsCredentials } ?? false
  }

  /// Passes an event to its device's session, which starts with the event that identifies it.
  ///
  /// A name or a service that arrives later may identify the device better; its session then
  /// continues with the better definition.
  mutating func handle(_ event: RadioEvent, at time: EventTime) -> [SessionOutput] {
    guard let address = event.address else { return [] }
    if case .advertisement(let advertisement) = event,
      devices[address]?.isRepeated(advertisement) == true
    {
      strangers.use(address)
      return []
    }
    let (catalog, bindings, timeZone) = (catalog, bindings, timeZone)
    // In place: a copy of its session would copy, at each value, all that the session holds.
    let result = devices[address, default: ReceivedDevice(address: address)].handle(
      event, at: time,
      definition: { Self.definition(of: $0, in: catalog, bindings) },
      session: { definition in
        let credentials = Self.credentials(of: address, bindings)
        return DeviceSession(
          definition: definition, address: address, timeZone: timeZone, credentials: credentials,
          isGuest: !bindings.isOfHousehold(DeviceID(address.description)))
      })
    deadlines[address] = result.wakeAt
    place(address, isLinked: result.isLinked)
    return removeOldest(at: time) + result.outputs
  }

  /// Puts a device that was just received at the end of its group; a stranger has no link.
  private mutating func place(_ address: DeviceAddress, isLinked: Bool?) {
    guard let isLinked else { return strangers.use(address) }
    strangers.remove(address)
    if isLinked {
      unlinked.remove(address)
      linked.use(address)
    } else {
      linked.remove(address)
      unlinked.use(address)
    }
  }

  /// Whether a device is linked only once, since nobody has said whose it is.
  func isLinkedOnce(_ address: DeviceAddress) -> Bool {
    devices[address]?.session?.isLinkedOnce ?? false
  }

  /// Takes back the request for a link to a device that waits for that answer already.
  mutating func decline(_ address: DeviceAddress) {
    devices[address]?.session?.decline()
    deadlines[address] = devices[address]?.session?.wakeAt
  }

  /// Wakes the sessions whose deadlines are due.
  mutating func wake(at time: EventTime) -> [SessionOutput] {
    let due = deadlines.filter { $0.value <= time.steady }.keys.sorted()
    return due.flatMap { address in
      let outputs = devices[address]?.session?.wake(at: time) ?? []
      deadlines[address] = devices[address]?.session?.wakeAt
      return outputs
    }
  }

  /// Ends every session.
  mutating func end(at time: EventTime) -> [SessionOutput] {
    devices.keys.sorted().flatMap { devices[$0]?.session?.end(at: time) ?? [] }
  }

  /// The definition that the plan names for a device, otherwise the best match.
  private static func definition(
    of device: AdvertisedDevice, in catalog: DeviceCatalog, _ bindings: [DeviceBinding]
  ) -> DeviceDefinition? {
    let address = DeviceID(device.address.description)
    let bound = bindings.first { $0.address == address }?.definition
    return bound.flatMap(catalog.definition) ?? catalog.matches(for: device).first?.definition
  }

  /// Removes the device received longest ago if there are too many of its kind.
  ///
  /// - Returns: The outputs that its session held back.
  private mutating func removeOldest(at time: EventTime) -> [SessionOutput] {
    if strangers.count > mostStrangers, let oldest = strangers.removeOldest() {
      devices[oldest] = nil
    }
    guard sessionCount > Self.mostSessions,
      let oldest = unlinked.removeOldest() ?? linked.removeOldest()
    else { return [] }
    var session = devices.removeValue(forKey: oldest)?.session
    deadlines[oldest] = nil
    return session?.end(at: time) ?? []
  }
}

// MARK: - One device

/// A device in range: its known features, and its session once it is recognised.
struct ReceivedDevice: Sendable {
  /// The features that it has advertised so far.
  private(set) var known: AdvertisedDevice
  /// Its session; `nil` for a stranger.
  var session: DeviceSession?
  /// The features that no definition matched, and the advertisement that they were complete with.
  private var mismatch: (known: AdvertisedDevice, data: [UInt8])?

  init(address: DeviceAddress) {
    known = AdvertisedDevice(address: address)
  }

  /// Whether an advertisement is a stranger's last one once more, so that it need not be read: most of
  /// what is received is that.
  func isRepeated(_ advertisement: Advertisement) -> Bool {
    session == nil && mismatch?.data == advertisement.data
  }

  /// Another plan may name a definition for the device.
  mutating func forgetMismatch() { mismatch = nil }

  /// The effect of an event.
  struct Handled {
    var outputs: [SessionOutput] = []
    /// The deadline of its session.
    var wakeAt: SteadyTime?
    /// Whether its link is up; `nil` for a stranger.
    var isLinked: Bool?
  }

  /// Passes an event to its session, which starts with the event that identifies the device.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - time: When it was received.
  ///   - definition: The definition for the known features of the device.
  ///   - begin: Makes a session with a definition.
  /// - Returns: The effect.
  mutating func handle(
    _ event: RadioEvent, at time: EventTime, definition: (AdvertisedDevice) -> DeviceDefinition?,
    session begin: (DeviceDefinition) -> DeviceSession
  ) -> Handled {
    var result = Handled()
    let hasNews = learn(from: event)
    if session == nil {
      if mismatch?.known != known { session = definition(known).map(begin) }
      mismatch = session == nil ? (known, event.advertisedData ?? mismatch?.data ?? []) : nil
    } else if hasNews, let definition = definition(known) {
      result.outputs += session?.become(definition, at: time) ?? []
    }
    result.outputs += session?.handle(event, at: time) ?? []
    result.wakeAt = session?.wakeAt
    result.isLinked = session?.isLinked
    return result
  }

  /// Learns the features of the device from an event.
  ///
  /// - Returns: Whether a feature is new, so that another definition may match.
  private mutating func learn(from event: RadioEvent) -> Bool {
    switch event {
    case .advertisement(let advertisement): learn { $0.merge(advertisement) }
    case .services(_, let services): learn { $0.merge(services: services) }
    case .value(let value):
      if session == nil, let service = value.service {
        learn { $0.merge(services: [GATTService(uuid: service, characteristics: [])]) }
      } else {
        false
      }
    default: false
    }
  }

  private mutating func learn(_ merge: (inout AdvertisedDevice) -> Void) -> Bool {
    let before = features
    merge(&known)
    return features != before
  }

  /// The features that identify a device, without the bytes of its measurements.
  private var features: Features {
    Features(
      name: known.name, services: known.services, serviceData: Set(known.serviceData.keys),
      manufacturerData: Set(known.manufacturerData.keys), characteristics: known.characteristics)
  }

  private struct Features: Equatable {
    var name: String?
    var services: Set<BluetoothUUID>
    var serviceData: Set<BluetoothUUID>
    var manufacturerData: Set<UInt16>
    var characteristics: Set<BluetoothUUID>
  }
}

extension RadioEvent {
  fileprivate var advertisedData: [UInt8]? {
    if case .advertisement(let advertisement) = self { advertisement.data } else { nil }
  }
}
