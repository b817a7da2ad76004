import Care
import GATT

// GATT Specification Supplement §3.171 and §3.172; Pulse Oximeter Service 1.0.
extension PLXSpotCheckMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      oximetry.values(amplitude: pulseAmplitudeIndex, status: status),
      // A meter that says that its clock was never set does not know the time.
      time: isClockUnset ? nil : timeStamp, otherwise: PulseOximetry.nothing)
  }
}

extension PLXContinuousMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      oximetry.values(amplitude: pulseAmplitudeIndex, status: status), streamed: true,
      otherwise: PulseOximetry.nothing)
  }
}

extension PulseOximetry {
  fileprivate static let nothing = "the pulse oximeter has no valid measurement"

  fileprivate func values(
    amplitude: MedicalFloat?, status: PulseOximetryStatus?
  ) -> [DecodedValue?] {
    // What the meter itself calls invalid or made up is no measurement of a person.
    let refused: PulseOximetryStatus = [.demonstration, .testing, .unavailable, .invalid]
    guard status?.isDisjoint(with: refused) ?? true else { return [] }
    return [
      DecodedValue(.oxygenSaturation, saturation),
      DecodedValue(.pulseRate, pulseRate),
      DecodedValue(.pulseAmplitudeIndex, amplitude),
    ]
  }
}
