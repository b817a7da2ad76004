import Radio

/// Who is being connected to, and who waits for it: one at a time on each controller.
///
/// Two connects that are pending at once leave some controllers unable to make any. Devices that
/// were read before go first, in their order; of the others the one that came last, since it is the
/// likeliest to be awake, and whoever makes up addresses keeps nobody waiting.
struct ConnectQueue: Sendable {
  /// How many strangers may wait on one controller.
  static let mostStrangers = 4

  private var lines: [UInt16: [Place]] = [:]

  private struct Place: Hashable {
    var address: DeviceAddress
    var isKnown: Bool
  }

  /// What comes of asking for a connect.
  struct Admission: Hashable {
    /// Whether to begin now.
    var begins: Bool
    /// A stranger that waits no more, because there are too many.
    var dropped: DeviceAddress?
  }

  /// A device is to be connected to.
  mutating func add(
    _ address: DeviceAddress, to controller: UInt16, isKnown: Bool
  ) -> Admission {
    var line = lines[controller] ?? []
    let place = Place(address: address, isKnown: isKnown)
    guard !line.isEmpty else {
      lines[controller] = [place]
      return Admission(begins: true)
    }
    let strangers = line.indices.dropFirst().first { !line[$0].isKnown } ?? line.endIndex
    line.insert(place, at: strangers)
    let isCrowded = line.dropFirst().count { !$0.isKnown } > Self.mostStrangers
    let dropped = isCrowded ? line.removeLast().address : nil
    lines[controller] = line
    return Admission(begins: false, dropped: dropped)
  }

  /// A connect came to its end, or is not wanted any more.
  ///
  /// - Returns: Whom to connect to next, where that is to begin now.
  mutating func remove(_ address: DeviceAddress, from controller: UInt16) -> DeviceAddress? {
    guard var line = lines[controller],
      let index = line.firstIndex(where: { $0.address == address })
    else { return nil }
    line.remove(at: index)
    lines[controller] = line.isEmpty ? nil : line
    return index == 0 ? line.first?.address : nil
  }

  /// Whether others wait for the connect that is under way.
  func isAwaited(_ controller: UInt16) -> Bool { (lines[controller]?.count ?? 0) > 1 }

  /// Whether a connect is under way on a controller.
  func isBusy(_ controller: UInt16) -> Bool { lines[controller] != nil }
}
