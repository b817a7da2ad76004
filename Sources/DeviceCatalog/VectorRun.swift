import Care
import Foundation
import Motion
import Radio

/// How one vector of a definition fared.
public struct VectorResult: Hashable, Sendable {
  /// The definition's id.
  public let definition: String
  /// The vector's name.
  public let vector: String
  /// Whether the frames were recorded or derived.
  public let provenance: DefinitionVector.Provenance
  /// What came out otherwise than expected, for people; empty where all is well.
  public let failures: [String]

  /// Whether everything came out as expected.
  public var isPassed: Bool { failures.isEmpty }
}

extension DeviceCatalog {
  /// Runs every definition's vectors through the same session that live data goes through.
  public func runVectors() -> [VectorResult] {
    definitions.flatMap { definition in
      definition.vectors.map { vector in
        VectorResult(
          definition: definition.id, vector: vector.name, provenance: vector.provenance,
          failures: recognitionFailures(of: vector, in: definition) + vector.run(on: definition))
      }
    }
  }

  /// Whether another definition would take the vector's advertisements.
  private func recognitionFailures(
    of vector: DefinitionVector, in definition: DeviceDefinition
  ) -> [String] {
    var device = AdvertisedDevice(address: vector.address)
    var failures: [String] = []
    for case .advertisement(let advertisement) in vector.events {
      device.merge(advertisement)
      // A frame that is broken on purpose need not be recognised.
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
  /// The device of a vector that does not name one.
  static let madeUpAddress = DeviceAddress(rawValue: 0xC0_FF_EE_00_00_01)

  /// The frames as the radio would give them.
  fileprivate var events: [RadioEvent] { frames.compactMap { $0.event(of: address) } }

  /// Plays the frames to a new session, with its timers.
  ///
  /// - Returns: What came out otherwise than expected.
  func run(on definition: DeviceDefinition) -> [String] {
    var session = DeviceSession(
      definition: definition, address: address, timeZone: .gmt,
      credentials: DeviceCredentials(key: key.map(Secret.init(_:))))
    let start = Date(timeIntervalSince1970: 1_600_000_000)
    var outputs: [SessionOutput] = []
    for frame in frames {
      let time = start.addingTimeInterval(frame.at)
      outputs += session.runTimers(until: time)
      guard let event = frame.event(of: address) else { return ["a frame is too long to be sent"] }
      outputs += session.handle(event, at: time)
    }
    outputs += session.runTimers(until: .distantFuture)
    return differences(in: outputs)
  }

  private func differences(in outputs: [SessionOutput]) -> [String] {
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
      case .command, .note: break
      }
    }

    let wantedReadings = expected.filter(\.isReading)
    if readings.count != wantedReadings.count {
      found.append("\(readings.count) readings instead of \(wantedReadings.count)")
    }
    found += zip(wantedReadings, readings).compactMap { $0.difference(from: $1) }

    let wantedSamples = expected.compactMap(\.sample)
    if samples != wantedSamples {
      found.append("the motion is \(samples.map(\.text)) instead of \(wantedSamples.map(\.text))")
    }

    if rejections.count != rejected {
      found.append("\(rejections.count) frames are refused instead of \(rejected)")
      found += rejections.map(\.reason)
    }
    return found
  }
}

extension DeviceSession {
  /// Lets time pass, timer by timer.
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
