import Care
import GATT

// GATT Specification Supplement §3.22 and §3.133; Blood Pressure Service 1.1.
extension BloodPressureMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let unit: UnitOfMeasure = unit == .kilopascals ? .kilopascal : .millimetreOfMercury
    if isIntermediate {
      // The current cuff pressure stands in the systolic field, the other two are NaN.
      return FrameContent(
        [DecodedValue(.cuffPressure, systolic, unit)], time: timeStamp, user: userIndex,
        streamed: true, otherwise: "the cuff has no pressure to tell")
    }
    return FrameContent(
      [
        DecodedValue(.bloodPressureSystolic, systolic, unit),
        DecodedValue(.bloodPressureDiastolic, diastolic, unit),
        DecodedValue(.bloodPressureMean, meanArterial, unit),
        DecodedValue(.pulseRate, pulseRate),
      ], time: timeStamp, user: userIndex,
      otherwise: "the blood pressure could not be measured")
  }
}
