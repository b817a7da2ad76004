public import Care
public import Foundation
public import GATT
public import Motion
public import Radio

/// The session of one device: radio events in; readings, motion and commands out.
///
/// A value state machine: it reads no clock and performs no I/O. Its driver passes every event of
/// the device, calls ``wake(at:)`` at ``wakeAt``, and processes the outputs in order (see
/// ``SessionOutput``). Decoding does not depend on sent commands, so a trace that begins in the
/// middle of a connection is decoded too. Its memory is bounded.
public struct DeviceSession: Sendable {
  /// The device's definition.
  public private(set) var definition: DeviceDefinition
  /// The device's address.
  public let address: DeviceAddress

  private let timeZone: TimeZone
  private var credentials: DeviceCredentials
  private var link = LinkPolicy()
  private var catchUp = CatchUp()
  private var conversation: Conversation?
  private var subscriptions: SubscriptionWatch?
  private var available: Set<BluetoothUUID> = []
  private var acknowledging: Set<BluetoothUUID> = []
  /// The newest record of each user that was read from the device's memory.
  private var newestRecords: [Int: [UInt8]] = [:]
  private var decoding: SessionDecoding
  /// Whether a frame of this link could not be read, or is missing.
  private var hasRefused = false
  /// Whether nobody has said whose the device is.
  ///
  /// It may be a neighbour's, so it is linked once, for what it sends to be asked about. A scale is
  /// linked as one of the plan: whose a weight is, its weighings tell.
  public var isGuest: Bool
  /// Whether a guest was linked, so that the question can be asked.
  private var hasVisited = false
  /// Whether the device has refused something on this link for want of a bond.
  private var lacksBond = false

  /// The maximum number of a device's characteristics; real devices have a few dozen.
  static let maximumCharacteristics = 256

  /// Starts the session of a device.
  ///
  /// - Parameters:
  ///   - definition: The device's definition.
  ///   - address: The device's address.
  ///   - timeZone: The plan's zone, in which the device's clock is set.
  ///   - credentials: The credentials for the device's data.
  ///   - isGuest: Whether nobody has said whose the device is.
  public init(
    definition: DeviceDefinition, address: DeviceAddress, timeZone: TimeZone,
    credentials: DeviceCredentials = DeviceCredentials(), isGuest: Bool = false
  ) {
    self.isGuest = isGuest
    self.definition = definition
    self.address = address
    self.timeZone = timeZone
    self.credentials = credentials
    decoding = SessionDecoding(
      definition,
      CodecContext(address: address, timeZone: timeZone, credentials: credentials))
  }

  /// Replaces the credentials after a change of the plan: a key applies from the next frame, a
  /// consent from the next link.
  public mutating func trust(_ credentials: DeviceCredentials) {
    guard credentials != self.credentials else { return }
    self.credentials = credentials
    decoding.trust(credentials)
  }

  /// The time of the next ``wake(at:)``; `nil` for none.
  public var wakeAt: SteadyTime? {
    [mayLink ? link.wakeAt : nil, conversation?.wakeAt, subscriptions?.wakeAt, decoding.wakeAt]
      .compactMap(\.self).min()
  }

  /// The records of the definition by which something was read.
  var recordsRead: Set<Int> { decoding.recordsRead }

  /// Whether a link is up.
  public var isLinked: Bool { link.state == .up }

  /// Whether a link is up or being connected.
  public var hasLink: Bool { link.state != .down }

  /// Whether a link is asked for only once, since nobody has said whose the device is.
  public var isLinkedOnce: Bool { isGuest && !definition.quantities.contains(.bodyMass) }

  /// Takes back the request for a link: what a guest sent earlier waits for an answer already.
  public mutating func decline() {
    hasVisited = true
    link = LinkPolicy()
  }

  private var mayLink: Bool { !isLinkedOnce || !hasVisited }

  /// Processes an event; events of other devices are ignored.
  public mutating func handle(_ event: RadioEvent, at time: EventTime) -> [SessionOutput] {
    guard event.address == address else { return [] }
    switch event {
    case .advertisement(let advertisement):
      let outputs = decoding.advertisement(advertisement, at: time)
      guard advertisement.isConnectable, mayLink, wantsLink(at: time),
        link.advertised(at: time.steady)
      else {
        return outputs
      }
      catchUp.began(at: time.steady)
      return outputs + [connect]
    case .connected:
      link.connected()
      return []
    case .services(_, let services):
      link.connected()
      let found = services.flatMap(\.characteristics).prefix(Self.maximumCharacteristics)
      available = Set(found.map(\.uuid))
      acknowledging = Set(found.filter { $0.properties.contains(.write) }.map(\.uuid))
      return watchSubscriptions(at: time)
    case .value(let value):
      link.worked()
      if subscriptions?.heard(value.characteristic, at: time.steady) == true { link.spoke() }
      // The confirmation follows the readings, so that they are durable first.
      var (outputs, frames) = decoding.value(value, at: time)
      hasRefused =
        hasRefused || outputs.contains { if case .rejected = $0 { true } else { false } }
      if definition.session.password != nil {
        for frame in frames { outputs += learn(from: frame, of: frame.characteristic) }
      }
      if let confirmation = value.confirmation { outputs.append(.command(.confirm(confirmation))) }
      guard conversation != nil else { return outputs }
      for frame in frames {
        outputs +=
          conversation?.value(
            frame.bytes, of: frame.characteristic, isRefused: frame.isRefused,
            mayDelete: !hasRefused, at: time) ?? []
      }
      return outputs
    case .written(_, let characteristic):
      link.worked()
      return conversation?.written(characteristic, at: time) ?? []
    case .failed(_, let error):
      if error.kind == .unauthorized || error.kind == .staleBond { lacksBond = true }
      let report = LinkReport(
        name: definition.name, address: address, error: error,
        retryDelay: link.failed(error, at: time.steady))
      // Another step than the one that waits: radios perform the commands in order.
      if case .refused(.subscribe, let characteristic, _) = error.cause, isLinked {
        let needsBond = error.kind == .unauthorized || error.kind == .staleBond
        let action = subscriptions?.refused(characteristic, needsBond: needsBond, at: time.steady)
        return [.linkFailed(report)] + perform(action, at: time)
      }
      return (link.isOnlyWaiting ? [] : [.linkFailed(report)])
        + (conversation?.failed(at: time) ?? [])
    case .disconnected:
      // A device that is to be paired first has told nothing yet.
      if link.state == .up, !lacksBond { hasVisited = true }
      lacksBond = false
      link.disconnected(at: time.steady)
      if conversation?.isFinished == true { catchUp.done(at: time.steady) }
      newestRecords = conversation?.newestRecords ?? newestRecords
      conversation = nil
      subscriptions = nil
      available = []
      acknowledging = []
      hasRefused = false
      return decoding.disconnected(at: time)
    case .bondChanged:
      // Somebody here has paired it.
      hasVisited = false
      link.bondChanged()
      return perform(subscriptions?.bondChanged(), at: time)
    case .lost(_, let count):
      // A record may be among them, so none is deleted.
      hasRefused = true
      return [note(.valuesDropped(count: count))]
    case .motion:
      return []
    }
  }

