import Foundation
import Radio
import SystemBus

extension LinkEnd {
  /// When a link's socket met an error.
  enum Moment: Hashable, Sendable {
    /// When it was asked to connect, at once.
    case call
    /// While it was connecting.
    case connecting
    /// While it was being encrypted; with the key of a bond, or without one.
    case securing(isBonded: Bool)
    /// Later.
    case open
  }

  /// What an error of the socket means, which stands for an error of the controller
  /// (`bt_to_errno` in the kernel's net/bluetooth/lib.c).
  init(_ error: SystemError, of address: DeviceAddress, _ moment: Moment) {
    let (kind, reason): (LinkFailure, String) =
      switch (error.code, moment) {
      case (EBUSY, .call):
        (
          .other,
          "bluetoothd holds the link. Let this service use bluetoothd, or end the other connection."
        )
      case (EHOSTUNREACH, .call), (ENETDOWN, _), (ENODEV, _):
        (.other, "the controller is off or gone (\(error.reason)).")
      case (EACCES, .securing(let isBonded)), (EBADE, .securing(let isBonded)),
        (ENOSYS, .securing(let isBonded)), (ECONNABORTED, .securing(let isBonded)):
        Self.insecurity(of: address, isBonded: isBonded)
      case (EACCES, .open), (EACCES, .connecting): Self.insecurity(of: address, isBonded: true)
      case (ECONNREFUSED, _), (EHOSTDOWN, _), (ETIMEDOUT, _), (EHOSTUNREACH, _):
        (.gone, "it does not answer (\(error.reason)). It may be off or out of reach.")
      case (ENOMEM, _), (EMLINK, _), (ENOBUFS, _), (EUSERS, _):
        (.outOfSlots, "the controller has no room for another link (\(error.reason)).")
      // ENOSYS is what the kernel makes of a connection that was lost before it was established.
      case (ECONNABORTED, _), (ECONNRESET, _), (EBUSY, _), (EALREADY, _), (EPROTO, _), (EIO, _),
        (ENOSYS, _), (ENOTCONN, _), (EPIPE, _), (ELOOP, _):
        (.transient, "the connection broke off (\(error.reason)).")
      default: (.other, "\(error.reason).")
      }
    self.init(kind, "\(error.action): \(reason)")
  }

  /// Why a link could not be encrypted.
  static func insecurity(
    of address: DeviceAddress, isBonded: Bool
  ) -> (LinkFailure, String) {
    isBonded
      ? (
        .staleBond,
        "it does not know its bond any more. Forget it and pair it again: "
          + "measured forget \(address), then measured pair \(address)."
      )
      : (
        .unauthorized, "it wants to be paired, and that failed. Pair it: measured pair \(address)."
      )
  }
}
