import Care
import CareStore
import Foundation
import Testing
import TestSupport

@testable import Pages

struct StatisticsTests {
  @Test
  func `the rank-sum test gives the published probabilities`() {
    // The example of SciPy's documentation of `mannwhitneyu` (asymptotic): 0.11134688653314041.
    let diabetes = RankTest.probability([19, 22, 16, 29, 24], [20, 11, 17, 12])
    #expect(abs(diabetes - 0.111_346_886_533_14) < 1e-12)
    // Hollander & Wolfe, permeability of the chorioamnion, W = 35, with R's normal approximation.
    let permeability = RankTest.probability(
      [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46],
      [1.15, 0.88, 0.90, 0.74, 1.21])
    #expect(abs(permeability - 0.244_623_605_126_98) < 1e-12)
  }

  @Test
  func `equal, empty and endless values say nothing`() {
    #expect(RankTest.probability([], [1, 2]) == 1)
    #expect(RankTest.probability([3, 3, 3], [3, 3]) == 1)
    #expect(RankTest.probability([1, .nan], [2, 3]) == 1)
  }

  @Test
  func `the order of the groups and of their values does not matter`() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let first = (0..<12).map { _ in Double(Int.random(in: 0...9, using: &random)) }
      let second = (0..<15).map { _ in Double(Int.random(in: 0...9, using: &random)) }
      let probability = RankTest.probability(first, second)
      #expect((0...1).contains(probability))
      #expect(abs(RankTest.probability(second, first) - probability) < 1e-12)
      #expect(RankTest.probability(first.shuffled(using: &random), second) == probability)
    }
  }

  @Test
  func `of days drawn from one source few differ: about one in twenty at a twentieth`() {
    var random = SeededGenerator(seed: 5)
    let alarms = (0..<2000).count { _ in
      let days = (0..<30).map { _ in Double(Int.random(in: 0...10, using: &random)) }
      return RankTest.probability(Array(days[..<14]), Array(days[14...])) <= 0.05
    }
    #expect((60...125).contains(alarms), "\(alarms)")
  }

  @Test
  func `nothing is said on fewer than ten days on each side`() {
    func contrast(_ with: Int, _ without: Int) -> DayContrast? {
      DayContrast(
        isDone: Dictionary(uniqueKeysWithValues: (0..<(with + without)).map { ($0, $0 < with) }),
        values: Dictionary(
          uniqueKeysWithValues: (0..<(with + without)).map { ($0, $0 < with ? 3.0 : 4.5) }))
    }
    #expect(contrast(9, 40) == nil)
    #expect(contrast(40, 9) == nil)
    let enough = contrast(10, 10)
    #expect(enough?.meanWith == 3)
    #expect(enough?.meanWithout == 4.5)
    #expect(enough.map { $0.chance(among: 1) < 0.001 } == true)
    #expect(enough.map { $0.chance(among: 1_000_000) } == 1)
  }

  @Test(
    arguments: [(1, 1), (0.5, 2), (0.05, 20), (0.0041, 240), (0, 1000), (1e-9, 1000), (0.03, 33)])
  func `odds are rounded down`(probability: Double, number: Int) {
    #expect(Odds.oneIn(probability) == number)
  }

  // MARK: Trends

  @Test
  func `the trend of a straight line is the line, across gaps and up to the ends`() {
    let days: [Int] = (0..<60).filter { $0 % 7 != 3 && !(20..<32).contains($0) }
    let values: [(x: Double, y: Double)] = days.map { day in
      let x = Double(day)
      return (x: x, y: 84 - 0.05 * x)
    }
    let line = Trend.line(through: values, window: 10)
    #expect(line.count == values.count)
    for (point, value) in zip(line, values) {
      #expect(abs(point.value - value.y) < 1e-9)
      #expect(point.spread < 1e-9)
    }
    let change = Trend.change(of: line, days: 7)
    #expect(change.map { abs($0 + 0.35) < 1e-9 } == true)
  }

  @Test
  func `one wrong value does not bend the trend`() {
    var random = SeededGenerator(seed: 2)
    var values = (0..<40).map {
      (x: Double($0), y: 80 + Double.random(in: -0.3...0.3, using: &random))
    }
    values[20].y = 140
    let line = Trend.line(through: values, window: 10)
    #expect(line.allSatisfy { abs($0.value - 80) < 0.5 })
  }

  @Test
  func `few values have no trend, and endless ones are left out`() {
    #expect(Trend.line(through: [(0, 1), (1, 2), (2, 3), (3, 4)], window: 10).isEmpty)
    #expect(Trend.line(through: Array(repeating: (1, 5), count: 20), window: 10).isEmpty)
    let values = (0..<10).map { (x: Double($0), y: $0 == 4 ? Double.nan : 1) }
    #expect(Trend.line(through: values, window: 5).map(\.value).allSatisfy { abs($0 - 1) < 1e-9 })
  }

  @Test
  func `the band holds its share of the days`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let values = (0..<80).map { day -> (x: Double, y: Double) in
        let noise = (0..<4).reduce(0.0) { sum, _ in
          sum + Double.random(in: -0.5...0.5, using: &random)
        }
        return (Double(day), 80 - 0.02 * Double(day) + noise)
      }
      let line = Trend.line(through: values, window: 14)
      let inside = zip(values, line).count { abs($0.y - $1.value) <= $1.spread }
      #expect((0.74...0.9).contains(Double(inside) / 80), "\(seed): \(inside)")
    }
  }

  private let days = DayGrid(
    endingOn: Date(timeIntervalSince1970: 1_700_000_000), count: 60, in: .gmt)

  private func weights(_ values: [Double]) -> [MeasuredDays] {
    let summaries = Dictionary(
      uniqueKeysWithValues: values.enumerated().map { ($0.offset, DaySummary([$0.element])) })
    return [
      MeasuredDays(
        measurand: Measurand(.bodyMass),
        values: DailyValues(summaries, aggregation: .discrete, on: days))
    ]
  }

  @Test
  func `a change of the last days is said, and only then`() {
    var said = 0
    for seed in 1...50 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      var values = (0..<60).map {
        62 - 0.03 * Double($0) + Double.random(in: -0.5...0.5, using: &random)
      }
      said += Finding.recent(weights(values)).count
      for (place, gain) in zip(57..<60, [0.9, 1.4, 1.9]) { values[place] += gain }
      let found = Finding.recent(weights(values))
      guard case .recent(Measurand(.bodyMass), let change, 3)? = found.first else {
        Issue.record("seed \(seed): \(found)")
        continue
      }
      #expect((1.0...2.8).contains(change))
    }
    // Noise alone is no change: at most one of a hundred.
    #expect(said == 0)
  }

  @Test
  func `two things that change slowly are no contrast`() {
    var said = 0
    for seed in 1...100 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      // The task is done more often, and the value falls, from week to week.
      let isDone = Dictionary(
        uniqueKeysWithValues: (0..<60).map { day in
          (day, Double.random(in: 0..<60, using: &random) < Double(day))
        })
      let values = Dictionary(
        uniqueKeysWithValues: (0..<60).map { day in
          (day, 62 - 0.03 * Double(day) + Double.random(in: -0.4...0.4, using: &random))
        })
      let contrast = DayContrast(isDone: isDone, values: Trend.removed(from: values))
      if let contrast, contrast.chance(among: 1) < 0.05 { said += 1 }
    }
    #expect(said <= 10, "\(said) of 100")
  }

  /// A weight that falls for weeks and rises at last, a walk that is taken more and more often, and an
  /// evening dose that nobody takes.
  @Test
  func `the last days stand first, and two slow changes are no finding`() async throws {
    let (days, zone) = (days, try #require(TimeZone(iana: "Etc/UTC")))
    func task(_ id: String, _ hours: [Double], _ length: EventDuration) throws -> PlannedTask {
      PlannedTask(
        id: id, patient: "alex", title: id,
        schedule: try Schedule(
          hours.map { hour in
            try ScheduleElement(
              start: days.start + hour * 3600, interval: Interval(days: 1), duration: length,
              timeZone: zone)
          }))
    }
    let plan = PlanDocument(
      timeZone: zone, patients: [Patient(id: "alex", name: PersonName(given: "Alex"))],
      tasks: [try task("walk", [0], .allDay), try task("pills", [8, 20], .seconds(3600))])
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let gains = [57: 0.9, 58: 1.4, 59: 1.9]
    try await store.write { writer in
      _ = try writer.importPlan(plan, now: days.start)
      for (place, day) in days.starts.enumerated() {
        let noise = Double(place * 7 % 11 - 5) * 0.06
        let weight: Double = 62 - 0.03 * Double(place) + noise + (gains[place] ?? 0)
        _ = try writer.insert(SampleHome.sample(.bodyMass, weight, at: day + 25_200))
      }
      for event in try writer.events(EventQuery(patient: "alex", from: days.start, to: days.end)) {
        let start = event.occurrence.start
        let place = days.place(of: start) ?? 0
        let isMorning = start == days.starts[place] + 28_800
        guard event.task.id == "walk" ? (place * 7 + 3) % 60 < place : isMorning else { continue }
        _ = try writer.setOutcome(
          [OutcomeValue(value: .boolean(true), time: start, provenance: .manual)], of: event,
          now: start + 60)
      }
    }
    let found = try await store.read { reader in
      try InsightFacts(
        reader, patient: "alex",
        days: DayGrid(endingOn: days.end - 1, count: 30, in: days.timeZone),
        findingDays: days.count, now: days.end - 1
      ).findings
    }
    let names = found.map { finding in
      switch finding {
      case .recent: "recent"
      case .trend: "trend"
      case .contrast: "contrast"
      case .missedTime: "missedTime"
      }
    }
    #expect(names == ["recent", "missedTime"])
  }
}
