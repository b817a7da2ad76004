import Actions
import Care
import CareStore
import Foundation
import Localization
import Logging
import Outlets
import ServiceLifecycle
import Terminal

/// Who carries messages to people.
protocol MessageCarrier: Sendable {
  /// The ways to a recipient, in the order in which they are tried.
  ///
  /// - Throws: ``StoreError``.
  func ways(to recipient: Recipient, in reader: any StoreReader) throws -> [Reader.Way]
  /// The kind of a way, for the audit log.
  ///
  /// - Throws: ``StoreError``.
  func kind(ofWay way: Int, to recipient: Recipient, in reader: any StoreReader) throws -> String
  /// Where telephones reach the page on which a message is answered; `nil` if they do not.
  var page: WebAddress? { get }
  func deliver(
    _ message: OutgoingMessage, to recipient: Recipient, by way: Int
  ) async -> DeliveryResult
  func withdraw(_ id: ItemID, from recipient: Recipient, by way: Int) async -> DeliveryResult
}

/// Nobody can be reached.
struct NoCarrier: MessageCarrier {
  func ways(to recipient: Recipient, in reader: any StoreReader) throws -> [Reader.Way] { [] }
  func kind(ofWay way: Int, to recipient: Recipient, in reader: any StoreReader) throws -> String {
    ""
  }
  var page: WebAddress? { nil }
  func deliver(
    _ message: OutgoingMessage, to recipient: Recipient, by way: Int
  ) async -> DeliveryResult { .later(.blocked, after: nil) }
  func withdraw(_ id: ItemID, from recipient: Recipient, by way: Int) async -> DeliveryResult {
    .refused(.blocked)
  }
}

/// Tells people what the plan says that they are told.
///
/// The store is the outbox: what is under way is stored before the attempt, and how it ended after
/// it. It also notes that the box runs, so that it is known later when it did not.
struct MessageService: Service {
  let store: SQLStore
  var carrier: any MessageCarrier = NoCarrier()
  let logger: Logger
  /// The faults of the machine that last, and when to look for them again.
  var faults: @Sendable (Date) async -> (faults: [MachineFault], wakeAt: Date?) = { _ in ([], nil) }
  /// The current time.
  var now: @Sendable () -> Date = { Date() }
  /// The clock of the pauses.
  var clock: any Clock<Duration> = ContinuousClock()
  /// How long it has run, whatever happens to the machine's time.
  var running: @Sendable () -> Duration = {
    let begin = ContinuousClock.now
    return { ContinuousClock.now - begin }
  }()

  /// How often it notes that it runs, in seconds: a quarter of an hour.
  private static let beat: TimeInterval = 900
  /// The longest pause while something is due later: the machine's time can be set meanwhile.
  private static let longestPause: TimeInterval = 60
  /// The pause after a look, so that a stream of samples does not lead to one for each of them.
  private static let shortestPause = Duration.seconds(1)
  /// A larger difference of the two clocks is a machine's time that was set, in seconds.
  private static let shortestJump: TimeInterval = 30

