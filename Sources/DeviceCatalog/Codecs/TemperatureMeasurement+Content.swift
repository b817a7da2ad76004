import Care
import GATT

// GATT Specification Supplement §3.216; Health Thermometer Service 1.0.
extension TemperatureMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      [
        DecodedValue(
          .bodyTemperature, temperature, unit == .fahrenheit ? .degreeFahrenheit : .degreeCelsius)
      ], time: timeStamp, streamed: isIntermediate,
      otherwise: "the thermometer has no temperature to tell")
  }
}
