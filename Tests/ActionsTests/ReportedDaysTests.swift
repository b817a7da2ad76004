import Care
import CareStore
import Foundation
import Plans
import TestSupport
import Testing

@testable import Actions

/// Days that went wrong in other programs, as people have told.
@Suite struct ReportedDaysTests {
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private func date(_ text: String, in zone: TimeZone? = nil) throws -> Date {
    try #require(Date(text, in: zone ?? self.zone))
  }

  private func plan(_ times: [String], zone: String = "Europe/Berlin") throws -> PlanDocument {
    let elements = times.map { "{start: 2026-03-01T\($0), interval: {days: 1}, duration: 1h}" }
    return try PlanFile.parse(
      """
      timeZone: \(zone)
      patients: [{id: ann}]
      tasks:
        - {id: pills, title: Pills, schedule: [\(elements.joined(separator: ", "))]}
      """, file: "plan.yaml", activeTasks: [])
  }

  private func store(_ times: [String], zone: String = "Europe/Berlin") async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let (plan, now) = (try plan(times, zone: zone), try date("2026-02-01"))
    _ = try await store.write { try $0.importPlan(plan, now: now) }
    return store
  }

  /// The events that begin in a span: start, and how each stands at `now`.
  private func events(
    _ reader: any StoreReader, from: String, to: String, now: Date, in zone: TimeZone? = nil
  ) throws -> [String] {
    let zone = zone ?? self.zone
    let from = try date(from, in: zone)
    return try reader.events(
      EventQuery(
        patient: "ann", task: "pills", from: from, to: try date(to, in: zone), now: now)
    ).filter { $0.occurrence.start >= from }.map {
      "\($0.occurrence.start.rfc3339(in: zone).dropFirst(8).prefix(8)) \($0.state(at: now))"
    }
  }

  private func answer(
    _ start: String, _ answer: Answer = .done, in writer: any StoreWriter, at now: String
  ) throws {
    let start = try date(start)
    let found = try writer.events(patient: "ann", task: "pills", from: start, to: start + 1)
    let event = try #require(found.first { $0.occurrence.start == start })
    _ = try AnswerEvent(event, answer: answer).perform(in: writer, by: .owner, now: date(now))
  }

  /// A dose that was taken at eight stays taken, and no day turns into a missed one.
  @Test func `another time of intake changes no past`() async throws {
    let store = try await store(["08:00"])
    let later = try plan(["10:00"])
    try await store.write { writer in
      for day in ["02", "03", "04"] {
        try answer("2026-03-\(day)T08:00", in: writer, at: "2026-03-\(day)T08:05")
      }
      _ = try writer.importPlan(later, now: try date("2026-03-04T12:00"))
      let shown = try events(
        writer, from: "2026-03-02", to: "2026-03-06", now: try date("2026-03-05T09:00"))
      #expect(
        shown == ["02T08:00 done", "03T08:00 done", "04T08:00 done", "05T10:00 open"])
    }
  }

  /// From Los Angeles to Tokyo in the evening.
  @Test func `another zone repeats no dose and keeps what was taken`() async throws {
    let angeles = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
    let tokyo = TimeZone(identifier: "Asia/Tokyo") ?? .gmt
    let store = try await store(["08:00"], zone: angeles.identifier)
    let next = try plan(["08:00"], zone: tokyo.identifier)
    try await store.write { writer in
      let taken = try date("2026-03-04T08:00", in: angeles)
      let event = try #require(
        try writer.events(patient: "ann", task: "pills", from: taken, to: taken + 1).first)
      _ = try AnswerEvent(event).perform(in: writer, by: .owner, now: taken + 300)
      let now = try date("2026-03-04T20:00", in: angeles)
      _ = try writer.importPlan(next, now: now)
      let all = try events(
        writer, from: "2026-03-04", to: "2026-03-08", now: now, in: tokyo)
      // 8 o'clock in Los Angeles is one in the morning of the 5th in Tokyo.
      #expect(all.filter { $0.hasSuffix("done") } == ["05T01:00 done"])
      #expect(all.filter { $0 > "05T02" } == ["06T08:00 later", "07T08:00 later"])
    }
  }

  /// Skipped first, taken after all: the time is that of taking it.
  @Test func `who takes a skipped dose takes it then`() async throws {
    let store = try await store(["08:00"])
    try await store.write { writer in
      try answer(
        "2026-03-02T08:00", Answer(state: .skipped, reason: "sick"), in: writer,
        at: "2026-03-02T08:10")
      try answer("2026-03-02T08:00", in: writer, at: "2026-03-02T08:40")
      let event = try #require(
        try writer.events(
          patient: "ann", task: "pills", from: try date("2026-03-02"),
          to: try date("2026-03-03")
        ).first)
      let answer = try #require(event.outcome?.answer)
      #expect(answer.state == .done && answer.reason == nil)
      #expect(try event.doneTime() == date("2026-03-02T08:40"))
    }
  }

  /// Six telephones press at once.
  @Test func `answers at one time are one outcome of the first time`() async throws {
    let store = try await store(["08:00"])
    let start = try date("2026-03-02T08:00")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for second in 0..<6 {
        group.addTask {
          try await store.write { writer in
            guard
              let event = try writer.events(
                patient: "ann", task: "pills", from: start, to: start + 1
              ).first
            else { return }
            _ = try AnswerEvent(event).perform(
              in: writer, by: .owner, now: start + 60 + Double(second))
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.read { reader in
      let found = try reader.events(patient: "ann", task: "pills", from: start, to: start + 1)
      #expect(found.compactMap { $0.outcome }.count == 1)
      #expect(try reader.answers(of: try #require(found.first).key).count == 1)
    }
  }

  /// At noon one of two doses was due.
  @Test func `what is yet to come is no part of the share at noon`() async throws {
    let store = try await store(["08:00", "20:00"])
    try await store.write { writer in
      try answer("2026-03-02T08:00", in: writer, at: "2026-03-02T08:05")
      for (now, share) in [("12:00", 1.0), ("21:30", 0.5)] {
        let days = try writer.adherence(
          by: .day, patient: "ann", task: nil, from: date("2026-03-02"), to: date("2026-03-03"),
          in: zone, now: date("2026-03-02T" + now))
        #expect(days.map(\.adherence) == [.progress(share)], "\(now)")
      }
    }
  }
}
