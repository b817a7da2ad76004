import Foundation
import RadioTestSupport
import SystemBus
import Testing

@testable import Radio

@Suite struct EventBufferTests {
  let loop: EventLoop
  let buffer: EventBuffer

  init() throws {
    let loop = try EventLoop(name: "test")
    self.loop = loop
    buffer = EventBuffer(loop)
  }

  @Test func returnsWaitingEventsInOrderAndThenTheEnd() async {
    let devices = (1...3).map { DeviceAddress(rawValue: $0) }
    for device in devices { buffer.push(.connected(device)) }
    buffer.interrupt()
    var received: [RadioEvent] = []
    var last: Date?
    while case .event(let event) = await buffer.next(until: nil) {
      received.append(event.event)
      last = event.time
    }
    #expect(received == devices.map { .connected($0) })
    #expect(last != nil)
    // The next consumer receives later events.
    buffer.push(.connected(devices[0]))
    guard case .event(let event) = await buffer.next(until: nil) else {
      Issue.record("the buffer ended for good")
      return
    }
    #expect(event.event == .connected(devices[0]))
    loop.stop()
  }

  @Test func wakesAtTheDeadline() async {
    let deadline = Date(timeIntervalSinceNow: 0.02)
    #expect(await buffer.next(until: deadline) == .deadline(deadline))
    #expect(await buffer.next(until: .distantPast) == .deadline(.distantPast))
    loop.stop()
  }

  @Test func wakesForAnEventBeforeTheDeadline() async {
    let device = DeviceAddress(rawValue: 7)
    Task { [buffer] in buffer.push(.connected(device)) }
    guard case .event(let event) = await buffer.next(until: .distantFuture) else {
      Issue.record("the event was not reported")
      return
    }
    #expect(event.event == .connected(device))
    loop.stop()
  }

  @Test func endsForACancelledConsumer() async {
    let consumer = Task { [buffer] in await buffer.next(until: nil) }
    consumer.cancel()
    #expect(await consumer.value == .end(nil))
    loop.stop()
  }
}
