import Care
import GATT

// GATT Specification Supplement §3.24; Body Composition Service 1.0.
extension BodyCompositionMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let body = [
      DecodedValue(.bodyMass, self[.weight], unitSystem.mass),
      DecodedValue(.height, self[.height], unitSystem.height),
    ]
    // Scales send a stub, often with a basal metabolism in it, where they have no composition.
    let composition =
      isSuccessful
      ? [
        DecodedValue(.bodyFatPercentage, self[.fatPercentage]),
        DecodedValue(.basalMetabolicRate, self[.basalMetabolism]),
        DecodedValue(.musclePercentage, self[.musclePercentage]),
        DecodedValue(.muscleMass, self[.muscleMass], unitSystem.mass),
        DecodedValue(.fatFreeMass, self[.fatFreeMass], unitSystem.mass),
        DecodedValue(.softLeanMass, self[.softLeanMass], unitSystem.mass),
        DecodedValue(.bodyWaterMass, self[.bodyWaterMass], unitSystem.mass),
        DecodedValue(.impedance, self[.impedance]),
      ] : []
    return FrameContent(
      composition + body, time: timeStamp, user: userIndex,
      otherwise: "the scale could not measure the body composition")
  }
}
