import Foundation
import GATT
import Radio
import Synchronization
import Testing

@testable import BlueZ

/// A radio on a private bus with a fake bluetoothd.
final class RadioBench: Sendable {
  let bus: BusAddress
  let loop: EventLoop
  let events: EventBuffer
  let daemon: FakeBluetoothd
  let radio: BluetoothdRadio
  let notices: Notices
  static let scale = DeviceAddress(rawValue: 0xC412_3456_789A)

  /// What the radio said about itself.
  final class Notices: Sendable {
    private let heard = Mutex<[RadioNotice]>([])

    var all: [RadioNotice] { heard.withLock { $0 } }

    func add(_ notice: RadioNotice) { heard.withLock { $0.append(notice) } }
  }

  init(_ bus: PrivateBus) throws {
    self.bus = bus.address
    let loop = try EventLoop(name: "test")
    let notices = Notices()
    self.loop = loop
    self.notices = notices
    events = EventBuffer(loop: loop) { Date() }
    daemon = FakeBluetoothd(loop: loop, bus: bus.address)
    radio = BluetoothdRadio(loop: loop, events: events, bus: bus.address) { notices.add($0) }
  }

  /// The next event that is no advertisement; `nil` where none comes.
  func next() async -> RadioEvent? {
    while let event = await nextOfAny() {
      if case .advertisement = event { continue }
      return event
    }
    return nil
  }

  /// The next event; `nil` where none comes.
  func nextOfAny() async -> RadioEvent? {
    guard case .event(let event) = await events.next(until: Date(timeIntervalSinceNow: 20)) else {
      return nil
    }
    return event.event
  }

  /// Waits until something holds.
  func until(
    _ condition: @Sendable () async -> Bool, _ location: SourceLocation = #_sourceLocation
  ) async {
    for _ in 0..<2000 {
      if await condition() { return }
      try? await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("It never came true.", sourceLocation: location)
  }

  /// Starts all, with a scale that was heard, and gives its link.
  func linkScale(bonded: Bool = false, isPaired: Bool = false) async throws {
    await daemon.placeAdapter()
    await daemon.place(
      FakeBluetoothd.device, FakeBluetoothd.scale(["Paired": .boolean(isPaired)]))
    await daemon.makeScaleLink()
    try await daemon.start()
    try await radio.start()
    await until { await self.daemon.calls.contains("StartDiscovery") }
    try await radio.send(.connect(Self.scale, bonded: bonded))
  }

  func stop() async {
    await radio.stop()
    await daemon.die()
    loop.stop()
  }
}

extension RadioEvent {
  /// A value of the scale's.
  static func scaleValue(_ service: UInt16, _ characteristic: UInt16, _ data: [UInt8]) -> RadioEvent
  {
    .value(
      CharacteristicValue(
        address: RadioBench.scale, service: BluetoothUUID(service),
        characteristic: BluetoothUUID(characteristic), data: data))
  }

  /// Of a failure its kind.
  var failure: LinkFailure? {
    guard case .failed(_, let kind, _) = self else { return nil }
    return kind
  }

  /// Of a failure its reason.
  var reason: String? {
    guard case .failed(_, _, let reason) = self else { return nil }
    return reason
  }
}
