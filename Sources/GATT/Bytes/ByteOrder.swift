/// Which byte of a number comes first.
public enum ByteOrder: Hashable, Sendable {
  /// Least significant byte first, as everything that the Bluetooth SIG defines.
  case little
  /// Most significant byte first, as some vendors' advertisements.
  case big
}
