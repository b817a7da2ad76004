import Care
import Localization

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
    switch eventState {
    case .done:
      css = "on"
      state =
        result.value?.plain ?? result.time.map {
          words.text("event.resultAt", ["result": words.name(of: .done), "time": $0])
        }
        ?? words.name(of: .done)
    case .notDone: (css, state) = ("gone", words.name(of: .notDone))
    case .skipped: (css, state) = ("gone", words.name(of: .skipped))
    case .performed:
      (css, state) = ("on", result.value?.plain ?? words.name(of: .performed))
    case .missed: (css, state) = ("gone", words.name(of: .missed))
    case .notNeeded: (css, state) = ("gone", words.name(of: .notNeeded))
    case .later: (css, state) = ("later", words.name(of: .later))
    case .open:
      (css, state) = ("", words.text(start <= now ? "today.due" : "today.later"))
    case .readOnly: (css, state) = ("", "")
    }
    let isPressed = check?.address != nil
    address = isPressed ? check?.address : nil
    href = isPressed || eventState == .later ? nil : setting.link(event)
    name = check?.name ?? words.text("check.show", ["title": setting.name(event)])
  }
}
