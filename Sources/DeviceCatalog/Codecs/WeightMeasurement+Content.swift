import Care
import GATT

// GATT Specification Supplement §3.249; Weight Scale Service 1.0.
extension WeightMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    // Without a weight there is no measurement that the rest could belong to.
    guard weight != nil else {
      return FrameContent([], otherwise: "the scale could not measure the weight")
    }
    return FrameContent(
      [
        DecodedValue(.bodyMass, weight, unitSystem.mass),
        DecodedValue(.bodyMassIndex, bodyMassIndex.flatMap(\.nonZero)),
        DecodedValue(.height, height.flatMap(\.nonZero), unitSystem.height),
      ], time: timeStamp, user: userIndex, otherwise: "the scale measured nothing")
  }
}

extension ScaledValue {
  /// The value, unless it is the zero that scales send for what they do not know.
  fileprivate var nonZero: ScaledValue? { numerator == 0 ? nil : self }
}
