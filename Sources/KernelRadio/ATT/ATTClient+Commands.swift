import GATT
import Radio

// What a session asks.
extension ATTClient {
  mutating func begin(_ command: RadioCommand, at now: Instant) {
    switch command {
    case .subscribe(_, let uuid):
      guard let characteristic = find(uuid, with: [.notify, .indicate]) else { return }
      configure(characteristic, for: .command(command), at: now)
    case .read(_, let uuid):
      guard let characteristic = find(uuid, with: [.read]) else { return }
      ask(.read(characteristic, after: []), for: .command(command), at: now)
    case .write(_, let uuid, let data, let withResponse):
      let properties: Set<CharacteristicProperty> =
        withResponse ? [.write] : [.writeWithoutResponse]
      guard let characteristic = find(uuid, with: properties) else { return }
      write(data, to: characteristic, withResponse: withResponse, for: command, at: now)
    case .disconnect: close(nil, "The link to \(address) was taken down.")
    case .connect, .confirm: break
    }
  }

  /// The characteristic that is meant; without one, that is told.
  ///
  /// One that does not declare the property is tried nevertheless: devices misdeclare.
  private mutating func find(
    _ uuid: BluetoothUUID, with properties: Set<CharacteristicProperty>
  ) -> CharacteristicEntry? {
    guard let characteristic = known?.table.characteristic(uuid, with: properties) else {
      fail(.other, "\(address) has no characteristic \(uuid), so nothing was asked of it.")
      return nil
    }
    return characteristic
  }

  /// Switches a characteristic's values on, where its switch is known or can be found.
  mutating func configure(_ characteristic: CharacteristicEntry, for job: Job, at now: Instant) {
    if let handle = known?.configurations[characteristic.value] {
      ask(.configure(characteristic, at: handle), for: job, at: now)
    } else if let handles = known?.table.descriptors(of: characteristic) {
      ask(.configuration(characteristic, among: handles), for: job, at: now)
    } else {
      cannotConfigure(characteristic, for: job)
    }
  }

  /// Takes descriptors; the switch may be among them, or behind them.
  mutating func found(
    _ kinds: [AttributeKind], of characteristic: CharacteristicEntry,
    among handles: ClosedRange<UInt16>, for job: Job, at now: Instant
  ) {
    if let configuration = kinds.first(where: { $0.uuid == .clientConfiguration }) {
      known?.configurations[characteristic.value] = configuration.handle
      tellLearnt()
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
    fail(
      .other,
      "\(address) offers no way to switch on \(characteristic.uuid), so its values cannot come.")
  }

  private mutating func write(
    _ data: [UInt8], to characteristic: CharacteristicEntry, withResponse: Bool,
    for command: RadioCommand, at now: Instant
  ) {
    let value = HandleValue(handle: characteristic.value, data: data)
    let isShort = data.count <= min(mtu - 3, Self.longestValue)
    switch (withResponse, isShort) {
    case (false, true): send(.writeCommand(value))
    case (true, true):
      ask(.write(characteristic, data: data), for: .command(command), at: now)
    case (true, false) where data.count <= Self.longestValue:
      prepare(data, from: 0, of: characteristic, for: .command(command), at: now)
    default:
      fail(
        .other,
        "\(data.count) bytes are too many to be written to \(characteristic.uuid) of \(address) at "
          + "once, so nothing was written.")
    }
  }

  /// The longest value of an attribute, in bytes (Vol 3 Part F §3.2.9).
  static let longestValue = 512

  private mutating func prepare(
    _ data: [UInt8], from start: Int, of characteristic: CharacteristicEntry, for job: Job,
    at now: Instant
  ) {
    let part = start..<min(data.count, start + mtu - 5)
    ask(.prepare(characteristic, data: data, part: part), for: job, at: now)
  }

  /// The peer keeps a part: the next follows, or all are written.
  mutating func prepared(
    _ echo: [UInt8], _ data: [UInt8], _ part: Range<Int>, of characteristic: CharacteristicEntry,
    for job: Job, at now: Instant
  ) {
    if echo != Array(data[part]) {
      let request = ATTRequest.prepare(characteristic, data: data, part: part)
      failed(
        Transaction(request: request, job: job), .other, "it keeps other bytes than it was sent.",
        at: now)
    } else if part.upperBound < data.count {
      prepare(data, from: part.upperBound, of: characteristic, for: job, at: now)
    } else {
      ask(.execute(characteristic, isCommitted: true), for: job, at: now)
    }
  }
}
