import CareStore
import Foundation
import Logging
import Outlets
import Radio
import ServiceLifecycle
import Synchronization
import Terminal
import Traces
import Web

/// Shares the daemon's radio with clients of the socket, beside the hub.
struct RadioDesk: Sendable {
  let backend: any RadioBackend
  let tap: RadioTap
  /// How the radio is reached.
  let mode: String
  /// Whether it has a controller that works.
  var state = RadioState()
  /// Keeps secrets of devices; `nil` in a program without any.
  var keep: (@Sendable ([StoreSecret]) throws -> Void)?
  /// Tries channels; `nil` in a program that sends nothing.
  var channels: ChannelTester?
  /// Tries the outlet of a name; `nil` in a program that sends nothing.
  var outlets: (@Sendable (_ name: String) async throws -> DeliveryResult)?
  let logger: Logger

  /// One conversation with a client.
  @Sendable func converse(_ client: inout ClientLines, _ outbox: LineQueue) async {
    let line: Data?
    do throws(ClientLines.TooLong) {
      line = try await client.next()
    } catch {
      return refuse(Self.unreadable, outbox)
    }
    guard let line else { return }
    guard let request = FrameCoding.frame(RadioRequest.self, line) else {
      return refuse(Self.unreadable, outbox)
    }
    if let links = request.listen {
      await listen(links: links, &client, outbox)
    } else if let address = request.pair.flatMap(DeviceAddress.init) {
      logger.info("A client pairs \(address).")
      await pair(address, &client, outbox)
    } else if let address = request.forget.flatMap(DeviceAddress.init) {
      logger.info("A client deletes the bond of \(address).")
      await answer(&client, outbox) { () throws(RadioError) in
        RadioFrame(isDone: try await backend.forget(address))
      }
    } else if request.bonds == true {
      await answer(&client, outbox) { () throws(RadioError) in
        let bonds = try await backend.bonds()
        return RadioFrame(
          bonds: bonds.map { RadioFrame.Bond(address: $0.address.description, name: $0.name) })
      }
    } else if let secrets = request.keep, let keep {
      logger.info("A client hands over the keys of devices.")
      do {
        try keep(secrets)
        outbox.finish(with: FrameCoding.line(RadioFrame(isDone: true)))
      } catch {
        refuse(Message.of(error), outbox)
      }
    } else if let trial = request.trial, let channels {
      do {
        let result = try await channels.perform(trial)
        outbox.finish(with: FrameCoding.line(RadioFrame(trial: result)))
      } catch {
        refuse(Message.of(error), outbox)
      }
    } else if let name = request.outlet, let outlets {
      do {
        outbox.finish(with: FrameCoding.line(RadioFrame(trial: try await outlets(name))))
      } catch {
        refuse(Message.of(error), outbox)
      }
    } else if let text = request.pair ?? request.forget {
      refuse("‘\(text)’ is no Bluetooth address. Write it like C4:AC:59:12:34:56.", outbox)
    } else {
      refuse(Self.unreadable, outbox)
    }
  }

  /// The failure for what is no request.
  static let unreadable =
    "The daemon, measured \(Program.version), does not understand what it was sent. A program of"
    + " the same version asks for its radio (ARCHITECTURE.md, The two doors)."

  private func refuse(_ reason: String, _ outbox: LineQueue) {
    outbox.finish(with: FrameCoding.line(RadioFrame(failure: reason)))
  }

  // MARK: Listening

  private func listen(
    links: Bool, _ client: inout ClientLines, _ outbox: LineQueue
  ) async {
    let reader = tap.read(links: links)
    await withGracefulShutdownHandler {
      await withTaskGroup(of: Void.self) { tasks in
        tasks.addTask { await Self.send(reader, to: outbox) }
        var connected: Set<DeviceAddress> = []
        while let line = try? await client.next() {
          guard
            let address = FrameCoding.frame(RadioRequest.self, line)?.connect
              .flatMap(DeviceAddress.init), connected.count < Self.mostConnections
          else { continue }
          // The hub's links are the hub's to end.
          guard !tap.linked.contains(address) else { continue }
          connected.insert(address)
          try? await backend.send(.connect(address))
        }
        reader.finish()
        for address in connected where !tap.isOfHub(address) {
          try? await backend.send(.disconnect(address))
        }
        tasks.cancelAll()
      }
    } onGracefulShutdown: {
      reader.finish()
    }
  }

  /// The most devices that one client connects to.
  private static let mostConnections = 4

  private static func send(_ reader: RadioTap.Reader, to outbox: LineQueue) async {
    while let event = await reader.next() {
      guard let line = try? RadioTraceWriter(start: event.time).line(event) else { continue }
      let text = String(decoding: line.dropLast(), as: UTF8.self)
      guard (try? await outbox.write(FrameCoding.line(RadioFrame(event: text)))) != nil
      else { break }
    }
    outbox.finish()
  }

  // MARK: Bonds

  private func pair(
    _ address: DeviceAddress, _ client: inout ClientLines, _ outbox: LineQueue
  ) async {
    let prompt = ClientPrompt(outbox: outbox)
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        do throws(RadioError) {
          try await backend.pair(address, prompt: prompt)
          outbox.finish(with: FrameCoding.line(RadioFrame(isDone: true)))
        } catch {
          outbox.finish(with: FrameCoding.line(RadioFrame(failure: error.message)))
        }
      }
      while let line = try? await client.next() {
        if let answer = FrameCoding.frame(RadioRequest.self, line)?.answer {
          prompt.answer(answer)
        }
      }
      prompt.leave()
    }
  }

  private func answer(
    _ client: inout ClientLines, _ outbox: LineQueue,
    _ body: () async throws(RadioError) -> RadioFrame
  ) async {
    do throws(RadioError) {
      outbox.finish(with: FrameCoding.line(try await body()))
    } catch {
      outbox.finish(with: FrameCoding.line(RadioFrame(failure: error.message)))
    }
  }
}

/// Asks the person at the client.
private final class ClientPrompt: PairingPrompt {
  private struct State {
    var question: CheckedContinuation<RadioRequest.Answer, Never>?
    var isGone = false
  }

  private let outbox: LineQueue
  private let state = Mutex(State())

  init(outbox: LineQueue) { self.outbox = outbox }

  func passkey(for device: DeviceAddress) async -> UInt32? {
    await ask(RadioFrame.Question()).passkey.flatMap { $0 <= 999_999 ? $0 : nil }
  }

  func display(passkey: UInt32, for device: DeviceAddress) async {
    try? outbox.put(FrameCoding.line(RadioFrame(display: passkey)))
  }

  func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool {
    await ask(RadioFrame.Question(passkey: passkey)).isConfirmed
  }

  private func ask(_ question: RadioFrame.Question) async -> RadioRequest.Answer {
    await withCheckedContinuation { continuation in
      let isGone = state.withLock { state in
        guard !state.isGone, state.question == nil else { return true }
        state.question = continuation
        return false
      }
      guard !isGone else { return continuation.resume(returning: RadioRequest.Answer()) }
      try? outbox.put(FrameCoding.line(RadioFrame(question: question)))
    }
  }

  func answer(_ answer: RadioRequest.Answer) {
    let question = state.withLock { state in
      defer { state.question = nil }
      return state.question
    }
    question?.resume(returning: answer)
  }

  func leave() {
    state.withLock { $0.isGone = true }
    answer(RadioRequest.Answer())
  }
}
