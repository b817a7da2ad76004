import Assessments
import Care
import Foundation
import Localization

/// The card of one task on one day, with all its events of that day.
struct TaskCard {
  let id: String
  let glyph: String
  let tint: String
  let title: String
  let link: String
  let subtitle: String?
  /// The change, for a person who cannot see it.
  let announcement: String?
  let isWide: Bool
  let check: Check?
  let picture: String?
  let film: Film?
  let body: String?
  /// Further text to read, as elements.
  let details: String?
  let result: Result?
  let progress: Progress?
  let figures: Figures?
  let slots: Slots?
  let lines: Lines?
  let action: Action?
  let links: Links?

  // Each list stands in a value of its own, so that a template can ask whether there is one.
  struct Figures { let figureList: [EventResult.Figure] }
  struct Slots {
    let slotsLabel: String
    let slotList: [Slot]
  }
  struct Lines { let lineList: [Slot] }
  struct Links { let linkList: [TaskLink] }

  struct Result {
    let value: ValueText
    let note: String?
    let says: String?
    let provenance: String?
    /// The course of the last days, drawn.
    let chart: String?
  }

  struct Progress {
    let fraction: String
    let label: String
  }

  /// The lower part of the card: a hint and one button or link.
  struct Action {
    let hint: String?
    let form: Form?
    let target: Target?
  }

  struct Form {
    let address: String
    let back: String
    let label: String
    /// The label for a person who cannot see the card: no two buttons of a page have one.
    let name: String
    let css: String
  }

  struct Target {
    let href: String
    let caption: String
    let style: String
  }
}

/// A link of a task to a page, mail or telephone.
struct TaskLink {
  let href: String
  let caption: String

  /// The links of a task, its video first: an address, or `film`, the page that shows an own one.
  static func all(of task: PlannedTask, film: String? = nil, _ words: Language) -> [TaskLink] {
    let video = task.video.flatMap { address in
      (PlannedTask.isVideo(address) ? address : task.ownVideo == nil ? nil : film)
        .map { TaskLink(href: $0, caption: words.text("today.video")) }
    }
    return [video].compactMap(\.self)
      + task.links.map { TaskLink(href: $0.address, caption: $0.name) }
  }
}

/// A task's own video, to play in its place.
struct Film {
  let source: String
  let type: String
  /// Its description, for a person who cannot see it and a browser that cannot play it.
  let label: String

  /// The video of a task that the store has; `nil` if it has none.
  init?(of task: PlannedTask, _ words: Language) {
    guard let video = task.ownVideo else { return nil }
    source = LocalAddress("api", "v1", "attachments", video.sha256).description
    type = video.type.rawValue
    label = words.text("today.film", ["title": task.title])
  }
}

// MARK: - Making a card

/// The values that the cards of one page share.
struct CardSetting {
  let viewer: Viewer
  /// Where forms come back to.
  let back: String
  /// The people, by id.
  let people: [String: Patient]
  /// Events of the last fortnight, by task.
  let recent: [TaskReference: [Event]]
  /// The first moment of the day that is shown.
  let day: Date
  /// The names of the page's events, each unlike the others, by the events' ids.
  private let names: [String: String]

  init(
    viewer: Viewer, back: String, people: [String: Patient], recent: [TaskReference: [Event]] = [:],
    day: Date, events: [Event]
  ) {
    self.viewer = viewer
    self.back = back
    self.people = people
    self.recent = recent
    self.day = day
    names = Self.names(of: events, viewer: viewer, people: people)
  }

  /// The name of an event on this page, unlike any other.
  func name(_ event: Event) -> String { names[event.id] ?? event.task.title }

