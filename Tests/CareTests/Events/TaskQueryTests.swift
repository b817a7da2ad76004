import Care
import Foundation
import Testing

@Suite struct TaskQueryTests {
  /// A version of the task `walk`, daily at eight, effective from a day of 2026.
  private func version(
    _ title: String, from day: String, until end: String? = nil, group: String? = nil,
    tags: [String] = [], carePlan: String? = nil
  ) throws -> CareTask {
    var task = task(
      try schedule("2026-01-01T08:00", until: end, every: Interval(days: 1)), id: "walk",
      effective: try date(day))
    task.title = title
    task.group = group
    task.tags = tags
    task.carePlan = carePlan
    return task
  }

  private func title(_ history: TaskHistory, _ from: String, _ to: String) throws -> String? {
    let query = TaskQuery(span: try date(from)..<date(to))
    return try query.version(of: history, now: date("2026-06-01"))?.title
  }

  /// The version in force at the span's end counts, whatever versions the span touches.
  @Test func `finds the version in force at the end of a span`() throws {
    let history = TaskHistory([
      try version("first", from: "2026-01-01T08:00"), try version("second", from: "2026-02-01"),
    ])
    #expect(try title(history, "2026-02-01", "2026-02-02") == "second")
    #expect(try title(history, "2026-01-15", "2026-02-15") == "second")
    #expect(try title(history, "2026-01-15", "2026-02-01") == "first")
    #expect(try title(history, "2025-01-01", "2025-12-01") == nil)
    #expect(try title(history, "2026-01-15", "2026-01-15") == "first")
  }

  @Test func `finds the current version without a span`() throws {
    let history = TaskHistory([
      try version("current", from: "2026-01-01T08:00"), try version("later", from: "2027-06-01"),
    ])
    let query = TaskQuery()
    #expect(try query.version(of: history, now: date("2026-06-01"))?.title == "current")
    #expect(try query.version(of: history, now: date("2027-06-02"))?.title == "later")
    #expect(try query.version(of: history, now: date("2020-01-01"))?.title == "current")
  }

  @Test func `leaves out a task that ended before the span`() throws {
    var end = try version("ended", from: "2026-03-01T12:00")
    end.isEnded = true
    let ended = TaskHistory([try version("walk", from: "2026-01-01T08:00"), end])
    #expect(try title(ended, "2026-03-01", "2026-03-02") == "ended")
    #expect(try title(ended, "2026-03-02", "2026-03-03") == nil)

    let finite = TaskHistory([
      try version("finite", from: "2026-01-01T08:00", until: "2026-02-01T08:00")
    ])
    #expect(try title(finite, "2026-01-31", "2026-02-01") == "finite")
    #expect(try title(finite, "2026-02-02", "2026-02-03") == nil)
  }

  @Test func `leaves out tasks without an event`() throws {
    let task = task(try schedule("2026-01-05T08:00", every: Interval(weeks: 1)), id: "weekly")
    let history = TaskHistory([task])
    func isFound(_ day: String, excludesEmpty: Bool) throws -> Bool {
      let start = try date(day)
      let query = TaskQuery(span: start..<start + 86_400, excludesEmpty: excludesEmpty)
      return try query.version(of: history, now: start) != nil
    }
    #expect(try isFound("2026-01-12", excludesEmpty: true))
    #expect(try !isFound("2026-01-13", excludesEmpty: true))
    #expect(try isFound("2026-01-13", excludesEmpty: false))
  }

  /// An event that ended exactly at midnight is none of the next day's.
  @Test func `counts no event that ended at the beginning`() throws {
    let history = TaskHistory([
      task(try schedule("2026-01-05T23:00", every: Interval(weeks: 1)), id: "late")
    ])
    let query = TaskQuery(
      span: try date("2026-01-06")..<date("2026-01-07"), excludesEmpty: true)
    #expect(try query.version(of: history, now: date("2026-01-06")) == nil)
  }

  @Test(
    arguments: [
      (TaskQuery(ids: ["walk", "run"]), true), (TaskQuery(ids: ["run"]), false),
      (TaskQuery(groups: ["outside"]), true), (TaskQuery(groups: [nil]), false),
      (TaskQuery(tags: ["legs", "arms"]), true), (TaskQuery(tags: ["arms"]), false),
      (TaskQuery(carePlans: [nil]), true), (TaskQuery(carePlans: ["knee"]), false),
      (TaskQuery(groups: [nil, "outside"], tags: ["morning"]), true),
    ] as [(TaskQuery, Bool)])
  func narrows(query: TaskQuery, isFound: Bool) throws {
    let history = TaskHistory([
      try version("walk", from: "2026-01-01", group: "outside", tags: ["legs", "morning"])
    ])
    #expect(try (query.version(of: history, now: date("2026-01-02")) != nil) == isFound)
  }

  @Test func `finds the next event`() throws {
    let yearly = TaskHistory([task(try schedule("2026-01-05T08:00", every: Interval(years: 4)))])
    let next = try yearly.next(after: date("2026-01-05T08:00"))
    #expect(next?.occurrence.start == (try date("2030-01-05T08:00")))
    let over = TaskHistory([
      task(try schedule("2026-01-05T08:00", until: "2026-01-06T08:00", every: Interval(days: 1)))
    ])
    #expect(try over.next(after: date("2026-01-05T08:00")) == nil)
  }
}
