import Care
import GATT

// GATT Specification Supplement §3.18; Battery Service 1.1.
extension BatteryLevel: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      [DecodedValue(.batteryLevel, Double(percent))], streamed: true,
      otherwise: "the battery level is not known")
  }
}