  /// The titles of events; of equal ones with the person, the time, the day and a number, as far as
  /// that tells them apart.
  private static func names(
    of events: [Event], viewer: Viewer, people: [String: Patient]
  ) -> [String: String] {
    let words = viewer.language
    var names = events.map(\.task.title)
    let details: [(Event) -> String?] = [
      { event in people[event.task.patient].map(words.fullName(of:)) },
      { event in
        event.occurrence.isAllDay
          ? words.text("today.allDay") : words.time(event.occurrence.start, in: viewer.timeZone)
      },
      { words.dayMonthYear($0.occurrence.start, in: viewer.timeZone) },
    ]
    func repeated() -> Set<String> {
      Set(Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys)
    }
    for detail in details {
      let several = repeated()
      for (place, event) in events.enumerated() where several.contains(names[place]) {
        if let text = detail(event) { names[place] += words.text("list.comma") + text }
      }
    }
    let several = repeated()
    for place in names.indices where several.contains(names[place]) {
      names[place] += " (\(place + 1))"
    }
    return Dictionary(zip(events.map(\.id), names), uniquingKeysWith: { first, _ in first })
  }

  func units(of event: Event) -> PreferredUnits? { people[event.task.patient]?.units }

  /// Whose event it is, where those of several people are shown together.
  func name(of event: Event) -> String? {
    guard viewer.patient == nil, people.count > 1 else { return nil }
    return people[event.task.patient].map(viewer.language.fullName(of:)) ?? event.task.patient
  }

  /// When an event starts, with the date if that is before the day that is shown.
  func time(of event: Event) -> String {
    let start = event.occurrence.start
    let words = viewer.language
    return start < day
      ? words.time(start, relativeTo: day, in: viewer.timeZone)
      : words.time(start, in: viewer.timeZone)
  }

  /// The page of an event.
  func link(_ event: Event) -> String {
    LocalAddress("events", event.id, items: [("patient", viewer.patient)]).description
  }

  /// The page on which an event's assessment is measured.
  func measureLink(_ event: Event) -> String {
    LocalAddress("events", event.id, "measure", items: [("patient", viewer.patient)]).description
  }

  func address(_ event: Event, _ verb: String) -> String {
    LocalAddress("events", event.id, verb).description
  }
}

extension TaskCard {
  /// Makes the card of one task's events of a day; there is at least one.
  init?(
    _ events: [Event], look: TaskLook, _ reader: any StoreReader, setting: CardSetting
  ) throws {
    guard let first = events.first else { return nil }
    let words = setting.viewer.language
    let task = first.task.planned
    let results = try events.map {
      try EventResult($0, reader, viewer: setting.viewer, units: setting.units(of: $0))
    }
    let result = results[0]
    let state = first.state(at: setting.viewer.now)
    let kind = look.card
    let isSingle = events.count == 1 && kind != .checklist && kind != .grid

    id = "task-" + TaskCard.key(first)
    (glyph, tint, title) = (look.glyph, look.tint, task.title)
    link = setting.link(first)
    isWide = kind == .detail && (task.instructions?.count ?? 0) > 240
    picture = kind == .featuredContent || kind == .detail ? task.picture : nil
    let isToRead = [.instructions, .detail, .featuredContent].contains(kind)
    film = isToRead ? Film(of: task, words) : nil
    let linkList = TaskLink.all(of: task, film: isToRead ? nil : link, words)
    links = linkList.isEmpty ? nil : Links(linkList: linkList)
    subtitle = Self.subtitle(first, state: state, isSingle: isSingle, setting: setting)
    body = [.instructions, .detail].contains(kind) ? task.instructions : nil
    details = kind == .detail ? task.details.map { Markdown($0).html } : nil
    check =
      isSingle && kind != .buttonLog
      ? Check(first, result: result, state: state, setting: setting) : nil

    let chart = Self.chart(first, setting: setting)
    self.result =
      isSingle
      ? result.value.map { value in
        let isCompared = kind == .numericProgress || task.activeTask != nil
        let target =
          isCompared
          ? first.targetText(words, for: setting.units(of: first), .ofValue, isGrouped: true) : nil
        let note = target ?? result.note
        return Result(
          value: value, note: note, says: result.says, provenance: result.provenance, chart: chart)
      } : nil
    progress = isSingle && kind == .numericProgress ? Progress(first, words: words) : nil
    let figureList = isSingle && !task.survey.isEmpty ? result.figures : []
    figures = figureList.isEmpty ? nil : Figures(figureList: figureList)

    let rows =
      isSingle
      ? []
      : zip(events, results).map {
        Slot($0, result: $1, isLine: kind == .checklist, setting: setting)
      }
    slots =
      rows.isEmpty || kind == .checklist
      ? nil : Slots(slotsLabel: words.text("today.times", ["title": task.title]), slotList: rows)
    lines = rows.isEmpty || kind != .checklist ? nil : Lines(lineList: rows)
    action =
      isSingle
      ? Action(first, kind: kind, state: state, result: result, setting: setting) : nil
    announcement = Self.announcement(task.title, results, state: state, words: words)
  }

