import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore
import Synchronization
import TestSupport
import Testing
import WebTestSupport

@testable import Web

/// The share that one sender may take, and the one that is left for others.
@Suite struct MemoryBudgetTests {
  private static let limits = MemoryBudget.Limits(
    total: 1_000, strangers: 420, newcomers: 20, little: 10, network: 100, sender: 300)

  @Test func `a sender takes no more than its share, and others the rest`() throws {
    let budget = MemoryBudget(Self.limits)
    let anna = MemoryBudget.Sender.known("anna")
    let part = try budget.take(250, for: anna)
    #expect(throws: MemoryExhausted()) { try budget.take(51, for: anna) }
    #expect(throws: MemoryExhausted()) { try part.resize(to: 301) }
    #expect(budget.taken == 250)
    let others = try (0..<2).map { try budget.take(300, for: .known("\($0)")) }
    #expect(throws: MemoryExhausted()) { try budget.take(151, for: .everybody) }
    withExtendedLifetime((part, others)) {}
  }

  @Test func `strangers leave the others' part alone`() throws {
    let budget = MemoryBudget(Self.limits)
    var parts = try (0..<4).map { try budget.take(100, for: .network("\($0)")) }
    #expect(throws: MemoryExhausted()) { try budget.take(1, for: .network("0")) }
    #expect(throws: MemoryExhausted()) { try budget.take(11, for: .network("5")) }
    #expect(throws: MemoryExhausted()) { try budget.take(11, for: .crowd) }
    // There is a little for those who have nothing.
    let little = try ["5", "6"].map { try budget.take(10, for: .network($0)) }
    #expect(throws: MemoryExhausted()) { try budget.take(1, for: .network("7")) }
    let known = try [300, 280].map { try budget.take($0, for: .known("\($0)")) }
    parts.removeLast()
    parts.append(try budget.take(80, for: .crowd))
    withExtendedLifetime((parts, known, little)) {}
  }

