import Foundation
import Testing

@testable import SystemBus

@Suite struct EventLoopTests {
  /// An actor that runs on a loop.
  actor Listener {
    let loop: EventLoop
    private(set) var received: [UInt8] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe loop.asUnownedSerialExecutor()
    }

    init(loop: EventLoop) { self.loop = loop }

    func listen(to file: CInt, until end: CheckedContinuation<[UInt8], Never>) {
      let watch = loop.watch(file, for: .readable) { [weak self] readiness in
        self?.assumeIsolated { listener in
          var byte: UInt8 = 0
          guard unsafe read(file, &byte, 1) == 1 else {
            listener.stopListening()
            return end.resume(returning: listener.received)
          }
          listener.received.append(byte)
        }
      }
      watches.append(watch)
    }

    private var watches: [EventLoop.Watch] = []

    func stopListening() { watches.forEach(loop.cancel) }
  }

  @Test func `reports ready files to an actor`() async throws {
    let loop = try EventLoop(name: "test")
    var ends: [CInt] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    let listener = Listener(loop: loop)
    let received = await withCheckedContinuation { end in
      Task {
        await listener.listen(to: reading, until: end)
        for byte: UInt8 in [1, 2, 3] {
          var byte = byte
          _ = unsafe write(writing, &byte, 1)
        }
        close(writing)
      }
    }
    close(reading)
    #expect(received == [1, 2, 3])
    loop.stop()
  }

  @Test func `runs timers in order except cancelled ones`() async throws {
    let loop = try EventLoop(name: "test")
    let (stream, sink) = AsyncStream<Int>.makeStream()
    _ = loop.schedule(after: .milliseconds(30)) {
      sink.yield(3)
      sink.finish()
    }
    _ = loop.schedule(after: .milliseconds(1)) { sink.yield(1) }
    let cancelled = loop.schedule(after: .milliseconds(10)) { sink.yield(2) }
    loop.cancel(cancelled)
    var order: [Int] = []
    for await number in stream { order.append(number) }
    #expect(order == [1, 3])
    loop.stop()
  }

  /// Work for an actor of a stopped loop does not wait indefinitely.
  @Test func `performs requests after it was stopped`() async throws {
    let loop = try EventLoop(name: "test")
    let listener = Listener(loop: loop)
    for _ in 0..<20 {
      loop.stop()
      await listener.stopListening()
      await Task.yield()
    }
    let (stream, sink) = AsyncStream<Int>.makeStream()
    _ = loop.schedule(after: .milliseconds(5)) { sink.finish() }
    for await _ in stream {}
    #expect(await listener.received == [])
  }
}
