import Care
import CareStore
import Foundation
import Localization
import Measurement
import Motion
import Testing

@testable import Assessments
@testable import Pages

/// The page on which a person measures.
@Suite struct MeasurePageTests {
  /// A page of the household's knee exercise, whose sensor is bound unless told otherwise.
  private func page(
    _ state: MeasuringState?, _ code: String = "en", isBound: Bool = true, hasRadio: Bool = true,
    in given: Household? = nil, _ change: (inout MeasuringStatus) -> Void = { _ in }
  ) async throws -> String {
    let household = if let given { given } else { try await Household() }
    let event = try await household.event("knee", at: "2026-11-05T11:00")
    let task = try #require(event.task.activeTask)
    if isBound {
      let binding = DeviceBinding(
        address: DeviceID("D2:4F:71:00:00:03"), patient: "alex",
        placement: Placement(joint: .knee, side: .left, segment: .shank))
      let plan = PlanDocument(
        timeZone: household.zone, patients: Household.people, tasks: [], devices: [binding])
      let now = household.now
      _ = try await household.store.write { try $0.importPlan(plan, now: now) }
    }
    let status = state.map { state in
      var status = MeasuringStatus(
        id: "a/1", event: event.id, patient: "alex", task: "knee", activeTask: task, state: state,
        signal: LiveSignal(unit: .decidegree))
      change(&status)
      return status
    }
    let site = try Site()
    let viewer = household.viewer(try #require(site.language(code)))
    let html = try await household.store.read { reader in
      try MeasurePage(
        reader, viewer: viewer, event: event.id, status: status, hasRadio: hasRadio, notice: nil)?
        .html(site)
    }
    let text = try #require(html)
    let markup = Markup(html: text)
    #expect(markup.fault == nil)
    #expect(markup.blocked.isEmpty)
    #expect(!text.contains("⟦"))
    return text
  }

  @Test func `the picture, the video and the links stand beside the instructions`() async throws {
    let household = try await Household(tasks: { builder in
      try builder.everyKind().map { task in
        var task = task
        task.image = "data:image/png;base64,AA=="
        task.video = "https://example.org/knee"
        task.userInfo = ["Sheet": "https://example.org/sheet"]
        return task
      }
    })
    let shown = try await page(nil, in: household)
    for part in ["data:image/png;base64,AA==", "https://example.org/knee", ">Sheet</a>"] {
      #expect(shown.contains(part), "\(part)")
    }
  }

  @Test func `an own video plays in its place, with words for who cannot see it`() async throws {
    let digest = String(repeating: "0a", count: 32)
    let household = try await Household(tasks: { builder in
      try builder.everyKind().map { task in
        var task = task
        task.video = "sha256=\(digest);bytes=9;type=video/mp4"
        return task
      }
    })
    let shown = try await page(nil, in: household)
    let source = #"<source src="/api/v1/attachments/\#(digest)" type="video/mp4">"#
    #expect(shown.contains(source))
    #expect(shown.contains("<video class=\"film\" controls preload=\"metadata\""))
    #expect(shown.contains(#"aria-label="Video: "#))
    #expect(!shown.contains("sha256="))
    // It goes on while the sensor measures, and is gone with the result.
    #expect(try await page(.recording, in: household).contains(source))
    #expect(try await !page(.verdict, in: household).contains(source))
  }

  @Test(arguments: ["en", "zh-Hant"]) func `every state has its words`(_ code: String) async throws
  {
    _ = try await page(nil, code)
    _ = try await page(nil, code, isBound: false)
    _ = try await page(nil, code, hasRadio: false)
    for state in MeasuringState.allCases {
      _ = try await page(state, code) { status in
        status.secondsLeft = 3
        status.cues = [NumberedCue(number: 1, cue: .tooEarly)]
      }
    }
    for kind in [MeasuringCourse.Figure.angle, .repetitions, .steps, .time] {
      _ = try await page(.recording, code) {
        $0.figure = LiveFigure(kind: kind, value: 12)
        $0.secondsLeft = 30
      }
    }
  }

  @Test func `every assessment has its steps and drawing`() throws {
    let site = try Site()
    for language in site.languages {
      for type in AssessmentList.all where type.sensors != .screen {
        for step in 1...3 {
          #expect(language.optionalText("measuring.steps.\(type.type.rawValue).\(step)") != nil)
        }
      }
    }
    for joint in Joint.allCases {
      let svg = MeasureDrawing(ActiveTask(type: "rangeOfMotion", joint: joint)).svg
      #expect(svg.contains("ghost") && svg.contains("sensor"))
      #expect(Markup(html: svg).fault == nil)
    }
    let drawings = AssessmentList.all.map { MeasureDrawing(ActiveTask(type: $0.type)).svg }
    #expect(Set(drawings).count >= 5)
  }

  @Test func `the start needs a sensor`() async throws {
    let bound = try await page(nil)
    #expect(bound.contains("/measure/start"))
    #expect(bound.contains("Sensor: left knee, shank"))
    #expect(!bound.contains("data-stream"))
    let unbound = try await page(nil, isBound: false)
    #expect(!unbound.contains("/measure/start"))
    #expect(unbound.contains("No sensor is worn in the right place: left knee."))
    #expect(unbound.contains(#"href="/devices""#))
  }

  @Test(arguments: [
    (97.4, "en", "Goal: 90°. It is reached."), (61, "en", "Goal: 90°. It is not reached"),
    (61, "zh-Hant", "這次還沒達成。"),
  ])
  func `the verdict says whether the goal is reached`(
    angle: Double, language: String, says: String
  ) async throws {
    let figure = FigureDescription(
      kind: "range", unit: .degree, quantity: .rangeOfMotion, presence: .always, meaning: "")
    let html = try await page(.verdict, language) {
      $0.result = AssessmentResult(
        values: [FigureValue(figure: figure, value: .double(angle))],
        quality: AssessmentQuality(isGood: true, signal: SignalQuality()))
    }
    #expect(html.contains(says))
    // Nothing is said of a goal before there is a result.
    #expect(!(try await page(.recording, language).contains(says)))
  }

  @Test func `a refusal says what to do`() async throws {
    let html = try await page(.verdict) { $0.refusal = .sensorLost }
    #expect(html.contains("Come closer to this machine"))
    #expect(html.contains("/measure/again") && !html.contains("/measure/keep"))
    let slow = try await page(.verdict) {
      $0.refusal = .assessment(.tremor(.rateBelow50(rate: 30_000)))
    }
    #expect(slow.contains("sends 30 samples a second, and a tremor of up to 12 Hz needs 50."))
  }

  @Test func `only what moves is asked for again`() async throws {
    for state in MeasuringState.allCases {
      let html = try await page(state)
      let moves = [.waiting, .countdown, .recording].contains(state)
      #expect(html.contains("http-equiv") == moves, "\(state)")
      #expect(html.contains("data-stream") == !state.isOver, "\(state)")
    }
    // An id is part of an address, not of the markup.
    #expect(try await page(.waiting).contains(#"data-stream="/api/v1/sessions/a%2F1""#))
  }

  @Test func `the trace stays in its frame`() {
    var signal = LiveSignal(unit: .milliG)
    for value in 0..<600 { signal.add(value.isMultiple(of: 2) ? -16_000 : 16_000) }
    let points = MeasureTrace(signal).points.split(separator: " ")
    #expect(points.count == LiveSignal.longest)
    for point in points {
      let numbers = point.split(separator: ",").compactMap { Double($0) }
      #expect(numbers.count == 2 && (0...300).contains(numbers[0]) && (0...80).contains(numbers[1]))
    }
    #expect(MeasureTrace(LiveSignal(unit: .decidegree)).points.isEmpty)
  }

  @Test func `a card leads to it where a radio is`() async throws {
    let household = try await Household()
    let site = try Site()
    var viewer = household.viewer(try #require(site.language("en")))
    func today() async throws -> String {
      let viewer = viewer
      return try await household.store.read {
        try TodayPage($0, viewer: viewer, date: viewer.now, notice: nil).html(site)
      }
    }
    #expect(try await !today().contains("Measure now"))
    viewer.canMeasure = true
    let html = try await today()
    #expect(html.contains("Measure now") && html.contains("/measure?patient=alex"))
  }
}
