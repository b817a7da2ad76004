import Care
import Foundation
import Localization

/// A form that asks one question a screen, and shows all answers before it saves them.
protocol Wizard {
  /// The fields as a person filled them.
  var fields: FormFields { get }
  /// The names of the screens in order; the last one saves, mostly the review.
  var screens: [String] { get }
  /// Whether no answer can change how many screens there are.
  var isCountKnown: Bool { get }
  /// The screens that follow a screen whenever its answer changes.
  func follower(of screen: String) -> String?
  /// Whether a screen comes again instead of the next one.
  func isRepeated(_ screen: String) -> Bool
  /// The inputs of a screen.
  func inputs(of screen: String, flaw: DraftFlaw?) -> [EventForm.Field]
  /// Throws what is wrong with a screen's answers.
  func check(_ screen: String) throws(DraftFlaw)
  /// The screen at which a flaw stands.
  func screen(of flaw: DraftFlaw) -> String
  /// The lines that sum up a screen's answers.
  func summary(of screen: String) -> [String]
  /// The heading and hint of a screen.
  func heading(of screen: String) -> (title: String, hint: String?)
}

/// The page of a form that asks one question a screen.
package protocol WizardPage {
  /// Whether the answers are complete and are to be saved.
  var isToSave: Bool { get }
  /// Whether an answer was refused.
  var isRefused: Bool { get }
  /// The page.
  func html(_ site: Site) -> String
}

extension Wizard {
  var isCountKnown: Bool { true }

  func isRepeated(_ screen: String) -> Bool { false }
}

/// The button that a person pressed, and the step that follows.
struct WizardStep {
  /// The screen to show; `nil` to save.
  let screen: String?
  let flaw: DraftFlaw?

  static let review = "review"

  /// Reads `screen` and `go` of the form.
  init(_ wizard: some Wizard) {
    let fields = wizard.fields
    let screens = wizard.screens
    let current = fields["screen"].flatMap { screens.contains($0) ? $0 : nil }
    guard let current, let go = fields["go"] else {
      (screen, flaw) = (current ?? screens.first, nil)
      return
    }
    func flaws(in names: [String]) -> DraftFlaw? {
      for screen in names {
        do throws(DraftFlaw) { try wizard.check(screen) } catch { return error }
      }
      return nil
    }
    let place = screens.firstIndex(of: current) ?? 0
    switch go {
    case "back": (screen, flaw) = (screens[max(0, place - 1)], nil)
    case "preview": (screen, flaw) = (current, flaws(in: [current]))
    case "save":
      let found = flaws(in: screens)
      (screen, flaw) = (found.map(wizard.screen), found)
    case _ where screens.contains(go) && current == Self.review: (screen, flaw) = (go, nil)
    default:
      if let found = flaws(in: [current]) {
        (screen, flaw) = (current, found)
      } else if wizard.isRepeated(current) {
        (screen, flaw) = (current, nil)
      } else if fields["reviewed"] != nil {
        // Whoever changes one answer comes back to all of them, past what depends on it.
        (screen, flaw) = (wizard.follower(of: current) ?? Self.review, nil)
      } else {
        (screen, flaw) = (screens[min(place + 1, screens.count - 1)], nil)
      }
    }
  }
}

/// A screen of a wizard as its template reads it.
struct WizardScreen {
  let action: String
  let screen: String
  let heading: String
  let hint: String?
  let error: String?
  let inputs: [EventForm.Field]
  let hidden: [Hidden]
  let rows: Rows?
  let preview: DayPreview?
  let hasPreview: Bool
  let isLast: Bool
  let isFirst: Bool
  let saveTitle: String
  let step: String
  /// Another form for the same purpose.
  var other: Other?
  /// The video of the task that the form changes.
  var ownVideo: OwnVideo?

  struct OwnVideo {
    let patient: String
    let task: String
    let film: Film?
    /// The address that the task has in its place.
    let address: String?
  }

  struct Other {
    let title: String
    let address: String
  }

