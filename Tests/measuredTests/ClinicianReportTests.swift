import Care
import CareStore
import Foundation
import Testing
import WebTestSupport

@testable import Terminal

/// The report's first page on eight weeks whose facts a program of its own has computed:
/// `Tests/Oracles/eight-weeks.py`.
@Suite struct ClinicianReportTests {
  /// The figures that the oracle wrote.
  private struct Oracle: Decodable {
    struct Reading: Decodable {
      var quantity: String
      var value: Double
      var time: String
    }

    struct Dose: Decodable {
      var start: String
      var isTaken: Bool
    }

    var from: String
    var to: String
    var samples: [Reading]
    var doses: [Dose]
    var facts: [String: [String]]

    init() throws {
      let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Oracles/eight-weeks.json").standardized
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }
  }

  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: emil, name: {given: Emil}, birthday: 1948-05-02, allergies: [penicillin]}]
    tasks:
      - {id: weigh-in, title: Weigh yourself, schedule: [{start: 2026-09-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: bodyMass}}
      - id: pressure
        title: Blood pressure
        schedule:
          - {start: 2026-09-01T07:00, interval: {days: 1}, duration: 2h, targets: [{value: 130, unit: mmHg, kind: systolic, atMost: true}, {value: 80, unit: mmHg, kind: diastolic, atMost: true}]}
          - {start: 2026-09-01T19:00, interval: {days: 1}, duration: 2h, targets: [{value: 130, unit: mmHg, kind: systolic, atMost: true}, {value: 80, unit: mmHg, kind: diastolic, atMost: true}]}
        linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]
      - {id: knee, title: Right knee, schedule: [{start: 2026-09-01T10:00, interval: {days: 2}, duration: 1h}], activeTask: {type: rangeOfMotion, joint: knee, side: right}}
      - {id: furosemide, title: Furosemide, schedule: [{start: 2026-09-01T08:00, interval: {days: 1}, duration: 1h}, {start: 2026-09-01T20:00, interval: {days: 1}, duration: 1h}]}
    """

  private static func fill(_ store: SQLStore, with oracle: Oracle) async throws {
    try await store.write { writer in
      for (number, entry) in oracle.samples.enumerated() {
        let quantity = try #require(Quantity(rawValue: entry.quantity))
        let time = try #require(Date(rfc3339: entry.time))
        let isKnee = quantity == .rangeOfMotion
        let device = DeviceIdentity(
          address: isKnee
            ? "right-shank" : quantity == .bodyMass ? "5C:CA:D3:70:D4:A2" : "C8:47:8C:00:00:01")
        _ = try writer.insert(
          Sample(
            reading: Reading(
              quantity: quantity, value: entry.value, arrival: time, device: device,
              kind: isKnee ? "range" : nil, raw: [UInt8(number & 255)],
              context: isKnee ? [.knee, .right] : []),
            patient: "emil", start: time, end: time, provenance: isKnee ? .active : .passive))
      }
      for dose in oracle.doses {
        let start = try #require(Date(rfc3339: dose.start))
        let event = try #require(
          try writer.events(
            EventQuery(patient: "emil", task: "furosemide", from: start, to: start + 1)
          ).first { $0.occurrence.start == start })
        let answer = Answer(state: dose.isTaken ? .done : .notDone, reason: nil, at: nil)
        _ = try writer.setOutcome([], answer: answer, of: event.reference, now: start + 60)
      }
    }
  }

  /// The cells of a row of a table, by its heading, without spaces that do not break.
  private static func cells(_ heading: String, in html: String) -> [String]? {
    let row = html.split(separator: "<tr>").first { $0.contains(">\(heading)<") }
    return row?.matches(of: /<td[^>]*>([^<]*)<\/td>/).map {
      String($0.output.1).replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
    }
  }

  @Test func `the first page states every fact as the oracle does`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("s.sqlite")
    let plan = try folder.write(Self.plan, to: "plan.yaml")
    let imported = await InProcess.run(["plan", "import", plan, "--store", path])
    #expect(imported.status == 0, "\(imported.error)")
    let oracle = try Oracle()
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    try await Self.fill(store, with: oracle)
    let site = try SameThroughEveryFaceTests.Site(path)
    let html = try await site.get("/report?patient=emil&from=\(oracle.from)&to=\(oracle.to)").text
    #expect(oracle.facts.count == 7)
    for (heading, facts) in oracle.facts {
      #expect(Self.cells(heading, in: html) == facts, "\(heading)")
    }
    #expect(html.contains("penicillin"))
    #expect(html.contains("High: from 130 or 80 on, the goal of the plan."))
  }
}
