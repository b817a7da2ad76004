import GATT

/// What to do on a link: `start` once the services are known, `end` before it is taken down.
struct SessionScript: Hashable, Sendable {
  var start: [SessionStep] = []
  var end: [SessionStep] = []
  /// What is written again and again, so that the device does not leave.
  var keepAlive: KeepAlive?

  /// A write that comes back every few seconds while the link is up.
  struct KeepAlive: Hashable, Sendable {
    var characteristic: BluetoothUUID
    var bytes: [UInt8]
    var withResponse: Bool
    /// From one write to the next.
    var seconds: Double
  }
}

/// One step of a session, done in order.
indirect enum SessionStep: Hashable, Sendable {
  /// Ask for notifications or indications.
  case subscribe(BluetoothUUID)
  /// Ask for a value.
  case read(BluetoothUUID)
  /// Write bytes, or the time.
  case write(BluetoothUUID, Payload, withResponse: Bool)
  /// Wait until a value comes; give up after some seconds.
  case waitFor(Wait)
  /// Let some seconds pass.
  case delay(Double)
  /// Read some values and write them back as they were, which tells a device that they stand.
  case echo([BluetoothUUID])
  /// Read a counter of 32 bits and write the next number.
  case increment(BluetoothUUID)
  /// Give the consent of each user in the plan by the user control point, and do some steps for
  /// each whose consent the device accepts.
  case consent(BluetoothUUID, then: [SessionStep])
  /// Have the records sent that are new, by the record access control point.
  case fetchRecords(BluetoothUUID)

  /// What is written.
  enum Payload: Hashable, Sendable {
    case bytes([UInt8])
    /// The wall clock in the plan's zone, as a Current Time (10 bytes, `2A2B`).
    case currentTime
    /// The wall clock in the plan's zone, as a Date Time (7 bytes, `2A08`).
    case dateTime
  }

  /// What is waited for.
  struct Wait: Hashable, Sendable {
    var characteristic: BluetoothUUID
    /// How the value begins.
    var bytes: BytePattern
    /// How long it is; `nil` for any length.
    var length: Int?
    var seconds: Double
    /// Whether the steps behind make no sense without it.
    var isRequired = false

    /// Whether a value of the characteristic is what is waited for.
    func accepts(_ value: [UInt8]) -> Bool {
      bytes.matches(value) && (length ?? value.count) == value.count
    }
  }

  /// The characteristics that the step needs, each for what it does with it.
  var characteristics: [BluetoothUUID] {
    switch self {
    case .subscribe(let uuid), .read(let uuid), .write(let uuid, _, _), .increment(let uuid),
      .fetchRecords(let uuid):
      [uuid]
    case .waitFor(let wait): [wait.characteristic]
    case .echo(let uuids): uuids
    case .consent(let uuid, let then): [uuid] + then.flatMap(\.characteristics)
    case .delay: []
    }
  }

  /// Whether the next step has to wait for the device or for time to pass.
  var takesTime: Bool {
    switch self {
    case .subscribe: false
    case .write(_, _, let withResponse): withResponse
    default: true
    }
  }
}
