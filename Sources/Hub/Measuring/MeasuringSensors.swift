import Assessments
import Care
import Measurement
import Motion

/// The sensors that send during a session: which of them are recorded, and what they show.
///
/// Times are on the session's clock unless said otherwise; the samples keep their own.
struct MeasuringSensors: Sendable {
  /// Microseconds without a sample after which a sensor counts as absent; it may send batches.
  static let silence: Int64 = 3_000_000
  /// Microseconds before the start that belong to the recording: the rest before the movement.
  static let lead: Int64 = 2_000_000
  /// The most sensors: more than a joint needs.
  static let most = 4
  /// Microseconds between two values of the live signal: 25 values a second.
  private static let signalInterval: Int64 = 40_000

  private var sensors: [DeviceID: Sensor] = [:]
  /// The sensors of the recording, from the trunk outwards; empty before the countdown.
  private(set) var chosen: [DeviceID] = []
  /// The live signal of the outermost one.
  private(set) var signal: LiveSignal
  private var lastSignal = Int64.min

  /// A sensor that sends.
  private struct Sensor: Sendable {
    var placement: Placement
    var lastArrival: Int64
    /// The rest before the start.
    var lead: [MotionSample] = []
    var recording: SensorRecording
    var live: LiveMotion
    /// The session's time less the samples', of the latest batch.
    var offset: Int64 = 0

    /// The session's time of a sample's; not after the latest arrival, whatever the sensor says.
    func time(of sample: Int64?) -> Int64? {
      sample.map { min(max($0 &+ offset, 0), lastArrival) }
    }
  }

  /// Makes an empty table whose signal has that unit.
  init(unit: LiveSignal.Unit) { signal = LiveSignal(unit: unit) }

  /// Takes the samples of a sensor, received at `time`, for the session's state.
  ///
  /// - Returns: Whether the session uses them.
  mutating func add(
    _ samples: [MotionSample], of device: DeviceIdentity, at placement: Placement, time: Int64,
    in state: MeasuringState
  ) -> Bool {
    let address = device.address
    guard let last = samples.last, !state.holdsSensors || chosen.contains(address),
      sensors[address] != nil || sensors.count < Self.most
    else { return false }
    let isShown = address == chosen.last ?? sensors.keys.min { $0.text < $1.text } ?? address
    // Taken out, so that its samples are not copied.
    var sensor =
      sensors.removeValue(forKey: address)
      ?? Sensor(
        placement: placement, lastArrival: time, recording: SensorRecording(device: device),
        live: LiveMotion(on: placement.segment))
    sensor.placement = placement
    sensor.lastArrival = time
    sensor.offset = time &- last.time
    for sample in samples {
      sensor.live.add(sample)
      if isShown { show(sample, sensor.live) }
    }
    switch state {
    case .countdown:
      sensor.lead = (sensor.lead + samples).filter { last.time &- $0.time <= Self.lead }
    case .recording: sensor.recording.add(samples)
    default: sensor.lead = []
    }
    sensors[address] = sensor
    return true
  }

  // MARK: Presence

  /// The sensors that are recorded, or those that send.
  var addresses: [DeviceID] {
    chosen.isEmpty ? sensors.keys.sorted { $0.text < $1.text } : chosen
  }

  var isEmpty: Bool { sensors.isEmpty }

  /// When the first of them counts as absent; `nil` without any.
  var silenceAt: Int64? {
    addresses.compactMap { sensors[$0]?.lastArrival }.min().map { $0 + Self.silence }
  }

  /// The sensors that are absent.
  func silent(at time: Int64) -> [DeviceID] {
    sensors.filter { $0.value.lastArrival + Self.silence <= time }.map(\.key)
  }

  func contains(_ device: DeviceID) -> Bool { sensors[device] != nil }

  mutating func remove(_ device: DeviceID) { sensors[device] = nil }

  mutating func removeAll() { (sensors, chosen) = ([:], []) }

  // MARK: The recording

