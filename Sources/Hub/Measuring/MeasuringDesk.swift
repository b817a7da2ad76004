import Actions
package import Assessments
package import Care
import DeviceCatalog
package import Foundation
import Measurement
import Motion
import Synchronization

/// The sessions of this machine, between the hub, which hands it the sensors' motion, and the page,
/// which hands it what people do.
///
/// One session for each patient and sensor. Every call does what is due first, so that nothing has
/// to wake it.
package final class MeasuringDesk: Sendable {
  /// The most sessions that are not over.
  static let most = 8
  /// The most sessions in memory: those that are over stay, so that the page can say how.
  static let mostRemembered = 32

  fileprivate struct State {
    var sessions: [MeasuringSession] = []
    /// The session whose result is being stored.
    var keeping: Set<String> = []
  }

  private let state = Mutex(State())
  private let clock: @Sendable () -> Int64
  private let makeID: @Sendable () -> String
  private let countdown: Int

  /// Makes a desk.
  ///
  /// - Parameters:
  ///   - countdown: The seconds before a start, 3 or more.
  ///   - clock: The time in microseconds of a clock that is never set.
  ///   - makeID: Makes ids of sessions.
  package init(
    countdown: Int = 5, clock: @escaping @Sendable () -> Int64,
    makeID: @escaping @Sendable () -> String
  ) {
    self.countdown = countdown
    self.clock = clock
    self.makeID = makeID
  }

  // MARK: People

  /// Begins the session of an event, or returns the one there is.
  ///
  /// With `startsSoon` its countdown begins at once, or with the sensor if that sends within some
  /// seconds.
  ///
  /// - Throws: ``MeasuringFault`` if there can be none; ``StoreError`` of the reader.
  package func open(
    _ event: Event, startsSoon: Bool = false, in reader: any StoreReader, now: Date
  ) throws -> MeasuringStatus {
    let subject = try Self.subject(event, in: reader, now: now)
    return try update { state, time throws(MeasuringFault) in
      let status = try begin(subject, isProposed: false, &state, at: time)
      guard startsSoon, let index = state.sessions.firstIndex(where: { $0.id == status.id })
      else { return status }
      state.sessions[index].startSoon(at: time)
      return state.sessions[index].status
    }
  }

  /// The status of a session; `nil` if there is none of that id.
  package func status(of id: String) -> MeasuringStatus? {
    update { state, _ in state.sessions.first { $0.id == id }?.status }
  }

  /// The status of the latest session of an event; `nil` if there is none.
  package func status(ofEvent id: String) -> MeasuringStatus? {
    update { state, _ in state.sessions.last { $0.subject.event.id == id }?.status }
  }

  /// Every session in memory, oldest first.
  package var statuses: [MeasuringStatus] { update { state, _ in state.sessions.map(\.status) } }

  /// Performs a person's action on a session.
  ///
  /// - Throws: ``MeasuringFault``.
  package func perform(
    _ action: MeasuringAction, on id: String
  ) throws(MeasuringFault) -> MeasuringStatus {
    try update { state, time throws(MeasuringFault) in
      guard let index = state.sessions.firstIndex(where: { $0.id == id }) else { throw .unknown }
      guard !state.keeping.contains(id) else { throw .wrongState(.verdict) }
      try state.sessions[index].perform(action, at: time)
      return state.sessions[index].status
    }
  }

  /// Stores the result of a session, which completes its event; what is stored already is stored
  /// once.
  ///
  /// - Throws: ``MeasuringFault``; ``StoreError`` if the store refuses it. The result then waits
  ///   for another attempt.
  package func keep(_ id: String, in store: any Store, now: Date) async throws -> MeasuringStatus {
    let measured: KeptMeasurement? = try update { state, _ throws(MeasuringFault) in
      guard let session = state.sessions.first(where: { $0.id == id }) else { throw .unknown }
      if session.state == .kept { return nil }
      guard session.state == .verdict, let result = session.result, !state.keeping.contains(id)
      else { throw .wrongState(session.state) }
      state.keeping.insert(id)
      return KeptMeasurement(
        event: session.subject.event, task: session.subject.task,
        recordings: session.measured, values: result.values)
    }
    if let measured {
      defer { update { state, _ in _ = state.keeping.remove(id) } }
      try await store.write { writer in
        var recorder = SampleRecorder(
          writer: writer, plan: try PlanSnapshot(writer, patient: nil),
          completions: CompletionTracker(), judge: WeighingJudge())
        try recorder.keep(measured, now: now)
      }
    }
    return try update { state, time throws(MeasuringFault) in
      guard let index = state.sessions.firstIndex(where: { $0.id == id }) else { throw .unknown }
      state.sessions[index].keep(at: time)
      return state.sessions[index].status
    }
  }

  // MARK: The hub

  /// Takes the motion of a sensor.
  ///
  /// - Returns: Whether it belongs to a session, and to no other measurement.
  func receive(
    _ samples: [MotionSample], of device: DeviceIdentity, bindings: [DeviceBinding]
  ) -> Bool {
    update { state, time in
      guard let placement = bindings.placement(of: device.address) else { return false }
      var isHeld = false
      for index in state.sessions.indices where !state.sessions[index].state.isOver {
        let subject = state.sessions[index].subject
        guard subject.sensors.isMet(by: placement, for: subject.task),
          bindings.isWorn(device.address, by: subject.event.task.patient),
          state.holder(of: device.address).map({ $0 == state.sessions[index].id }) ?? true
        else { continue }
        state.sessions[index].add(samples, of: device, at: placement, time: time)
        isHeld = isHeld || state.sessions[index].holds(device.address)
      }
      return isHeld
    }
  }

  /// Takes a heart rate, which a strap of the patient measured.
  func receive(_ heartRate: Reading, bindings: [DeviceBinding]) {
    guard heartRate.quantity == .heartRate else { return }
    let sample = HeartRateSample(
      time: heartRate.arrival.microseconds,
      rate: Int32(saturating: min(max(heartRate.value.rounded(), 0), 1_000)))
    update { state, _ in
      for index in state.sessions.indices
      where bindings.isWorn(
        heartRate.device.address, by: state.sessions[index].subject.event.task.patient)
      {
        state.sessions[index].add(sample)
      }
    }
  }

  /// The link of a sensor is down.
  func lose(_ device: DeviceID) {
    update { state, time in
      for index in state.sessions.indices { state.sessions[index].lose(device, at: time) }
    }
  }

  /// Proposes a session to the person who has put the sensor on: for the only open event whose
  /// assessment waits and which the sensor shows.
  func propose(
    _ device: DeviceID, _ events: [Event], in reader: any StoreReader,
    bindings: [DeviceBinding], now: Date
  ) {
    guard let placement = bindings.placement(of: device) else { return }
    let fitting = events.filter { event in
      event.state(at: now) == .open && AssessmentList.mustWait(event.task.planned)
        && bindings.isWorn(device, by: event.task.patient)
    }.compactMap { event -> MeasuringSession.Subject? in
      let subject = try? Self.subject(event, in: reader, now: now)
      return subject.flatMap { $0.sensors.isMet(by: placement, for: $0.task) ? $0 : nil }
    }
    guard fitting.count == 1, let subject = fitting.first else { return }
    update { state, time in
      _ = try? begin(subject, isProposed: true, &state, at: time)
    }
  }

  // MARK: Sessions

  private static func subject(
    _ event: Event, in reader: any StoreReader, now: Date
  ) throws -> MeasuringSession.Subject {
    guard let task = event.task.activeTask,
      let assessment = AssessmentList.assessment(for: task), event.task.kind != .readOnly
    else { throw MeasuringFault.noAssessment }
    guard event.state(at: now) != .later else { throw MeasuringFault.notYet }
    guard !event.isTypedIn else { throw MeasuringFault.answered }
    let subject = MeasuringSession.Subject(event: event, task: task, assessment: assessment)
    let bindings = try reader.deviceBindings()
    guard bindings.hasSensor(for: task, of: event.task.patient, subject.sensors) else {
      throw MeasuringFault.noSensorPlaced(subject.sensors.site, task)
    }
    return subject
  }

  private func begin(
    _ subject: MeasuringSession.Subject, isProposed: Bool, _ state: inout State, at time: Int64
  ) throws(MeasuringFault) -> MeasuringStatus {
    let active = state.sessions.indices.filter { !state.sessions[$0].state.isOver }
    let patient = subject.event.task.patient
    if let index = active.first(where: { state.sessions[$0].subject.event.task.patient == patient })
    {
      let event = state.sessions[index].subject.event.id
      if event == subject.event.id {
        if !isProposed { state.sessions[index].accept() }
        return state.sessions[index].status
      }
      // The person's session replaces one that the sensor proposed, and one whose person left
      // before its start.
      let isIdle = [.waiting, .instructions].contains(state.sessions[index].state)
      guard isIdle, !isProposed else { throw .busy(event: event) }
      try state.sessions[index].perform(.cancel, at: time)
    }
    guard active.count < Self.most else { throw .tooMany }
    let session = MeasuringSession(
      id: makeID(), subject: subject, isProposed: isProposed, countdown: countdown, at: time)
    state.sessions.append(session)
    if state.sessions.count > Self.mostRemembered,
      let oldest = state.sessions.firstIndex(where: \.state.isOver)
    {
      state.sessions.remove(at: oldest)
    }
    return session.status
  }

  /// Changes the state after everything that is due.
  private func update<Result: Sendable, Failure: Error>(
    _ body: (inout State, Int64) throws(Failure) -> sending Result
  ) throws(Failure) -> Result {
    let time = clock()
    return try state.withLock { state throws(Failure) in
      for index in state.sessions.indices { state.sessions[index].advance(to: time) }
      return try body(&state, time)
    }
  }
}

extension MeasuringDesk.State {
  /// The session that a sensor belongs to now.
  fileprivate func holder(of device: DeviceID) -> String? {
    sessions.first { $0.holds(device) }?.id
  }
}

// MARK: - The result

/// A measurement that a person wants to keep.
struct KeptMeasurement: Sendable {
  /// The event that it answers, as it was when the session began.
  var event: Event
  /// The task that was asked for.
  var task: ActiveTask
  /// The recordings, from the trunk outwards.
  var recordings: [SensorRecording]
  /// The figures.
  var values: [FigureValue]
}
