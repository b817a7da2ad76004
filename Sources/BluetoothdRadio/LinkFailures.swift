import Radio
import SystemBus

extension LinkFailure {
  /// The kind of a call that bluetoothd refused or did not answer.
  ///
  /// The names are errors of BlueZ and of the bus; if the name is only `Failed`, the text decides
  /// (`src/error.c` and `src/shared/att.c` of BlueZ).
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

  /// Words in an error's text; the first match decides.
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
  /// The error as the cause of a failure.
  var reason: LinkError.Reason {
    if case .system(let code) = self { .system(code) } else { .bus(description) }
  }

  /// Whether bluetoothd refuses notifications because some program reads them from a file.
  var isAcquired: Bool {
    guard case .refused("org.bluez.Error.NotPermitted", let text) = self else { return false }
    return text.lowercased().contains("acquired")
  }

  /// Whether a link was aborted while connecting: bluetoothd reports interference and refused keys
  /// with the same words.
  var isAbortedLink: Bool {
    guard case .refused("org.bluez.Error.Failed", let text) = self else { return false }
    return text.contains("abort") || text.contains("cancel")
  }
}

/// Counts signs that a device refuses the stored keys of its bond.
///
/// bluetoothd does not report it: a link whose encryption fails is aborted with the same words as
/// one that interference broke. One such end may be accidental, many in a row are not. Only the
/// user deletes a bond.
struct BondDoubts: Sendable {
  /// A sign against a bond.
  enum Sign: Int, Hashable, Sendable {
    /// The link came up and was aborted.
    case aborted = 1
    /// The device explicitly refused for lack of authentication or encryption.
    case refused = 3
  }

  /// The limit: more aborts than one connection has attempts, or two refusals.
  private static let limit = 6

  private var signs = KnownDevices<Int>()

  /// Adds a sign against a device's bond.
  ///
  /// - Returns: Whether the bond is stale.
  mutating func add(_ sign: Sign, of address: DeviceAddress) -> Bool {
    let sum = min((signs[address] ?? 0) + sign.rawValue, Self.limit)
    signs.remember(address, sum)
    return sum >= Self.limit
  }

  /// The bond works, or was deleted.
  mutating func clear(_ address: DeviceAddress) { signs.forget(address) }
}

/// How often, and with which pauses, a connection is attempted before the failure is reported.
struct ConnectAttempts: Hashable, Sendable {
  /// The pauses after temporary failures, found by experience by other users of BlueZ.
  private static let pauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .milliseconds(1000),
  ]
  /// A controller without a free slot needs longer: another device has to disconnect.
  private static let pauseForRoom = Duration.seconds(4)

  /// How long a temporary failure may take: a longer attempt waited for a device that does not
  /// answer, whatever error bluetoothd reports.
  static let longest = Duration.seconds(8)

  private var failures = 0

  /// How long to wait before the next attempt; `nil` if the failure is final.
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
