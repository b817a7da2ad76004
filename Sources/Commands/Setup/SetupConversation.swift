import Care
import Foundation
import Localization
import Motion
import Pages
import Plans
import Terminal

/// Why an answer is not taken, for the person who gave it.
struct SetupFlaw: Error, Hashable {
  var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The set-up as a conversation: questions out, answers in, a plan at the end.
///
/// A value without a terminal, a radio or a store. ``turn`` says what comes next; ``answer(_:)``
/// and ``hear(_:failure:)`` take the conversation on. An answer that is not taken leaves its
/// question, and ``remarks`` has the reason. People and tasks are asked for by the page's own forms.
struct SetupConversation {
  /// The facts that are known before the first question.
  struct Context {
    /// This machine's zone.
    var zone: TimeZone
    /// The first day of new tasks is the one of this instant.
    var now: Date
    /// The language of the questions.
    var words = LanguageCatalogue.embedded.english
    /// The languages that the page has.
    var languages = LanguageCatalogue.embedded.languages
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
    /// The possible answers, numbered.
    var choices: [String] = []
    var standard: String?

    /// The question as it is printed: `Time zone [Europe/Berlin]: `, after the possible answers.
    var prompt: String {
      choices.enumerated().map { "  \($0.offset + 1)  \($0.element)\n" }.joined() + text
        + (standard.map { " [\($0)]" } ?? "") + ": "
    }
  }

  /// Where the conversation is.
  enum Step: Hashable {
    case zone, person
    /// The questions about the person at a place of the plan.
    case details(Int)
    case listen, again
    case owner, weighed, place
    case tasks(Int)
    /// The questions about ready-made tasks of the person at a place.
    case ready(Int)
    /// The questions about a task of the person at a place: the one with an id, else a new one.
    case form(Int, task: String?)
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
  private let knownPeople: Set<String>
  var step = Step.zone
  var waiting: [FoundDevice] = []
  /// The form that is asked question by question.
  private var form: WizardQuestions?
  /// Whether the tasks of a person wait for one that is described by hand.
  private var wantsOther = false
  private var addedTasks: Set<Int> = []
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
    remarks = []
    remarks = [text(known == nil ? "begin" : "beginAgain", ["back": Self.back])]
    if let known {
      remarks += Self.summary(of: known, context)
      remarks.append(text("remove"))
    }
  }

  /// An answer with a meaning of its own.
  enum Word: String, CaseIterable {
    case goOn, all, shared, none

    /// The answer as it is typed in a language.
    func typed(in words: Language) -> String { words.text("setupTalk.word." + rawValue) }

    /// The word that a text is, in the language or in English.
    init?(_ text: String, in words: Language) {
      let found = Self.allCases.first { word in
        [words, LanguageCatalogue.embedded.english].contains {
          word.typed(in: $0) == text.lowercased()
        }
      }
      guard let found else { return nil }
      self = found
    }
  }

  func word(_ word: Word) -> String { word.typed(in: context.words) }

  /// A text of the conversation.
  func text(_ key: String, _ values: [String: String] = [:]) -> String {
    context.words.text("setupTalk." + key, values)
  }

  /// The next turn; an answer that was taken back is offered again.
  var turn: Turn {
    guard case .ask(var question) = plainTurn, let recalled = undone.last,
      recalled.question == question.text
    else { return plainTurn }
    question.standard = recalled.answer
    return .ask(question)
  }

  // MARK: Questions

  /// The next turn, with the answers of the plan so far in brackets.
  private var plainTurn: Turn {
    switch step {
    case .zone: .ask(Question(text: text("zone"), standard: plan.timeZone.identifier))
    case .person:
      .ask(
        plan.patients.isEmpty
          ? Question(text: text("firstPerson"))
          : Question(
            text: text(
              "person",
              ["people": plan.patients.map { "‘\($0.displayName)’" }.joined(separator: ", ")]),
            standard: word(.goOn)))
    case .details, .ready, .form:
      .ask(
        form?.question.map {
          Question(text: $0.text, choices: $0.choices, standard: $0.standard)
        } ?? Question(text: ""))
    case .listen: .ask(yesOrNo("listen", isYes: true))
    case .again: .ask(yesOrNo("again", isYes: false))
    case .owner: .ask(ownerQuestion)
    case .weighed: .ask(weighedQuestion)
    case .place:
      .ask(
        Question(
          text: text("place"),
          standard: waiting.first.flatMap { binding(of: $0.address)?.placement?.text }
            ?? WizardQuestions.nothing))
    case .tasks(let place): .ask(taskQuestion(place))
    case .page: .ask(Question(text: text("page"), standard: context.page?.rawValue))
    case .save: .ask(yesOrNo("save", isYes: true))
    case .listening: .listen
    case .ended(let turn): turn
    }
  }

