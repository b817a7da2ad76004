import Care
import Foundation
import GATT
import Radio

/// The decoding of a session: bytes to readings and motion.
struct SessionDecoding: Sendable {
  private let definition: DeviceDefinition
  private let readsAnyCompany: Bool
  private let countsSteps: Bool
  private var context: CodecContext
  private let device: DeviceIdentity
  private var decoders: FrameDecoders
  private var filters: [Int: FinalFrameFilter] = [:]
  private var timelines: [Int: MotionTimeline] = [:]
  private var pairing = CompositionPairing()
  private var glucose = GlucosePairing()
  /// The number of the last stored record, if the device numbers them.
  private(set) var lastRecord: UInt16?
  private var assemblers: [BluetoothUUID: FrameAssembler] = [:]
  private var memoryReplies: OmronReplies
  private var lastMeasured: Measured?
  /// The records of the definition by which something was read.
  private(set) var recordsRead: Set<Int> = []
  /// Where frames came from of whose layout something was said: every frame shows it again.
  private var saidLayouts: Set<FrameSource> = []
  /// The values that the device streamed at one instant.
  private var streamCounts = (arrival: EventTime?.none, counts: QuantityCounts())

  /// When and by whom a frame was measured, for one that follows it.
  private struct Measured: Sendable {
    var time: LocalDateTime?
    var isDatedByAge: Bool
    var userIndex: Int?
    var arrival: SteadyTime
  }

  /// The rate of a stream without one in its definition: 50 a second.
  static let defaultMilliHertz = 50_000

  init(_ definition: DeviceDefinition, _ context: CodecContext) {
    self.definition = definition
    self.context = context
    readsAnyCompany = definition.records.contains { $0.source == .anyManufacturerData }
    countsSteps = definition.quantities.contains(.stepCount)
    device = DeviceIdentity(
      address: DeviceID(context.address.description), definition: definition.id)
    decoders = FrameDecoders(definition, context)
    assemblers = Self.assemblers(definition)
    memoryReplies = Self.replies(definition)
  }

  private static func replies(_ definition: DeviceDefinition) -> OmronReplies {
    OmronReplies(isWhole: definition.memory.map { $0.unlock != .key } ?? false)
  }

  private static func assemblers(
    _ definition: DeviceDefinition
  ) -> [BluetoothUUID: FrameAssembler] {
    Dictionary(grouping: definition.assembly, by: \.characteristic).mapValues(FrameAssembler.init)
  }

  /// Replaces the credentials.
  mutating func trust(_ credentials: DeviceCredentials) {
    context.credentials = credentials
    decoders = FrameDecoders(definition, context)
  }

  var wakeAt: SteadyTime? {
    (filters.values.compactMap(\.wakeAt) + [glucose.wakeAt].compactMap(\.self)).min()
  }

  mutating func advertisement(_ advertisement: Advertisement, at time: EventTime) -> [SessionOutput]
  {
    FrameSource.frames(in: advertisement.data, ofAnyCompany: readsAnyCompany).flatMap {
      source, bytes in
      // Data without a record in the definition is ignored.
      definition.records.contains { $0.source == source }
        ? decode(bytes, from: source, at: time) : []
    }
  }

  /// The outputs of a value, and the frames to which the session's steps and answers respond.
  mutating func value(
    _ value: CharacteristicValue, at time: EventTime
  ) -> (outputs: [SessionOutput], frames: [ReceivedFrame]) {
    if let memory = definition.memory,
      let reply = memoryReplies.add(value.data, of: value.characteristic)
    {
      return reply.isEmpty ? ([], []) : read(reply, of: memory, at: time)
    }
    let source = FrameSource.characteristic(value.characteristic)
    guard !assemblers.isEmpty,
      let found = assemblers[value.characteristic]?.frames(with: value.data)
    else {
      var outputs: [SessionOutput] = []
      for frame in decoders.frames(in: value.data, from: source) {
        outputs += decode(frame, from: source, at: time)
      }
      return (outputs, [ReceivedFrame(value.data, of: value.characteristic, outputs)])
    }
    var outputs: [SessionOutput] = []
    var frames: [ReceivedFrame] = []
    for item in found {
      switch item {
      case .frame(let bytes):
        let decoded = decode(bytes, from: source, at: time)
        outputs += decoded
        frames.append(ReceivedFrame(bytes, of: value.characteristic, decoded))
      case .damaged(let bytes, let defect):
        outputs.append(
          .rejected(
            RejectedFrame(
              address: context.address, source: source, bytes: bytes, defect: defect)))
      }
    }
    // Each part is answered by itself, the last one after the whole.
    if assemblers[value.characteristic]?.isStream == false {
      return (outputs, [ReceivedFrame(value.data, of: value.characteristic, outputs)])
    }
    return (outputs, frames)
  }

