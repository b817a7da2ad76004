import Care
import Foundation
import GATT
import Radio

/// Reads the new records of a memory over one link: unlock, open, index, records, close.
///
/// Of each user it reads from the newest record back to the one that was the newest on the link
/// before, and on the first link as many as the device counts as not fetched. Nothing is written
/// into the memory: not the index, which would clear that count, nor the clock. The places of both
/// differ by model, and a wrong one damages the device.
///
/// The key is programmed only into a device of the plan that is in its pairing mode: with it the
/// device forgets the one of its maker's application.
struct MemoryRun: LinkExchange {
  private enum Phase: Hashable, Sendable {
    case waiting
    /// The key, the mode in which a key is programmed, and the new key were sent.
    case unlocking, preparing, programming
    case opening, index, records, closing
    /// The device ends the link.
    case leaving
    case finished
  }

  /// The records of one user that are still to be read.
  private struct Remainder: Hashable, Sendable {
    var user: Int
    /// The place of the next record to be read.
    var place: Int
    /// How many records may still be read.
    var count: Int
  }

  private let rule: MemoryRule
  private let link: LinkEnd
  /// The newest record of each user, from the link before.
  private let known: [Int: [UInt8]]
  /// The newest record of each user, once the memory is closed.
  private(set) var newest: [Int: [UInt8]]
  private var seen: [Int: [UInt8]] = [:]
  private var phase = Phase.waiting
  private var remainders: ArraySlice<Remainder> = []
  private var lastCommand: [UInt8] = []
  private var attempts = 0
  private(set) var wakeAt: SteadyTime?

  /// How long, in seconds, a reply is waited for.
  static let replyTime = 5.0
  /// How often a command is sent.
  static let mostAttempts = 3
  /// How long, in seconds, the device may take to end the link itself.
  static let leaveTime = 5.0

  /// Prepares the reading of a memory; `known` are the newest records of the link before, by user.
  init(_ rule: MemoryRule, over link: LinkEnd, known: [Int: [UInt8]]) {
    self.rule = rule
    self.link = link
    self.known = known
    newest = known
  }

  var isFinished: Bool { phase == .finished }

  mutating func begin(at time: SteadyTime) -> [ScriptRun.Output] {
    guard phase == .waiting else { return [] }
    let needed =
      switch rule.unlock {
      case .key: OmronFrame.replies + OmronFrame.commands + [OmronFrame.lock]
      case .bond: [OmronFrame.replies[0], OmronFrame.commands[0]]
      case .token: [OmronFrame.replies[0], OmronFrame.commands[0], OmronFrame.lock]
      }
    guard Set(needed).isSubset(of: link.available) else { return giveUp(.otherMemory) }
    switch rule.unlock {
    case .key: return [subscribe(OmronFrame.lock)] + unlock([1] + key, .unlocking, at: time)
    case .bond:
      return [subscribe(OmronFrame.replies[0])] + send(OmronFrame.open, .opening, at: time)
    case .token:
      let zeros = [UInt8](repeating: 0, count: 15)
      return [OmronFrame.replies[0], OmronFrame.lock].map(subscribe)
        + unlock([0x11] + token + zeros, .unlocking, at: time)
    }
  }

  mutating func value(
    _ bytes: [UInt8], of characteristic: BluetoothUUID, at time: SteadyTime
  ) -> [ScriptRun.Output] {
    if characteristic == OmronFrame.lock { return unlocked(bytes, at: time) }
    guard characteristic == rule.codec.source, let reply = try? OmronFrame(bytes) else { return [] }
    switch (phase, reply.kind) {
    case (.opening, .opened) where reply.result == 0:
      return send(
        OmronFrame.read(at: rule.index.at, size: MemoryRule.Index.count), .index, at: time)
    case (.index, .read) where reply.address == rule.index.at:
      return plan(reply.data, at: time)
    case (.records, .read): return took(reply, at: time)
    case (.closing, .closed):
      newest.merge(seen) { $1 }
      phase = .leaving
      wakeAt = time + Self.leaveTime
      return []
    // A command is refused as a memory is closed.
    case (.opening, .opened), (.opening, .closed), (.index, .closed), (.records, .closed):
      return giveUp(.memoryRefused(reply.result))
    default: return []
    }
  }

  mutating func wake(at time: SteadyTime) -> [ScriptRun.Output] {
    guard let wakeAt, wakeAt <= time else { return [] }
    switch phase {
    case .leaving:
      finish()
      return [.command(.disconnect(link.address))]
    case .waiting, .finished:
      self.wakeAt = nil
      return []
    default:
      guard attempts < Self.mostAttempts else { return giveUp(.memorySilent) }
      attempts += 1
      self.wakeAt = time + Self.replyTime
      let target = isLocked ? OmronFrame.lock : OmronFrame.commands[0]
      return [.command(link.write(lastCommand, to: target))]
    }
  }

