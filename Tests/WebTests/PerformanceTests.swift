import Care
import CareStore
import Foundation
import HTTPTypes
import Motion
import Testing
import WebTestSupport

@testable import Web

/// Tests on the screen: what is pressed is posted, and the server computes.
@Suite struct PerformanceTests {
  let site: TestSite

  init() async throws {
    site = try TestSite()
    let zone = TestSite.zone
    let start = try #require(Date("2026-11-01", in: zone))
    func task(_ id: String, _ active: ActiveTask?, kind: TaskKind = .task) throws -> PlannedTask {
      PlannedTask(
        id: id, patient: "anna", kind: kind, title: "Test \(id)",
        schedule: try Schedule([
          ScheduleElement(
            start: start, interval: Interval(days: 1), duration: .allDay, timeZone: zone)
        ]), activeTask: active)
    }
    let plan = PlanDocument(
      timeZone: zone, patients: [Patient(id: "anna", name: PersonName(given: "Anna"))],
      tasks: [
        try task("tap", ActiveTask(type: "tapping", duration: 5)),
        try task("left", ActiveTask(type: "tapping", side: .left, duration: 5)),
        try task("react", ActiveTask(type: "reactionTime", attempts: 3)),
        try task("once", ActiveTask(type: "reactionTime", attempts: 3), kind: .assessment),
        try task("knee", ActiveTask(type: "rangeOfMotion", joint: .knee)),
        try task("pills", nil),
      ])
    let imported = TestSite.noon - 15 * 86_400
    _ = try await site.store.write { try $0.importPlan(plan, now: imported) }
  }

  private func id(_ task: String, on date: String = "2026-11-20") async throws -> String {
    let events = try await site.get("/api/v1/events?date=\(date)").list("events")
    let event = try #require(events.first { $0["task"] as? String == task })
    return try #require(event["id"] as? String)
  }

  private func post(_ task: String, _ body: String) async throws -> SiteAnswer {
    try await site.json(.post, "/api/v1/events/\(id(task))/performance", body)
  }

  private static let presses =
    #"{"attempts":[{"shown":3000.5,"pressed":3310.5},{"pressed":5000},"#
    + #"{"shown":9000,"pressed":9280},{"shown":14000,"pressed":14260.125}]}"#

  private static func taps(_ hand: String, _ count: Int, every interval: Double = 200) -> String {
    let taps = (0..<count).map { number in
      #"{"at":\#(1_000 + Double(number) * interval),"button":"\#(number % 2 == 0 ? "left" : "right")"}"#
    }
    return #"{"hand":"\#(hand)","taps":[\#(taps.joined(separator: ","))]}"#
  }

