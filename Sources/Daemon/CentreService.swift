import Actions
import Care
import CareStore
import Exchange
import Foundation
import Localization
import Logging
import Outlets
import ServiceLifecycle
import Terminal

/// Exchanges rows with the centres that the store has joined: soon after a change here, and from time
/// to time to hear of changes there.
struct CentreService: Service {
  let store: SQLStore
  let transport: Transport
  let logger: Logger
  /// The current time.
  var now: @Sendable () -> Date = { Date() }
  /// The faults of the machine that last.
  var faults: @Sendable (Date) async -> [MachineFault] = { _ in [] }
  /// The clock of the pauses, which nobody sets.
  var clock = ContinuousClock()

  /// A centre that the store has joined.
  private struct Course {
    let conversation: CentreConversation
    var link: BoxLink
    var pace = SyncPace()
    var backOff = BackOff()
    var due: ContinuousClock.Instant
    /// Whether the last session failed: a change here does not hurry the next one.
    var isFailing = false
    var asked: Date?
    var lastTrouble = ""
  }

  /// The pause after a look, so that a stream of samples does not lead to one for each of them.
  private static let shortestPause = Duration.seconds(5)
  /// How far back the centre is told when the box was off, in seconds: a week.
  private static let reportedDays: TimeInterval = 7 * 86_400
  /// The longest pause: the store may have joined a centre meanwhile.
  private static let longestPause = Duration.seconds(600)

  func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
    transport.close()
  }

  /// Works until it is cancelled.
  func work() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let centres = FollowedState(
      of: store, every: Self.shortestPause, now: now, clock: clock, logger: logger
    ) { reader in
      guard let exchange = reader as? any RowExchange else { return [String]() }
      let joined = try JoinedCentre.all(in: exchange)
      // Without a centre no row has to leave.
      guard !joined.isEmpty else { return [] }
      var state = [String(try exchange.lastStored())]
      for centre in joined {
        let asked = try SyncStatus(centre.address, in: exchange).asked
        state += [centre.address, asked?.description ?? ""]
      }
      return state
    }
    let observer = Task { await centres.forEach { _ in wake.yield() } }
    defer { observer.cancel() }
    var iterator = wakes.makeAsyncIterator()
    var courses: [String: Course] = [:]
    var lastFailure = ""
    while !Task.isCancelled {
      do {
        try await look(&courses)
        lastFailure = ""
      } catch {
        guard !Task.isCancelled else { break }
        let reason = Message.of(error)
        if reason != lastFailure { logger.error("The centre is not told: \(reason)") }
        lastFailure = reason
      }
      let due = courses.values.map(\.due).min() ?? clock.now + Self.longestPause
      let pause = min(max(due - clock.now, Self.shortestPause), Self.longestPause)
      let timer = Task { if (try? await clock.sleep(for: pause)) != nil { wake.yield() } }
      defer { timer.cancel() }
      guard (try? await clock.sleep(for: Self.shortestPause)) != nil, await iterator.next() != nil
      else { break }
    }
  }

  /// Speaks to every centre that is due.
  private func look(_ courses: inout [String: Course]) async throws {
    let joined = try await store.readingExchange { exchange in
      try JoinedCentre.all(in: exchange).map { centre in
        (centre, try SyncStatus(centre.address, in: exchange).asked)
      }
    }
    courses = courses.filter { address, _ in joined.contains { $0.0.address == address } }
    for (centre, asked) in joined {
      guard var course = courses[centre.address] ?? begin(centre, asked) else { continue }
      if course.asked != asked { (course.asked, course.due) = (asked, clock.now) }
      if !course.isFailing, course.due - clock.now > .seconds(SyncPace.spread) {
        let link = course.link
        if try await store.exchanging({ try link.session.hasRows(in: $0) }) {
          course.due = clock.now + Self.spread()
        }
      }
      if course.due <= clock.now { try await speak(&course, centre) }
      courses[centre.address] = course
    }
  }

  /// How this box is.
  private func report() async throws -> BoxReport {
    let date = now()
    let faults = await faults(date)
    let offs = try await store.readMessages { reader in
      try reader.uptimes().offs(since: date - Self.reportedDays)
    }
    let devices = try await store.read { try $0.deviceBindings() }
    return BoxReport(
      program: Program.version, faults: faults.map(\.name),
      radioFailedSince: faults.filter(\.isOfRadio).map(\.since).min(),
      offs: offs, date: date, devices: devices)
  }

  private func begin(_ centre: JoinedCentre, _ asked: Date?) -> Course? {
    // Without its key there is nothing to say; the log has told why the secrets cannot be read.
    guard let key = store.key(ofCentre: centre.address),
      let address = WebAddress(centre.address)
    else { return nil }
    return Course(
      conversation: CentreConversation(
        store: store, transport: transport, address: address, now: now),
      link: BoxLink(address: centre.address, key: key), due: clock.now + Self.spread(), asked: asked
    )
  }

  private static func spread() -> Duration {
    .milliseconds(Int64.random(in: 0...Int64(saturating: SyncPace.spread * 1_000)))
  }

  private func speak(_ course: inout Course, _ centre: JoinedCentre) async throws {
    var random = SystemRandomNumberGenerator()
    let end: CentreConversation.End
    do {
      end = try await course.conversation.run(&course.link, try await report())
    } catch {
      course.due = clock.now + course.backOff.fail(using: &random)
      throw error
    }
    var trouble = ""
    switch end {
    case .level(let requests):
      course.backOff.succeed()
      course.isFailing = false
      course.due = clock.now + .seconds(course.pace.next(hasTravelled: requests > 1))
    case .putOff(let seconds):
      course.backOff.succeed()
      // A change here goes with the long rows: that is soon.
      course.isFailing = true
      course.due = clock.now + .seconds(SyncPace.afterPause(of: seconds, using: &random))
    case .later(let fault, let after):
      course.isFailing = true
      course.due = clock.now + course.backOff.fail(asked: after, using: &random)
      trouble = Console.language.text(of: fault)
    case .unknown:
      course.isFailing = true
      course.due = clock.now + .seconds(SyncPace.longest)
      trouble = LocalizedText("command.sync.unknownBox", ["centre": "\(centre.address)"]).message
    }
    // A request that a stop ends is no trouble of the centre's.
    if !trouble.isEmpty, trouble != course.lastTrouble, !Task.isCancelled {
      logger.warning("\(centre.address): \(trouble)")
    }
    course.lastTrouble = trouble
  }
}
