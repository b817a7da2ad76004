// The registry of quantities.
//
// A LOINC or IEEE 11073-10101 code is given only where it means exactly this quantity: a wrong code
// is worse than none. Plausible ranges are wide on purpose: they reject a toe on the scale or a
// sensor that lost contact, and say nothing about health. Possible ranges are wider still: they
// bound what a device can send and a body can have, so that no sum or conversion of it is too large.
// Those of what adds up hold for the longest time that one value may be of.
extension Quantity {
  /// Every quantity, in the order of the definitions below.
  public static let all: [Quantity] = [
    .bodyMass, .bodyMassIndex, .height, .bodyFatPercentage, .basalMetabolicRate,
    .musclePercentage, .muscleMass, .fatFreeMass, .softLeanMass, .bodyWaterMass,
    .bodyWaterPercentage,
    .boneMass, .visceralFat, .impedance, .impedanceHighFrequency, .heartRate, .rrInterval,
    .energyExpended, .bloodPressureSystolic,
    .bloodPressureDiastolic, .bloodPressureMean, .cuffPressure, .pulseRate, .bodyTemperature,
    .oxygenSaturation, .pulseAmplitudeIndex, .bloodGlucose, .bloodGlucoseMass, .interstitialGlucose,
    .haemoglobinA1c, .carbohydrates, .batteryLevel,
    .batteryVoltage, .stepCount, .sittingBreaks, .exerciseTime, .distanceWalked, .distanceCycled,
    .wheelRevolutions,
    .speed, .power, .cadence, .walkingSpeed,
    .rangeOfMotion, .exerciseRepetitions, .timedUpAndGo, .fiveTimesSitToStand,
    .chairStandCount, .sixMinuteWalkDistance, .sixMinuteWalkSteps, .tremorAcceleration,
    .swayAcceleration, .tapCount, .reactionTime, .airTemperature, .relativeHumidity, .airPressure,
    .accelerationX,
    .accelerationY,
    .accelerationZ, .movementCount,
  ]

