public import Care
public import Foundation
public import GATT
public import Motion
public import Radio

/// An output of a device session, to be processed in order.
///
/// A command that acknowledges a reading (`RadioCommand.confirm(_:)`, a record's deletion)
/// follows it. A driver that makes each reading durable before the next output loses none.
public enum SessionOutput: Hashable, Sendable {
  /// A measured value.
  case reading(Reading)
  /// Motion samples of a body-worn sensor.
  case motion(MotionBatch)
  /// A password that the device sent while it was paired: to be kept as the key of its binding,
  /// before the commands that follow.
  case learned(DeviceAddress, key: Secret<[UInt8]>)
  /// A command for the radio. A replay ignores it.
  case command(RadioCommand)
  /// A frame that was refused.
  case rejected(RejectedFrame)
  /// A failed command to the device.
  case linkFailed(LinkReport)
  /// A state of the device that a person who looks for a fault needs to know.
  case note(SessionNote)
}

/// A failed command to a device.
public struct LinkReport: Hashable, Sendable {
  /// The device's name, from its definition.
  public var name: String
  /// The device.
  public var address: DeviceAddress
  /// The failure and its cause.
  public var error: LinkError
  /// Seconds until the next attempt; `nil` while the link is still up.
  public var retryDelay: TimeInterval?

  /// Makes a report.
  public init(name: String, address: DeviceAddress, error: LinkError, retryDelay: TimeInterval?) {
    self.name = name
    self.address = address
    self.error = error
    self.retryDelay = retryDelay
  }
}

/// A refused frame with the reason.
public struct RejectedFrame: Hashable, Sendable {
  /// The sender.
  public var address: DeviceAddress
  /// The characteristic or advertised data.
  public var source: FrameSource
  /// The bytes as received.
  public var bytes: [UInt8]
  /// The reason.
  public var defect: FrameDefect

  /// Makes a refused frame.
  public init(
    address: DeviceAddress, source: FrameSource, bytes: [UInt8], defect: FrameDefect
  ) {
    self.address = address
    self.source = source
    self.bytes = bytes
    self.defect = defect
  }
}

// MARK: - Notes

/// A state of a device that a person who looks for a fault needs to know.
public struct SessionNote: Hashable, Sendable {
  /// The device.
  public var address: DeviceAddress
  /// The name of its definition: `Beurer diagnostic scale`.
  public var name: String
  /// The kind of event.
  public var kind: Kind

  /// Makes a note.
  public init(address: DeviceAddress, name: String, kind: Kind) {
    self.address = address
    self.name = name
    self.kind = kind
  }

  /// The kinds of events.
  public enum Kind: Hashable, Sendable {
    /// A frame was intact and held no measurement.
    case frame(FrameNote)
    /// The device asks for the password of its pairing, which is unknown, or the plan does not name
    /// the device.
    case notPaired
    /// The device does not know this machine's key, and is not in the mode in which it takes one.
    case keyRefused
    /// The device's memory is not that of its definition: it is another model.
    case otherMemory
    /// The device refused to open or to read its memory, with its number for the reason.
    case memoryRefused(UInt8)
    /// The device stopped answering while its memory was read.
    case memorySilent
    /// The device did not accept this machine in its handshake.
    case handshakeRefused
    /// The device did not answer in its handshake.
    case handshakeUnanswered
    /// The device requires a user's consent, and the credentials have no user.
    case missingConsent
    /// The device refused the consent of a user.
    case consentRefused(user: UInt8, UserControlPoint.Result)
    /// The device did not respond to the consent of a user.
    case consentUnanswered(user: UInt8)
    /// The device refused to send its stored records.
    case recordsRefused(RecordAccessControlPoint.Result)
    /// The device stopped before the last of its stored records.
    case recordsIncomplete
    /// The radio dropped values of the device, which sends faster than they can be processed.
    case valuesDropped(count: Int)
    /// The device refused twice to send the values of a characteristic; its link is renewed.
    case subscriptionRefused(BluetoothUUID)
    /// The device, which sends all the time, was silent for that long; its link is renewed.
    case silent(seconds: Int)
  }
}

// MARK: - Motion

/// Motion samples of one notification or one line of a trace, oldest first.
public struct MotionBatch: Hashable, Sendable {
  /// The clock of the samples' times.
  public enum TimeBase: String, Hashable, Sendable {
    /// The sensor's own clock, set to the first arrival.
    case device
    /// The arrival, smoothed by the nominal rate.
    case arrival
    /// A recording's clock.
    case recording
  }

  /// The sensor: its address, or its name in a recording.
  public var device: DeviceIdentity
  /// The clock of the samples' times.
  public var timeBase: TimeBase
  /// The requested rate in thousandths of a sample a second; `nil` if unknown.
  public var milliHertz: Int?
  /// The samples; their times are in microseconds since 1970, ascending.
  public var samples: [MotionSample]
  /// Whether the sensor sends its own count of steps, too, so that they are not counted twice.
  public var countsSteps: Bool

  /// Makes a batch.
  public init(
    device: DeviceIdentity, timeBase: TimeBase, milliHertz: Int?, samples: [MotionSample],
    countsSteps: Bool = false
  ) {
    self.countsSteps = countsSteps
    self.device = device
    self.timeBase = timeBase
    self.milliHertz = milliHertz
    self.samples = samples
  }

  /// Makes the batch of a recorded sensor, whose samples are relative to `time`.
  public init(_ motion: RecordedMotion, at time: Date) {
    let start = time.microseconds
    self.init(
      device: DeviceIdentity(address: DeviceID(motion.sensor)), timeBase: .recording,
      milliHertz: nil,
      samples: motion.samples.map { $0.at(start &+ $0.time) })
  }
}
