import Assessments
package import Care
package import Foundation
package import Localization
import Motion

/// A task that is offered ready-made: few answers make it.
package enum ReadyTask: String, CaseIterable, Sendable {
  case weigh, pressure, heart, oxygen, temperature, glucose, walk, knee, upAndGo, chairStand
  case pain, pills

  /// An answer that it needs beside its times.
  enum Detail: Hashable {
    case title, side, unit, goal
  }

  var details: [Detail] {
    switch self {
    case .glucose: [.unit]
    case .walk: [.goal]
    case .knee: [.side, .goal]
    case .pills: [.title]
    case .weigh, .pressure, .heart, .oxygen, .temperature, .upAndGo, .chairStand, .pain: []
    }
  }

  /// The goal of a new task, and those that can be set.
  var goal: (standard: Int, range: ClosedRange<Int>)? {
    switch self {
    case .walk: (6_000, 1...100_000)
    case .knee: (90, 10...170)
    default: nil
    }
  }

  /// The times of a new task; none for any time of the day.
  var times: [String] {
    switch self {
    case .pressure: ["08:00", "19:00"]
    case .knee, .upAndGo, .chairStand: ["09:00"]
    case .pills: ["08:00"]
    case .weigh, .heart, .oxygen, .temperature, .glucose, .walk, .pain: []
    }
  }

  /// Whether it is asked at which times it is due: a day's total has none.
  var hasTimes: Bool { self != .walk }

  /// The words of its id.
  var idWords: String? {
    switch self {
    case .weigh: "weigh in"
    case .pressure: "blood pressure"
    case .heart: "heart rate"
    case .upAndGo: "up and go"
    case .chairStand: "chair stand"
    case .oxygen, .temperature, .glucose, .walk, .pain: rawValue
    case .knee, .pills: nil
    }
  }

  private var glyph: Glyph.Standard {
    switch self {
    case .weigh: .scale
    case .pressure: .bloodPressure
    case .heart: .cardio
    case .oxygen: .respiratoryHealth
    case .temperature: .stethoscope
    case .glucose: .blood
    case .walk, .upAndGo: .activeLife
    case .knee, .chairStand: .physicalTherapy
    case .pain: .mentalHealth
    case .pills: .medication
    }
  }

  /// The fields of a task's form that it fills, of the answers to ``ReadyTasksWizard`` and from a day on.
  func fields(_ answers: ReadyTasksDraft, from day: String, _ words: Language) throws(DraftFlaw)
    -> FormFields
  {
    var fields = FormFields()
    func name(_ detail: String) -> String { "\(rawValue).\(detail)" }
    fields["glyph"] = glyph.rawValue
    fields["instructions"] = words.optionalText("readyTask.\(rawValue).instructions")
    var values: [String: String] = [:]
    if let goal {
      let number = try answers.fields.whole(
        name("goal"), in: goal.range, default: goal.standard)
      fields["target"] = String(number)
      values["goal"] = String(number)
    }
    switch self {
    case .weigh: sensor(.bodyMass)
    case .heart: sensor(.heartRate)
    case .oxygen: sensor(.oxygenSaturation)
    case .temperature: sensor(.bodyTemperature)
    case .walk: sensor(.stepCount)
    case .pressure:
      fields["answer"] = AnswerKind.sensor.rawValue
      fields["quantity"] = TaskDraft.pressure
    case .glucose:
      let quantity = answers.fields[name("unit")].flatMap({ Quantity(rawValue: $0) })
      guard let quantity, Self.glucoses.contains(quantity) else {
        throw DraftFlaw(name("unit"), "choose")
      }
      sensor(quantity)
    case .knee:
      guard let side = answers.fields[name("side")].flatMap({ Side(rawValue: $0) }) else {
        throw DraftFlaw(name("side"), "choose")
      }
      assessment("rangeOfMotion")
      fields[ActiveTaskForm.Key.joint.rawValue] = Joint.knee.rawValue
      fields[ActiveTaskForm.Key.side.rawValue] = side.rawValue
      fields["target.kind"] = "range"
      values["side"] = words.text("body." + side.rawValue)
    case .upAndGo: assessment("timedUpAndGo")
    case .chairStand: assessment("thirtySecondChairStand")
    case .pain:
      fields["answer"] = AnswerKind.survey.rawValue
      fields["q1.kind"] = "pain"
      fields["q1.title"] = words.text("readyTask.pain.question")
      fields["q1.type"] = SurveyQuestion.AnswerType.scale.rawValue
      fields["q1.minimum"] = "0"
      fields["q1.maximum"] = "10"
      fields["q1.low"] = words.text("readyTask.pain.low")
      fields["q1.high"] = words.text("readyTask.pain.high")
    case .pills: fields["answer"] = AnswerKind.check.rawValue
    }
    func sensor(_ quantity: Quantity) {
      fields["answer"] = AnswerKind.sensor.rawValue
      fields["quantity"] = quantity.rawValue
    }
    func assessment(_ type: String) {
      fields["answer"] = AnswerKind.assessment.rawValue
      fields["assessment"] = type
    }
    if self == .pills {
      guard let title = answers.fields[name("title")] else {
        throw DraftFlaw(name("title"), "noTitle")
      }
      fields["title"] = title
    } else {
      fields["title"] = words.text("readyTask.\(rawValue).title", values)
    }
    try when(answers, from: day, in: &fields)
    return fields
  }

  private func when(
    _ answers: ReadyTasksDraft, from day: String, in fields: inout FormFields
  ) throws(DraftFlaw) {
    fields["start"] = day
    let field = "\(rawValue).times"
    let text =
      answers.fields.has(field) ? answers.fields[field] ?? "" : times.joined(separator: " ")
    guard let times = ClockTimes.times(text), times.count <= ScheduleDraft.mostTimes else {
      throw DraftFlaw(field, "noTimes", ["most": String(ScheduleDraft.mostTimes)])
    }
    fields["length"] = times.isEmpty ? "allDay" : "timed"
    fields["minutes"] = self == .knee ? "60" : "120"
    switch times.count {
    case 0: fields["every"] = ScheduleKind.daily.rawValue
    case 1:
      fields["every"] = ScheduleKind.daily.rawValue
      fields["time"] = times[0]
    default:
      fields["every"] = ScheduleKind.several.rawValue
      for (place, time) in times.enumerated() { fields["time\(place + 1)"] = time }
    }
  }

  /// The quantities of a glucose meter: an amount of substance, or a mass.
  static let glucoses = [Quantity.bloodGlucose, .bloodGlucoseMass]
}

