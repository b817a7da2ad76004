/// A link of kernel mode: waiting for its turn, coming up, or up.
struct KernelLinkState: Sendable {
  /// Which link this is, so that late news of one before it are not taken for its own.
  var id: UInt64
  /// Through which controller it goes.
  var controller: UInt16
  /// How the device is known to the kernel.
  var peer: PeerAddress
  /// Whether it is to be encrypted by a bond.
  var isBonded: Bool
  /// The link itself; `nil` while others have their turn.
  var link: KernelLink?
  /// Whether it is up.
  var isUp = false
}