  /// Body mass, kg.
  public static let bodyMass = Quantity(
    "bodyMass", .kilogram, title: "Weight", loinc: "29463-7", mdc: 188_736, plausible: 10...400,
    possible: 0.2...400,
    digits: 2)
  /// Body mass index, kg/m².
  public static let bodyMassIndex = Quantity(
    "bodyMassIndex", .kilogramPerSquareMetre, title: "Body mass index", loinc: "39156-5",
    mdc: 188_752, plausible: 5...120, possible: 1...200, digits: 1, isMeasuredWithWeight: true)
  /// Height, m.
  public static let height = Quantity(
    "height", .metre, title: "Height", loinc: "8302-2", mdc: 188_740, plausible: 0.3...2.6,
    possible: 0.2...3,
    digits: 2,
    isMeasuredWithWeight: true)
  /// Body fat, %.
  public static let bodyFatPercentage = Quantity(
    "bodyFatPercentage", .percent, title: "Body fat", loinc: "41982-0", mdc: 188_748,
    plausible: 1...80, possible: 0...100, digits: 1, isMeasuredWithWeight: true)
  /// Basal metabolism, kJ.
  public static let basalMetabolicRate = Quantity(
    "basalMetabolicRate", .kilojoule, title: "Basal metabolism", plausible: 1000...30_000,
    possible: 0...50_000,
    isMeasuredWithWeight: true)
  /// Muscle, %.
  public static let musclePercentage = Quantity(
    "musclePercentage", .percent, title: "Muscle", plausible: 1...90, possible: 0...100, digits: 1,
    isMeasuredWithWeight: true)
  /// Muscle mass, kg.
  public static let muscleMass = Quantity(
    "muscleMass", .kilogram, title: "Muscle mass", plausible: 1...200, possible: 0...400, digits: 1,
    isMeasuredWithWeight: true)
  /// Fat-free mass, kg.
  public static let fatFreeMass = Quantity(
    "fatFreeMass", .kilogram, title: "Fat-free mass", loinc: "91557-9", mdc: 188_756,
    plausible: 1...250, possible: 0...400, digits: 1, isMeasuredWithWeight: true)
  /// Soft lean mass, kg.
  public static let softLeanMass = Quantity(
    "softLeanMass", .kilogram, title: "Soft lean mass", mdc: 188_760, plausible: 1...250,
    possible: 0...400, digits: 1,
    isMeasuredWithWeight: true)
  /// Body water mass, kg.
  public static let bodyWaterMass = Quantity(
    "bodyWaterMass", .kilogram, title: "Body water mass", mdc: 188_764, plausible: 1...250,
    possible: 0...400,
    digits: 1,
    isMeasuredWithWeight: true)
  /// Body water, % of the weight.
  public static let bodyWaterPercentage = Quantity(
    "bodyWaterPercentage", .percent, title: "Body water", plausible: 10...90, possible: 0...100,
    digits: 1,
    isMeasuredWithWeight: true)
  /// Bone mass as scales estimate it, kg.
  public static let boneMass = Quantity(
    "boneMass", .kilogram, title: "Bone mass", plausible: 0.1...20, possible: 0...50, digits: 1,
    isMeasuredWithWeight: true)
  /// Visceral fat as a scale's own rating, 1.
  public static let visceralFat = Quantity(
    "visceralFat", .one, title: "Visceral fat rating", plausible: 0.5...60, possible: 0...100,
    digits: 1,
    isMeasuredWithWeight: true)
  /// Body impedance, Ω.
  public static let impedance = Quantity(
    "impedance", .ohm, title: "Body impedance", plausible: 50...5000, possible: 0...65_535,
    isMeasuredWithWeight: true)
  /// Body impedance at 250 kHz, Ω, of scales that measure at two frequencies.
  public static let impedanceHighFrequency = Quantity(
    "impedanceHighFrequency", .ohm, title: "Body impedance at 250 kHz", plausible: 50...5000,
    possible: 0...65_535,
    isMeasuredWithWeight: true)
  /// Heart rate, /min.
  public static let heartRate = Quantity(
    "heartRate", .perMinute, title: "Heart rate", loinc: "8867-4", mdc: 147_842,
    plausible: 20...260, possible: 1...400
  )
  /// Time between two heart beats, s.
  public static let rrInterval = Quantity(
    "rrInterval", .second, title: "RR interval", mdc: 147_240, plausible: 0.2...3,
    possible: 0.1...10, digits: 3)
  /// Energy expended, kJ.
  public static let energyExpended = Quantity(
    "energyExpended", .kilojoule, title: "Energy expended", loinc: "41981-2", mdc: 8_454_263,
    plausible: 0...100_000, possible: 0...1_000_000)
  /// Systolic pressure, mmHg.
  public static let bloodPressureSystolic = Quantity(
    "bloodPressureSystolic", .millimetreOfMercury, title: "Systolic pressure", loinc: "8480-6",
    mdc: 150_021, plausible: 40...300, possible: 10...400)
  /// Diastolic pressure, mmHg.
  public static let bloodPressureDiastolic = Quantity(
    "bloodPressureDiastolic", .millimetreOfMercury, title: "Diastolic pressure", loinc: "8462-4",
    mdc: 150_022, plausible: 20...220, possible: 5...350)
  /// Mean arterial pressure, mmHg.
  public static let bloodPressureMean = Quantity(
    "bloodPressureMean", .millimetreOfMercury, title: "Mean arterial pressure", loinc: "8478-0",
    mdc: 150_023, plausible: 25...250, possible: 5...375)
  /// Pressure of the cuff while it measures, mmHg.
  public static let cuffPressure = Quantity(
    "cuffPressure", .millimetreOfMercury, title: "Cuff pressure", plausible: 0...330,
    possible: 0...400)
  /// Pulse rate, /min.
  public static let pulseRate = Quantity(
    "pulseRate", .perMinute, title: "Pulse rate", loinc: "8889-8", mdc: 149_546,
    plausible: 20...260, possible: 1...400
  )
  /// Body temperature, °C.
  public static let bodyTemperature = Quantity(
    "bodyTemperature", .degreeCelsius, title: "Body temperature", loinc: "8310-5", mdc: 150_364,
    plausible: 25...45, possible: 10...50, digits: 1)
  /// Oxygen saturation, %.
  public static let oxygenSaturation = Quantity(
    "oxygenSaturation", .percent, title: "Oxygen saturation", loinc: "59408-5", mdc: 150_456,
    plausible: 30...100, possible: 1...100)
  /// Pulse amplitude index, %.
  public static let pulseAmplitudeIndex = Quantity(
    "pulseAmplitudeIndex", .percent, title: "Pulse amplitude index", mdc: 150_488,
    plausible: 0...100, digits: 1)
  /// Blood glucose as an amount of substance, mmol/L.
  public static let bloodGlucose = Quantity(
    "bloodGlucose", .millimolePerLitre, title: "Blood glucose (mmol/L)", loinc: "15074-8",
    mdc: 160_020, plausible: 0.5...60, possible: 0.1...111, digits: 1)
  /// Blood glucose as a mass, mg/dL.
  public static let bloodGlucoseMass = Quantity(
    "bloodGlucoseMass", .milligramPerDecilitre, title: "Blood glucose (mg/dL)", loinc: "2339-0",
    mdc: 160_184, plausible: 10...1000, possible: 1...2000)
  /// Glucose in the fluid between cells, which follows that of the blood by minutes, mg/dL.
  public static let interstitialGlucose = Quantity(
    "interstitialGlucose", .milligramPerDecilitre, title: "Interstitial glucose", loinc: "99504-3",
    mdc: 160_212, plausible: 10...1000, possible: 1...2000)
  /// Glycated haemoglobin, %.
  public static let haemoglobinA1c = Quantity(
    "haemoglobinA1c", .percent, title: "Haemoglobin A1c", loinc: "4548-4", plausible: 2...25,
    possible: 1...30,
    digits: 1)
  /// Carbohydrates that a person entered at a meal, g.
  public static let carbohydrates = Quantity(
    "carbohydrates", .gram, title: "Carbohydrates", plausible: 0...1000, possible: 0...10_000)
  /// A battery below that is low, %.
  package static let lowBattery = 15.0
  /// Battery, %.
  public static let batteryLevel = Quantity(
    "batteryLevel", .percent, title: "Battery", mdc: 67_996, plausible: 0...100, isPersonal: false)
  /// Battery voltage, V.
  public static let batteryVoltage = Quantity(
    "batteryVoltage", .volt, title: "Battery voltage", plausible: 0...60, possible: 0...100,
    digits: 2,
    isPersonal: false)
  /// Steps, 1, cumulative.
  public static let stepCount = Quantity(
    "stepCount", .one, .cumulative, title: "Steps", loinc: "55423-8", plausible: 0...100_000,
    possible: 0...1_000_000)
  /// Breaks from sitting, 1, cumulative: how often a person got up or moved about.
  public static let sittingBreaks = Quantity(
    "sittingBreaks", .one, .cumulative, title: "Breaks from sitting", plausible: 0...2_000,
    possible: 0...10_000)
  /// Time of exercise, min, cumulative.
  public static let exerciseTime = Quantity(
    "exerciseTime", .minute, .cumulative, title: "Exercise", loinc: "55411-3", plausible: 0...1440,
    possible: 0...44_640)
  /// Distance walked, m, cumulative.
  public static let distanceWalked = Quantity(
    "distanceWalked", .metre, .cumulative, title: "Distance walked", loinc: "55430-3",
    mdc: 8_454_247, plausible: 0...200_000, possible: 0...1_000_000)
  /// Distance cycled, m, cumulative.
  public static let distanceCycled = Quantity(
    "distanceCycled", .metre, .cumulative, title: "Distance cycled", plausible: 0...1_000_000,
    possible: 0...10_000_000)
  /// Turns of a bicycle's wheel, 1, cumulative.
  public static let wheelRevolutions = Quantity(
    "wheelRevolutions", .one, .cumulative, title: "Wheel revolutions", plausible: 0...500_000,
    possible: 0...5_000_000)
  /// Speed of a runner, a bicycle or a machine, m/s.
  public static let speed = Quantity(
    "speed", .metrePerSecond, title: "Speed", plausible: 0...40, possible: 0...100, digits: 1)
  /// Power of a person on a bicycle or a machine, W.
  public static let power = Quantity(
    "power", .watt, title: "Power", plausible: 0...3000, possible: 0...5000)
  /// Steps or turns a minute, /min.
  public static let cadence = Quantity(
    "cadence", .perMinute, title: "Cadence", plausible: 20...300, possible: 0...500)
  /// Speed of a timed walk, m/s.
  public static let walkingSpeed = Quantity(
    "walkingSpeed", .metrePerSecond, title: "Walking speed", plausible: 0.05...10, possible: 0...15,
    digits: 2)
  /// Range of motion of a joint or segment, deg.
  public static let rangeOfMotion = Quantity(
    "rangeOfMotion", .degree, title: "Range of motion", plausible: -360...720,
    possible: -720...1080)
  /// Repetitions of an exercise, 1.
  public static let exerciseRepetitions = Quantity(
    "exerciseRepetitions", .one, title: "Exercise repetitions", plausible: 0...10_000)
  /// Time of a timed up and go, s.
  public static let timedUpAndGo = Quantity(
    "timedUpAndGo", .second, title: "Timed up and go", plausible: 2...300, possible: 0.1...3600,
    digits: 1)
  /// Time of five stands from a chair, s.
  public static let fiveTimesSitToStand = Quantity(
    "fiveTimesSitToStand", .second, title: "Five-times sit-to-stand", plausible: 2...300,
    possible: 0.1...3600, digits: 1)
  /// Stands from a chair in 30 s, 1.
  public static let chairStandCount = Quantity(
    "chairStandCount", .one, title: "Stands in 30 s", plausible: 0...60, possible: 0...200)
  /// Distance walked in six minutes, m.
  public static let sixMinuteWalkDistance = Quantity(
    "sixMinuteWalkDistance", .metre, title: "Six-minute walk distance", plausible: 0...3_000)
  /// Steps in a six-minute walk, 1; they are not added to the steps of the day.
  public static let sixMinuteWalkSteps = Quantity(
    "sixMinuteWalkSteps", .one, title: "Six-minute walk steps", plausible: 0...2_000,
    possible: 0...3000)
  /// Root mean square of a limb's acceleration between 3 and 12 Hz, m/s².
  public static let tremorAcceleration = Quantity(
    "tremorAcceleration", .metrePerSquareSecond, title: "Tremor", plausible: 0...100, digits: 3)
  /// Root mean square of the acceleration of a standing person's sway, m/s².
  public static let swayAcceleration = Quantity(
    "swayAcceleration", .metrePerSquareSecond, title: "Sway", plausible: 0...5, possible: 0...100,
    digits: 3)
  /// Taps of a tapping test, 1.
  public static let tapCount = Quantity("tapCount", .one, title: "Taps", plausible: 0...2_000)
  /// Reaction time on a screen, its latency included, ms.
  public static let reactionTime = Quantity(
    "reactionTime", .millisecond, title: "Reaction time", plausible: 100...3_000,
    possible: 1...60_000)
  /// Temperature of the air, °C.
  public static let airTemperature = Quantity(
    "airTemperature", .degreeCelsius, title: "Air temperature", plausible: -90...90, digits: 1,
    isPersonal: false)
  /// Relative humidity of the air, %.
  public static let relativeHumidity = Quantity(
    "relativeHumidity", .percent, title: "Humidity", plausible: 0...100, possible: 0...105,
    digits: 1,
    isPersonal: false)
  /// Pressure of the air, hPa.
  public static let airPressure = Quantity(
    "airPressure", .hectopascal, title: "Air pressure", plausible: 300...1200, possible: 100...1500,
    isPersonal: false)
  /// Acceleration along a sensor's x axis, m/s².
  public static let accelerationX = Quantity(
    "accelerationX", .metrePerSquareSecond, title: "Acceleration x", plausible: -400...400,
    possible: -4000...4000,
    digits: 2,
    isPersonal: false)
  /// Acceleration along a sensor's y axis, m/s².
  public static let accelerationY = Quantity(
    "accelerationY", .metrePerSquareSecond, title: "Acceleration y", plausible: -400...400,
    possible: -4000...4000,
    digits: 2,
    isPersonal: false)
  /// Acceleration along a sensor's z axis, m/s².
  public static let accelerationZ = Quantity(
    "accelerationZ", .metrePerSquareSecond, title: "Acceleration z", plausible: -400...400,
    possible: -4000...4000,
    digits: 2,
    isPersonal: false)
  /// Movements that a sensor counted, 1.
  public static let movementCount = Quantity(
    "movementCount", .one, title: "Movements", plausible: 0...65_535, possible: 0...4_294_967_295,
    isPersonal: false)
}

extension Quantity {
  /// The quantities that an everyday word stands for.
  package static func meant(by word: String) -> [Quantity] {
    switch word.lowercased().filter(\.isLetter) {
    case "weight", "mass", "bodyweight": [.bodyMass]
    case "pulse", "hr", "heart", "bpm", "heartbeat": [.heartRate]
    case "steps", "step", "walk": [.stepCount]
    case "sitting", "breaks", "standup", "getup", "standhours": [.sittingBreaks]
    case "bp", "bloodpressure", "pressure": [.bloodPressureSystolic, .bloodPressureDiastolic]
    case "systolic": [.bloodPressureSystolic]
    case "diastolic": [.bloodPressureDiastolic]
    case "temperature", "temp", "fever": [.bodyTemperature]
    case "fat", "bodyfat": [.bodyFatPercentage]
    case "bmi": [.bodyMassIndex]
    case "spo", "oxygen", "saturation": [.oxygenSaturation]
    case "glucose", "sugar", "bloodsugar": [.bloodGlucose, .bloodGlucoseMass]
    case "rom", "angle", "flexion": [.rangeOfMotion]
    case "distance": [.distanceWalked]
    default: []
    }
  }
}
