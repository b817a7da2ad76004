import GATT
import SystemBus

/// The kernel's management channel: commands with their answers, and events.
///
/// It runs on its loop's thread and reports events there, in order.
actor MgmtChannel {
  private let loop: EventLoop
  private var socket: MgmtSocket?
  private let report: @Sendable (MgmtEvent, _ controller: UInt16) -> Void
  private let ended: @Sendable (SystemError) -> Void
  private var requests = MgmtRequests()
  private var waiting: [UInt64: Waiting] = [:]
  private var watch: EventLoop.Watch?
  /// How many packets could not be decoded.
  private(set) var malformed = 0

  private struct Waiting {
    var answer: CheckedContinuation<Result<[UInt8], MgmtError>, Never>
    var timer: EventLoop.Watch
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Makes a channel of an open socket.
  ///
  /// - Parameters:
  ///   - loop: The event loop that it runs on.
  ///   - socket: The kernel's socket, or a substitute for tests.
  ///   - events: Called on the loop's thread for every event except answers.
  ///   - ended: Called there once when the socket fails.
  init(
    loop: EventLoop, socket: consuming MgmtSocket,
    events: @escaping @Sendable (MgmtEvent, _ controller: UInt16) -> Void,
    ended: @escaping @Sendable (SystemError) -> Void
  ) {
    self.loop = loop
    self.socket = consume socket
    report = events
    self.ended = ended
  }

  deinit {
    if let watch { loop.cancel(watch) }
  }

  /// Starts receiving.
  func open() {
    guard watch == nil, let file = socket?.file else { return }
    watch = loop.watch(file, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.receive() }
    }
  }

  /// Closes the socket; waiting commands fail.
  func close() {
    if let watch { loop.cancel(watch) }
    watch = nil
    socket = nil
    for request in requests.dropAll() { answer(request, with: .failure(.closed)) }
  }

  /// Sends a command and waits for its answer.
  ///
  /// - Returns: The parameters of the answer.
  /// - Throws: ``MgmtError`` if it is refused, late or lost.
  @discardableResult
  func request(
    _ command: MgmtCommand, of controller: UInt16 = MgmtPacket.noController
  ) async throws(MgmtError) -> [UInt8] {
    guard watch != nil else { throw .closed }
    let result = await withCheckedContinuation { continuation in
      let (request, isNext) = requests.add(command, to: controller)
      let timer = loop.schedule(after: command.timeLimit) { [weak self] in
        self?.assumeIsolated { $0.end(request, with: .timedOut) }
      }
      waiting[request.id] = Waiting(answer: continuation, timer: timer)
      if isNext { send(request) }
    }
    return try result.get()
  }

  private func send(_ request: MgmtRequests.Request) {
    let packet = MgmtPacket(
      code: request.command.code, controller: request.controller,
      parameters: request.command.parameters)
    do throws(SystemError) {
      try socket?.send(packet.encoded)
    } catch {
      end(request, with: .notSent(error.code))
    }
  }

  private func end(_ request: MgmtRequests.Request, with error: MgmtError) {
    let next = requests.drop(request)
    answer(request, with: .failure(error))
    if let next { send(next) }
  }

  private func answer(_ request: MgmtRequests.Request, with result: Result<[UInt8], MgmtError>) {
    guard let waiting = waiting.removeValue(forKey: request.id) else { return }
    loop.cancel(waiting.timer)
    waiting.answer.resume(returning: result)
  }

  /// Reads waiting packets, a bounded number at a time: the loop's other files need their turn.
  private func receive() {
    for _ in 0..<64 {
      do throws(SystemError) {
        guard let bytes = try socket?.receive() else { return }
        take(bytes)
      } catch {
        close()
        return ended(error)
      }
    }
  }

  private func take(_ bytes: [UInt8]) {
    let packet: MgmtPacket
    let event: MgmtEvent
    do throws(GATTError) {
      packet = try MgmtPacket(bytes)
      event = try MgmtEvent(packet)
    } catch {
      malformed += 1
      return
    }
    guard case .answer(let code, let status, let parameters) = event else {
      if event == .controllerRemoved {
        for request in requests.dropAll(of: packet.controller) {
          answer(request, with: .failure(.refused(.invalidIndex)))
        }
      }
      return report(event, packet.controller)
    }
    guard let (request, next) = requests.answer(code, from: packet.controller) else { return }
    answer(request, with: status == .success ? .success(parameters) : .failure(.refused(status)))
    if let next { send(next) }
  }
}

/// The commands that wait for their answers.
///
/// The kernel identifies an answer by its command only, so a controller has one command of each
/// kind in progress and the others queue. A value: it decides what to send and which request is
/// answered.
struct MgmtRequests: Sendable {
  /// One command, from its request to its answer.
  struct Request: Hashable, Sendable {
    /// The request's number, from 0.
    var id: UInt64
    var controller: UInt16
    var command: MgmtCommand
  }

  private struct Key: Hashable {
    var controller: UInt16
    var code: UInt16
  }

  private var lines: [Key: [Request]] = [:]
  private var nextID: UInt64 = 0

  /// Adds a command.
  ///
  /// - Returns: The request, and whether to send it now.
  mutating func add(_ command: MgmtCommand, to controller: UInt16) -> (Request, isNext: Bool) {
    let request = Request(id: nextID, controller: controller, command: command)
    nextID += 1
    let key = Key(controller: controller, code: command.code)
    lines[key, default: []].append(request)
    return (request, lines[key]?.count == 1)
  }

  /// An answer arrived.
  ///
  /// - Returns: The request and what to send next; `nil` if no request waits for it.
  mutating func answer(
    _ code: UInt16, from controller: UInt16
  ) -> (answered: Request, next: Request?)? {
    remove(from: Key(controller: controller, code: code)) { _ in true }
  }

  /// A request timed out, or could not be sent.
  ///
  /// - Returns: The request to send next.
  mutating func drop(_ request: Request) -> Request? {
    let key = Key(controller: request.controller, code: request.command.code)
    let isFirst = lines[key]?.first?.id == request.id
    let dropped = remove(from: key) { $0.id == request.id }
    return isFirst ? dropped?.next : nil
  }

  /// A controller was removed, or all of them.
  ///
  /// - Returns: The requests that will not be answered, in the order they were made.
  mutating func dropAll(of controller: UInt16? = nil) -> [Request] {
    let keys = lines.keys.filter { controller == nil || $0.controller == controller }
    return keys.flatMap { lines.removeValue(forKey: $0) ?? [] }.sorted { $0.id < $1.id }
  }

  private mutating func remove(
    from key: Key, where matches: (Request) -> Bool
  ) -> (answered: Request, next: Request?)? {
    guard var line = lines[key], let index = line.firstIndex(where: matches) else { return nil }
    let request = line.remove(at: index)
    lines[key] = line.isEmpty ? nil : line
    return (request, line.first)
  }
}
