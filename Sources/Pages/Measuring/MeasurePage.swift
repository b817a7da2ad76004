package import Assessments
package import Care
import Foundation
import Localization
import Motion

/// The page on which a person measures: one thing on the screen, from instructions to result.
package struct MeasurePage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let state: String
    let says: String
    let heading: String
    let eventAddress: String
    /// The stream of the session while it is not over.
    let stream: String?
    let lead: Sentences?
    let refusal: String?
    let guide: Guide?
    let live: Live?
    let film: Film?
    let value: ValueText?
    let figures: TaskCard.Figures?
    let forms: [Form]
    let links: [TaskCard.Target]
    let spoken: Spoken?
  }

  struct Sentences { let sentences: [String] }

  private struct Guide {
    let drawing: String
    let steps: [String]
    let fact: String?
    let paragraphs: String?
    let picture: String?
    let taskLinks: TaskCard.Links?
  }

  /// The part of the page that changes during a session.
  private struct Live {
    let number: String
    let unit: String
    let detail: String
    let label: String
    let isRecording: Bool
    let points: String
    let traceLabel: String
    let rangeText: String
    let leftText: String
  }

  struct Form {
    let address: String
    let label: String
    let css: String
  }

  /// The sentences that are spoken aloud, once a person asks for it.
  private struct Spoken {
    let start: String
    let halfway: String
    let stop: String
    let tooEarly: String
  }

  /// Reads the event of an id, and what is known of its latest session; `nil` if there is no event.
  ///
  /// - Throws: ``StoreError``.
  package init?(
    _ reader: any StoreReader, viewer: Viewer, event id: String, status: MeasuringStatus?,
    hasRadio: Bool, notice: Notice?
  ) throws {
    guard let event = try reader.event(id: id, now: viewer.now) else { return nil }
    // A result that was taken back since leaves the event to be measured again.
    let isTakenBack = status?.state == .kept && event.outcome == nil
    let status = isTakenBack ? nil : status
    let words = viewer.language
    let people = try reader.patients()
    let owner = people.first { $0.id == event.task.patient }
    let address = LocalAddress(
      "events", event.id, "measure", items: [("patient", viewer.patient)])
    let eventAddress = LocalAddress("events", event.id, items: [("patient", viewer.patient)])
    let bindings = try reader.deviceBindings()
    let view = MeasureView(
      event: event, status: status, bindings: bindings, viewer: viewer, hasRadio: hasRadio,
      units: owner?.units)
    let result = view.result
    content = Content(
      state: view.state.rawValue,
      says: view.says,
      heading: words.text("measuring.heading." + view.state.rawValue),
      eventAddress: eventAddress.description,
      stream: view.isRunning
        ? status.map { LocalAddress("api", "v1", "sessions", $0.id).description } : nil,
      lead: view.lead.isEmpty ? nil : Sentences(sentences: view.lead),
      refusal: view.refusal, guide: view.showsGuide ? Self.guide(view) : nil,
      live: Self.live(view),
      film: view.showsGuide || view.state.holdsSensors
        ? Film(of: event.task.planned, words) : nil,
      value: result.first.map { ValueText($0.text) },
      figures: result.count > 1
        ? TaskCard.Figures(figureList: Array(result.dropFirst())) : nil,
      forms: view.actions.map { action in
        Form(
          address: LocalAddress("events", event.id, "measure", action.name).description,
          label: words.text("measuring.action." + action.label), css: action.css)
      },
      links: view.state == .kept
        ? [
          TaskCard.Target(
            href: eventAddress.description, caption: words.text("measuring.show"), style: "main")
        ]
        : view.needsSensor
          ? [
            TaskCard.Target(
              href: "/devices", caption: words.text("measuring.devices"), style: "main")
          ] : [],
      spoken: view.canStart || view.isRunning
        ? Spoken(
          start: words.text("measuring.say.start"), halfway: words.text("measuring.say.halfway"),
          stop: words.text("measuring.say.stop"), tooEarly: words.text("measuring.say.tooEarly"))
        : nil)
    frame = Frame(
      viewer: viewer, section: .today,
      kicker: people.count > 1 ? owner.map(words.fullName(of:)) : nil, title: event.task.title,
      address: address,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address),
      refresh: view.isMoving ? 1 : nil)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("measure", content, frame: frame) }

  private static func guide(_ view: MeasureView) -> Guide {
    let words = view.viewer.language
    let task = view.event.task.planned
    let facts = [
      view.place.map { words.text("measuring.place", ["place": $0]) },
      view.event.targetText(words, for: view.units, isGrouped: true),
    ].compactMap(\.self)
    let links = TaskLink.all(of: task, words)
    return Guide(
      drawing: MeasureDrawing(view.event.task.activeTask).svg,
      steps: view.steps, fact: facts.isEmpty ? nil : facts.joined(separator: " · "),
      paragraphs: task.instructions, picture: task.picture,
      taskLinks: links.isEmpty ? nil : TaskCard.Links(linkList: links))
  }

  private static func live(_ view: MeasureView) -> Live? {
    guard let status = view.status, view.state.holdsSensors else { return nil }
    let words = view.viewer.language
    let isRecording = view.state == .recording
    let number: Int
    let unit: String
    var detail = ""
    switch (isRecording ? status.figure : nil) {
    case nil: (number, unit) = (status.secondsLeft ?? 0, "")
    case .some(let figure) where figure.kind == .time:
      (number, unit) = (status.secondsLeft ?? figure.value, words.text("measuring.unit.time"))
    case .some(let figure):
      (number, unit) = (figure.value, words.text("measuring.unit." + figure.kind.rawValue))
      if let range = figure.range {
        detail = words.text(
          "measuring.range",
          ["minimum": String(range.lowerBound), "maximum": String(range.upperBound)])
      } else if let left = status.secondsLeft {
        detail = words.text("measuring.left", ["seconds": String(left)])
      }
    }
    let kind = isRecording ? status.figure?.kind.rawValue ?? "time" : "countdown"
    return Live(
      number: String(number), unit: unit, detail: detail,
      label: words.text("measuring.label." + kind), isRecording: isRecording,
      points: MeasureTrace(status.signal).points,
      traceLabel: words.text("measuring.trace"),
      rangeText: words.text("measuring.range"), leftText: words.text("measuring.left"))
  }
}

