import Care
import GATT

// GATT Specification Supplement §3.104; Glucose Service 1.0.
extension GlucoseMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    var content = measured
    content.sequence = sequenceNumber
    return content
  }

  private var measured: FrameContent {
    guard let concentration else {
      return FrameContent([], otherwise: "the glucose meter stored a record without a result")
    }
    guard !concentration.isControlSolution else {
      return FrameContent([], otherwise: "the glucose meter measured a control solution")
    }
    let value =
      switch concentration.unit {
      case .molesPerLitre:
        DecodedValue(.bloodGlucose, concentration.value, .molePerLitre)
      case .kilogramsPerLitre:
        DecodedValue(.bloodGlucoseMass, concentration.value, .kilogramPerLitre)
      }
    var content = FrameContent(
      [value], time: baseTime, otherwise: "the glucose meter could not measure")
    // People set the meter's clock as an offset to a base time that never changes.
    for index in content.values.indices {
      content.values[index].time = content.values[index].time?.adding(
        minutes: Int(timeOffset ?? 0))
    }
    return content
  }
}
