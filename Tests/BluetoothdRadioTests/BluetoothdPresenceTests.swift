import SystemBus
import TestSupport
import Testing

@testable import BluetoothdRadio

@Suite(.enabled(if: PrivateBus.isAvailable, "needs dbus-daemon"))
struct BluetoothdPresenceTests {
  /// Claims bluetoothd's name.
  private func claimName(at address: String, _ loop: EventLoop) async throws -> BusConnection {
    let connection = try BusConnection(loop: loop, address: .address(address)) { _ in }
    await connection.start()
    _ = try await connection.call(.bus("RequestName", .string("org.bluez"), .uint32(0)))
    return connection
  }

  @Test func `a bus that came back is watched again`() async throws {
    let loop = try EventLoop(name: "presence")
    var bus: PrivateBus? = try PrivateBus()
    let (address, folder) = try (#require(bus).address, #require(bus).folder)
    let presence = BluetoothdPresence(
      loop: loop, bus: .address(address), pause: .milliseconds(20))
    let (changes, report) = AsyncStream.makeStream(of: Bool.self)
    await presence.watch { report.yield($0) }
    #expect(!presence.isOwned)
    var seen = changes.makeAsyncIterator()

    let owner = try await claimName(at: address, loop)
    #expect(await seen.next() == true)
    #expect(presence.isOwned)
    bus = nil
    #expect(await seen.next() == false)
    await owner.close()

    let second = try PrivateBus(after: folder)
    let again = try await claimName(at: second.address, loop)
    #expect(await seen.next() == true)
    await presence.stop()
    await again.close()
    loop.stop()
  }
}
