import GATT

/// What to do on a link: `start` once the services are known, `end` before it is taken down.
struct SessionScript: Hashable, Sendable {
  var start: [SessionStep] = []
  var end: [SessionStep] = []
}

/// One step of a session, done in order.
enum SessionStep: Hashable, Sendable {
  /// Ask for notifications or indications.
  case subscribe(BluetoothUUID)
  /// Ask for a value.
  case read(BluetoothUUID)
  /// Write bytes, or the time.
  case write(BluetoothUUID, Payload, withResponse: Bool)
  /// Wait until a value of a characteristic begins so; give up after some seconds and go on.
  case waitFor(BluetoothUUID, BytePattern, timeout: Double)
  /// Let some seconds pass.
  case delay(Double)

  /// What is written.
  enum Payload: Hashable, Sendable {
    case bytes([UInt8])
    /// The wall clock in the plan's zone, as a Current Time (10 bytes, `2A2B`).
    case currentTime
    /// The wall clock in the plan's zone, as a Date Time (7 bytes, `2A08`).
    case dateTime
  }

  /// The characteristic that the step needs; a step whose characteristic the device lacks is left
  /// out.
  var characteristic: BluetoothUUID? {
    switch self {
    case .subscribe(let uuid), .read(let uuid), .write(let uuid, _, _),
      .waitFor(let uuid, _, _):
      uuid
    case .delay: nil
    }
  }
}
