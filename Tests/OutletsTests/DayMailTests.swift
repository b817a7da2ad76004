import Care
import CareStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Outlets

/// A server of mail on this machine, which answers once otherwise than usual.
private final class MailServerUnderTest: Sendable {
  /// The answers at which step of a mail, one after another: `cut` ends the connection after the text.
  let answers: Mutex<[(step: String, answer: String)]>
  let mails = Mutex<[ReceivedMail]>([])
  private let server: Mutex<ScriptedServer?> = Mutex(nil)

  var port: Int { server.withLock { $0?.port } ?? 0 }
  var received: [ReceivedMail] { mails.withLock { $0 } }

  // `most` is the longest mail that it takes, in bytes.
  init(_ answers: [(String, String)] = [], most: Int = .max) throws {
    self.answers = Mutex(answers.map { (step: $0.0, answer: $0.1) })
    let started = try ScriptedServer { [weak self] connection in
      func reply(_ command: String, _ usual: String) -> Bool {
        let answer = self?.next(command)
        connection.say((answer ?? usual) + "\r\n")
        return answer == nil
      }
      guard reply("greeting", "220 mail.test ESMTP") else { return connection.wait() }
      while let line = connection.read(until: "\r\n") {
        let command = String(line.split(separator: " ").first ?? "").uppercased()
        switch command {
        case "EHLO": _ = reply(command, "250 mail.test")
        case "DATA":
          guard reply(command, "354 go on") else { continue }
          guard let text = connection.read(until: "\r\n.\r\n") else { return }
          if text.utf8.count > most {
            connection.say("552 5.3.4 message too big\r\n")
            continue
          }
          let isCut = self?.next("cut") != nil
          if !isCut, let answer = self?.next("end") {
            connection.say(answer + "\r\n")
            continue
          }
          self?.mails.withLock { $0.append(ReceivedMail(text)) }
          if isCut { return }
          connection.say("250 2.0.0 kept\r\n")
        case "QUIT": connection.say("221 bye\r\n")
        default: _ = reply(command, "250 ok")
        }
      }
    }
    server.withLock { $0 = started }
  }

  private func next(_ step: String) -> String? {
    answers.withLock { answers in
      guard let index = answers.firstIndex(where: { $0.step == step }) else { return nil }
      return answers.remove(at: index).answer
    }
  }
}

/// Files of days by mail: which days go when, to a server that takes them or does not.
struct DayMailTests {
  private static let noon = OutletFaultTests.noon

  /// A store with a weight of john on each of some days before today's, and who mails it.
  private final class World: Sendable {
    let folder: URL
    let store: SQLStore
    let clock = SetClock()
    let server: MailServerUnderTest

    init(days: Int, _ server: MailServerUnderTest) async throws {
      self.server = server
      folder = FileManager.default.temporaryDirectory.appending(path: "mails-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      store = try SQLStore.open(
        path: folder.appending(path: "s.sqlite").path, makeUUID: { UUID() })
      let plan = PlanDocument(
        timeZone: .gmt,
        patients: ["john", "mary"].map { Patient(id: $0, name: PersonName(given: $0)) }, tasks: [])
      _ = try await store.write { try $0.importPlan(plan, now: noon) }
      for day in 0..<days { try await weigh(60 + Double(day), at: noon - 86_400 * Double(day + 1)) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func weigh(_ kilograms: Double, of patient: String = "john", at date: Date) async throws {
      try await store.write { writer in
        let reading = Reading(
          quantity: .bodyMass, value: kilograms, arrival: date,
          device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), raw: [UInt8(kilograms), 1])
        _ = try writer.insert(Sample(reading: reading, patient: patient, start: date, end: date))
      }
    }

    func correct(_ value: Double) async throws {
      let now = clock.now
      let all = try await store.read { reader in
        try reader.samples(SampleQuery(owner: .patient("john"), states: [.live]))
      }
      let latest = try #require(all.max { $0.start < $1.start })
      _ = try await store.write {
        try $0.correct(latest.identity, value: value, source: nil, reason: nil, now: now)
      }
    }

    func consent(_ state: ConsentAnswer.State) async throws {
      let now = clock.now
      try await store.write { writer in
        let count = try writer.things(ConsentAnswer.self, patient: "john").count
        _ = try writer.put(
          ConsentAnswer(
            id: "answer-\(count)", patient: "john", carePlan: "study", version: "1",
            digest: String(repeating: "0", count: 64), state: state, name: "John",
            date: now + Double(count)), now: now)
      }
    }

    func run(zone: TimeZone = .gmt, bytes: Int = 0) async throws -> DayMailRun {
      let account = Courier.MailAccount(
        server: try #require(
          MailServer(host: "127.0.0.1", port: server.port, encryption: .none)),
        from: try #require(MailAddress("box@example.org")))
      let courier = Courier(
        transport: Transport(authorities: nil), account: account, now: { [clock] in clock.now })
      let to = try #require(MailAddress("nora@example.org"))
      let run = try MailboxReceiver.run(
        of: store, to: to,
        scope: OutletScope(people: ["john", "mary"], since: .distantPast), zone: zone,
        bytes: bytes, now: { [clock] in clock.now },
        post: { message, files in await courier.mail(message, files, to: to) })
      try await run.begin(receiver: "here")
      return run
    }

    /// Works until nothing is left, with the clock ahead to when it wakes.
    func drain(bytes: Int = 0) async throws {
      try await OutletFaultTests.drain(try await run(bytes: bytes), clock)
    }

    /// Works until it rests; when it wakes.
    func rest() async throws -> Date? {
      var run = try await run()
      for _ in 0..<100 { if case .rest(let until) = try await run.round() { return until } }
      Issue.record("It comes to no end")
      return nil
    }

    func change(_ body: @escaping @Sendable (inout OutletCourse) -> Void) async throws {
      try await store.writeOutlets { writer in
        var course = try OutletCourse("clinic", in: writer)
        body(&course)
        try course.keep("clinic", in: writer)
      }
    }

    var refused: [RefusedItem] {
      get async throws {
        try await store.readOutlets { try $0.refused(by: "clinic", isDue: false, limit: 1_000) }
      }
    }
  }

