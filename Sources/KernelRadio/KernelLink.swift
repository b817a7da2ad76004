import Foundation
import GATT
import Radio
import SystemBus

/// A link to one device over the kernel's socket for the attribute protocol.
///
/// It lives on its ``EventLoop``, like its owner: an actor on the same loop calls it through
/// `assumeIsolated` and is called back on the loop's thread. Once ended it does nothing any more; a
/// new link is a new value.
///
/// ```swift
/// let link = KernelLink(target, on: loop, cached: cache[target.address], firstIndication: n) {
///   [weak self] news in self?.assumeIsolated { $0.heard(news, of: target.address) }
/// }
/// link.assumeIsolated { $0.open() }
/// ```
actor KernelLink {
  /// How long a peer may take to answer the first call.
  static let connectTime = Duration.seconds(20)
  /// How many units are read before others have their turn.
  private static let mostInTurn = 32
  /// How many units are read of a link that is gone.
  private static let mostAtEnd = 4096
  /// How many units may wait to be sent.
  private static let mostUnsent = 256

  private enum State {
    case new, connecting, up, ended
  }

  /// Who the link goes to.
  let target: LinkTarget
  private let loop: EventLoop
  private let connect: @Sendable (LinkTarget) throws(SystemError) -> LinkSocket
  private let tell: @Sendable (LinkUpdate) -> Void

  private var state = State.new
  private var client: ATTClient
  private var socket: LinkSocket?
  private var watch: EventLoop.Watch?
  private var timer: (due: ContinuousClock.Instant, watch: EventLoop.Watch)?
  private var unsent: [[UInt8]] = []
  private var untold: [LinkUpdate] = []
  private var connectDeadline: ContinuousClock.Instant?
  private var securing: Securing?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Makes a link that is not opened yet.
  ///
  /// - Parameters:
  ///   - target: Who it goes to.
  ///   - loop: Where it lives.
  ///   - cached: What an earlier link learnt (``LinkUpdate/learnt(_:)``).
  ///   - firstIndication: The number of the first indication's ``Confirmation``, above all that
  ///     earlier links to this device have used.
  ///   - connect: Gives the socket.
  ///   - tell: Receives reports on the loop's thread, never from within a call to the link.
  init(
    _ target: LinkTarget, on loop: EventLoop, cached: CachedAttributes? = nil,
    firstIndication: UInt64 = 0,
    connect: @escaping @Sendable (LinkTarget) throws(SystemError) -> LinkSocket = {
      (target) throws(SystemError) in try LinkSocket(connectingTo: target)
    },
    tell: @escaping @Sendable (LinkUpdate) -> Void
  ) {
    self.target = target
    self.loop = loop
    self.connect = connect
    self.tell = tell
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
  /// `disconnect` ends the link once what was asked before it is done, at most five seconds later;
  /// a link that is not up yet ends at once.
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
    untold.append(.event(.connected(target.address)))
    if target.isBonded { secure() } else { act(client.start(at: .now)) }
  }

  private func receive(atMost limit: Int) {
    for _ in 0..<limit where state == .up {
      guard case .bytes(let bytes)? = socket?.receive() else { return }
      act(client.handle(pdu: bytes, at: .now))
    }
  }

  /// The link is gone, but not what came before: a scale hangs up right after its last value.
  ///
  /// Its error is taken first, since a read would take it away.
  private func hungUp(_ guess: CInt = ECONNRESET) {
    let error = socket?.takeError() ?? 0
    let code = error == 0 ? guess : error
    unsent = []
    receive(atMost: Self.mostAtEnd)
    if securing != nil {
      end(LinkError(socket: code, at: .securing(isBonded: target.isBonded)))
    } else {
      // That a peer hangs up is no failure.
      let error = LinkError(socket: code, at: .open)
      end(error, isReported: error.kind != .transient && error.kind != .gone)
    }
  }

  // MARK: - Outputs

  private func act(_ outputs: [ATTOutput]) {
    for output in outputs where state != .ended {
      switch output {
      case .send(let bytes): unsent.append(bytes)
      case .event(let event): untold.append(.event(event))
      case .raiseSecurity: secure()
      case .learnt(let attributes): untold.append(.learnt(attributes))
      case .close(let error):
        flush()
        end(error)
      }
    }
  }

  /// Sends what waits, as far as the socket takes it; while it is being encrypted it takes nothing.
  private func flush() {
    guard state == .up, securing == nil, let socket else { return }
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
    if isReported, let error { untold.append(.event(.failed(target.address, error))) }
    if state == .up || error == nil {
      untold.append(.event(.disconnected(target.address)))
    }
    untold.append(.ended(error))
    state = .ended
    if let watch { loop.cancel(watch) }
    if let timer { loop.cancel(timer.watch) }
    (watch, timer, securing, connectDeadline) = (nil, nil, nil, nil)
    // Not on the radio's own thread: some kernels do not survive it.
    if error?.kind == .staleBond || error?.kind == .unauthorized { socket?.closeApart() }
    socket = nil
    unsent = []
  }

  // MARK: - Settling

  /// Sends, waits and reports as the state now demands.
  private func settle() {
    flush()
    arm()
    while !untold.isEmpty {
      let news = untold
      untold = []
      news.forEach(tell)
    }
  }

  /// Does so after the call that changed the state, whose caller may be in the middle of something.
  private func settleLater() {
    flush()
    arm()
    guard !untold.isEmpty else { return }
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
  /// The other side sends nothing more: POLLRDHUP of poll(2), which the C library declares for
  /// GNU sources only.
  fileprivate static let hungUp = EventLoop.Readiness(rawValue: 0x2000)
}

// Having the link encrypted, at its beginning for a bonded peer, or when a request demands it.
//
// It is always done on a link that is up: a kernel of Debian 12 (6.1.192) breaks when a socket
// connects at a higher level to a peer that has lost its key.
extension KernelLink {
  /// How long encryption may take: a person may have to read a passkey and enter it.
  private static let securityTime = Duration.seconds(60)
  /// How often the link is checked for encryption, in case the socket does not report it.
  private static let securityTick = Duration.milliseconds(100)

  /// An encryption that goes on.
  private struct Securing {
    let deadline: ContinuousClock.Instant
    var nextLook: ContinuousClock.Instant
    /// Whether the socket was not writable since: it is suspended until the encryption succeeded.
    var isSuspended = true
  }

  /// The management channel reports that pairing or encryption with this peer failed.
  func authenticationFailed() {
    guard securing != nil else { return }
    endInsecure()
    settleLater()
  }

  /// Has the link encrypted.
  private func secure() {
    switch socket?.raiseSecurity() {
    case 0?:
      let now = ContinuousClock.now
      securing = Securing(deadline: now + Self.securityTime, nextLook: now + Self.securityTick)
    case EINVAL?: secured()
    default: endInsecure()
    }
  }

  /// The socket takes something again.
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

  /// A socket that could not be secured stays suspended, so that it is of no more use.
  private func endInsecure() {
    end(LinkError(notEncrypted: target.isBonded))
  }
}
