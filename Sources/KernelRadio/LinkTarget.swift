import Foundation
import Radio

/// The two ends of a link.
struct LinkTarget: Hashable, Sendable {
  /// The peer; its address type has to be correct.
  var peer: PeerAddress
  /// The controller by its identity address: random if it has no public one.
  var controller: PeerAddress
  /// Whether there is a bond with the peer: then the link is encrypted before the first request,
  /// and a failure of that means that the peer has lost the bond.
  var isBonded = false

  /// The peer's address in the link's events.
  var address: DeviceAddress { peer.address }
}

/// A link's reports to its owner, in order.
///
/// A successful link reports `connected`, then `services` and values, finally `disconnected`; one
/// that cannot be connected reports only `failed`. ``ended(_:)`` is the last report of both.
enum LinkUpdate: Hashable, Sendable {
  /// An event for the radio's consumer.
  case event(RadioEvent)
  /// The peer's attributes, to be cached for the next link to it.
  case learnt(CachedAttributes)
  /// The link is closed, with the reason unless it was requested; no report follows.
  case ended(LinkError?)
}

/// The state of a link when its socket met an error.
enum LinkMoment: Hashable, Sendable {
  /// In the call of connect(2).
  case call
  /// While it was connecting.
  case connecting
  /// While it was being encrypted, with the key of a bond or without one.
  case securing(isBonded: Bool)
  /// After the link was up.
  case open
}

extension LinkError {
  /// Interprets the error number of a link's socket, which represents an error of the controller
  /// (`bt_to_errno` in the kernel's net/bluetooth/lib.c).
  init(socket code: CInt, at moment: LinkMoment) {
    switch (code, moment) {
    case (EBUSY, .call): self.init(.other, .heldByBluetoothd)
    case (EHOSTUNREACH, .call), (ENETDOWN, _), (ENODEV, _):
      self.init(.other, .controllerOff(.system(code)))
    case (EACCES, .securing(let isBonded)), (EBADE, .securing(let isBonded)),
      (ENOSYS, .securing(let isBonded)), (ECONNABORTED, .securing(let isBonded)):
      self.init(notEncrypted: isBonded)
    case (EACCES, .open), (EACCES, .connecting): self.init(notEncrypted: true)
    case (ECONNREFUSED, _), (EHOSTDOWN, _), (ETIMEDOUT, _), (EHOSTUNREACH, _):
      self.init(.gone, .broken(.system(code)))
    case (ENOMEM, _), (EMLINK, _), (ENOBUFS, _), (EUSERS, _):
      self.init(.outOfSlots, .broken(.system(code)))
    // ENOSYS is the kernel's code for a connection that was lost before it was established.
    case (ECONNABORTED, _), (ECONNRESET, _), (EBUSY, _), (EALREADY, _), (EPROTO, _), (EIO, _),
      (ENOSYS, _), (ENOTCONN, _), (EPIPE, _), (ELOOP, _):
      self.init(.transient, .broken(.system(code)))
    default: self.init(.other, .broken(.system(code)))
    }
  }

  /// A link that could not be encrypted, with the key of a bond or without one.
  init(notEncrypted isBonded: Bool) {
    self.init(isBonded ? .staleBond : .unauthorized, .notEncrypted)
  }
}
