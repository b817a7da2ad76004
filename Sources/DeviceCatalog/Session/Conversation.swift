import Care
import Foundation
import GATT
import Radio

/// The exchange over one link after service discovery: the definition's steps, the periodic write,
/// and the final writes.
struct Conversation: Sendable {
  private let definition: DeviceDefinition
  private let address: DeviceAddress
  private let timeZone: TimeZone
  private let available: Set<BluetoothUUID>
  private var script: ScriptRun
  private var exchange: (any LinkExchange)?
  private var keepAlive: KeepAliveRun?
  private var hasDisconnected = false
  /// The device's key, which begins with its password.
  private var key: Secret<[UInt8]>?
  /// Whether the device sent its password on this link.
  private var isPairing = false

  /// Makes an exchange, which ``begin(at:)`` starts.
  ///
  /// - Parameters:
  ///   - definition: The device's definition.
  ///   - link: The device at the other end.
  ///   - timeZone: The plan's zone.
  ///   - lastRecord: The number of the last record that was received.
  ///   - newestRecords: The newest record of each user that was read from the device's memory.
  ///   - time: The current time.
  init(
    _ definition: DeviceDefinition, over link: LinkEnd, timeZone: TimeZone, lastRecord: UInt16?,
    newestRecords: [Int: [UInt8]], at time: EventTime
  ) {
    self.definition = definition
    address = link.address
    available = link.available
    self.timeZone = timeZone
    key = link.credentials.key
    let rest = definition.session.rest.map { [Instruction.delay($0)] } ?? []
    script = ScriptRun(
      rest
        + [Instruction](
          definition.session.start, available: available, users: link.credentials.users),
      for: address, timeZone: timeZone, lastRecord: lastRecord,
      motion: definition.motionCharacteristics)
    if let memory = definition.memory {
      exchange = MemoryRun(memory, over: link, known: newestRecords)
    } else if definition.session.handshake == .eufyP2 {
      exchange = EufyHandshake(over: link)
    }
    if let rule = definition.session.keepAlive, available.contains(rule.characteristic) {
      keepAlive = KeepAliveRun(rule, of: address, from: time.steady)
    }
  }

  /// The time of the next step that does not wait for the device.
  var wakeAt: SteadyTime? {
    [script.wakeAt, keepAlive?.wakeAt, exchange?.wakeAt].compactMap(\.self).min()
  }

  /// Whether all steps are done.
  var isFinished: Bool { script.isFinished && exchange?.isFinished ?? true }

  /// The newest record of each user, if the device's memory was read.
  var newestRecords: [Int: [UInt8]]? { (exchange as? MemoryRun)?.newest }

  /// The first steps.
  mutating func begin(at time: EventTime) -> [SessionOutput] {
    outputs(script.proceed(at: time), at: time)
  }

  /// The answers to a value, and the steps after it.
  ///
  /// - Parameters:
  ///   - bytes: The value, or a frame of a stream.
  ///   - characteristic: Its characteristic.
  ///   - isRefused: Whether it could not be read: it is not answered, for an answer may delete what
  ///     the device has stored.
  ///   - mayDelete: Whether all data on this link could be read, so that the device may delete it.
  ///   - time: The current time.
  /// - Returns: The writes, and the other outputs of the steps.
  mutating func value(
    _ bytes: [UInt8], of characteristic: BluetoothUUID, isRefused: Bool = false,
    mayDelete: Bool = true, at time: EventTime
  ) -> [SessionOutput] {
    script.hasRefused = !mayDelete
    let answers =
      isRefused ? [] : answers(to: bytes, of: characteristic, mayDelete: mayDelete, at: time)
    let exchanged = exchange?.value(bytes, of: characteristic, at: time.steady) ?? []
    return answers
      + outputs(script.value(bytes, of: characteristic, at: time) + exchanged, at: time)
  }

