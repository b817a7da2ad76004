import Care
import Testing

@testable import Outlets

/// How each quantity is shown.
struct HomeAssistantSensorTests {
  /// One quantity as Home Assistant shows it: class, unit, digits, whether it is the day's sum, whether it
  /// is of the moment.
  struct Case: Sendable {
    var quantity: Quantity
    var deviceClass: String?
    var unit: String?
    var precision = 0
    var isSum = false
    var isLive = false

    init(
      _ quantity: Quantity, _ deviceClass: String?, _ unit: String?, _ precision: Int = 0,
      isSum: Bool = false, isLive: Bool = false
    ) {
      (self.quantity, self.deviceClass, self.unit) = (quantity, deviceClass, unit)
      (self.precision, self.isSum, self.isLive) = (precision, isSum, isLive)
    }
  }

  static let cases: [Case] = [
    .init(.bodyMass, "weight", "kg", 2),
    .init(.bodyMassIndex, nil, "kg/m²", 1),
    .init(.height, "distance", "m", 2),
    .init(.bodyFatPercentage, nil, "%", 1),
    .init(.basalMetabolicRate, nil, "kJ"),
    .init(.musclePercentage, nil, "%", 1),
    .init(.muscleMass, "weight", "kg", 1),
    .init(.fatFreeMass, "weight", "kg", 1),
    .init(.softLeanMass, "weight", "kg", 1),
    .init(.bodyWaterMass, "weight", "kg", 1),
    .init(.bodyWaterPercentage, nil, "%", 1),
    .init(.boneMass, "weight", "kg", 1),
    .init(.visceralFat, nil, nil, 1),
    .init(.impedance, nil, "Ω"),
    .init(.impedanceHighFrequency, nil, "Ω"),
    .init(.heartRate, nil, "bpm", isLive: true),
    .init(.rrInterval, "duration", "s", 3, isLive: true),
    .init(.energyExpended, nil, "kJ"),
    .init(.bloodPressureSystolic, nil, "mmHg"),
    .init(.bloodPressureDiastolic, nil, "mmHg"),
    .init(.bloodPressureMean, nil, "mmHg"),
    .init(.cuffPressure, nil, "mmHg", isLive: true),
    .init(.pulseRate, nil, "bpm"),
    .init(.bodyTemperature, "temperature", "°C", 1),
    .init(.oxygenSaturation, nil, "%"),
    .init(.pulseAmplitudeIndex, nil, "%", 1),
    .init(.bloodGlucose, "blood_glucose_concentration", "mmol/L", 1),
    .init(.bloodGlucoseMass, "blood_glucose_concentration", "mg/dL"),
    .init(.interstitialGlucose, "blood_glucose_concentration", "mg/dL"),
    .init(.haemoglobinA1c, nil, "%", 1),
    .init(.carbohydrates, nil, "g"),
    .init(.batteryLevel, "battery", "%"),
    .init(.batteryVoltage, "voltage", "V", 2),
    .init(.stepCount, nil, "steps", isSum: true),
    .init(.sittingBreaks, nil, nil, isSum: true),
    .init(.exerciseTime, "duration", "min", isSum: true),
    .init(.distanceWalked, "distance", "m", isSum: true),
    .init(.distanceCycled, "distance", "m", isSum: true),
    .init(.speed, "speed", "m/s", 1, isLive: true),
    .init(.power, "power", "W", isLive: true),
    .init(.cadence, nil, "/min", isLive: true),
    .init(.walkingSpeed, "speed", "m/s", 2),
    .init(.rangeOfMotion, nil, "°"),
    .init(.exerciseRepetitions, nil, nil),
    .init(.timedUpAndGo, "duration", "s", 1),
    .init(.fiveTimesSitToStand, "duration", "s", 1),
    .init(.chairStandCount, nil, nil),
    .init(.sixMinuteWalkDistance, "distance", "m"),
    .init(.sixMinuteWalkSteps, nil, "steps"),
    .init(.tremorAcceleration, nil, "m/s²", 3),
    .init(.swayAcceleration, nil, "m/s²", 3),
    .init(.tapCount, nil, nil),
    .init(.reactionTime, "duration", "ms"),
    .init(.airTemperature, "temperature", "°C", 1),
    .init(.relativeHumidity, "humidity", "%", 1),
    .init(.airPressure, "atmospheric_pressure", "hPa"),
  ]

  @Test(arguments: cases)
  func `a quantity has its class, unit and precision`(_ known: Case) throws {
    let sensor = try #require(HomeAssistantSensor(known.quantity))
    #expect(sensor.deviceClass == known.deviceClass)
    #expect(sensor.unit == known.unit)
    #expect(sensor.precision == known.precision)
    #expect(sensor.isSum == known.isSum)
    #expect(sensor.isLive == known.isLive)
    #expect(sensor.stateClass == (known.isSum ? "total" : "measurement"))
  }

  @Test func `every quantity is in the table, or has too many values for a sensor`() {
    let shown = Set(Self.cases.map(\.quantity))
    let hidden: Set<Quantity> = [
      .accelerationX, .accelerationY, .accelerationZ, .movementCount, .wheelRevolutions,
    ]
    #expect(shown.union(hidden) == Set(Quantity.all))
    #expect(hidden.allSatisfy { HomeAssistantSensor($0) == nil })
  }

  /// The units and states that Home Assistant's classes take, as far as they are used here.
  ///
  /// Source: `DEVICE_CLASS_UNITS` and `DEVICE_CLASS_STATE_CLASSES` of
  /// `components/sensor/const.py`.
  static let classes: [String: (units: Set<String>, states: Set<String>)] = [
    "weight": (["kg", "g", "mg", "µg", "oz", "lb", "st"], ["measurement"]),
    "distance": (
      ["km", "m", "cm", "mm", "mi", "nmi", "yd", "in"],
      ["measurement", "total", "total_increasing"]
    ),
    "duration": (
      ["d", "h", "min", "s", "ms"], ["measurement", "total", "total_increasing"]
    ),
    "speed": (["m/s", "km/h", "mph", "kn", "ft/s"], ["measurement"]),
    "power": (["W", "kW", "MW"], ["measurement"]),
    "temperature": (["°C", "°F", "K"], ["measurement"]),
    "voltage": (["V", "mV"], ["measurement"]),
    "battery": (["%"], ["measurement"]),
    "humidity": (["%"], ["measurement"]),
    "atmospheric_pressure": (["hPa", "kPa", "Pa", "mmHg", "mbar", "bar"], ["measurement"]),
    "blood_glucose_concentration": (["mg/dL", "mmol/L"], ["measurement"]),
  ]

  @Test func `no class is given with a unit or a state class that it refuses`() throws {
    for quantity in Quantity.all {
      guard let sensor = HomeAssistantSensor(quantity), let name = sensor.deviceClass else {
        continue
      }
      let known = try #require(Self.classes[name], "\(name)")
      #expect(known.units.contains(sensor.unit ?? ""), "\(quantity.rawValue)")
      #expect(known.states.contains(sensor.stateClass), "\(quantity.rawValue)")
    }
  }
}
