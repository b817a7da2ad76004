import Controllers
import Foundation
import Radio

/// What `measured doctor` finds out about a machine.
struct MachineFacts {
  /// Why the kernel gives no Bluetooth socket; `nil` where it does.
  var socketFailure: String?
  /// The controllers that the kernel knows.
  var controllers: [AttachedController] = []
  /// The way to the controllers that is taken.
  var mode = RadioMode.kernel
  /// Whether bluetoothd answers on the system bus now.
  var isBluetoothdRunning = false
  /// Whether this process may manage controllers (CAP_NET_ADMIN).
  var mayManage = false
  /// Whether times of a plan's zone can be told.
  var hasTimeZones = true
  /// The store.
  var store = Store.missing
  /// Where the store is, or would be.
  var storePath = ""
  /// Free space there.
  var freeBytes: Int?
  /// Whether the clock is set by the network, where that can be told.
  var isClockSynchronized: Bool?
  /// The time by this machine.
  var now: Date
  /// How many device definitions there are, or what is wrong with them.
  var definitions: Result<Int, CommandFailure> = .success(0)

  /// The state of the store.
  enum Store {
    case missing
    case open(patients: Int, tasks: Int)
    case failed(String)
  }
}
