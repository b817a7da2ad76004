import Radio

/// What an ``ATTClient`` wants done, in order.
enum ATTOutput: Hashable, Sendable {
  /// Send this protocol data unit.
  case send([UInt8])
  /// Tell the consumer.
  case event(RadioEvent)
  /// Have the link encrypted, then call ``ATTClient/securityRaised(at:)``; where that fails, the
  /// link is of no more use.
  case raiseSecurity
  /// Keep what was learnt for the next link.
  case learnt(CachedAttributes)
  /// Close the link.
  case close(LinkEnd)
}
