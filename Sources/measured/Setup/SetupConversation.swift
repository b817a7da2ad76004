import Care
import Foundation
import Localization
import Motion
import Pages
import Plans

/// The set-up as a conversation: questions out, answers in, a plan at the end.
///
/// A value without a terminal, a radio or a store. ``turn`` says what comes next; ``answer(_:)``
/// and ``hear(_:failure:)`` take the conversation on. An answer that is not taken leaves its
/// question, and ``remarks`` has the reason.
struct SetupConversation {
  /// The facts that are known before the first question.
  struct Context {
    /// This machine's zone.
    var zone: TimeZone
    /// The first day of new tasks is the one of this instant.
    var now: Date
    /// The tags of the languages that the page has.
    var languages: [String] = ["en"]
    /// Whether devices come from a recording, which needs no question and ends by itself.
    var isRecorded = false
    /// Where the page answers by the settings; `nil` to ask for no settings.
    var page: PageAudience?
    /// The names of devices by the ids of their definitions.
    var deviceNames: [String: String] = [:]
    /// The parts of a plan that are probably not meant, in sentences.
    var doubts: @Sendable (PlanDocument) -> [String] = { _ in [] }
  }

  /// The next action of the conversation.
  enum Turn: Hashable {
    case ask(Question)
    /// Listen to devices, then ``SetupConversation/hear(_:failure:)``.
    case listen
    /// The plan is complete.
    case save
    /// The person wants nothing to be saved.
    case leave
  }

  /// A question with the answer that an empty line gives.
  struct Question: Hashable {
    var text: String
    var standard: String?

    /// The question as it is printed: `Time zone [Europe/Berlin]: `.
    var prompt: String { text + (standard.map { " [\($0)]" } ?? "") + ": " }
  }

  /// Where the conversation is.
  enum Step {
    case zone, person
    case units(Int), weight(Int), language(Int)
    case listen, again
    case owner, weighed, place
    case task(Int), detail(Int)
    case page, save
    case listening, ended(Turn)
  }

  /// The plan so far.
  var plan: PlanDocument
  /// The remarks before the next question.
  var remarks: [String]
  /// Whose the readings of a device were, by the person's own words.
  var owners: [DeviceID: String] = [:]
  /// The chosen place of the page; `nil` if the settings stay as they are.
  private(set) var page: PageAudience?
  /// The person of whom the weight of the device was doubted.
  var doubted: String?
  /// The devices that were asked about.
  var devices: [FoundDevice] = []

  let context: Context
  /// The people of the plan that is in force.
  let knownPeople: Set<String>
  var step = Step.zone
  var waiting: [FoundDevice] = []
  var task = SetupTask(.other)
  var details: [SetupTaskKind.Detail] = []
  var addedTasks: Set<Int> = []
  /// The usual weight that was doubted, as it was typed.
  var doubtedWeight: String?
  /// The answers that were taken, the latest last.
  private var earlier: [Taken] = []
  /// The answers that were taken back, the first one last: they are offered again.
  private var undone: [Given] = []

  /// An answer with its question.
  private struct Given {
    var question: String
    var answer: String
  }

  /// An answer that was taken, and the conversation before it.
  private struct Taken {
    var before: SetupConversation
    var given: Given
  }

  /// The answer that takes the last one back.
  static let back = "<"
  /// The most answers that can be taken back.
  private static let mostEarlier = 500

  /// Begins with the plan that is in force; `nil` for a first one.
  init(plan: PlanDocument?, context: Context) {
    self.context = context
    knownPeople = Set(plan?.patients.map(\.id) ?? [])
    let known = plan.flatMap { $0.patients.isEmpty ? nil : $0 }
    self.plan = known ?? PlanDocument(timeZone: context.zone, patients: [], tasks: [])
    remarks = [
      known == nil
        ? "A few questions make your plan. Enter takes the answer in brackets, \(Self.back) goes"
          + " back to the question before; Ctrl-C leaves, and nothing is saved."
        : "Your plan is changed by the same questions. Enter keeps what is in brackets,"
          + " \(Self.back) goes back to the question before; Ctrl-C leaves, and nothing is saved."
    ]
    if let known {
      remarks += Self.summary(of: known, context.deviceNames)
      remarks += [
        "To remove a person: measured patient delete ID; a task: measured task end ID; a device: take"
          + " its line out of what measured plan export writes, and measured plan import FILE --prune."
      ]
    }
  }

