import GATT
import Radio

/// One link's attribute protocol, as the client (Core Specification, Vol 3 Part F and G).
///
/// A value state machine: bytes, commands and time in; bytes, events and requests out, in the order
/// in which they are to be performed. It reads no clock. Its memory is bounded, and one request is
/// in progress at a time.
///
/// The peer's services are reported once they are known, and again only if they changed; waiting
/// commands are then dropped, since a session restarts its script.
/// Values that arrive before the services are known wait for them.
struct ATTClient: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The largest protocol data unit that this machine accepts, in bytes: a whole value of 512.
  static let largestMTU: UInt16 = 517
  /// How long a peer may take to answer a request (Vol 3 Part F §3.3.3).
  static let answerTime = Duration.seconds(30)
  /// How long the discovery of a peer's services may take, though it answers each request.
  static let discoveryTime = Duration.seconds(60)
  /// How long earlier commands may take before a requested disconnect.
  static let closingTime = Duration.seconds(5)
  /// How many commands may wait.
  static let mostCommands = 64
  /// How many values may wait for the services to be known.
  static let mostEarlyValues = 64
  /// How many indications may wait to be confirmed; a conforming peer has one.
  static let mostIndications = 4

  /// The peer's address.
  let address: DeviceAddress
  /// Whether there is a bond with it.
  let isBonded: Bool

  var hasStarted = false
  /// The current MTU.
  var mtu = 23
  /// The attributes from an earlier link, not checked yet.
  var cached: CachedAttributes?
  /// The attributes, once known.
  var known: CachedAttributes?
  /// Whether `known` was verified on this link, by its hash or by a discovery.
  var isVerified = false
  /// A discovery in progress.
  var discovery: Discovery?
  /// The waiting jobs, in order.
  var jobs: [Job] = []
  /// The request in progress.
  var current: Transaction?
  /// The command that was last repeated after a rediscovery.
  var retried: Job?
  /// Whether a subscription was made: from then on there is time for less urgent jobs.
  var isSubscribed = false
  var hasPrepared = false
  /// Values that arrived before the services were known.
  var early: [EarlyValue] = []
  /// Indications that wait to be confirmed.
  var unconfirmed: Set<UInt64> = []
  var nextIndication: UInt64
  var discoveryDeadline: Instant?
  var closingDeadline: Instant?
  var isClosed = false
  var outputs: [ATTOutput] = []

  /// Makes a client of a link that is about to be connected.
  ///
  /// - Parameters:
  ///   - address: The peer's address.
  ///   - isBonded: Whether there is a bond with it.
  ///   - cached: The attributes from an earlier link to it.
  ///   - firstIndication: The number of the first indication's ``Confirmation``.
  init(
    address: DeviceAddress, isBonded: Bool = false, cached: CachedAttributes? = nil,
    firstIndication: UInt64 = 0
  ) {
    self.address = address
    self.isBonded = isBonded
    self.cached = cached
    nextIndication = firstIndication
  }

  /// When to call ``wake(at:)``; `nil` if nothing is due.
  var wakeAt: Instant? {
    guard !isClosed else { return nil }
    return [current?.deadline, discoveryDeadline, closingDeadline].compactMap(\.self).min()
  }
}

// MARK: - Inputs
extension ATTClient {
  /// The link is up, and encrypted if required: the protocol starts.
  mutating func start(at now: Instant) -> [ATTOutput] {
    hasStarted = true
    jobs.insert(contentsOf: [.exchangeMTU, .learnAttributes], at: 0)
    discoveryDeadline = now + Self.discoveryTime
    return proceed(at: now)
  }

  /// Processes a protocol data unit of the peer.
  mutating func handle(pdu bytes: [UInt8], at now: Instant) -> [ATTOutput] {
    guard !isClosed, let first = bytes.first else { return [] }
    let opcode = ATTOpcode(rawValue: first)
    do throws(GATTError) {
      take(try ATTPDU(bytes), at: now)
    } catch {
      takeUnreadable(opcode, error, at: now)
    }
    return proceed(at: now)
  }

  /// Performs a session's command after all earlier ones; `confirm` at once.
  mutating func perform(_ command: RadioCommand, at now: Instant) -> [ATTOutput] {
    guard !isClosed else { return [] }
    switch command {
    case .connect: break
    case .confirm(let confirmation): confirm(confirmation)
    case .disconnect:
      jobs.append(.command(command))
      closingDeadline = min(closingDeadline ?? now + Self.closingTime, now + Self.closingTime)
    case .subscribe, .read, .write:
      if jobs.count < Self.mostCommands {
        jobs.append(.command(command))
      } else {
        fail(LinkError(.other, .overloaded))
      }
    }
    return proceed(at: now)
  }

  /// The requested encryption succeeded: the request that needed it is sent once more.
  mutating func securityRaised(at now: Instant) -> [ATTOutput] {
    guard !isClosed, var transaction = current, transaction.deadline == nil else { return [] }
    transaction.isRepeated = true
    make(transaction, at: now)
    return proceed(at: now)
  }

  /// Performs what is due.
  mutating func wake(at now: Instant) -> [ATTOutput] {
    guard let wakeAt, wakeAt <= now else { return [] }
    if let closingDeadline, closingDeadline <= now {
      close(nil)
    } else if let deadline = current?.deadline, deadline <= now {
      close(LinkError(.gone, .silent(Self.answerTime)))
    } else {
      close(LinkError(.gone, .silent(Self.discoveryTime)))
    }
    return proceed(at: now)
  }
}

/// A request of an ``ATTClient`` to its owner, in order.
enum ATTOutput: Hashable, Sendable {
  /// Send this protocol data unit.
  case send([UInt8])
  /// Report to the consumer.
  case event(RadioEvent)
  /// Encrypt the link, then call ``ATTClient/securityRaised(at:)``; if that fails, the link is
  /// unusable.
  case raiseSecurity
  /// Cache the attributes for the next link.
  case learnt(CachedAttributes)
  /// Close the link; the error is `nil` if a command asked for it.
  case close(LinkError?)
}