/// The page's view of a session.
private struct MeasureView {
  let event: Event
  let status: MeasuringStatus?
  let bindings: [DeviceBinding]
  let viewer: Viewer
  let hasRadio: Bool
  let units: PreferredUnits?

  /// A form: the last part of its address, its label, its look.
  struct Action {
    var name: String
    var label: String
    var css: String
  }

  /// Where the session stands; the instructions before there is one.
  var state: MeasuringState { status?.state ?? .instructions }

  var isRunning: Bool { status.map { !$0.state.isOver } ?? false }

  /// Whether the page changes by itself.
  var isMoving: Bool { isRunning && state != .verdict && state != .instructions }

  var needsSensor: Bool {
    guard hasRadio, !isRunning, let task = event.task.activeTask,
      let type = AssessmentList.type(for: task)
    else { return false }
    return !bindings.hasSensor(for: task, of: event.task.patient, type.sensors)
  }

  var canStart: Bool {
    let isOpen = ![.later, .readOnly].contains(event.state(at: viewer.now))
    return hasRadio && isOpen && !needsSensor && event.task.activeTask != nil
  }

  var showsGuide: Bool { [.waiting, .instructions, .cancelled, .abandoned].contains(state) }

  var says: String {
    let heading = viewer.language.text("measuring.heading." + state.rawValue)
    let parts = [heading, result.first?.text, refusal].compactMap(\.self)
    return parts.joined(separator: viewer.language.text("list.comma"))
  }

  /// Sentences above everything else.
  var lead: [String] {
    let words = viewer.language
    guard let task = event.task.activeTask, AssessmentList.type(for: task) != nil else {
      return [words.text("measuring.noAssessment")]
    }
    guard hasRadio else { return [words.text("measuring.noRadio")] }
    if needsSensor {
      return [words.text("measuring.noSensor", ["place": wantedPlace(for: task)])]
    }
    switch state {
    case .waiting: return [words.text("measuring.lead.waiting")]
    case .instructions:
      if event.state(at: viewer.now) == .later { return [words.text("refused.notDueYet")] }
      return isRunning ? [words.text("measuring.lead.near")] : []
    case .countdown:
      let isEarly = status?.cues.last { $0.cue.name != "countdown" }?.cue == .tooEarly
      return [words.text(isEarly ? "measuring.lead.tooEarly" : "measuring.lead.countdown")]
    case .recording: return [words.text("measuring.lead.recording")]
    case .verdict:
      guard let quality = status?.result?.quality else { return [] }
      return [
        goal, words.text(quality.isGood ? "measuring.quality.good" : "measuring.quality.low"),
      ].compactMap(\.self)
    case .kept: return [words.text("measuring.lead.kept")]
    case .cancelled, .abandoned: return [words.text("measuring.lead." + state.rawValue)]
    }
  }

  var refusal: String? {
    guard state == .verdict, let refusal = status?.refusal else { return nil }
    return viewer.language.text(of: refusal)
  }

