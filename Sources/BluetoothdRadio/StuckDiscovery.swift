/// Whether a controller's discovery only seems to run, and what is to be done about it.
///
/// bluetoothd (5.66, and later ones) keeps a discovery for running whose stop came after the
/// kernel's own end, or was lost by the controller. From then on each start succeeds without a scan,
/// and each stop is refused. A start with another filter is not answered: bluetoothd waits for the
/// end of the earlier discovery. Only switching the controller off and on helps.
struct StuckDiscovery: Hashable, Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The remedies while discovery is stuck.
  enum Remedy: Hashable, Sendable {
    /// Switch the controller off and on.
    case power
    /// Wait for the end of its links, or of the pause since the last time.
    case wait
    /// Tell the user, since nothing else is left.
    case advice
  }

  /// How many stops in a row have to be refused: the end of another program's discovery may
  /// coincide with one.
  static let proof = 2
  /// How often a controller is switched off and on within a day.
  static let cyclesOfDay = 4
  /// How long to wait after it was switched off and on; doubles with each time of the day.
  static let firstPause = Duration.seconds(60)

  private var refusals = 0
  /// When the controller was switched off and on during the last day.
  private var cycles: [Instant] = []

  /// Whether discovery is proven to be stuck.
  var isProven: Bool { refusals >= Self.proof }

  /// A stop was accepted: the kernel did discover.
  ///
  /// - Returns: Whether discovery was stuck until now.
  mutating func stopped() -> Bool {
    defer { refusals = 0 }
    return isProven
  }

  /// A stop was refused.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - isLinked: Whether a device is linked over the controller, for any program.
  /// - Returns: The remedy; `nil` as long as nothing is proven.
  mutating func refused(at now: Instant, isLinked: Bool) -> Remedy? {
    refusals += 1
    guard isProven else { return nil }
    cycles.removeAll { now - $0 >= .seconds(86_400) }
    guard cycles.count < Self.cyclesOfDay else { return .advice }
    let pause = Self.firstPause * (1 << max(cycles.count - 1, 0))
    guard !isLinked, cycles.last.map({ now - $0 >= pause }) ?? true else { return .wait }
    cycles.append(now)
    return .power
  }
}
