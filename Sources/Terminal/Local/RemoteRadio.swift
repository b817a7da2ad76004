import Foundation
package import Radio
import Synchronization
import SystemBus
import Traces
import Web

/// The radio of a running daemon, for a command beside it.
///
/// The hub of the daemon works on meanwhile: of the commands only connections are passed on, and
/// these only if they are asked for.
package actor RemoteRadio: RadioBackend {
  /// A use of the daemon's radio by a command.
  package enum Use: Hashable, Sendable {
    /// It listens.
    case listening
    /// It listens to devices that have a link already, too.
    case recording
    /// As ``recording``, and it connects to devices.
    case connecting
    /// It listens to nothing.
    case bonds
  }

  private let path: String
  private let use: Use
  private let events: EventBuffer
  private var listening: (socket: ClientSocket, life: ClientSocket.SignOfLife)?
  private let end = End()

  /// Prepares the radio of the daemon on a socket; `events` receives what it hears.
  package init(path: String, use: Use, events: EventBuffer) {
    self.path = path
    self.use = use
    self.events = events
  }

  /// Why the radio ended by itself; `nil` while it has not.
  package nonisolated var failure: RadioError? { end.failure.withLock { $0 } }

  /// Why the daemon has ended it.
  private final class End: Sendable {
    let failure = Mutex<RadioError?>(nil)
  }

  private static let lost = RadioError.reported(
    "The daemon, whose radio was used, has ended. Try again.")

  package func start() async throws(RadioError) {
    guard use != .bonds else { return }
    let socket = try begin(RadioRequest(listen: use != .listening))
    listening = (socket, socket.showsLife())
    Thread.detachNewThread { [events, end] in
      var failure = Self.lost
      do throws(RadioError) {
        var response = try Self.response(on: socket)
        while let line = try? response.line() {
          let frame = FrameCoding.frame(RadioFrame.self, line)
          if let reason = frame?.failure { throw RadioError.reported(reason) }
          guard let text = frame?.event,
            let event = try? RadioEvent(traceLine: Data(text.utf8))
          else { continue }
          events.push(event)
        }
      } catch {
        failure = error
      }
      end.failure.withLock { $0 = failure }
      events.interrupt()
    }
  }

  /// Sends the request that begins a conversation.
  ///
  /// A daemon that refuses it reads no further, and has said why: then the answer has the reason.
  private func begin(_ request: RadioRequest) throws(RadioError) -> ClientSocket {
    guard let socket = try? ClientSocket(path: path) else { throw Self.lost }
    try? socket.begin("POST", "/api/v1/radio")
    try? socket.send(FrameCoding.line(request))
    return socket
  }

  /// Waits for the answer to the request that began a conversation.
  ///
  /// - Throws: ``RadioError`` if the daemon has ended, or in the words by which it refuses.
  private static func response(on socket: ClientSocket) throws(RadioError) -> ClientResponse {
    guard var response = try? ClientResponse(socket) else { throw lost }
    guard response.status == 200 else {
      throw RadioError.reported("The daemon does not share its radio: \(response.refusal())")
    }
    return response
  }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    guard use == .connecting, case .connect(let address, _) = command else { return }
    do throws(ClientSocket.Failure) {
      try listening?.socket.send(
        FrameCoding.line(RadioRequest(connect: address.description)))
    } catch { throw Self.lost }
  }

  package func controllers() async -> [Controller] { [] }

  package func stop() async {
    listening?.socket.shutdown()
    listening = nil
  }

  // MARK: Bonds

  package func bonds() async throws(RadioError) -> [BondedDevice] {
    let frame = try await ask(RadioRequest(bonds: true), prompt: nil)
    return (frame.bonds ?? []).compactMap { bond in
      DeviceAddress(bond.address).map { BondedDevice(address: $0, name: bond.name) }
    }
  }

  package func pair(_ address: DeviceAddress, prompt: any PairingPrompt) async throws(RadioError) {
    _ = try await ask(
      RadioRequest(pair: address.description), prompt: (address: address, prompt: prompt))
  }

  package func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool {
    try await ask(RadioRequest(forget: address.description), prompt: nil).isDone ?? false
  }

  /// The lines of the answer to a request, which a thread of its own waits for.
  private static func lines(of socket: ClientSocket) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      Thread.detachNewThread {
        do throws(RadioError) {
          var response = try Self.response(on: socket)
          while let line = try? response.line() { continuation.yield(line) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }
  }

  /// Sends a request, and waits for its last frame.
  private func ask(
    _ request: RadioRequest, prompt: (address: DeviceAddress, prompt: any PairingPrompt)?
  ) async throws(RadioError) -> RadioFrame {
    do {
      let socket = try begin(request)
      let life = socket.showsLife()
      defer { withExtendedLifetime(life) {} }
      for try await line in Self.lines(of: socket) {
        guard let frame = FrameCoding.frame(RadioFrame.self, line) else { break }
        if let failure = frame.failure { throw RadioError.reported(failure) }
        if frame.isDone != nil || frame.bonds != nil {
          try? socket.end()
          return frame
        }
        guard let (address, prompt) = prompt else { continue }
        if let digits = frame.display {
          await prompt.display(passkey: digits, for: address)
        }
        guard let question = frame.question else { continue }
        var answer = RadioRequest.Answer()
        if let digits = question.passkey {
          answer.isConfirmed = await prompt.confirm(passkey: digits, for: address)
        } else {
          answer.passkey = await prompt.passkey(for: address)
        }
        try socket.send(FrameCoding.line(RadioRequest(answer: answer)))
      }
      throw Self.lost
    } catch let error as RadioError {
      throw error
    } catch {
      throw Self.lost
    }
  }
}

extension DaemonSocket {
  /// The daemon of this machine that has a radio.
  ///
  /// - Parameter mode: How it reaches the radio; `nil` for any way.
  /// - Returns: The daemon; `nil` if there is none.
  /// - Throws: ``CommandFailure`` for a daemon of another version.
  static func withRadio(_ mode: RadioMode?) throws(CommandFailure) -> DaemonSocket? {
    let environment = Console.variables
    let store = try? StoreLocation(environment: environment).path
    let paths = [store.map { realPath(of: $0) + ".sock" }, service].compactMap(\.self)
    for path in paths {
      guard let daemon = DaemonSocket(asking: path), let radio = daemon.facts.radio,
        mode == nil || mode?.rawValue == radio
      else { continue }
      try daemon.checkVersion()
      return daemon
    }
    return nil
  }
}
