import Radio

/// Puts advertisements together that came in several reports.
struct AdvertisingReassembly {
  /// The longest advertising data there is, in bytes (Vol 6 Part B §2.3.4.9).
  static let longest = 1650
  /// How many long advertisements may be under way at once; the oldest gives way.
  static let mostUnderWay = 64

  /// Which advertisement a part belongs to.
  private struct Key: Hashable {
    let adapter: UInt16
    let address: DeviceAddress
    let set: UInt8
    let isScanResponse: Bool
  }

  private struct Part {
    let key: Key
    /// What came so far; `nil` once it is too long, until its last part has gone by.
    var data: [UInt8]?
  }

  /// The advertisements under way, oldest first.
  private var parts: [Part] = []

  /// Takes the next report, and emits the advertisement that it completes.
  mutating func add(
    _ report: AdvertisingReport, adapter: UInt16, into yield: inout CaptureYield
  ) {
    let key = Key(
      adapter: adapter, address: report.address, set: report.set,
      isScanResponse: report.isScanResponse)
    var part = Part(key: key, data: [])
    if let index = parts.firstIndex(where: { $0.key == key }) { part = parts.remove(at: index) }
    part.data?.append(contentsOf: report.data)
    if let count = part.data?.count, count > Self.longest { part.data = nil }
    switch report.status {
    case .moreToCome:
      if parts.count >= Self.mostUnderWay {
        parts.removeFirst()
        yield.skip(.truncatedAdvertisement)
      }
      parts.append(part)
    case .truncated:
      yield.skip(.truncatedAdvertisement)
    case .complete:
      // An anonymous advertisement has nobody to ascribe it to, and is passed over in silence.
      guard let addressType = report.addressType else { return }
      guard let data = part.data else { return yield.skip(.oversized) }
      yield.emit(
        .advertisement(
          Advertisement(
            address: report.address, addressType: addressType, rssi: report.rssi, data: data)))
    }
  }
}
