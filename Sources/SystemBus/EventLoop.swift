import CSystemd
import Foundation
import Synchronization

/// One thread that waits for files and timers, and the executor of the actors that use them.
///
/// Such an actor's code never runs at the same time as a handler of its loop: a library that is not
/// thread-safe (sd-bus, libudev) is used from one thread, and a file that becomes readable needs no
/// switch to another thread.
package final class EventLoop: SerialExecutor {
  private let state = Mutex(State())
  private let alarm: Wakeup
  private let name: String

  /// Starts the loop's thread.
  ///
  /// - Throws: ``SystemError`` if the system has no descriptor left.
  package init(name: String) throws(SystemError) {
    self.name = name
    alarm = try Wakeup()
    state.withLock { $0.isRunning = true }
    startThread()
  }

  // MARK: Executor

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    wakeAfter { $0.jobs.append(job) }
  }

  package func checkIsolated() {
    precondition(isOnLoop, "This belongs on the thread of its event loop.")
  }

  package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  private var isOnLoop: Bool {
    state.withLock { $0.thread == pthread_self() }
  }

  // MARK: Files

  /// Calls `handler` on the loop's thread whenever `file` is ready, until the watch is cancelled.
  ///
  /// An end or an error of the file is always reported.
  package func watch(
    _ file: CInt, for readiness: Readiness, handler: @escaping @Sendable (Readiness) -> Void
  ) -> Watch {
    wakeAfter { state in
      state.nextID += 1
      let watch = Watch(id: state.nextID)
      state.files[watch] = WatchedFile(file: file, readiness: readiness, handler: handler)
      return watch
    }
  }

  /// Changes what a file is watched for.
  package func change(_ watch: Watch, to readiness: Readiness) {
    wakeAfter { $0.files[watch]?.readiness = readiness }
  }

  // MARK: Timers

  /// Calls `handler` on the loop's thread after `delay`, once, unless the watch is cancelled.
  package func schedule(
    after delay: Duration, handler: @escaping @Sendable () -> Void
  ) -> Watch {
    let due = ContinuousClock.now + max(delay, .zero)
    return wakeAfter { state in
      state.nextID += 1
      let watch = Watch(id: state.nextID)
      state.timers[watch] = Timer(due: due, handler: handler)
      return watch
    }
  }

  /// Ends a watch or a timer; its handler is not called again.
  package func cancel(_ watch: Watch) {
    wakeAfter { state in
      state.files[watch] = nil
      state.timers[watch] = nil
    }
  }

  /// Ends the thread once no job and no timer is left; files are then no longer watched.
  package func stop() {
    wakeAfter { $0.isStopped = true }
  }

  // MARK: Running

  /// Changes the state, and wakes the thread.
  ///
  /// An actor may outlive the work after which its loop was stopped. Its callers must not wait
  /// indefinitely, so an ended thread starts again.
  @discardableResult
  private func wakeAfter<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
    let (result, isAsleep, isElsewhere) = state.withLock { state in
      let result = change(&state)
      let isAsleep = !state.isRunning && !(state.jobs.isEmpty && state.timers.isEmpty)
      if isAsleep { state.isRunning = true }
      return (result, isAsleep, state.thread != pthread_self())
    }
    if isAsleep { startThread() } else if isElsewhere { alarm.ring() }
    return result
  }

  private func startThread() {
    let thread = Thread { [self] in run() }
    thread.name = name
    thread.start()
  }

  private func run() {
    state.withLock { $0.thread = pthread_self() }
    while !state.withLock({ $0.ends() }) {
      for job in state.withLock({ $0.takeJobs() }) {
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      }
      for handler in state.withLock({ $0.takeDue(at: .now) }) { handler() }
      wait()
    }
  }

  /// Waits for a watched file, a timer or the alarm, whichever is first.
  private func wait() {
    let (watches, files, timeout) = state.withLock { $0.poll(alarm: alarm.file, at: .now) }
    var polled = files
    let count = unsafe poll(&polled, nfds_t(polled.count), timeout)
    guard count > 0 else { return }
    if polled[0].revents != 0 { alarm.clear() }
    for (watch, file) in zip(watches, polled.dropFirst()) where file.revents != 0 {
      // Looked up again: an earlier handler may have cancelled this one.
      let handler = state.withLock { $0.files[watch]?.handler }
      handler?(Readiness(events: file.revents))
    }
  }
}

