/// Which message bus is meant.
package enum BusAddress: Hashable, Sendable {
  /// The machine's own, where bluetoothd is.
  case system
  /// Another, by its address: `unix:path=/run/user/1000/bus`.
  case address(String)
}
