import Foundation
import GATT
import Radio

/// Follows a session's steps in order, one link long.
///
/// A step that waits gives up after its time and the script goes on: a device that leaves out one
/// answer still sends its data.
struct ScriptRun: Sendable {
  private enum Waiting: Hashable, Sendable {
    case written(BluetoothUUID)
    case value(BluetoothUUID, BytePattern?)
    case time
  }

  private let address: DeviceAddress
  private let timeZone: TimeZone
  private var steps: ArraySlice<SessionStep>
  private var waiting: Waiting?
  private(set) var wakeAt: Date?

  /// How long a device may take to answer a write or a read.
  static let answerTime = 5.0

  /// A script of which only the steps are done whose characteristic is among `available`.
  init(
    _ steps: [SessionStep], for address: DeviceAddress, available: Set<BluetoothUUID>,
    timeZone: TimeZone
  ) {
    self.address = address
    self.timeZone = timeZone
    self.steps = steps.filter { $0.characteristic.map(available.contains) ?? true }[...]
  }

  /// Does what can be done up to the next wait.
  mutating func proceed(at time: Date) -> [RadioCommand] {
    var commands: [RadioCommand] = []
    while waiting == nil, let step = steps.popFirst() {
      switch step {
      case .subscribe(let uuid):
        commands.append(.subscribe(address, characteristic: uuid))
      case .read(let uuid):
        commands.append(.read(address, characteristic: uuid))
        wait(.value(uuid, nil), seconds: Self.answerTime, from: time)
      case .write(let uuid, let payload, let withResponse):
        commands.append(
          .write(
            address, characteristic: uuid, data: payload.bytes(at: time, in: timeZone),
            withResponse: withResponse))
        if withResponse { wait(.written(uuid), seconds: Self.answerTime, from: time) }
      case .waitFor(let uuid, let pattern, let timeout):
        wait(.value(uuid, pattern), seconds: timeout, from: time)
      case .delay(let seconds):
        wait(.time, seconds: seconds, from: time)
      }
    }
    return commands
  }

  /// A value arrived.
  mutating func value(
    _ bytes: [UInt8], of characteristic: BluetoothUUID, at time: Date
  ) -> [RadioCommand] {
    guard case .value(characteristic, let pattern) = waiting, pattern?.matches(bytes) ?? true
    else { return [] }
    return goOn(at: time)
  }

  /// A write was acknowledged.
  mutating func written(_ characteristic: BluetoothUUID, at time: Date) -> [RadioCommand] {
    waiting == .written(characteristic) ? goOn(at: time) : []
  }

  /// A command failed: whatever was waited for will not come.
  mutating func failed(at time: Date) -> [RadioCommand] {
    waiting == nil || waiting == .time ? [] : goOn(at: time)
  }

  /// Time has passed.
  mutating func wake(at time: Date) -> [RadioCommand] {
    guard let wakeAt, wakeAt <= time else { return [] }
    return goOn(at: time)
  }

  private mutating func wait(_ reason: Waiting, seconds: Double, from time: Date) {
    waiting = reason
    wakeAt = time.addingTimeInterval(seconds)
  }

  private mutating func goOn(at time: Date) -> [RadioCommand] {
    waiting = nil
    wakeAt = nil
    return proceed(at: time)
  }
}