  /// Keeps the password that a frame has.
  ///
  /// Only a device of the plan is paired with: another one may be a neighbour's, who is pairing it.
  private mutating func learn(
    from frame: SessionDecoding.ReceivedFrame, of characteristic: BluetoothUUID
  ) -> [SessionOutput] {
    guard !frame.isRefused,
      let key = definition.session.password?.key(in: frame.bytes, of: characteristic)
    else { return [] }
    guard conversation != nil else { return [] }
    guard credentials.isPlanned else { return [note(.notPaired)] }
    credentials.key = key
    conversation?.paired(with: key)
    return [.learned(address, key: key)]
  }

  /// Performs the due actions.
  public mutating func wake(at time: EventTime) -> [SessionOutput] {
    let retry = mayLink && link.wake(at: time.steady) ? [connect] : []
    return decoding.wake(at: time) + retry + (conversation?.wake(at: time) ?? [])
      + perform(subscriptions?.wake(at: time.steady), at: time)
  }

  private mutating func perform(
    _ action: SubscriptionWatch.Action?, at time: EventTime
  ) -> [SessionOutput] {
    switch action {
    case .beginAgain: return startScript(at: time)
    case .hangUp(let reason):
      subscriptions = nil
      conversation = nil
      link.renew()
      return (reason.map { [note($0)] } ?? []) + [.command(.disconnect(address))]
    case nil: return []
    }
  }

  /// Whether to connect after an advertisement.
  private mutating func wantsLink(at time: EventTime) -> Bool {
    switch definition.link.mode {
    case .connect: true
    // Not before the current weighing is final: a link ends the advertisements.
    case .advertisement:
      definition.link.keepsHistory && catchUp.advertised(at: time.steady) && decoding.wakeAt == nil
    }
  }

  private func note(_ kind: SessionNote.Kind) -> SessionOutput {
    .note(SessionNote(address: address, name: definition.name, kind: kind))
  }

  private var connect: SessionOutput {
    .command(.connect(address, bonded: definition.link.bond == .required))
  }

  /// Continues with another definition, if a late name or service shows another kind of device.
  ///
  /// The link stays up; after service discovery the new definition's steps begin.
  ///
  /// - Returns: The values that the old definition held back, and the new one's first commands.
  public mutating func become(_ definition: DeviceDefinition, at time: EventTime) -> [SessionOutput]
  {
    guard definition.id != self.definition.id else { return [] }
    let pending = decoding.end(at: time)
    self.definition = definition
    decoding = SessionDecoding(
      definition,
      CodecContext(address: address, timeZone: timeZone, credentials: credentials))
    return pending + (available.isEmpty ? [] : watchSubscriptions(at: time))
  }

  /// Starts the definition's steps, and watches over their subscriptions.
  private mutating func watchSubscriptions(at time: EventTime) -> [SessionOutput] {
    let steps = [Instruction](
      definition.session.start, available: available, users: credentials.users)
    let subscribed = steps.compactMap { step in
      if case .subscribe(let characteristic) = step { characteristic } else { nil }
    }
    subscriptions = SubscriptionWatch(
      Set(subscribed), isStream: definition.isStream, at: time.steady)
    return startScript(at: time)
  }

  private mutating func startScript(at time: EventTime) -> [SessionOutput] {
    let link = LinkEnd(
      address: address, available: available, acknowledging: acknowledging,
      credentials: credentials)
    var begun = Conversation(
      definition, over: link, timeZone: timeZone, lastRecord: decoding.lastRecord,
      newestRecords: newestRecords, at: time)
    let outputs = begun.begin(at: time)
    conversation = begun
    return outputs
  }

  /// Ends the session: the definition's final writes (a sensor that continues to stream drains its
  /// battery), then the end of the link.
  public mutating func end(at time: EventTime) -> [SessionOutput] {
    let pending = decoding.end(at: time)
    guard hasLink else { return pending }
    let last = conversation?.end(at: time) ?? [.command(.disconnect(address))]
    conversation = nil
    subscriptions = nil
    return pending + last
  }
}

// MARK: - Session output

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
