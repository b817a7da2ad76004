import Care
import DeviceCatalog
import Foundation
import Radio

/// The devices that are heard, each in its session; strangers until something recognises them.
///
/// Bounded: of more devices than that, the one heard longest ago is forgotten, linked ones last.
struct SessionTable {
  /// How many sessions are kept at most.
  static let mostSessions = 256
  /// How many devices that no definition describes are remembered at most.
  static let mostStrangers = 512

  private let catalog: DeviceCatalog
  private var bindings: [DeviceBinding] = []
  private var timeZone = TimeZone.gmt
  private var devices: [DeviceAddress: HeardDevice] = [:]
  private var turn = 0

  init(catalog: DeviceCatalog) {
    self.catalog = catalog
  }

  /// Takes over a plan's devices and its zone, for what is recognised from now on; what opens a
  /// device's data counts at once.
  mutating func bind(_ bindings: [DeviceBinding], timeZone: TimeZone) {
    self.bindings = bindings
    self.timeZone = timeZone
    for address in devices.keys {
      let credentials = credentials(of: address)
      devices[address]?.session?.trust(credentials)
    }
  }

  /// What the plan holds to open a device's data.
  private func credentials(of address: DeviceAddress) -> DeviceCredentials {
    let device = DeviceID(address.description)
    return DeviceCredentials(bindings.filter { $0.address == device })
  }

  /// When a session wants to be woken.
  var wakeAt: Date? { devices.values.compactMap { $0.session?.wakeAt }.min() }

  /// How many sessions there are.
  var sessionCount: Int { devices.values.count { $0.session != nil } }

  /// How many devices are remembered that nothing describes.
  var strangerCount: Int { devices.count - sessionCount }

  /// Whether the device is read, whatever the plan may say next of it: it is recognised, and needs
  /// no key or consent of the plan.
  func knows(_ address: DeviceAddress) -> Bool {
    devices[address]?.session.map { !$0.definition.needsCredentials } ?? false
  }

  /// Hands an event to its device's session, beginning one where the device is recognised by it.
  ///
  /// A name or a service that comes late may tell better what a device is; its session then goes on
  /// as that.
  mutating func handle(_ event: RadioEvent, at time: Date) -> [SessionOutput] {
    guard let address = event.address else { return [] }
    turn += 1
    var isMore = devices[address] == nil
    var device = devices[address] ?? HeardDevice(address: address)
    device.lastHeard = turn
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
    return isMore ? forgetOldest(at: time) + outputs : outputs
  }

  /// Wakes the sessions whose time has come.
  mutating func wake(at time: Date) -> [SessionOutput] {
    let due = devices.filter { $0.value.session?.wakeAt.map { $0 <= time } ?? false }
    return due.keys.sorted().flatMap { devices[$0]?.session?.wake(at: time) ?? [] }
  }

  /// Ends every session in good order.
  mutating func end(at time: Date) -> [SessionOutput] {
    devices.keys.sorted().flatMap { devices[$0]?.session?.end(at: time) ?? [] }
  }

  /// The definition that the plan names for a device, else the one that describes it best.
  private func definition(of device: HeardDevice) -> DeviceDefinition? {
    let address = DeviceID(device.known.address.description)
    let bound = bindings.first { $0.address == address }?.definition
    return bound.flatMap(catalog.definition) ?? catalog.matches(for: device.known).first?.definition
  }

  /// Forgets the device heard longest ago where there are too many of its kind; what its session
  /// held back is not lost.
  private mutating func forgetOldest(at time: Date) -> [SessionOutput] {
    guard devices.count > min(Self.mostSessions, Self.mostStrangers) else { return [] }
    let strangers = devices.filter { $0.value.session == nil }
    if strangers.count > Self.mostStrangers,
      let oldest = strangers.min(by: { $0.value.lastHeard < $1.value.lastHeard })
    {
      devices[oldest.key] = nil
    }
    guard devices.count - strangers.count > Self.mostSessions else { return [] }
    let oldest = devices.filter { $0.value.session != nil }.min {
      ($0.value.session?.isLinked == true ? 1 : 0, $0.value.lastHeard)
        < ($1.value.session?.isLinked == true ? 1 : 0, $1.value.lastHeard)
    }
    guard let oldest else { return [] }
    devices[oldest.key] = nil
    var session = oldest.value.session
    return session?.end(at: time) ?? []
  }
}
