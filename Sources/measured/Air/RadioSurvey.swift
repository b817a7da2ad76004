import BluetoothdRadio
import Controllers
import Foundation
import KernelRadio
import Radio
import SystemBus

/// What can be told of this machine's Bluetooth without touching it.
struct RadioSurvey: Sendable {
  /// Why the kernel gives no Bluetooth socket; `nil` where it does.
  var socketFailure: String?
  /// The controllers that udev knows.
  var controllers: [AttachedController]
  /// What bluetoothd says.
  var bluetoothd: RadioMode.Evidence
  /// The way to the controllers.
  var mode: RadioMode

  /// Looks at this machine.
  ///
  /// - Parameters:
  ///   - loop: Where the buses are asked.
  ///   - choice: The way that is asked for; `nil` where the machine decides.
  /// - Returns: What was found; nothing was changed.
  static func take(on loop: EventLoop, choice: RadioMode?) async -> RadioSurvey {
    let evidence = await RadioMode.evidence(on: loop)
    let controllers = try? await ControllerDirectory(loop: loop).controllers()
    return RadioSurvey(
      socketFailure: KernelRadio.socketFailure?.reason, controllers: controllers ?? [],
      bluetoothd: evidence,
      mode: choice ?? .automatic(evidence))
  }
}

extension RadioMode {
  /// The way to the controllers: the one that is asked for, else what this machine's bluetoothd
  /// decides, which is only then looked at.
  static func chosen(_ choice: RadioMode?, on loop: EventLoop) async -> RadioMode {
    if let choice { return choice }
    return automatic(await evidence(on: loop))
  }

  /// What this machine says about its bluetoothd.
  static func evidence(on loop: EventLoop) async -> Evidence {
    let presence = BluetoothdPresence(loop: loop)
    await presence.watch()
    await presence.stop()
    return Evidence(isOwned: presence.isOwned, isInstalled: BluetoothdUnit().isInstalled)
  }
}
