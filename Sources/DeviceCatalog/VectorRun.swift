import Care
import Foundation
import GATT
import Motion
import Radio

/// The result of one vector of a definition.
public struct VectorResult: Hashable, Sendable {
  /// The definition's id.
  public let definition: String
  /// The vector's name.
  public let vector: String
  /// Whether the frames were recorded or derived.
  public let provenance: DefinitionVector.Provenance
  /// The differences from the expected results, in words; empty if the vector passed.
  public let failures: [String]
  /// The actual results, as the lines of the vector's `expect`.
  public let actual: [String]
  /// The writes to the device, as the lines of the vector's `writes`, if it has some.
  public let writes: [String]
  /// The number of frames that were refused.
  public let refused: Int

  /// Whether every result was as expected.
  public var isPassed: Bool { failures.isEmpty }
}

extension DeviceCatalog {
  /// Runs every definition's vectors through the session that live data uses.
  public func runVectors() -> [VectorResult] {
    definitions.flatMap { definition in
      definition.vectors.map { vector in
        let outcome = vector.outcome(on: definition)
        return VectorResult(
          definition: definition.id, vector: vector.name, provenance: vector.provenance,
          failures: recognitionFailures(of: vector, in: definition) + outcome.differences,
          actual: outcome.actual, writes: outcome.writes, refused: outcome.refused)
      }
    }
  }

  /// The advertisements of the vector that another definition matches better.
  private func recognitionFailures(
    of vector: DefinitionVector, in definition: DeviceDefinition
  ) -> [String] {
    var device = AdvertisedDevice(address: vector.address)
    var failures: [String] = []
    for case .advertisement(let advertisement) in vector.events {
      device.merge(advertisement)
      // A deliberately malformed frame need not be recognised.
      guard vector.rejected == 0 else { continue }
      let best = matches(for: device).first?.definition.id
      if best != definition.id {
        failures.append("the advertisement is recognised as \(best ?? "nothing")")
      }
    }
    return failures
  }
}

extension DefinitionVector {
  /// The frames as radio events.
  fileprivate var events: [RadioEvent] { frames.compactMap { $0.event(of: address) } }

  /// Plays the frames to a new session with its timers.
  ///
  /// - Returns: The differences from the expected results.
  func run(on definition: DeviceDefinition) -> [String] { outcome(on: definition).differences }

  /// The outcome of a vector's frames.
  struct Outcome {
    /// The differences from the expected results.
    var differences: [String]
    /// The writes as lines of `writes`; none if the vector has no link.
    var writes: [String] = []
    /// The results as lines of `expect`.
    var actual: [String] = []
    /// The number of frames that were refused.
    var refused = 0
  }

  /// Plays the frames to a new session with its timers.
  func outcome(on definition: DeviceDefinition) -> Outcome {
    var player = VectorPlayer(self, definition)
    for frame in frames {
      guard let event = frame.event(of: address) else {
        return Outcome(differences: ["a frame is too long to be sent"])
      }
      player.play(event, at: frame.at)
    }
    player.finish(after: frames.last?.at ?? 0)
    return outcome(of: player.outputs, player.writes)
  }

  /// The records of a definition by which the frames gave something.
  func recordsRead(by definition: DeviceDefinition) -> Set<Int> {
    var player = VectorPlayer(self, definition)
    for frame in frames {
      if let event = frame.event(of: address) { player.play(event, at: frame.at) }
    }
    player.finish(after: frames.last?.at ?? 0)
    return player.recordsRead
  }

  private static func text(_ samples: [MotionSample]) -> String {
    "[" + samples.map(\.text).joined(separator: ", ") + "]"
  }

