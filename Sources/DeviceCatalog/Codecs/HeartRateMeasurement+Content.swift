import Care
import GATT

// GATT Specification Supplement §3.113; Heart Rate Service 1.0.
extension HeartRateMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let intervals = rrIntervalsInSeconds.filter { $0.numerator > 0 }
    return FrameContent(
      [
        rate.flatMap { DecodedValue(.heartRate, Double($0)) },
        energyExpended.flatMap { DecodedValue(.energyExpended, Double($0)) },
      ] + intervals.map { DecodedValue(.rrInterval, $0) },
      streamed: true,
      otherwise: contact == .notDetected
        ? "the heart-rate sensor has no skin contact" : "the heart-rate sensor found no beat")
  }
}
