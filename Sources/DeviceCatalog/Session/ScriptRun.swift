import Foundation
import GATT
import Radio

/// Follows a session's steps in order, one link long.
///
/// A step that waits gives up after its time and the script goes on: a device that leaves out one
/// answer still sends its data.
struct ScriptRun: Sendable {
  /// What a script comes up with.
  enum Output: Hashable, Sendable {
    case command(RadioCommand)
    case note(ScriptNote)
  }

  private enum Waiting: Hashable, Sendable {
    case written(BluetoothUUID)
    case read(BluetoothUUID)
    case value(SessionStep.Wait)
    case time
    case consent(BluetoothUUID, DeviceCredentials.User, orSkip: Int)
    case records(BluetoothUUID, RecordAccessControlPoint.Request)
  }

  private let address: DeviceAddress
  private let timeZone: TimeZone
  private let lastRecord: UInt16?
  private var instructions: ArraySlice<Instruction>
  private var waiting: Waiting?
  /// What was read on this link, to be written back.
  private var values: [BluetoothUUID: [UInt8]] = [:]
  /// What arrived while a write was not acknowledged yet; the answer that is waited for next may be
  /// among it, since an indication overtakes the acknowledgement on some ways.
  private var arrivals: [Arrival] = []
  private(set) var wakeAt: Date?

  private struct Arrival: Hashable, Sendable {
    var characteristic: BluetoothUUID
    var bytes: [UInt8]
  }

  /// How many values are kept that may turn out to be an answer.
  private static let mostArrivals = 16

  /// How long a device may take to answer a write or a read.
  static let answerTime = 5.0
  /// How long a device may be silent while it sends its records.
  static let recordTime = 30.0

  /// A script of `instructions`; `lastRecord` is the number of the last record that is kept.
  init(
    _ instructions: [Instruction], for address: DeviceAddress, timeZone: TimeZone,
    lastRecord: UInt16? = nil
  ) {
    self.address = address
    self.timeZone = timeZone
    self.lastRecord = lastRecord
    self.instructions = instructions[...]
  }

  /// Whether there is nothing left to do or to wait for.
  var isFinished: Bool { waiting == nil && instructions.isEmpty }

  /// Does what can be done up to the next wait.
  mutating func proceed(at time: Date) -> [Output] {
    var outputs: [Output] = []
    while waiting == nil, let instruction = instructions.popFirst() {
      outputs += perform(instruction, at: time)
    }
    return outputs
  }

  private mutating func perform(_ instruction: Instruction, at time: Date) -> [Output] {
    defer { arrivals = [] }
    switch instruction {
    case .subscribe(let uuid):
      return [.command(.subscribe(address, characteristic: uuid))]
    case .read(let uuid):
      values[uuid] = nil
      wait(.read(uuid), seconds: Self.answerTime, from: time)
      return [.command(.read(address, characteristic: uuid))]
    case .write(let uuid, let payload, let withResponse):
      return write(payload.bytes(at: time, in: timeZone), to: uuid, withResponse, at: time)
    case .writeBack(let uuid):
      return values[uuid].map { write($0, to: uuid, at: time) } ?? []
    case .writeNext(let uuid):
      return write(Self.next(after: values[uuid]), to: uuid, at: time)
    case .waitFor(let rule):
      if arrivals.contains(where: {
        $0.characteristic == rule.characteristic && rule.accepts($0.bytes)
      }) {
        return []
      }
      wait(.value(rule), seconds: rule.seconds, from: time)
      return []
    case .delay(let seconds):
      wait(.time, seconds: seconds, from: time)
      return []
    case .consent(let uuid, let user, let skip):
      wait(.consent(uuid, user, orSkip: skip), seconds: Self.answerTime, from: time)
      return [command(user.consent.encoded, to: uuid)]
    case .fetchRecords(let uuid):
      // The last one again: where it is not among them, the device has begun to count anew.
      return fetch(lastRecord.map { .report(.from($0)) } ?? .report(.all), by: uuid, at: time)
    case .say(let note):
      return [.note(note)]
    }
  }

  private mutating func write(
    _ bytes: [UInt8], to uuid: BluetoothUUID, _ withResponse: Bool = true, at time: Date
  ) -> [Output] {
    if withResponse { wait(.written(uuid), seconds: Self.answerTime, from: time) }
    return [command(bytes, to: uuid, withResponse)]
  }

  private func command(
    _ bytes: [UInt8], to uuid: BluetoothUUID, _ withResponse: Bool = true
  ) -> Output {
    .command(.write(address, characteristic: uuid, data: bytes, withResponse: withResponse))
  }

  private mutating func fetch(
    _ request: RecordAccessControlPoint.Request, by uuid: BluetoothUUID, at time: Date
  ) -> [Output] {
    wait(.records(uuid, request), seconds: Self.recordTime, from: time)
    return [command(request.encoded, to: uuid)]
  }

  /// The number behind a little-endian counter of 32 bits.
  private static func next(after value: [UInt8]?) -> [UInt8] {
    var reader = ByteReader(value ?? [])
    let number = (try? reader.u32("counter")) ?? 0
    var writer = ByteWriter()
    writer.u32(number &+ 1)
    return writer.bytes
  }
}

