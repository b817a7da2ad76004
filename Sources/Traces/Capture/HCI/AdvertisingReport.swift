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

  /// Who advertised.
  let address: DeviceAddress
  /// How the address was come by; `nil` for an anonymous advertisement, which has none.
  let addressType: AddressType?
  /// Whether it answers a scan request.
  let isScanResponse: Bool
  /// Which of the device's advertising sets, 0…15; 0xFF where it has none.
  let set: UInt8
  /// Whether the data is whole.
  let status: Status
  /// Signal strength in dBm; `nil` where it was not measured.
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
  /// The controller's number for it: identities that it resolved (2, 3) count as what they are.
  init?(hci number: UInt8) {
    switch number {
    case 0, 2: self = .public
    case 1, 3: self = .random
    default: return nil
    }
  }
}

extension ByteReader {
  /// Reads a signal strength in dBm, of which 127 means not measured.
  fileprivate mutating func rssi() throws(GATTError) -> Int? {
    let rssi = try s8("RSSI")
    return rssi == 127 ? nil : Int(rssi)
  }
}
