public import Care
public import Foundation
public import Motion
public import Radio

/// What a device session asks of whoever drives it.
///
/// The order is the promise: a command that acknowledges a reading (``RadioCommand/confirm(_:)``,
/// a record's deletion) comes after it, so whoever makes readings durable before it goes on to the
/// next output loses none.
public enum SessionOutput: Hashable, Sendable {
  /// Something was measured.
  case reading(Reading)
  /// A body-worn sensor moved.
  case motion(MotionBatch)
  /// The radio is to do something. A replay leaves it out.
  case command(RadioCommand)
  /// A frame could not be read.
  case rejected(RejectedFrame)
  /// Something that a person who looks for a fault wants to know.
  case note(String)
}

/// A frame that could not be read, with the reason.
public struct RejectedFrame: Hashable, Sendable {
  /// Who sent it.
  public var address: DeviceAddress
  /// Where it came from: `characteristic 2A9D`, `service data 181B`.
  public var source: String
  /// The bytes as they came.
  public var bytes: [UInt8]
  /// Why, for people.
  public var reason: String
}

/// Motion samples of one notification or one line of a trace, oldest first.
public struct MotionBatch: Hashable, Sendable {
  /// Whose clock spaced the samples.
  public enum TimeBase: String, Hashable, Sendable {
    /// The sensor's own, set once against the arrival.
    case device
    /// The arrival, smoothed by the nominal rate.
    case arrival
    /// A recording's.
    case recording
  }

  /// The sensor: its address, or its name in a recording.
  public var device: DeviceIdentity
  /// Whose clock spaced the samples.
  public var timeBase: TimeBase
  /// The rate that the sensor was asked for in thousandths of a sample a second; `nil` where it is
  /// not known.
  public var milliHertz: Int?
  /// The samples; their time is in microseconds since 1970, rising.
  public var samples: [MotionSample]

  /// Makes a batch.
  public init(
    device: DeviceIdentity, timeBase: TimeBase, milliHertz: Int?, samples: [MotionSample]
  ) {
    self.device = device
    self.timeBase = timeBase
    self.milliHertz = milliHertz
    self.samples = samples
  }

  /// The batch that a trace recorded of a sensor by name at `time`.
  public init(_ motion: RecordedMotion, at time: Date) {
    let start = time.microseconds
    self.init(
      device: DeviceIdentity(address: DeviceID(motion.sensor)), timeBase: .recording,
      milliHertz: nil,
      samples: motion.samples.map { $0.at(start &+ $0.time) })
  }
}
