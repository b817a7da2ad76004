import BluetoothdRadio
import Controllers
import Foundation
import KernelRadio
import Radio
import SystemBus

/// A radio that was opened, and what it lives on.
struct OpenedRadio {
  var radio: LiveRadio
  var loop: EventLoop
  var mode: RadioMode
}

/// Opens this machine's radio the way that is asked for.
struct RadioOpening {
  var choice: RadioChoice
  /// The file of the bonds in kernel mode.
  var keys: String

  /// Opens the radio; it begins to work as soon as there is a controller.
  ///
  /// - Parameter notice: Told what happens to the radio itself.
  /// - Returns: The radio, which has begun to listen.
  /// - Throws: ``RadioError`` where it can never work here, ``SystemError`` where the system gives no
  ///   thread to it.
  func open(notice: @escaping @Sendable (RadioNotice) -> Void) async throws -> OpenedRadio {
    let loop = try EventLoop(name: "radio")
    let events = EventBuffer(
      timer: { delay, handler in
        let watch = loop.schedule(after: delay, handler: handler)
        return { loop.cancel(watch) }
      },
      now: { Date() })
    let mode = await RadioMode.chosen(choice.mode, on: loop)
    let backend: any RadioBackend =
      switch mode {
      case .bluetoothd:
        BluetoothdRadio(
          loop: loop, events: events, directory: try? ControllerDirectory(loop: loop),
          notices: notice)
      case .kernel:
        try await kernel(on: loop, events: events, notice: notice)
      }
    try await backend.start()
    return OpenedRadio(
      radio: LiveRadio(backend: backend, events: events), loop: loop, mode: mode)
  }

  /// The kernel's sockets, left to bluetoothd at once where it appears: the two cannot share.
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
      // It does not come back by itself: bluetoothd may only be restarting.
      if isOwned { Task { await radio.yieldToBluetoothd() } }
    }
    return radio
  }
}