extension EventLoop {
  /// The readiness that a file is watched for, or has.
  package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: Int16

    package init(rawValue: Int16) { self.rawValue = rawValue }

    /// Data can be read.
    package static let readable = Readiness(rawValue: Int16(POLLIN))
    /// Data can be written.
    package static let writable = Readiness(rawValue: Int16(POLLOUT))
    /// The other side has closed, or the file failed.
    package static let ended = Readiness(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))

    fileprivate init(events: Int16) { rawValue = events }
  }

  /// A watched file, or a running timer.
  package struct Watch: Hashable, Sendable {
    fileprivate let id: UInt64
  }

  private struct WatchedFile {
    var file: CInt
    var readiness: Readiness
    var handler: @Sendable (Readiness) -> Void
  }

  private struct Timer {
    var due: ContinuousClock.Instant
    var handler: @Sendable () -> Void
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var files: [Watch: WatchedFile] = [:]
    var timers: [Watch: Timer] = [:]
    var nextID: UInt64 = 0
    var thread: pthread_t?
    var isStopped = false
    var isRunning = false

    /// Whether the thread ends because no work is left.
    mutating func ends() -> Bool {
      guard isStopped, jobs.isEmpty, timers.isEmpty else { return false }
      thread = nil
      isRunning = false
      return true
    }

    mutating func takeJobs() -> [UnownedJob] {
      defer { jobs = [] }
      return jobs
    }

    /// The handlers of the timers that are due, the earliest first.
    mutating func takeDue(at now: ContinuousClock.Instant) -> [@Sendable () -> Void] {
      let due = timers.filter { $0.value.due <= now }
        .sorted { ($0.value.due, $0.key.id) < ($1.value.due, $1.key.id) }
      for (watch, _) in due { timers[watch] = nil }
      return due.map(\.value.handler)
    }

    /// The descriptors to wait for, the alarm before the files, and the timeout in milliseconds.
    func poll(
      alarm: CInt, at now: ContinuousClock.Instant
    ) -> (watches: [Watch], files: [pollfd], timeout: CInt) {
      let watches = Array(files.keys)
      let polled =
        [pollfd(fd: alarm, events: Int16(POLLIN), revents: 0)]
        + watches.compactMap { watch in
          files[watch].map { pollfd(fd: $0.file, events: $0.readiness.rawValue, revents: 0) }
        }
      guard jobs.isEmpty, !(isStopped && timers.isEmpty) else { return (watches, polled, 0) }
      guard let due = timers.values.map(\.due).min() else { return (watches, polled, -1) }
      let left = (due - now) / .milliseconds(1)
      return (watches, polled, CInt(min(max(left.rounded(.up), 0), 60_000)))
    }
  }
}

/// Interrupts a waiting loop (eventfd(2)).
struct Wakeup: ~Copyable, Sendable {
  let file: CInt

  init() throws(SystemError) {
    file = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))
    guard file >= 0 else { throw SystemError("An event loop could not be started", errno) }
  }

  deinit { close(file) }

  func ring() {
    eventfd_write(file, 1)
  }

  func clear() {
    var count: eventfd_t = 0
    unsafe eventfd_read(file, &count)
  }
}

/// A failed system call.
package struct SystemError: Error, Hashable, CustomStringConvertible {
  /// The attempted action: `The Bluetooth socket could not be opened`.
  package var action: String
  /// The system's error number (errno(3)).
  package var code: CInt

  /// Makes an error from an action and its `errno`.
  package init(_ action: String, _ code: CInt) {
    self.action = action
    self.code = code
  }

  /// The action and the reason.
  package var description: String { "\(action): \(reason)." }

  /// The system's text for the error number.
  package var reason: String { unsafe String(cString: strerror(code)) }
}