  /// A key that is unique on the page and fit for an `id`.
  static func key(_ event: Event) -> String {
    let text = event.task.patient + "/" + event.task.id
    return String(
      text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }, radix: 36)
  }

  private static func subtitle(
    _ event: Event, state: EventState, isSingle: Bool, setting: CardSetting
  ) -> String? {
    let words = setting.viewer.language
    var parts: [String] = []
    if let name = setting.name(of: event) { parts.append(name) }
    if isSingle, !event.occurrence.isAllDay {
      let time = setting.time(of: event)
      let isLate = state == .missed
      parts.append(
        isLate
          ? words.text("event.timeAndState", ["time": time, "state": words.name(of: .missed)])
          : time)
    } else if isSingle, state == .missed {
      parts.append(words.name(of: .missed))
    }
    // Of several events each has its own words, which stand beside its time.
    if let text = (isSingle ? event.occurrence.element.text : nil) ?? event.task.text {
      parts.append(text)
    }
    if parts.count < 2, event.task.style != .instructions, event.task.kind != .readOnly,
      let line = event.task.instructions?.split(whereSeparator: \.isNewline).first,
      line.count <= 80
    {
      parts.append(String(line))
    }
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }

  private static func announcement(
    _ title: String, _ results: [EventResult], state: EventState, words: Language
  ) -> String? {
    let said = results.compactMap { result in
      let parts = [result.value?.plain, result.says, result.provenance].compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
    guard !said.isEmpty else { return words.text("today.sayOpen", ["title": title]) }
    return words.text(
      "today.say", ["title": title, "result": said.joined(separator: "; ")])
  }

  /// The course of a discrete quantity in the last fortnight; `nil` below three days.
  private static func chart(_ event: Event, setting: CardSetting) -> String? {
    guard event.task.linkages.count == 1, event.task.linkage?.type == .discrete else { return nil }
    let reference = TaskReference(patient: event.task.patient, task: event.task.id)
    let days = (setting.recent[reference] ?? []).compactMap {
      earlier -> (x: Double, y: Double, text: String)? in
      guard earlier.occurrence.start <= event.occurrence.start,
        let last = earlier.outcome?.values.last(where: { $0.value.number != nil }),
        let number = last.value.number
      else { return nil }
      let mean = earlier.outcome?.values.first { $0.kind == "mean" }?.value.number
      return (
        earlier.occurrence.start.timeIntervalSince1970, mean ?? number,
        earlier.numberText(last, for: setting.units(of: earlier)) ?? ""
      )
    }
    guard days.count >= 3, let first = days.first, let last = days.last else { return nil }
    return Sparkline(
      points: days.map { ($0.x, $0.y) },
      summary: setting.viewer.language.text(
        "today.trend",
        [
          "first": setting.viewer.language.figure(first.text),
          "last": setting.viewer.language.figure(last.text),
        ])
    ).html
  }
}

extension TaskCard.Progress {
  init?(_ event: Event, words: Language) {
    let progress = event.progress
    guard progress.goal != nil else { return nil }
    fraction = String(progress.fraction.wholePercent)
    label = words.text("today.progress", ["title": event.task.title, "percent": fraction])
  }
}

// MARK: - The button below

