import Assessments
import Care
import Foundation
import Localization
import Measurement
import StrictYAML

/// The presses of a person on a screen, as JSON; times in milliseconds of the screen's own clock.
struct PerformanceInput: JSONInput {
  /// The same with times in microseconds.
  var performance = ScreenPerformance()

  init(_ node: YAMLNode) throws(YAMLError) {
    var body = try node.mapping()
    if let trials = body.optional("trials") {
      for trial in try Self.elements(of: trials, atMost: Hand.allCases.count) {
        performance.trials.append(try Self.trial(trial))
      }
    }
    if let attempts = body.optional("attempts") {
      for attempt in try Self.elements(of: attempts, atMost: ScreenPerformance.mostAttempts) {
        var reader = try attempt.mapping()
        performance.attempts.append(
          ReactionAttempt(
            shown: try reader.optional("shown").map(Self.time),
            pressed: try reader.optional("pressed").map(Self.time)))
        try reader.finish()
      }
    }
    try body.finish()
  }

  private static func trial(_ node: YAMLNode) throws(YAMLError) -> TapTrial {
    var body = try node.mapping()
    let hand: Hand = try body.required("hand").choice()
    var taps: [TapTrial.Tap] = []
    for tap in try elements(of: body.required("taps"), atMost: ScreenPerformance.mostTaps) {
      var reader = try tap.mapping()
      taps.append(
        TapTrial.Tap(
          time: try time(reader.required("at")),
          // A tap beside the buttons has none.
          button: try reader.optional("button")?.choice()))
      try reader.finish()
    }
    try body.finish()
    return TapTrial(hand: hand, taps: taps)
  }

  private static func elements(
    of node: YAMLNode, atMost most: Int
  ) throws(YAMLError) -> [YAMLNode] {
    let elements = try node.sequence()
    guard elements.count <= most else {
      throw node.error("there are more presses than a person makes")
    }
    return elements
  }

  /// A time in microseconds.
  private static func time(_ node: YAMLNode) throws(YAMLError) -> Int64 {
    let time = (try node.number() * 1_000).rounded()
    guard let whole = Int64(exactly: time), ScreenPerformance.times.contains(whole) else {
      throw node.error("a time is not between 0 and an hour, in milliseconds")
    }
    return whole
  }
}
