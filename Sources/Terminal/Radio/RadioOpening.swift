import BluetoothdRadio
import Care
import Controllers
package import Foundation
import KernelRadio
package import Localization
package import Radio
package import SystemBus
import Web

/// An open radio, its event loop and its mode.
package struct OpenedRadio {
  package var radio: LiveRadio
  package var loop: EventLoop
  package var mode: RadioMode
  /// Whether it has had a controller that works.
  var hasHadController: @Sendable () -> Bool = { true }
}

/// Opens this machine's radio in the requested mode.
package struct RadioOpening {
  package var choice: RadioChoice
  /// The file of the bonds in kernel mode.
  package var keys: String

  package init(choice: RadioChoice, keys: String) {
    self.choice = choice
    self.keys = keys
  }

  /// Opens the radio; it starts to work as soon as a controller appears.
  ///
  /// - Parameter notice: Receives the radio's notices about itself.
  /// - Returns: The radio, already listening.
  /// - Throws: ``RadioError`` if it can never work on this machine, ``SystemError`` if the system
  ///   is out of descriptors.
  package func open(notice: @escaping @Sendable (RadioNotice) -> Void) async throws -> OpenedRadio {
    let loop = try EventLoop(name: "radio")
    let events = EventBuffer(loop: loop)
    let mode = await RadioMode.chosen(choice.mode, on: loop)
    let backend: any RadioBackend =
      switch mode {
      case .bluetoothd:
        BluetoothdRadio(
          loop: loop, events: events, directory: try? ControllerDirectory(loop: loop),
          notice: notice)
      case .kernel:
        try await kernel(on: loop, events: events, notice: notice)
      }
    try await backend.start()
    return OpenedRadio(
      radio: LiveRadio(backend: backend, events: events), loop: loop, mode: mode)
  }

  /// The radio over the kernel's sockets, which yields to bluetoothd as soon as that appears: they
  /// cannot share the controllers.
  ///
  /// If the mode is chosen automatically, it is interrupted then: the next start uses bluetoothd.
  private func kernel(
    on loop: EventLoop, events: EventBuffer, notice: @escaping @Sendable (RadioNotice) -> Void
  ) async throws -> KernelRadio {
    try FileManager.default.createDirectory(
      atPath: (keys as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let presence = BluetoothdPresence(loop: loop)
    let radio = KernelRadio(
      loop: loop, events: events, keys: keys, isBluetoothdThere: { presence.isOwned },
      notice: notice)
    await presence.watch { isOwned in
      Task {
        guard isOwned else { return await radio.resumeLater() }
        await radio.yieldToBluetoothd()
        if choice == .auto { events.interrupt() }
      }
    }
    return radio
  }
}

extension EventBuffer {
  /// A buffer whose deadlines are timers of a loop.
  fileprivate convenience init(loop: EventLoop) {
    self.init(
      timer: { delay, handler in
        let watch = loop.schedule(after: delay, handler: handler)
        return { loop.cancel(watch) }
      },
      now: { Date() })
  }
}

extension RadioMode {
  /// The requested mode, else the one that this machine's bluetoothd decides.
  fileprivate static func chosen(_ choice: RadioMode?, on loop: EventLoop) async -> RadioMode {
    if let choice { return choice }
    return automatic(await evidence(on: loop))
  }

  /// Whether bluetoothd runs or may start on this machine.
  package static func evidence(on loop: EventLoop) async -> Evidence {
    let presence = BluetoothdPresence(loop: loop)
    await presence.watch()
    await presence.stop()
    return Evidence(isOwned: presence.isOwned, isInstalled: BluetoothdUnit().isInstalled)
  }
}

// MARK: - Listening for a person

extension OpenedRadio {
  /// An event or a tick that a listener receives.
  package enum Step {
    case event(TimedEvent)
    case tick(Date)
  }

  /// Whether a listener wants more.
  package enum Decision {
    case goOn
    /// Only what follows within so many seconds.
    case finish(within: Double)
    case enough
  }

  /// Why listening is over.
  package enum Ending: Hashable {
    /// The listener has enough.
    case enough
    /// The time has passed.
    case deadline
    /// The radio has ended.
    case end
  }

  /// Calls `body` with every event until the time is over, `body` has enough or the radio ends.
  ///
  /// It lasts as long if the clock is set meanwhile.
  ///
  /// - Parameters:
  ///   - seconds: How long it listens at most.
  ///   - tick: How often `body` receives the time, in seconds; `nil` for never.
  ///   - body: Receives the events, and decides whether to go on.
  /// - Returns: Which of them it was.
  /// - Throws: ``CommandFailure`` if there was no controller to hear anything, and what `body`
  ///   throws.
  package func listen(
    for seconds: Double, tick: Double? = nil, _ body: (Step) async throws -> Decision
  ) async throws -> Ending {
    var hasHeard = false
    var end = Date().addingTimeInterval(seconds)
    var next = tick.map { Date().addingTimeInterval($0) }
    while true {
      let now: Date
      let decision: Decision
      switch try await radio.next(until: min(end, next ?? end)) {
      case .event(let event):
        hasHeard = true
        now = event.time
        decision = try await body(.event(event))
      case .deadline(let time) where time < end:
        now = time
        decision = try await body(.tick(time))
        next = tick.map { time.addingTimeInterval($0) }
      case .deadline:
        guard hasHeard || hasHadController() else {
          throw CommandFailure(.failed, "command.radio.noController")
        }
        return .deadline
      case .clockSet(let jump, _):
        end.addTimeInterval(jump)
        next?.addTimeInterval(jump)
        continue
      case .end: return .end
      }
      switch decision {
      case .goOn: break
      case .finish(let seconds): end = min(end, now.addingTimeInterval(seconds))
      case .enough: return .enough
      }
    }
  }
}

extension OpenedRadio.Ending {
  /// Why a device that a person waited for was not heard.
  package func silence(
    of address: DeviceAddress, within seconds: Double, advice: LocalizedText
  ) -> CommandFailure {
    CommandFailure(
      .failed,
      self == .end
        ? LocalizedText("command.radio.ended", ["device": "\(address)"])
        : LocalizedText(
          "command.radio.silent",
          [
            "device": "\(address)", "seconds": .init(Int(saturating: seconds)),
            "advice": .text(advice),
          ]))
  }
}

/// Listens to the radio for a command that a person waits for: to the running daemon's, if there is
/// one, else to its own.
package struct RadioListening {
  package var options: RadioOptions
  /// The use of a daemon's radio by the command.
  package var use: RemoteRadio.Use

  package init(_ options: RadioOptions, for use: RemoteRadio.Use = .listening) {
    self.options = options
    self.use = use
  }

  /// Opens the radio, and calls `body` with every event until the time is over, `body` has enough
  /// or the radio ends.
  ///
  /// - Parameters:
  ///   - seconds: How long it listens at most.
  ///   - tick: How often `body` receives the time, in seconds; `nil` for never.
  ///   - body: Receives the events, and decides whether to go on.
  /// - Throws: ``RadioError`` if there is no radio to listen to, and what `body` throws.
  package func listen(
    for seconds: Double, tick: Double?,
    _ body: (OpenedRadio.Step) async throws -> OpenedRadio.Decision
  ) async throws {
    try await use { opened in
      _ = try await opened.listen(for: seconds, tick: tick, body)
    }
  }

  /// Opens the radio for `body`, and stops it afterwards in every case.
  package func use<Value>(_ body: (OpenedRadio) async throws -> Value) async throws -> Value {
    let opened = try await open()
    let outcome: Result<Value, any Error>
    do { outcome = .success(try await body(opened)) } catch { outcome = .failure(error) }
    // A daemon's radio that has ended is why `body` failed, or heard too little.
    let failure = (opened.radio.backend as? RemoteRadio)?.failure
    await opened.radio.backend.stop()
    if let failure { throw failure }
    return try outcome.get()
  }

  /// Opens the radio; its warnings go to standard error.
  private func open() async throws -> OpenedRadio {
    if options.keys == nil, let daemon = try DaemonSocket.withRadio(options.radio?.mode),
      let mode = daemon.facts.radio.flatMap(RadioMode.init)
    {
      return try await open(daemon, mode)
    }
    let store = try StoreLocation(environment: Console.variables).path
    let opening = RadioOpening(
      choice: options.radio ?? .auto, keys: options.keysPath(store: store))
    let state = RadioState()
    var opened = try await opening.open { notice in
      state.take(notice)
      if notice.severity > .info { Console.error("measured: \(notice.message)") }
    }
    opened.hasHadController = { state.hasWorked }
    return opened
  }

  /// Opens the radio of a running daemon.
  private func open(_ daemon: DaemonSocket, _ mode: RadioMode) async throws -> OpenedRadio {
    let loop = try EventLoop(name: "radio")
    let events = EventBuffer(loop: loop)
    let backend = RemoteRadio(path: daemon.path, use: use, events: events)
    let trouble = daemon.facts.radioTrouble
    if let trouble { Console.error("measured: \(trouble)") }
    try await backend.start()
    return OpenedRadio(
      radio: LiveRadio(backend: backend, events: events), loop: loop, mode: mode,
      hasHadController: { trouble == nil })
  }
}
