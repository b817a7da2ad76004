import Assessments
import Foundation
import Hub
import Radio
import Terminal
import Traces

/// The demo's radio: a synthetic sensor on the shank, which is on while a session waits for it, and
/// bends the knee while it is measured.
final class DemoSensor: Radio {
  private let desk: MeasuringDesk
  private let now: @Sendable () -> Date
  /// The link, the samples of a resting leg, and those of the exercise.
  private let connection: [RadioEvent]
  private let rest: [RadioEvent]
  private let exercise: [RadioEvent]
  private var state = State()

  private struct State {
    /// The next events, the first one due at ``time``.
    var pending: [RadioEvent] = []
    var time = Date.distantPast
    var isOn = false
    /// The session whose exercise was performed.
    var performed: String?
    /// Whether the pending samples are those of an exercise.
    var isExercising = false
    var last: Date?
  }

  /// Seconds between two samples.
  private static let interval = 0.02
  /// Seconds between two looks at the desk while the sensor is off.
  private static let pause = 0.2

  /// Makes a sensor that serves the sessions of `desk`.
  init(desk: MeasuringDesk, timeZone: TimeZone, now: @escaping @Sendable () -> Date) {
    self.desk = desk
    self.now = now
    let events = SyntheticSensors(timeZone: timeZone).kneeBends(
      at: Date(timeIntervalSince1970: 0), range: 98_000, repetitions: 2
    ).map(\.event)
    connection = Array(events.prefix(2))
    exercise = Array(events.dropFirst(2).dropLast())
    // It begins with two seconds of rest.
    rest = Array(exercise.prefix(90))
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    while !Task.isCancelled {
      let time = now()
      if let event = advance(to: time) { return .event(event) }
      if let deadline, deadline <= time { return .deadline(deadline) }
      let wake = state.isOn ? state.time : time + Self.pause
      let until = min(wake, deadline ?? wake)
      try? await Task.sleep(for: .seconds(max(until.timeIntervalSince(now()), 0.001)))
    }
    return .end(state.last)
  }

  func send(_ command: RadioCommand) async throws(RadioError) {}

  /// The next event, if it is due.
  private func advance(to time: Date) -> TimedEvent? {
    if !state.isOn {
      guard desk.statuses.contains(where: { !$0.state.isOver }) else { return nil }
      state.isOn = true
      state.pending = connection
      state.time = time
    }
    guard state.time <= time else { return nil }
    // A session that is cancelled ends its exercise.
    if state.isExercising, !desk.statuses.contains(where: { $0.state == .recording }) {
      state.pending = []
    }
    if state.pending.isEmpty { state.pending = following() }
    guard !state.pending.isEmpty else { return nil }
    let event = TimedEvent(time: time, event: state.pending.removeFirst())
    state.last = time
    // A machine that was asleep does not catch up.
    state.time = max(state.time + Self.interval, time - 1)
    return event
  }

  private func following() -> [RadioEvent] {
    state.isExercising = false
    guard let session = desk.statuses.last(where: { !$0.state.isOver }) else {
      state.isOn = false
      return [.disconnected(SyntheticSensors.shank)]
    }
    let cue = session.cues.last?.number ?? 0
    let attempt = "\(session.id) \(cue)"
    guard session.state == .recording, state.performed != attempt else {
      // Short, so that the exercise begins soon.
      return Array(rest.prefix(5))
    }
    state.performed = attempt
    state.isExercising = true
    return exercise
  }
}
