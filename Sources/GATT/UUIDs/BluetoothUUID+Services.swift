// Services by their assigned numbers (Bluetooth SIG Assigned Numbers §3.4). Characteristics have
// theirs on their own types.
extension BluetoothUUID {
  /// Current Time Service.
  public static let currentTimeService = BluetoothUUID(0x1805)
  /// Glucose Service.
  public static let glucoseService = BluetoothUUID(0x1808)
  /// Health Thermometer Service.
  public static let healthThermometerService = BluetoothUUID(0x1809)
  /// Heart Rate Service.
  public static let heartRateService = BluetoothUUID(0x180D)
  /// Battery Service.
  public static let batteryService = BluetoothUUID(0x180F)
  /// Blood Pressure Service.
  public static let bloodPressureService = BluetoothUUID(0x1810)
  /// Body Composition Service.
  public static let bodyCompositionService = BluetoothUUID(0x181B)
  /// User Data Service.
  public static let userDataService = BluetoothUUID(0x181C)
  /// Weight Scale Service.
  public static let weightScaleService = BluetoothUUID(0x181D)
  /// Pulse Oximeter Service.
  public static let pulseOximeterService = BluetoothUUID(0x1822)
}
