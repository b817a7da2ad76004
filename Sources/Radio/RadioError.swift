import Foundation

/// Why a radio failed or refused a request.
public enum RadioError: Error, Hashable, Sendable {
  /// bluetoothd is not running.
  case noBluetoothd
  /// Kernel mode cannot begin while bluetoothd runs.
  case bluetoothdRuns
  /// Kernel mode released the controllers because bluetoothd was started.
  case yielded
  /// The radio is stopped.
  case stopped
  /// Another process holds the lock file at `path`.
  case locked(path: String)
  /// The lock file cannot be opened or locked.
  case lockFailed(path: String, code: Int32)
  /// The file of the bonds cannot be read or written.
  case bonds(BondFileError)
  /// The device is not linked.
  case notLinked(DeviceAddress)
  /// Too many requests for the device wait.
  case overloaded(DeviceAddress)
  /// The device was not paired.
  case pairing(DeviceAddress, PairingError)
  /// The bond was not deleted.
  case forgetting(DeviceAddress, LinkError.Reason)
  /// A recording cannot be read or written; the text is worded where the file is read.
  case recording(String)
  /// The radio of another process refused; the text is worded there.
  case reported(String)
}

/// Why a device was not paired.
public enum PairingError: Error, Hashable, Sendable {
  /// A device is being paired already.
  case busy
  /// The device has a bond already.
  case alreadyPaired
  /// No controller is ready.
  case noController
  /// No advertisement of the device was received.
  case notHeard
  /// The controller was removed meanwhile.
  case controllerRemoved
  /// The device refuses to pair, or the passkey was wrong.
  case denied(LinkError.Reason)
  /// The user or the device cancelled.
  case cancelled(LinkError.Reason)
  /// The device stores no bond, so every link would need a new pairing.
  case noBond
  /// Anything else.
  case failed(LinkFailure, LinkError.Reason)
}

/// Why the file of the bonds cannot be read or written.
public struct BondFileError: Error, Hashable, Sendable {
  /// The file.
  public var path: String
  /// The problem with it, without any bytes of a key: `line 2: it is no key and no name`.
  public var reason: String

  /// Whether the file could not be written; what it held before is intact.
  public var isWriteFailure: Bool

  /// Makes an error.
  public init(_ path: String, _ reason: String, isWriteFailure: Bool = false) {
    self.path = path
    self.reason = reason
    self.isWriteFailure = isWriteFailure
  }
}

// MARK: - Technical descriptions

extension RadioError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noBluetoothd: "bluetoothd is not running"
    case .bluetoothdRuns: "bluetoothd runs"
    case .yielded: "bluetoothd was started; the controllers are left to it"
    case .stopped: "the radio is stopped"
    case .locked(let path): "another process holds \(path)"
    case .lockFailed(let path, let code): "\(path): \(SystemReason.text(of: code))"
    case .bonds(let error): error.description
    case .notLinked(let address): "\(address): not linked"
    case .overloaded(let address): "\(address): too many requests wait"
    case .pairing(let address, let error): "\(address): not paired: \(error)"
    case .forgetting(let address, let reason): "\(address): the bond is not deleted: \(reason)"
    case .recording(let text), .reported(let text): text
    }
  }
}

extension PairingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .busy: "a device is being paired already"
    case .alreadyPaired: "it is paired already"
    case .noController: "no controller is ready"
    case .notHeard: "no advertisement was received"
    case .controllerRemoved: "the controller was removed"
    case .noBond: "the device stores no bond"
    case .denied(let reason), .cancelled(let reason), .failed(_, let reason): "\(reason)"
    }
  }
}

extension BondFileError: CustomStringConvertible {
  public var description: String { "\(path): \(reason)" }
}

/// The system's text for an error number.
enum SystemReason {
  static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
