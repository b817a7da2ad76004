import Care
import Foundation
import Testing

/// The fraction of a day.
@Suite struct AdherenceTests {
  private func days(
    _ tasks: [CareTask], outcomes: [Outcome] = [], from: String, to: String
  ) throws -> [Adherence] {
    let (from, to) = try (date(from), date(to))
    let events = try EventExpansion.events(
      of: EventExpansion.histories(of: tasks), outcomes: outcomes, from: from, to: to)
    return try Adherence.days(
      events: events, versions: tasks, from: from, to: to, timeZone: zone("America/New_York")
    ).map(\.adherence)
  }

  private func done(_ task: CareTask, _ occurrence: Int) throws -> Outcome {
    try #require(Outcome(of: task, occurrence, values: [value(.boolean(true))]))
  }

  @Test func `every day has its entry`() throws {
    let task = try task(schedule("2023-03-11T12:00", every: Interval(days: 2)))
    #expect(
      try days([task], outcomes: [done(task, 1)], from: "2023-03-10", to: "2023-03-15")
        == [.noTasks, .progress(0), .noEvents, .progress(1), .noEvents])
    #expect(try days([], from: "2023-03-10", to: "2023-03-11") == [.noTasks])
    #expect(try days([task], from: "2023-03-10", to: "2023-03-10").isEmpty)
  }

  @Test func `an event counts on the day of its start alone`() throws {
    let long = try task(
      schedule(
        "2023-05-01T12:00", until: "2023-05-02", every: Interval(years: 1),
        lasting: .seconds(3 * 86_400)))
    #expect(
      try days([long], outcomes: [done(long, 0)], from: "2023-05-03", to: "2023-05-05")
        == [.noEvents, .noEvents])
    #expect(
      try days([long], outcomes: [done(long, 0)], from: "2023-05-01", to: "2023-05-03")
        == [.progress(1), .noEvents])
  }

  /// Of a goal to reach the value counts, of one to add up to its part.
  @Test(arguments: [(ProgressStrategy.latest, 1.0), (.sum, 0.5)])
  func `a value below its goal is performed`(strategy: ProgressStrategy, share: Double) throws {
    var task = try task(
      schedule(
        "2023-05-01T12:00", every: Interval(days: 1),
        targets: [TargetValue(value: .integer(10))]))
    task.progressStrategy = strategy
    let outcome = try #require(Outcome(of: task, 0, values: [value(.integer(5))]))
    #expect(
      try days([task], outcomes: [outcome], from: "2023-05-01", to: "2023-05-02")
        == [.progress(share)])
    let over = try date("2023-05-03")
    let event = try #require(
      try EventExpansion.events(
        of: EventExpansion.histories(of: [task]), outcomes: [outcome], from: date("2023-05-01"),
        to: date("2023-05-02")
      ).first)
    #expect(event.state(at: over) == .performed)
    #expect(event.isPerformed && !event.progress.isCompleted)
  }

  @Test func `a skipped event is excused`() throws {
    let task = try task(schedule("2023-05-01T12:00", every: Interval(days: 1)))
    var outcome = try #require(Outcome(of: task, 0, values: []))
    outcome.answer = Answer(state: .skipped, reason: "ill")
    #expect(
      try days([task], outcomes: [outcome], from: "2023-05-01", to: "2023-05-03")
        == [.noEvents, .progress(0)])
  }

  @Test func `optional and read only tasks do not count`() throws {
    let daily = try schedule("2023-05-01T12:00", every: Interval(days: 1))
    let must = task(daily, id: "must")
    let tasks = [
      must, task(daily, id: "may", isOptional: true), task(daily, id: "read", kind: .readOnly),
    ]
    let events = try EventExpansion.events(
      of: EventExpansion.histories(of: tasks), outcomes: [done(must, 0)], from: date("2023-05-01"),
      to: date("2023-05-02"))
    #expect(events.count == 3)
    #expect(Adherence.fraction(of: events) == 1)
    #expect(Adherence.fraction(of: events.filter { !Adherence.counts($0) }) == 1)
    #expect(try days(Array(tasks.dropFirst()), from: "2023-05-01", to: "2023-05-02") == [.noEvents])
  }
}
