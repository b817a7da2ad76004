import Foundation
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import BluetoothdRadio
@testable import KernelRadio
@testable import Radio
@testable import RadioTestSupport

/// A radio whose devices do not answer, so that the test decides when an attempt ends.
protocol LinkPolicyBench: Sendable {
  /// Requests links in this order.
  func connect(_ devices: [DeviceAddress]) async throws
  /// Cancels a request.
  func disconnect(_ device: DeviceAddress) async throws
  /// The device of the next attempt.
  func attempt() async -> DeviceAddress?
  /// The next failure.
  func failure() async -> RadioEvent?
  func stop() async
}

/// Both radios link devices in the same order.
@Suite struct LinkPolicyTests {
  /// Devices by letter.
  ///
  /// Capital letters are known devices. The first request begins at once.
  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The requests, in order.
    var requests: String
    /// The displaced devices.
    var displaced = ""
    /// The attempts, in order; the test ends each.
    var attempts: String
  }

  static let scenarios = [
    Scenario(testDescription: "one device", requests: "a", attempts: "a"),
    Scenario(testDescription: "known devices first", requests: "aBcD", attempts: "aBDc"),
    Scenario(testDescription: "newest, oldest, newest", requests: "abcde", attempts: "aebdc"),
    Scenario(
      testDescription: "changing addresses", requests: "abcdefg", displaced: "cd",
      attempts: "agbfe"),
    Scenario(
      testDescription: "a known device beside changing addresses", requests: "abcdefgK",
      displaced: "cd", attempts: "aKgbfe"),
  ]

  static func address(of letter: Character) -> DeviceAddress {
    DeviceAddress(rawValue: 0xC400_0000_0000 | UInt64(letter.asciiValue ?? 0))
  }

  func check(_ scenario: Scenario, on bench: any LinkPolicyBench) async throws {
    try await bench.connect(scenario.requests.map(Self.address))
    for letter in scenario.displaced {
      #expect(
        await bench.failure()
          == .failed(Self.address(of: letter), LinkError(.transient, .displaced)))
    }
    for letter in scenario.attempts {
      #expect(await bench.attempt() == Self.address(of: letter))
      try await bench.disconnect(Self.address(of: letter))
    }
    await bench.stop()
  }

  @Test(arguments: scenarios)
  func kernel(scenario: Scenario) async throws {
    try await check(scenario, on: try await ScriptedKernelBench(scenario.requests))
  }

  @Test(.enabled(if: PrivateBus.isAvailable, "needs dbus-daemon"), arguments: scenarios)
  func bluetoothd(scenario: Scenario) async throws {
    let bus = try PrivateBus()
    try await check(scenario, on: try await FakeBluetoothdBench(scenario.requests, bus))
  }
}

struct ScriptedKernelBench: LinkPolicyBench {
  private let bench: KernelBench

  /// Makes a bench that has received the devices of `letters`.
  init(_ letters: String) async throws {
    bench = try KernelBench(
      bonded: letters.filter(\.isUppercase).map(LinkPolicyTests.address))
    try await bench.start()
    for letter in letters {
      let device = LinkPolicyTests.address(of: letter)
      bench.peers.silence(device)
      bench.advertise(device)
      _ = await bench.event()
    }
  }

  func connect(_ devices: [DeviceAddress]) async throws {
    for device in devices { try await bench.radio.send(.connect(device)) }
  }

  func disconnect(_ device: DeviceAddress) async throws {
    try await bench.radio.send(.disconnect(device))
  }

  func attempt() async -> DeviceAddress? { await bench.peers.call()?.address }
  func failure() async -> RadioEvent? { await bench.event() }
  func stop() async { await bench.end() }
}

final class FakeBluetoothdBench: LinkPolicyBench {
  private let bench: BluetoothdBench
  private let attempts: AsyncStream<DeviceAddress>

  /// Makes a bench that has received the devices of `letters`.
  init(_ letters: String, _ bus: PrivateBus) async throws {
    bench = try BluetoothdBench(bus)
    let (attempts, attempt) = AsyncStream<DeviceAddress>.makeStream()
    self.attempts = attempts
    let daemon = bench.daemon
    await daemon.placeAdapter()
    for letter in letters {
      await daemon.placeDevice(
        LinkPolicyTests.address(of: letter), isPaired: letter.isUppercase)
    }
    // An attempt lasts until it is disconnected; then it fails with bluetoothd's error.
    await daemon.answer("Connect", .error("org.bluez.Error.Failed", "le-connection-abort-by-local"))
    let gate = Gate()
    await daemon.react(to: "Connect") { _, message in
      if let device = FakeBluetoothd.address(of: message.path) { attempt.yield(device) }
      await gate.wait(message.path)
    }
    await daemon.react(to: "Disconnect") { _, message in gate.open(message.path) }
    try await daemon.start()
    try await bench.radio.start()
    _ = await bench.holds { await daemon.calls.contains("StartDiscovery") }
  }

  /// Blocks tasks by name.
  private final class Gate: Sendable {
    private let waiting = Mutex<[String: CheckedContinuation<Void, Never>]>([:])

    func wait(_ name: String) async {
      await withCheckedContinuation { task in waiting.withLock { $0[name] = task } }
    }

    func open(_ name: String) { waiting.withLock { $0.removeValue(forKey: name) }?.resume() }
  }

  func connect(_ devices: [DeviceAddress]) async throws {
    // The tasks that connect links run on the radio's loop in the order of the requests.
    for device in devices { try await bench.radio.send(.connect(device)) }
  }

  func disconnect(_ device: DeviceAddress) async throws {
    try await bench.radio.send(.disconnect(device))
  }

  func attempt() async -> DeviceAddress? { await attempts.first { _ in true } }

  func failure() async -> RadioEvent? {
    while let event = await bench.next() {
      if case .failed = event { return event }
    }
    return nil
  }

  func stop() async { await bench.stop() }
}
