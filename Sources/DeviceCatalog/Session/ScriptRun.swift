import Foundation
import GATT
import Radio

/// Performs a session's steps in order over one link.
///
/// A step that waits ends after its time and the script continues: a device that omits one response
/// still sends its data.
struct ScriptRun: Sendable {
  /// An output of a script.
  enum Output: Hashable, Sendable {
    case command(RadioCommand)
    case note(SessionNote.Kind)
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
  /// The characteristics that stream motion.
  private let motion: Set<BluetoothUUID>
  private var instructions: ArraySlice<Instruction>
  private var waiting: Waiting?
  /// The values read on this link, to be written back.
  private var values: [BluetoothUUID: [UInt8]] = [:]
  /// The values received before the response to a write.
  ///
  /// They may contain the value that the next step waits for: some stacks deliver an indication
  /// before the write response.
  private var arrivals: [Arrival] = []
  private(set) var wakeAt: SteadyTime?
  /// Whether something that the device sent could not be read, so that it must not delete it.
  var hasRefused = false
  /// The value that ended the last wait for one, of which a write may copy bytes.
  private var awaited: [UInt8]?

  private struct Arrival: Hashable, Sendable {
    var characteristic: BluetoothUUID
    var bytes: [UInt8]
  }

  /// The maximum number of values received before a write response; devices send one or two.
  private static let maximumArrivals = 16

  /// The time limit for the response to a write or a read.
  static let answerTime = 5.0
  /// The longest pause between two records.
  static let recordTime = 30.0

  /// Makes a script of `instructions`; `lastRecord` is the number of the last record received,
  /// `motion` are the characteristics that stream motion.
  init(
    _ instructions: [Instruction], for address: DeviceAddress, timeZone: TimeZone,
    lastRecord: UInt16? = nil, motion: Set<BluetoothUUID> = []
  ) {
    self.motion = motion
    self.address = address
    self.timeZone = timeZone
    self.lastRecord = lastRecord
    self.instructions = instructions[...]
  }

  /// Whether all instructions are done.
  var isFinished: Bool { waiting == nil && instructions.isEmpty }

  /// Performs the instructions up to the next wait.
  mutating func proceed(at time: EventTime) -> [Output] {
    var outputs: [Output] = []
    while waiting == nil, let instruction = instructions.popFirst() {
      outputs += perform(instruction, at: time)
    }
    return outputs
  }

  private mutating func perform(_ instruction: Instruction, at time: EventTime) -> [Output] {
    defer { arrivals = [] }
    switch instruction {
    case .subscribe(let uuid):
      return [
        .command(
          .subscribe(address, characteristic: uuid, isMotion: motion.contains(uuid)))
      ]
    case .read(let uuid):
      values[uuid] = nil
      wait(.read(uuid), seconds: Self.answerTime, from: time)
      return [.command(.read(address, characteristic: uuid))]
    case .write(let uuid, let payload, let withResponse):
      let context = WriteContext(
        address: address, time: time.date, timeZone: timeZone, frame: awaited)
      return payload.bytes(context).map { write($0, to: uuid, withResponse, at: time) } ?? []
    case .skipIfRefused:
      if hasRefused { instructions = instructions.dropFirst() }
      return []
    case .writeBack(let uuid):
      return values[uuid].map { write($0, to: uuid, at: time) } ?? []
    case .writeNext(let uuid):
      return write(Self.next(after: values[uuid]), to: uuid, at: time)
    case .waitFor(let rule):
      if let arrival = arrivals.first(where: {
        $0.characteristic == rule.characteristic && rule.accepts($0.bytes)
      }) {
        awaited = arrival.bytes
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
      // From the last one inclusive: if the device does not send it, its numbering has restarted.
      return fetch(lastRecord.map { .report(.from($0)) } ?? .report(.all), by: uuid, at: time)
    case .note(let note):
      return [.note(note)]
    }
  }

  private mutating func write(
    _ bytes: [UInt8], to uuid: BluetoothUUID, _ withResponse: Bool = true, at time: EventTime
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
    _ request: RecordAccessControlPoint.Request, by uuid: BluetoothUUID, at time: EventTime
  ) -> [Output] {
    wait(.records(uuid, request), seconds: Self.recordTime, from: time)
    return [command(request.encoded, to: uuid)]
  }

  /// The successor of a little-endian counter of 32 bits.
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
    _ bytes: [UInt8], of characteristic: BluetoothUUID, at time: EventTime
  ) -> [Output] {
    switch waiting {
    case .written where arrivals.count < Self.maximumArrivals:
      arrivals.append(Arrival(characteristic: characteristic, bytes: bytes))
      return []
    case .read(characteristic):
      values[characteristic] = bytes
      return resume(at: time)
    case .value(let rule) where rule.characteristic == characteristic && rule.accepts(bytes):
      awaited = bytes
      return resume(at: time)
    case .consent(characteristic, let user, let skip):
      guard let answer = try? UserControlPoint.Response(bytes),
        answer.answers(user.consent)
      else { return [] }
      guard answer.result == .success else {
        return [.note(.consentRefused(user: user.index, answer.result))]
          + resume(at: time, skip: skip)
      }
      return resume(at: time)
    case .records(let uuid, let request):
      guard uuid == characteristic, let answer = try? RecordAccessControlPoint.Response(bytes)
      else {
        // A record or another sign that the device is still sending.
        wakeAt = time.steady + Self.recordTime
        return []
      }
      return answered(answer, to: request, by: uuid, at: time)
    default:
      return []
    }
  }

