import Foundation
import GATT
import Radio
import SystemBus
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct KernelLinkTests {
  static let services = RadioEvent.services(Peer.address, ATTDiscoveryTests.services)

  static func value(_ data: [UInt8], confirmation: UInt64? = nil) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: Peer.address, service: .weightScaleService, characteristic: Peer.weight,
        data: data,
        confirmation: confirmation.map { Confirmation(address: Peer.address, number: $0) }
      ))
  }

  static func indication(_ byte: UInt8, of peer: Peer) -> [UInt8] {
    ATTPDU.indication(HandleValue(handle: peer.handle(of: Peer.weight), data: [byte])).bytes
  }

  @Test func `reports a weigh in in order`() async throws {
    let bench = try await LinkBench()
    var peer = Peer.scale()
    await bench.link.send(Conversation.subscribe)
    try await bench.device.serve(&peer, requests: 6)
    bench.device.send(Self.indication(7, of: peer))
    var events: [RadioEvent] = []
    for await update in bench.updates {
      guard let event = update.event else { continue }
      events.append(event)
      if case .value(let value) = event, let confirmation = value.confirmation {
        await bench.link.send(.confirm(confirmation))
        #expect(await bench.device.receive() == [0x1E])
        bench.device.hangUp()
      }
    }
    #expect(
      events == [
        .connected(Peer.address), Self.services, Self.value([7], confirmation: 0),
        .disconnected(Peer.address),
      ])
  }

  /// A value that a scale sends right before it disconnects is reported.
  @Test func `reports values before the end`() async throws {
    let bench = try await LinkBench()
    var peer = Peer.scale()
    await bench.link.send(Conversation.subscribe)
    try await bench.device.serve(&peer, requests: 6)
    let handle = peer.handle(of: Peer.weight)
    for byte: UInt8 in 0..<100 {
      bench.device.send(ATTPDU.notification(HandleValue(handle: handle, data: [byte])).bytes)
    }
    bench.device.hangUp()
    let updates = await bench.rest()
    #expect(
      updates.compactMap(\.event) == [.connected(Peer.address), Self.services]
        + (0..<100).map { Self.value([$0]) } + [.disconnected(Peer.address)])
    #expect(updates.last?.end??.kind == .transient)
  }

  /// An empty unit does not end the link.
  @Test func `survives malformed units`() async throws {
    let bench = try await LinkBench()
    var peer = Peer.scale()
    for hex in ["", "FF", "1D", "0B 41", "03", "01", "23 01"] { bench.device.send(bytes(hex)) }
    bench.device.send(Array(repeating: 0x1B, count: 4000))
    await bench.link.send(Conversation.subscribe)
    try await bench.device.serve(&peer, requests: 5)
    await bench.link.close()
    let updates = await bench.rest()
    #expect(
      updates.compactMap(\.event)
        == [.connected(Peer.address), Self.services, .disconnected(Peer.address)])
    #expect(updates.last?.end == .some(nil))
  }

  @Test func `answers the peers requests`() async throws {
    let bench = try await LinkBench()
    #expect(await bench.device.receive() == bytes("02 0502"))
    bench.device.send(bytes("08 0100 FFFF 002A"))
    #expect(await bench.device.receive() == bytes("01 08 0100 0A"))
    bench.device.send(bytes("02 1700"))
    #expect(await bench.device.receive() == bytes("03 0502"))
    await bench.link.close()
  }

  @Test func `ends when it cannot be encrypted`() async throws {
    let bench = try await LinkBench()
    var peer = Peer.scale()
    peer.wantsSecurity = true
    await bench.link.send(Conversation.subscribe)
    // This kind of socket does not support encryption.
    try await bench.device.serve(&peer, requests: 6)
    let updates = await bench.rest()
    #expect(updates.last?.end??.kind == .unauthorized)
    guard
      case .failed(Peer.address, LinkError(.unauthorized, .notEncrypted))? = updates.compactMap(
        \.event
      ).dropLast().last
    else {
      Issue.record("the failure was not reported")
      return
    }
    #expect(updates.compactMap(\.event).last == .disconnected(Peer.address))
  }

  @Test func `reports that it cannot connect`() async throws {
    let loop = try EventLoop(name: "test")
    let (updates, sink) = AsyncStream<LinkUpdate>.makeStream()
    let link = KernelLink(
      LinkBench.target(), on: loop,
      connect: { (_) throws(SystemError) in throw SystemError("It cannot be connected", EBUSY) },
      report: { update in
        sink.yield(update)
        if case .ended = update { sink.finish() }
      })
    await link.open()
    let reported = await updates.reduce(into: []) { $0.append($1) }
    let error = LinkError(.other, .heldByBluetoothd)
    #expect(reported == [.event(.failed(Peer.address, error)), .ended(error)])
    loop.stop()
  }

  /// A peer that sends requests endlessly, and never reads.
  @Test func `bounds the unsent units`() async throws {
    let bench = try await LinkBench()
    for _ in 0..<20_000 {
      var request = bytes("0A 0300")
      let count = unsafe send(bench.device.file, &request, request.count, CInt(MSG_NOSIGNAL))
      if count < 0 { break }
    }
    let updates = await bench.rest()
    #expect(updates.last?.end??.kind == .other)
  }
}
