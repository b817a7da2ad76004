import Assessments
import Care
import DeviceCatalog
import Foundation
import Measurement
import Motion

/// The measurements on the motion of one sensor: steps, breaks from sitting, and recordings of active
/// tasks.
struct SensorMotion: Sendable {
  /// The seconds without a sample after which a stretch of motion ends.
  static let silence: TimeInterval = 2

  /// The seconds without a sample after which a sensor that sends again was switched on, if its link
  /// was down meanwhile; a shorter loss is the radio's.
  static let absence: TimeInterval = 60

  private let device: DeviceIdentity
  private var counter = StepCounter()
  /// Where the sensor is worn, for which the counter counts.
  private var segment: Segment?
  private var minutes = MinuteCounts()
  /// Whether the sensor sends its own count.
  private var countsSteps = false
  private var breaks: SittingBreakCounter?
  /// Its walking, at a place that shows a walk's speed.
  private var walking: WalkingMinutes?
  /// The time of the last sample of a session with a person.
  private var supervisedUntil = Int64.min
  private var breakMinutes = MinuteCounts()
  private var recording: SensorRecording?
  /// When its last samples arrived.
  private var lastArrival: SteadyTime?
  /// The later of the last sample's time and its arrival, in this stretch.
  private var lastReceived = Date.distantPast
  private(set) var isOpen = false
  /// Whether its link was down since its last sample, or there was none.
  private var wasAway = true
  /// Whether its stretch began when it was switched on.
  private(set) var isNew = false

  init(device: DeviceIdentity) {
    self.device = device
  }

  /// The next deadline: the end of a silence, or of a minute with steps.
  var wakeAt: Date? {
    if isOpen { return lastReceived.addingTimeInterval(Self.silence) }
    return [minutes.earliestEnd, breakMinutes.earliestEnd].compactMap(\.self).min()
      .map { Date(microseconds: $0) }
  }

  /// Adds samples, oldest first.
  ///
  /// Those of a recording (`isRecorded`) begin with the sensor being switched on; those that a session
  /// with a person has (`isSupervised`) are measured by it alone. The steps of a sensor that counts them
  /// itself (`countsSteps`) are only those of its recordings. Its place
  /// (`placement`) says how its steps are counted; at the thigh or the hip the breaks from sitting are
  /// counted, too, at the trunk and the hip the speed of walks is measured.
  mutating func add(
    _ samples: [MotionSample], at arrival: EventTime, placement: Placement? = nil,
    countsSteps: Bool = false, isRecorded: Bool = false, isSupervised: Bool = false
  ) -> [Finding] {
    guard let last = samples.last else { return [] }
    self.countsSteps = countsSteps
    let place = placement.flatMap(SittingBreakCounter.Place.init)
    if breaks?.place != place { breaks = place.map(SittingBreakCounter.init) }
    if !isOpen {
      let absence = lastArrival.map { arrival.steady - $0 } ?? .infinity
      isNew = isRecorded || wasAway && absence >= Self.absence
      wasAway = false
      lastReceived = arrival.date
    }
    isOpen = true
    lastArrival = arrival.steady
    lastReceived = max(lastReceived, arrival.date, Date(microseconds: last.time))
    if recording == nil {
      recording = SensorRecording(device: device)
      recording?.isFromSwitchOn = isNew
    }
    if isSupervised {
      recording?.isSupervised = true
      supervisedUntil = last.time
    }
    recording?.add(samples)
    wear(on: placement?.segment)
    let steps = counter.add(contentsOf: samples)
    walking?.add(samples)
    count(steps)
    count(breaks?.add(contentsOf: samples, steps: steps) ?? [])
    return readings(minutes.close(upTo: last.time &- StepCounter.latency), at: arrival.date)
      + breakReadings(
        breakMinutes.close(upTo: last.time &- SittingBreakCounter.latency), at: arrival.date)
  }

  /// Processes the deadlines up to `time`.
  mutating func wake(at time: Date) -> [Finding] {
    guard let wakeAt, wakeAt <= time else { return [] }
    let findings = isOpen ? endStretch(at: time) : []
    return findings + readings(minutes.close(upTo: time.microseconds), at: time)
      + breakReadings(breakMinutes.close(upTo: time.microseconds), at: time)
  }

  /// Ends the stretch of motion: the sensor's link is down.
  mutating func disconnect(at time: Date) -> [Finding] {
    wasAway = true
    return endStretch(at: time)
  }

  /// Ends the stretch of motion: the sensor is disconnected or silent.
  private mutating func endStretch(at time: Date) -> [Finding] {
    guard isOpen else { return [] }
    isOpen = false
    let steps = counter.finish()
    count(steps)
    count(breaks?.finish(steps: steps) ?? [])
    defer { recording = nil }
    guard let recording, !recording.isSupervised else { return [] }
    return [.recording(ActiveTaskRecording(own: recording))]
  }

