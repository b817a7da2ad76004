import Assessments
import Care
import Foundation
import Measurement
import Motion

/// One assessment with a person, from the sensor's first sample to the result.
///
/// A value state machine: times are passed in, in microseconds of a clock that never steps. The
/// samples keep the times of their own clock. Memory is bounded by the longest recording.
struct MeasuringSession: Sendable {
  /// The event of a session, and how it is measured.
  struct Subject: Sendable {
    /// The event.
    let event: Event
    /// The active task of the event.
    let task: ActiveTask
    /// How it is measured.
    let assessment: any Assessment
    /// The sensors that show it.
    var sensors: SensorRequirement { type(of: assessment).sensors }
    /// How it is run.
    var course: MeasuringCourse { assessment.course }
  }

  /// Seconds before the start.
  let countdown: Int
  /// The shortest and the usual countdown in seconds (ResearchKit).
  static let countdowns = (least: 3, usual: 5)
  /// Microseconds that are recorded after the end of a fixed time.
  static let tail: Int64 = 2_000_000
  /// Microseconds that a session waits for the sensor, and for the person.
  static let patience = (sensor: 300_000_000 as Int64, person: 600_000_000 as Int64)
  /// Microseconds that one which the sensor proposed waits for it once it is silent.
  static let proposalPatience: Int64 = 30_000_000
  /// Microseconds within which the person has to begin to move.
  static let reluctance: Int64 = 60_000_000
  /// Microseconds within which a sensor that begins to send still starts the countdown asked for.
  static let promptness: Int64 = 10_000_000
  /// How often the countdown begins again before the instructions are shown again.
  static let mostRestarts = 5
  /// The most heart rates: two a second for the longest recording.
  static let mostHeartRates = 1_300

  let id: String
  let subject: Subject
  private(set) var state = MeasuringState.waiting
  private(set) var isProposed: Bool
  private(set) var cues: [NumberedCue] = []
  private(set) var result: AssessmentResult?
  private(set) var refusal: MeasuringRefusal?
  /// The recordings that the result was computed from, from the trunk outwards.
  private(set) var measured: [SensorRecording] = []

  private var now: Int64
  /// When the state began.
  private var since: Int64
  private var sensors: MeasuringSensors
  private var heartRates: [HeartRateSample] = []
  private var restarts = 0
  /// Until when the countdown begins by itself with the sensor.
  private var startBefore: Int64?
  private var hasPassedHalf = false
  private var hasStopped = false

  /// Begins a session at `time`.
  init(
    id: String, subject: Subject, isProposed: Bool = false,
    countdown: Int = Self.countdowns.usual, at time: Int64
  ) {
    self.id = id
    self.subject = subject
    self.isProposed = isProposed
    self.countdown = max(countdown, Self.countdowns.least)
    now = time
    since = time
    let showsAngle = [.angle, .repetitions].contains(subject.course.figure)
    sensors = MeasuringSensors(unit: showsAngle ? .decidegree : .milliG)
  }

  // MARK: Input

  /// Takes the samples of a sensor that shows the assessment, received at `time`.
  mutating func add(
    _ samples: [MotionSample], of device: DeviceIdentity, at placement: Placement, time: Int64
  ) {
    advance(to: time)
    guard !state.isOver,
      sensors.add(samples, of: device, at: placement, time: now, in: state)
    else { return }
    if state == .waiting {
      enter(.instructions)
      if let startBefore, now < startBefore { start() }
      startBefore = nil
    }
    if state == .countdown { watchCountdown() }
    if state == .recording { watchRecording() }
  }

  /// Takes a heart rate of the patient; its time is on the clock of the samples.
  mutating func add(_ heartRate: HeartRateSample) {
    guard state == .recording, heartRates.count < Self.mostHeartRates else { return }
    heartRates.append(heartRate)
  }

  /// The link of a sensor is down.
  mutating func lose(_ device: DeviceID, at time: Int64) {
    advance(to: time)
    if sensors.contains(device) { lose(device) }
  }

  /// Performs a person's action.
  ///
  /// - Throws: ``MeasuringFault`` if the session cannot do it now. A repeated action has no effect.
  mutating func perform(_ action: MeasuringAction, at time: Int64) throws(MeasuringFault) {
    advance(to: time)
    isProposed = false
    switch (action, state) {
    case (.start, .instructions), (.again, .verdict): start()
    case (.start, .countdown), (.start, .recording), (.again, .countdown), (.done, .verdict): break
    case (.start, .waiting): throw .sensorNotNear
    case (.done, .recording): finish()
    case (.cancel, .cancelled), (.cancel, .abandoned): break
    case (.cancel, _) where !state.isOver: enter(.cancelled)
    default: throw .wrongState(state)
    }
  }