  private mutating func answered(
    _ answer: RecordAccessControlPoint.Response, to request: RecordAccessControlPoint.Request,
    by uuid: BluetoothUUID, at time: EventTime
  ) -> [Output] {
    guard case .result(let result, _) = answer, answer.answers(request) else { return [] }
    switch result {
    case .success: return resume(at: time)
    case _ where request != .report(.all): return fetch(.report(.all), by: uuid, at: time)
    case .noRecordsFound: return resume(at: time)
    default: return [.note(.recordsRefused(result))] + resume(at: time)
    }
  }

  /// A write was acknowledged.
  mutating func written(_ characteristic: BluetoothUUID, at time: EventTime) -> [Output] {
    waiting == .written(characteristic) ? resume(at: time) : []
  }

  /// A command failed: the awaited value will not arrive.
  mutating func failed(at time: EventTime) -> [Output] {
    waiting == nil || waiting == .time ? [] : resume(at: time, skip: skipped)
  }

  /// Time has passed.
  mutating func wake(at time: EventTime) -> [Output] {
    guard let wakeAt, wakeAt <= time.steady else { return [] }
    let note: SessionNote.Kind? =
      switch waiting {
      case .consent(_, let user, _): .consentUnanswered(user: user.index)
      case .records: .recordsIncomplete
      default: nil
      }
    return (note.map { [.note($0)] } ?? []) + resume(at: time, skip: skipped)
  }

  /// The number of instructions to skip without the awaited value.
  private var skipped: Int {
    switch waiting {
    case .value(let rule) where rule.isRequired: instructions.count
    case .consent(_, _, let skip): skip
    default: 0
    }
  }

  private mutating func wait(_ reason: Waiting, seconds: Double, from time: EventTime) {
    waiting = reason
    wakeAt = time.steady + seconds
  }

  private mutating func resume(at time: EventTime, skip: Int = 0) -> [Output] {
    waiting = nil
    wakeAt = nil
    instructions = instructions.dropFirst(skip)
    return proceed(at: time)
  }
}

// MARK: - Instructions

/// One elementary action on a link; a definition's steps are translated to these.
enum Instruction: Hashable, Sendable {
  case subscribe(BluetoothUUID)
  case read(BluetoothUUID)
  case write(BluetoothUUID, SessionStep.Payload, withResponse: Bool)
  /// Leave the next instruction out if something that was sent over this link could not be read.
  case skipIfRefused
  /// Write the value that was read last, if any.
  case writeBack(BluetoothUUID)
  /// Write the successor of the number that was read last; 1 if it could not be read.
  case writeNext(BluetoothUUID)
  case waitFor(SessionStep.Wait)
  case delay(Double)
  /// Send a user's consent; if it is not accepted, skip some instructions.
  case consent(BluetoothUUID, DeviceCredentials.User, orSkip: Int)
  case fetchRecords(BluetoothUUID)
  /// Report a note.
  case note(SessionNote.Kind)
}

extension [Instruction] {
  /// Translates a definition's steps for a device with the characteristics `available`; steps that
  /// need another one are left out.
  init(
    _ steps: [SessionStep], available: Set<BluetoothUUID>, users: [DeviceCredentials.User]
  ) {
    self = steps.flatMap { step -> [Instruction] in
      switch step {
      case .subscribe(let uuid): available.contains(uuid) ? [.subscribe(uuid)] : []
      case .read(let uuid): available.contains(uuid) ? [.read(uuid)] : []
      case .write(let uuid, let payload, let withResponse):
        available.contains(uuid) ? [.write(uuid, payload, withResponse: withResponse)] : []
      case .delete(let uuid, let payload, let withResponse):
        available.contains(uuid)
          ? [.skipIfRefused, .write(uuid, payload, withResponse: withResponse)] : []
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
    guard !users.isEmpty else { return [.note(.missingConsent)] }
    let block = [Instruction](then, available: available, users: users)
    return users.flatMap { [.consent(uuid, $0, orSkip: block.count)] + block }
  }
}
