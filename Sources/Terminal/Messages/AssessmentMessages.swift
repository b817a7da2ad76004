import Assessments
import Care
import Hub
package import Localization
import Measurement

/// A refusal of a measurement; a command that meets one ends with ``ExitCode/refused``.
package protocol RefusedMeasurement: PresentableError, Localizable {}

extension RefusedMeasurement {
  package var exitCode: ExitCode { .refused }
}

extension AssessmentRefusal: RefusedMeasurement {}
extension SignalQuality.Refusal: RefusedMeasurement {}
extension RangeOfMotionRefusal: RefusedMeasurement {}
extension ExerciseRefusal: RefusedMeasurement {}
extension TimedUpAndGoRefusal: RefusedMeasurement {}
extension ChairStandRefusal: RefusedMeasurement {}
extension WalkRefusal: RefusedMeasurement {}
extension WalkingSpeedRefusal: RefusedMeasurement {}
extension TremorRefusal: RefusedMeasurement {}
extension SwayRefusal: RefusedMeasurement {}
extension ScreenRefusal: RefusedMeasurement {}
extension HeartRateVariabilityRefusal: RefusedMeasurement {}
extension HeartRateRecoveryRefusal: RefusedMeasurement {}
extension CalibrationRefusal: RefusedMeasurement {}

extension UnmeasuredReason {
  /// Why an active task was not measured.
  var localized: LocalizedText {
    switch self {
    case .refused(let refusal): refusal.localized
    case .unassigned(let reason, let reading): reason.text(of: reading)
    }
  }
}

extension MeasuringFault: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .unknown: .unknown
    default: .refused
    }
  }
}
