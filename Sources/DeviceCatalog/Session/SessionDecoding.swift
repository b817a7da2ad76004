import Care
import Foundation
import GATT
import Radio

/// The decoding of a session: bytes to readings and motion.
struct SessionDecoding: Sendable {
  private let definition: DeviceDefinition
  private var context: CodecContext
  private let device: DeviceIdentity
  private var decoders: FrameDecoders
  private var filters: [Int: FinalFrameFilter] = [:]
  private var timelines: [Int: MotionTimeline] = [:]
  private var pairing = CompositionPairing()
  /// The number of the last stored record, if the device numbers them.
  private(set) var lastRecord: UInt16?
  private var streamCounts = StreamCounts(arrival: .distantPast)

  /// The rate of a stream without one in its definition: 50 a second.
  static let defaultMilliHertz = 50_000

  init(_ definition: DeviceDefinition, _ context: CodecContext) {
    self.definition = definition
    self.context = context
    device = DeviceIdentity(
      address: DeviceID(context.address.description), definition: definition.id)
    decoders = FrameDecoders(definition, context)
  }

  /// Replaces the credentials.
  mutating func trust(_ credentials: DeviceCredentials) {
    context.credentials = credentials
    decoders = FrameDecoders(definition, context)
  }

  var wakeAt: Date? { filters.values.compactMap(\.wakeAt).min() }

  mutating func advertisement(_ advertisement: Advertisement, at time: Date) -> [SessionOutput] {
    FrameSource.frames(in: advertisement.data).flatMap { source, bytes in
      // Data without a record in the definition is ignored.
      definition.records.contains { $0.source == source }
        ? decode(bytes, from: source, at: time) : []
    }
  }

  mutating func value(_ value: CharacteristicValue, at time: Date) -> [SessionOutput] {
    let source = FrameSource.characteristic(value.characteristic)
    return decoders.frames(in: value.data, from: source).flatMap {
      decode($0, from: source, at: time)
    }
  }

  mutating func wake(at time: Date) -> [SessionOutput] {
    filters.keys.sorted().flatMap { index in
      readings(filters[index]?.wake(at: time) ?? [], from: definition.records[index].source)
    }
  }

  /// The link is down: an incomplete frame of a stream is dropped.
  mutating func disconnected() {
    decoders = FrameDecoders(definition, context)
    pairing = CompositionPairing()
  }

  /// Returns the values that were held back.
  mutating func end() -> [SessionOutput] { wake(at: .distantFuture) }

  private mutating func decode(
    _ bytes: [UInt8], from source: FrameSource, at time: Date
  ) -> [SessionOutput] {
    let decoded: FrameDecoders.Decoded?
    do throws(FrameDefect) {
      decoded = try decoders.decode(bytes, from: source)
    } catch {
      return [
        .rejected(
          RejectedFrame(address: context.address, source: source, bytes: bytes, defect: error))
      ]
    }
    guard let decoded else { return [] }
    var content = decoded.content
    lastRecord = content.sequence ?? lastRecord
    pairing.complete(&content, from: source)
    var outputs: [SessionOutput] = []
    if let (index, record) = decoded.record, let rule = record.commit {
      let mainRaw = record.withoutCompanion(bytes, content)
      let committed = filters[index, default: FinalFrameFilter(rule)]
        .offer(content, raw: bytes, mainRaw: mainRaw, at: time)
      outputs += readings(committed, from: source)
    } else {
      outputs += readings(
        content.values.map { FinalFrameFilter.Committed(value: $0, raw: bytes, arrival: time) },
        from: source)
    }
    if let motion = content.motion, !motion.samples.isEmpty, let (index, record) = decoded.record {
      let rate = record.milliHertz ?? Self.defaultMilliHertz
      let batch = timelines[index, default: MotionTimeline(milliHertz: rate)]
        .batch(motion, device: device, arrival: time)
      outputs.append(.motion(batch))
    }
    if let note = content.note {
      outputs.append(
        .note(
          SessionNote(address: context.address, name: definition.name, kind: .frame(note))))
    }
    return outputs
  }

  /// The readings of one frame, numbered by quantity.
  ///
  /// The numbers of a stream continue through frames of the same instant: only arrival and ordinal
  /// distinguish their values.
  private mutating func readings(
    _ committed: [FinalFrameFilter.Committed], from source: FrameSource
  ) -> [SessionOutput] {
    var counts: [Quantity: Int] = [:]
    return committed.map { item in
      if item.arrival != streamCounts.arrival { streamCounts = StreamCounts(arrival: item.arrival) }
      let quantity = item.value.quantity
      let ordinal =
        item.value.isStreamed ? streamCounts.next(quantity) : counts[quantity, default: 0]
      counts[quantity, default: 0] += 1
      return .reading(
        Reading(
          quantity: quantity, value: item.value.value,
          sourceValue: item.value.sourceValue, deviceTime: item.value.time, arrival: item.arrival,
          device: device, userIndex: item.value.userIndex, ordinal: ordinal,
          isStreamed: item.value.isStreamed, isBroadcast: source.isBroadcast,
          raw: item.value.raw ?? item.raw))
    }
  }
}

/// The number of values of each quantity that a device streamed at one instant.
private struct StreamCounts: Sendable {
  var arrival: Date
  private var counts: [Quantity: Int] = [:]

  init(arrival: Date) {
    self.arrival = arrival
  }

  /// The number of the next value, from 0.
  mutating func next(_ quantity: Quantity) -> Int {
    defer { counts[quantity, default: 0] += 1 }
    return counts[quantity, default: 0]
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
  private var given: Set<Quantity> = []

  private static let weight = FrameSource.characteristic(WeightMeasurement.uuid)
  private static let composition = FrameSource.characteristic(BodyCompositionMeasurement.uuid)

  /// Stores a weight, completes a composition, and leaves other content unchanged.
  mutating func complete(_ content: inout FrameContent, from source: FrameSource) {
    if source == Self.weight {
      (time, userIndex) = (content.values.first?.time, content.values.first?.userIndex)
      given = Set(content.values.map(\.quantity))
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
