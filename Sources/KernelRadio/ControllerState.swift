import Radio

/// A controller in kernel mode.
struct ControllerState: Sendable {
  /// How far it is.
  enum Phase: Hashable, Sendable {
    /// It is being told what it needs.
    case starting
    /// It listens.
    case ready
    /// It cannot be used for now.
    case stopped(Trouble)
  }

  /// Why a controller cannot be used.
  enum Trouble: Hashable, Sendable {
    /// rfkill keeps it off.
    case blocked
    /// This process lacks the right.
    case notPermitted
    /// It does not speak Bluetooth low energy: nothing will change that.
    case notLowEnergy
    /// Somebody switched it off.
    case switchedOff
    /// Anything else, in the kernel's words.
    case failed(String)
  }

  /// How it listens.
  enum Listening: Hashable, Sendable {
    /// All the time, through an advertisement monitor of the kernel.
    case monitor(handle: UInt16)
    /// By discovery, which the kernel ends after ten seconds, with pauses for the sake of links.
    case discovery
  }

  /// Which of all set-ups this is: an answer that comes late for an earlier one is not acted on.
  var generation: UInt64
  var phase = Phase.starting
  var address: DeviceAddress?
  var isPowered = false
  var listening: Listening?
  /// Whether a discovery runs, for names in monitor mode.
  var isDiscovering = false
  /// Whether it is too early for another one.
  var isResting = false
  /// Whether somebody was heard who has not said a name.
  var wantsNames = false
  /// How often in a row it could not be set up.
  var failures = 0

  /// The kernel's name of a controller.
  static func name(_ index: UInt16) -> String { "hci\(index)" }

  /// How long to wait before a controller that cannot be used is tried again: it doubles, up to a
  /// minute.
  func retryDelay(_ first: Duration) -> Duration {
    min(first * (1 << min(failures, 6)), .seconds(60))
  }
}
