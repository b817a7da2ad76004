/// The presses of a person on a screen, with the times of the screen's own clock.
///
/// Times are microseconds since any origin, within ``times``. They contain the latency of the
/// screen and of the pointing device: tens of milliseconds, which differ from machine to machine.
public struct ScreenPerformance: Hashable, Sendable {
  /// The trials of a tapping test, each hand once.
  public var trials: [TapTrial]
  /// The attempts of a reaction time test, in order.
  public var attempts: [ReactionAttempt]

  /// Makes a performance.
  public init(trials: [TapTrial] = [], attempts: [ReactionAttempt] = []) {
    self.trials = trials
    self.attempts = attempts
  }

  /// The possible times in microseconds: up to an hour.
  public static let times: ClosedRange<Int64> = 0...3_600_000_000
  /// The most taps of a trial: three times as many as anyone does in half a minute.
  public static let mostTaps = 1_000
  /// The most attempts of a reaction time test.
  public static let mostAttempts = 100
}

/// A hand.
public enum Hand: String, Hashable, Sendable, CaseIterable {
  case left, right
}

/// The taps of one hand on two buttons.
public struct TapTrial: Hashable, Sendable {
  /// One tap.
  public struct Tap: Hashable, Sendable {
    /// Its time in microseconds.
    public var time: Int64
    /// The button that it hit; `nil` beside the buttons.
    public var button: Button?

    /// Makes a tap.
    public init(time: Int64, button: Button?) {
      self.time = time
      self.button = button
    }
  }

  /// One of the two buttons.
  public enum Button: String, Hashable, Sendable, CaseIterable {
    case left, right
  }

  /// The hand.
  public var hand: Hand
  /// The taps in order.
  public var taps: [Tap]

  /// Makes a trial.
  public init(hand: Hand, taps: [Tap]) {
    self.hand = hand
    self.taps = taps
  }
}

/// One attempt of a reaction time test.
public struct ReactionAttempt: Hashable, Sendable {
  /// When the signal was shown, in microseconds; `nil` if the person pressed before.
  public var shown: Int64?
  /// When the person pressed, in microseconds; `nil` if they did not.
  public var pressed: Int64?

  /// Makes an attempt.
  public init(shown: Int64?, pressed: Int64?) {
    self.shown = shown
    self.pressed = pressed
  }
}

/// Why a test on a screen gives no figures.
public enum ScreenRefusal: Error, Hashable, Sendable {
  /// Nothing was pressed.
  case nothingPressed
  /// A time is outside ``ScreenPerformance/times``, or earlier than the one before.
  case disorder
  /// There are more taps or attempts than a person makes.
  case tooMany
  /// A hand has two trials.
  case repeated(Hand)
  /// The test was for this hand, and was done with the other.
  case otherHand(Hand)
  /// So few taps hit the buttons with this hand; two are the fewest.
  case tooFewTaps(Hand, count: Int)
  /// So few attempts succeeded, of so many that were wanted.
  case tooFewAttempts(Int, of: Int)

  /// A short name for scripts: the case's.
  public var code: String {
    switch self {
    case .nothingPressed: "nothingPressed"
    case .disorder: "disorder"
    case .tooMany: "tooMany"
    case .repeated: "repeated"
    case .otherHand: "otherHand"
    case .tooFewTaps: "tooFewTaps"
    case .tooFewAttempts: "tooFewAttempts"
    }
  }
}
