import Radio

/// Who a link goes to, and from where.
struct LinkTarget: Hashable, Sendable {
  /// The peer; with the wrong type of address nobody answers.
  var peer: PeerAddress
  /// The controller, by its identity address: random where it has no public one.
  var controller: PeerAddress
  /// Whether a bond with the peer is kept: the link is then encrypted before anything is asked, and
  /// a failure of it means that the peer has forgotten.
  var isBonded = false

  /// What the link's events call the peer.
  var address: DeviceAddress { peer.address }
}
