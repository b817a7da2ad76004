import Radio

/// Who is being connected to, and who waits for it: one at a time on each controller.
///
/// Two connects that are pending at once leave some controllers unable to make any.
struct ConnectQueue: Sendable {
  private var lines: [UInt16: [DeviceAddress]] = [:]

  /// A device is to be connected to.
  ///
  /// - Returns: Whether to begin now.
  mutating func add(_ address: DeviceAddress, to controller: UInt16) -> Bool {
    lines[controller, default: []].append(address)
    return lines[controller]?.count == 1
  }

  /// A connect came to its end, or is not wanted any more.
  ///
  /// - Returns: Whom to connect to next, where that is to begin now.
  mutating func remove(_ address: DeviceAddress, from controller: UInt16) -> DeviceAddress? {
    guard var line = lines[controller], let index = line.firstIndex(of: address) else {
      return nil
    }
    line.remove(at: index)
    lines[controller] = line.isEmpty ? nil : line
    return index == 0 ? line.first : nil
  }

  /// Whether others wait for the connect that is under way.
  func isAwaited(_ controller: UInt16) -> Bool { (lines[controller]?.count ?? 0) > 1 }

  /// Whether a connect is under way on a controller.
  func isBusy(_ controller: UInt16) -> Bool { lines[controller] != nil }
}