  var lastWrites: [RadioCommand] {
    switch phase {
    case .opening, .index, .records: [link.write(OmronFrame.close, to: OmronFrame.commands[0])]
    default: []
    }
  }

  // MARK: Key

  private var isLocked: Bool {
    phase == .unlocking || phase == .preparing || phase == .programming
  }

  /// The bytes that the device is to repeat; they are no secret, and it keeps none of them.
  private var token: [UInt8] { Array(link.ownKey.prefix(4)) }

  /// The key in the plan, if there is one: another program may have chosen it.
  private var key: [UInt8] { link.credentials.key?.revealed ?? link.ownKey }

  private mutating func unlocked(_ answer: [UInt8], at time: SteadyTime) -> [ScriptRun.Output] {
    guard answer.count >= 2 else { return [] }
    if rule.unlock == .token {
      guard phase == .unlocking, answer.starts(with: [0x91, 0] + token) else { return [] }
      return send(OmronFrame.open, .opening, at: time)
    }
    switch (phase, answer[0], answer[1]) {
    case (.unlocking, 0x81, 0), (.programming, 0x80, 0):
      return OmronFrame.replies.map(subscribe) + send(OmronFrame.open, .opening, at: time)
    case (.unlocking, _, _):
      guard link.credentials.isPlanned else { return giveUp(.notPaired) }
      return unlock([2] + [UInt8](repeating: 0, count: 16), .preparing, at: time)
    case (.preparing, 0x82, 0): return unlock([0] + key, .programming, at: time)
    case (.preparing, _, _), (.programming, _, _): return giveUp(.keyRefused)
    default: return []
    }
  }

  private mutating func unlock(
    _ bytes: [UInt8], _ next: Phase, at time: SteadyTime
  ) -> [ScriptRun.Output] {
    send(bytes, next, to: OmronFrame.lock, at: time)
  }

  // MARK: Records

  /// Decides what to read.
  private mutating func plan(_ index: [UInt8], at time: SteadyTime) -> [ScriptRun.Output] {
    var remainders: [Remainder] = []
    for (user, region) in rule.users.enumerated() {
      guard let next = rule.index.next(of: user, in: index) else { continue }
      // A place that this model does not have: nothing can be believed.
      guard next <= region.records else { return close(.otherMemory, at: time) }
      let unread = known[user] == nil ? rule.index.unread(of: user, in: index) : nil
      let count = min(unread ?? region.records, region.records)
      let newest = (next + region.records - 1) % region.records
      if count > 0 { remainders.append(Remainder(user: user, place: newest, count: count)) }
    }
    self.remainders = remainders[...]
    return readNext(at: time)
  }

  private mutating func readNext(at time: SteadyTime) -> [ScriptRun.Output] {
    guard let next = remainders.first else { return close(nil, at: time) }
    let address = rule.users[next.user].at + next.place * rule.length
    return send(OmronFrame.read(at: address, size: rule.length), .records, at: time)
  }

  private mutating func took(_ reply: OmronFrame, at time: SteadyTime) -> [ScriptRun.Output] {
    guard let current = remainders.first else { return [] }
    let region = rule.users[current.user]
    // A late reply to what was asked for twice.
    guard reply.address == region.at + current.place * rule.length else { return [] }
    remainders.removeFirst()
    // The records of a user who is not registered are refused.
    guard reply.result == 0, reply.data.count == rule.length, !MemoryRule.isEmpty(reply.data) else {
      return readNext(at: time)
    }
    if seen[current.user] == nil { seen[current.user] = reply.data }
    if reply.data != known[current.user], current.count > 1 {
      let place = (current.place + region.records - 1) % region.records
      remainders =
        [Remainder(user: current.user, place: place, count: current.count - 1)] + remainders
    }
    return readNext(at: time)
  }

  private mutating func close(_ note: SessionNote.Kind?, at time: SteadyTime) -> [ScriptRun.Output]
  {
    (note.map { [.note($0)] } ?? []) + send(OmronFrame.close, .closing, at: time)
  }

  // MARK: Commands

  private func subscribe(_ uuid: BluetoothUUID) -> ScriptRun.Output {
    .command(.subscribe(link.address, characteristic: uuid, isMotion: false))
  }

  private mutating func send(
    _ bytes: [UInt8], _ next: Phase, to target: BluetoothUUID = OmronFrame.commands[0],
    at time: SteadyTime
  ) -> [ScriptRun.Output] {
    phase = next
    lastCommand = bytes
    attempts = 1
    wakeAt = time + Self.replyTime
    return [.command(link.write(bytes, to: target))]
  }

  private mutating func giveUp(_ note: SessionNote.Kind) -> [ScriptRun.Output] {
    let writes = lastWrites
    finish()
    return [.note(note)] + (writes + [.disconnect(link.address)]).map { .command($0) }
  }

  private mutating func finish() {
    phase = .finished
    wakeAt = nil
  }
}