extension TaskCard.Action {
  /// The one strong action of a card with one event; `nil` for a card that needs none.
  init?(
    _ event: Event, kind: CardKind, state: EventState, result: EventResult, setting: CardSetting
  ) {
    let words = setting.viewer.language
    let units = setting.units(of: event)
    let mayAnswer = setting.viewer.may(.answer)
    // A reader of the event's page finds no form there.
    let target = { (key: String, style: String) in
      let isOffer = ["today.answer", "today.measure", "today.enter"].contains(key)
      return TaskCard.Target(
        href: setting.link(event),
        caption: words.text(mayAnswer || !isOffer ? key : "today.open"),
        style: mayAnswer || !isOffer ? style : "quiet")
    }
    switch state {
    case .later:
      self.init(hint: words.name(of: .later), form: nil, target: nil)
      return
    case .notDone, .skipped:
      self.init(
        hint: words.declined(event), form: nil, target: target("today.open", "quiet"))
      return
    case .readOnly:
      guard event.task.instructions != nil, kind != .detail else { return nil }
      self.init(hint: nil, form: nil, target: target("today.read", ""))
      return
    case .done, .performed, .open, .missed, .notNeeded: break
    }
    switch kind {
    case .buttonLog:
      let values = event.outcome?.values ?? []
      let times = values.suffix(6).map { words.time($0.time, in: setting.viewer.timeZone) }
      let hint =
        times.isEmpty
        ? words.text("today.logEmpty")
        : words.text(
          "today.log", count: values.count,
          ["times": times.joined(separator: words.text("list.comma"))])
      let form = TaskCard.Form(
        address: setting.address(event, "add"), back: setting.back,
        label: words.text("today.add"),
        name: words.text("today.addTo", ["title": setting.name(event)]),
        css: values.isEmpty ? "main" : "")
      // Of a sum one entry more says nothing.
      let isAmount = event.task.planned.needsAmount
      self.init(
        hint: hint, form: mayAnswer && !isAmount ? form : nil,
        target: isAmount ? target("today.enter", values.isEmpty ? "main" : "") : nil)
    case .survey where state != .done:
      let hint = words.text("today.questions", count: event.task.survey.count)
      self.init(hint: hint, form: nil, target: target("today.answer", "main"))
    case .labeledValue where state != .done,
      .simple where !event.task.linkages.isEmpty && state != .done:
      let isActive = event.task.activeTask != nil
      let measures = event.task.planned.isMeasurable && setting.viewer.canMeasure && mayAnswer
      let hint =
        isActive
        ? Self.lastTime(event, units: units, setting: setting)
        : words.text(event.task.linkages.isEmpty ? "today.enterHint" : "today.byItself")
      self.init(
        hint: hint, form: nil,
        target: measures
          ? TaskCard.Target(
            href: setting.measureLink(event), caption: words.text("today.measureNow"),
            style: "main")
          : target(isActive ? "today.measure" : "today.enter", isActive ? "main" : ""))
    case .numericProgress where state != .done:
      guard let goal = event.progress.goal, goal > event.progress.value, !event.isAtMost else {
        return nil
      }
      let left = words.figure(
        event.amountText(goal - event.progress.value, for: units).groupingDigits)
      self.init(
        hint: words.text("today.toGo", ["amount": left]), form: nil,
        target: result.value == nil && mayAnswer ? target("today.enter", "") : nil)
    case .featuredContent:
      self.init(hint: nil, form: nil, target: target("today.read", ""))
    default:
      // A result without a value says when it was given.
      guard state == .done, result.value == nil, let provenance = result.provenance else {
        return nil
      }
      self.init(hint: provenance, form: nil, target: nil)
    }
  }

  /// The target, and the result of the last time.
  private static func lastTime(
    _ event: Event, units: PreferredUnits?, setting: CardSetting
  ) -> String? {
    let words = setting.viewer.language
    let reference = TaskReference(patient: event.task.patient, task: event.task.id)
    let last = setting.recent[reference]?.last {
      $0.occurrence.start < event.occurrence.start && $0.outcome?.values.first != nil
    }
    let parts = [
      event.targetText(words, for: units, isGrouped: true),
      last.flatMap { last in
        last.outcome?.values.first.flatMap { last.numberText($0, for: units) }
      }.map { words.text("today.lastTime", ["value": words.figure($0)]) },
    ].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }
}

