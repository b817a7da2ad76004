import Care
import Foundation
import Localization

/// The rows of what rules and alerts of the plan did.
struct FiringText {
  private let viewer: Viewer
  /// Whether a row says whose it is.
  private let namesPeople: Bool
  private let firings: FiringWords

  /// Reads the tasks and people that firings name.
  init(_ reader: any StoreReader, people: [Patient], viewer: Viewer) throws {
    self.viewer = viewer
    namesPeople = viewer.patient == nil && people.count > 1
    firings = try FiringWords(reader, in: viewer.language, now: viewer.now, zone: viewer.timeZone)
  }

  /// The row of a firing among the messages; `isStanding` says whether the value of an alert is
  /// still its event's.
  func row(_ stored: StoredFiring, back: String?, isStanding: Bool) -> MessageRow {
    let firing = stored.firing
    let words = viewer.language
    let title = firings.title(of: firing)
    // An alert is of the time of its value, whenever it was found.
    let date = firing.kind == .alert ? firing.due : firing.date
    let isToday = date.day(in: viewer.timeZone) == viewer.now.day(in: viewer.timeZone)
    var source = words.text(
      firing.kind == .alert ? "firing.alertOf" : "firing.ruleOf",
      ["title": title, "time": words.when(date, isToday: isToday, viewer)])
    if let name = firings.contact(of: firing) {
      source = words.text("firing.to", ["name": name, "source": source])
    }
    var undo: MessageRow.Undo?
    if let back, firing.kind == .rule, !firing.isUndone {
      undo = MessageRow.Undo(
        address: LocalAddress("firings", stored.id.uuidString, "undo").description, back: back,
        name: words.text("firing.undo", ["title": title]))
    }
    let person =
      namesPeople ? [words.text("firing.ofPerson", ["name": firings.person(of: firing)])] : []
    return MessageRow(
      text: words.sentences(person + [firings.text(of: firing, isStanding: isStanding)]),
      source: source, isOwn: false, date: firing.date, undo: undo)
  }
}
