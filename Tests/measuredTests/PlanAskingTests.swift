import Actions
import Care
import CareStore
import Foundation
import Outlets
import Plans
import Synchronization
import Testing

@testable import Terminal

/// The plan that a FHIR server has, asked for once a day.
struct PlanAskingTests {
  /// A server whose only request is what a test sets.
  private final class Server: Sendable {
    private let orders = Mutex<[String]>([])
    private let count = Mutex(0)
    private let status = Mutex(200)

    /// How many questions it got.
    var questions: Int { count.withLock { $0 } }

    func set(_ titles: [String], status: Int = 200) {
      orders.withLock { $0 = titles }
      self.status.withLock { $0 = status }
    }

    func send(_ request: HTTPRequest) -> TransferResult {
      count.withLock { $0 += 1 }
      let isOfOrders = request.address.text.contains("/ServiceRequest?")
      let entries = (isOfOrders ? orders.withLock { $0 } : []).enumerated().map { index, title in
        """
        {"fullUrl":"https://clinic.example/fhir/ServiceRequest/\(index)","resource":
        {"resourceType":"ServiceRequest","id":"o\(index)","status":"active","intent":"order",
        "code":{"text":"\(title)"},"subject":{"reference":"Patient/4711"},
        "authoredOn":"2026-11-01","occurrenceTiming":{"repeat":{"boundsPeriod":
        {"start":"2026-11-01"},"frequency":1,"period":1,"periodUnit":"d","timeOfDay":["08:00:00"]}}}}
        """
      }
      let body = """
        {"resourceType":"Bundle","type":"searchset","total":\(entries.count),
        "entry":[\(entries.joined(separator: ","))]}
        """
      return .answered(
        status: status.withLock { $0 }, retryAfter: nil,
        body: Data(
          entries.isEmpty ? #"{"resourceType":"Bundle","type":"searchset"}"#.utf8 : body.utf8))
    }
  }

  private let store: SQLStore
  private let server = Server()
  private let clock = Clock()

  private final class Clock: Sendable {
    private let date = Mutex(Date(timeIntervalSince1970: 1_795_003_200))
    var now: Date { date.withLock { $0 } }
    func pass(_ hours: Double) { date.withLock { $0 += hours * 3_600 } }
  }

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = PlanDocument(
      timeZone: .gmt, patients: [Patient(id: "john", name: PersonName(given: "John"))], tasks: [])
    let now = clock.now
    _ = try await store.write { try $0.importPlan(plan, now: now) }
  }

  private static let clinic = [
    "address": ["https://clinic.example/fhir"], "people": ["john"], "records": ["4711 john"],
    "plan": ["daily"],
  ]

  private func look(_ values: [String: [String]] = [:]) async throws {
    let whole = Self.clinic.merging(values) { $1 }
    let definition = OutletDefinition(.fhir, whole)
    try definition.check()
    let settings = try #require(OutletSettings("clinic", definition))
    try await PlanAsking(
      store: store, send: { [server] in server.send($0) }, now: { [clock] in clock.now }
    ).look([settings])
  }

  private func proposal() async throws -> PlanProposal? {
    try await store.readOutlets { try PlanProposal.all(in: $0)["clinic"] }
  }

