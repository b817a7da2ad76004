import Care
package import CareStore
package import Foundation
import Interchange
import Synchronization

/// Home Assistant at work: what the broker is to have is compared with what it has, and the difference is
/// sent.
package struct HomeAssistantRun: OutletWork {
  /// Its name in the settings.
  package let name: String
  private let topics: HomeAssistantTopics
  private let scope: OutletScope
  private let words: HomeAssistantWords
  private let store: SQLStore
  private let open: @Sendable (MQTTOpening) async -> Result<any MQTTSession, DeliveryFault>
  /// Performs an answer; `nil` where none is taken.
  private let answer: (@Sendable (HomeAssistantAnswer) async -> Void)?
  /// The patients by the topics that say whether they are at home.
  private let presences: [String: String]
  private let say: @Sendable (HomeAssistantPresence) async -> Void
  private let now: @Sendable () -> Date
  private let inbox: HomeAssistantInbox
  private var random: any RandomNumberGenerator & Sendable

  private var session: (any MQTTSession)?
  /// When the devices are described again, since Home Assistant has started.
  private var describesAt: Date?
  private var moments: [String: Data] = [:]
  private var openedAt: Date?
  /// How often in a row a connection did not last.
  private var shortConnections = 0

  /// The most messages that are under way at once.
  static let mostMessages = 50
  /// How long an event is remembered, in seconds: longer than it is told.
  static let memory = HomeAssistantFacts.reach * 2
  /// How long a box waits after another client took its name, since each would end the other for ever.
  static let pauseAfterTakeover: Duration = .seconds(3_600)
  /// A connection that ends sooner did not last, in seconds; a broker that gives no reason ends those of two
  /// clients with one name so.
  static let shortConnection: TimeInterval = 60
  static let mostShortConnections = 3

  /// Makes a run.
  ///
  /// `wake` asks for a round and is called on other threads; `answer` performs an answer, `nil` where none
  /// is taken; `say` notes who is at home, by the topics of `presences`.
  package init(
    _ name: String, topics: HomeAssistantTopics, scope: OutletScope, words: HomeAssistantWords,
    from store: SQLStore, now: @escaping @Sendable () -> Date,
    random: any RandomNumberGenerator & Sendable, wake: @escaping @Sendable () -> Void,
    answer: (@Sendable (HomeAssistantAnswer) async -> Void)?,
    presences: [String: String] = [:],
    say: @escaping @Sendable (HomeAssistantPresence) async -> Void = { _ in },
    open: @escaping @Sendable (MQTTOpening) async -> Result<any MQTTSession, DeliveryFault>
  ) {
    (self.name, self.topics, self.scope, self.words) = (name, topics, scope, words)
    (self.store, self.now, self.random, self.answer) = (store, now, random, answer)
    (self.open, self.presences, self.say) = (open, presences, say)
    inbox = HomeAssistantInbox(wake: wake)
  }

  /// Begins, or goes on after a start of the program.
  ///
  /// - Parameter receiver: What tells the broker from another one.
  /// - Throws: ``StoreError``.
  package func begin(receiver: String) async throws {
    let digest = ItemID(of: ["receiver", receiver]).text
    try await store.writeOutlets { [name] writer in
      var course = try OutletCourse(name, in: writer)
      let before = course
      let isAnother = course.begin(
        last: try writer.lastNumber(), scope: "", receiver: digest, hasPast: false)
      // Another broker has nothing of it.
      if isAnother { try Self.forget(by: name, in: writer) }
      if course != before { try course.keep(name, in: writer) }
    }
  }

  /// Lets retained topics be sent again.
  private static func forget(
    by name: String, in writer: any OutletWriter, where isMeant: (String) -> Bool = { _ in true }
  ) throws {
    for var item in try writer.published(by: name) where !item.isEvent && isMeant(item.name) {
      (item.digest, item.isRefused) = (nil, false)
      try writer.putPublished(item, by: name)
    }
  }

  /// Ends: the box says that it is not there any more.
  package mutating func stop() async {
    await session?.close(MQTTMessage(topics.availability, Data("offline".utf8), isRetained: true))
    session = nil
  }

  // MARK: A round

  private struct Plan: Sendable {
    var course: OutletCourse
    var last: Int64
    var facts: HomeAssistantFacts
    var published: [PublishedItem]
    var due: [RefusedItem]
  }

  /// One message, with what is noted of it.
  private struct Job: Sendable {
    enum Kind: Sendable { case retained, removal, moment, event }
    var kind: Kind
    var message: MQTTMessage
    /// The topic, or the event's id.
    var name: String
    var digest: String
  }

  /// Answers, connects, and sends what differs.
  ///
  /// - Throws: ``StoreError``, `EncodingError`.
  package mutating func round() async throws -> OutletRun.Next {
    let date = now()
    for message in inbox.takeAll() { await take(message, at: date) }
    let plan = try await store.readOutlets { [name, scope] reader in
      Plan(
        course: try OutletCourse(name, in: reader), last: try reader.lastNumber(),
        facts: try HomeAssistantFacts(reader, scope: scope, now: date),
        published: try reader.published(by: name),
        due: try reader.refused(by: name, isDue: true, limit: 1_000))
    }
    guard !plan.course.isPaused else {
      await stop()
      return .rest(until: nil)
    }
    if case .rest(let until?) = plan.course.step(last: .min, hasDue: false, now: date) {
      return .rest(until: until)
    }
    if let fault = session?.fault {
      session = nil
      let age = openedAt.map { abs(date.timeIntervalSince($0)) } ?? 0
      shortConnections = age < Self.shortConnection ? shortConnections + 1 : 0
      guard shortConnections >= Self.mostShortConnections else { return try await fail(fault) }
      shortConnections = 0
      return try await fail(.takenOver(name: topics.boxDevice))
    }
    let wasConnected = session != nil
    guard let session = try await connected() else { return .round }
    // The broker's content was read before the broker said that it has nothing.
    guard wasConnected else { return .round }
    if let at = describesAt, at <= date {
      describesAt = nil
      try await store.writeOutlets { [name, topics] writer in
        try Self.forget(by: name, in: writer, where: topics.isDescription)
      }
      return .round
    }
    if case .past(let past) = plan.course.step(last: .min, hasDue: false, now: date) {
      try await keep { [name] course, writer, _, _ in
        try Self.forget(by: name, in: writer)
        course.advance(.past(past), to: past.end, isDone: true)
      }
      return .round
    }
    if try await send(plan, over: session, at: date) { return .round }
    return .rest(until: [plan.facts.wakeAt, describesAt].compactMap(\.self).min())
  }

  private mutating func take(_ message: MQTTMessage, at date: Date) async {
    if message.topic == topics.birth {
      // Retained messages it gets from the broker; a live birth says that it may have missed a
      // description.
      guard !message.isRetained, message.payload == Data("online".utf8) else { return }
      var source = random
      let pause = Self.pauseAfterBirth(using: &source)
      random = source
      describesAt = date + pause
    } else if let answer, let given = HomeAssistantAnswer(message, topics) {
      await answer(given)
    } else if let patient = presences[message.topic],
      let presence = HomeAssistantPresence(message.payload, of: patient)
    {
      // A retained one, too: it says how things stand.
      await say(presence)
    }
  }

  /// Not every box of a house answers in the same second.
  private static func pauseAfterBirth(
    using random: inout some RandomNumberGenerator
  ) -> TimeInterval {
    Double(Int.random(in: 1...10, using: &random))
  }

  /// The connection, which is made if there is none; `nil` if it cannot be made.
  private mutating func connected() async throws -> (any MQTTSession)? {
    if let session { return session }
    let opening = MQTTOpening(
      will: MQTTMessage(topics.availability, Data("offline".utf8), isRetained: true),
      subscriptions: [topics.birth] + (answer == nil ? [] : [topics.commands])
        + presences.keys.sorted(),
      take: { [inbox] in inbox.put($0) }, ended: { [inbox] in inbox.wake() })
    switch await open(opening) {
    case .failure(let fault):
      _ = try await fail(fault)
      return nil
    case .success(let session):
      if !session.isResumed {
        try await store.writeOutlets { [name] in try Self.forget(by: name, in: $0) }
      }
      let answer = await session.publish([
        MQTTMessage(topics.availability, Data("online".utf8), isRetained: true)
      ])
      if let fault = answer.result.fault ?? answer.refused[0] {
        await session.close(opening.will)
        _ = try await fail(fault)
        return nil
      }
      self.session = session
      openedAt = now()
      return session
    }
  }

  /// Notes a failure.
  private mutating func fail(_ fault: DeliveryFault) async throws -> OutletRun.Next {
    let asked = if case .takenOver = fault { Self.pauseAfterTakeover } else { nil as Duration? }
    try await keep { course, _, date, random in
      course.take(.later(fault, after: asked), now: date, using: &random)
    }
    return .round
  }

  private mutating func keep(
    _ change:
      @escaping @Sendable (
        inout OutletCourse, any OutletWriter, Date, inout any RandomNumberGenerator & Sendable
      ) throws -> Void
  ) async throws {
    let date = now()
    random = try await store.writeOutlets { [name, random] writer in
      var (course, random) = (try OutletCourse(name, in: writer), random)
      try change(&course, writer, date, &random)
      try course.keep(name, in: writer)
      return random
    }
  }

  // MARK: The difference

  /// Sends what differs; whether it may be that more is to be sent.
  private mutating func send(
    _ plan: Plan, over session: any MQTTSession, at date: Date
  ) async throws -> Bool {
    let known = Dictionary(
      plan.published.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let picture = try HomeAssistantPicture(
      of: plan.facts, published: Set(plan.published.filter { !$0.isEvent }.map(\.name)),
      takesAnswers: answer != nil, topics, words, now: date)
    let retried = Set(plan.due.map(\.name))
    var jobs: [Job] = []
    func add(_ kind: Job.Kind, _ messages: [String: Data]) {
      for (topic, payload) in messages.sorted(by: { $0.key < $1.key }) {
        let digest = Self.digest(of: payload)
        guard retried.contains(topic) || known[topic]?.digest != digest else { continue }
        jobs.append(
          Job(
            kind: kind, message: MQTTMessage(topic, payload, isRetained: true), name: topic,
            digest: digest))
      }
    }
    add(.retained, picture.descriptions)
    let retained = picture.retained
    let gone = plan.published.filter { !$0.isEvent && retained[$0.name] == nil }
    add(
      .removal, Dictionary(gone.map { ($0.name, Data()) }, uniquingKeysWith: { first, _ in first }))
    add(.retained, picture.states)
    for (topic, payload) in picture.moments.sorted(by: { $0.key < $1.key })
    where moments[topic] != payload {
      jobs.append(
        Job(kind: .moment, message: MQTTMessage(topic, payload), name: topic, digest: ""))
    }
    // An outlet that begins tells of nothing that was before it.
    let isNew = plan.published.isEmpty
    for event in picture.events where known[event.id]?.digest == nil {
      jobs.append(
        Job(
          kind: .event, message: MQTTMessage(event.topic, event.payload), name: event.id,
          digest: event.id))
    }
    let skipped = isNew ? jobs.filter { $0.kind == .event } : []
    if isNew { jobs.removeAll { $0.kind == .event } }
    let isMore = jobs.count > Self.mostMessages
    jobs = Array(jobs.prefix(Self.mostMessages))
    let old = plan.published.filter { $0.isEvent && $0.date < date - Self.memory }.map(\.name)
    try await note(jobs.filter { $0.kind != .moment && known[$0.name] == nil }, skipped, at: date)
    let result: OutletAnswer
    if jobs.isEmpty {
      result = OutletAnswer(.delivered)
    } else {
      result = await session.publish(jobs.map(\.message))
    }
    guard result.result == .delivered else {
      if let fault = result.result.fault { _ = try await fail(fault) }
      return true
    }
    for job in jobs where job.kind == .moment { moments[job.name] = job.message.payload }
    let isIdle =
      jobs.isEmpty && old.isEmpty && plan.course.cursor == plan.last && plan.course.fault == nil
      && plan.due.isEmpty && plan.course.lastSuccess != nil
    guard !isIdle else { return false }
    try await settle(jobs, result.refused, old, plan, isWhole: !isMore)
    return !jobs.isEmpty
  }

  /// Notes what the broker is about to get, so that it is taken back even after a kill.
  private func note(_ jobs: [Job], _ skipped: [Job], at date: Date) async throws {
    guard !jobs.isEmpty || !skipped.isEmpty else { return }
    try await store.writeOutlets { [name] writer in
      for job in jobs {
        try writer.putPublished(
          PublishedItem(name: job.name, isEvent: job.kind == .event, date: date), by: name)
      }
      for job in skipped {
        try writer.putPublished(
          PublishedItem(name: job.name, isEvent: true, digest: job.digest, date: date), by: name)
      }
    }
  }

  /// Stores what the broker answered.
  private mutating func settle(
    _ jobs: [Job], _ refused: [Int: DeliveryFault], _ old: [String], _ plan: Plan, isWhole: Bool
  ) async throws {
    let name = name
    try await keep { course, writer, date, random in
      for (place, job) in jobs.enumerated() where job.kind != .moment {
        let fault = refused[place]
        if let fault {
          try writer.putRefused(
            RefusedItem(
              name: job.name, place: nil, date: date,
              fault: String(decoding: try JSONText.of(fault), as: UTF8.self)), by: name)
        } else {
          try writer.removeRefused(job.name, by: name)
        }
        if job.kind == .removal, fault == nil {
          try writer.removePublished(job.name, by: name)
        } else {
          try writer.putPublished(
            PublishedItem(
              name: job.name, isEvent: job.kind == .event, digest: job.digest,
              isRefused: fault != nil, date: date), by: name)
        }
      }
      for event in old { try writer.removePublished(event, by: name) }
      if isWhole {
        course.advance(.follow(after: plan.last), to: plan.last, isDone: true)
        // A refused item that is none any more is not asked for again.
        for item in plan.due where !jobs.contains(where: { $0.name == item.name }) {
          try writer.removeRefused(item.name, by: name)
        }
      }
      course.take(.delivered, now: date, using: &random)
    }
  }

  private static func digest(of payload: Data) -> String {
    ItemID(of: ["payload", payload.base64EncodedString()]).text
  }
}

extension DeliveryResult {
  /// Why it failed; `nil` if it did not.
  var fault: DeliveryFault? {
    switch self {
    case .delivered: nil
    case .later(let fault, _), .refused(let fault), .unknown(let fault): fault
    }
  }
}

/// The messages of the broker that were not looked at yet: bounded, the latest are dropped.
private final class HomeAssistantInbox: Sendable {
  private let messages = Mutex<[MQTTMessage]>([])
  let wake: @Sendable () -> Void

  private static let most = 64

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  func put(_ message: MQTTMessage) {
    messages.withLock { if $0.count < Self.most { $0.append(message) } }
    wake()
  }

  func takeAll() -> [MQTTMessage] {
    messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
