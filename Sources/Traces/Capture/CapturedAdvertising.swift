import GATT
import Radio

/// One report of an advertising event: an advertisement, or a part of a long one.
struct AdvertisingReport: Hashable {
  /// Whether the data is whole (Vol 4 Part E §7.7.65.13, data status).
  enum Status: Hashable {
    case complete
    case moreToCome
    case truncated
  }

  /// The advertiser.
  let address: DeviceAddress
  /// The type of the address; `nil` for an anonymous advertisement.
  let addressType: AddressType?
  /// Whether it answers a scan request.
  let isScanResponse: Bool
  /// The device's advertising set, 0…15; 0xFF for none.
  let set: UInt8
  /// Whether the data is whole.
  let status: Status
  /// Signal strength in dBm; `nil` if it was not measured.
  let rssi: Int?
  /// The AD structures.
  let data: [UInt8]
}

extension AdvertisingReport {
  /// Reads the reports of LE Advertising Report, from the count on (Vol 4 Part E §7.7.65.2).
  static func legacy(_ reader: inout ByteReader) throws(GATTError) -> [AdvertisingReport] {
    var reports: [AdvertisingReport] = []
    for _ in 0..<(try reader.u8("number of reports")) {
      let type = try reader.u8("event type")
      let addressType = AddressType(hci: try reader.u8("address type"))
      let address = DeviceAddress(rawValue: try reader.u48("address"))
      let data = try reader.bytes(Int(try reader.u8("data length")), "advertising data")
      reports.append(
        AdvertisingReport(
          address: address, addressType: addressType, isScanResponse: type == 4, set: 0xFF,
          status: .complete, rssi: try reader.rssi(), data: data))
    }
    try reader.finish()
    return reports
  }

  /// Reads the reports of LE Extended Advertising Report, from the count on (§7.7.65.13).
  static func extended(_ reader: inout ByteReader) throws(GATTError) -> [AdvertisingReport] {
    var reports: [AdvertisingReport] = []
    for _ in 0..<(try reader.u8("number of reports")) {
      let type = try reader.u16("event type")
      let addressType = AddressType(hci: try reader.u8("address type"))
      let address = DeviceAddress(rawValue: try reader.u48("address"))
      _ = try reader.bytes(2, "primary and secondary PHY")
      let set = try reader.u8("advertising set")
      _ = try reader.u8("transmit power")
      let rssi = try reader.rssi()
      _ = try reader.bytes(9, "periodic interval and direct address")
      let data = try reader.bytes(Int(try reader.u8("data length")), "advertising data")
      let status: Status =
        switch type >> 5 & 0b11 {
        case 0: .complete
        case 1: .moreToCome
        default: .truncated
        }
      reports.append(
        AdvertisingReport(
          address: address, addressType: addressType, isScanResponse: type & 0b1000 != 0,
          set: set, status: status, rssi: rssi, data: data))
    }
    try reader.finish()
    return reports
  }
}

extension AddressType {
  /// Reads the controller's number; identities that it resolved (2, 3) have their own type.
  init?(hci number: UInt8) {
    switch number {
    case 0, 2: self = .public
    case 1, 3: self = .random
    default: return nil
    }
  }
}

extension ByteReader {
  /// Reads a signal strength in dBm; 127 means not measured.
  fileprivate mutating func rssi() throws(GATTError) -> Int? {
    let rssi = try s8("RSSI")
    return rssi == 127 ? nil : Int(rssi)
  }
}

// MARK: - Reassembly

/// Reassembles advertisements from several reports.
struct AdvertisingReassembly {
  /// The longest advertising data, in bytes (Vol 6 Part B §2.3.4.9).
  static let longest = 1650
  /// How many long advertisements may be incomplete at once; the oldest is dropped.
  static let mostUnderWay = 64

  /// The advertisement of a part.
  private struct Key: Hashable {
    let adapter: UInt16
    let address: DeviceAddress
    let set: UInt8
    let isScanResponse: Bool
  }

  private struct Part {
    let key: Key
    /// The data so far; `nil` once it is too long, until its last part.
    var data: [UInt8]?
  }

  /// The incomplete advertisements, oldest first.
  private var parts: [Part] = []

  /// Adds the next report, and emits the advertisement that it completes.
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
      // An anonymous advertisement has no device: it is ignored, and not counted.
      guard let addressType = report.addressType else { return }
      guard let data = part.data else { return yield.skip(.oversized) }
      yield.emit(
        .advertisement(
          Advertisement(
            address: report.address, addressType: addressType, rssi: report.rssi, data: data)))
    }
  }
}
