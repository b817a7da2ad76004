import Access
import Actions
import Care
import CareStore
import Foundation
import Localization
import Logging
import Outlets
import ServiceLifecycle
import Terminal

/// Passes measurements on to the receivers of the settings and of the store, each by itself.
struct OutletService: Service {
  let store: SQLStore
  /// Those of the settings, which come before those of the store.
  let outlets: [OutletSettings]
  /// Where folders without a path are.
  let folder: String
  let transport: Transport
  let logger: Logger
  /// A file with the authorities that are trusted in place of the system's.
  var authorities: String?
  /// How mail is sent, as the settings say it now.
  var mail: @Sendable () -> MailSettings? = { nil }
  /// The rights of an account; `nil` if there is none of that name.
  var grant: @Sendable (_ account: String) async -> Grant? = { _ in nil }
  /// The current time.
  var now: @Sendable () -> Date = { Date() }
  /// The clock of the pauses.
  var clock: any Clock<Duration> = ContinuousClock()

  /// The pause after a look, so that a stream of samples does not lead to one for each of them.
  private static let shortestPause = Duration.seconds(1)
  /// The pause between two looks at the outlets that people set up.
  private static let pauseOfDefinitions = Duration.seconds(3)
  /// The longest pause while something is due later: the machine's time can be set meanwhile.
  private static let longestPause: TimeInterval = 60

