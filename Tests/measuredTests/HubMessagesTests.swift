import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import GATT
import Hub
import Logging
import Plans
import Radio
import Testing
import Traces

@testable import Lab
@testable import Terminal

/// The hub's reports in the log: measured values are private and appear at `debug` only.
@Suite struct HubMessagesTests {
  private let zone: TimeZone
  /// The reports of a weighing, a visitor's weighing, knee bends and a walk, replayed twice.
  private let reports: [HubReport]

  init() async throws { (zone, reports) = try await Self.replays.value }

  /// The replays, which all tests read.
  private static let replays = Task<(TimeZone, [HubReport]), any Error> {
    let plan = try PlanFile.parse(
      DemoPlan.text, file: "plan", activeTasks: AssessmentList.forms)
    let zone = plan.timeZone
    let start = try #require(Date("2026-11-02", in: zone))
    let sensors = SyntheticSensors(timeZone: zone)
    let events =
      sensors.weighIn(at: start + 25_500, steps5g: 16_430, impedance: 498)
      + sensors.weighIn(at: start + 29_400, steps5g: 11_840, impedance: nil)
      + sensors.kneeBends(at: start + 33_120, range: 95_000, repetitions: 3)
      + sensors.walk(at: start + 62_400, seconds: 90, cadence: 104, heartRate: 96)
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    _ = try await store.write { try $0.importPlan(plan, now: start) }
    var reports: [HubReport] = []
    for _ in 0..<2 {
      var hub = try await Hub(
        radio: TraceRadio([SyntheticTrace(events)]), store: store,
        catalog: try DeviceCatalog.readable(folder: nil).catalog
      ) { reports.append($0) }
      _ = try await hub.run()
    }
    return (zone, reports)
  }

  private func logTexts(at level: Logger.Level) -> [String] {
    reports.filter { $0.logLevel >= level }.map { $0.logText(at: level, in: zone) }
  }

  /// A digit is a value, except in a task's title.
  @Test(arguments: [Logger.Level.info, .error])
  func `contains no value above debug`(level: Logger.Level) {
    #expect(reports.count > 100)
    for report in reports {
      let text = report.logText(at: level, in: zone)
        .replacingOccurrences(of: "Walk 900 steps", with: "Walk")
      let digits = text.filter(\.isNumber)
      #expect(digits.isEmpty, "\(text)")
    }
  }

  @Test func `names what was stored unassigned and completed at info`() {
    let texts = Set(logTexts(at: .info))
    let expected: Set = [
      "Weight of alex stored", "Weight is unassigned. See measured samples --unassigned.",
      "Weigh yourself of alex is complete", "Bend the left knee of alex is complete",
    ]
    #expect(expected.subtracting(texts).isEmpty)
    let routine = texts.filter { $0.hasPrefix("Heart rate of") || $0.contains("stored already") }
    #expect(routine.isEmpty)
  }

  @Test func `prints the values at debug`() {
    let texts = Set(logTexts(at: .debug))
    #expect(texts == Set(reports.compactMap { $0.text(in: zone) }))
    let weight = texts.filter { $0.hasSuffix("  Weight 82.15 kg  alex") }
    #expect(weight.count == 1)
    let unassigned = texts.filter { $0.contains("unassigned: 59.2 kg is far from the weight") }
    #expect(unassigned.count == 1)
  }

  @Test(arguments: [
    (-86_395.0, "back by 23:59:55"), (3_600, "forward by 01:00:00"),
    (90_061, "forward by 1 d 01:01:01"),
    (-1.2, "back by 00:00:01"), (-1e300, "back by 11574074 d 01:46:40"),
  ])
  func `warns of a clock that was set`(jump: Double, text: String) {
    let report = HubReport.clockSet(by: jump)
    #expect(report.logLevel == .warning)
    #expect(report.logText(at: .info, in: zone) == "This machine's clock was set \(text).")
  }

  @Test func `warns of a frame that cannot be read`() throws {
    let address = try #require(DeviceAddress("5C:CA:D3:70:D4:A2"))
    let report = HubReport.rejected(
      RejectedFrame(
        address: address, source: .characteristic(WeightMeasurement.uuid), bytes: [1, 2, 3],
        defect: .wrongLength(count: 3, expected: 13)))
    #expect(report.logLevel == .warning)
    #expect(report.text(in: zone) == nil)
    for level in [Logger.Level.debug, .info] {
      #expect(
        report.logText(at: level, in: zone)
          == "5C:CA:D3:70:D4:A2 sent unreadable data: characteristic 2A9D: the frame has 3 bytes "
          + "instead of 13")
    }
  }
}