  /// The next turn; an answer that was taken back is offered again.
  var turn: Turn {
    guard case .ask(var question) = plainTurn, let recalled = undone.last,
      recalled.question == question.text
    else { return plainTurn }
    question.standard = recalled.answer
    return .ask(question)
  }

  // MARK: Answers

  /// Takes an answer; an empty one is the question's own, ``back`` returns to the question before.
  mutating func answer(_ text: String) {
    guard case .ask(let question) = turn, case .ask(let plain) = plainTurn else { return }
    let typed = text.trimmingCharacters(in: .whitespaces)
    guard typed != Self.back else { return goBack() }
    var before = self
    before.earlier = []
    remarks = []
    let answer = typed.isEmpty ? question.standard ?? "" : typed
    do throws(SetupFlaw) {
      guard !answer.isEmpty else { throw SetupFlaw("This needs an answer.") }
      try take(answer, isStandard: answer == plain.standard)
      // Another way through the questions has other answers.
      if undone.last?.question == question.text { undone.removeLast() } else { undone = [] }
      earlier.append(Taken(before: before, given: Given(question: question.text, answer: answer)))
      if earlier.count > Self.mostEarlier { earlier.removeFirst() }
    } catch {
      remarks.append(error.reason)
    }
  }

  /// Takes the last answer back, with what was received since.
  private mutating func goBack() {
    guard let last = earlier.popLast() else {
      remarks = ["This is the first question."]
      return
    }
    let (others, answers) = (earlier, undone + [last.given])
    self = last.before
    (earlier, undone) = (others, answers)
    // Remarks on the answer before have been read.
    remarks = deviceLine.map { [$0] } ?? []
  }

  private mutating func take(_ answer: String, isStandard: Bool) throws(SetupFlaw) {
    switch step {
    case .zone:
      if !isStandard { plan.timeZone = try SetupAnswer.zone(answer) }
      step = .person
    case .person: try takePerson(answer, isStandard: isStandard)
    case .units(let place):
      guard let units = PreferredUnits(rawValue: answer.lowercased()) else {
        throw SetupFlaw("Answer metric, us or uk.")
      }
      let isSame = units == plan.patients[place].units ?? .metric
      if !isSame { plan.patients[place].units = units }
      step = .weight(place)
    case .weight(let place):
      if answer == "-" {
        plan.patients[place].expects[Quantity.bodyMass.rawValue] = nil
      } else if !isStandard {
        try takeWeight(answer, place)
      }
      step = .language(place)
    case .language(let place):
      if answer == "-" {
        plan.patients[place].language = nil
      } else if !isStandard {
        let known = context.languages.first { $0.lowercased() == answer.lowercased() }
        guard known != nil || PageLanguage.isTag(answer) else {
          throw SetupFlaw(
            "There is no language ‘\(answer)’. Answer"
              + " \(context.languages.joined(separator: ", ")), another tag such as de, or -.")
        }
        plan.patients[place].language = known ?? answer
        if let doubt = PageLanguage.doubt(known ?? answer, known: context.languages) {
          remarks.append(doubt.prefix(1).uppercased() + doubt.dropFirst() + ".")
        }
      }
      step = .person
    case .listen, .again:
      guard try SetupAnswer.yes(answer) else { return beginTasks(of: 0) }
      step = .listening
    case .owner: try takeOwner(answer)
    case .weighed: try takeWeighed(answer)
    case .place:
      if answer != "-", !isStandard {
        guard let placement = Placement(sensorName: answer) else {
          throw SetupFlaw("‘\(answer)’ is no place of the body such as left-shank or trunk.")
        }
        bind { $0.placement = placement }
      }
      nextDevice()
    case .task(let place):
      guard answer != "go on" else { return beginTasks(of: place + 1) }
      task = SetupTask(try SetupTaskKind(answer: answer))
      details = task.kind.details
      step = .detail(place)
      // A task in the plan keeps its unit.
      if known(place) != nil { details.removeAll { $0 == .unit } }
      skipUnspeakable(place)
    case .detail(let place): try takeDetail(answer, place)
    case .page:
      guard let page = PageAudience(rawValue: answer.lowercased()) else {
        throw SetupFlaw("Answer here, home or off.")
      }
      if page != context.page { self.page = page }
      review()
    case .save: step = .ended(try SetupAnswer.yes(answer) ? .save : .leave)
    case .listening, .ended: break
    }
  }

