import Care
import CareStore
import Foundation
import Localization
import Pages
import Testing

@Suite struct EventPageTests {
  @Test func `a survey has a field for each question`() async throws {
    let household = try await Household()
    let event = try await household.event("check-in", at: "2026-11-05T08:00")
    let html = try await household.page(of: event, Site())
    #expect(
      html.contains(#"action="/events/\#(event.id)/answer" enctype="multipart/form-data""#))
    #expect(html.components(separatedBy: #"type="radio" id="field-0-"#).count == 12)
    #expect(html.contains(#"name="value.sleep""#))
    #expect(
      html.contains(#"<div class="ends"><small>0: none</small><small>10: the worst</small></div>"#))
    #expect(html.contains("From 0 to 16 h"))
    #expect(html.contains(#"name="value.rested" value="true""#))
    #expect(html.contains(#"type="checkbox" id="field-3-0" name="value.where" value="Knee""#))
    #expect(html.contains(#"<textarea id="field-5" name="value.note""#))
    #expect(html.contains(#"type="date""#))
    #expect(html.contains(#"type="time""#))
    #expect(html.contains(#"<input type="file" id="field-8" name="file.picture" accept="image/*""#))
    #expect(html.contains("picture of at most 12 MB."))
    #expect(html.contains("Anything else? (optional)"))
    #expect(html.contains(#"name="at""#))
    #expect(html.contains("/not-done"))
  }

  @Test func `a refused answer stands at its field`() async throws {
    let household = try await Household()
    let event = try await household.event("check-in", at: "2026-11-05T08:00")
    let html = try await household.page(
      of: event, Site(), notice: .refused("outOfRange", field: "sleep"),
      entered: ["value.sleep": ["40"], "value.pain": ["3"]])
    let field = try #require(html.range(of: "How long did you sleep?"))
    let error = try #require(
      html.range(of: #"<p class="error" id="field-1-error">The number is outside the limits.</p>"#))
    #expect(field.lowerBound < error.lowerBound)
    #expect(html.contains(#"value="40""#))
    #expect(html.contains(#"name="value.pain" value="3" checked"#))
    #expect(html.contains(#"aria-invalid="true""#))
  }

  @Test func `a value is entered in the persons unit`() async throws {
    let household = try await Household()
    let event = try await household.event("weigh-in", at: "2026-11-05T07:00", of: "kim")
    let html = try await household.page(of: event, Site())
    #expect(html.contains(#"<option value="[lb_av]" selected>lb</option>"#))
    #expect(html.contains(#"<option value="kg">kg</option>"#))
    let pressure = try await household.event("pressure", at: "2026-11-05T07:00")
    let two = try await household.page(of: pressure, Site())
    #expect(two.contains(#"name="value.systolic""#))
    #expect(two.contains(#"name="value.diastolic""#))
    #expect(two.components(separatedBy: #"name="unit" value="mm[Hg]""#).count == 2)
  }

  @Test func `what is answered again begins with what was said`() async throws {
    let household = try await Household()
    let survey = try await household.event("check-in", at: "2026-11-05T08:00")
    try await household.answer(
      "check-in", at: "2026-11-05T08:00",
      [
        OutcomeValue(value: .integer(3), kind: "pain", time: household.now, provenance: .manual),
        OutcomeValue(
          value: .double(7.5), unit: .hour, kind: "sleep", time: household.now,
          provenance: .manual),
        OutcomeValue(
          value: .boolean(true), kind: "rested", time: household.now, provenance: .manual),
        OutcomeValue(
          value: .text("Knee"), kind: "where", time: household.now, provenance: .manual),
        OutcomeValue(
          value: .text("Fair"), kind: "mood", time: household.now, provenance: .manual),
      ])
    let html = try await household.page(of: survey, Site())
    #expect(html.contains(#"name="value.pain" value="3" checked"#))
    #expect(html.contains(#"name="value.sleep" value="7.5""#))
    #expect(html.contains(#"name="value.rested" value="true" checked"#))
    #expect(html.contains(#"name="value.where" value="Knee" checked"#))
    // A weight that was typed; what a scale measured is not typed again.
    let weight = try await household.event("weigh-in", at: "2026-11-05T07:00")
    try await household.answer(
      "weigh-in", at: "2026-11-05T07:00",
      [
        OutcomeValue(
          value: .double(82.1), unit: .kilogram, time: household.now, provenance: .manual)
      ])
    #expect(
      try await household.page(of: weight, Site()).contains(#"name="value" value="82.1"#))
    let measured = try await Household()
    try await measured.live()
    let again = try await measured.event("weigh-in", at: "2026-11-05T07:00")
    #expect(try await measured.page(of: again, Site()).contains(#"name="value" value="""#))
  }

  @Test func `an answer can be taken back and has its reason`() async throws {
    let household = try await Household()
    try await household.answer(
      "metformin", at: "2026-11-05T10:00", answer: Answer(state: .notDone, reason: "felt sick"))
    let event = try await household.event("metformin", at: "2026-11-05T10:00")
    let html = try await household.page(of: event, Site())
    #expect(html.contains("not done (felt sick)"))
    #expect(html.contains("/events/\(event.id)/undo"))
  }

  @Test func `the last ten days are listed`() async throws {
    let household = try await Household()
    try await household.live()
    let event = try await household.event("weigh-in", at: "2026-11-05T07:00")
    let html = try await household.page(of: event, Site())
    let days = html.components(separatedBy: #"<ul class="history">"#)
    #expect(days.last?.components(separatedBy: #"<b>"#).count == 11)
    #expect(html.contains("Wed 4 November 07:00"))
    #expect(html.contains("Sun 1 November 07:00</a><span><b>not recorded</b>"))
  }

  @Test func `the answers of the days before are a table with each question once`() async throws {
    let household = try await Household()
    for (day, pain) in [("2026-11-03", Int64(4)), ("2026-11-04", 2)] {
      let time = try household.date(day + "T08:10")
      let answers: [(String, Value, UnitOfMeasure?)] = [
        ("pain", .integer(pain), nil), ("sleep", .double(7.5), .hour),
        ("rested", .boolean(true), nil), ("mood", .text("Fair"), nil),
      ]
      try await household.answer(
        "check-in", at: day + "T08:00",
        answers.map {
          OutcomeValue(value: $1, unit: $2, kind: $0, time: time, provenance: .manual)
        })
    }
    let event = try await household.event("check-in", at: "2026-11-05T08:00")
    let html = try await household.page(of: event, Site())
    let history = try #require(html.components(separatedBy: #"id="history-title""#).last)
    #expect(history.components(separatedBy: "How strong is your pain?").count == 2)
    #expect(history.contains(#"<td dir="auto">4</td><td dir="auto">7.5 h</td>"#))
    #expect(history.contains(#"<td dir="auto">2</td>"#))
    #expect(!history.contains("Anything else?"))
  }

  @Test func `what a sensor measured for it can be taken back`() async throws {
    let household = try await Household()
    func result(_ provenance: Provenance) throws -> OutcomeValue {
      OutcomeValue(
        value: .double(104), unit: .degree, kind: "range",
        time: try household.date("2026-11-05T11:20"), provenance: provenance)
    }
    let event = try await household.event("knee", at: "2026-11-05T11:00")
    let undo = "/events/\(event.id)/undo"
    #expect(!(try await household.page(of: event, Site()).contains(undo)))
    try await household.answer("knee", at: "2026-11-05T11:00", [try result(.active)])
    let html = try await household.page(of: event, Site())
    #expect(html.contains(undo))
    #expect(html.contains("what was measured for it does not count."))
  }

  @Test func `what cannot be recorded says why`() async throws {
    let household = try await Household()
    let later = try await household.event("stretch", at: "2026-11-06T18:00")
    #expect(try await household.page(of: later, Site()).contains("This is for a later day."))
    let leaflet = try await household.event("leaflet", at: "2026-11-05")
    let html = try await household.page(of: leaflet, Site())
    #expect(html.contains("There is nothing to record here."))
    #expect(html.contains(#"href="tel:+4930123456""#))
    #expect(html.contains("Call the practice if the wound opens."))
  }

  @Test func `there is no page of an event that there is not`() async throws {
    let household = try await Household()
    let viewer = household.viewer(try #require(Site().language("en")))
    for id in ["", "x", "_", "\(UUID())_0", "\(UUID())_-1", "\(UUID())_99999999999999999999"] {
      let page = try await household.store.read {
        try EventPage($0, viewer: viewer, event: id, notice: nil)?.html(Site())
      }
      #expect(page == nil)
    }
  }
}
