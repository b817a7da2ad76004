import RadioTestSupport
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct MgmtChannelTests {
  let loop: EventLoop
  let kernel: ScriptedKernel
  let channel: MgmtChannel
  let events: AsyncStream<MgmtEvent>
  let ends: AsyncStream<SystemError>

  init() throws {
    let loop = try EventLoop(name: "test")
    self.loop = loop
    kernel = ScriptedKernel(loop: loop) { _ in (.success, [7]) }
    let (events, event) = AsyncStream<MgmtEvent>.makeStream()
    let (ends, end) = AsyncStream<SystemError>.makeStream()
    self.events = events
    self.ends = ends
    channel = MgmtChannel(
      loop: loop, socket: kernel.connect(), events: { reported, _ in event.yield(reported) },
      ended: { end.yield($0) })
  }

  @Test func `returns the parameters of the answer`() async throws {
    await channel.open()
    #expect(try await channel.request(.readInformation, of: 0) == [7])
    let command = await kernel.commands.first { _ in true }
    #expect(command == MgmtPacket(code: 4, controller: 0))
    loop.stop()
  }

  @Test func `throws the status of a refusal`() async {
    kernel.answer { _ in (.permissionDenied, []) }
    await channel.open()
    await #expect(throws: MgmtError.refused(.permissionDenied)) {
      try await channel.request(.setPowered(true), of: 0)
    }
    loop.stop()
  }

  @Test func `answers each of several of a kind`() async throws {
    kernel.answer { packet in (.success, packet.parameters) }
    await channel.open()
    async let on = channel.request(.setPowered(true), of: 0)
    async let off = channel.request(.setPowered(false), of: 0)
    #expect(try await on == [1])
    #expect(try await off == [0])
    loop.stop()
  }

  @Test func `reports events in order and skips garbage`() async {
    await channel.open()
    kernel.emit(0x0004)
    kernel.send([1, 2, 3])
    kernel.emit(0x0012, of: 0, [UInt8](repeating: 9, count: 5))
    kernel.emit(0x0013, of: 0, bytes("06 01"))
    var reported: [MgmtEvent] = []
    for await event in events.prefix(2) { reported.append(event) }
    #expect(reported == [.controllerAdded, .discovering(true)])
    #expect(await channel.malformed == 2)
    loop.stop()
  }

  @Test func `fails the requests of a removed controller`() async {
    kernel.answer { _ in nil }
    await channel.open()
    let answer = Task { try await channel.request(.setPowered(true), of: 3) }
    _ = await kernel.commands.first { _ in true }
    kernel.emit(0x0005, of: 3)
    await #expect(throws: MgmtError.refused(.invalidIndex)) { try await answer.value }
    loop.stop()
  }

  @Test func `reports the sockets end and fails requests`() async {
    kernel.answer { _ in nil }
    await channel.open()
    let answer = Task { try await channel.request(.setPowered(true), of: 0) }
    _ = await kernel.commands.first { _ in true }
    kernel.disconnect()
    await #expect(throws: MgmtError.closed) { try await answer.value }
    let end = await ends.first { _ in true }
    #expect(end?.action == "The kernel's Bluetooth cannot be read")
    await #expect(throws: MgmtError.closed) { try await channel.request(.readControllers) }
    loop.stop()
  }

  @Test func `is closed at once`() async {
    await channel.open()
    await channel.close()
    await #expect(throws: MgmtError.closed) { try await channel.request(.readControllers) }
    var commands = 0
    for await _ in kernel.commands { commands += 1 }
    #expect(commands == 0)
    loop.stop()
  }
}

@Suite struct MgmtRequestsTests {
  var requests = MgmtRequests()

  @Test mutating func `sends one of a kind at a time to a controller`() {
    let (first, isFirstNext) = requests.add(.setPowered(true), to: 0)
    let (second, isSecondNext) = requests.add(.setPowered(false), to: 0)
    let (_, isOtherKindNext) = requests.add(.startDiscovery, to: 0)
    let (_, isOtherControllerNext) = requests.add(.setPowered(true), to: 1)
    #expect(isFirstNext)
    #expect(!isSecondNext)
    #expect(isOtherKindNext)
    #expect(isOtherControllerNext)
    let answered = requests.answer(0x0005, from: 0)
    #expect(answered?.answered == first)
    #expect(answered?.next == second)
    #expect(requests.answer(0x0005, from: 0)?.next == nil)
  }

  @Test mutating func `ignores an unexpected answer`() {
    #expect(requests.answer(0x0005, from: 0) == nil)
    _ = requests.add(.setPowered(true), to: 0)
    #expect(requests.answer(0x0005, from: 1) == nil)
    #expect(requests.answer(0x0004, from: 0) == nil)
  }

  @Test mutating func `continues after a dropped request`() {
    let first = requests.add(.setPowered(true), to: 0).0
    let second = requests.add(.setPowered(false), to: 0).0
    let third = requests.add(.setPowered(true), to: 0).0
    // A queued request is not in progress: dropping it sends nothing.
    #expect(requests.drop(second) == nil)
    #expect(requests.drop(first) == third)
    #expect(requests.drop(first) == nil)
  }

  @Test mutating func `drops the requests of a removed controller`() {
    let first = requests.add(.setPowered(true), to: 0).0
    let second = requests.add(.startDiscovery, to: 0).0
    let other = requests.add(.startDiscovery, to: 1).0
    #expect(requests.dropAll(of: 0) == [first, second])
    #expect(requests.dropAll() == [other])
    #expect(requests.dropAll().isEmpty)
  }
}
