import Foundation
import GATT
import Radio
import SystemBus

/// A link to one device over the kernel's socket for the attribute protocol.
///
/// It runs on its ``EventLoop``, like its owner: an actor on the same loop calls it through
/// `assumeIsolated` and is called back on the loop's thread. An ended link stays ended; a new link
/// is a new value.
///
/// ```swift
/// let link = KernelLink(target, on: loop, cached: cache[target.address], firstIndication: n) {
///   [weak self] update in self?.assumeIsolated { $0.received(update, from: target.address) }
/// }
/// link.assumeIsolated { $0.open() }
/// ```
actor KernelLink {
  /// How long a peer may take to answer the connection request.
  static let connectTime = Duration.seconds(20)
  /// How many units are read before other files are served.
  private static let mostInTurn = 32
  /// How many units are read from a link that has ended.
  private static let mostAtEnd = 4096
  /// How many units may wait to be sent.
  private static let mostUnsent = 256

  private enum State {
    case new, connecting, up, ended
  }

  /// The two ends of the link.
  let target: LinkTarget
  private let loop: EventLoop
  private let connect: @Sendable (LinkTarget) throws(SystemError) -> LinkSocket
  private let report: @Sendable (LinkUpdate) -> Void

  private var state = State.new
  private var client: ATTClient
  private var socket: LinkSocket?
  private var watch: EventLoop.Watch?
  private var timer: (due: ContinuousClock.Instant, watch: EventLoop.Watch)?
  private var unsent: [[UInt8]] = []
  private var unreported: [LinkUpdate] = []
  /// How many received units the kernel had dropped when it was last asked.
  private var dropped: UInt32 = 0
  private var connectDeadline: ContinuousClock.Instant?
  private var securing: Securing?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Makes a link that is not opened yet.
  ///
  /// - Parameters:
  ///   - target: The two ends of the link.
  ///   - loop: The event loop that it runs on.
  ///   - cached: The attributes from an earlier link (``LinkUpdate/learnt(_:)``).
  ///   - firstIndication: The number of the first indication's ``Confirmation``, above all that
  ///     earlier links to this device have used.
  ///   - connect: Opens the socket.
  ///   - report: Receives updates on the loop's thread, never from within a call to the link.
  init(
    _ target: LinkTarget, on loop: EventLoop, cached: CachedAttributes? = nil,
    firstIndication: UInt64 = 0,
    connect: @escaping @Sendable (LinkTarget) throws(SystemError) -> LinkSocket = {
      (target) throws(SystemError) in try LinkSocket(connectingTo: target)
    },
    report: @escaping @Sendable (LinkUpdate) -> Void
  ) {
    self.target = target
    self.loop = loop
    self.connect = connect
    self.report = report
    client = ATTClient(
      address: target.address, isBonded: target.isBonded, cached: cached,
      firstIndication: firstIndication)
  }

  deinit {
    if let watch { loop.cancel(watch) }
    if let timer { loop.cancel(timer.watch) }
  }

  // MARK: - Commands

  /// Connects; the result is reported.
  func open() {
    guard state == .new else { return }
    do throws(SystemError) {
      let socket = try connect(target)
      state = .connecting
      self.socket = socket
      connectDeadline = .now + Self.connectTime
      watch = loop.watch(socket.file, for: .writable) { [weak self] readiness in
        self?.assumeIsolated { $0.becameReady(readiness) }
      }
    } catch {
      end(LinkError(socket: error.code, at: .call))
    }
    settleLater()
  }

  /// Performs a session's command, in order; until the services are known it waits.
  ///
  /// `disconnect` ends the link once earlier commands are done, at most five seconds later; a link
  /// that is not up yet ends at once.
  func send(_ command: RadioCommand) {
    if case .disconnect = command, state != .up {
      close()
    } else {
      act(client.perform(command, at: .now))
      settleLater()
    }
  }

  /// Closes at once.
  func close() {
    end(nil)
    settleLater()
  }

  // MARK: - The socket

  private func becameReady(_ readiness: EventLoop.Readiness) {
    switch state {
    case .connecting: connected(readiness)
    case .up:
      if !readiness.isDisjoint(with: [.ended, .hungUp]) {
        hungUp()
      } else {
        if readiness.contains(.readable) { receive(atMost: Self.mostInTurn) }
        if readiness.contains(.writable) { resumed() }
      }
    case .new, .ended: break
    }
    settle()
  }

  private func connected(_ readiness: EventLoop.Readiness) {
    let code = socket?.takeError() ?? ENOTCONN
    guard code == 0, readiness.isDisjoint(with: [.ended, .hungUp]) else {
      return end(LinkError(socket: code == 0 ? ECONNABORTED : code, at: .connecting))
    }
    connectDeadline = nil
    state = .up
    unreported.append(.event(.connected(target.address)))
    if target.isBonded { secure() } else { act(client.start(at: .now)) }
  }

  private func receive(atMost limit: Int) {
    for _ in 0..<limit where state == .up {
      guard case .bytes(let bytes)? = socket?.receive() else { return }
      act(client.handle(pdu: bytes, at: .now))
    }
    // Only where so many waited can there have been too many.
    countDropped()
  }

  /// Reports what the kernel has dropped because it was not read in time.
  private func countDropped() {
    guard let count = socket?.droppedCount, count != dropped else { return }
    unreported.append(.event(.lost(target.address, count: Int(count &- dropped))))
    dropped = count
  }

  /// The link has ended, but earlier values may wait: a scale disconnects right after its last one.
  ///
  /// The socket's error is read first, since a read would clear it.
  private func hungUp(_ guess: CInt = ECONNRESET) {
    let error = socket?.takeError() ?? 0
    let code = error == 0 ? guess : error
    unsent = []
    receive(atMost: Self.mostAtEnd)
    countDropped()
    if securing != nil {
      end(LinkError(socket: code, at: .securing(isBonded: target.isBonded)))
    } else {
      // A disconnect by the peer is no failure.
      let error = LinkError(socket: code, at: .open)
      end(error, isReported: error.kind != .transient && error.kind != .gone)
    }
  }

  // MARK: - Outputs

  private func act(_ outputs: [ATTOutput]) {
    for output in outputs where state != .ended {
      switch output {
      case .send(let bytes): unsent.append(bytes)
      case .event(let event): unreported.append(.event(event))
      case .raiseSecurity: secure()
      case .learnt(let attributes): unreported.append(.learnt(attributes))
      case .close(let error):
        flush()
        end(error)
      }
    }
  }

  /// Sends queued units as far as the socket accepts them; during encryption it accepts none.
  private func flush() {
    guard state == .up, securing == nil, let socket else { return limitUnsent() }
    while let next = unsent.first {
      switch socket.send(next) {
      case 0: unsent.removeFirst()
      case EAGAIN, EINTR, ENOTCONN: return limitUnsent()
      case let code: return hungUp(code)
      }
    }
  }

  private func limitUnsent() {
    guard unsent.count > Self.mostUnsent else { return }
    end(LinkError(.other, .overloaded))
  }

  private func end(_ error: LinkError?, isReported: Bool = true) {
    guard state != .ended else { return }
    if isReported, let error { unreported.append(.event(.failed(target.address, error))) }
    if state == .up || error == nil {
      unreported.append(.event(.disconnected(target.address)))
    }
    unreported.append(.ended(error))
    state = .ended
    if let watch { loop.cancel(watch) }
    if let timer { loop.cancel(timer.watch) }
    (watch, timer, securing, connectDeadline) = (nil, nil, nil, nil)
    // Not on the radio's own thread: some kernels kill the thread that closes it.
    if error?.kind == .staleBond || error?.kind == .unauthorized { socket?.closeApart() }
    socket = nil
    unsent = []
  }

  // MARK: - After a change

  /// Sends, waits and reports according to the current state.
  private func settle() {
    flush()
    arm()
    while !unreported.isEmpty {
      let updates = unreported
      unreported = []
      updates.forEach(report)
    }
  }

  /// Settles after the current call returns, since its caller may be in the middle of a change.
  private func settleLater() {
    flush()
    arm()
    guard !unreported.isEmpty else { return }
    _ = loop.schedule(after: .zero) { [self] in assumeIsolated { $0.settle() } }
  }

  private func arm() {
    guard state != .ended else { return }
    if let watch {
      let isWaitingToSend =
        state == .connecting || (securing.map(\.isSuspended) ?? !unsent.isEmpty)
      let readiness: EventLoop.Readiness = state == .connecting ? [] : [.readable, .hungUp]
      loop.change(watch, to: isWaitingToSend ? readiness.union(.writable) : readiness)
    }
    let due = [connectDeadline, securing?.nextLook, client.wakeAt].compactMap(\.self).min()
    guard due != timer?.due else { return }
    if let timer { loop.cancel(timer.watch) }
    timer = due.map { due in
      let watch = loop.schedule(after: due - .now) { [weak self] in
        self?.assumeIsolated { $0.becameDue() }
      }
      return (due, watch)
    }
  }

  private func becameDue() {
    timer = nil
    let now = ContinuousClock.now
    if let connectDeadline, connectDeadline <= now {
      end(LinkError(socket: ETIMEDOUT, at: .connecting))
    }
    lookAtSecurity(at: now)
    act(client.wake(at: now))
    settle()
  }
}

