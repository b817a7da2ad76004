import Radio
import SystemBus

extension LinkFailure {
  /// The kind of a call that bluetoothd refused or did not answer.
  ///
  /// The names are of BlueZ's own errors and of the bus's; where the name says only `Failed`, the
  /// text tells (`src/error.c` and `src/shared/att.c` of BlueZ).
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
  /// Whether a link was aborted while it was brought up: what bluetoothd says of a disturbed air
  /// and of keys that the device refuses alike.
  var isAbortedLink: Bool {
    guard case .refused("org.bluez.Error.Failed", let text) = self else { return false }
    return text.contains("abort") || text.contains("cancel")
  }
}
