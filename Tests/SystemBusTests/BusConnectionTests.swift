import Foundation
import TestSupport
import Testing

@testable import SystemBus

@Suite(.enabled(if: PrivateBus.isAvailable, "needs dbus-daemon"))
final class BusConnectionTests {
  let bus: PrivateBus
  let loop: EventLoop

  init() throws {
    bus = try PrivateBus()
    loop = try EventLoop(name: "test")
  }

  deinit { loop.stop() }

  /// A connection that replies to every call with its own arguments, but refuses `Refuse` and never
  /// replies to `Ignore`.
  actor Echo {
    private let loop: EventLoop
    private var connection: BusConnection?
    private(set) var name = ""
    private(set) var callers: [String] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe loop.asUnownedSerialExecutor()
    }

    init(loop: EventLoop) { self.loop = loop }

    func start(on address: BusAddress) async throws {
      let connection = try BusConnection(loop: loop, address: address) { [weak self] event in
        guard case .message(let message) = event else { return }
        self?.assumeIsolated { $0.take(message) }
      }
      self.connection = connection
      await connection.start()
      name =
        try await connection.call(.bus("GetNameOwner", .string("org.freedesktop.DBus")))
        .first?.text ?? ""
      _ = try await connection.call(.bus("RequestName", .string("test.Echo"), .uint32(0)))
    }

    private func take(_ message: BusMessage) {
      guard case .call(let number) = message.kind else { return }
      callers.append(message.sender)
      let answer: Result<[BusValue], BusError>
      switch message.member {
      case "Ignore": return
      case "Refuse": answer = .failure(.refused(name: "test.Error.No", text: "not today"))
      default: answer = .success(message.arguments)
      }
      Task { await connection?.reply(to: number, with: answer) }
    }

    func emit(_ number: UInt32) async throws {
      try await connection?.emit(
        path: "/test", interface: "test.Echo", member: "Told", [.uint32(number)])
    }

    func stop() async { await connection?.close() }
  }

  func call(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(
      destination: "test.Echo", path: "/test", interface: "test.Echo", member: member,
      arguments: arguments)
  }

  func connect(_ report: @escaping @Sendable (BusConnection.Event) -> Void = { _ in })
    async throws -> BusConnection
  {
    let connection = try BusConnection(loop: loop, address: .address(bus.address), report: report)
    await connection.start()
    return connection
  }

  @Test func `round trips every kind of value`() async throws {
    let echo = Echo(loop: loop)
    try await echo.start(on: .address(bus.address))
    let connection = try await connect()
    let values: [BusValue] = [
      .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min),
      .uint32(.max), .int64(.min), .uint64(.max), .double(-0.5), .string("größer"), .string(""),
      .path("/org/bluez/hci0"), .signature("a{sv}"), .bytes([]), .bytes([0, 255]),
      .variant(.variant(.bytes([1]))), .array(of: "s", []), .array(of: "s", [.string("a")]),
      .array(of: "ay", [.bytes([1]), .bytes([])]),
      .structure([.byte(1), .string("b"), .array(of: "(yy)", [.structure([.byte(1), .byte(2)])])]),
      .dictionary(of: "sv", [:]),
      .dictionary(of: "qv", [.uint16(0x157): .variant(.bytes([1, 2]))]),
      .dictionary(
        of: "oa{sa{sv}}",
        [.path("/a"): .dictionary(of: "sa{sv}", [.string("i"): .properties(["p": .byte(1)])])]),
    ]
    let answer = try await connection.call(call("Say", values), timeout: .seconds(10))
    #expect(answer == values)
    await connection.close()
  }

  @Test func `passes open files`() async throws {
    let echo = Echo(loop: loop)
    try await echo.start(on: .address(bus.address))
    let connection = try await connect()
    var ends: [CInt] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let answer = try await connection.call(
      call("Say", [.file(BusFile(owning: ends[1]))]), timeout: .seconds(10))
    let file = try #require(answer.first?.openFile)
    var byte: UInt8 = 42
    #expect(unsafe write(file.descriptor, &byte, 1) == 1)
    var received: UInt8 = 0
    #expect(unsafe read(ends[0], &received, 1) == 1)
    #expect(received == 42)
    close(ends[0])
    await connection.close()
  }

  @Test func `reports why a call failed`() async throws {
    let echo = Echo(loop: loop)
    try await echo.start(on: .address(bus.address))
    let connection = try await connect()
    await #expect(throws: BusError.refused(name: "test.Error.No", text: "not today")) {
      try await connection.call(call("Refuse"), timeout: .seconds(10))
    }
    await #expect(throws: BusError.timedOut) {
      try await connection.call(call("Ignore"), timeout: .milliseconds(20))
    }
    await #expect(throws: BusError.system(EINVAL)) {
      try await connection.call(call("Say", [.path("no path")]), timeout: .seconds(10))
    }
    await #expect(throws: BusError.system(EINVAL)) {
      try await connection.call(call("Say", [.string("a\0b")]), timeout: .seconds(10))
    }
    let waiting = Task { [call = call("Ignore")] in
      try await connection.call(call, timeout: .seconds(60))
    }
    _ = try await connection.call(call("Say"), timeout: .seconds(10))
    await connection.close()
    await #expect(throws: BusError.disconnected) { try await waiting.value }
    await #expect(throws: BusError.disconnected) {
      try await connection.call(call("Say"), timeout: .seconds(10))
    }
  }

  @Test func `refuses a call that is too large`() async throws {
    let echo = Echo(loop: loop)
    try await echo.start(on: .address(bus.address))
    let connection = try await connect()
    let huge = BusValue.array(of: "u", Array(repeating: .uint32(7), count: BusReader.limit))
    let refusal = BusError.refused(
      name: "org.freedesktop.DBus.Error.Failed", text: BusError.oversized.description)
    await #expect(throws: refusal) {
      try await connection.call(call("Say", [huge]), timeout: .seconds(10))
    }
    let bytes = BusValue.bytes(Array(repeating: 7, count: 1 << 20))
    #expect(try await connection.call(call("Say", [bytes]), timeout: .seconds(10)) == [bytes])
    await connection.close()
  }

  @Test func `reports signals in order`() async throws {
    let echo = Echo(loop: loop)
    try await echo.start(on: .address(bus.address))
    let (stream, sink) = AsyncStream<BusMessage>.makeStream()
    let connection = try await connect { event in
      if case .message(let message) = event, message.interface == "test.Echo" {
        sink.yield(message)
      }
    }
    try await connection.addMatch("type='signal',interface='test.Echo'")
    for number: UInt32 in 0..<200 { try await echo.emit(number) }
    var received: [Int] = []
    for await message in stream {
      received.append(message.argument(0)?.number ?? -1)
      if received.count == 200 { break }
    }
    #expect(received == Array(0..<200))
    await connection.close()
  }

  @Test func `reports the end of the bus`() async throws {
    let (stream, sink) = AsyncStream<Void>.makeStream()
    var bus: PrivateBus? = try PrivateBus()
    let address = try #require(bus?.address)
    let connection = try BusConnection(loop: loop, address: .address(address)) { event in
      if case .ended = event { sink.yield(()) }
    }
    await connection.start()
    _ = try await connection.call(.bus("GetId"))
    bus = nil
    var ends = stream.makeAsyncIterator()
    #expect(await ends.next() != nil)
    await #expect(throws: BusError.disconnected) { try await connection.call(.bus("GetId")) }
  }

  @Test func `refuses a missing bus`() {
    #expect(throws: BusError.system(ENOENT)) {
      try BusConnection(loop: loop, address: .address("unix:path=/nowhere/bus")) { _ in }
    }
  }
}