  private static func time(_ text: String) throws -> Date { try #require(Date(rfc3339: text)) }

  @Test func `a day goes in the night after it, and what changes later in the next one`()
    async throws
  {
    let world = try await World(days: 1, try MailServerUnderTest())
    try await world.weigh(70, at: Self.noon)
    // Yesterday waits for the night, in which today is over, too.
    #expect(try await world.rest() == Self.time("2026-11-19T04:00:00Z"))
    #expect(world.server.received.isEmpty)
    world.clock.set(try Self.time("2026-11-19T04:00:00Z"))
    #expect(try await world.rest() == nil)
    #expect(
      world.server.received.map { $0.files.keys.sorted() }
        == [["john-2026-11-17.json", "john-2026-11-18.json"]])
    world.clock.set(try Self.time("2026-11-19T04:05:00Z"))
    try await world.correct(71)
    #expect(try await world.rest() == Self.time("2026-11-20T04:00:00Z"))
    try await world.correct(72)
    try await world.drain()
    let mails = world.server.received
    #expect(mails.count == 2)
    #expect(mails.last?.files.keys.sorted() == ["john-2026-11-18.json"])
    #expect(mails.last?.body.contains("2026-11-18 again") == true)
    #expect(Set(mails.map(\.id)).count == 2)
    // The same again says nothing new.
    try await world.correct(72)
    try await world.drain()
    #expect(world.server.received.count == 2)
  }

