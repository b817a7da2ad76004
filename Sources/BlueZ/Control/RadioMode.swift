/// The way to the controllers; one for the whole machine, never mixed.
package enum RadioMode: String, Hashable, Sendable, CaseIterable {
  /// Over the system bus, beside whatever else uses Bluetooth here.
  case bluetoothd
  /// Over the kernel's own sockets, as the controllers' only owner.
  case kernel

  /// What a machine says about its bluetoothd.
  package struct Evidence: Hashable, Sendable {
    /// Whether `org.bluez` has an owner on the system bus now.
    package var isOwned: Bool
    /// Whether its unit is installed and not masked: it may start later, when a controller appears.
    package var isInstalled: Bool

    package init(isOwned: Bool, isInstalled: Bool) {
      self.isOwned = isOwned
      self.isInstalled = isInstalled
    }
  }

  /// The mode where nobody asked for one: bluetoothd wherever it may run, since the two cannot share
  /// a controller and it would take it whenever it starts.
  package static func automatic(_ evidence: Evidence) -> RadioMode {
    evidence.isOwned || evidence.isInstalled ? .bluetoothd : .kernel
  }
}
