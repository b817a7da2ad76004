import Access
import Care
import CareStore
import Foundation
import HTTPTypes
import Measurement
import Motion
import Pages
import Synchronization
import Testing
import WebTestSupport

@testable import Assessments
@testable import Web

/// Sessions that do what they are told, without a sensor.
final class MeasuringStub: Sendable {
  private let status = Mutex<MeasuringStatus?>(nil)

  /// Sets the state of the session.
  func change(_ body: (inout MeasuringStatus) -> Void) {
    status.withLock { status in
      guard var changed = status else { return }
      body(&changed)
      status = changed
    }
  }

  private func enter(
    _ state: MeasuringState, from states: Set<MeasuringState>
  ) throws(MeasuringFault) -> MeasuringStatus {
    try status.withLock { status throws(MeasuringFault) in
      guard var changed = status else { throw .unknown }
      guard states.contains(changed.state) else { throw .wrongState(changed.state) }
      changed.state = state
      switch state {
      case .recording:
        changed.figure = LiveFigure(kind: .angle, value: 41, range: 0...97)
        changed.cues = [
          NumberedCue(number: 1, cue: .countdown(3)), NumberedCue(number: 2, cue: .start),
        ]
        for value in 0..<300 { changed.signal.add(value) }
      case .verdict: changed.result = Self.result
      default: break
      }
      status = changed
      return changed
    }
  }

  static var result: AssessmentResult {
    func figure(_ kind: String, _ unit: UnitOfMeasure?) -> FigureDescription {
      FigureDescription(kind: kind, unit: unit, quantity: nil, presence: .always, meaning: "")
    }
    return AssessmentResult(
      values: [
        FigureValue(figure: figure("range", .degree), value: .double(97.4)),
        FigureValue(figure: figure("repetitions", .one), value: .integer(3)),
        FigureValue(figure: .confidence, value: .text("good")),
      ], quality: AssessmentQuality(isGood: true, signal: SignalQuality()))
  }

  var measuring: Measuring {
    Measuring(
      open: { event, startsSoon, _ in
        try self.status.withLock { status throws(MeasuringFault) in
          guard event.task.linkages.isEmpty else { throw .noAssessment }
          let new = MeasuringStatus(
            id: "1", event: event.id, patient: event.task.patient, task: event.task.id,
            activeTask: ActiveTask(type: "rangeOfMotion", joint: .knee),
            state: startsSoon ? .countdown : .instructions, secondsLeft: startsSoon ? 5 : nil,
            signal: LiveSignal(unit: .decidegree))
          status = new
          return new
        }
      },
      status: { id in self.status.withLock { $0?.id == id ? $0 : nil } },
      statusOfEvent: { event in self.status.withLock { $0?.event == event ? $0 : nil } },
      all: { self.status.withLock { $0.map { [$0] } ?? [] } },
      perform: { action, _ in
        switch action {
        case .start: try self.enter(.countdown, from: [.instructions])
        case .again: try self.enter(.recording, from: [.countdown, .verdict])
        case .done: try self.enter(.verdict, from: [.recording])
        case .cancel:
          try self.enter(
            .cancelled, from: [.waiting, .instructions, .countdown, .recording, .verdict])
        }
      },
      keep: { _ in try self.enter(.kept, from: [.verdict, .kept]) })
  }
}

/// Sessions over the interface and on their page.
@Suite struct MeasuringRoutesTests {
  let stub = MeasuringStub()
  let site: TestSite

  init() async throws {
    site = try TestSite(measuring: stub.measuring)
    try await site.store.importHousehold()
    let zone = TestSite.zone
    let start = try #require(Date("2026-11-01T09:00", in: zone))
    let daily = try Schedule([
      try ScheduleElement(
        start: start, interval: Interval(days: 1), duration: .seconds(3600), timeZone: zone)
    ])
    let plan = PlanDocument(
      timeZone: zone, patients: [Patient(id: "anna", name: PersonName(given: "Anna"))],
      tasks: [
        PlannedTask(
          id: "knee", patient: "anna", title: "Bend the knee", schedule: daily,
          activeTask: ActiveTask(type: "rangeOfMotion", joint: .knee))
      ])
    let now = TestSite.noon - 15 * 86_400
    _ = try await site.store.write { try $0.importPlan(plan, now: now) }
  }

  private func event(_ task: String = "knee") async throws -> String {
    let events = try await site.get("/api/v1/events?date=2026-11-20").list("events")
    return try #require(events.first { $0["task"] as? String == task }?["id"] as? String)
  }

