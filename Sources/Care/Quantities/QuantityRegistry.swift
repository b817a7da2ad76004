extension Quantity {
  /// Every quantity by name, with its canonical unit (UCUM), LOINC and IEEE 11073-10101 codes.
  ///
  /// A code is given only where it means exactly this; a wrong one is worse than none.
  ///
  /// Plausible ranges are wide on purpose: they keep a toe on the scale or a lost sensor from
  /// becoming somebody's measurement, and say nothing about health.
  static let registry: [String: QuantityDefinition] = [
    "bodyMass": .init(
      unit: "kg", title: "Weight", loinc: "29463-7", mdc: 188_736, plausible: 10...400),
    "bodyMassIndex": .init(
      unit: "kg/m2", title: "Body mass index", loinc: "39156-5", mdc: 188_752, plausible: 5...120),
    "height": .init(
      unit: "m", title: "Height", loinc: "8302-2", mdc: 188_740, plausible: 0.3...2.6),
    "bodyFatPercentage": .init(
      unit: "%", title: "Body fat", loinc: "41982-0", mdc: 188_748, plausible: 1...80),
    "basalMetabolicRate": .init(
      unit: "kJ", title: "Basal metabolism", plausible: 1000...30_000),
    "musclePercentage": .init(unit: "%", title: "Muscle", plausible: 1...90),
    "muscleMass": .init(unit: "kg", title: "Muscle mass", plausible: 1...200),
    "fatFreeMass": .init(
      unit: "kg", title: "Fat-free mass", loinc: "91557-9", mdc: 188_756, plausible: 1...250),
    "softLeanMass": .init(
      unit: "kg", title: "Soft lean mass", mdc: 188_760, plausible: 1...250),
    "bodyWaterMass": .init(
      unit: "kg", title: "Body water mass", mdc: 188_764, plausible: 1...250),
    "impedance": .init(unit: "Ohm", title: "Body impedance", plausible: 50...5000),
    "impedanceHighFrequency": .init(
      unit: "Ohm", title: "Body impedance at 250 kHz", plausible: 50...5000),
    "heartRate": .init(
      unit: "/min", title: "Heart rate", loinc: "8867-4", mdc: 147_842, plausible: 20...260),
    "rrInterval": .init(
      unit: "s", title: "RR interval", mdc: 147_240, plausible: 0.2...3),
    "energyExpended": .init(
      unit: "kJ", title: "Energy expended", loinc: "41981-2", mdc: 8_454_263,
      plausible: 0...100_000),
    "bloodPressureSystolic": .init(
      unit: "mm[Hg]", title: "Systolic pressure", loinc: "8480-6", mdc: 150_021, plausible: 40...300
    ),
    "bloodPressureDiastolic": .init(
      unit: "mm[Hg]", title: "Diastolic pressure", loinc: "8462-4", mdc: 150_022,
      plausible: 20...220),
    "bloodPressureMean": .init(
      unit: "mm[Hg]", title: "Mean arterial pressure", loinc: "8478-0", mdc: 150_023,
      plausible: 25...250),
    "cuffPressure": .init(unit: "mm[Hg]", title: "Cuff pressure", plausible: 0...330),
    "pulseRate": .init(
      unit: "/min", title: "Pulse rate", loinc: "8889-8", mdc: 149_546, plausible: 20...260),
    "bodyTemperature": .init(
      unit: "Cel", title: "Body temperature", loinc: "8310-5", mdc: 150_364, plausible: 25...45),
    "oxygenSaturation": .init(
      unit: "%", title: "Oxygen saturation", loinc: "59408-5", mdc: 150_456, plausible: 30...100),
    "pulseAmplitudeIndex": .init(
      unit: "%", title: "Pulse amplitude index", mdc: 150_488, plausible: 0...100),
    "bloodGlucose": .init(
      unit: "mmol/L", title: "Blood glucose", loinc: "15074-8", mdc: 160_020, plausible: 0.5...60),
    "bloodGlucoseMass": .init(
      unit: "mg/dL", title: "Blood glucose", loinc: "2339-0", mdc: 160_184, plausible: 10...1000),
    "batteryLevel": .init(
      unit: "%", title: "Battery", mdc: 67_996, plausible: 0...100, isPersonal: false),
    "batteryVoltage": .init(
      unit: "V", title: "Battery voltage", plausible: 0...60, isPersonal: false),
    "stepCount": .init(
      unit: "1", .cumulative, title: "Steps", loinc: "55423-8", plausible: 0...100_000),
    "exerciseTime": .init(
      unit: "min", .cumulative, title: "Exercise", loinc: "55411-3", plausible: 0...1440),
    "distanceWalked": .init(
      unit: "m", .cumulative, title: "Distance walked", loinc: "55430-3", mdc: 8_454_247,
      plausible: 0...200_000),
    "cadence": .init(unit: "/min", title: "Cadence", plausible: 20...300),
    "walkingSpeed": .init(unit: "m/s", title: "Walking speed", plausible: 0.05...10),
    "rangeOfMotion": .init(unit: "deg", title: "Range of motion", plausible: -360...720),
    "timedUpAndGo": .init(
      unit: "s", title: "Timed up and go", plausible: 2...300),
    "fiveTimesSitToStand": .init(
      unit: "s", title: "Five-times sit-to-stand", plausible: 2...300),
    "chairStandCount": .init(unit: "1", title: "Stands in 30 s", plausible: 0...60),
    "sixMinuteWalkDistance": .init(
      unit: "m", title: "Six-minute walk distance", plausible: 0...3_000),
    "sixMinuteWalkSteps": .init(unit: "1", title: "Six-minute walk steps", plausible: 0...2_000),
    "tremorAcceleration": .init(unit: "m/s2", title: "Tremor", plausible: 0...100),
    "swayAcceleration": .init(unit: "m/s2", title: "Sway", plausible: 0...5),
    "airTemperature": .init(
      unit: "Cel", title: "Air temperature", plausible: -90...90, isPersonal: false),
    "relativeHumidity": .init(unit: "%", title: "Humidity", plausible: 0...100, isPersonal: false),
    "airPressure": .init(
      unit: "hPa", title: "Air pressure", plausible: 300...1200, isPersonal: false),
    "accelerationX": .init(
      unit: "m/s2", title: "Acceleration x", plausible: -400...400, isPersonal: false),
    "accelerationY": .init(
      unit: "m/s2", title: "Acceleration y", plausible: -400...400, isPersonal: false),
    "accelerationZ": .init(
      unit: "m/s2", title: "Acceleration z", plausible: -400...400, isPersonal: false),
    "movementCount": .init(unit: "1", title: "Movements", plausible: 0...65_535, isPersonal: false),
  ]

  /// The names of every quantity, sorted.
  public static var allNames: [String] { registry.keys.sorted() }

  /// Body mass, kg.
  public static let bodyMass = Quantity(registered: "bodyMass")
  /// Heart rate, /min.
  public static let heartRate = Quantity(registered: "heartRate")
  /// Steps, 1, cumulative.
  public static let stepCount = Quantity(registered: "stepCount")
  /// Range of motion of a joint or segment, deg.
  public static let rangeOfMotion = Quantity(registered: "rangeOfMotion")
}
