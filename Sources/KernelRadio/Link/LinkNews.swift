import Radio

/// What a link tells its owner, in order.
///
/// A link that comes up tells `connected`, later `services` and values, and at last `disconnected`;
/// one that does not come up tells `failed` alone. ``ended(_:)`` is the very last news of either.
enum LinkNews: Hashable, Sendable {
  /// Something for the consumer of the radio.
  case event(RadioEvent)
  /// What was learnt of the peer's attributes: worth keeping for the next link to it.
  case learnt(CachedAttributes)
  /// The link is closed; nothing follows.
  case ended(LinkEnd)
}

/// Why a link ended.
struct LinkEnd: Hashable, Sendable {
  /// What kind of failure it was; `nil` where the link was asked to end.
  var kind: LinkFailure?
  /// What happened, to what, and what to do, for people.
  var reason: String

  init(_ kind: LinkFailure?, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}