  func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
  }

  /// The facts that it keeps from one look to the next.
  struct Memory: Sendable {
    /// This time of running.
    var uptime: Uptime
    /// Until when everything was told that the box knew.
    var toldUntil: Date
    /// The two clocks at the last look.
    var last: (date: Date, running: Duration)
  }

  /// Works until it is cancelled.
  func work() async {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observer = Task {
      do {
        for try await _ in store.occasionChanges(now: now, clock: clock) { wake.yield() }
      } catch {
        logger.error("Changes of the store are not seen: \(Message.of(error))")
      }
    }
    defer { observer.cancel() }
    guard var memory = await begin() else { return }
    await withDiscardingTaskGroup { group in
      var iterator = wakes.makeAsyncIterator()
      while !Task.isCancelled {
        let (pause, attempts) = await look(&memory)
        for attempt in attempts {
          group.addTask {
            await carry(attempt)
            wake.yield()
          }
        }
        let timer = Task {
          if (try? await clock.sleep(for: .seconds(pause))) != nil { wake.yield() }
        }
        defer { timer.cancel() }
        let rest = min(Duration.seconds(pause), Self.shortestPause)
        guard (try? await clock.sleep(for: rest)) != nil, await iterator.next() != nil else {
          break
        }
      }
      group.cancelAll()
    }
    await end(memory)
  }

  /// Notes that the box runs, and ends the attempts of the run before.
  ///
  /// - Returns: `nil` if it was cancelled before the store could be written.
  func begin() async -> Memory? {
    while !Task.isCancelled {
      let date = now()
      do {
        let uptime = try await store.writeMessages { writer in
          // Messages due meanwhile are told by the first look alone: until then this time of
          // running has given no sign of life.
          let before = try writer.uptimes().map(\.alive).max()
          let uptime = Uptime(started: date, alive: min(before ?? date, date))
          try writer.put(uptime)
          var outbox = try Outbox(writer, now: date)
          outbox.recover(readers: try readers(in: writer, now: date), now: date)
          try outbox.keep(in: writer)
          return uptime
        }
        return Memory(uptime: uptime, toldUntil: uptime.alive, last: (date, running()))
      } catch {
        guard !Task.isCancelled else { return nil }
        logger.error("Messages have to wait: \(Message.of(error))")
        try? await clock.sleep(for: .seconds(Self.longestPause))
      }
    }
    return nil
  }

  private func end(_ memory: Memory) async {
    var uptime = memory.uptime
    uptime.alive = now()
    _ = try? await store.writeMessages { [uptime] in try $0.put(uptime) }
  }

  /// A message that goes, or is taken back.
  struct Carriage: Sendable {
    var attempt: OutboxAttempt
    var message: OutgoingMessage
  }

  /// Brings the messages up to date.
  ///
  /// - Returns: The seconds until the next look, and what is to be carried.
  func look(_ memory: inout Memory) async -> (pause: TimeInterval, carriages: [Carriage]) {
    let date = now()
    do {
      try await followClock(&memory, date)
      let (toldUntil, uptime) = (memory.toldUntil, memory.uptime)
      let (faults, faultsAt) = await faults(date)
      let known = Known(toldUntil: toldUntil, started: uptime.started, faults: faults)
      let seen = try await store.readMessages { try plan($0, known, now: date) }
      var carriages: [Carriage] = []
      if !seen.isSettled || date.timeIntervalSince(uptime.alive) >= Self.beat {
        var alive = uptime
        alive.alive = date
        carriages = try await store.writeMessages { [alive] writer in
          var plan = try plan(writer, known, now: date)
          try plan.outbox.keep(in: writer)
          try writer.put(alive)
          try writer.forgetMessages(finishedBefore: date - Outbox.kept, now: date)
          // As long as an answer can be taken back.
          try writer.forgetLinks(expiredBefore: date - TapToken.lifetime)
          return try plan.step.attempts.map {
            try carriage($0, in: writer, faults, now: date)
          }
        }
        memory.uptime = alive
      }
      memory.toldUntil = date
      let next = [seen.step.wakeAt, seen.wakeAt, faultsAt].compactMap(\.self).min()
      let due = next.map { min($0.timeIntervalSince(date), Self.longestPause) }
      return (max(0.001, min(due ?? Self.beat, Self.beat)), carriages)
    } catch {
      guard !Task.isCancelled else { return (Self.longestPause, []) }
      logger.error("Messages have to wait: \(Message.of(error))")
      return (Self.longestPause, [])
    }
  }

  /// Notes that the machine's time was set while the box ran.
  private func followClock(_ memory: inout Memory, _ date: Date) async throws {
    let elapsed = running()
    defer { memory.last = (date, elapsed) }
    let jump =
      date.timeIntervalSince(memory.last.date) - (elapsed - memory.last.running) / .seconds(1)
    guard abs(jump) > Self.shortestJump else { return }
    logger.notice("The machine's time was set by \(Int(saturating: jump)) s.")
    let uptime = Uptime(started: date, alive: date)
    try await store.writeMessages { writer in
      var outbox = try Outbox(writer, now: date)
      outbox.clockWasSet(by: jump, now: date)
      try outbox.keep(in: writer)
      // The occasions in between were never due for a running box.
      if jump > [Uptime].shortestOff { try writer.put(uptime) }
    }
    if jump > [Uptime].shortestOff { memory.uptime = uptime }
  }

  private struct Plan: Sendable {
    var outbox: Outbox
    var step: Outbox.Step
    /// When the next event is over that somebody would be told of.
    var wakeAt: Date?
    /// Whether nothing is to be stored.
    var isSettled: Bool
  }

  /// The knowledge of one look beside the store.
  private struct Known: Sendable {
    var toldUntil: Date
    /// When this time of running started.
    var started: Date
    var faults: [MachineFault]
  }

  /// A fault that is found so soon after a start, in seconds, has lasted over it.
  private static let starting: TimeInterval = 1_800

  /// The faults under the names that they were told by before a restart.
  private func told(_ known: Known, _ outbox: Outbox) -> [MachineFault] {
    known.faults.map { fault in
      let earlier = outbox.items.values
        .filter {
          $0.key.kind == .machine && $0.key.subject == fault.name
            && $0.key.occurrence < known.started
        }.map(\.key.occurrence).max()
      guard let earlier, fault.since < known.started + Self.starting else { return fault }
      return MachineFault(fault.name, since: earlier, patient: fault.patient)
    }
  }

  private func plan(_ reader: any MessageReader, _ known: Known, now: Date) throws -> Plan {
    let readers = try readers(in: reader, now: now)
    var outbox = try Outbox(reader, now: now)
    // Nobody can be reached and nothing is under way: nothing else needs to be read.
    guard !readers.isEmpty || outbox.items.values.contains(where: \.isActive) else {
      return Plan(outbox: outbox, step: .init(), isSettled: true)
    }
    let reading = try OccasionReading(reader, faults: told(known, outbox), now: now)
    // Nothing of a person leaves whose consent is open or withdrawn.
    var leaves: [String: Bool] = [:]
    for patient in Set(reading.occasions.compactMap(\.key.patient)) {
      leaves[patient] = try reader.consent(of: patient).permitsLeaving
    }
    let facts = OutboxFacts(
      occasions: reading.occasions.filter { $0.key.patient.map { leaves[$0] ?? true } ?? true },
      readers: readers, toldUntil: known.toldUntil,
      offs: try reader.uptimes().offs(since: now - Outbox.patience))
    let step = outbox.step(facts, now: now)
    var tried = outbox
    return Plan(
      outbox: outbox, step: step, wakeAt: reading.wakeAt, isSettled: tried.takeChanges().isEmpty)
  }

  /// The people who can be reached.
  private func readers(in reader: any StoreReader, now: Date) throws -> [Recipient: Reader] {
    let people = try Audience(reader, now: now)
    var readers: [Recipient: Reader] = [:]
    for recipient in people.recipients {
      let ways = try carrier.ways(to: recipient, in: reader)
      guard !ways.isEmpty, let clock = people.clock(of: recipient) else { continue }
      readers[recipient] = Reader(ways: ways, quiet: clock.quiet, timeZone: clock.timeZone)
    }
    return readers
  }

  private func carriage(
    _ attempt: OutboxAttempt, in writer: any MessageWriter, _ faults: [MachineFault], now: Date
  ) throws -> Carriage {
    let people = try Audience(writer, now: now)
    let recipient = attempt.way.recipient
    let words =
      people.language(of: recipient).flatMap(LanguageCatalogue.embedded.language(_:))
      ?? Console.language
    let zone = people.clock(of: recipient)?.timeZone ?? people.zone
    let texts = try MessageWords(
      writer, in: words, zone: zone,
      offs: try writer.uptimes().offs(since: now - Outbox.patience),
      radioFailedSince: faults.filter(\.isOfRadio).map(\.since).min(), now: now)
    return Carriage(
      attempt: attempt,
      message: try texts.message(
        for: attempt, links: try links(of: attempt, in: writer, words, now: now)))
  }

  /// Makes the links by which a message is answered; none where telephones do not reach the page.
  private func links(
    of attempt: OutboxAttempt, in writer: any MessageWriter, _ words: Language, now: Date
  ) throws -> [TapLink] {
    guard let page = carrier.page, !attempt.takesBack else { return [] }
    var random = SystemRandomNumberGenerator()
    let (item, way) = (attempt.item, attempt.way)
    return try item.tapAnswers(in: writer, now: now).compactMap { answer in
      let token = TapToken(using: &random)
      guard let link = TapLink(answer, label: words.label(of: answer), page: page, token: token)
      else { return nil }
      try writer.put(
        StoredLink(
          digest: token.digest, message: item.id.text, recipient: way.recipient.text,
          patient: item.key.patient ?? way.recipient.patient,
          channel: try carrier.kind(ofWay: way.index, to: way.recipient, in: writer),
          answer: answer.rawValue, expires: now + TapToken.lifetime))
      return link
    }
  }

  /// Carries one message, and stores how that ended.
  func carry(_ carriage: Carriage) async {
    let (attempt, way) = (carriage.attempt, carriage.attempt.way)
    let result =
      attempt.takesBack
      ? await carrier.withdraw(attempt.item.id, from: way.recipient, by: way.index)
      : await carrier.deliver(carriage.message, to: way.recipient, by: way.index)
    let date = now()
    do {
      try await store.writeMessages { writer in
        var outbox = try Outbox(writer, now: date)
        var random = SystemRandomNumberGenerator()
        outbox.end(
          attempt, result, readers: try readers(in: writer, now: date), now: date, using: &random)
        try outbox.keep(in: writer)
      }
    } catch {
      // It is still noted as under way: the next start tries it again under the same name.
      guard !Task.isCancelled else { return }
      logger.error("The end of a message is not stored: \(Message.of(error))")
    }
  }
}