  /// The records in a reply of the device's memory.
  private mutating func read(
    _ reply: [UInt8], of memory: MemoryRule, at time: EventTime
  ) -> (outputs: [SessionOutput], frames: [ReceivedFrame]) {
    let uuid = memory.codec.source
    let source = FrameSource.characteristic(uuid)
    var outputs: [SessionOutput] = []
    do throws(FrameDefect) {
      if let frame = try OmronFrame(reply), frame.kind == .read,
        let part = memory.part(of: frame.data, at: frame.address)
      {
        for record in part.records where !MemoryRule.isEmpty(record) {
          outputs += decode(record, from: source, of: part, at: time)
        }
      }
    } catch {
      outputs = [
        .rejected(
          RejectedFrame(address: context.address, source: source, bytes: reply, defect: error))
      ]
    }
    return (outputs, [ReceivedFrame(reply, of: uuid, outputs)])
  }

  /// A frame of a link.
  struct ReceivedFrame: Sendable {
    var bytes: [UInt8]
    /// Where it comes from; of a frame in pieces, the characteristic of the first.
    var characteristic: BluetoothUUID
    /// Whether it could not be read.
    var isRefused: Bool

    init(_ bytes: [UInt8], of characteristic: BluetoothUUID, _ outputs: [SessionOutput]) {
      self.bytes = bytes
      self.characteristic = characteristic
      isRefused = outputs.contains { if case .rejected = $0 { true } else { false } }
    }
  }

  mutating func wake(at time: EventTime) -> [SessionOutput] {
    let due = glucose.wakeAt.map { $0 <= time.steady } ?? false
    return filters.keys.sorted().flatMap { index in
      let given = filters[index]?.wake(at: time.steady) ?? []
      let record = definition.records[index]
      if let rule = record.commit { remember(given, from: record.source, rule, at: time) }
      return readings(given, from: record.source, at: time)
    } + (due ? release(nil, at: time).outputs : [])
  }

  /// The link is down: an incomplete frame of a stream is dropped.
  ///
  /// - Returns: The record that waited for its context.
  mutating func disconnected(at time: EventTime) -> [SessionOutput] {
    let pending = release(nil, at: time).outputs
    decoders = FrameDecoders(definition, context)
    assemblers = Self.assemblers(definition)
    memoryReplies = Self.replies(definition)
    lastMeasured = nil
    pairing = CompositionPairing()
    return pending
  }

  /// The record that waits for its context, joined with `content` if that is the context.
  private mutating func release(
    _ content: FrameContent?, at time: EventTime
  ) -> (outputs: [SessionOutput], isJoined: Bool) {
    guard glucose.held != nil, let (held, isJoined) = glucose.release(content) else {
      return ([], false)
    }
    lastRecord = held.content.sequence ?? lastRecord
    let committed = held.content.values.map {
      FinalFrameFilter.Committed(value: $0, raw: held.raw, arrival: held.arrival)
    }
    return (readings(committed, from: .characteristic(GlucoseMeasurement.uuid), at: time), isJoined)
  }

  /// Returns the values that were held back.
  mutating func end(at time: EventTime) -> [SessionOutput] { wake(at: time.at(.distantFuture)) }