  private func yesOrNo(_ key: String, isYes: Bool) -> Question {
    Question(
      text: text(key) + " " + context.words.text("wizard.yesOrNo"),
      standard: context.words.text(isYes ? "wizard.yes" : "wizard.no"))
  }

  private func taskQuestion(_ place: Int) -> Question {
    let patient = plan.patients[place]
    let isFirst = !knownPeople.contains(patient.id) && !addedTasks.contains(place)
    return Question(
      text: text("tasks", ["name": patient.displayName]),
      // The list is read once.
      choices: addedTasks.isEmpty
        ? ReadyTask.allCases.map { ready in
          "\(ready.rawValue): " + context.words.text("readyTask.\(ready.rawValue).name")
        } + [Self.other + ": " + text("other")] : [],
      standard: isFirst ? ReadyTask.weigh.rawValue : word(.goOn))
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
      guard !answer.isEmpty else { throw SetupFlaw(self.text("needsAnswer")) }
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
      remarks = [text("first")]
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
      if !isStandard {
        guard let zone = TimeZone(iana: answer) else {
          throw SetupFlaw(context.words.text("flaw.noZone", ["zone": answer]))
        }
        plan.timeZone = zone
      }
      step = .person
    case .person: try takePerson(answer, isStandard: isStandard)
    case .details, .ready, .form: try takeForm(answer)
    case .listen, .again:
      guard try yes(answer) else { return beginTasks(of: 0) }
      step = .listening
    case .owner: try takeOwner(answer)
    case .weighed: try takeWeighed(answer)
    case .place:
      if answer != WizardQuestions.nothing, !isStandard {
        guard let placement = Placement(sensorName: answer) else {
          throw SetupFlaw(text("noPlace", ["place": answer]))
        }
        bind { $0.placement = placement }
      }
      nextDevice()
    case .tasks(let place): try takeTasks(answer, place)
    case .page:
      guard let page = PageAudience(rawValue: answer.lowercased()) else {
        throw SetupFlaw(text("noAudience"))
      }
      if page != context.page { self.page = page }
      review()
    case .save: step = .ended(try yes(answer) ? .save : .leave)
    case .listening, .ended: break
    }
  }

  private func yes(_ answer: String) throws(SetupFlaw) -> Bool {
    guard let yes = context.words.yes(answer) else {
      throw SetupFlaw(context.words.text("flaw.yesOrNo"))
    }
    return yes
  }

  // MARK: Forms

  /// Who is asked about the things of the person at a place, in that person's zone.
  private func viewer(_ place: Int) -> Viewer {
    Viewer(language: context.words, patient: nil, now: context.now, timeZone: zone(place))
  }

  private func zone(_ place: Int) -> TimeZone {
    plan.patients[place].timeZone(at: context.now, in: plan.timeZone)
  }

  private mutating func begin(_ form: WizardQuestions, _ step: Step) {
    self.form = form
    self.step = step
    remarks += form.remarks
    if form.question == nil { finishForm(form) }
  }

  private mutating func takeForm(_ answer: String) throws(SetupFlaw) {
    guard var form else { return }
    do throws(DraftFlaw) {
      defer { self.form = form }
      try form.answer(answer)
    } catch {
      throw SetupFlaw(error.text(context.words))
    }
    remarks += form.remarks
    if form.question == nil { finishForm(form) }
  }

