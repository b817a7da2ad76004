import Radio
import SystemBus

extension LinkFailure {
  /// The kind of a call that bluetoothd refused or did not answer.
  ///
  /// The names are of BlueZ's own errors and of the bus's; if the name is only `Failed`, the text
  /// decides (`src/error.c` and `src/shared/att.c` of BlueZ).
  init(_ error: BusError) {
    switch error {
    case .timedOut: self = .gone
    case .disconnected, .busy: self = .transient
    case .oversized, .system: self = .other
    case .refused(let name, let text):
      self = Self.byName[name] ?? Self.kind(of: text)
    }
  }

  private static let byName: [String: LinkFailure] = [
    "org.bluez.Error.AuthenticationCanceled": .unauthorized,
    "org.bluez.Error.AuthenticationFailed": .unauthorized,
    "org.bluez.Error.AuthenticationRejected": .unauthorized,
    "org.bluez.Error.AuthenticationTimeout": .unauthorized,
    "org.bluez.Error.NotAuthorized": .unauthorized,
    "org.bluez.Error.DoesNotExist": .gone,
    "org.bluez.Error.ConnectionAttemptFailed": .gone,
    "org.bluez.Error.InProgress": .transient,
    "org.bluez.Error.NotConnected": .transient,
    "org.bluez.Error.NotReady": .transient,
    "org.freedesktop.DBus.Error.UnknownObject": .gone,
    "org.freedesktop.DBus.Error.UnknownMethod": .gone,
    "org.freedesktop.DBus.Error.NoReply": .gone,
    "org.freedesktop.DBus.Error.ServiceUnknown": .transient,
    "org.freedesktop.DBus.Error.NameHasNoOwner": .transient,
    "org.freedesktop.DBus.Error.LimitsExceeded": .outOfSlots,
  ]

  /// Words in the text of an error, the first that fits.
  private static let byWord: [(word: String, kind: LinkFailure)] = [
    ("concurrent-connection-limit", .outOfSlots),
    ("memory", .outOfSlots),
    ("too many", .outOfSlots),
    ("no buffer space", .outOfSlots),
    // Insufficient authentication, authorization, key size, encryption (Vol 3 Part F §3.4.1.1).
    ("att error: 0x05", .unauthorized),
    ("att error: 0x08", .unauthorized),
    ("att error: 0x0c", .unauthorized),
    ("att error: 0x0f", .unauthorized),
    ("key-missing", .unauthorized),
    ("key missing", .unauthorized),
    ("authenticat", .unauthorized),
    ("not paired", .unauthorized),
    ("timed-out", .gone),
    ("timed out", .gone),
    ("host is down", .gone),
    ("no route", .gone),
    ("does not exist", .gone),
    ("abort", .transient),
    ("cancel", .transient),
    ("terminated", .transient),
    ("refused", .transient),
    ("busy", .transient),
    ("in progress", .transient),
    ("not connected", .transient),
    ("not-powered", .transient),
    ("socket", .transient),
    ("connection-unknown", .transient),
    ("gatt-browsing", .transient),
    ("temporarily unavailable", .transient),
    ("input/output error", .transient),
  ]

  private static func kind(of text: String) -> LinkFailure {
    let text = text.lowercased()
    return byWord.first { text.contains($0.word) }?.kind ?? .other
  }
}

extension BusError {
  /// The error as a fact of a failure.
  var reason: LinkError.Reason {
    if case .system(let code) = self { .system(code) } else { .bus(description) }
  }

  /// Whether a link was aborted while it was brought up: bluetoothd's words for both
  /// interference and keys that the device refuses.
  var isAbortedLink: Bool {
    guard case .refused("org.bluez.Error.Failed", let text) = self else { return false }
    return text.contains("abort") || text.contains("cancel")
  }
}

/// The bonds in doubt, since their devices refuse the stored keys.
///
/// bluetoothd does not report it: a link whose encryption fails is aborted with the same words as
/// one that interference broke. One such end may be an accident, many in a row are not. Only a
/// person deletes a bond.
struct BondDoubts: Sendable {
  /// What makes a bond doubtful.
  enum Sign: Int, Hashable, Sendable {
    /// The link came up and was aborted.
    case aborted = 1
    /// The device refused for want of authentication or encryption, in so many words.
    case refused = 3
  }

  /// How much is enough: more aborts than one connection is tried, or two refusals.
  private static let limit = 6

  private var signs = KnownDevices<Int>()

  /// Adds a sign of a bonded device.
  ///
  /// - Returns: Whether its bond is to be called stale.
  mutating func add(_ sign: Sign, of address: DeviceAddress) -> Bool {
    let sum = min((signs[address] ?? 0) + sign.rawValue, Self.limit)
    signs.remember(address, sum)
    return sum >= Self.limit
  }

  /// The bond works, or is gone.
  mutating func clear(_ address: DeviceAddress) { signs.forget(address) }
}

/// How often, and after which pauses, a link is tried before the failure is reported.
struct ConnectAttempts: Hashable, Sendable {
  /// The pauses after failures that pass; as other users of BlueZ found by experience.
  private static let pauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .milliseconds(1000),
  ]
  /// A controller without room for a link needs longer: another device has to hang up.
  private static let pauseForRoom = Duration.seconds(4)

  /// How long a failure may take that passes: what takes longer was waiting for a device that does
  /// not answer, in spite of bluetoothd's error.
  static let longest = Duration.seconds(8)

  private var failures = 0

  /// How long to wait before the next attempt; `nil` where there is to be none.
  mutating func pause(after failure: LinkFailure) -> Duration? {
    guard failures < Self.pauses.count else { return nil }
    defer { failures += 1 }
    switch failure {
    case .transient: return Self.pauses[failures]
    case .outOfSlots: return Self.pauseForRoom
    case .gone, .staleBond, .unauthorized, .other: return nil
    }
  }
}