  private mutating func decode(
    _ bytes: [UInt8], from source: FrameSource, of part: MemoryRule.Part? = nil, at time: EventTime
  ) -> [SessionOutput] {
    var decoded: FrameDecoders.Decoded?
    do throws(FrameDefect) {
      decoded = try decoders.decode(bytes, from: source, at: time.date)
      if let part { try decoded?.content.belong(to: part) }
    } catch {
      return [
        .rejected(
          RejectedFrame(address: context.address, source: source, bytes: bytes, defect: error))
      ]
    }
    guard let decoded else { return glucose.held == nil ? [] : release(nil, at: time).outputs }
    var content = decoded.content
    if let index = decoded.record, !content.values.isEmpty || content.motion != nil {
      recordsRead.insert(index)
    }
    var (outputs, isJoined) = release(content, at: time)
    if let layout = content.layout, saidLayouts.insert(source).inserted {
      outputs.append(note(layout))
    }
    // A context without its record has no time and belongs to nothing.
    guard !isJoined, content.complement == nil else { return outputs }
    if glucose.hold(content, bytes, from: source, at: time) { return outputs }
    lastRecord = content.sequence ?? lastRecord
    if let discarded = content.discarded ?? uncommitted(content, by: decoded.record) {
      let kept = FinalFrameFilter.Committed(value: discarded.value, raw: bytes, arrival: time)
      return outputs + readings([kept], from: source, at: time, discardedBy: discarded.rule)
    }
    pairing.complete(&content, from: source)
    follow(&content, within: decoded.record.flatMap { definition.records[$0].follows }, at: time)
    if let index = decoded.record, let rule = definition.records[index].commit {
      let mainRaw = definition.records[index].withoutCompanion(bytes, content)
      let committed = filters[index, default: FinalFrameFilter(rule, timeZone: context.timeZone)]
        .offer(content, raw: bytes, mainRaw: mainRaw, at: time)
      remember(committed, from: source, rule, at: time)
      outputs += readings(committed, from: source, at: time)
    } else {
      outputs += readings(
        content.values.map { FinalFrameFilter.Committed(value: $0, raw: bytes, arrival: time) },
        from: source, at: time)
    }
    if let motion = content.motion, !motion.samples.isEmpty, let index = decoded.record {
      let rate = definition.records[index].milliHertz ?? Self.defaultMilliHertz
      var batch = timelines[index, default: MotionTimeline(milliHertz: rate)]
        .batch(motion, device: device, arrival: time)
      batch.countsSteps = countsSteps
      outputs.append(.motion(batch))
    }
    return outputs + [content.note].compactMap(\.self).map(note)
  }

  private func note(_ note: FrameNote) -> SessionOutput {
    .note(SessionNote(address: context.address, name: definition.name, kind: .frame(note)))
  }

  /// The measurement of a stored record whose rule for broadcasts says that it is not final: it will
  /// not come again.
  private func uncommitted(_ content: FrameContent, by record: Int?) -> DiscardedValue? {
    guard let record = record.map({ definition.records[$0] }), record.isStored,
      let rule = record.commit,
      let value = content.values.first(where: { $0.quantity == rule.quantity && $0.value > 0 }),
      value.time != nil
    else { return nil }
    if let stable = rule.stable, !stable.holds(in: content.fields) {
      return DiscardedValue(value: value, rule: "stable: \(stable)")
    }
    if let removed = rule.removed, removed.holds(in: content.fields) {
      return DiscardedValue(value: value, rule: "removed: \(removed)")
    }
    return nil
  }

  /// Keeps a broadcast measurement from being taken again from the link, and the other way round.
  private mutating func remember(
    _ given: [FinalFrameFilter.Committed], from source: FrameSource, _ rule: CommitRule,
    at time: EventTime
  ) {
    guard !given.isEmpty else { return }
    for (index, record) in definition.records.enumerated()
    where record.source.isBroadcast != source.isBroadcast {
      guard let other = record.commit, other.quantity == rule.quantity else { continue }
      filters[index, default: FinalFrameFilter(other, timeZone: context.timeZone)]
        .remember(given, at: time.steady)
    }
  }

  /// Gives the values of a frame that follows another the time and the user of that one.
  private mutating func follow(
    _ content: inout FrameContent, within seconds: Double?, at time: EventTime
  ) {
    if let seconds, let last = lastMeasured,
      (0...seconds).contains(time.steady - last.arrival)
    {
      for index in content.values.indices {
        if content.values[index].time == nil {
          content.values[index].time = last.time
          content.values[index].isDatedByAge = last.isDatedByAge
        }
        content.values[index].userIndex = content.values[index].userIndex ?? last.userIndex
      }
    } else if let value = content.values.first {
      lastMeasured = Measured(
        time: value.time, isDatedByAge: value.isDatedByAge, userIndex: value.userIndex,
        arrival: time.steady)
    }
  }

