import CBluetooth
import Foundation

/// What can be told of this machine's Bluetooth without touching it.
package struct RadioSurvey: Sendable {
  /// Why the kernel gives no Bluetooth socket; `nil` where it does.
  package var socketFailure: String?
  /// The controllers that udev knows.
  package var controllers: [AttachedController]
  /// What bluetoothd says.
  package var bluetoothd: RadioMode.Evidence
  /// The way to the controllers.
  package var mode: RadioMode

  /// Looks at this machine.
  ///
  /// - Parameters:
  ///   - loop: Where the buses are asked.
  ///   - choice: The way that is asked for; `nil` where the machine decides.
  /// - Returns: What was found; nothing was changed.
  package static func take(on loop: EventLoop, choice: RadioMode?) async -> RadioSurvey {
    let evidence = await RadioMode.evidence(on: loop)
    let controllers = try? await ControllerDirectory(loop: loop).controllers()
    return RadioSurvey(
      socketFailure: socketFailure(), controllers: controllers ?? [], bluetoothd: evidence,
      mode: choice ?? .automatic(evidence))
  }

  private static func socketFailure() -> String? {
    let file = socket(AF_BLUETOOTH, CInt(SOCK_SEQPACKET.rawValue), BTPROTO_L2CAP)
    guard file >= 0 else { return SystemError("", errno).reason }
    close(file)
    return nil
  }
}

extension RadioMode {
  /// The way to the controllers: the one that is asked for, else what this machine's bluetoothd
  /// decides, which is only then looked at.
  package static func chosen(_ choice: RadioMode?, on loop: EventLoop) async -> RadioMode {
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