  /// Begins the countdown as soon as the sensor sends, if it does so within some seconds.
  mutating func startSoon(at time: Int64) {
    advance(to: time)
    isProposed = false
    switch state {
    case .instructions: start()
    case .waiting: startBefore = now + Self.promptness
    default: break
    }
  }

  /// A person asks for what the sensor proposed.
  mutating func accept() { isProposed = false }

  /// Whether a sensor belongs to the session now.
  func holds(_ device: DeviceID) -> Bool { state.holdsSensors && sensors.chosen.contains(device) }

  /// The result is stored.
  mutating func keep(at time: Int64) {
    if state == .verdict, result != nil { enter(.kept) }
  }

  // MARK: Time

  /// When something happens by itself; `nil` once it is over.
  var wakeAt: Int64? {
    switch state {
    case .waiting: since + (isProposed ? Self.proposalPatience : Self.patience.sensor)
    case .instructions: min(since + Self.patience.person, sensors.silenceAt ?? .max)
    case .countdown: min(nextSecond, sensors.silenceAt ?? .max)
    case .recording: recordingWake
    case .verdict: since + Self.patience.person
    case .kept, .cancelled, .abandoned: nil
    }
  }

  /// Does everything that is due up to `time`, in order.
  mutating func advance(to time: Int64) {
    while let due = wakeAt, due <= time {
      now = max(now, due)
      wake()
    }
    now = max(now, time)
  }

  private mutating func wake() {
    switch state {
    case .waiting, .verdict: enter(.abandoned)
    case .instructions: now < since + Self.patience.person ? loseSilent() : enter(.abandoned)
    case .countdown:
      guard now >= nextSecond else { return loseSilent() }
      secondsShown += 1
      secondsShown >= countdown ? record() : cue(.countdown(countdown - secondsShown))
    case .recording: wakeRecording()
    case .kept, .cancelled, .abandoned: break
    }
  }

  private mutating func loseSilent() {
    for device in sensors.silent(at: now) { lose(device) }
  }

  private mutating func lose(_ device: DeviceID) {
    let isUsed = sensors.chosen.contains(device)
    switch state {
    case .recording where isUsed: refuse(.sensorLost)
    case .countdown where isUsed:
      sensors.remove(device)
      enter(sensors.isEmpty ? .waiting : .instructions)
    case .waiting, .instructions, .countdown:
      sensors.remove(device)
      if sensors.isEmpty { enter(.waiting) }
    default: break
    }
  }

  private mutating func enter(_ next: MeasuringState) {
    guard state != next else { return }
    state = next
    since = now
    if !next.holdsSensors, next != .verdict { sensors.release() }
    if next.isOver {
      sensors.removeAll()
      heartRates = []
      if next != .kept { (result, measured) = (nil, []) } else { measured = [] }
    }
  }

  private mutating func cue(_ cue: MeasuringCue) {
    cues.append(NumberedCue(number: (cues.last?.number ?? 0) + 1, cue: cue))
    if cues.count > 16 { cues.removeFirst() }
  }

  // MARK: The countdown

  private var secondsShown = 0
  private var nextSecond: Int64 { since + Int64(secondsShown + 1) * 1_000_000 }

  private mutating func start() {
    (result, refusal, measured, restarts) = (nil, nil, [], 0)
    guard sensors.choose(for: subject.task, subject.sensors, at: now) else {
      sensors.removeAll()
      enter(.waiting)
      return
    }
    enter(.countdown)
    beginCountdown()
  }

  private mutating func beginCountdown() {
    since = now
    secondsShown = 0
    sensors.clearLeads()
    cue(.countdown(countdown))
  }

  /// Begins the countdown again if the person moves in it.
  private mutating func watchCountdown() {
    // The first second belongs to the hand that has pressed the button.
    guard subject.course.beginsStill, let moved = sensors.lastMotion, moved > since + 1_000_000
    else { return }
    restarts += 1
    cue(.tooEarly)
    guard restarts < Self.mostRestarts else { return enter(.instructions) }
    beginCountdown()
  }

  // MARK: The recording

  private mutating func record() {
    heartRates = []
    (hasPassedHalf, hasStopped) = (false, false)
    sensors.beginRecordings()
    enter(.recording)
    cue(.start)
  }

  /// When the fixed time began; `nil` until the first movement, if it counts from there.
  private var timeBegin: Int64? {
    guard case .time(_, let fromMovement) = subject.course.end, fromMovement else { return since }
    return firstMotion
  }

  /// The first movement of the recording.
  private var firstMotion: Int64? { sensors.firstMotion.map { max($0, since) } }