  private func values(_ answer: SiteAnswer) throws -> [String: Double] {
    let values = try #require(try answer.object["values"] as? [[String: Any]])
    #expect(values.allSatisfy { $0["provenance"] as? String == "active" })
    #expect(values.last?["kind"] as? String == "confidence")
    return Dictionary(
      values.compactMap { value in
        (value["value"] as? Double).map { (value["kind"] as? String ?? "", $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test
  func `a reaction time completes its event, and is a sample`() async throws {
    let answer = try await post("react", Self.presses)
    #expect(answer.status == 200)
    #expect(try answer.object["completed"] as? Bool == true)
    let values = try values(answer)
    #expect(values["median"] == 280)
    #expect(values["best"] == 260.125)
    #expect(values["worst"] == 310)
    #expect(values["failed"] == 1)
    let samples = try await site.get("/api/v1/samples?quantity=reactionTime").list("samples")
    #expect(samples.count == 1)
    #expect(samples.first?["value"] as? Double == 280)
    #expect(samples.first?["unit"] as? String == "ms")
    #expect(samples.first?["patient"] as? String == "anna")
    #expect(samples.first?["provenance"] as? String == "active")
  }

  @Test
  func `tapping has the figures of each hand`() async throws {
    let answer = try await post(
      "tap", #"{"trials":[\#(Self.taps("right", 30)),\#(Self.taps("left", 20, every: 250))]}"#)
    #expect(answer.status == 200)
    let values = try values(answer)
    // 25 taps of the right hand are within 5 s.
    #expect(values["taps"] == 45)
    #expect(values["tapsRight"] == 25)
    #expect(values["intervalLeft"] == 250)
    #expect(values["intervalDeviationLeft"] == 0)
    #expect(values["outsideLeft"] == 0)
  }

  @Test(
    arguments: [
      ("react", "{}", 409), ("react", #"{"attempts":[]}"#, 409),
      ("react", #"{"attempts":[{"shown":1,"pressed":300}]}"#, 409),
      ("react", #"{"attempts":[{"shown":9,"pressed":-1}]}"#, 400),
      ("react", #"{"attempts":[{"shown":1e99}]}"#, 400),
      ("react", #"{"attempts":[{"shown":3600001}]}"#, 400),
      ("react", #"{"attempts":[{"shown":"now"}]}"#, 400),
      ("react", #"{"attempts":7}"#, 400), ("react", "[]", 400), ("react", "", 400),
      ("tap", presses, 409), ("react", #"{"trials":[\#(taps("left", 9))]}"#, 409),
      ("tap", #"{"trials":[\#(taps("left", 1))]}"#, 409),
      ("tap", #"{"trials":[\#(taps("foot", 9))]}"#, 400),
      ("tap", #"{"trials":[{"hand":"left","taps":[{"at":1,"button":"up"}]}]}"#, 400),
      ("tap", #"{"trials":[\#(taps("left", 9)),\#(taps("left", 9))]}"#, 409),
      (
        "tap",
        #"{"trials":[\#(taps("left", 9)),\#(taps("right", 9)),\#(taps("right", 9))]}"#, 400
      ),
      ("tap", #"{"trials":[\#(taps("left", 1_001, every: 1))]}"#, 400),
      ("left", #"{"trials":[\#(taps("right", 9))]}"#, 409), ("knee", presses, 409),
      ("pills", presses, 409),
    ])
  func `what is no performance is refused`(task: String, body: String, status: Int) async throws {
    let answer = try await post(task, body)
    #expect(answer.status == status, "\(answer.text)")
    let events = try await site.get("/api/v1/events?date=2026-11-20").list("events")
    #expect(events.allSatisfy { $0["answer"] == nil })
    #expect(try await site.get("/api/v1/samples").list("samples").isEmpty)
  }

  @Test
  func `a result that is final, and a later day, are refused`() async throws {
    #expect(try await post("once", Self.presses).status == 200)
    #expect(try await post("react", Self.presses).status == 200)
    site.set(TestSite.noon + 60)
    #expect(try await post("once", Self.presses).status == 409)
    #expect(try await post("react", Self.presses).status == 200)
    let tomorrow = try await id("react", on: "2026-11-21")
    let answer = try await site.json(
      .post, "/api/v1/events/\(tomorrow)/performance", Self.presses)
    #expect(answer.status == 409)
  }

  // MARK: The page

  private func form(
    _ task: String, _ text: String, keeping: Bool = true
  ) async throws -> SiteAnswer {
    let id = try await id(task)
    let body = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try await site.form(
      "/events/\(id)/perform",
      "return=/events/\(id)&performance=\(body)" + (keeping ? "&keep=1" : ""))
  }

  /// Where the form leads.
  private func address(
    _ task: String, _ text: String, keeping: Bool = true
  ) async throws -> String {
    let answer = try await form(task, text, keeping: keeping)
    #expect(answer.status == 303)
    return answer.headers[.location] ?? ""
  }

  @Test
  func `the page has the test, and a link leads to it`() async throws {
    let id = try await id("react")
    #expect(
      try await site.get("/events/\(id)").text.contains("href=\"/events/\(id)/perform"))
    let page = try await site.get("/events/\(id)/perform")
    #expect(page.status == 200)
    #expect(page.text.contains("data-kind=\"reactionTime\" data-attempts=\"3\""))
    #expect(page.text.contains("needs JavaScript"))
    #expect(page.text.contains("delay of this screen"))
    #expect(page.text.contains("/assets/perform.js?v="))
    let tap = try await site.get("/events/\(self.id("left"))/perform?lang=zh-Hant").text
    #expect(tap.contains("data-hands=\"left\" data-seconds=\"5\""))
    #expect(tap.contains("需要 JavaScript"))
    for other in ["knee", "pills"] {
      let id = try await self.id(other)
      #expect(try await site.get("/events/\(id)/perform").status == 404)
      #expect(try await !site.get("/events/\(id)").text.contains("/perform"))
    }
  }

  @Test
  func `a result is shown first, and saved when the person keeps it`() async throws {
    let shown = try await form("react", Self.presses, keeping: false)
    #expect(shown.status == 200)
    #expect(shown.text.contains("280<small> ms</small>"), "\(shown.text)")
    #expect(shown.text.contains("Nothing is saved yet."))
    #expect(shown.text.contains("name=\"keep\" value=\"1\""))
    #expect(shown.text.contains("&quot;pressed&quot;:3310.5"))
    let id = try await id("react")
    #expect(shown.text.contains("href=\"/events/\(id)/perform"))
    #expect(try await site.get("/api/v1/samples").list("samples").isEmpty)
    #expect(try await site.get("/api/v1/events/\(id)").object["answer"] == nil)
    #expect(try await address("react", Self.presses).contains("/events/\(id)?notice=answered"))
    #expect(try await site.get("/events/\(id)").text.contains("280"))
  }

  @Test
  func `a test that counts not is repeated`() async throws {
    for keeping in [false, true] {
      let tooFew = try await address(
        "tap", #"{"trials":[\#(Self.taps("left", 1))]}"#, keeping: keeping)
      #expect(tooFew.contains("/perform?"))
      #expect(tooFew.contains("code=tooFewTaps"))
      #expect(
        try await address(
          "left", #"{"trials":[\#(Self.taps("right", 9))]}"#, keeping: keeping
        ).contains("code=otherHand"))
      #expect(
        try await address("once", #"{"attempts":[{"pressed":300}]}"#, keeping: keeping)
          .contains("code=tooFewAttempts"))
      for wrong in ["", "{", "[]", #"{"attempts":[{"shown":-1}]}"#] {
        #expect(try await address("once", wrong, keeping: keeping).contains("code=performance"))
      }
    }
  }

  @Test
  func `a result that is final has nothing to keep`() async throws {
    #expect(try await address("once", Self.presses).contains("notice=answered"))
    site.set(TestSite.noon + 60)
    let again = try await form("once", Self.presses, keeping: false)
    #expect(again.status == 200)
    #expect(!again.text.contains("name=\"keep\""))
    let refused = try await address("once", Self.presses)
    #expect(refused.contains("code=notResettable"), "\(refused)")
  }
}
