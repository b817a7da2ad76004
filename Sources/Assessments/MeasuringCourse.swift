package import Care
package import Motion

/// How a session with a person runs an assessment: what it begins with, when it ends, and what the
/// person sees meanwhile.
package struct MeasuringCourse: Hashable, Sendable {
  /// When the recording ends; the person may end it at any time, too.
  package enum End: Hashable, Sendable {
    /// When the sensor is as at the start and still for so many microseconds.
    case rest(Int64)
    /// When the sensor is still for so many microseconds, in any position.
    case stillness(Int64)
    /// So many microseconds after the start, or after the first movement.
    case time(Int64, fromMovement: Bool)
  }

  /// The figure that is shown large while it is recorded.
  package enum Figure: String, Hashable, Sendable {
    /// The angle from the start, in degrees, with its range so far.
    case angle
    /// The repetitions so far.
    case repetitions
    /// The steps so far.
    case steps
    /// The seconds so far, or left if the time is fixed.
    case time
  }

  /// When the recording ends.
  package var end: End
  /// The figure that is shown large.
  package var figure: Figure
  /// Whether the person has to be still before the start.
  package var beginsStill: Bool
  /// Whether any quiet stretch of a worn sensor would give figures: such an assessment is taken
  /// only with a session, or from the moment at which its sensor was switched on.
  package var mustWait: Bool

  /// None: a page runs the test, and no sensor records it.
  package static let onScreen = MeasuringCourse(
    end: .time(0, fromMovement: false), figure: .time, beginsStill: false)

  /// Makes a course.
  package init(end: End, figure: Figure, beginsStill: Bool = true, mustWait: Bool = false) {
    self.end = end
    self.figure = figure
    self.beginsStill = beginsStill
    self.mustWait = mustWait
  }

  /// The longest recording in microseconds; a longer one is refused.
  package var longest: Int64 {
    switch end {
    case .rest: 180_000_000
    case .stillness: 540_000_000
    case .time(let time, _): time + 75_000_000
    }
  }

  /// The fixed time in microseconds; `nil` if the end is the person's.
  package var duration: Int64? {
    if case .time(let time, _) = end { time } else { nil }
  }
}

extension AssessmentList {
  /// The description of the assessment that `task` asks for; `nil` if its type is unknown.
  package static func type(for task: ActiveTask) -> (any Assessment.Type)? {
    all.first { $0.type == task.type }
  }

  /// Whether the assessment of a task must not be taken from any stretch of motion.
  ///
  /// Some give figures for a limb at rest. The samples of a linked task count for further tasks.
  package static func mustWait(_ task: PlannedTask) -> Bool {
    guard let activeTask = task.activeTask, let type = type(for: activeTask) else { return false }
    return type.course.mustWait || !task.linkages.isEmpty
  }
}

extension SensorRequirement {
  /// Whether a sensor that is worn at `placement` shows the assessment of `task`.
  package func isMet(by placement: Placement, for task: ActiveTask) -> Bool {
    switch site {
    case .anywhere: true
    case .screen: false
    case .segments(let segments): placement.isOn(Set(segments), side: task.side)
    case .joint: task.joint.map { placement.measures($0, side: task.side) } ?? false
    }
  }
}

extension [DeviceBinding] {
  /// Whether a sensor is worn by a patient alone: it is bound to the patient, or to nobody in a
  /// plan whose devices are all one person's.
  package func isWorn(_ device: DeviceID, by patient: String) -> Bool {
    let own = filter { $0.address == device }
    guard let binding = own.first, own.count == 1 else { return false }
    if let owner = binding.patient { return owner == patient }
    return allSatisfy { $0.patient == nil || $0.patient == patient }
  }

  /// Whether a sensor of a patient is worn where the assessment of `task` needs one.
  package func hasSensor(
    for task: ActiveTask, of patient: String, _ requirement: SensorRequirement
  ) -> Bool {
    contains { binding in
      let placement = binding.placement ?? Placement(sensorName: binding.address.text)
      return isWorn(binding.address, by: patient)
        && placement.map { requirement.isMet(by: $0, for: task) } ?? false
    }
  }
}