  @Test(arguments: [
    ("Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T02:00:00Z"),
    ("Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T03:00:00Z"),
    ("America/Los_Angeles", "2026-11-18T12:00:00Z", "2026-11-19T12:00:00Z"),
  ])
  func `the night is that of the plan's zone`(zone: String, measured: String, mailed: String)
    async throws
  {
    let world = try await World(days: 0, try MailServerUnderTest())
    let date = try Self.time(measured)
    world.clock.set(date)
    try await world.weigh(70, at: date)
    var run = try await world.run(zone: try #require(TimeZone(identifier: zone)))
    while true {
      guard case .rest(let until) = try await run.round() else { continue }
      #expect(until == (try Self.time(mailed)))
      break
    }
  }

  @Test(arguments: [
    ("greeting", "421 too busy"), ("greeting", "554 no service"), ("MAIL", "451 4.7.1 greylisted"),
    ("RCPT", "452 4.2.2 mailbox full"), ("DATA", "450 not now"), ("end", "451 local error"),
    ("end", "552 5.2.2 over quota"),
  ])
  func `what the server takes later goes later, once`(step: String, answer: String) async throws {
    let world = try await World(days: 3, try MailServerUnderTest([(step, answer)]))
    try await world.drain()
    #expect(world.server.received.flatMap(\.files.keys).sorted().count == 3)
    #expect(Set(world.server.received.map(\.id)).count == world.server.received.count)
    #expect(try await world.refused.isEmpty)
  }

  @Test func `a lost answer has the same name at the next attempt`() async throws {
    let world = try await World(days: 3, try MailServerUnderTest([("cut", "")]))
    try await world.drain()
    let mails = world.server.received
    #expect(mails.count == 2)
    #expect(mails.first == mails.last)
  }

  @Test func `a program that ended before the receipt says the same again`() async throws {
    let world = try await World(days: 2, try MailServerUnderTest())
    world.clock.set(try Self.time("2026-11-19T04:00:00Z"))
    _ = try await world.rest()
    // It would have found the rows of before.
    try await world.store.writeOutlets { writer in
      for item in try writer.published(by: "clinic") {
        let day = try #require(DayName(item.name))
        var record = DayRecord()
        record.waits = Self.noon
        try record.keep(day, by: "clinic", in: writer, now: Self.noon)
      }
    }
    try await world.drain()
    #expect(world.server.received.count == 2)
    #expect(Set(world.server.received.map(\.id)).count == 1)
  }

  @Test(arguments: [
    ("RCPT", "550 5.1.1 nobody"), ("MAIL", "553 5.7.1 not yours"), ("end", "554 5.7.1 spam"),
  ])
  func `a refusal is kept with the server's words, and goes once somebody says so`(
    step: String, answer: String
  ) async throws {
    let world = try await World(days: 2, try MailServerUnderTest([(step, answer)]))
    try await world.drain()
    #expect(world.server.received.isEmpty)
    let refused = try await world.refused
    #expect(refused.map(\.name) == ["john 2026-11-16", "john 2026-11-17"])
    #expect(refused.allSatisfy { $0.fault.contains(answer) })
    // It holds nothing else up.
    try await world.weigh(80, of: "mary", at: world.clock.now - 86_400)
    try await world.drain()
    #expect(world.server.received.count == 1)
    _ = try await world.store.writeOutlets { try $0.retryRefused(by: "clinic") }
    try await world.drain()
    #expect(world.server.received.count == 2)
    #expect(world.server.received.last?.files.count == 2)
    #expect(try await world.refused.isEmpty)
  }

  @Test func `a long past goes in mails of a month`() async throws {
    let world = try await World(days: 70, try MailServerUnderTest())
    try await world.drain()
    let mails = world.server.received
    #expect(mails.map(\.files.count) == [31, 31, 8])
    #expect(mails.map { $0.body.contains("more") } == [true, true, false])
    #expect(mails.first?.files.keys.min() == "john-2026-09-09.json")
  }

  @Test func `a mail that is too long for a server goes in parts`() async throws {
    let world = try await World(days: 12, try MailServerUnderTest(most: 900_000))
    try await world.drain(bytes: 100_000)
    #expect(world.server.received.map(\.files.count) == [6, 6])
    #expect(try await world.refused.isEmpty)
  }

  @Test func `a day that no mail takes is refused with its length`() async throws {
    let world = try await World(days: 1, try MailServerUnderTest())
    try await world.drain(bytes: DayMailRun.mostBytes)
    #expect(world.server.received.isEmpty)
    #expect(try await world.refused.first?.fault.contains("bytes in a day") == true)
  }

  @Test func `on demand a day goes at once, and again under another name`() async throws {
    let world = try await World(days: 3, try MailServerUnderTest())
    try await world.drain()
    try await world.weigh(75, at: world.clock.now)
    try await world.change { $0.sendPast(from: nil, isForced: true) }
    _ = try await world.rest()
    let from = Self.noon - 86_400 * 2
    try await world.change { $0.sendPast(from: from, isForced: true) }
    _ = try await world.rest()
    let mails = world.server.received
    #expect(mails.count == 3)
    // That of today is not over.
    #expect(mails[0].files == mails[1].files)
    #expect(mails[2].files.keys.sorted() == ["john-2026-11-16.json", "john-2026-11-17.json"])
    #expect(Set(mails.map(\.id)).count == 3)
  }

  @Test func `of an erased person nothing goes but a word to who has something`() async throws {
    let world = try await World(days: 2, try MailServerUnderTest())
    try await world.weigh(80, of: "mary", at: Self.noon - 86_400)
    world.clock.set(try Self.time("2026-11-19T04:00:00Z"))
    _ = try await world.rest()
    #expect(world.server.received.count == 2)
    try await world.weigh(81, at: world.clock.now)
    try await world.store.erase(patient: "john", now: world.clock.now)
    try await world.drain()
    #expect(world.server.received.map(\.subject).dropFirst(2) == ["gone john"])
    #expect(world.server.received.last?.files.isEmpty == true)
    let known = try await world.store.readOutlets { try $0.published(by: "clinic") }
    #expect(known.map(\.name) == ["mary 2026-11-17"])
  }

  @Test func `of an erased person of whom nobody has anything no word goes`() async throws {
    let world = try await World(days: 2, try MailServerUnderTest())
    _ = try await world.rest()
    try await world.store.erase(patient: "john", now: world.clock.now)
    try await world.drain()
    #expect(world.server.received.isEmpty)
    #expect(try await world.store.readOutlets { try $0.published(by: "clinic") }.isEmpty)
  }

  @Test func `without a consent nothing goes, and what waited goes with it`() async throws {
    let world = try await World(days: 2, try MailServerUnderTest())
    _ = try await world.rest()
    try await world.consent(.withdrawn)
    try await world.drain()
    #expect(world.server.received.isEmpty)
    try await world.consent(.agreed)
    try await world.drain()
    #expect(world.server.received.map(\.files.count) == [2])
  }

  @Test(arguments: [
    ("john", "john-2026-11-20.csv"), ("../x", "%2e%2e%2fx-2026-11-20.csv"),
    ("a b", "a%20b-2026-11-20.csv"), ("周", "周-2026-11-20.csv"), ("a%20b", "a%2520b-2026-11-20.csv"),
  ])
  func `a file's name follows from person and day`(id: String, name: String) throws {
    #expect(DayName(id, "2026-11-20").file(".csv") == name)
    #expect(DayName(DayName(id, "2026-11-20").text) == DayName(id, "2026-11-20"))
  }
}