  var steps: [String] {
    guard let task = event.task.activeTask, AssessmentList.type(for: task) != nil else { return [] }
    return ["1", "2", "3"].compactMap {
      viewer.language.optionalText("measuring.steps.\(task.type.rawValue).\($0)")
    }
  }

  /// Where the sensors are worn that show it.
  var place: String? {
    guard let task = event.task.activeTask, let type = AssessmentList.type(for: task) else {
      return nil
    }
    let places = bindings.filter { binding in
      bindings.isWorn(binding.address, by: event.task.patient)
        && binding.placement.map { type.sensors.isMet(by: $0, for: task) } ?? false
    }.compactMap { $0.placement.flatMap(viewer.language.name) }
    return places.isEmpty ? nil : places.joined(separator: viewer.language.text("list.or"))
  }

  /// Where the assessment needs a sensor: `left knee`, `thigh`.
  private func wantedPlace(for task: ActiveTask) -> String {
    let words = viewer.language
    func name(_ part: String) -> String { words.text("body." + part) }
    func sided(_ part: String) -> String {
      guard let side = task.side else { return part }
      return words.text("body.sided", ["side": name(side.rawValue), "joint": part])
    }
    switch AssessmentList.type(for: task)?.sensors.site {
    case .joint: return sided(task.joint.map { name($0.rawValue) } ?? "")
    case .segments(let segments):
      return segments.map { sided(name($0.rawValue)) }.joined(separator: words.text("list.or"))
    case .anywhere, .screen, nil: return words.text("measuring.anywhere")
    }
  }

  /// The values of the result, of a kept one, too.
  private var values: [OutcomeValue] {
    guard [.verdict, .kept].contains(state) else { return [] }
    return (status?.result?.values ?? []).map {
      OutcomeValue(
        value: $0.value, unit: $0.figure.unit, kind: $0.figure.kind, time: viewer.now,
        provenance: .active)
    }
  }

  /// The goal, and whether the result reaches it; `nil` without a goal.
  private var goal: String? {
    let words = viewer.language
    guard let goal = event.targetText(words, for: units, isGrouped: true) else { return nil }
    var measured = event
    measured.outcome = Outcome(
      uuid: event.task.uuid, event: event, values: values, createdDate: viewer.now)
    return words.text(
      measured.progress.isCompleted ? "measuring.goalReached" : "measuring.goalOpen",
      ["goal": goal])
  }

  /// The figures of the result in words.
  var result: [EventResult.Figure] {
    let words = viewer.language
    return values.compactMap { value in
      words.answerText(value, of: event, units: units).map {
        EventResult.Figure(
          name: words.name(ofKind: value.kind, in: event.task.planned), text: $0.groupingDigits)
      }
    }
  }

  var actions: [Action] {
    let cancel = Action(name: "cancel", label: "cancel", css: "")
    let start = Action(name: "start", label: "start", css: "main")
    switch state {
    case .waiting: return [cancel]
    case .instructions: return (canStart ? [start] : []) + (isRunning ? [cancel] : [])
    case .countdown: return [cancel]
    case .recording: return [Action(name: "done", label: "done", css: "main"), cancel]
    case .verdict:
      let discard = Action(name: "cancel", label: "discard", css: "quiet")
      guard status?.result != nil else {
        return [Action(name: "again", label: "again", css: "main"), discard]
      }
      return [
        Action(name: "keep", label: "keep", css: "main"),
        Action(name: "again", label: "again", css: ""), discard,
      ]
    case .kept: return canStart ? [Action(name: "start", label: "again", css: "")] : []
    case .cancelled, .abandoned: return canStart ? [start] : []
    }
  }
}

/// The live signal as the points of a line, 300 wide and 80 high, the newest value on the right.
struct MeasureTrace {
  let points: String

  /// The fewest units that the height spans, so that noise looks small.
  static let least = (decidegree: 300, milliG: 400)

  init(_ signal: LiveSignal) {
    let values = signal.values(after: 0)
    let isAngle = signal.unit == .decidegree
    let low = min(values.min() ?? 0, isAngle ? 0 : 1_000 - Self.least.milliG / 2)
    let high = max(
      values.max() ?? 0, isAngle ? Self.least.decidegree : 1_000 + Self.least.milliG / 2)
    let span = max(high - low, 1)
    let first = LiveSignal.longest - values.count
    points = values.enumerated().map { place, value in
      let x = Double((first + place) * 300) / Double(LiveSignal.longest - 1)
      let y = 78 - Double((value - low) * 76) / Double(span)
      return "\(Self.text(x)),\(Self.text(y))"
    }.joined(separator: " ")
  }

  private static func text(_ number: Double) -> String {
    let tenths = Int(saturating: (number * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
