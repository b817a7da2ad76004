/// Whether a controller has gone deaf: it claims to listen, and nothing is heard any more.
///
/// A quiet home is no proof, so only a controller that used to hear something is doubted, and what
/// is done about it is done once until something is heard again.
struct SilenceWatch: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// How long nothing may be heard: many times the rarest advertisement of any sensor.
  static let limit = Duration.seconds(600)

  private var lastHeard: Instant?

  /// Something was heard.
  mutating func heard(at now: Instant) { lastHeard = now }

  /// Whether to do something about it now.
  mutating func isDeaf(at now: Instant) -> Bool {
    guard let last = lastHeard, now - last >= Self.limit else { return false }
    lastHeard = nil
    return true
  }
}