  @Test
  func `a session is opened, performed and kept`() async throws {
    let event = try await event()
    let opened = try await site.json(.post, "/api/v1/sessions", #"{"event":"\#(event)"}"#)
    #expect(opened.status == 201)
    #expect(try opened.object["state"] as? String == "instructions")
    #expect(try opened.object["event"] as? String == event)
    for (action, state) in [("start", "countdown"), ("again", "recording"), ("done", "verdict")] {
      let answer = try await site.send(.post, "/api/v1/sessions/1/\(action)")
      #expect(answer.status == 200)
      #expect(try answer.object["state"] as? String == state)
    }
    let verdict = try await site.get("/api/v1/sessions/1")
    #expect(try verdict.list("values").first?["value"] as? Double == 97.4)
    #expect(try verdict.object["quality"] as? String == "good")
    #expect(try await site.send(.post, "/api/v1/sessions/1/keep").status == 200)
    #expect(try await site.send(.post, "/api/v1/sessions/1/cancel").status == 409)
    #expect(try await site.get("/api/v1/sessions").list("sessions").count == 1)
  }

  @Test
  func `what cannot be done is said`() async throws {
    #expect(try await site.get("/api/v1/sessions/1").status == 404)
    #expect(try await site.send(.post, "/api/v1/sessions/1/start").status == 404)
    let weigh = try await event("weigh-in")
    #expect(
      try await site.json(.post, "/api/v1/sessions", #"{"event":"\#(weigh)"}"#).status == 409)
    #expect(try await site.json(.post, "/api/v1/sessions", #"{"event":"x"}"#).status == 404)
    #expect(try await site.get("/api/v1/sessions?x=1").status == 400)
    // Without a radio.
    let silent = try TestSite(store: site.store)
    let answer = try await silent.get("/api/v1/sessions")
    #expect(answer.status == 409)
    #expect(try (answer.object["detail"] as? String)?.contains("without a radio") == true)
    let page = try await silent.get("/events/\(try await self.event())/measure")
    #expect(page.status == 200)
    #expect(page.text.contains("without a radio"))
    #expect(!page.text.contains("/measure/start"))
  }

  @Test
  func `a stream sends what is new, and ends with the session`() async throws {
    let event = try await event()
    _ = try await site.json(.post, "/api/v1/sessions", #"{"event":"\#(event)"}"#)
    _ = try await site.send(.post, "/api/v1/sessions/1/start")
    _ = try await site.send(.post, "/api/v1/sessions/1/again")
    let parts = Mutex<[String]>([])
    let stub = stub
    try await site.stream("/api/v1/sessions/1") { part in
      guard let line = part.split(separator: "\n").first(where: { $0.hasPrefix("data: ") }) else {
        return true
      }
      let count = parts.withLock { parts in
        parts.append(String(line.dropFirst(6)))
        return parts.count
      }
      stub.change { status in
        if count == 1 {
          status.signal.add(7)
          status.figure?.value = 50
        } else {
          status.state = .cancelled
        }
      }
      return true
    }
    let received = try parts.withLock { $0 }.map { text in
      try #require(
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    #expect(received.map { $0["state"] as? String } == ["recording", "recording", "cancelled"])
    let signals = received.compactMap { ($0["signal"] as? [String: Any])?["values"] as? [Int] }
    #expect(signals.map(\.count) == [250, 1, 0])
    #expect(signals[1] == [7])
    #expect(received.map { ($0["cues"] as? [Any])?.count } == [2, 0, 0])
  }

  @Test
  func `the page leads from the instructions to the result, by forms alone`() async throws {
    let event = try await event()
    let address = "/events/\(event)/measure"
    func post(_ action: String) async throws -> String? {
      let answer = try await site.form(address + "/" + action, "")
      #expect(answer.status == 303, "\(action): \(answer.status)")
      return answer.headers[.location]
    }
    #expect(try await post("start") == address)
    let countdown = try await site.get(address).text
    #expect(countdown.contains(#"data-state="countdown""#))
    #expect(countdown.contains(#"data-stream="/api/v1/sessions/1""#))
    #expect(
      countdown.contains(#"<noscript><meta http-equiv="refresh" content="1"></noscript>"#))
    _ = try await post("again")
    let recording = try await site.get(address).text
    #expect(recording.contains(">41</span>"))
    #expect(recording.contains("0° to 97°"))
    #expect(recording.contains("<polyline data-trace points="))
    _ = try await post("done")
    let verdict = try await site.get(address).text
    #expect(verdict.contains("The sensor saw all of it."))
    #expect(verdict.contains("97"))
    #expect(!verdict.contains("http-equiv"))
    for action in ["keep", "again", "cancel"] { #expect(verdict.contains("/measure/" + action)) }
    #expect(try await post("keep") == "/events/\(event)?notice=answered&event=\(event)")
    #expect(
      try await post("done") == address + "?notice=refused&code=sessionOver")
    #expect(try await site.get("/events/0/measure").status == 404)
  }

  @Test
  func `a session is another person's business as little as the event is`() async throws {
    let access = try await TestAccess()
    let event = try await access.event("weigh-kim")
    let status = MeasuringStatus(
      id: "1", event: event, patient: "kim", task: "x", activeTask: ActiveTask(type: "sway"),
      state: .instructions)
    let measuring = Measuring(
      open: { _, _, _ in status }, status: { $0 == "1" ? status : nil },
      statusOfEvent: { $0 == event ? status : nil }, all: { [status] },
      perform: { _, _ in status }, keep: { _ in status })
    let watched = try TestSite(
      access: WebAccess(control: access.control, log: access.log, isBehindProxy: false),
      store: access.localSite.store, measuring: measuring)
    func send(
      _ method: HTTPRequest.Method, _ path: String, _ credentials: TestAccess.Credentials
    ) async throws -> SiteAnswer {
      var headers: HTTPFields = [:]
      for (name, value) in credentials.fields {
        headers[try #require(HTTPField.Name(name))] = value
      }
      if let token = credentials.token, let name = HTTPField.Name("X-Form-Token") {
        headers[name] = token
      }
      return try await watched.send(method, path, headers)
    }
    let anna = try await access.signIn("anna")
    #expect(try await send(.get, "/api/v1/sessions", anna).list("sessions").isEmpty)
    #expect(try await send(.get, "/api/v1/sessions/1", anna).status == 404)
    #expect(try await send(.post, "/api/v1/sessions/1/start", anna).status == 404)
    let clinic = try await access.signIn("clinic")
    #expect(try await send(.get, "/api/v1/sessions/1", clinic).status == 200)
    #expect(try await send(.post, "/api/v1/sessions/1/start", clinic).status == 403)
    let nurse = try await access.signIn("nurse")
    #expect(try await send(.post, "/api/v1/sessions/1/start", nurse).status == 200)
  }
}
