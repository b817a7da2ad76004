import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Radio
import Terminal

/// A device that the set-up received, with its first readings.
struct FoundDevice: Hashable {
  var address: DeviceID
  var definition: String?
  var name: String
  /// Whether it is worn to measure movement.
  var isWorn = false
  /// Whether its readings say which of its users they are of.
  var hasUsers = false
  /// Whether it weighs, as far as its definition says.
  var isScale = false
  /// The first reading of each quantity, in the order of their arrival.
  var readings: [Value] = []
  /// When its first and its last reading were measured.
  var span: ClosedRange<Date>?

  /// A measured value, in the quantity's own unit.
  struct Value: Hashable {
    var quantity: Quantity
    var value: Double
  }

  /// Whether its readings tell the people of a household apart.
  var tellsPeople: Bool { hasUsers || isScale || weight != nil }

  /// Its weight, if it is a scale that was used.
  var weight: Double? { readings.first { $0.quantity == .bodyMass }?.value }

  /// The most quantities of which the first reading is shown.
  static let mostReadings = 4
}

/// Listens with the daemon's pipeline, and collects the devices with their first readings.
///
/// Nothing is stored: what was received is recorded, so that it can be replayed once the plan is
/// imported.
struct SetupListening {
  /// The plan as far as it is known.
  var plan: PlanDocument
  var catalog: DeviceCatalog
  /// The devices that are known from before, whose readings end nothing.
  var known: Set<DeviceID> = []

  /// How long the radio is listened to after the first reading of a new device, in seconds: more
  /// values of the same measurement may follow.
  static let grace: TimeInterval = 4

  /// Listens until `end`, or shortly after the first reading of a new device; to the end of the
  /// recording for `nil`.
  ///
  /// - Returns: The devices with readings, then the other ones that a definition matches.
  func devices(on radio: any Radio, until end: Date?) async throws -> [FoundDevice] {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = plan
    _ = try await store.write { try $0.importPlan(plan, now: Console.now) }
    let watched = SetupRadio(radio, until: end)
    var found: [FoundDevice] = []
    var hub = try await Hub(radio: watched, store: store, catalog: catalog) { report in
      let sample: Sample
      switch report {
      case .stored(let stored), .unassigned(let stored), .disowned(let stored): sample = stored
      default: return
      }
      guard sample.quantity.isPersonal else { return }
      Self.add(sample, to: &found)
      if end != nil, !known.contains(sample.device.address) { watched.finish(after: Self.grace) }
    }
    _ = try await hub.run()
    let silent = watched.results.sorted(by: catalog).compactMap { device, kind -> FoundDevice? in
      let address = DeviceID(device.known.address.description)
      guard let kind, !found.contains(where: { $0.address == address }) else { return nil }
      return FoundDevice(address: address, definition: kind.id, name: kind.name)
    }
    return (found + silent).map { device in
      var device = device
      let definition = device.definition.flatMap(catalog.definition)
      device.name = definition?.name ?? device.name
      device.isWorn = definition?.streamsMotion ?? !device.address.isAddress
      device.hasUsers = device.hasUsers || definition?.hasUsers ?? false
      device.isScale = definition?.quantities.contains(.bodyMass) ?? false
      return device
    }
  }

  private static func add(_ sample: Sample, to found: inout [FoundDevice]) {
    let place =
      found.firstIndex { $0.address == sample.device.address }
      ?? {
        found.append(
          FoundDevice(
            address: sample.device.address, definition: sample.device.definition,
            name: sample.device.address.text))
        return found.count - 1
      }()
    let quantity = sample.quantity
    if sample.userIndex != nil { found[place].hasUsers = true }
    if found[place].readings.count < FoundDevice.mostReadings,
      !found[place].readings.contains(where: { $0.quantity == quantity })
    {
      found[place].readings.append(FoundDevice.Value(quantity: quantity, value: sample.value))
    }
    let span = found[place].span ?? sample.start...sample.start
    found[place].span = min(span.lowerBound, sample.start)...max(span.upperBound, sample.start)
  }
}

/// A radio that ends at a time, and remembers what advertises.
private final class SetupRadio: Radio {
  private let radio: any Radio
  private var end: Date?
  private(set) var results = ScanResults()

  init(_ radio: any Radio, until end: Date?) {
    self.radio = radio
    self.end = end
  }

  /// Ends it soon.
  func finish(after delay: TimeInterval) {
    let soon = Console.now.addingTimeInterval(delay)
    end = end.map { min($0, soon) }
  }

  var hasNext: Bool { radio.hasNext }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    guard let end else { return watch(try await radio.next(until: deadline)) }
    guard Console.now < end else { return .end(end) }
    let step = try await radio.next(until: deadline.map { min($0, end) } ?? end)
    if case .deadline(let time) = step, time >= end { return .end(time) }
    if case .clockSet(let jump, _) = step { self.end?.addTimeInterval(jump) }
    return watch(step)
  }

  private func watch(_ step: RadioStep) -> RadioStep {
    if case .event(let event) = step { results.add(event) }
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) { try await radio.send(command) }
}
