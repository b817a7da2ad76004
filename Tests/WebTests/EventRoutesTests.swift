import Care
import CareStore
import Foundation
import HTTPTypes
import Synchronization
import Testing
import WebTestSupport

@testable import Web

/// Events over the interface: queries, answers, entity tags and streams.
@Suite struct EventRoutesTests {
  let site: TestSite

  init() async throws {
    site = try TestSite()
    try await site.store.importHousehold()
  }

  private func event(_ task: String) async throws -> [String: Any] {
    let events = try await site.get("/api/v1/events?date=2026-11-20").list("events")
    return try #require(events.first { $0["task"] as? String == task })
  }

  @Test
  func `a day's events come in the plan's order`() async throws {
    let events = try await site.get("/api/v1/events?date=2026-11-20").list("events")
    #expect(events.map { $0["task"] as? String } == ["weigh-in", "water", "pills", "pills"])
    #expect(events.map { $0["completed"] as? Bool } == [false, false, false, false])
  }

  @Test(arguments: [(0.0, 4), (-40 * 86_400.0, 0)])
  func `without a date it is today's`(offset: Double, count: Int) async throws {
    site.set(TestSite.noon + offset)
    #expect(try await site.get("/api/v1/events").list("events").count == count)
  }

  @Test(
    arguments: [
      ("?dat=2026-11-20", 400, "dat"), ("?date=x", 400, "x"),
      ("?date=2026-11-20&date=1", 400, "twice"),
      ("?from=2026-11-20", 400, "to"), ("?from=2026-01-01&to=2028-01-01", 400, "400 days"),
      ("?from=2026-11-21&to=2026-11-20", 400, "later"), ("?patient=eve", 404, "unknown"),
      ("?date=%ff", 400, "text"), ("?date=%00", 400, "text"), ("?date=", 400, "no value"),
    ])
  func `a malformed query is refused with what is wrong`(query: String, status: Int, detail: String)
    async throws
  {
    let answer = try await site.get("/api/v1/events" + query)
    #expect(answer.status == status)
    #expect(answer.headers[.contentType] == "application/problem+json")
    #expect(try #require(try answer.object["detail"] as? String).contains(detail))
    #expect(try answer.object["status"] as? Int == status)
  }

