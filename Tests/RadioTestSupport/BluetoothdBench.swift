package import BluetoothdRadio
import Foundation
import GATT
package import Radio
import Synchronization
package import SystemBus
package import TestSupport

@testable package import BluetoothdRadio

/// A radio on a private bus with a fake bluetoothd.
package final class BluetoothdBench: Sendable {
  package let bus: BusAddress
  package let loop: EventLoop
  package let events: EventBuffer
  package let daemon: FakeBluetoothd
  package let radio: BluetoothdRadio
  package let notices: Notices
  package static let scale = DeviceAddress(rawValue: 0xC412_3456_789A)

  /// The radio's notices.
  package final class Notices: Sendable {
    private let stored = Mutex<[RadioNotice]>([])

    package var all: [RadioNotice] { stored.withLock { $0 } }

    package func add(_ notice: RadioNotice) { stored.withLock { $0.append(notice) } }
  }

  package init(_ bus: PrivateBus) throws {
    self.bus = .address(bus.address)
    let loop = try EventLoop(name: "test")
    let notices = Notices()
    self.loop = loop
    self.notices = notices
    events = EventBuffer(loop)
    daemon = FakeBluetoothd(loop: loop, bus: self.bus)
    radio = BluetoothdRadio(loop: loop, events: events, bus: self.bus) { notices.add($0) }
  }

  /// The next event other than an advertisement; `nil` if there is none.
  package func next() async -> RadioEvent? {
    while let event = await nextOfAny() {
      if case .advertisement = event { continue }
      return event
    }
    return nil
  }

  /// The next event; `nil` if there is none.
  package func nextOfAny() async -> RadioEvent? {
    guard case .event(let event) = await events.next(until: Date(timeIntervalSinceNow: 20)) else {
      return nil
    }
    return event.event
  }

  /// Waits until a condition holds.
  ///
  /// - Returns: Whether it did within 20 s.
  package func holds(_ condition: @Sendable () async -> Bool) async -> Bool {
    for _ in 0..<2000 {
      if await condition() { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  /// Starts everything, with a scale that was received, and returns its link.
  package func linkScale(bonded: Bool = false, isPaired: Bool = false) async throws {
    await daemon.placeAdapter()
    await daemon.place(
      FakeBluetoothd.device, FakeBluetoothd.scale(["Paired": .boolean(isPaired)]))
    await daemon.makeScaleLink()
    try await daemon.start()
    try await radio.start()
    _ = await holds { await self.daemon.calls.contains("StartDiscovery") }
    try await radio.send(.connect(Self.scale, bonded: bonded))
  }

  package func stop() async {
    await radio.stop()
    await daemon.die()
    loop.stop()
  }
}

extension RadioEvent {
  /// A value of the scale.
  package static func scaleValue(_ service: UInt16, _ characteristic: UInt16, _ data: [UInt8])
    -> RadioEvent
  {
    .value(
      CharacteristicValue(
        address: BluetoothdBench.scale, service: BluetoothUUID(service),
        characteristic: BluetoothUUID(characteristic), data: data))
  }

  /// The kind of a failure.
  package var failure: LinkFailure? {
    guard case .failed(_, let error) = self else { return nil }
    return error.kind
  }
}

extension EventBuffer {
  /// A buffer whose deadlines run on a loop, with the wall clock.
  package convenience init(_ loop: EventLoop) {
    self.init(
      timer: { delay, handler in
        let watch = loop.schedule(after: delay, handler: handler)
        return { loop.cancel(watch) }
      },
      now: { Date() })
  }
}
