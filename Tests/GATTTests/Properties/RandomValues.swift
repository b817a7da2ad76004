@testable import GATT

// Random values of the small types that characteristics are made of, and the odds of leaving a
// field out. They are within what a frame can say, so that each has an encoding of its own.
extension RandomNumberGenerator {
  mutating func number<Value: FixedWidthInteger>(_ range: ClosedRange<Value>) -> Value {
    Value.random(in: range, using: &self)
  }

  mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    Bool.random(using: &self) ? make(&self) : nil
  }

  mutating func bool() -> Bool {
    Bool.random(using: &self)
  }

  mutating func unitSystem() -> UnitSystem {
    bool() ? .si : .imperial
  }

  mutating func userIndex() -> UInt8 {
    number(0...254)
  }

  mutating func dateTime() -> DateTime {
    DateTime(
      year: number(0...9999), month: number(0...12), day: number(0...31), hour: number(0...23),
      minute: number(0...59), second: number(0...59))
  }

  mutating func sfloat() -> MedicalFloat {
    MedicalFloat(sfloat: number(.min ... .max))
  }

  mutating func oximetry() -> PulseOximetry {
    PulseOximetry(saturation: sfloat(), pulseRate: sfloat())
  }

  mutating func records() -> RecordAccessControlPoint.Records {
    switch number(0...5) {
    case 0: .all
    case 1: .upTo(number(.min ... .max))
    case 2: .from(number(.min ... .max))
    case 3: .between(number(.min ... .max), number(.min ... .max))
    case 4: .first
    default: .last
    }
  }
}