  /// Taking, growing, shrinking and giving back, at random.
  @Test(arguments: Rounds.seeds(50))
  func `no limit is passed, and everything is given back`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let budget = MemoryBudget(Self.limits)
    let senders: [MemoryBudget.Sender] = [
      .everybody, .crowd, .network("a"), .network("b"), .known("a"), .known("b"),
    ]
    var parts: [(sender: MemoryBudget.Sender, part: MemoryBudget.Part, size: Int)] = []
    for _ in 0..<200 {
      let size = Int.random(in: 0...200, using: &random)
      if let place = parts.indices.randomElement(using: &random), Bool.random(using: &random) {
        if Bool.random(using: &random) {
          parts.remove(at: place)
        } else if (try? parts[place].part.resize(to: size)) != nil {
          parts[place].size = size
        }
      } else if let sender = senders.randomElement(using: &random),
        let part = try? budget.take(size, for: sender)
      {
        parts.append((sender, part, size))
      }
      func sum(_ isCounted: (MemoryBudget.Sender) -> Bool) -> Int {
        parts.filter { isCounted($0.sender) }.map(\.size).reduce(0, +)
      }
      #expect(budget.taken == sum { _ in true })
      #expect(budget.taken <= 1_000)
      #expect(sum { $0 == .crowd || $0 == .network("a") || $0 == .network("b") } <= 420)
      #expect(sum { $0 == .network("a") } <= 100)
      #expect(sum { $0 == .known("a") } <= 300)
    }
    parts = []
    #expect(budget.taken == 0)
  }

  // MARK: Answers

  private struct Number: Encodable { var value: Double }

  @Test func `a number that is none breaks no list`() throws {
    var writer = try BodyWriter(most: 10_000, memory: MemoryBudget())
    try writer.writeList("numbers") { body in
      try body.append([Number(value: 1), Number(value: .infinity)])
      try body.append([Number]())
      try body.append([Number(value: 2)])
    }
    let text = writer.finish().parts.map { String(buffer: $0) }.joined()
    #expect(text == #"{"numbers":[{"value":1},{"value":"Infinity"},{"value":2}]}"#)
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `a body is in parts, and its memory is that of its bytes`(count: Int) throws {
    let budget = MemoryBudget()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var writer = try BodyWriter(most: 1 << 20, memory: budget)
    for start in stride(from: 0, to: count, by: 30_000) {
      try writer.write(bytes[start..<min(start + 30_000, count)])
    }
    do {
      let body = writer.finish()
      #expect(body.parts.flatMap { Array($0.readableBytesView) } == bytes)
      #expect(body.count == count && budget.taken == count)
      #expect(body.parts.allSatisfy { $0.readableBytes <= 65_536 })
    }
    #expect(budget.taken == 0)
  }

  @Test(arguments: [0, 100_000, 100_001, 199_999, 200_000, 1_500_000])
  func `a long body is in a file but for its beginning`(count: Int) throws {
    let (memory, disk) = (MemoryBudget(), MemoryBudget(.disk))
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let spool = BodyWriter.Spool(
      disk: disk, makeFile: { try store.makeUnnamedFile() }, most: 100_000)
    var writer = try BodyWriter(most: 2 << 20, memory: memory, spool: spool)
    var plain = try BodyWriter(most: 2 << 20, memory: MemoryBudget())
    for start in stride(from: 0, to: count, by: 25_000) {
      let piece = bytes[start..<min(start + 25_000, count)]
      try writer.write(piece)
      try plain.write(piece)
    }
    do {
      let (body, whole) = (writer.finish(), plain.finish())
      #expect(body == whole)
      #expect(memory.taken == min(count, 100_000))
      #expect(body.countInFile == max(0, count - 100_000))
      #expect(disk.taken == (count > 100_000 ? max(1 << 20, count - 100_000) : 0))
      var read: [UInt8] = []
      var reader = QueryBody.Reader(body)
      while let part = try reader.part() {
        #expect(part.readableBytes <= 65_536)
        read += Array(part.readableBytesView)
      }
      #expect(read == bytes)
      withExtendedLifetime(body) {}
    }
    #expect(memory.taken == 0 && disk.taken == 0)
  }

  /// A disk without room, or a folder that this process may not write.
  @Test func `a body stays in memory where no file can be made`() throws {
    let memory = MemoryBudget()
    let spool = BodyWriter.Spool(
      disk: MemoryBudget(.disk),
      makeFile: { throw StoreError.notWritten(.readOnly, file: "store") }, most: 10)
    var writer = try BodyWriter(most: 1_000, memory: memory, spool: spool)
    try writer.write([UInt8](repeating: 1, count: 300))
    let body = writer.finish()
    #expect(body.countInMemory == 300 && body.countInFile == 0)
    #expect(memory.taken == 300)
    withExtendedLifetime(body) {}
  }

  @Test func `a body that is too long is refused before it is there`() throws {
    let budget = MemoryBudget()
    var writer = try BodyWriter(most: 100, memory: budget)
    try writer.write([UInt8](repeating: 0, count: 100))
    do {
      try writer.write([0])
      Issue.record("It was written.")
    } catch let error as AnswerTooLong {
      #expect(error.most == 100)
    }
    #expect(budget.taken == 100)
  }

  // MARK: Requests

  /// Asks without reading the answer.
  private func open(
    _ path: String, _ access: TestAccess, as credentials: TestAccess.Credentials,
    _ others: [String: String] = [:]
  ) async throws -> Response {
    var headers: HTTPFields = [:]
    for (name, value) in credentials.fields.merging(others, uniquingKeysWith: { $1 }) {
      headers[try #require(HTTPField.Name(name))] = value
    }
    let head = HTTPRequest(
      method: .get, scheme: "http", authority: "localhost", path: path, headerFields: headers)
    return try await access.site.responder.response(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())))
  }

  @Test func `answers that nobody reads take a reader's share, and no other's`() async throws {
    let access = try await TestAccess()
    let (doctor, nurse) = (try await access.signIn("doctor"), try await access.signIn("nurse"))
    let memory = access.site.environment.memory
    let path = "/api/v1/events?from=2026-01-01&to=2027-01-01"
    var responses: [Response] = []
    // As if each of them were longer.
    let rest = try memory.take((16 << 20) - 200_000, for: .known("account doctor"))
    while responses.last?.status != .serviceUnavailable, responses.count < 200 {
      responses.append(try await open(path, access, as: doctor))
    }
    #expect(responses.count > 1)
    let refused = try #require(responses.last)
    #expect(refused.status == .serviceUnavailable)
    #expect(refused.headers[.retryAfter] == "5")
    #expect(try await access.get(path, as: nurse).status == 200)
    responses = []
    #expect(try await access.get(path, as: doctor).status == 200)
    withExtendedLifetime(rest) {}
  }

  @Test func `a long answer that nobody reads is on the disk`() async throws {
    let access = try await TestAccess()
    let doctor = try await access.signIn("doctor")
    try await access.site.importTasks(30)
    let path = "/api/v1/events?from=2026-11-10&to=2027-01-10"
    let (memory, disk) = (access.site.environment.memory, access.site.environment.disk)
    let length = try await access.get(path, as: doctor).bytes.count
    #expect(length > BodyWriter.longestStreamed)
    let before = memory.taken
    do {
      var responses: [Response] = []
      for _ in 0..<5 { responses.append(try await open(path, access, as: doctor)) }
      #expect(responses.allSatisfy { $0.status == .ok })
      #expect(Set(responses.map { $0.headers[.eTag] }).count == 1)
      #expect(responses.allSatisfy { $0.body.contentLength == length })
      let each = BodyWriter.longestStreamed + 2 * BodyWriter.part
      #expect(memory.taken - before <= 5 * each)
      #expect(disk.taken >= 5 * BodyWriter.Spool.least)
      withExtendedLifetime(responses) {}
    }
    #expect(disk.taken == 0)
    #expect(memory.taken == before)
  }

  /// How many run at a time.
  private final class Running: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    var most: Int { counts.withLock { $0.most } }
    func begin() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func end() { counts.withLock { $0.now -= 1 } }
  }

  @Test func `a sender's queries wait for each other, and for no one else's`() async throws {
    let turns = QueryTurns()
    let (gate, opening) = AsyncStream.makeStream(of: Void.self)
    let running = Running()
    let count = QueryTurns.running + QueryTurns.waiting
    try await withThrowingTaskGroup(of: Bool.self) { tasks in
      for _ in 0...count {
        tasks.addTask {
          do {
            return try await turns.run(for: .known("anna")) {
              running.begin()
              for await _ in gate {}
              running.end()
              return true
            }
          } catch is MemoryExhausted {
            return false
          }
        }
      }
      // The one that is too many ends first; the others wait until they may go on.
      #expect(try await tasks.next() == false)
      #expect(try await turns.run(for: .known("bert")) { 7 } == 7)
      opening.finish()
      for try await isDone in tasks { #expect(isDone) }
    }
    #expect(running.most == QueryTurns.running)
    #expect(try await turns.run(for: .known("anna")) { 7 } == 7)
  }

  @Test func `a sender has so many streams of so many queries`() async throws {
    let access = try await TestAccess()
    let (doctor, nurse) = (try await access.signIn("doctor"), try await access.signIn("nurse"))
    let stream = ["Accept": "text/event-stream"]
    var responses: [Response] = []
    for number in 1...StreamPlaces.mostQueries {
      responses.append(
        try await open("/api/v1/samples?last=\(number)", access, as: doctor, stream))
    }
    #expect(responses.allSatisfy { $0.status == .ok })
    let other = try await open("/api/v1/samples?last=99", access, as: doctor, stream)
    #expect(other.status == .serviceUnavailable)
    for _ in StreamPlaces.mostQueries..<StreamPlaces.most {
      responses.append(try await open("/api/v1/samples?last=1", access, as: doctor, stream))
    }
    #expect(responses.allSatisfy { $0.status == .ok })
    let more = try await open("/api/v1/samples?last=1", access, as: doctor, stream)
    #expect(more.status == .serviceUnavailable)
    #expect(
      try await open("/api/v1/samples?last=99", access, as: nurse, stream).status == .ok)
    responses = []
    #expect(
      try await open("/api/v1/samples?last=99", access, as: doctor, stream).status == .ok)
  }

  @Test func `a stream of a long answer is refused with the reason`() async throws {
    let access = try await TestAccess()
    let doctor = try await access.signIn("doctor")
    try await access.site.importTasks(30)
    let path = "/api/v1/events?from=2026-11-10&to=2027-01-10"
    let fields = doctor.fields.merging(["Accept": "text/event-stream"]) { $1 }
    let refused = try await access.get(path, as: TestAccess.Credentials(fields: fields))
    #expect(refused.status == 400)
    #expect(refused.text.contains("256 kB"))
    // Without a stream it is answered, and what is a part of it also with one.
    let whole = try await access.get(path, as: doctor)
    #expect(whole.bytes.count > BodyWriter.longestStreamed)
    let events = try whole.list("events")
    #expect(events.count == 61 * 31)
    #expect(Set(events.compactMap { $0["id"] as? String }).count == events.count)
    let day = "/api/v1/events?date=2026-11-20"
    #expect(
      try await open(day, access, as: doctor, ["Accept": "text/event-stream"]).status == .ok)
  }

  @Test(
    arguments: [
      ("/signin", "application/x-www-form-urlencoded", 5_000, 413),
      ("/signin", "application/x-www-form-urlencoded", 3_000, 422),
      ("/claim", "multipart/form-data; boundary=x", 5_000, 413),
      ("/language", "multipart/form-data; boundary=x", 70_000, 413),
      ("/language", "application/x-www-form-urlencoded", 70_000, 413),
      ("/setup/plan", "multipart/form-data; boundary=x", 5 << 20, 413),
    ])
  func `a route reads as much as it takes`(
    path: String, type: String, count: Int, status: Int
  ) async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let credentials = path == "/signin" || path == "/claim" ? .none : admin
    let answer = try await access.send(
      .post, path, as: credentials, type: type,
      body: "account=a&passcode=" + String(repeating: "a", count: count), hasToken: false)
    #expect(answer.status == status)
    #expect(access.site.environment.memory.taken < 200_000)
  }

  /// A body that says when it is read.
  private struct Watched: AsyncSequence, Sendable {
    final class Count: Sendable {
      private let number = Mutex(0)
      var value: Int { number.withLock { $0 } }
      func add() { number.withLock { $0 += 1 } }
    }

    let count = Count()

    struct AsyncIterator: AsyncIteratorProtocol {
      let count: Count

      mutating func next() async throws -> ByteBuffer? {
        count.add()
        return count.value < 100 ? ByteBuffer(repeating: 0x61, count: 8_192) : nil
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count: count) }
  }

  @Test(
    arguments: [
      ("GET", "/today", 0), ("DELETE", "/api/v1/samples/1", 0),
      ("POST", "/api/v1/samples/1/restoration", 0), ("GET", "/api/v1/health", 0),
      // Up to the byte that is too many.
      ("POST", "/signin", 1), ("POST", "/api/v1/messages", 9),
    ])
  func `a body is read where one is taken, up to its limit`(
    method: String, path: String, most: Int
  ) async throws {
    let site = try TestSite()
    let body = Watched()
    let head = HTTPRequest(
      method: try #require(HTTPRequest.Method(method)), scheme: "http", authority: "localhost",
      path: path, headerFields: [.contentType: "application/json"])
    _ = try await site.send(head, RequestBody(asyncSequence: body))
    #expect(body.count.value <= most)
  }
}

extension TestSite {
  /// Gives Anna daily tasks.
  fileprivate func importTasks(_ count: Int) async throws {
    let start = try #require(Date("2026-11-01", in: Self.zone))
    let daily = try Schedule([
      try ScheduleElement(
        start: start, interval: Interval(days: 1), duration: .allDay, timeZone: Self.zone)
    ])
    let plan = PlanDocument(
      timeZone: Self.zone, patients: [Patient(id: "anna", name: PersonName(given: "Anna"))],
      tasks: (0..<count).map {
        PlannedTask(id: "task-\($0)", patient: "anna", title: "Task \($0)", schedule: daily)
      })
    _ = try await store.write { try $0.importPlan(plan, now: Self.noon - 15 * 86_400) }
  }
}
