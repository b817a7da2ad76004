import Assessments
import Care
import Foundation
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
