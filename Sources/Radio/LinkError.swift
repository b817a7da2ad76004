public import GATT

/// Why a command to a device failed.
public struct LinkError: Error, Hashable, Sendable {
  /// The kind of failure, which decides when to try again.
  public var kind: LinkFailure
  /// The cause.
  public var cause: Cause

  /// Makes an error.
  public init(_ kind: LinkFailure, _ cause: Cause) {
    self.kind = kind
    self.cause = cause
  }

  /// Makes an error with a reason from a recording.
  public init(_ kind: LinkFailure = .other, reason: String) {
    self.init(kind, .recorded(reason))
  }
}

/// The kinds of link failures; each has its own delay before the next attempt.
public enum LinkFailure: String, Hashable, Sendable, CaseIterable {
  /// The device does not answer, or is out of range.
  case gone
  /// The controller has no room for another link.
  case outOfSlots
  /// A temporary failure, such as an aborted connection or a busy controller: try again soon.
  case transient
  /// The device no longer knows its bond with this machine; a person has to pair it again.
  case staleBond
  /// The device requires a bond, a passkey or a consent that it did not receive.
  case unauthorized
  /// Anything else.
  case other
}

extension LinkError {
  /// The cause of a failure, with its facts.
  public enum Cause: Hashable, Sendable {
    /// No advertisement of the device was received recently.
    case notHeard
    /// No controller is ready.
    case noController
    /// bluetoothd is not running.
    case noBluetoothd
    /// Too many unknown devices wait for the controller; a newer one replaced this one.
    case displaced
    /// The attempt ended without an answer because other devices waited for the controller.
    case gaveWay
    /// The controller was removed before the link was up.
    case controllerRemoved
    /// bluetoothd uses the link already.
    case heldByBluetoothd
    /// The controller is off or was removed.
    case controllerOff(Reason)
    /// The link could not be encrypted.
    case notEncrypted
    /// The link could not be brought up, or broke.
    case broken(Reason)
    /// The device could not be bonded.
    case notBonded(Reason)
    /// A request was lost while the device was being bonded.
    case lostByBonding
    /// The link or the time limit ended before the device had listed its services.
    case noServices
    /// The device's list of services is invalid or contradicts itself.
    case invalidServices(Reason)
    /// The device did not answer a request in time.
    case silent(Duration)
    /// The device is not linked.
    case notLinked
    /// Too many requests wait, or too many responses that the device does not accept.
    case overloaded
    /// The device sends more values than this machine can take.
    case flooded
    /// The device has no such characteristic.
    case noCharacteristic(BluetoothUUID)
    /// The characteristic has no descriptor that enables notifications.
    case noNotifications(BluetoothUUID)
    /// The value is too long for one write.
    case tooLong(BluetoothUUID, count: Int)
    /// The device refused an operation.
    case refused(Operation, BluetoothUUID, Reason)
    /// A reason in words, from a recording.
    case recorded(String)
  }

  /// The operation on a characteristic.
  public enum Operation: String, Hashable, Sendable {
    case subscribe
    case read
    case write
  }

  /// Why another party refused or failed.
  public enum Reason: Hashable, Sendable {
    /// The system's error number (errno(3)).
    case system(Int32)
    /// An error code of the attribute protocol (Core Specification, Vol 3 Part F §3.4.1.1).
    case att(UInt8)
    /// An error of bluetoothd or of the bus: its text and its name.
    case bus(String)
    /// The kernel's answer to a management command, in words.
    case kernel(String)
    /// The answer cannot be decoded.
    case malformed(GATTError)
    /// The device echoed other bytes than were sent.
    case echoMismatch
  }
}

// MARK: - Technical descriptions

extension LinkError: CustomStringConvertible {
  /// The facts, for logs and recordings: `refused read of 2A9E: the link is not encrypted (0x0F)`.
  public var description: String { cause.description }
}

extension LinkError.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notHeard: "no recent advertisement"
    case .noController: "no controller is ready"
    case .noBluetoothd: "bluetoothd is not running"
    case .displaced: "too many unknown devices wait for the controller"
    case .gaveWay: "no answer while others waited for the controller"
    case .controllerRemoved: "the controller was removed"
    case .heldByBluetoothd: "bluetoothd holds the link"
    case .controllerOff(let reason): "the controller is off or gone: \(reason)"
    case .notEncrypted: "the link could not be encrypted"
    case .broken(let reason): "the link failed: \(reason)"
    case .notBonded(let reason): "not bonded: \(reason)"
    case .lostByBonding: "a request was lost while the device was being bonded"
    case .noServices: "the link ended before the services were known"
    case .invalidServices(let reason): "no usable list of services: \(reason)"
    case .silent(let duration): "no answer within \(duration)"
    case .notLinked: "not linked"
    case .overloaded: "too many requests wait"
    case .flooded: "it sends more values than can be taken"
    case .noCharacteristic(let uuid): "no characteristic \(uuid)"
    case .noNotifications(let uuid): "no notifications of \(uuid)"
    case .tooLong(let uuid, let count): "\(count) bytes are too long for \(uuid)"
    case .refused(let operation, let uuid, let reason):
      "refused \(operation.rawValue) of \(uuid): \(reason)"
    case .recorded(let reason): reason
    }
  }
}

extension LinkError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .system(let code): SystemReason.text(of: code)
    case .att(let code): ATTErrorCode(rawValue: code).description
    case .bus(let text), .kernel(let text): text
    case .malformed(let error): error.description
    case .echoMismatch: "it echoed other bytes than it was sent"
    }
  }
}
