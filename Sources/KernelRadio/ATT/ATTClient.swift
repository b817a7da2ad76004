import GATT
import Radio

/// One link's conversation over the attribute protocol, as the client (Core Specification, Vol 3
/// Part F and G).
///
/// A value state machine: bytes, commands and time in; bytes, events and requests out, in the order
/// in which they are to be performed. It reads no clock. Its memory is bounded, and one request is
/// under way at a time.
///
/// The peer's services are reported once they are known, and again only if they changed; waiting
/// commands are then dropped, since a session restarts its script.
/// Values that come before the services are known wait for them.
struct ATTClient: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The largest protocol data unit that this machine takes, in bytes: a whole value of 512.
  static let largestMTU: UInt16 = 517
  /// How long a peer may take to answer a request (Vol 3 Part F §3.3.3).
  static let answerTime = Duration.seconds(30)
  /// How long the discovery of a peer's services may take, though it answers each request.
  static let discoveryTime = Duration.seconds(60)
  /// How long what was asked for before a link's end may take.
  static let closingTime = Duration.seconds(5)
  /// How many commands may wait.
  static let mostCommands = 64
  /// How many values may wait for the services to be known.
  static let mostEarlyValues = 64
  /// How many indications may wait to be confirmed; a peer that obeys the protocol has one.
  static let mostIndications = 4

  /// Who the peer is.
  let address: DeviceAddress
  /// Whether there is a bond with it.
  let isBonded: Bool

  var hasStarted = false
  /// The MTU in force.
  var mtu = 23
  /// What an earlier link learnt, not looked at yet.
  var cached: CachedAttributes?
  /// What the handles stand for, once that is known.
  var known: CachedAttributes?
  /// Whether `known` was checked on this link, by its digest or by a discovery.
  var isVerified = false
  /// A discovery that goes on.
  var discovery: Discovery?
  /// What is to be done, in order.
  var jobs: [Job] = []
  /// What is being done.
  var current: Transaction?
  /// The command that was last tried again after a rediscovery.
  var retried: Job?
  /// Whether something was subscribed to: from then on there is time for less urgent things.
  var isSubscribed = false
  var hasDoneChores = false
  /// Values that came before the services were known.
  var early: [EarlyValue] = []
  /// Indications that wait to be confirmed.
  var unconfirmed: Set<UInt64> = []
  var nextIndication: UInt64
  var discoveryDeadline: Instant?
  var closingDeadline: Instant?
  var isClosed = false
  var outputs: [ATTOutput] = []

  /// Makes a client of a link that is about to come up.
  ///
  /// - Parameters:
  ///   - address: Who the peer is.
  ///   - isBonded: Whether there is a bond with it.
  ///   - cached: What an earlier link to it learnt.
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

  /// When it wants to be woken; `nil` where it waits for nothing.
  var wakeAt: Instant? {
    guard !isClosed else { return nil }
    return [current?.deadline, discoveryDeadline, closingDeadline].compactMap(\.self).min()
  }
}

// What goes in.
extension ATTClient {
  /// The link is up, and encrypted where it is to be: the conversation begins.
  mutating func start(at now: Instant) -> [ATTOutput] {
    hasStarted = true
    jobs.insert(contentsOf: [.exchangeMTU, .learnAttributes], at: 0)
    discoveryDeadline = now + Self.discoveryTime
    return proceed(at: now)
  }

  /// Takes a protocol data unit of the peer.
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

  /// Does what a session asks, after all that was asked before; `confirm` at once.
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

  /// The link is encrypted now, as was asked for: the request that needed it is made once more.
  mutating func securityRaised(at now: Instant) -> [ATTOutput] {
    guard !isClosed, var transaction = current, transaction.deadline == nil else { return [] }
    transaction.isRepeated = true
    make(transaction, at: now)
    return proceed(at: now)
  }

  /// Does what was waiting for a time that has come.
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

/// What an ``ATTClient`` requests of its owner, in order.
enum ATTOutput: Hashable, Sendable {
  /// Send this protocol data unit.
  case send([UInt8])
  /// Report to the consumer.
  case event(RadioEvent)
  /// Have the link encrypted, then call ``ATTClient/securityRaised(at:)``; where that fails, the
  /// link is of no more use.
  case raiseSecurity
  /// Keep what was learnt for the next link.
  case learnt(CachedAttributes)
  /// Close the link; the error is `nil` if a command asked for it.
  case close(LinkError?)
}