  /// The readings of one frame, numbered by quantity.
  ///
  /// The numbers of a stream continue through frames of the same instant: only arrival and ordinal
  /// distinguish their values.
  private mutating func readings(
    _ committed: [FinalFrameFilter.Committed], from source: FrameSource, at time: EventTime,
    discardedBy rule: String? = nil
  ) -> [SessionOutput] {
    var counts = QuantityCounts()
    return committed.map { item in
      if item.arrival != streamCounts.arrival {
        streamCounts = (item.arrival, QuantityCounts())
      }
      let quantity = item.value.quantity
      let count = counts.next(quantity)
      let ordinal = item.value.isStreamed ? streamCounts.counts.next(quantity) : count
      let isRecord =
        source == GlucosePairing.record && item.raw.count >= GlucosePairing.name.upperBound
      return .reading(
        Reading(
          quantity: quantity, value: item.value.value,
          sourceValue: item.value.sourceValue, deviceTime: item.value.time,
          isDatedByAge: item.value.isDatedByAge, arrival: time.date(of: item.arrival),
          device: device,
          userIndex: item.value.userIndex, ordinal: ordinal,
          isStreamed: item.value.isStreamed, isBroadcast: source.isBroadcast,
          isRepeated: item.isRepeated,
          raw: item.value.raw ?? item.raw, nameInRaw: isRecord ? GlucosePairing.name : nil,
          counter: item.value.counter,
          context: item.value.isStreamed ? [] : item.value.context, discardedBy: rule))
    }
  }
}

extension FrameContent {
  private static let noSuchDay = FrameDefect.malformed(
    .invalid(field: "time", reason: "there is no such day"))

  /// Gives the values of a record of a memory its user.
  ///
  /// - Throws: ``FrameDefect`` for a time that does not exist: what was read is no record.
  fileprivate mutating func belong(to part: MemoryRule.Part) throws(FrameDefect) {
    for index in values.indices {
      guard var time = values[index].time else { throw Self.noSuchDay }
      // Six bits hold more, and a clock may be read while it moves on.
      time.second = min(time.second, 59)
      guard time.exists else { throw Self.noSuchDay }
      values[index].time = time
      values[index].userIndex = part.user
    }
  }
}

extension LocalDateTime {
  /// Whether a calendar has the day, and a clock the time.
  fileprivate var exists: Bool {
    resolved(in: .gmt).map { LocalDateTime($0, in: .gmt) == self } ?? false
  }
}

/// The number of values of each quantity.
private struct QuantityCounts: Sendable {
  // A linear search over a few quantities needs no hashing.
  private var counts: [(quantity: Quantity, count: Int)] = []

  /// The number of the next value, from 0.
  mutating func next(_ quantity: Quantity) -> Int {
    guard let index = counts.firstIndex(where: { $0.quantity == quantity }) else {
      counts.append((quantity, 1))
      return 0
    }
    defer { counts[index].count += 1 }
    return counts[index].count
  }
}

// MARK: - Weight and composition

/// Assigns the time and user of a weight to the body composition that follows it.
///
/// Scales send the two as two characteristics and often put the time and user into the weight only
/// (Body Composition Service §3.2). Quantities of the weight are removed from the composition: one
/// weighing must not become two.
struct CompositionPairing: Hashable, Sendable {
  private var time: LocalDateTime?
  private var userIndex: Int?
  private var given: [Quantity] = []

  private static let weight = FrameSource.characteristic(WeightMeasurement.uuid)
  private static let composition = FrameSource.characteristic(BodyCompositionMeasurement.uuid)

  /// Stores a weight, completes a composition, and leaves other content unchanged.
  mutating func complete(_ content: inout FrameContent, from source: FrameSource) {
    if source == Self.weight {
      (time, userIndex) = (content.values.first?.time, content.values.first?.userIndex)
      given = content.values.map(\.quantity)
    } else if source == Self.composition, !given.isEmpty {
      content.values = content.values.compactMap { value in
        guard value.time == nil || value.time == time else { return value }
        guard !given.contains(value.quantity) else { return nil }
        var value = value
        value.time = time
        value.userIndex = value.userIndex ?? userIndex
        return value
      }
    }
  }
}