  /// Takes what a complete form describes into the plan.
  private mutating func finishForm(_ form: WizardQuestions) {
    self.form = nil
    let words = context.words
    switch step {
    case .details(let place):
      if let person = try? PersonDraft(form.fields, of: plan.patients[place])
        .person(taken: [], words: words).get()
      {
        plan.patients[place] = person
        if let language = person.language,
          let doubt = PageLanguage.doubt(language, known: context.languages.map(\.code))
        {
          remarks.append(doubt.prefix(1).uppercased() + doubt.dropFirst() + ".")
        }
      }
      step = .person
    case .ready(let place):
      let draft = ReadyTasksDraft(form.fields, in: zone(place), now: context.now)
      let tasks = try? TaskFormPage.tasks(
        of: draft, patient: plan.patients[place].id, taken: taken(place), words: words
      ).get()
      for task in tasks ?? [] { add(task, place) }
      guard wantsOther else { return step = .tasks(place) }
      beginOther(place)
    case .form(let place, let id):
      let index = id.flatMap { id in
        plan.tasks.firstIndex { $0.id == id && $0.patient == plan.patients[place].id }
      }
      let old = index.map { plan.tasks[$0] }
      let draft = TaskDraft(form.fields, of: old, in: zone(place), now: context.now)
      let made = try? TaskFormPage.task(
        of: draft, patient: plan.patients[place].id, taken: taken(place), words: words
      ).get()
      if var made {
        if let index {
          // The new version holds from the moment of the import.
          if made != old { made.effectiveDate = nil }
          plan.tasks[index] = made
          if made != old { remarks.append(text("changed", ["task": "\(made.title) [\(made.id)]"])) }
        } else {
          add(made, place)
        }
      }
      step = .tasks(place)
    default: break
    }
  }

  // MARK: People

  private mutating func takePerson(_ answer: String, isStandard: Bool) throws(SetupFlaw) {
    guard !(isStandard && answer == word(.goOn)) else {
      step = context.isRecorded ? .listening : .listen
      return
    }
    if let place = place(of: answer) { return beginDetails(place) }
    guard answer.count <= 80, answer.contains(where: \.isLetter) else {
      throw SetupFlaw(text("noName"))
    }
    guard Word(answer, in: context.words) == nil else {
      throw SetupFlaw(text("reservedName", ["name": answer]))
    }
    let words = answer.split(separator: " ", maxSplits: 1).map(String.init)
    let name = PersonName(given: words.first, family: words.count > 1 ? words[1] : nil)
    let id = TaskDraft.id(
      from: name.given ?? answer, taken: Set(plan.patients.map(\.id)), else: "person")
    plan.patients.append(Patient(id: id, name: name, others: plan.patients.first?.others ?? []))
    beginDetails(plan.patients.count - 1)
  }

