import Agenda
import Care
import Foundation

extension Tray {
  /// The reminders and fallbacks of a day that are of use now, those of tomorrow's early events
  /// included.
  static func prompts(_ reader: any StoreReader, day: CareDay, viewer: Viewer) throws -> [Prompt] {
    var events = day.events
    let lead =
      try reader.histories(patient: viewer.patient)
      .flatMap(\.versions).compactMap { $0.reminder.map { -$0.offset } }.max() ?? 0
    if lead > 0 {
      events += try reader.events(
        EventQuery(
          patient: viewer.patient, from: day.end, to: viewer.now + lead + 1, now: viewer.now)
      ).filter { $0.occurrence.start >= day.end }
    }
    return Agenda.prompts(in: events, now: viewer.now)
  }

  /// A reminder or fallback with the way to its form.
  static func question(_ prompt: Prompt, setting: CardSetting) -> Question {
    let words = setting.viewer.language
    let event = prompt.event
    let task = event.task.planned
    let caption =
      !task.survey.isEmpty
      ? "today.answer" : !task.linkages.isEmpty ? "today.enter" : "today.open"
    return Question(
      id: "prompt-" + TaskCard.key(event) + "-\(event.occurrence.index)",
      glyph: TaskLook.glyph(task), title: task.title, reason: reason(prompt, setting: setting),
      choices: nil,
      target: TaskCard.Target(
        href: setting.link(event), caption: words.text(caption),
        style: prompt.kind == .fallback ? "main" : ""))
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
    let key =
      if event.task.linkage?.quantity == .bodyMass {
        "tray.noWeight"
      } else if !event.task.linkages.isEmpty {
        "tray.noReading"
      } else {
        event.task.activeTask == nil ? "tray.noAnswer" : "tray.notMeasured"
      }
    return words.text(key, ["time": time(prompt.due)])
  }
}
