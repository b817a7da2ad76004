import Care
import Foundation
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
  /// What came out, as the lines of the vector's `expect`.
  public let actual: [String]
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
          actual: outcome.actual, refused: outcome.refused)
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

  /// What the frames give.
  struct Outcome {
    /// The differences from the expected results.
    var differences: [String]
    /// The results as lines of `expect`.
    var actual: [String] = []
    /// The number of frames that were refused.
    var refused = 0
  }

  /// Plays the frames to a new session with its timers.
  func outcome(on definition: DeviceDefinition) -> Outcome {
    var session = DeviceSession(
      definition: definition, address: address, timeZone: .gmt,
      credentials: DeviceCredentials(key: key.map(Secret.init(_:))))
    let start = Date(timeIntervalSince1970: 1_600_000_000)
    var outputs: [SessionOutput] = []
    for frame in frames {
      let time = start.addingTimeInterval(frame.at)
      outputs += session.runTimers(until: time)
      guard let event = frame.event(of: address) else {
        return Outcome(differences: ["a frame is too long to be sent"])
      }
      outputs += session.handle(event, at: time)
    }
    outputs += session.runTimers(until: .distantFuture)
    return outcome(of: outputs)
  }

  private static func text(_ samples: [MotionSample]) -> String {
    "[" + samples.map(\.text).joined(separator: ", ") + "]"
  }

  private func outcome(of outputs: [SessionOutput]) -> Outcome {
    var found: [String] = []
    var readings: [Reading] = []
    var samples: [MotionSample] = []
    var rejections: [RejectedFrame] = []
    for output in outputs {
      switch output {
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
    return Outcome(
      differences: found, actual: readings.map(\.expectation) + samples.map(\.expectation),
      refused: rejections.count)
  }
}

extension DeviceSession {
  /// Advances the time, timer by timer.
  fileprivate mutating func runTimers(until time: Date) -> [SessionOutput] {
    var outputs: [SessionOutput] = []
    while let due = wakeAt, due <= time { outputs += wake(at: due) }
    return outputs
  }
}

extension MotionSample {
  /// `(-6000, 12000, 990000)`, followed by the angular rate if there is one.
  fileprivate var text: String {
    ([acceleration] + (angularRate.map { [$0] } ?? [])).map { "(\($0.x), \($0.y), \($0.z))" }
      .joined(separator: " ")
  }
}