extension ScriptRun {
  /// A value arrived.
  mutating func value(
    _ bytes: [UInt8], of characteristic: BluetoothUUID, at time: Date
  ) -> [Output] {
    switch waiting {
    case .written where arrivals.count < Self.mostArrivals:
      arrivals.append(Arrival(characteristic: characteristic, bytes: bytes))
      return []
    case .read(characteristic):
      values[characteristic] = bytes
      return goOn(at: time)
    case .value(let rule) where rule.characteristic == characteristic && rule.accepts(bytes):
      return goOn(at: time)
    case .consent(characteristic, let user, let skip):
      guard let answer = try? UserControlPoint.Response(bytes),
        answer.answers(user.consent)
      else { return [] }
      guard answer.result == .success else {
        return [.note(.consentRefused(user: user.index, answer.result))]
          + goOn(at: time, skip: skip)
      }
      return goOn(at: time)
    case .records(let uuid, let request):
      guard uuid == characteristic, let answer = try? RecordAccessControlPoint.Response(bytes)
      else {
        // A record, or something else that shows that the device is still there.
        wakeAt = time.addingTimeInterval(Self.recordTime)
        return []
      }
      return answered(answer, to: request, by: uuid, at: time)
    default:
      return []
    }
  }

  private mutating func answered(
    _ answer: RecordAccessControlPoint.Response, to request: RecordAccessControlPoint.Request,
    by uuid: BluetoothUUID, at time: Date
  ) -> [Output] {
    guard case .result(let result, _) = answer, answer.answers(request) else { return [] }
    switch result {
    case .success: return goOn(at: time)
    case _ where request != .report(.all): return fetch(.report(.all), by: uuid, at: time)
    case .noRecordsFound: return goOn(at: time)
    default: return [.note(.recordsRefused(result))] + goOn(at: time)
    }
  }

  /// A write was acknowledged.
  mutating func written(_ characteristic: BluetoothUUID, at time: Date) -> [Output] {
    waiting == .written(characteristic) ? goOn(at: time) : []
  }

  /// A command failed: whatever was waited for will not come.
  mutating func failed(at time: Date) -> [Output] {
    waiting == nil || waiting == .time ? [] : goOn(at: time, skip: skipped)
  }

  /// Time has passed.
  mutating func wake(at time: Date) -> [Output] {
    guard let wakeAt, wakeAt <= time else { return [] }
    let note: ScriptNote? =
      switch waiting {
      case .consent(_, let user, _): .consentUnanswered(user: user.index)
      case .records: .recordsUnfinished
      default: nil
      }
    return (note.map { [.note($0)] } ?? []) + goOn(at: time, skip: skipped)
  }

  /// How many instructions make no sense without what is waited for.
  private var skipped: Int {
    switch waiting {
    case .value(let rule) where rule.isRequired: instructions.count
    case .consent(_, _, let skip): skip
    default: 0
    }
  }

  private mutating func wait(_ reason: Waiting, seconds: Double, from time: Date) {
    waiting = reason
    wakeAt = time.addingTimeInterval(seconds)
  }

  private mutating func goOn(at time: Date, skip: Int = 0) -> [Output] {
    waiting = nil
    wakeAt = nil
    instructions = instructions.dropFirst(skip)
    return proceed(at: time)
  }
}

// MARK: - Instructions

/// One thing to do on a link, as a definition's steps come down to it.
enum Instruction: Hashable, Sendable {
  case subscribe(BluetoothUUID)
  case read(BluetoothUUID)
  case write(BluetoothUUID, SessionStep.Payload, withResponse: Bool)
  /// Write what was read last, if it was.
  case writeBack(BluetoothUUID)
  /// Write the number behind the one that was read last; 1 where the device does not tell it.
  case writeNext(BluetoothUUID)
  case waitFor(SessionStep.Wait)
  case delay(Double)
  /// Give a user's consent; where it is not accepted, leave out as many instructions.
  case consent(BluetoothUUID, DeviceCredentials.User, orSkip: Int)
  case fetchRecords(BluetoothUUID)
  /// Tell people something.
  case say(ScriptNote)
}

extension [Instruction] {
  /// What a definition's steps come down to for a device that has the characteristics `available`;
  /// steps that need another one are left out.
  init(
    _ steps: [SessionStep], available: Set<BluetoothUUID>, users: [DeviceCredentials.User]
  ) {
    self = steps.flatMap { step -> [Instruction] in
      switch step {
      case .subscribe(let uuid): available.contains(uuid) ? [.subscribe(uuid)] : []
      case .read(let uuid): available.contains(uuid) ? [.read(uuid)] : []
      case .write(let uuid, let payload, let withResponse):
        available.contains(uuid) ? [.write(uuid, payload, withResponse: withResponse)] : []
      case .waitFor(let wait): available.contains(wait.characteristic) ? [.waitFor(wait)] : []
      case .delay(let seconds): [.delay(seconds)]
      case .echo(let uuids):
        uuids.filter(available.contains).map { .read($0) }
          + uuids.filter(available.contains).map { .writeBack($0) }
      case .increment(let uuid):
        available.contains(uuid) ? [.read(uuid), .writeNext(uuid)] : []
      case .fetchRecords(let uuid): available.contains(uuid) ? [.fetchRecords(uuid)] : []
      case .consent(let uuid, let then):
        available.contains(uuid)
          ? Self.consents(uuid, then, available: available, users: users) : []
      }
    }
  }

  private static func consents(
    _ uuid: BluetoothUUID, _ then: [SessionStep], available: Set<BluetoothUUID>,
    users: [DeviceCredentials.User]
  ) -> [Instruction] {
    guard !users.isEmpty else { return [.say(.noConsent)] }
    let block = [Instruction](then, available: available, users: users)
    return users.flatMap { [.consent(uuid, $0, orSkip: block.count)] + block }
  }
}
