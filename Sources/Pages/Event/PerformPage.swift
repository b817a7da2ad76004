import Assessments
package import Care
import Foundation
import Localization

/// A test that a person performs on the page itself: tapping, or a reaction time.
///
/// The page's script records what is pressed and posts it; the server computes the figures.
package struct PerformPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let kind: String
    let eventAddress: String
    let posting: EventPage.Posting
    let instructions: String
    let note: String
    let keys: String
    /// The hands to test, separated by spaces; the script begins with either.
    let hands: String?
    /// The seconds of a trial.
    let seconds: Int?
    /// How many attempts have to succeed.
    let attempts: Int?
    let isTapping: Bool
    /// The texts that the script shows, as JSON.
    let texts: String
    /// Why it cannot be performed now; `nil` if it can.
    let closed: String?
    /// The result that is not saved yet.
    let performed: Performed?
    var script = ""
  }

  /// The result of a test, which a person keeps or repeats.
  private struct Performed {
    let value: ValueText?
    let figures: TaskCard.Figures?
    /// The record of what was pressed, as the form sends it again.
    let text: String
    let again: String
  }

  /// Reads the event of an id; `nil` if there is none, or if its task is none for a screen.
  ///
  /// `performed` is a test that is to be kept or repeated: what was pressed, and its figures.
  ///
  /// - Throws: ``StoreError``.
  package init?(
    _ reader: any StoreReader, viewer: Viewer, event id: String, notice: Notice?,
    performed: (text: String, values: [OutcomeValue])? = nil
  ) throws {
    guard let event = try reader.event(id: id, now: viewer.now),
      let kind = Kind(event.task.planned)
    else { return nil }
    let words = viewer.language
    let own = LocalAddress("events", event.id, "perform", items: [("patient", viewer.patient)])
    let page = LocalAddress("events", event.id, items: [("patient", viewer.patient)])
    let state = event.state(at: viewer.now)
    let isFinal =
      event.task.kind == .assessment && !event.task.isResettable
      && !(event.outcome?.values.isEmpty ?? true)
    let closed =
      state == .later ? words.text("event.later") : isFinal ? words.text("event.final") : nil
    let texts = words.section("performScript")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    content = Content(
      kind: kind.name, eventAddress: page.description,
      posting: EventPage.Posting(
        address: LocalAddress("events", event.id, "perform").description,
        back: page.description),
      instructions: words.text("perform.\(kind.name)"),
      note: words.text("perform.\(kind.name)Note"),
      keys: words.text("perform.\(kind.name)Keys"), hands: kind.hands, seconds: kind.seconds,
      attempts: kind.attempts, isTapping: kind.name == "tapping",
      texts: String(decoding: try encoder.encode(texts), as: UTF8.self),
      closed: closed,
      performed: closed == nil
        ? try performed.map { performed in
          var shown = event
          shown.outcome = Outcome(
            uuid: event.task.uuid, event: event, values: performed.values,
            createdDate: viewer.now)
          let units = try reader.patients().first { $0.id == event.task.patient }?.units
          let result = try EventResult(shown, reader, viewer: viewer, units: units)
          return Performed(
            value: result.value,
            figures: result.figures.isEmpty ? nil : TaskCard.Figures(figureList: result.figures),
            text: performed.text, again: own.description)
        } : nil)
    frame = Frame(
      viewer: viewer, section: .today, title: event.task.title, address: own,
      notice: try NoticeText(notice, reader, viewer: viewer, back: own))
  }

  /// The page.
  package func html(_ site: Site) -> String {
    var content = content
    content.script = site.asset(named: "perform.js")?.address ?? ""
    return site.html("perform", content, frame: frame)
  }

  /// Which test, and its parameters.
  private struct Kind {
    var name: String
    var hands: String?
    var seconds: Int?
    var attempts: Int?

    init?(_ task: PlannedTask) {
      guard let active = task.activeTask else { return nil }
      switch AssessmentList.assessment(for: active) {
      case let tapping as TappingAssessment:
        name = "tapping"
        hands = tapping.handNames.joined(separator: " ")
        seconds = tapping.seconds
      case let reaction as ReactionTimeAssessment:
        name = "reactionTime"
        attempts = reaction.attempts
      default: return nil
      }
    }
  }
}

extension Language {
  /// The texts of a section by the rest of their keys.
  fileprivate func section(_ name: String) -> [String: String] {
    let prefix = name + "."
    return Dictionary(
      texts.compactMap { key, text in
        key.hasPrefix(prefix) ? (String(key.dropFirst(prefix.count)), text) : nil
      }, uniquingKeysWith: { first, _ in first })
  }
}