  /// Chooses those that are recorded: two across the joint if they send, otherwise the first one.
  ///
  /// - Returns: Whether any sends.
  mutating func choose(for task: ActiveTask, _ requirement: SensorRequirement, at time: Int64)
    -> Bool
  {
    let present = sensors.filter { $0.value.lastArrival + Self.silence > time }
      .sorted { $0.key.text < $1.key.text }
    guard let first = present.first else { return false }
    chosen = [first.key]
    guard case .joint = requirement.site, let joint = task.joint else { return true }
    for one in present {
      for other in present
      where one.value.placement.sharedJoints(with: other.value.placement).contains(joint) {
        chosen = [one, other].sorted {
          $0.value.placement.index(at: joint) ?? 0 < $1.value.placement.index(at: joint) ?? 0
        }.map(\.key)
        return true
      }
    }
    return true
  }

  /// None of them is recorded any longer.
  mutating func release() { chosen = [] }

  /// Forgets the rest before the start.
  mutating func clearLeads() {
    for device in chosen { sensors[device]?.lead = [] }
  }

  /// Begins the recordings with the rest before the start.
  mutating func beginRecordings() {
    for device in chosen {
      guard var sensor = sensors[device] else { continue }
      sensor.recording = SensorRecording(device: sensor.recording.device)
      sensor.recording.add(sensor.lead)
      sensor.lead = []
      sensor.live.restart()
      sensors[device] = sensor
    }
  }

  /// Drops the samples of the recordings.
  mutating func dropRecordings() {
    for device in chosen {
      guard let sensor = sensors[device] else { continue }
      sensors[device]?.recording = SensorRecording(device: sensor.recording.device)
    }
  }

  /// The recordings with their places, from the trunk outwards.
  var recordings: [SensorRecording] {
    chosen.compactMap { device in
      sensors[device].map { sensor in
        var recording = sensor.recording
        recording.placement = sensor.placement
        return recording
      }
    }
  }

  // MARK: Motion

  private var live: [Sensor] { chosen.compactMap { sensors[$0] } }

  /// The first movement of the recording; `nil` if there was none.
  var firstMotion: Int64? {
    live.compactMap { $0.time(of: $0.live.firstMotion) }.min()
  }

  /// The latest movement, in the countdown, too.
  var lastMotion: Int64? {
    live.compactMap { $0.time(of: $0.live.lastMotion) }.max()
  }

  /// Whether the limb went away and is back where it began.
  var isBack: Bool {
    live.allSatisfy(\.live.isBack) && live.contains { $0.live.returns > 0 }
  }

  /// The figure that is shown large, apart from a time; `nil` before the recording.
  func figure(_ kind: MeasuringCourse.Figure, seconds: Int) -> LiveFigure? {
    guard let outer = live.last?.live else { return nil }
    switch kind {
    case .angle:
      return LiveFigure(
        kind: kind, value: angle(with: outer) / 1_000,
        range: outer.smallest / 1_000...outer.largest / 1_000)
    case .repetitions: return LiveFigure(kind: kind, value: outer.departures)
    case .steps: return LiveFigure(kind: kind, value: outer.steps)
    case .time: return LiveFigure(kind: kind, value: seconds)
    }
  }

  /// The angle in thousandths of a degree: of the joint with two sensors, else of the segment.
  private func angle(with outer: LiveMotion) -> Int {
    guard chosen.count == 2, let inner = chosen.first.flatMap({ sensors[$0]?.live }) else {
      return outer.angle
    }
    return abs(outer.angle - inner.angle)
  }

  /// Adds a value of the live signal, if it is time for one.
  private mutating func show(_ sample: MotionSample, _ live: LiveMotion) {
    guard sample.time >= lastSignal &+ Self.signalInterval || sample.time < lastSignal else {
      return
    }
    lastSignal = sample.time
    signal.add(signal.unit == .milliG ? live.force : angle(with: live) / 100)
  }
}