extension EventLoop.Readiness {
  /// The peer sends nothing more: POLLRDHUP of poll(2), which the C library declares for GNU
  /// sources only.
  fileprivate static let hungUp = EventLoop.Readiness(rawValue: 0x2000)
}

// Encrypts the link: at its start for a bonded peer, or when a request requires it.
//
// This always happens on a connected link: a kernel of Debian 12 (6.1.192) fails when a socket
// connects at a higher level to a peer that has lost its key.
extension KernelLink {
  /// How long encryption may take: the user may have to read and enter a passkey.
  private static let securityTime = Duration.seconds(60)
  /// How often the link is checked for encryption, in case the socket does not report it.
  private static let securityTick = Duration.milliseconds(100)

  /// An encryption in progress.
  private struct Securing {
    let deadline: ContinuousClock.Instant
    var nextLook: ContinuousClock.Instant
    /// Whether the socket has not been writable since: it is suspended until encryption succeeds.
    var isSuspended = true
  }

  /// The management channel reports that pairing or encryption with this peer failed.
  func authenticationFailed() {
    guard securing != nil else { return }
    endInsecure()
    settleLater()
  }

  /// Encrypts the link.
  private func secure() {
    switch socket?.raiseSecurity() {
    case 0?:
      let now = ContinuousClock.now
      securing = Securing(deadline: now + Self.securityTime, nextLook: now + Self.securityTick)
    case EINVAL?: secured()
    default: endInsecure()
    }
  }

  /// The socket accepts data again.
  private func resumed() {
    guard securing != nil else { return }
    securing?.isSuspended = false
    if socket?.isEncrypted == true { secured() }
  }

  private func lookAtSecurity(at now: ContinuousClock.Instant) {
    guard let securing, securing.nextLook <= now else { return }
    if socket?.isEncrypted == true {
      secured()
    } else if securing.deadline <= now {
      endInsecure()
    } else {
      self.securing?.nextLook = now + Self.securityTick
    }
  }

  private func secured() {
    securing = nil
    act(client.hasStarted ? client.securityRaised(at: .now) : client.start(at: .now))
  }

  /// A socket that could not be secured stays suspended, so it is useless.
  private func endInsecure() {
    end(LinkError(notEncrypted: target.isBonded))
  }
}
