import Foundation
package import KernelRadio
import Synchronization
package import SystemBus

@testable package import KernelRadio

/// The other end of a management channel: it answers like a kernel, and records the commands.
package final class ScriptedKernel: Sendable {
  /// The answer to a command: the status and the parameters, or none at all.
  package typealias Answer = @Sendable (MgmtPacket) -> (status: MgmtStatus, parameters: [UInt8])?

  /// The received commands, in order.
  package let commands: AsyncStream<MgmtPacket>

  private let loop: EventLoop
  private let state: Mutex<State>
  private let continuation: AsyncStream<MgmtPacket>.Continuation

  private struct State {
    var file: CInt = -1
    var watch: EventLoop.Watch?
    var answer: Answer
  }

  package init(loop: EventLoop, answer: @escaping Answer) {
    self.loop = loop
    state = Mutex(State(answer: answer))
    (commands, continuation) = AsyncStream.makeStream()
  }

  deinit { disconnect() }

  /// A new socket to it; an older one is closed.
  package func connect() -> MgmtSocket {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    _ = unsafe socketpair(AF_UNIX, kind, 0, &ends)
    disconnect()
    let file = ends[1]
    let watch = loop.watch(file, for: .readable) { [weak self] _ in self?.receive() }
    state.withLock {
      $0.file = file
      $0.watch = watch
    }
    return MgmtSocket(owning: ends[0])
  }

  /// Disconnects.
  package func disconnect() {
    state.withLock { state in
      if let watch = state.watch { loop.cancel(watch) }
      if state.file >= 0 { close(state.file) }
      state.file = -1
      state.watch = nil
    }
  }

  /// Replaces the answers.
  package func answer(_ answer: @escaping Answer) {
    state.withLock { $0.answer = answer }
  }

  /// Sends an event.
  package func emit(_ code: UInt16, of controller: UInt16 = 0, _ parameters: [UInt8] = []) {
    send(MgmtPacket(code: code, controller: controller, parameters: parameters).encoded)
  }

  /// Sends any bytes.
  package func send(_ bytes: [UInt8]) {
    let file = state.withLock(\.file)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
  }

  private func receive() {
    let (file, answer) = state.withLock { ($0.file, $0.answer) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe read(file, buffer.baseAddress, buffer.count)
    }
    guard count > 0, let packet = try? MgmtPacket(bytes.prefix(count)) else {
      continuation.finish()
      return disconnect()
    }
    continuation.yield(packet)
    guard let (status, parameters) = answer(packet) else { return }
    let code = packet.code
    emit(
      status == .success ? 0x0001 : 0x0002, of: packet.controller,
      [UInt8(code & 0xFF), UInt8(code >> 8), status.rawValue] + parameters)
  }
}