  func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
  }

  /// Works until it is cancelled.
  func work() async {
    await withDiscardingTaskGroup { group in
      for settings in outlets { group.addTask { await work(settings) } }
      group.addTask { await followStore() }
    }
  }

  // MARK: Those of the store

  /// Begins and ends the outlets of the store, as people set them up and take them away.
  private func followStore() async {
    let taken = Set(outlets.map(\.name))
    var running: [String: (definition: OutletDefinition, task: Task<Void, Never>)] = [:]
    let definitions = FollowedState(
      of: store, every: Self.pauseOfDefinitions, now: now, clock: clock, logger: logger
    ) { reader in
      try (reader as? any OutletReader).map { try OutletDefinition.all(in: $0) } ?? [:]
    }
    await definitions.forEach { definitions in
      let wanted = definitions.filter { !taken.contains($0.key) }
      for (name, run) in running where wanted[name] != run.definition {
        run.task.cancel()
        await run.task.value
        running[name] = nil
        try await forget(name)
      }
      for (name, definition) in wanted where running[name] == nil {
        guard let settings = OutletSettings(name, definition) else { continue }
        running[name] = (definition, Task { await work(settings) })
      }
    }
    for run in running.values { run.task.cancel() }
    for run in running.values { await run.task.value }
  }

  /// Forgets what an outlet that was taken away noted while it ended.
  private func forget(_ name: String) async throws {
    try await store.writeOutlets { writer in
      if try writer.outletSettings()[name] == nil { try writer.forgetOutlet(name) }
    }
  }

  /// Forgets an outlet on its way out, once a broker has nothing of it any more.
  private func forgetIfGone(_ settings: OutletSettings) async throws {
    guard settings.definition.isLeaving else { return }
    try await store.writeOutlets { [name = settings.name] writer in
      guard try !writer.hasTopics(of: name) else { return }
      try writer.forgetOutlet(name)
    }
  }

  // MARK: One outlet

  /// The changes for which an outlet waits: of the store, and of what people say of it.
  private struct Reason: Equatable, Sendable {
    var number: Int64
    var isPaused: Bool
    var next: Date?
    var past: OutletCourse.Backfill?
    var refused: Int
  }

  private func work(_ settings: OutletSettings) async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reasons = FollowedState(
      of: store, every: Self.shortestPause, now: now, clock: clock, logger: logger
    ) { [name = settings.name] reader in
      try (reader as? any OutletReader).map { reader in
        let course = try OutletCourse(name, in: reader)
        return Reason(
          number: try reader.lastNumber(), isPaused: course.isPaused, next: course.next,
          past: course.backfill,
          refused: try reader.refused(by: name, isDue: true, limit: 100).count)
      }
    }
    let observer = Task { await reasons.forEach { _ in wake.yield() } }
    defer { observer.cancel() }
    var iterator = wakes.makeAsyncIterator()
    var run: (any OutletWork)?
    var lastFailure = ""
    while !Task.isCancelled {
      var until: TimeInterval?
      do {
        var current: any OutletWork
        if let run {
          current = run
        } else {
          current = try await begin(settings) { wake.yield() }
        }
        let next = try await current.round()
        run = current
        lastFailure = ""
        guard case .rest(let date) = next else { continue }
        try await forgetIfGone(settings)
        until = date.map { $0.timeIntervalSince(now()) }
      } catch {
        guard !Task.isCancelled else { break }
        until = Self.longestPause
        let reason = Message.of(error)
        if reason != lastFailure { logger.error("The outlet \(settings.name) waits: \(reason)") }
        lastFailure = reason
      }
      let timer = Task { [until] in
        guard let until else { return }
        let pause = min(max(until, 1), Self.longestPause)
        if (try? await clock.sleep(for: .seconds(pause))) != nil { wake.yield() }
      }
      defer { timer.cancel() }
      guard (try? await clock.sleep(for: Self.shortestPause)) != nil, await iterator.next() != nil
      else { break }
    }
    // The last word is said, although the task is cancelled.
    guard let run else { return }
    await Task {
      var run = run
      await run.stop()
    }.value
  }

  private func begin(
    _ settings: OutletSettings, wake: @escaping @Sendable () -> Void
  ) async throws -> any OutletWork {
    if let home = settings.homeAssistant { return try await begin(home, of: settings, wake: wake) }
    let zone = try await store.read { try $0.planTimeZone() } ?? .gmt
    if let address = settings.definition.mailbox {
      let run = settings.mails(
        to: address, of: store, zone: zone, now: now,
        post: { [mail, transport, now] message, files in
          await MailSettings.post(
            message, files, to: address, by: mail(), over: transport, now: now)
        })
      try await run.begin(receiver: settings.receiver)
      return run
    }
    guard
      let outlet = try settings.outlet(
        of: store, folder: folder, zone: zone, now: now,
        send: { [transport] in await transport.send($0) })
    else { throw OutletSecretMissing(file: settings.name) }
    let run = OutletRun(
      settings.name, of: outlet, scope: settings.scope, from: store, now: now,
      random: SystemRandomNumberGenerator())
    try await run.begin(receiver: settings.receiver)
    return run
  }

  // MARK: Home Assistant

  private func begin(
    _ home: HomeAssistantSettings, of settings: OutletSettings,
    wake: @escaping @Sendable () -> Void
  ) async throws -> HomeAssistantRun {
    let words = try await store.read { try home.words(in: $0) }
    var broker = home.broker(password: try settings.secret(in: store))
    broker.authorities = broker.authorities ?? authorities
    let answer: @Sendable (HomeAssistantAnswer) async -> Void = { given in
      await perform(given, home, settings)
    }
    let open: @Sendable (MQTTOpening) async -> Result<any MQTTSession, DeliveryFault> = {
      [broker] opening in
      await MQTTClient.open(broker, opening).map { $0 as any MQTTSession }
    }
    let run = HomeAssistantRun(
      settings.name, topics: home.topics, scope: settings.scope, words: words, from: store,
      now: now, random: SystemRandomNumberGenerator(), wake: wake,
      answer: home.answers == .none ? nil : answer, presences: home.presences,
      say: { await say($0, settings) }, open: open)
    try await run.begin(receiver: settings.receiver)
    return run
  }

  /// Notes who is at home, where that is something new.
  private func say(_ presence: HomeAssistantPresence, _ settings: OutletSettings) async {
    do {
      try await store.write { [now] writer in
        _ = try SayHomeAssistantPresence(presence).perform(
          in: writer, by: Performer(grant: Grant([.answer], .only([presence.patient]))), now: now())
      }
    } catch {
      logger.notice(
        "A presence by the outlet \(settings.name) was not taken: \(CommandFailure(error).code).")
    }
  }

  /// Performs an answer with the rights that the settings give to answers.
  private func perform(
    _ answer: HomeAssistantAnswer, _ home: HomeAssistantSettings, _ settings: OutletSettings
  ) async {
    let people = settings.people.map { PatientScope.only($0) } ?? .all
    var rights = Grant([.answer], people)
    if case .account(let name) = home.answers {
      rights = rights.intersection(await grant(name) ?? Grant([], .only([])))
    }
    do {
      try await store.write { [rights, now] writer in
        _ = try AnswerFromHomeAssistant(answer).perform(
          in: writer, by: Performer(grant: rights), now: now())
      }
    } catch {
      // The words of a refusal have the value in them, which stands in no log.
      logger.notice(
        "An answer by the outlet \(settings.name) was not taken: \(CommandFailure(error).code).")
    }
  }
}