  /// Its recording so far, for the sensor across a joint from it whose stretch has ended.
  ///
  /// - Returns: `nil` if the recordings share less than half of the other's time.
  mutating func share(with other: SensorRecording, at joints: Set<Joint>) -> SensorRecording? {
    guard let recording, !recording.isSupervised, let times = other.times,
      let common = [recording.samples, other.samples].commonTimeSpan,
      (common.upperBound - common.lowerBound) * 2 >= times.upperBound - times.lowerBound
    else { return nil }
    self.recording?.sharedJoints.formUnion(joints)
    return recording
  }

  /// Begins anew, since the wall clock was set: what was measured keeps its times, and what follows
  /// begins a stretch of its own, though the sensor was not switched on.
  mutating func restart(at time: Date) -> [Finding] {
    let findings = end(at: time)
    (minutes, breakMinutes) = (MinuteCounts(), MinuteCounts())
    counter = StepCounter(on: segment)
    walking = segment.flatMap { WalkingMinutes(on: $0) }
    supervisedUntil = .min
    breaks = (breaks?.place).map(SittingBreakCounter.init)
    return findings
  }

  /// Ends the stretch and closes every minute.
  mutating func end(at time: Date) -> [Finding] {
    endStretch(at: time) + readings(minutes.closeAll(), at: time)
      + breakReadings(breakMinutes.closeAll(), at: time)
  }

  /// Counts for another place from here; the steps so far stay.
  private mutating func wear(on segment: Segment?) {
    guard segment != self.segment else { return }
    self.segment = segment
    count(counter.finish())
    counter = StepCounter(on: segment)
    walking = segment.flatMap { WalkingMinutes(on: $0) }
  }

  private mutating func count(_ steps: [Step]) {
    if !countsSteps {
      for step in steps { minutes.add(1, at: step.time) }
      // A walk that a person performs is not how fast the person walks otherwise. Its last steps are
      // counted after it.
      walking?.add(steps.filter { $0.time > supervisedUntil })
    }
    recording?.steps += steps.count
  }

  private mutating func count(_ breaks: [SittingBreak]) {
    for item in breaks { breakMinutes.add(1, at: item.time) }
  }

  private mutating func readings(
    _ closed: [MinuteCounts.Minute], at arrival: Date
  ) -> [Finding] {
    readings(of: .stepCount, closed, at: arrival)
      + closed.compactMap { minute in
        walking?.close(from: minute.start, to: minute.end).map { steps in
          .walk(
            WalkedMinute(
              steps: steps, interval: minute.interval, device: device, arrival: arrival))
        }
      }
  }

  private func breakReadings(_ closed: [MinuteCounts.Minute], at arrival: Date) -> [Finding] {
    readings(of: .sittingBreaks, closed, at: arrival)
  }

  private func readings(
    of quantity: Quantity, _ closed: [MinuteCounts.Minute], at arrival: Date
  ) -> [Finding] {
    closed.map { minute in
      .reading(
        Reading(
          quantity: quantity, value: Double(minute.count), arrival: arrival,
          interval: minute.interval, device: device, isStreamed: true))
    }
  }
}

// MARK: - Counts of minutes

/// Counts steps, or what else is counted, by minute of the clock.
///
/// A step is counted at its own time, with a latency; a minute is closed once that latency has
/// passed, and its count is emitted once. A step that arrives later, from a sensor that was out of
/// range, counts in the first open minute: no step is lost.
struct MinuteCounts {
  /// Microseconds in a minute.
  static let length: Int64 = 60_000_000

  private var open: [Int64: Int] = [:]
  /// The start of the first open minute.
  private var firstOpen = Int64.min

  /// A closed minute in which something was counted.
  struct Minute: Hashable {
    /// Its start in microseconds since 1970, a whole minute.
    var start: Int64
    /// How many, at least 1.
    var count: Int

    /// Its end, likewise.
    var end: Int64 { start + MinuteCounts.length }

    var interval: DateInterval {
      DateInterval(start: Date(microseconds: start), end: Date(microseconds: end))
    }
  }

  /// The end of the earliest open minute, in microseconds since 1970.
  var earliestEnd: Int64? { open.keys.min().map { $0 + Self.length } }

  /// Counts what happened at a time in microseconds since 1970.
  mutating func add(_ count: Int, at time: Int64) {
    open[max(Self.start(of: time), firstOpen), default: 0] += count
  }

  /// Closes the minutes that ended at or before `time`, and returns them, oldest first.
  mutating func close(upTo time: Int64) -> [Minute] {
    firstOpen = max(firstOpen, Self.start(of: time))
    let closed = open.filter { $0.key < firstOpen }
    for start in closed.keys { open[start] = nil }
    return Self.minutes(closed)
  }

  /// Closes every minute, and returns them, oldest first.
  mutating func closeAll() -> [Minute] {
    defer { open = [:] }
    return Self.minutes(open)
  }

  private static func minutes(_ counts: [Int64: Int]) -> [Minute] {
    counts.map { Minute(start: $0.key, count: $0.value) }.sorted { $0.start < $1.start }
  }

  /// The start of the minute of a time; times beyond 140 000 years from 1970 are clamped.
  private static func start(of time: Int64) -> Int64 {
    let bounded = min(max(time, .min / 2), .max / 2)
    let (quotient, remainder) = bounded.quotientAndRemainder(dividingBy: length)
    return (remainder < 0 ? quotient - 1 : quotient) * length
  }
}