  // MARK: People

  private mutating func takePerson(_ answer: String, isStandard: Bool) throws(SetupFlaw) {
    guard !(isStandard && answer == "go on") else {
      step = context.isRecorded ? .listening : .listen
      return
    }
    if let place = place(of: answer) {
      step = .units(place)
      return
    }
    let name = try SetupAnswer.name(answer)
    guard !["all", "none", "shared"].contains(answer.lowercased()) else {
      throw SetupFlaw("‘\(answer)’ has another meaning here; write the full name.")
    }
    let id = TaskDraft.id(
      from: name.given ?? answer, taken: Set(plan.patients.map(\.id)), else: "person")
    plan.patients.append(
      Patient(id: id, name: name, others: plan.patients.first?.others ?? []))
    step = .units(plan.patients.count - 1)
  }

  /// The person of that name or id, if there is exactly one.
  func place(of answer: String) -> Int? {
    if let place = plan.patients.firstIndex(where: { $0.id == answer }) { return place }
    let word = answer.lowercased()
    func only(_ isMatch: (Patient) -> Bool) -> Int? {
      let places = plan.patients.indices.filter { isMatch(plan.patients[$0]) }
      return places.count == 1 ? places[0] : nil
    }
    return only { $0.displayName.lowercased() == word }
      ?? only { $0.name.given?.lowercased() == word || $0.id.lowercased() == word }
  }

  func displayName(of id: String) -> String {
    plan.patients.first { $0.id == id }?.displayName ?? id
  }

  private mutating func takeWeight(_ answer: String, _ place: Int) throws(SetupFlaw) {
    let patient = plan.patients[place]
    let weight = try SetupAnswer.weight(answer, for: patient.units)
    let text = Quantity.bodyMass.text(weight.kilograms, for: patient.units)
    if let unit = weight.assumed, !Self.usualWeights.contains(weight.kilograms),
      doubtedWeight != answer
    {
      doubtedWeight = answer
      let other: UnitOfMeasure = unit == .kilogram ? .pound : .kilogram
      let much = weight.kilograms < Self.usualWeights.lowerBound ? "little" : "much"
      throw SetupFlaw(
        "\(unit.text(answer)) is \(much) for an adult. If it is meant, answer so again; else write"
          + " the unit: \(other.text(answer)).")
    }
    expect(weight.kilograms, of: place)
    if weight.assumed != nil { remarks.append("\(patient.displayName)'s usual weight is \(text).") }
  }

  /// The weights of nearly all adults, in kg; another one may be in another unit.
  private static let usualWeights = 40.0...150

  mutating func expect(_ weight: Double, of place: Int) {
    let key = Quantity.bodyMass.rawValue
    plan.patients[place].expects[key] = Expectation(
      value: weight, tolerance: plan.patients[place].expects[key]?.tolerance)
  }

  // MARK: Tasks

  mutating func beginTasks(of place: Int) {
    guard place < plan.patients.count else {
      guard context.page != nil else { return review() }
      return step = .page
    }
    step = .task(place)
    if place == 0 {
      remarks += ["Tasks that can be asked for:"]
      remarks += SetupTaskKind.allCases.map { kind in
        "  " + kind.rawValue.padding(toLength: 13, withPad: " ", startingAt: 0) + kind.summary
      }
    }
    let own = plan.tasks.filter { $0.patient == plan.patients[place].id }
    if !own.isEmpty {
      remarks.append(
        "\(name(place)) has \(own.map { "\($0.title) [\($0.id)]" }.joined(separator: ", ")). Name a"
          + " task to change it; measured task end ID ends one.")
    }
  }

