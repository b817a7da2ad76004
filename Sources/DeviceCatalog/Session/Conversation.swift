import Foundation
import GATT
import Radio

/// What is said over one link whose services are known: the definition's steps, what keeps the link
/// up, and the last words.
struct Conversation: Sendable {
  private let definition: DeviceDefinition
  private let address: DeviceAddress
  private let timeZone: TimeZone
  private let available: Set<BluetoothUUID>
  private var script: ScriptRun
  private var keepAlive: KeepAliveRun?
  private var hasLeft = false

  /// Makes ready to speak; nothing is said before ``begin(at:)``.
  ///
  /// - Parameters:
  ///   - definition: What the device is.
  ///   - address: Which device it is.
  ///   - available: The characteristics that it has.
  ///   - timeZone: The plan's zone.
  ///   - credentials: What the plan holds to open the device's data.
  ///   - lastRecord: The number of the last stored record that is kept.
  ///   - time: Now.
  init(
    _ definition: DeviceDefinition, _ address: DeviceAddress, available: Set<BluetoothUUID>,
    timeZone: TimeZone, credentials: DeviceCredentials, lastRecord: UInt16?, at time: Date
  ) {
    self.definition = definition
    self.address = address
    self.available = available
    self.timeZone = timeZone
    script = ScriptRun(
      [Instruction](
        definition.session.start, available: available, users: credentials.users),
      for: address, timeZone: timeZone, lastRecord: lastRecord)
    if let rule = definition.session.keepAlive, available.contains(rule.characteristic) {
      keepAlive = KeepAliveRun(rule, of: address, from: time)
    }
  }

  /// When it goes on although the device says nothing.
  var wakeAt: Date? { [script.wakeAt, keepAlive?.wakeAt].compactMap(\.self).min() }

  /// Whether everything that was to be fetched has come.
  var isFinished: Bool { script.isFinished }

  /// The first steps.
  mutating func begin(at time: Date) -> [SessionOutput] {
    outputs(script.proceed(at: time))
  }

  /// What follows a value.
  mutating func value(_ value: CharacteristicValue, at time: Date) -> [SessionOutput] {
    outputs(script.value(value.data, of: value.characteristic, at: time))
  }

  /// What follows a write that was acknowledged.
  mutating func written(_ characteristic: BluetoothUUID, at time: Date) -> [SessionOutput] {
    outputs(script.written(characteristic, at: time))
  }

  /// What follows a command that failed.
  mutating func failed(at time: Date) -> [SessionOutput] {
    outputs(script.failed(at: time))
  }

  /// What is due.
  mutating func wake(at time: Date) -> [SessionOutput] {
    let write = keepAlive?.wake(at: time)
    return (write.map { [.command($0)] } ?? []) + outputs(script.wake(at: time))
  }

  /// The last words, and the end of the link.
  func end(at time: Date) -> [SessionOutput] {
    let writes = definition.session.end.compactMap { step -> RadioCommand? in
      guard case .write(let uuid, let payload, let withResponse) = step,
        available.contains(uuid)
      else { return nil }
      return .write(
        address, characteristic: uuid, data: payload.bytes(at: time, in: timeZone),
        withResponse: withResponse)
    }
    return (writes + [.disconnect(address)]).map { .command($0) }
  }

  /// What the script came up with; where only history was to be fetched, with the end of the link
  /// behind it.
  private mutating func outputs(_ outputs: [ScriptRun.Output]) -> [SessionOutput] {
    let said = outputs.map { output -> SessionOutput in
      switch output {
      case .command(let command): .command(command)
      case .note(let note): .note(note.text(definition.name, address))
      }
    }
    guard definition.link.keepsHistory, script.isFinished, !hasLeft else { return said }
    hasLeft = true
    return said + [.command(.disconnect(address))]
  }
}

// MARK: - Keeping the link

/// Writes what keeps a link up, again and again.
struct KeepAliveRun: Hashable, Sendable {
  private let rule: SessionScript.KeepAlive
  private let address: DeviceAddress
  /// When the next write is due.
  private(set) var wakeAt: Date

  /// Begins at `time`: the first write is due one pause later.
  init(_ rule: SessionScript.KeepAlive, of address: DeviceAddress, from time: Date) {
    self.rule = rule
    self.address = address
    wakeAt = time.addingTimeInterval(rule.seconds)
  }

  /// The write that is due; one, however long nobody asked.
  mutating func wake(at time: Date) -> RadioCommand? {
    guard wakeAt <= time else { return nil }
    wakeAt = time.addingTimeInterval(rule.seconds)
    return .write(
      address, characteristic: rule.characteristic, data: rule.bytes,
      withResponse: rule.withResponse)
  }
}
