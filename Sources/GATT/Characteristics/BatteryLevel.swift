/// `Battery Level` (2A19): the charge of a battery.
///
/// Source: Battery Service 1.1 §3.1.
public struct BatteryLevel: Characteristic {
  public static let uuid = BluetoothUUID(0x2A19)

  /// The charge in %, 0…100.
  public let percent: UInt8

  /// Makes a level.
  ///
  /// - Throws: ``GATTError/invalid(field:reason:)`` above 100 %.
  public init(percent: UInt8) throws(GATTError) {
    guard percent <= 100 else {
      throw .invalid(field: "battery level", reason: "\(percent) % is more than full")
    }
    self.percent = percent
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    try self.init(percent: try reader.u8("battery level"))
  }

  public func encode(into writer: inout ByteWriter) {
    writer.u8(percent)
  }
}
