import GATT
import Radio

// MARK: - Commands
extension ATTClient {
  mutating func begin(_ command: RadioCommand, at now: Instant) {
    switch command {
    case .subscribe(_, let uuid, _):
      guard let characteristic = find(uuid, with: [.notify, .indicate]) else { return }
      configure(characteristic, for: .command(command), at: now)
    case .read(_, let uuid):
      guard let characteristic = find(uuid, with: [.read]) else { return }
      let read = LongRead(handle: characteristic.value)
      ask(.read(characteristic, read), for: .command(command), at: now)
    case .write(_, let uuid, let data, let withResponse):
      let properties: Set<CharacteristicProperty> =
        withResponse ? [.write] : [.writeWithoutResponse]
      guard let characteristic = find(uuid, with: properties) else { return }
      write(data, to: characteristic, withResponse: withResponse, for: command, at: now)
    case .disconnect: close(nil)
    case .connect, .confirm: break
    }
  }

  /// The characteristic of a command; without one, the command fails.
  ///
  /// A characteristic that does not declare the property is tried anyway: devices misdeclare.
  private mutating func find(
    _ uuid: BluetoothUUID, with properties: Set<CharacteristicProperty>
  ) -> CharacteristicEntry? {
    guard let characteristic = known?.table.characteristic(uuid, with: properties) else {
      fail(LinkError(.other, .noCharacteristic(uuid)))
      return nil
    }
    return characteristic
  }

  /// Enables a characteristic's values through its configuration descriptor, if known or found.
  mutating func configure(_ characteristic: CharacteristicEntry, for job: Job, at now: Instant) {
    if let handle = known?.configurations[characteristic.value] {
      ask(.configure(characteristic, at: handle), for: job, at: now)
    } else if let handles = known?.table.descriptors(of: characteristic) {
      ask(.configuration(characteristic, among: handles), for: job, at: now)
    } else {
      cannotConfigure(characteristic, for: job)
    }
  }

  /// Processes descriptors; the configuration may be among them, or follow them.
  mutating func found(
    _ kinds: [AttributeKind], of characteristic: CharacteristicEntry,
    among handles: ClosedRange<UInt16>, for job: Job, at now: Instant
  ) {
    if let configuration = kinds.first(where: { $0.uuid == .clientConfiguration }) {
      known?.configurations[characteristic.value] = configuration.handle
      reportLearnt()
      configure(characteristic, for: job, at: now)
    } else if let last = kinds.map(\.handle).max(), last < handles.upperBound {
      ask(
        .configuration(characteristic, among: last + 1...handles.upperBound), for: job, at: now)
    } else {
      cannotConfigure(characteristic, for: job)
    }
  }

  private mutating func cannotConfigure(_ characteristic: CharacteristicEntry, for job: Job) {
    guard case .command = job else { return }
    fail(LinkError(.other, .noNotifications(characteristic.uuid)))
  }

  private mutating func write(
    _ data: [UInt8], to characteristic: CharacteristicEntry, withResponse: Bool,
    for command: RadioCommand, at now: Instant
  ) {
    let value = HandleValue(handle: characteristic.value, data: data)
    let isShort = data.count <= min(mtu - 3, LongRead.longestValue)
    switch (withResponse, isShort) {
    case (false, true): send(.writeCommand(value))
    case (true, true):
      ask(.write(characteristic, data: data), for: .command(command), at: now)
    case (true, false) where data.count <= LongRead.longestValue:
      prepare(data, from: 0, of: characteristic, for: .command(command), at: now)
    default:
      fail(LinkError(.other, .tooLong(characteristic.uuid, count: data.count)))
    }
  }

  private mutating func prepare(
    _ data: [UInt8], from start: Int, of characteristic: CharacteristicEntry, for job: Job,
    at now: Instant
  ) {
    let part = start..<min(data.count, start + mtu - 5)
    ask(.prepare(characteristic, data: data, part: part), for: job, at: now)
  }

  /// The peer has stored a part: the next one follows, or all are committed.
  mutating func prepared(
    _ echo: [UInt8], _ data: [UInt8], _ part: Range<Int>, of characteristic: CharacteristicEntry,
    for job: Job, at now: Instant
  ) {
    if echo != Array(data[part]) {
      let request = ATTRequest.prepare(characteristic, data: data, part: part)
      failed(
        Transaction(request: request, job: job), .other, .echoMismatch,
        at: now)
    } else if part.upperBound < data.count {
      prepare(data, from: part.upperBound, of: characteristic, for: job, at: now)
    } else {
      ask(.execute(characteristic, isCommitted: true), for: job, at: now)
    }
  }
}
