import CUdev
import Foundation
import SystemBus

/// The devices of this machine and their changes, through libudev.
///
/// libudev is not thread-safe: a directory is used from one thread.
@safe struct DeviceDirectory: ~Copyable {
  private let udev: OpaquePointer
  private let monitor: OpaquePointer

  /// Becomes readable when a controller or a switch was added, removed or changed.
  let file: CInt

  /// Starts monitoring.
  ///
  /// The events are the kernel's own, since all required facts are in sysfs; udevd need not run.
  /// - Throws: ``SystemError`` if a sandbox prevents it.
  init() throws(SystemError) {
    guard let udev = unsafe udev_new() else {
      throw SystemError("The devices of this machine cannot be listed", errno)
    }
    guard let monitor = unsafe udev_monitor_new_from_netlink(udev, "kernel") else {
      let code = errno
      unsafe udev_unref(udev)
      throw SystemError("The devices of this machine cannot be watched", code)
    }
    for subsystem in Self.subsystems {
      unsafe udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
    }
    let result = unsafe udev_monitor_enable_receiving(monitor)
    guard result >= 0 else {
      unsafe udev_monitor_unref(monitor)
      unsafe udev_unref(udev)
      throw SystemError("The devices of this machine cannot be watched", -result)
    }
    unsafe self.udev = udev
    unsafe self.monitor = monitor
    file = unsafe udev_monitor_get_fd(monitor)
  }

  deinit {
    unsafe udev_monitor_unref(monitor)
    unsafe udev_unref(udev)
  }

  /// Consumes the waiting events.
  ///
  /// Their content is ignored: the caller lists all devices again, so a lost event has no effect.
  /// - Returns: Whether there were any.
  borrowing func takeChanges() -> Bool {
    var count = 0
    // The file is non-blocking; the bound lets the loop serve other files.
    while count < 256, let device = unsafe udev_monitor_receive_device(monitor) {
      unsafe udev_device_unref(device)
      count += 1
    }
    return count > 0
  }

  /// The controllers and switches that are present.
  borrowing func devices() -> [SystemDevice] {
    guard let list = unsafe udev_enumerate_new(udev) else { return [] }
    defer { unsafe udev_enumerate_unref(list) }
    for subsystem in Self.subsystems {
      unsafe udev_enumerate_add_match_subsystem(list, subsystem)
    }
    unsafe udev_enumerate_scan_devices(list)
    var devices: [SystemDevice] = []
    var entry = unsafe udev_enumerate_get_list_entry(list)
    while let current = unsafe entry {
      if let path = unsafe udev_list_entry_get_name(current),
        let device = unsafe udev_device_new_from_syspath(udev, path)
      {
        devices.append(unsafe Self.describe(device))
        unsafe udev_device_unref(device)
      }
      unsafe entry = unsafe udev_list_entry_get_next(current)
    }
    return devices
  }

  private static let subsystems = ["bluetooth", "rfkill"]

  private static func describe(_ device: OpaquePointer) -> SystemDevice {
    var description = unsafe SystemDevice(
      path: text(udev_device_get_devpath(device)) ?? "",
      subsystem: text(udev_device_get_subsystem(device)) ?? "",
      kind: text(udev_device_get_devtype(device)),
      name: text(udev_device_get_sysname(device)) ?? "")
    if description.subsystem == "rfkill" {
      for name in ["type", "name", "soft", "hard"] {
        description.attributes[name] = unsafe text(udev_device_get_sysattr_value(device, name))
      }
    }
    // A parent belongs to its child and must not be released.
    var parent = unsafe udev_device_get_parent(device)
    while let current = unsafe parent {
      if let subsystem = unsafe text(udev_device_get_subsystem(current)) {
        description.ancestors.append(subsystem)
      }
      unsafe parent = unsafe udev_device_get_parent(current)
    }
    return description
  }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String? {
    unsafe characters.map { unsafe String(cString: $0) }
  }
}

/// A device of this machine as the kernel lists it in sysfs, limited to the facts used here.
struct SystemDevice: Hashable, Sendable {
  /// Its path below `/sys`: `/devices/pci0000:00/.../bluetooth/hci0/rfkill1`.
  var path: String
  /// `bluetooth` or `rfkill`.
  var subsystem: String
  /// Its kind within the subsystem: `host` is a controller, `link` a connection.
  var kind: String?
  /// Its name: `hci0`.
  var name: String
  /// Its text attributes: `type`, `soft`, `hard`.
  var attributes: [String: String] = [:]
  /// The subsystems of its parents, nearest first.
  var ancestors: [String] = []
}