// MARK: - Check

/// A round check: a button, or a mark.
struct Check {
  let css: String
  let symbol: String
  let name: String
  /// Where a press is posted; `nil` for a mark.
  let address: String?
  let back: String
}

extension Check {
  /// The mark of an event, or the button that completes it or takes it back; `nil` for an event
  /// that a press cannot complete.
  init?(_ event: Event, result: EventResult, state: EventState, setting: CardSetting) {
    let words = setting.viewer.language
    let title = setting.name(event)
    back = setting.back
    let isByHand = event.task.linkages.isEmpty && event.task.activeTask == nil
    let isOneTap =
      isByHand && event.task.survey.isEmpty && event.task.kind != .assessment
      && setting.viewer.may(.answer)
    switch state {
    case .readOnly, .later: return nil
    case .notDone, .skipped:
      (css, symbol) = ("not", "cross")
      name = words.text(
        state == .notDone ? "check.notDone" : "check.skipped", ["title": title])
      address = nil
    case .done where result.giver == .sensor:
      (css, symbol) = ("auto", "check")
      name = words.text("check.sensor", ["title": title])
      address = nil
    case .done where event.outcome != nil:
      (css, symbol) = ("on", "check")
      name = words.text(isOneTap ? "check.undo" : "check.person", ["title": title])
      address = isOneTap ? setting.address(event, "undo") : nil
    case .done:
      // A goal of 0 is reached by nothing.
      (css, symbol) = ("auto", "check")
      name = words.text("check.sensor", ["title": title])
      address = nil
    case .open, .missed, .performed, .notNeeded:
      guard isOneTap, !event.task.planned.needsAmount else { return nil }
      (css, symbol) = ("", "check")
      name = words.text("check.open", ["title": title])
      address = setting.address(event, "done")
    }
  }
}

/// One event of several on a card.
struct Slot {
  let time: String
  let state: String
  let css: String
  /// Where a press is posted; `nil` for a link or text.
  let address: String?
  let back: String
  let href: String?
  let name: String
  let check: Check?
}

extension Slot {
  init(_ event: Event, result: EventResult, isLine: Bool, setting: CardSetting) {
    let words = setting.viewer.language
    let now = setting.viewer.now
    let start = event.occurrence.start
    let eventState = event.state(at: now)
    time =
      event.occurrence.isAllDay
      ? words.text("today.allDay") : setting.time(of: event)
    back = setting.back
    let check = Check(event, result: result, state: eventState, setting: setting)
    self.check = isLine ? check : nil
    let stateText: String
    switch eventState {
    case .done:
      css = "on"
      stateText =
        result.value?.plain ?? result.time.map {
          words.text("event.resultAt", ["result": words.name(of: .done), "time": $0])
        }
        ?? words.name(of: .done)
    case .notDone: (css, stateText) = ("gone", words.name(of: .notDone))
    case .skipped: (css, stateText) = ("gone", words.name(of: .skipped))
    case .performed:
      (css, stateText) = ("on", result.value?.plain ?? words.name(of: .performed))
    case .missed: (css, stateText) = ("gone", words.name(of: .missed))
    case .notNeeded: (css, stateText) = ("gone", words.name(of: .notNeeded))
    case .later: (css, stateText) = ("later", words.name(of: .later))
    case .open:
      (css, stateText) = ("", words.text(start <= now ? "today.due" : "today.later"))
    case .readOnly: (css, stateText) = ("", "")
    }
    state = [event.occurrence.element.text, stateText].compactMap(\.self)
      .filter { !$0.isEmpty }.joined(separator: " · ")
    let isPressed = check?.address != nil
    address = isPressed ? check?.address : nil
    href = isPressed || eventState == .later ? nil : setting.link(event)
    name = check?.name ?? words.text("check.show", ["title": setting.name(event)])
  }
}