/// Ready-made tasks as a form describes them.
package struct ReadyTasksDraft {
  /// The answers so far.
  package var fields: FormFields
  /// The zone of the times.
  let zone: TimeZone
  let now: Date

  /// Makes a draft.
  package init(_ fields: FormFields = FormFields(), in zone: TimeZone, now: Date) {
    self.fields = fields
    self.zone = zone
    self.now = now
  }

  func with(_ fields: FormFields) -> ReadyTasksDraft {
    ReadyTasksDraft(fields, in: zone, now: now)
  }

  /// Chooses tasks, and the quantity of the glucose meter that is offered.
  package mutating func choose(_ tasks: [ReadyTask], glucose: Quantity) {
    fields.set("ready", tasks.map(\.rawValue))
    fields["glucose.unit"] = glucose.rawValue
  }

  /// The chosen tasks, in their order.
  package var chosen: [ReadyTask] {
    let names = Set(fields.all("ready"))
    return ReadyTask.allCases.filter { names.contains($0.rawValue) }
  }

  /// The tasks of a person; other ones have the ids `taken`.
  package func tasks(
    of patient: String, taken: Set<String>, words: Language
  ) throws(DraftFlaw) -> [PlannedTask] {
    guard !chosen.isEmpty else { throw DraftFlaw("ready", "choose") }
    var (tasks, taken): ([PlannedTask], Set<String>) = ([], taken)
    for ready in chosen {
      let fields = try ready.fields(self, from: now.day(in: zone), words)
      var task: PlannedTask
      do throws(DraftFlaw) {
        task = try TaskDraft(fields, of: nil, in: zone, now: now).task(of: patient, taken: taken)
      } catch {
        throw DraftFlaw("\(ready.rawValue).times", error.code, error.values)
      }
      let side = task.activeTask?.side.map { $0.rawValue + " knee" }
      task.id = TaskDraft.id(from: ready.idWords ?? side ?? task.title, taken: taken)
      taken.insert(task.id)
      tasks.append(task)
    }
    return tasks
  }
}

/// The questions about ready-made tasks: which, and what each of them needs.
struct ReadyTasksWizard: Wizard {
  let draft: ReadyTasksDraft
  let people: [Patient]
  let viewer: Viewer