  struct Hidden {
    let name: String
    let value: String
  }

  struct Rows { let rowList: [Row] }

  /// The answers of one screen.
  struct Row {
    let title: String
    let lines: [String]
    let screen: String
    let changeLabel: String
  }

  init(
    _ wizard: some Wizard, step: WizardStep, flaw: String? = nil, action: String,
    preview: DayPreview?, saveTitle: String, words: Language
  ) {
    let screens = wizard.screens
    let name = step.screen ?? screens.last ?? WizardStep.review
    let inputs = wizard.inputs(of: name, flaw: step.flaw)
    let isReview = name == WizardStep.review
    isLast = name == screens.last
    self.action = action
    screen = name
    let heading = wizard.heading(of: name)
    self.heading = heading.title
    hint = heading.hint
    error = flaw ?? step.flaw.map { $0.text(words) }
    self.inputs = inputs
    isFirst = name == screens.first
    self.saveTitle = saveTitle
    let shown = Set(inputs.map(\.name)).union(inputs.compactMap { $0.line?.unitName })
      .union(["screen", "go", "token", "reviewed"])
    var answers = wizard.fields
    if let flaw = step.flaw { answers.insist(on: flaw) }
    var hidden = answers.names.filter { !shown.contains($0) }.flatMap { name in
      answers.sent(name).map { Hidden(name: name, value: $0) }
    }
    if isReview || wizard.fields["reviewed"] != nil {
      hidden.append(Hidden(name: "reviewed", value: "1"))
    }
    self.hidden = hidden
    hasPreview = name == "when"
    self.preview = preview
    rows =
      isReview
      ? Rows(
        rowList: screens.dropLast().map { screen in
          let title = wizard.heading(of: screen).title
          return Row(
            title: title, lines: wizard.summary(of: screen), screen: screen,
            changeLabel: words.text("wizard.changeOf", ["title": title]))
        }) : nil
    let place = (screens.firstIndex(of: name) ?? 0) + 1
    self.step = words.text(
      wizard.isCountKnown ? "wizard.step" : "wizard.stepAlone",
      ["place": String(place), "count": String(screens.count)])
  }
}

// MARK: - Seven days

/// When a task is due in the next seven days.
struct DayPreview {
  let days: [Day]

  struct Day {
    let name: String
    let number: String
    let words: String
    let times: [String]
    let isDue: Bool
  }

  /// How many times of one day are listed.
  private static let timeLimit = 4

  init(_ history: TaskHistory, _ viewer: Viewer) {
    let words = viewer.language
    let grid = DayGrid(endingOn: viewer.now + 6 * 86_400, count: 7, in: viewer.timeZone)
    // A task that is due too often to list has no times.
    let events = (try? history.events(from: grid.start, to: grid.end)) ?? []
    days = grid.starts.enumerated().map { place, day in
      let own = events.filter { grid.place(of: $0.occurrence.start) == place }
      let times = own.map { event in
        event.occurrence.isAllDay
          ? words.text("setup.anytime") : words.time(event.occurrence.start, in: viewer.timeZone)
      }
      let shown = Array(times.prefix(Self.timeLimit))
      return Day(
        name: words.weekday(day, in: viewer.timeZone, isShort: true),
        number: String(LocalDateTime(day, in: viewer.timeZone).day),
        words: words.weekdayDayMonth(day, in: viewer.timeZone),
        times: times.count > shown.count
          ? shown + [words.text("setup.moreTimes", ["count": String(times.count - shown.count)])]
          : shown, isDue: !own.isEmpty)
    }
  }

  /// The preview of a schedule that is not stored.
  init(_ schedule: Schedule, _ viewer: Viewer) {
    let task = PlannedTask(id: "preview", patient: "preview", title: "", schedule: schedule)
    let start = schedule.occurrence(at: 0)?.start ?? schedule.startDate
    let version = CareTask(
      uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), planned: task,
      effectiveDate: start, createdDate: viewer.now)
    self.init(TaskHistory([version]), viewer)
  }
}
