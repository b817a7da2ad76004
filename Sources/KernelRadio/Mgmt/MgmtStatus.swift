import GATT
import Radio

/// The kernel's status for a management command.
///
/// Source: BlueZ doc/mgmt-api, "Error Codes".
struct MgmtStatus: RawRepresentable, Hashable, Sendable {
  var rawValue: UInt8

  static let success = MgmtStatus(rawValue: 0x00)
  static let unknownCommand = MgmtStatus(rawValue: 0x01)
  static let notConnected = MgmtStatus(rawValue: 0x02)
  static let failed = MgmtStatus(rawValue: 0x03)
  static let connectFailed = MgmtStatus(rawValue: 0x04)
  static let authenticationFailed = MgmtStatus(rawValue: 0x05)
  static let notPaired = MgmtStatus(rawValue: 0x06)
  static let noResources = MgmtStatus(rawValue: 0x07)
  static let timeout = MgmtStatus(rawValue: 0x08)
  static let alreadyConnected = MgmtStatus(rawValue: 0x09)
  static let busy = MgmtStatus(rawValue: 0x0A)
  static let rejected = MgmtStatus(rawValue: 0x0B)
  static let notSupported = MgmtStatus(rawValue: 0x0C)
  static let invalidParameters = MgmtStatus(rawValue: 0x0D)
  static let disconnected = MgmtStatus(rawValue: 0x0E)
  static let notPowered = MgmtStatus(rawValue: 0x0F)
  static let cancelled = MgmtStatus(rawValue: 0x10)
  static let invalidIndex = MgmtStatus(rawValue: 0x11)
  static let blocked = MgmtStatus(rawValue: 0x12)
  static let alreadyPaired = MgmtStatus(rawValue: 0x13)
  static let permissionDenied = MgmtStatus(rawValue: 0x14)
}

extension MgmtStatus: CustomStringConvertible {
  /// The reason as part of a sentence for people: `the device is not connected`.
  var description: String {
    Self.reasons[self] ?? "the kernel gives the reason \(rawValue), which is not known here"
  }

  private static let reasons: [MgmtStatus: String] = [
    .success: "it worked",
    .unknownCommand: "this kernel does not know the command",
    .notConnected: "the device is not connected",
    .failed: "the controller failed",
    .connectFailed: "the device could not be connected",
    .authenticationFailed: "the device refused to prove who it is",
    .notPaired: "the device is not paired",
    .noResources: "the controller has no room left",
    .timeout: "the device did not answer in time",
    .alreadyConnected: "the device is connected already",
    .busy: "the controller is busy",
    .rejected: "the kernel rejected it",
    .notSupported: "the controller cannot do it",
    .invalidParameters: "the kernel does not accept the parameters",
    .disconnected: "the device hung up",
    .notPowered: "the controller is switched off",
    .cancelled: "it was cancelled",
    .invalidIndex: "the controller is gone",
    .blocked: "the controller is blocked by rfkill",
    .alreadyPaired: "the device is paired already",
    .permissionDenied: "this process has no CAP_NET_ADMIN",
  ]
}

/// Why a management command has no usable answer.
enum MgmtError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kernel refused it.
  case refused(MgmtStatus)
  /// It did not answer in time.
  case timedOut
  /// The channel was closed, or the controller was removed, before the answer.
  case closed
  /// It could not be sent; the system's error number.
  case notSent(CInt)
  /// The answer cannot be decoded.
  case malformed(GATTError)

  var description: String { reason.description }

  /// The error as the cause of a notice.
  var reason: LinkError.Reason {
    switch self {
    case .refused(let status): .kernel(status.description)
    case .timedOut: .kernel("the kernel did not answer in time")
    case .closed: .kernel("the controller is gone")
    case .notSent(let code): .system(code)
    case .malformed(let error): .malformed(error)
    }
  }
}