  /// Its values are finite, and their sum is not.
  @Test
  func `an answer that cannot be said is not kept, and breaks nothing for others`() async throws {
    let start = try #require(Date("2026-11-01", in: TestSite.zone))
    let daily = try Schedule([
      try ScheduleElement(
        start: start, interval: Interval(days: 1), duration: .allDay, timeZone: TestSite.zone)
    ])
    let plan = PlanDocument(
      timeZone: TestSite.zone, patients: [Patient(id: "anna", name: PersonName(given: "Anna"))],
      tasks: [
        PlannedTask(
          id: "cups", patient: "anna", title: "Cups", schedule: daily, progressStrategy: .sum)
      ])
    _ = try await site.store.write { try $0.importPlan(plan, now: start) }
    let id = try #require(try await event("cups")["id"] as? String)
    let answer = try await site.json(
      .put, "/api/v1/events/\(id)/outcome",
      #"{"values":[{"value":1e308,"unit":"1"},{"value":1e308,"unit":"1"}]}"#)
    #expect(answer.status >= 400)
    let cups = try await event("cups")
    #expect(cups["completed"] as? Bool == false)
  }

  /// The signs that separate parameters may also stand in a value.
  @Test
  func `one question gets no answer of another`() async throws {
    let id = try #require(try await event("weigh-in")["id"] as? String)
    let entered = try await site.json(
      .put, "/api/v1/events/\(id)/outcome", #"{"values":[{"value":63.5}]}"#)
    #expect(entered.status == 200)
    for (query, count) in [
      ("device=entered%26last%3D3", 0), ("device=entered&last=3", 1),
      ("device=entered%26last%3D3", 0),
    ] {
      #expect(try await site.get("/api/v1/samples?" + query).list("samples").count == count)
    }
  }

  @Test
  func `an answer completes an event, and its removal reopens it`() async throws {
    let id = try #require(try await event("pills")["id"] as? String)
    let done = try await site.json(
      .put, "/api/v1/events/\(id)/outcome", #"{"state":"done","at":"2026-11-20T08:10"}"#)
    #expect(done.status == 200)
    #expect(try done.object["completed"] as? Bool == true)
    let answer = try #require(try done.object["answer"] as? [String: Any])
    #expect(answer["at"] as? String == "2026-11-20T08:10:00+01:00")
    let undone = try await site.send(.delete, "/api/v1/events/\(id)/outcome")
    #expect(try undone.object["completed"] as? Bool == false)
    #expect(try await event("pills")["completed"] as? Bool == false)
  }

  @Test
  func `values are appended one by one`() async throws {
    let id = try #require(try await event("water")["id"] as? String)
    for count in 1...3 {
      let answer = try await site.json(
        .post, "/api/v1/events/\(id)/outcome/values", #"{"value":0.25}"#)
      #expect(try answer.list("values").count == count)
    }
  }

  @Test
  func `a value of a linked task is a sample, too`() async throws {
    let id = try #require(try await event("weigh-in")["id"] as? String)
    _ = try await site.json(
      .put, "/api/v1/events/\(id)/outcome", #"{"values":[{"value":63.9,"unit":"kg"}]}"#)
    let samples = try await site.get("/api/v1/samples?patient=anna").list("samples")
    #expect(samples.map { $0["value"] as? Double } == [63.9])
    #expect(samples.map { $0["provenance"] as? String } == ["manual"])
  }

  @Test(
    arguments: [
      (#"{"state":"maybe"}"#, 400), (#"{"at":"2026-11-21T08:00"}"#, 409),
      (#"{"state":"notDone","values":[{"value":1}]}"#, 400), ("[]", 400), ("{", 400),
    ])
  func `an answer that cannot be is refused`(body: String, status: Int) async throws {
    let id = try #require(try await event("pills")["id"] as? String)
    #expect(try await site.json(.put, "/api/v1/events/\(id)/outcome", body).status == status)
    #expect(try await event("pills")["completed"] as? Bool == false)
  }

  /// A misspelt key would say something else: the refusal names it, and the key that was meant.
  @Test(
    arguments: [
      (#"{"status":"notDone"}"#, "‘status’ (did you mean ‘state’?)"),
      (#"{"State":"notDone","reason":"sick"}"#, "‘State’ (did you mean ‘state’?)"),
      (#"{"done":false}"#, "‘done’"), (#"{"value":5}"#, "‘value’ (did you mean ‘values’?)"),
      (#"{"values":[{"value":178,"Unit":"lb"}]}"#, "‘Unit’ (did you mean ‘unit’?)"),
      (#"{"values":[{"unit":"lb"}]}"#, "‘value’ is missing"),
      (#"{"state":"done","state":"notDone"}"#, "‘state’"), (#"{"state":"done"} x"#, "no JSON"),
      ("state: done", "no JSON"),
    ])
  func `a key that is not known is refused with its name`(
    body: String, reason: String
  ) async throws {
    let id = try #require(try await event("pills")["id"] as? String)
    let answer = try await site.json(.put, "/api/v1/events/\(id)/outcome", body)
    #expect(answer.status == 400)
    #expect(answer.text.contains(reason), "\(answer.text)")
    #expect(try await event("pills")["completed"] as? Bool == false)
  }

  @Test(
    arguments: [
      "{\n\t\"state\":\t\"done\"\n}", #"{"reason":"R&D *R and &D","state":"done"}"#,
      #"{"reason":null,"at":null}"#, #"{"reason":"\u00e4 \ud83d\ude00"}"#,
    ])
  func `JSON is read as JSON has it`(body: String) async throws {
    let id = try #require(try await event("pills")["id"] as? String)
    #expect(try await site.json(.put, "/api/v1/events/\(id)/outcome", body).status == 200)
  }

  @Test
  func `a body of another type is refused`() async throws {
    let id = try #require(try await event("pills")["id"] as? String)
    let answer = try await site.send(
      .put, "/api/v1/events/\(id)/outcome", [.contentType: "text/plain"], body: "{}")
    #expect(answer.status == 415)
  }

  @Test(
    arguments: ["x", "_", "\(UUID())_0", "\(UUID())_-1", "a_b_c"])
  func `an unknown event is a problem`(id: String) async throws {
    #expect(try await site.get("/api/v1/events/\(id)").status == 404)
    #expect(try await site.send(.delete, "/api/v1/events/\(id)/outcome").status == 404)
  }

  @Test
  func `what has not changed is not sent again`() async throws {
    let first = try await site.get("/api/v1/events")
    let tag = try #require(first.headers[.eTag])
    let second = try await site.get("/api/v1/events", [.ifNoneMatch: tag])
    #expect(second.status == 304)
    #expect(second.text.isEmpty)
    let id = try #require(try await event("pills")["id"] as? String)
    _ = try await site.json(.put, "/api/v1/events/\(id)/outcome", "{}")
    #expect(try await site.get("/api/v1/events", [.ifNoneMatch: tag]).status == 200)
  }

  @Test
  func `a stream sends the day at once and after each change, and resumes by its id`() async throws
  {
    let id = try #require(try await event("pills")["id"] as? String)
    let parts = Mutex<[String]>([])
    let (site, (changes, started)) = (site, AsyncStream.makeStream(of: Void.self))
    let change = Task {
      for await _ in changes {
        _ = try await site.json(.put, "/api/v1/events/\(id)/outcome", "{}")
      }
    }
    try? await site.stream("/api/v1/events") { part in
      guard part.hasPrefix("id: ") else { return true }
      let count = parts.withLock {
        $0.append(part)
        return $0.count
      }
      if count == 1 { started.yield() }
      return count < 2
    }
    started.finish()
    try await change.value
    let seen = parts.withLock { $0 }
    #expect(seen.count == 2)
    #expect(seen.allSatisfy { $0.hasSuffix("\n\n") && $0.split(separator: "\n").count == 2 })
    #expect(!seen[0].contains(#""completed":true"#))
    #expect(seen[1].contains(#""completed":true"#))
    // The current state is known: nothing but the stream's head comes.
    let last = try #require(seen[1].split(separator: "\n").first).dropFirst("id: ".count)
    let resumed = Mutex<[String]>([])
    let name = try #require(HTTPField.Name("Last-Event-ID"))
    let (heads, begun) = AsyncStream.makeStream(of: Void.self)
    let undo = Task {
      for await _ in heads {
        _ = try await site.send(.delete, "/api/v1/events/\(id)/outcome")
      }
    }
    try? await site.stream("/api/v1/events", [name: String(last)]) { part in
      let count = resumed.withLock {
        $0.append(part)
        return $0.count
      }
      if count == 1 { begun.yield() }
      return !part.hasPrefix("id: ")
    }
    begun.finish()
    try await undo.value
    let events = resumed.withLock { $0.filter { $0.hasPrefix("id: ") } }
    #expect(events.count == 1)
    #expect(events.first?.contains(#""completed":true"#) == false)
  }

  /// Whoever looks over midnight sees the new day by itself, and a plan that is imported again says
  /// nothing.
  @Test
  func `a stream has the new day at local midnight, and each change once`() async throws {
    let parts = Mutex<[String]>([])
    let (site, (steps, next)) = (site, AsyncStream.makeStream(of: Int.self))
    site.set(TestSite.noon + 11.5 * 3600)
    let work = Task {
      for await step in steps {
        switch step {
        // The same plan again, then the night, then an answer on the new day.
        case 1:
          try await site.store.importHousehold()
          site.set(TestSite.noon + 12.01 * 3600)
        default:
          let id = try #require(
            try await site.get("/api/v1/events").list("events").first {
              $0["task"] as? String == "pills"
            }?["id"] as? String)
          _ = try await site.json(.put, "/api/v1/events/\(id)/outcome", "{}")
        }
      }
    }
    try? await site.stream("/api/v1/events") { part in
      guard part.hasPrefix("id: ") else { return true }
      let count = parts.withLock {
        $0.append(part)
        return $0.count
      }
      if count < 3 { next.yield(count) }
      return count < 3
    }
    next.finish()
    try await work.value
    let seen = parts.withLock { $0 }
    try #require(seen.count == 3)
    #expect(seen[0].contains("2026-11-20") && !seen[0].contains("2026-11-21T09"))
    #expect(seen[1].contains("2026-11-21") && !seen[1].contains(#""completed":true"#))
    #expect(seen[2].contains("2026-11-21") && seen[2].contains(#""completed":true"#))
  }
}

extension SQLStore {
  /// A plan of two people: weights, pills twice a day, glasses of water.
  func importHousehold() async throws {
    let zone = TestSite.zone
    let start = try #require(Date("2026-11-01", in: zone))
    func daily(_ hour: Int, allDay: Bool = false) throws -> ScheduleElement {
      try ScheduleElement(
        start: start + Double(hour * 3600), interval: Interval(days: 1),
        duration: allDay ? .allDay : .seconds(3600), timeZone: zone)
    }
    let plan = PlanDocument(
      timeZone: zone,
      patients: [
        Patient(id: "anna", name: PersonName(given: "Anna"), units: .metric),
        Patient(id: "kim", name: PersonName(given: "Kim")),
      ],
      tasks: [
        PlannedTask(
          id: "weigh-in", patient: "anna", title: "Weigh yourself",
          schedule: try Schedule([try daily(0, allDay: true)]),
          linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)),
        PlannedTask(
          id: "water", patient: "anna", title: "Water",
          schedule: try Schedule([try daily(0, allDay: true)]), isOptional: true),
        PlannedTask(
          id: "pills", patient: "anna", title: "Pills", text: "200 mg",
          schedule: try Schedule([try daily(8), try daily(20)])),
      ])
    let now = TestSite.noon - 15 * 86_400
    _ = try await write { try $0.importPlan(plan, now: now) }
  }
}