  var fields: FormFields { draft.fields }
  private var words: Language { viewer.language }

  var screens: [String] { (people.count > 1 ? ["who"] : []) + ["ready", "details"] }

  func follower(of screen: String) -> String? { nil }

  func check(_ screen: String) throws(DraftFlaw) {
    switch screen {
    case "who":
      try fields.checkPerson(among: people)
    case "ready": guard !draft.chosen.isEmpty else { throw DraftFlaw("ready", "choose") }
    default: _ = try draft.tasks(of: "", taken: [], words: words)
    }
  }

  func screen(of flaw: DraftFlaw) -> String {
    switch flaw.field {
    case "patient": "who"
    case "ready": "ready"
    default: "details"
    }
  }

  func summary(of screen: String) -> [String] { [] }

  func heading(of screen: String) -> (title: String, hint: String?) {
    guard screen != "who" else { return (words.text("taskForm.screen.who"), nil) }
    return (
      words.text("readyTasks.screen." + screen), words.optionalText("readyTasks.hint." + screen)
    )
  }

  func inputs(of screen: String, flaw: DraftFlaw?) -> [EventForm.Field] {
    let make = InputMaker(fields: fields, words: words, flaw: flaw)
    switch screen {
    case "who":
      return [make.person(people)]
    case "ready":
      return [
        make.choices(
          "ready", label: "readyTasks.label",
          ReadyTask.allCases.map { ($0.rawValue, words.text("readyTask.\($0.rawValue).name")) })
      ]
    default: return draft.chosen.flatMap { details(of: $0, make) }
    }
  }

  private func details(of ready: ReadyTask, _ make: InputMaker) -> [EventForm.Field] {
    let task = ["task": words.text("readyTask.\(ready.rawValue).name")]
    func name(_ detail: String) -> String { "\(ready.rawValue).\(detail)" }
    var inputs = ready.details.map { detail -> EventForm.Field in
      switch detail {
      case .title:
        make.line(
          name("title"), label: "readyTasks.title", values: task, hint: "readyTasks.titleHint",
          isRequired: true)
      case .side:
        make.choice(
          name("side"), label: "readyTasks.side",
          Side.allCases.map { ($0.rawValue, words.text("body." + $0.rawValue)) },
          default: Side.left.rawValue)
      case .unit:
        make.choice(
          name("unit"), label: "readyTasks.unit",
          ReadyTask.glucoses.map { ($0.rawValue, $0.unit.symbol) },
          default: Quantity.bloodGlucose.rawValue)
      case .goal:
        make.line(
          name("goal"), label: "readyTask.\(ready.rawValue).goal", kind: "number",
          default: ready.goal.map { String($0.standard) }, css: "short")
      }
    }
    if ready.hasTimes {
      inputs.append(
        make.line(
          name("times"), label: "readyTasks.times", values: task, hint: "readyTasks.timesHint",
          default: ready.times.joined(separator: " ")))
    }
    return inputs
  }
}

/// The form of ready-made tasks.
package struct ReadyTasksPage: WizardPage {
  private let frame: Frame
  private let content: WizardScreen
  /// Whether the answers are complete and are to be saved.
  package let isToSave: Bool
  /// Whether an answer was refused.
  package let isRefused: Bool

  /// Makes the form's page for some people; `refusal` says why it was not saved.
  package init(
    draft: ReadyTasksDraft, people: [Patient], viewer: Viewer, refusal: String? = nil
  ) {
    let words = viewer.language
    let wizard = ReadyTasksWizard(draft: draft, people: people, viewer: viewer)
    let step = WizardStep(wizard)
    isToSave = step.screen == nil && refusal == nil
    isRefused = step.flaw != nil || refusal != nil
    var content = WizardScreen(
      wizard, step: step, flaw: refusal, action: LocalAddress("setup", "tasks").description,
      preview: nil, saveTitle: words.text("wizard.save"), words: words)
    let patient = [("patient", draft.fields["patient"])]
    content.other = WizardScreen.Other(
      title: words.text("readyTasks.own"),
      address: LocalAddress("setup", "task", items: patient).description)
    self.content = content
    frame = Frame(
      viewer: viewer, kicker: content.step, title: words.text("readyTasks.new"),
      address: LocalAddress("setup", "tasks", items: patient))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("wizard", content, frame: frame) }
}