  private func outcome(of outputs: [SessionOutput], _ written: [Write]) -> Outcome {
    var found: [String] = []
    var readings: [Reading] = []
    var samples: [MotionSample] = []
    var rejections: [RejectedFrame] = []
    var discarded = 0
    for output in outputs {
      switch output {
      case .reading(let reading) where reading.discardedBy != nil: discarded += 1
      case .reading(let reading): readings.append(reading)
      case .motion(let batch):
        samples += batch.samples.map { $0.at(0) }
      case .rejected(let frame): rejections.append(frame)
      case .command, .learned, .note, .linkFailed: break
      }
    }

    let wantedReadings = expected.compactMap(\.reading)
    if readings.count != wantedReadings.count {
      found.append("\(readings.count) readings instead of \(wantedReadings.count)")
    }
    found += zip(wantedReadings, readings).flatMap { $0.differences(from: $1) }

    let wantedSamples = expected.compactMap(\.sample)
    if samples != wantedSamples {
      found.append("the motion is \(Self.text(samples)) instead of \(Self.text(wantedSamples))")
    }

    if rejections.count != rejected {
      found.append("\(rejections.count) frames are refused instead of \(rejected)")
      found += rejections.map { "\($0.source): \($0.defect)" }
    }
    if let wanted = self.discarded, discarded != wanted {
      found.append("\(discarded) records are kept as no measurement instead of \(wanted)")
    }
    if let writes { found += Self.differences(of: written, from: writes) }
    return Outcome(
      differences: found, writes: writes == nil ? [] : written.map { "- \($0)" },
      actual: readings.map(\.expectation) + samples.map(\.expectation),
      refused: rejections.count)
  }
}

extension DefinitionVector {
  private static func differences(of written: [Write], from wanted: [Write]) -> [String] {
    var found: [String] = []
    if written.count != wanted.count {
      found.append("\(written.count) writes instead of \(wanted.count)")
    }
    for (index, (new, old)) in zip(written, wanted).enumerated() where new != old {
      found.append("write \(index + 1) is \(new) instead of \(old)")
    }
    return found + written.dropFirst(wanted.count).map { "not expected: \($0)" }
  }
}

/// Plays a vector to a session, as a device that accepts what is written to it.
struct VectorPlayer {
  /// The time of the clock at the first frame, in UTC: a device may be told the time.
  static var clock: String { LocalDateTime(start.date, in: .gmt).description }
  private static let start = EventTime(Date(timeIntervalSince1970: 1_600_000_000))
  /// How long the link stays after the last frame, in seconds.
  private static let rest = 10.0

  private(set) var outputs: [SessionOutput] = []
  private(set) var writes: [DefinitionVector.Write] = []
  private var session: DeviceSession
  /// The records of the definition by which something was read.
  var recordsRead: Set<Int> { session.recordsRead }
  private let hasLink: Bool

  init(_ vector: DefinitionVector, _ definition: DeviceDefinition) {
    session = DeviceSession(
      definition: definition, address: vector.address, timeZone: .gmt,
      credentials: DeviceCredentials(
        key: vector.key.map(Secret.init(_:)), isPlanned: vector.writes != nil))
    hasLink = vector.writes != nil
    guard let expected = vector.writes else { return }
    // The device has what the vector names: of several dialects, those characteristics.
    var known =
      expected.isEmpty ? definition.session.writable : expected.map(\.characteristic)
    for case .source(.characteristic(let uuid), _) in vector.frames.map(\.content) {
      known.append(uuid)
    }
    let characteristics = Set(known).map {
      GATTCharacteristic(uuid: $0, properties: [.notify, .read, .write])
    }
    play(.connected(session.address), at: 0)
    play(
      .services(
        session.address,
        [GATTService(uuid: BluetoothUUID(0x1801), characteristics: characteristics)]), at: 0)
  }

  /// Passes an event, in seconds after the first.
  mutating func play(_ event: RadioEvent, at seconds: Double) {
    let time = Self.start.at(Self.start.steady + seconds)
    runTimers(until: time.steady)
    take(session.handle(event, at: time), at: time)
  }

  /// Ends the link, if there is one, and waits for what the session still waits for.
  mutating func finish(after seconds: Double) {
    if hasLink { play(.disconnected(session.address), at: seconds + Self.rest) }
    runTimers(until: .distantFuture)
  }

  private mutating func runTimers(until end: SteadyTime) {
    while let due = session.wakeAt, due <= end {
      let time = Self.start.at(due)
      take(session.wake(at: time), at: time)
    }
  }

  private mutating func take(_ new: [SessionOutput], at time: EventTime) {
    outputs += new
    for case .command(.write(_, let characteristic, let data, let withResponse)) in new {
      writes.append(DefinitionVector.Write(characteristic: characteristic, data: data))
      guard withResponse else { continue }
      take(
        session.handle(.written(session.address, characteristic: characteristic), at: time),
        at: time)
    }
  }
}

extension MotionSample {
  /// `(-6000, 12000, 990000)`, followed by the angular rate if there is one.
  fileprivate var text: String {
    ([acceleration] + (angularRate.map { [$0] } ?? [])).map { "(\($0.x), \($0.y), \($0.z))" }
      .joined(separator: " ")
  }
}