  /// Continues as the pairing on which the device sent its password.
  mutating func paired(with key: Secret<[UInt8]>) {
    self.key = key
    isPairing = true
  }

  private func answers(
    to bytes: [UInt8], of characteristic: BluetoothUUID, mayDelete: Bool, at time: EventTime
  ) -> [SessionOutput] {
    let state: PairingState? = isPairing ? .pairing : key.map { _ in .paired }
    return definition.session.answers.compactMap { rule in
      guard available.contains(rule.target), mayDelete || !rule.deletes,
        let frame = rule.answered(bytes, of: characteristic, from: address, in: state)
      else { return nil }
      if rule.payload.needsPassword, key == nil {
        return .note(SessionNote(address: address, name: definition.name, kind: .notPaired))
      }
      let context = WriteContext(
        address: address, time: time.date, timeZone: timeZone, frame: frame, key: key)
      guard let data = rule.payload.bytes(context) else { return nil }
      return .command(
        .write(
          address, characteristic: rule.target, data: data, withResponse: rule.withResponse))
    }
  }

  /// The steps after an acknowledged write.
  mutating func written(_ characteristic: BluetoothUUID, at time: EventTime) -> [SessionOutput] {
    outputs(script.written(characteristic, at: time), at: time)
  }

  /// The steps after a failed command.
  mutating func failed(at time: EventTime) -> [SessionOutput] {
    outputs(script.failed(at: time), at: time)
  }

  /// The due steps.
  mutating func wake(at time: EventTime) -> [SessionOutput] {
    let write = keepAlive?.wake(at: time.steady)
    let exchanged = exchange?.wake(at: time.steady) ?? []
    return (write.map { [.command($0)] } ?? [])
      + outputs(script.wake(at: time) + exchanged, at: time)
  }

  /// The final writes and the end of the link.
  func end(at time: EventTime) -> [SessionOutput] {
    let writes = definition.session.end.compactMap { step -> RadioCommand? in
      guard case .write(let uuid, let payload, let withResponse) = step,
        available.contains(uuid),
        let data = payload.bytes(
          WriteContext(address: address, time: time.date, timeZone: timeZone))
      else { return nil }
      return .write(address, characteristic: uuid, data: data, withResponse: withResponse)
    }
    return ((exchange?.lastWrites ?? []) + writes + [.disconnect(address)]).map { .command($0) }
  }

  /// The outputs of the script and what is exchanged after it; after the history of a broadcasting
  /// device also the end of the link.
  private mutating func outputs(_ outputs: [ScriptRun.Output], at time: EventTime)
    -> [SessionOutput]
  {
    // It begins but once.
    let begun = script.isFinished ? exchange?.begin(at: time.steady) ?? [] : []
    let outputs = (outputs + begun).map { output -> SessionOutput in
      switch output {
      case .command(let command): .command(command)
      case .note(let kind):
        .note(SessionNote(address: address, name: definition.name, kind: kind))
      }
    }
    guard definition.link.keepsHistory, isFinished, !hasDisconnected else { return outputs }
    hasDisconnected = true
    return outputs + [.command(.disconnect(address))]
  }
}

// MARK: - Keeping the link

/// The periodic write that keeps a link up.
struct KeepAliveRun: Hashable, Sendable {
  private let rule: SessionScript.KeepAlive
  private let address: DeviceAddress
  /// The time of the next write.
  private(set) var wakeAt: SteadyTime

  /// Begins at `time`: the first write is due one interval later.
  init(_ rule: SessionScript.KeepAlive, of address: DeviceAddress, from time: SteadyTime) {
    self.rule = rule
    self.address = address
    wakeAt = time + rule.seconds
  }

  /// The due write; one, even after several intervals.
  mutating func wake(at time: SteadyTime) -> RadioCommand? {
    guard wakeAt <= time else { return nil }
    wakeAt = time + rule.seconds
    return .write(
      address, characteristic: rule.characteristic, data: rule.bytes,
      withResponse: rule.withResponse)
  }
}