  private mutating func beginDetails(_ place: Int) {
    begin(
      .person(
        PersonDraft(nil, of: plan.patients[place]), viewer: viewer(place),
        languages: context.languages),
      .details(place))
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

  mutating func expect(_ weight: Double, of place: Int) {
    let key = Quantity.bodyMass.rawValue
    plan.patients[place].expects[key] = Expectation(
      value: weight, tolerance: plan.patients[place].expects[key]?.tolerance)
  }

  // MARK: Tasks

  /// The answer for a task that is described by hand.
  private static let other = "other"

  mutating func beginTasks(of place: Int) {
    guard place < plan.patients.count else {
      guard context.page != nil else { return review() }
      return step = .page
    }
    step = .tasks(place)
    let own = plan.tasks.filter { $0.patient == plan.patients[place].id }
    if !own.isEmpty {
      remarks.append(
        text(
          "ownTasks",
          [
            "name": plan.patients[place].displayName,
            "tasks": context.words.list(own.map { "\($0.title) [\($0.id)]" }),
          ]))
    }
  }

  private mutating func takeTasks(_ answer: String, _ place: Int) throws(SetupFlaw) {
    guard Word(answer, in: context.words) != .goOn else { return beginTasks(of: place + 1) }
    if let task = ownTask(answer, place) {
      var draft = TaskDraft(nil, of: task, in: zone(place))
      draft.begin(reviewing: task)
      return begin(.task(draft, viewer: viewer(place)), .form(place, task: task.id))
    }
    var (ready, wantsOther): ([ReadyTask], Bool) = ([], false)
    for word in answer.lowercased().split(whereSeparator: { " ,;".contains($0) }) {
      switch try choice(String(word)) {
      case let task?: ready.append(task)
      case nil: wantsOther = true
      }
    }
    self.wantsOther = wantsOther
    guard !ready.isEmpty else { return beginOther(place) }
    var draft = ReadyTasksDraft(in: zone(place), now: context.now)
    draft.choose(ready, glucose: glucose(place))
    begin(.ready(draft, viewer: viewer(place)), .ready(place))
  }

  /// The quantity of the glucose meter that was received, else the one of the person's country.
  private func glucose(_ place: Int) -> Quantity {
    let readings = devices.flatMap(\.readings).map(\.quantity)
    if readings.contains(.bloodGlucoseMass) { return .bloodGlucoseMass }
    guard plan.patients[place].units == .us, !readings.contains(.bloodGlucose) else {
      return .bloodGlucose
    }
    return .bloodGlucoseMass
  }

  private mutating func beginOther(_ place: Int) {
    wantsOther = false
    begin(
      .task(TaskDraft(nil, of: nil, in: zone(place), now: context.now), viewer: viewer(place)),
      .form(place, task: nil))
  }

  /// The task of a person with an id or a title.
  private func ownTask(_ answer: String, _ place: Int) -> PlannedTask? {
    let own = plan.tasks.filter { $0.patient == plan.patients[place].id }
    let titled = own.filter { $0.title.lowercased() == answer.lowercased() }
    return own.first { $0.id == answer } ?? (titled.count == 1 ? titled.first : nil)
  }

  /// The ready-made task that a word names: the name, its number in the list, or their first letters;
  /// `nil` for a task that is described by hand.
  private func choice(_ word: String) throws(SetupFlaw) -> ReadyTask? {
    let names = ReadyTask.allCases.map(\.rawValue) + [Self.other]
    let found =
      Int(word).flatMap { (1...names.count).contains($0) ? names[$0 - 1] : nil }
      ?? names.first { $0.lowercased() == word }
      ?? {
        let begun = names.filter { $0.lowercased().hasPrefix(word) }
        return begun.count == 1 ? begun.first : nil
      }()
    guard let found else {
      throw SetupFlaw(text("noTask", ["word": word, "names": names.joined(separator: ", ")]))
    }
    return ReadyTask(rawValue: found)
  }

  private func taken(_ place: Int) -> Set<String> {
    Set(plan.tasks.filter { $0.patient == plan.patients[place].id }.map(\.id))
  }

  /// Puts a new task into the plan, unless it is there.
  private mutating func add(_ task: PlannedTask, _ place: Int) {
    addedTasks.insert(place)
    let isMeasured = !task.linkages.isEmpty || task.activeTask != nil || !task.survey.isEmpty
    let same = plan.tasks.first {
      $0.patient == task.patient && isMeasured && $0.linkages == task.linkages
        && $0.activeTask == task.activeTask && $0.survey == task.survey
    }
    if let same {
      remarks.append(text("there", ["task": "\(same.title) [\(same.id)]", "id": same.id]))
    } else {
      plan.tasks.append(task)
      remarks.append(text("added", ["task": "\(task.title) [\(task.id)]"]))
    }
  }

  // MARK: Review

  private mutating func review() {
    remarks += ["", text("plan")] + Self.summary(of: plan, context)
    remarks += context.doubts(plan).map { text("notMeant", ["doubt": $0]) }
    if let page { remarks.append(text("pageIs", ["page": page.rawValue])) }
    step = .save
  }

  /// The people with their tasks, and the devices by their names.
  static func summary(of plan: PlanDocument, _ context: Context) -> [String] {
    let words = context.words
    let viewer = Viewer(
      language: words, patient: nil, now: context.now, timeZone: plan.timeZone)
    let names = Dictionary(
      plan.patients.map { ($0.id, $0.displayName) }, uniquingKeysWith: { first, _ in first })
    let people = plan.patients.flatMap { patient in
      let weight = patient.expects[Quantity.bodyMass.rawValue].map {
        words.text(
          "setupTalk.about", ["weight": Quantity.bodyMass.text($0.value, for: patient.units)])
      }
      return ["  \(patient.displayName) [\(patient.id)]\(weight ?? "")"]
        + plan.tasks.filter { $0.patient == patient.id }.map {
          "    \($0.title): \(words.lines(of: $0.schedule, viewer).joined(separator: "; ")) [\($0.id)]"
        }
    }
    return people
      + plan.devices.map { device in
        let name = device.definition.map { context.deviceNames[$0] ?? $0 }
        return "  \(name ?? words.text("setupTalk.device")) (\(device.address)): "
          + (device.patient.map { names[$0] ?? $0 } ?? words.text("setupTalk.everybody"))
      } + ["  " + words.text("setupTalk.timesIn", ["zone": plan.timeZone.identifier])]
  }
}

extension Placement {
  /// The place as it is typed: `left-shank`.
  fileprivate var text: String? {
    let words = [side?.rawValue, segment?.rawValue ?? joint?.rawValue].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: "-")
  }
}