  /// Whether the person has to move for there to be anything.
  private var needsMotion: Bool {
    if case .time(_, let fromMovement) = subject.course.end { return fromMovement }
    return true
  }

  private var recordingWake: Int64 {
    var times = [since + subject.course.longest, sensors.silenceAt ?? .max]
    if needsMotion, firstMotion == nil { times.append(since + Self.reluctance) }
    if let duration = subject.course.duration, let begin = timeBegin {
      if !hasPassedHalf { times.append(begin + duration / 2) }
      times.append(begin + duration + (hasStopped ? Self.tail : 0))
    }
    return times.min() ?? .max
  }

  private mutating func wakeRecording() {
    if let duration = subject.course.duration, let begin = timeBegin {
      if !hasPassedHalf, now >= begin + duration / 2 {
        hasPassedHalf = true
        if duration > 20_000_000 { cue(.halfway) }
        return
      }
      if now >= begin + duration + Self.tail, hasStopped { return finish() }
      if now >= begin + duration, !hasStopped {
        hasStopped = true
        cue(.stop)
        return
      }
    }
    if now >= since + subject.course.longest { return refuse(.tooLong) }
    if needsMotion, firstMotion == nil, now >= since + Self.reluctance {
      return refuse(.noMovement)
    }
    loseSilent()
  }

  /// Ends a recording whose end is the person's rest.
  private mutating func watchRecording() {
    guard let first = firstMotion, let last = sensors.lastMotion else { return }
    switch subject.course.end {
    case .rest(let rest): guard sensors.isBack, now - last >= rest else { return }
    case .stillness(let rest):
      guard last - first >= 4_000_000, now - last >= rest else { return }
    case .time: return
    }
    finish()
  }

  private mutating func refuse(_ reason: MeasuringRefusal) {
    if state == .recording, !hasStopped { cue(.stop) }
    refusal = reason
    (result, measured) = (nil, [])
    sensors.dropRecordings()
    enter(.verdict)
  }

  /// Computes the result.
  private mutating func finish() {
    var recordings = sensors.recordings
    guard let own = recordings.popLast(),
      let shown = ActiveTaskRecording(own: own, partners: recordings).recordings(
        meeting: subject.sensors, for: subject.task)
    else { return refuse(.sensorLost) }
    guard shown.allSatisfy({ $0.times != nil }) else {
      return refuse(.assessment(.noSamples(for: subject.task)))
    }
    let end = shown.compactMap { $0.times?.upperBound }.max()
    do throws(AssessmentRefusal) {
      result = try subject.assessment.result(
        of: AssessmentInput(
          shown.map(\.samples), on: shown.last?.placement?.segment, heartRates: heartRates, end: end
        ))
    } catch {
      return refuse(.assessment(error))
    }
    refusal = nil
    measured = shown
    if !hasStopped { cue(.stop) }
    sensors.dropRecordings()
    enter(.verdict)
  }

  // MARK: Output

  private var figure: LiveFigure? {
    guard state == .recording else { return nil }
    let elapsed = max(now - (timeBegin ?? now), 0)
    return sensors.figure(subject.course.figure, seconds: Int(elapsed / 1_000_000))
  }

  private var secondsLeft: Int? {
    switch state {
    case .countdown: return max(countdown - secondsShown, 0)
    case .recording:
      guard let duration = subject.course.duration else { return nil }
      let left = (timeBegin.map { $0 + duration } ?? now + duration) - now
      return Int((max(left, 0) + 999_999) / 1_000_000)
    default: return nil
    }
  }

  /// The current status.
  var status: MeasuringStatus {
    MeasuringStatus(
      id: id, event: subject.event.id, patient: subject.event.task.patient,
      task: subject.event.task.id, activeTask: subject.task, state: state, isProposed: isProposed,
      sensors: sensors.addresses,
      secondsLeft: secondsLeft, seconds: subject.course.duration.map { Int($0 / 1_000_000) },
      figure: figure, signal: sensors.signal, cues: cues, result: result, refusal: refusal)
  }
}

extension AssessmentRefusal {
  /// The refusal of a recording without samples.
  fileprivate static func noSamples(for task: ActiveTask) -> AssessmentRefusal {
    switch task.type {
    case "rangeOfMotion": .rangeOfMotion(.stream(.noSamples))
    case "timedUpAndGo": .timedUpAndGo(.stream(.noSamples))
    case "tremor": .tremor(.stream(.noSamples))
    case "sway": .sway(.stream(.noSamples))
    case "timedWalk", "sixMinuteWalk": .walk(.stream(.noSamples))
    default: .chairStand(.stream(.noSamples))
    }
  }
}