  private func take() async throws {
    let proposal = try #require(try await proposal())
    let plan = try PlanFile.plan(in: try #require(proposal.text), file: "clinic")
    let (digest, now) = (try #require(proposal.digest), clock.now)
    _ = try await store.writeMessages {
      try TakeProposal("clinic", digest: digest, plan: plan).perform(
        in: $0, by: .owner, now: now)
    }
  }

  private func tasks() async throws -> [String] {
    let now = clock.now
    return try await store.read { reader in
      try reader.histories(patient: nil).compactMap { $0.current(at: now)?.title }.sorted()
    }
  }

  @Test(arguments: [true, false])
  func `an outlet that is taken away while its server answers proposes nothing`(
    isRemoved: Bool
  ) async throws {
    server.set(["Walk"])
    let (store, now, server) = (store, clock.now, server)
    _ = try await store.writeMessages {
      try AddOutlet("clinic", OutletDefinition(.fhir, Self.clinic), reserved: []).perform(
        in: $0, by: .owner, now: now)
    }
    try await PlanAsking(
      store: store,
      send: { request in
        if isRemoved {
          _ = try? await store.writeMessages {
            try RemoveOutlet("clinic").perform(in: $0, by: .owner, now: now)
          }
        }
        return server.send(request)
      }, now: { now }
    ).look()
    #expect(try await (proposal() == nil) == isRemoved)
  }

  @Test func `nothing is taken before somebody agrees, and nothing twice`() async throws {
    server.set(["Walk"])
    try await look()
    #expect(try await tasks() == [])
    #expect(try await proposal()?.text?.contains("Walk") == true)
    // Asked once a day.
    let asked = server.questions
    clock.pass(2)
    try await look()
    #expect(server.questions == asked)
    try await take()
    #expect(try await tasks() == ["Walk"])
    #expect(try await proposal()?.text == nil)
    await #expect(throws: ProposalGone.self) {
      let now = clock.now
      try await store.writeMessages {
        try DeclineProposal("clinic", digest: "x").perform(in: $0, by: .owner, now: now)
      }
    }
    for _ in 0..<3 {
      clock.pass(24)
      try await look()
      #expect(try await proposal()?.text == nil)
    }
    #expect(server.questions > asked && server.questions.isMultiple(of: asked))
    #expect(try await tasks() == ["Walk"])
    let edits = try await store.read { try $0.planEdits(limit: 10).count }
    // A change there is proposed again.
    server.set(["Walk", "Swim"])
    clock.pass(24)
    try await look()
    #expect(try await proposal()?.text?.contains("Swim") == true)
    #expect(try await store.read { try $0.planEdits(limit: 10).count } == edits)
    try await take()
    #expect(try await tasks() == ["Swim", "Walk"])
  }

  @Test func `what somebody did not want comes back only as another plan`() async throws {
    server.set(["Walk"])
    try await look()
    let digest = try #require(try await proposal()?.digest)
    let now = clock.now
    try await store.writeMessages {
      try DeclineProposal("clinic", digest: digest).perform(in: $0, by: .owner, now: now)
    }
    clock.pass(24)
    try await look()
    #expect(try await proposal()?.text == nil)
    #expect(try await tasks() == [])
    server.set(["Run"])
    clock.pass(24)
    try await look()
    #expect(try await proposal()?.text?.contains("Run") == true)
  }

  @Test func `a failure says why, waits an hour, and loses nothing that waits`() async throws {
    server.set(["Walk"])
    try await look()
    server.set([], status: 500)
    clock.pass(24)
    try await look()
    let failed = try #require(try await proposal())
    #expect(failed.problem != nil && failed.text?.contains("Walk") == true)
    let asked = server.questions
    clock.pass(0.5)
    try await look()
    #expect(server.questions == asked)
    server.set(["Walk"])
    clock.pass(0.6)
    try await look()
    #expect(try await proposal()?.problem == nil)
    // After the clock was set back it is asked for at once.
    let before = server.questions
    clock.pass(-50)
    try await look()
    #expect(server.questions > before)
  }

  @Test func `an outlet that does not say so is not asked, and one without ids says so`()
    async throws
  {
    server.set(["Walk"])
    try await look(["plan": []])
    #expect(server.questions == 0)
    #expect(try await proposal() == nil)
    try await look(["records": []])
    #expect(server.questions == 0)
    #expect(try await proposal()?.problem?.contains("clinic") == true)
  }

  @Test func `what a plan cannot say is refused with its path, and not proposed`() async throws {
    server.set(["\\\",\\\"x\\\":\\\""])
    try await look()
    server.set([String(repeating: "x", count: 3_000)])
    clock.pass(24)
    try await look()
    let proposal = try #require(try await proposal())
    #expect(proposal.text == nil || proposal.problem == nil)
  }
}
