import Assessments
package import Care
package import Foundation
package import Localization
import Motion

/// A device that the radio hears now.
package struct NearbyDevice: Hashable, Sendable {
  /// The Bluetooth address.
  package var address: DeviceID
  /// The name that it advertises.
  package var name: String?
  /// The title of the definition that recognises it.
  package var title: String?
  /// The strength of its signal, dBm.
  package var signal: Int?
  /// When it was heard last.
  package var lastHeard: Date
  /// Why the last connection failed, and what to do, in the viewer's language.
  package var failure: String?
  /// Its own remark instead of a measurement.
  package var remark: LocalizedText?

  /// Makes a device.
  package init(
    address: DeviceID, name: String? = nil, title: String? = nil, signal: Int? = nil,
    lastHeard: Date, failure: String? = nil, remark: LocalizedText? = nil
  ) {
    self.address = address
    self.name = name
    self.title = title
    self.signal = signal
    self.lastHeard = lastHeard
    self.failure = failure
    self.remark = remark
  }
}

/// The devices near now, and those of the plan.
package struct DevicesPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let findings: [SetupFindingRow]
    let nearby: [Nearby]
    /// The reason why no device is near; no advice that cannot help.
    let nothing: String
    let mayAdd: Bool
    let known: [Known]
    /// Devices of no plan that measured.
    let others: [Known]
    let hasOthers: Bool
  }

  private struct Nearby {
    let id: String
    let title: String
    let detail: String
    let signal: Signal?
    let heard: String
    let isKnown: Bool
    let failure: String?
    /// Where it is added; `nil` for a known one, and for those who may not.
    let add: String?
  }

  private struct Signal {
    let bars: [Bar]
    let text: String
  }

  private struct Bar {
    let x: Int
    let y: Int
    let height: Int
    let isFull: Bool
  }

  private struct Known {
    let id: String
    let title: String
    let address: String
    let whose: String
    let worn: String?
    let lastHeard: String
    let lastValue: String?
    let battery: Battery?
    let failure: String?
    let actions: Actions?
    /// Where it is added to the plan; `nil` for one that is in it, and for those who may not.
    let add: String?
  }

  /// The actions that a known device offers.
  private struct Actions {
    let change: String
    let pair: String?
    let back: String
    let device: String
    let name: String
  }

  private struct Battery {
    let percent: Int
    let text: String
    /// Below it the battery is low, in percent.
    let lowest: Int
  }

  /// How many weighings are looked at for the devices of no plan.
  private static let weighingLimit = 200
  /// How many nearby devices are listed.
  private static let nearbyLimit = 40

  /// Reads the page.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - viewer: Who looks at it.
  ///   - nearby: The devices that the radio hears now; `nil` without a radio.
  ///   - findings: What keeps the radio from measuring.
  ///   - notice: A message about the latest action.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, viewer: Viewer, nearby: [NearbyDevice]?,
    findings: [SetupFinding] = [], notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let address = LocalAddress("devices")
    frame = Frame(
      viewer: viewer, section: .devices, title: words.text("nav.devices"), address: address,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let bindings = try reader.deviceBindings()
    let people = try reader.patients()
    let sorted = (nearby ?? []).sorted {
      ($1.signal ?? -200, $0.address) < ($0.signal ?? -200, $1.address)
    }
    let addresses = Set(bindings.map(\.address))
    let others = try Self.scales(reader).filter { !addresses.contains($0.address) }
    func known(_ binding: DeviceBinding, _ place: Int, isPlanned: Bool) throws -> Known {
      let heard = sorted.first { $0.address == binding.address }
      return try Self.known(
        binding, place: place, isPlanned: isPlanned, heard, people, reader, viewer)
    }
    content = Content(
      findings: findings.map { SetupFindingRow($0, in: words) },
      nearby: sorted.prefix(Self.nearbyLimit).enumerated().map { place, device in
        Self.nearby(device, place: place, isKnown: addresses.contains(device.address), viewer)
      },
      nothing: words.text(
        !findings.isEmpty ? "devices.deaf" : nearby == nil ? "devices.off" : "devices.nothing"),
      mayAdd: viewer.may(.devices),
      known: try bindings.enumerated().map { try known($1, $0, isPlanned: true) },
      others: try others.enumerated().map {
        try known($1, $0 + bindings.count, isPlanned: false)
      }, hasOthers: !others.isEmpty)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("devices", content, frame: frame) }

  private static func nearby(
    _ device: NearbyDevice, place: Int, isKnown: Bool, _ viewer: Viewer
  ) -> Nearby {
    let words = viewer.language
    let title = device.title ?? device.name ?? words.text("devices.unnamed")
    let detail = [device.title == nil ? nil : device.name, device.address.text]
    return Nearby(
      id: "near-\(place)", title: title,
      detail: detail.compactMap(\.self).joined(separator: ", "),
      signal: device.signal.map { signal($0, words) },
      heard: words.ago(device.lastHeard, viewer), isKnown: isKnown,
      failure: device.failure ?? device.remark.map(words.text(_:)),
      add: isKnown || !viewer.may(.devices)
        ? nil
        : LocalAddress("devices", "add", items: [("device", device.address.text)]).description)
  }

  /// Three bars and a word.
  ///
  /// The limits are those of everyday use: above −65 dBm a link holds across a room, below −80 dBm
  /// it breaks off behind a wall.
  private static func signal(_ strength: Int, _ words: Language) -> Signal {
    let level = strength >= -65 ? 3 : strength >= -80 ? 2 : 1
    let bars = (1...3).map { bar in
      Bar(x: (bar - 1) * 8 + 1, y: 20 - bar * 6, height: bar * 6, isFull: bar <= level)
    }
    return Signal(
      bars: bars,
      text: words.text("devices.signal.\(level)", ["strength": "\u{2212}\(abs(strength))"]))
  }

  /// The scales of the latest weighings: they measure without being in the plan.
  private static func scales(_ reader: any StoreReader) throws -> [DeviceBinding] {
    let weighings = try reader.samples(SampleQuery(quantity: .bodyMass, limit: weighingLimit))
    return weighings.reversed().filter { $0.device.address.isAddress }
      .map { DeviceBinding(address: $0.device.address, definition: $0.device.definition) }
      .uniqued()
  }

  private static func known(
    _ binding: DeviceBinding, place: Int, isPlanned: Bool, _ heard: NearbyDevice?,
    _ people: [Patient], _ reader: any StoreReader, _ viewer: Viewer
  ) throws -> Known {
    let words = viewer.language
    // Batteries have a place of their own, and of a measurement with details the result is its value.
    let latest = try reader.samples(SampleQuery(device: binding.address, limit: 20))
      .last {
        $0.quantity != .batteryLevel && !$0.quantity.isMeasuredWithWeight && $0.isResult
      }
    let level = try reader.samples(
      SampleQuery(quantity: .batteryLevel, device: binding.address, limit: 1)
    ).last
    let definition = binding.definition ?? latest?.device.definition
    let title = viewer.deviceName(
      DeviceIdentity(address: binding.address, definition: definition))
    let name = people.first { $0.id == binding.patient }.map(words.fullName(of:)) ?? binding.patient
    let whose =
      name.map { name in
        binding.userIndex.map {
          words.text("devices.slot", ["name": name, "slot": String($0)])
        } ?? name
      } ?? words.text("devices.everyone")
    let times = [latest.map { max($0.end, $0.reading.arrival) }, heard?.lastHeard]
    return Known(
      id: "device-\(place)", title: title, address: binding.address.text, whose: whose,
      worn: binding.placement.flatMap(words.name),
      lastHeard: times.compactMap(\.self).max().map { words.ago($0, viewer) }
        ?? words.text("devices.never"),
      lastValue: latest.map { sample in
        let person = people.first { $0.id == sample.patient }
        let measure = Measure(sample.quantity, for: person?.units, in: words)
        return words.text(
          "devices.value",
          [
            "quantity": words.title(of: sample.quantity), "value": measure.text(sample.value),
          ])
      },
      battery: level.map { sample in
        let percent = Int(saturating: min(max(sample.value, 0), 100).rounded())
        let isLow = sample.value < Quantity.lowBattery
        return Battery(
          percent: percent,
          text: words.text(
            isLow ? "devices.batteryLow" : "devices.battery", ["percent": String(percent)]),
          lowest: Int(saturating: Quantity.lowBattery))
      }, failure: heard?.failure ?? heard?.remark.map(words.text(_:)),
      actions: isPlanned && viewer.may(.devices)
        ? Actions(
          change: LocalAddress(
            "devices", "add",
            items: [
              ("device", binding.address.text), ("slot", binding.userIndex.map(String.init)),
            ]
          ).description,
          pair: viewer.canPair && binding.address.isAddress
            ? LocalAddress("devices", "pair", items: [("device", binding.address.text)]).description
            : nil, back: LocalAddress("devices").description,
          device: binding.address.text, name: title) : nil,
      add: isPlanned || !viewer.may(.devices)
        ? nil
        : LocalAddress("devices", "add", items: [("device", binding.address.text)]).description)
  }
}

// MARK: - Words

extension Language {
  /// How long ago, roughly: `now`, `5 minutes ago`, else the time and day.
  func ago(_ date: Date, _ viewer: Viewer) -> String {
    let seconds = viewer.now.timeIntervalSince(date)
    if seconds < 90 { return text("ago.now") }
    if seconds < 3600 { return text("ago.minutes", count: Int(saturating: seconds / 60)) }
    let isToday = date.day(in: viewer.timeZone) == viewer.now.day(in: viewer.timeZone)
    return when(date, isToday: isToday, viewer)
  }

  /// Where a sensor is worn: `left knee, shank`; `nil` if that says nothing.
  func name(of placement: Placement) -> String? {
    func name(_ part: String) -> String { optionalText("body." + part) ?? part }
    let joint = placement.joint.map { joint in
      guard let side = placement.side else { return name(joint.rawValue) }
      return text("body.sided", ["side": name(side.rawValue), "joint": name(joint.rawValue)])
    }
    let parts = [
      joint ?? placement.side.map { name($0.rawValue) },
      placement.segment.map { name($0.rawValue) },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: text("list.comma"))
  }
}
