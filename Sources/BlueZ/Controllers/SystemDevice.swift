/// A device of this machine as the kernel lists it in sysfs, of what is asked here.
struct SystemDevice: Hashable, Sendable {
  /// Its place below `/sys`: `/devices/pci0000:00/.../bluetooth/hci0/rfkill1`.
  var path: String
  /// `bluetooth` or `rfkill`.
  var subsystem: String
  /// What kind of its subsystem: `host` is a controller, `link` a connection.
  var kind: String?
  /// Its own name: `hci0`.
  var name: String
  /// Files of it that hold a word: `type`, `soft`, `hard`.
  var attributes: [String: String] = [:]
  /// The subsystems of what it is plugged into, the nearest first.
  var ancestors: [String] = []
}
