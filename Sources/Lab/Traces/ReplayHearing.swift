import Care
import DeviceCatalog
import Radio
import Terminal

/// Whom a recording hears, for a replay that measures nothing: which devices of the plan are not in
/// it, and which of those in it no definition matches.
struct ReplayHearing {
  private var devices: [DeviceAddress: (facts: AdvertisedDevice, events: Int)] = [:]
  /// Whether devices were left out, since there were too many.
  private var isCutShort = false

  /// The most devices; a crowded recording may hold thousands of private addresses.
  static let most = 512
  /// The events of a device whose facts are kept: advertisement and scan response, a few times, and
  /// the services of its first link.
  static let factual = 32

  /// Adds an event.
  mutating func add(_ event: RadioEvent) {
    guard let address = event.address else { return }
    guard devices[address] != nil || devices.count < Self.most else {
      isCutShort = true
      return
    }
    devices[address, default: (AdvertisedDevice(address: address), 0)].events += 1
    switch event {
    case .advertisement(let advertisement):
      guard devices[address]?.events ?? 0 <= Self.factual else { return }
      devices[address]?.facts.merge(advertisement)
    case .services(_, let services):
      devices[address]?.facts.merge(services: services)
    default: break
    }
  }

  /// Explains why nothing was measured; empty if the devices do not tell.
  func explanations(for bindings: [DeviceBinding], catalog: DeviceCatalog) -> [String] {
    let bound = Set(bindings.map(\.address))
    var lines: [String] = []
    let missing = bindings.filter { binding in
      DeviceAddress(binding.address.text).map { devices[$0] == nil } ?? false
    }
    if !missing.isEmpty, !isCutShort {
      lines.append("not in the recording: \(Self.list(missing.map(\.address.text)))")
    }
    let unknown = devices.values.filter { device in
      !bound.contains(DeviceID(device.facts.address.description))
        && catalog.matches(for: device.facts).isEmpty
    }.sorted { ($0.events, $1.facts.address) > ($1.events, $0.facts.address) }
    if !unknown.isEmpty {
      let names = unknown.map { device in
        let address = device.facts.address.description
        return device.facts.name.map { "\(address) (\($0.printable))" } ?? address
      }
      lines.append(
        "no definition matches \(Self.list(names)); ‘measured devices list’ has those that are read,"
          + " and Devices/README.md tells how to add one")
    }
    return lines
  }

  /// The first four of `words`, and how many more there are.
  private static func list(_ words: [String]) -> String {
    let shown = words.prefix(4).joined(separator: ", ")
    return words.count > 4 ? "\(shown) and \(words.count - 4) more" : shown
  }
}