  /// The task in the plan that is changed, and its place.
  func known(_ place: Int) -> Int? {
    let patient = plan.patients[place].id
    return plan.tasks.firstIndex {
      $0.patient == patient && task.kind.describes($0, title: task.title, side: task.side)
    }
  }

  /// The task in the plan that the questions concern.
  var current: SetupTask? {
    guard case .detail(let place) = step, let index = known(place) else { return nil }
    return SetupTask(task.kind, of: plan.tasks[index])
  }

  /// Leaves out questions whose answers cannot change a task in the plan.
  private mutating func skipUnspeakable(_ place: Int) {
    guard let next = details.first else { return }
    guard [.goal, .times].contains(next), let current, current.times == nil else { return }
    details = []
    remarks.append(
      "\(current.title ?? "") has a schedule of its own, which stays. Change it on the page, or with"
        + " measured plan export and measured plan import.")
    step = .task(place)
  }

  private mutating func takeDetail(_ answer: String, _ place: Int) throws(SetupFlaw) {
    switch details.first {
    case .title:
      guard answer.count <= 80 else { throw SetupFlaw("At most 80 characters.") }
      task.title = answer
    case .side:
      guard let side = Side(rawValue: answer.lowercased()) else {
        throw SetupFlaw("Answer left or right.")
      }
      task.side = side
    case .unit:
      guard let unit = UnitOfMeasure(answer), let glucose = SetupTask.glucose(in: unit) else {
        throw SetupFlaw("Answer mmol/L or mg/dL.")
      }
      task.glucose = glucose
    case .goal:
      task.goal = try SetupAnswer.number(answer, in: task.kind.goal?.range ?? 1...1)
    case .times, nil: task.times = try SetupAnswer.times(answer)
    }
    if !details.isEmpty { details.removeFirst() }
    guard details.isEmpty else { return skipUnspeakable(place) }
    do throws(SetupFlaw) {
      try put(place)
    } catch {
      details = [.times]
      throw error
    }
    step = .task(place)
  }

  /// Puts the task into the plan.
  private mutating func put(_ place: Int) throws(SetupFlaw) {
    let patient = plan.patients[place].id
    let zone = plan.patients[place].timeZone(at: context.now, in: plan.timeZone)
    let index = known(place)
    let taken = Set(plan.tasks.filter { $0.patient == patient }.map(\.id))
    var made = try task.task(
      changing: index.map { plan.tasks[$0] }, id: TaskDraft.id(from: task.idWords, taken: taken),
      of: patient, from: context.now.day(in: zone), in: zone)
    if let index {
      plan.tasks[index] = made
    } else {
      // Events that are over today would be missed at once.
      made.schedule = made.schedule.begun(at: context.now)
      plan.tasks.append(made)
    }
    addedTasks.insert(place)
    remarks.append("\(index == nil ? "Added" : "Changed"): \(made.title) [\(made.id)].")
  }

  // MARK: Review

  private mutating func review() {
    remarks += ["", "This is the plan:"] + Self.summary(of: plan, context.deviceNames)
    remarks += context.doubts(plan).map { "Not meant? \($0)" }
    if let page { remarks.append("The page: \(page.rawValue)") }
    step = .save
  }

  /// The people with their tasks, and the devices by their names.
  static func summary(of plan: PlanDocument, _ deviceNames: [String: String]) -> [String] {
    let names = Dictionary(
      plan.patients.map { ($0.id, $0.displayName) }, uniquingKeysWith: { first, _ in first })
    let people = plan.patients.flatMap { patient in
      let weight = patient.expects[Quantity.bodyMass.rawValue].map {
        ", about \(Quantity.bodyMass.text($0.value, for: patient.units))"
      }
      return ["  \(patient.displayName) [\(patient.id)]\(weight ?? "")"]
        + plan.tasks.filter { $0.patient == patient.id }.map {
          "    \($0.title), \($0.schedule.words) [\($0.id)]"
        }
    }
    return people
      + plan.devices.map { device in
        "  \(device.definition.map { deviceNames[$0] ?? $0 } ?? "device") (\(device.address)): "
          + (device.patient.map { names[$0] ?? $0 } ?? "everybody")
      } + ["  times in \(plan.timeZone.identifier)"]
  }
}
