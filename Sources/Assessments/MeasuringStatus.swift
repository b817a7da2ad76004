package import Care

/// Where a session with a person stands.
package enum MeasuringState: String, Hashable, Sendable, CaseIterable {
  /// No fitting sensor sends.
  case waiting
  /// The sensor sends; the person reads what to do.
  case instructions
  /// The seconds before the start.
  case countdown
  /// The person performs the assessment.
  case recording
  /// The result, or the refusal, waits for the person.
  case verdict
  /// The result is stored.
  case kept
  /// The person ended it; nothing is stored.
  case cancelled
  /// It waited too long for the person or the sensor; nothing is stored.
  case abandoned

  /// Whether nothing further happens.
  package var isOver: Bool { [.kept, .cancelled, .abandoned].contains(self) }

  /// Whether the sensors belong to the session.
  package var holdsSensors: Bool { self == .countdown || self == .recording }
}

/// An action of a person in a session.
package enum MeasuringAction: String, Hashable, Sendable, CaseIterable {
  /// Starts the countdown.
  case start
  /// Ends the recording.
  case done
  /// Drops the result and starts the countdown again.
  case again
  /// Ends the session without a result.
  case cancel
}

/// A moment that is sounded or spoken.
package enum MeasuringCue: Hashable, Sendable {
  /// So many seconds before the start.
  case countdown(Int)
  /// The start.
  case start
  /// Half of a fixed time is over.
  case halfway
  /// The end.
  case stop
  /// The person moved before the start; the countdown begins again.
  case tooEarly

  /// Its name in the interface.
  package var name: String {
    switch self {
    case .countdown: "countdown"
    case .start: "start"
    case .halfway: "halfway"
    case .stop: "stop"
    case .tooEarly: "tooEarly"
    }
  }
}

/// A cue with its number in the session, counted from 1.
package struct NumberedCue: Hashable, Sendable {
  /// The number.
  package var number: Int
  /// The cue.
  package var cue: MeasuringCue

  /// Makes a numbered cue.
  package init(number: Int, cue: MeasuringCue) {
    self.number = number
    self.cue = cue
  }
}

/// Why a recording gives no result.
package enum MeasuringRefusal: Error, Hashable, Sendable {
  /// The assessment refuses it.
  case assessment(AssessmentRefusal)
  /// The sensor fell silent.
  case sensorLost
  /// The person did not move.
  case noMovement
  /// It took too long.
  case tooLong

  /// Its name for programs.
  package var code: String {
    switch self {
    case .assessment(let refusal): refusal.code
    case .sensorLost: "sensorLost"
    case .noMovement: "noMovement"
    case .tooLong: "tooLong"
    }
  }
}

/// Why a session cannot do what was asked.
package enum MeasuringFault: Error, Hashable, Sendable {
  /// The task of the event is no assessment that a sensor measures.
  case noAssessment
  /// The event is of a later day.
  case notYet
  /// A person entered the result of the event, or says that it was not done.
  case answered
  /// No sensor of the patient is worn where the assessment needs one.
  case noSensorPlaced(SensorRequirement.Site, ActiveTask)
  /// A sensor is placed, but none of them sends.
  case sensorNotNear
  /// The sensor or the person takes part in another session, of this event.
  case busy(event: String)
  /// There are too many sessions.
  case tooMany
  /// There is no such session, or it was removed.
  case unknown
  /// The session cannot do this now.
  case wrongState(MeasuringState)
  /// The samples would belong to nobody.
  case unassigned
}

/// The figure that a person sees large during a session.
package struct LiveFigure: Hashable, Sendable {
  /// The kind of the figure.
  package var kind: MeasuringCourse.Figure
  /// The value now: degrees, repetitions, steps or seconds.
  package var value: Int
  /// The lowest and highest value so far, for an angle.
  package var range: ClosedRange<Int>?

  /// Makes a figure.
  package init(kind: MeasuringCourse.Figure, value: Int, range: ClosedRange<Int>? = nil) {
    self.kind = kind
    self.value = value
    self.range = range
  }
}

/// The course of the motion, thinned to at most 25 values a second.
package struct LiveSignal: Hashable, Sendable {
  /// The unit of the values.
  package enum Unit: String, Hashable, Sendable {
    /// Tenths of a degree from the start.
    case decidegree
    /// The length of the acceleration in thousandths of g.
    case milliG
  }

  /// The unit.
  package var unit: Unit
  /// The latest values, oldest first: ten seconds.
  package var values: [Int] = []
  /// The number of values since the session began.
  package var count = 0

  /// The most values that are kept.
  package static let longest = 250

  /// Makes an empty signal.
  package init(unit: Unit) { self.unit = unit }

  /// Adds a value and drops the oldest one beyond ``longest``.
  package mutating func add(_ value: Int) {
    values.append(value)
    count += 1
    // Moves the rest only once in a while.
    if values.count >= 2 * Self.longest { values.removeFirst(values.count - Self.longest) }
  }

  /// The values after the first `known` ones, as far as they are kept.
  package func values(after known: Int) -> ArraySlice<Int> {
    values.suffix(min(max(count - known, 0), Self.longest))
  }
}

/// Everything that is known of a session at one moment.
package struct MeasuringStatus: Hashable, Sendable {
  /// The session's id.
  package var id: String
  /// The event's id.
  package var event: String
  /// The patient's id.
  package var patient: String
  /// The task's id.
  package var task: String
  /// The assessment.
  package var activeTask: ActiveTask
  /// Where it stands.
  package var state: MeasuringState
  /// Whether it began with the sensor, and nobody asked for it yet.
  package var isProposed: Bool
  /// The sensors that send.
  package var sensors: [DeviceID]
  /// The whole seconds until the start or the end; `nil` without a fixed time.
  package var secondsLeft: Int?
  /// The fixed time of the recording in seconds; `nil` without one.
  package var seconds: Int?
  /// The figure that is shown large; `nil` before the recording.
  package var figure: LiveFigure?
  /// The course of the motion.
  package var signal: LiveSignal
  /// The latest cues, oldest first.
  package var cues: [NumberedCue]
  /// The result.
  package var result: AssessmentResult?
  /// Why there is no result.
  package var refusal: MeasuringRefusal?

  /// Makes a status.
  package init(
    id: String, event: String, patient: String, task: String, activeTask: ActiveTask,
    state: MeasuringState, isProposed: Bool = false, sensors: [DeviceID] = [],
    secondsLeft: Int? = nil, seconds: Int? = nil, figure: LiveFigure? = nil,
    signal: LiveSignal = LiveSignal(unit: .milliG), cues: [NumberedCue] = [],
    result: AssessmentResult? = nil, refusal: MeasuringRefusal? = nil
  ) {
    self.id = id
    self.event = event
    self.patient = patient
    self.task = task
    self.activeTask = activeTask
    self.state = state
    self.isProposed = isProposed
    self.sensors = sensors
    self.secondsLeft = secondsLeft
    self.seconds = seconds
    self.figure = figure
    self.signal = signal
    self.cues = cues
    self.result = result
    self.refusal = refusal
  }
}
