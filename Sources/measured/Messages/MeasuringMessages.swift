import Assessments
import Care
import Motion

extension MeasuringFault: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .unknown: .unknown
    default: .refused
    }
  }

  /// Why a session with a person cannot do what was asked.
  var message: String {
    switch self {
    case .noAssessment:
      "The event asks for no measurement that a sensor makes."
    case .notYet: "The event is of a later day; measure it then."
    case .answered:
      "A person entered the event's result; take that back to measure it."
    case .noSensorPlaced(let site, let task):
      "No sensor of this person is worn where the measurement needs one (\(site.words(for: task))); "
        + "bind one in the plan, with its patient and its placement."
    case .sensorNotNear:
      "The sensor is not near; switch it on, put it on, and come closer to this machine."
    case .busy(let event):
      "A measurement of this person is under way (event \(event)); end that one first."
    case .tooMany: "Too many measurements are under way; wait until one is over."
    case .unknown: "There is no such session; it may be over."
    case .wrongState(let state): "The session cannot do this now: its state is ‘\(state.rawValue)’."
    case .unassigned(let reason):
      "The measurement cannot be assigned to the person (\(reason)); bind the sensor in the plan."
    }
  }
}

extension SensorRequirement.Site {
  /// Where a sensor has to be worn.
  fileprivate func words(for task: ActiveTask) -> String {
    let side = task.side.map { $0.rawValue + " " } ?? ""
    return switch self {
    case .anywhere, .screen: "anywhere on the body"
    case .segments(let segments): side + segments.map(\.rawValue).joined(separator: " or ")
    case .joint: side + (task.joint?.rawValue ?? "joint")
    }
  }
}
