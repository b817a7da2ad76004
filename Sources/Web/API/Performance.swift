import Assessments
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Localization
import Measurement

/// The presses of a person on a screen, as JSON; times in milliseconds of the screen's own clock.
struct PerformanceInput: Decodable {
  struct Trial: Decodable {
    var hand: String
    var taps: [Tap]
  }

  struct Tap: Decodable {
    var at: Double
    /// `left`, `right`, or nothing beside the buttons.
    var button: String?
  }

  struct Attempt: Decodable {
    var shown: Double?
    var pressed: Double?
  }

  var trials: [Trial]?
  var attempts: [Attempt]?

  /// The same with times in microseconds.
  ///
  /// - Throws: ``Fault`` for a time that is none, an unknown hand or button, and too many presses.
  var performance: ScreenPerformance {
    get throws(Fault) {
      let trials = trials ?? []
      let attempts = attempts ?? []
      guard trials.count <= Hand.allCases.count,
        trials.allSatisfy({ $0.taps.count <= ScreenPerformance.mostTaps }),
        attempts.count <= ScreenPerformance.mostAttempts
      else { throw Fault(.malformed, "There are more presses than a person makes.") }
      var performance = ScreenPerformance()
      for trial in trials {
        guard let hand = Hand(rawValue: trial.hand) else {
          throw Fault(.malformed, "‘\(trial.hand)’ is no hand; write left or right.")
        }
        var taps: [TapTrial.Tap] = []
        for tap in trial.taps {
          taps.append(
            TapTrial.Tap(
              time: try Self.microseconds(tap.at), button: try Self.button(tap.button)))
        }
        performance.trials.append(TapTrial(hand: hand, taps: taps))
      }
      for attempt in attempts {
        performance.attempts.append(
          ReactionAttempt(
            shown: try attempt.shown.map { time throws(Fault) in try Self.microseconds(time) },
            pressed: try attempt.pressed.map { time throws(Fault) in
              try Self.microseconds(time)
            }))
      }
      return performance
    }
  }

  private static func button(_ name: String?) throws(Fault) -> TapTrial.Button? {
    guard let name else { return nil }
    guard let button = TapTrial.Button(rawValue: name) else {
      throw Fault(.malformed, "‘\(name)’ is no button; write left, right or nothing.")
    }
    return button
  }

  private static func microseconds(_ milliseconds: Double) throws(Fault) -> Int64 {
    let time = (milliseconds * 1_000).rounded()
    let times = ScreenPerformance.times
    guard time.isFinite, let whole = Int64(exactly: time), times.contains(whole) else {
      throw Fault(.malformed, "A time is not between 0 and an hour, in milliseconds.")
    }
    return whole
  }
}

extension ScreenPerformance {
  /// The figures of an event's test.
  ///
  /// - Throws: ``Fault`` if the event's task is none for a screen; `AssessmentRefusal`.
  func figures(of event: Event) throws -> [FigureValue] {
    guard let task = event.task.activeTask, let assessment = AssessmentList.assessment(for: task),
      type(of: assessment).sensors == .screen
    else { throw Fault(.refused, "‘\(event.task.title)’ is not performed on a screen.") }
    return try assessment.result(of: AssessmentInput(performance: self)).values
  }

  /// The figures that an event's outcome has.
  ///
  /// - Throws: As ``figures(of:)``.
  func outcomeValues(of event: Event, now: Date) throws -> [OutcomeValue] {
    Self.outcomeValues(try figures(of: event), of: event, now: now)
  }

  /// The figures that an event's outcome has, of those that were computed.
  fileprivate static func outcomeValues(
    _ figures: [FigureValue], of event: Event, now: Date
  ) -> [OutcomeValue] {
    figures.filter { event.task.linkage == nil || $0.figure.quantity != nil }.map {
      OutcomeValue(
        value: $0.value, unit: $0.figure.unit, kind: $0.figure.kind, time: now,
        provenance: .active)
    }
  }
}

extension StoreWriter {
  /// Computes what was pressed for an event and stores the figures: those with a quantity as
  /// samples, all of them as its outcome.
  ///
  /// - Throws: ``Fault`` if the event's task is none for a screen; `AssessmentRefusal`; the store's
  ///   refusals.
  func store(_ performance: ScreenPerformance, for event: Event, now: Date) throws -> Event {
    let figures = try performance.figures(of: event)
    for (ordinal, value) in figures.enumerated() {
      guard let quantity = value.figure.quantity, let number = value.value.number else { continue }
      let reading = Reading(
        quantity: quantity, value: number, arrival: now,
        device: DeviceIdentity(address: Self.screen), ordinal: ordinal, kind: value.figure.kind,
        isStreamed: true)
      _ = try insert(
        Sample(
          reading: reading, patient: event.task.patient, start: now, end: now,
          provenance: .active))
    }
    let outcome = ScreenPerformance.outcomeValues(figures, of: event, now: now)
    return try setOutcome(outcome, answer: .done, of: event.reference, now: now)
  }

  /// The device of what was pressed on a page.
  private static var screen: DeviceID { "screen" }
}

extension AssessmentRefusal {
  /// The notice that people read about the refusal: a key of the language files' section `refused`.
  var noticeCode: String {
    guard case .screen(let refusal) = self else { return "performance" }
    return switch refusal {
    case .tooFewTaps: "tooFewTaps"
    case .tooFewAttempts: "tooFewAttempts"
    case .otherHand: "otherHand"
    case .nothingPressed, .disorder, .tooMany, .repeated: "performance"
    }
  }
}
