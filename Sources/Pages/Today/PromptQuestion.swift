import Agenda
import Care
import Foundation
import Localization

/// The prompts of one task: one of them is asked, the others are counted.
struct TaskPrompts {
  /// All of them, by due date.
  let prompts: [Prompt]
  /// The latest fallback; without one, the reminder of the next event.
  let shown: Prompt

  /// The prompts by task, in the order of those that are shown.
  static func all(of prompts: [Prompt]) -> [TaskPrompts] {
    let tasks = Dictionary(grouping: prompts) { prompt in
      TaskReference(patient: prompt.event.task.patient, task: prompt.event.task.id)
    }
    return tasks.values.compactMap(TaskPrompts.init).sorted { a, b in
      (a.shown.due, a.shown.event.task.id, a.shown.event.task.patient)
        < (b.shown.due, b.shown.event.task.id, b.shown.event.task.patient)
    }
  }

  private init?(_ prompts: [Prompt]) {
    let byStart = prompts.sorted { $0.event.occurrence.start < $1.event.occurrence.start }
    guard let shown = byStart.last(where: { $0.kind == .fallback }) ?? byStart.first else {
      return nil
    }
    self.prompts = prompts
    self.shown = shown
  }

  /// How often nothing has arrived, in days or in times of one day; `nil` for once.
  fileprivate func others(_ viewer: Viewer) -> String? {
    let missed = prompts.filter { $0.kind == .fallback }.map(\.event.occurrence.start)
    guard missed.count > 1 else { return nil }
    let days = Set(missed.map { $0.day(in: viewer.timeZone) }).count
    return days > 1
      ? viewer.language.text("tray.missedDays", ["count": String(days)])
      : viewer.language.text("tray.missedTimes", ["count": String(missed.count)])
  }
}

extension Tray {
  /// The reminders and fallbacks of a day that are of use now, those of tomorrow's early events
  /// included; by task.
  static func prompts(
    _ reader: any StoreReader, day: CareDay, viewer: Viewer
  ) throws -> [TaskPrompts] {
    var events = day.events
    let lead =
      try reader.histories(patient: viewer.patient)
      .flatMap(\.versions).compactMap { $0.reminder.map { -$0.offset } }.max() ?? 0
    if lead > 0 {
      events += try reader.events(
        EventQuery(
          patient: viewer.patient, from: day.end, to: viewer.now + lead + 1, now: viewer.now,
          omitsCrowded: true)
      ).filter { $0.occurrence.start >= day.end }
    }
    let putOff = try Agenda.putOff(events, in: reader, now: viewer.now)
    return TaskPrompts.all(of: Agenda.prompts(in: events, putOff: putOff, now: viewer.now))
  }

  /// A task's reminder or fallback with the way to its form.
  static func question(_ prompts: TaskPrompts, setting: CardSetting) -> Question {
    let words = setting.viewer.language
    let prompt = prompts.shown
    let event = prompt.event
    let task = event.task.planned
    // Where several people's are shown, nobody answers another one's.
    let title =
      setting.name(of: event).map {
        words.text("tray.missedOf", ["name": $0, "event": task.title])
      } ?? task.title
    let caption =
      !task.survey.isEmpty
      ? "today.answer" : !task.linkages.isEmpty ? "today.enter" : "today.open"
    return Question(
      id: "prompt-" + TaskCard.key(event) + "-\(event.occurrence.index)",
      glyph: TaskLook.glyph(task), title: title,
      reason: [reason(prompt, setting: setting), prompts.others(setting.viewer)]
        .compactMap(\.self).joined(separator: " "),
      choices: nil,
      target: TaskCard.Target(
        href: setting.link(event), caption: words.text(caption),
        style: prompt.kind == .fallback ? "main" : ""),
      later: later(event, setting: setting))
  }

  /// The times to which the prompt can be put off; `nil` if it is over before the first.
  private static func later(_ event: Event, setting: CardSetting) -> Later? {
    let words = setting.viewer.language
    let times = Reminder.putOffs.filter {
      setting.viewer.now + Double($0) * 60 < event.promptsUntil
    }.map { minutes in
      let time =
        minutes % 60 == 0
        ? words.text("snooze.inHours", count: minutes / 60)
        : words.text("snooze.in", ["minutes": String(minutes)])
      return LaterTime(
        minutes: String(minutes), title: time,
        label: words.text("snooze.label", ["title": setting.name(event), "time": time]))
    }
    return times.isEmpty
      ? nil : Later(address: setting.address(event, "snooze"), back: setting.back, times: times)
  }

  private static func reason(_ prompt: Prompt, setting: CardSetting) -> String {
    let viewer = setting.viewer
    let words = viewer.language
    let event = prompt.event
    func time(_ date: Date) -> String {
      words.time(date, relativeTo: viewer.now, in: viewer.timeZone)
    }
    guard prompt.kind == .fallback else {
      if event.occurrence.isAllDay {
        let day = words.day(event.occurrence.start, relativeTo: viewer.now, in: viewer.timeZone)
        return words.text("tray.reminderDay", ["day": day])
      }
      return words.text("tray.reminder", ["time": time(event.occurrence.start)])
    }
    return words.fallback(of: event.task.planned, by: time(prompt.due))
  }
}
