import GATT
import TestSupport
import Testing

struct RoundTripTests {
  /// Makes 2000 values and asserts that each survives its encoding.
  private func roundTrip<Value: Characteristic>(
    _ make: (inout SeededGenerator) throws -> Value
  ) throws {
    var generator = SeededGenerator(seed: 0x2A9D)
    for _ in 0..<2000 {
      let value = try make(&generator)
      let read = try Value(value.encoded)
      if read != value {
        #expect(read == value)
        return
      }
    }
  }

  @Test
  func clocks() throws {
    try roundTrip { $0.dateTime() }
    try roundTrip {
      CurrentTime(
        dateTime: $0.dateTime(), weekday: $0.maybe { .init(rawValue: $0.number(1...7)) } ?? nil,
        fraction: $0.number(.min ... .max), adjustReason: .init(rawValue: $0.number(0...15)))
    }
  }

  @Test
  func scales() throws {
    try roundTrip { g in
      WeightMeasurement(
        unitSystem: g.unitSystem(), rawWeight: g.maybe { $0.number(0...0xFFFE) },
        timeStamp: g.maybe { $0.dateTime() }, userIndex: g.maybe { $0.userIndex() },
        build: g.maybe {
          .init(rawBodyMassIndex: $0.number(.min ... .max), rawHeight: $0.number(.min ... .max))
        })
    }
    try roundTrip { WeightScaleFeature(rawValue: $0.number(.min ... .max)) }
    try roundTrip { g in
      var counts: [BodyCompositionMeasurement.Component: UInt16] = [:]
      for component in BodyCompositionMeasurement.Component.allCases {
        counts[component] = g.maybe { $0.number(.min ... .max) }
      }
      return BodyCompositionMeasurement(
        unitSystem: g.unitSystem(), counts: counts, timeStamp: g.maybe { $0.dateTime() },
        userIndex: g.maybe { $0.userIndex() }, isMultiplePacket: g.bool())
    }
  }

  @Test
  func `heart and blood`() throws {
    try roundTrip { g in
      HeartRateMeasurement(
        rawRate: g.number(0...400),
        contact: HeartRateMeasurement.Contact.allCases.randomElement(using: &g) ?? .detected,
        energyExpended: g.maybe { $0.number(.min ... .max) },
        rrIntervals: (0..<g.number(0...9)).map { _ in g.number(.min ... .max) })
    }
    try roundTrip { g in
      BloodPressureMeasurement(
        unit: g.bool() ? .kilopascals : .millimetresOfMercury, systolic: g.sfloat(),
        diastolic: g.sfloat(), meanArterial: g.sfloat(), timeStamp: g.maybe { $0.dateTime() },
        pulseRate: g.maybe { $0.sfloat() }, userIndex: g.maybe { $0.userIndex() },
        status: g.maybe { .init(rawValue: $0.number(.min ... .max)) })
    }
    try roundTrip { g in
      GlucoseMeasurement(
        sequenceNumber: g.number(.min ... .max), baseTime: g.dateTime(),
        timeOffset: g.maybe { $0.number(.min ... .max) },
        concentration: g.maybe {
          .init(
            value: $0.sfloat(), unit: $0.bool() ? .molesPerLitre : .kilogramsPerLitre,
            type: $0.number(0...15), location: $0.number(0...15))
        },
        status: g.maybe { .init(rawValue: $0.number(.min ... .max)) }, hasContext: g.bool())
    }
  }

  @Test
  func `oximeters and thermometers`() throws {
    try roundTrip { g in
      PLXSpotCheckMeasurement(
        oximetry: g.oximetry(), timeStamp: g.maybe { $0.dateTime() },
        status: g.maybe { .init(rawValue: $0.number(.min ... .max)) },
        condition: g.maybe { .init(rawValue: $0.number(0...0xFF_FFFF)) },
        pulseAmplitudeIndex: g.maybe { $0.sfloat() }, isClockUnset: g.bool())
    }
    try roundTrip { g in
      PLXContinuousMeasurement(
        oximetry: g.oximetry(), fast: g.maybe { $0.oximetry() }, slow: g.maybe { $0.oximetry() },
        status: g.maybe { .init(rawValue: $0.number(.min ... .max)) },
        condition: g.maybe { .init(rawValue: $0.number(0...0xFF_FFFF)) },
        pulseAmplitudeIndex: g.maybe { $0.sfloat() })
    }
    try roundTrip { g in
      TemperatureMeasurement(
        unit: g.bool() ? .celsius : .fahrenheit,
        temperature: MedicalFloat(float: g.number(.min ... .max)),
        timeStamp: g.maybe { $0.dateTime() },
        site: g.maybe { .init(rawValue: $0.number(.min ... .max)) })
    }
    try roundTrip { try BatteryLevel(percent: $0.number(0...100)) }
  }

  @Test
  func `control points`() throws {
    try roundTrip { g -> RecordAccessControlPoint.Request in
      switch g.number(0...3) {
      case 0: .report(g.records())
      case 1: .delete(g.records())
      case 2: .count(g.records())
      default: .abort
      }
    }
    try roundTrip { g -> UserControlPoint.Request in
      switch g.number(0...4) {
      case 0: .registerNewUser(consentCode: g.number(.min ... .max))
      case 1: .consent(userIndex: g.number(.min ... .max), consentCode: g.number(.min ... .max))
      case 2: .deleteUserData
      case 3: .listAllUsers
      default: .deleteUser(userIndex: g.number(.min ... .max))
      }
    }
    try roundTrip { g in
      UserControlPoint.Response(
        requestOpcode: g.number(.min ... .max),
        result: UserControlPoint.Result.allCases.randomElement(using: &g) ?? .success,
        parameter: (0..<g.number(0...18)).map { _ in g.number(.min ... .max) })
    }
  }
}

// MARK: - Random values

// Random values of the types of the characteristics' fields. They are within the range of a frame,
// so that each has a distinct encoding.
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
