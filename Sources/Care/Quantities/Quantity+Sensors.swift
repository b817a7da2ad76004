// The quantities that the codecs of sensors speak of by name; files name them as the registry does.
extension Quantity {
  /// Body mass index, kg/m².
  public static let bodyMassIndex = Quantity(registered: "bodyMassIndex")
  /// Height, m.
  public static let height = Quantity(registered: "height")
  /// Body fat, %.
  public static let bodyFatPercentage = Quantity(registered: "bodyFatPercentage")
  /// Basal metabolism, kJ.
  public static let basalMetabolicRate = Quantity(registered: "basalMetabolicRate")
  /// Muscle, %.
  public static let musclePercentage = Quantity(registered: "musclePercentage")
  /// Muscle mass, kg.
  public static let muscleMass = Quantity(registered: "muscleMass")
  /// Fat-free mass, kg.
  public static let fatFreeMass = Quantity(registered: "fatFreeMass")
  /// Soft lean mass, kg.
  public static let softLeanMass = Quantity(registered: "softLeanMass")
  /// Body water mass, kg.
  public static let bodyWaterMass = Quantity(registered: "bodyWaterMass")
  /// Body impedance, Ω.
  public static let impedance = Quantity(registered: "impedance")
  /// Body impedance at 250 kHz, Ω, of scales that measure at two frequencies.
  public static let impedanceHighFrequency = Quantity(registered: "impedanceHighFrequency")
  /// Time between two heart beats, s.
  public static let rrInterval = Quantity(registered: "rrInterval")
  /// Energy expended, kJ.
  public static let energyExpended = Quantity(registered: "energyExpended")
  /// Systolic pressure, mmHg.
  public static let bloodPressureSystolic = Quantity(registered: "bloodPressureSystolic")
  /// Diastolic pressure, mmHg.
  public static let bloodPressureDiastolic = Quantity(registered: "bloodPressureDiastolic")
  /// Mean arterial pressure, mmHg.
  public static let bloodPressureMean = Quantity(registered: "bloodPressureMean")
  /// Pressure of the cuff while it measures, mmHg.
  public static let cuffPressure = Quantity(registered: "cuffPressure")
  /// Pulse rate, /min.
  public static let pulseRate = Quantity(registered: "pulseRate")
  /// Body temperature, °C.
  public static let bodyTemperature = Quantity(registered: "bodyTemperature")
  /// Oxygen saturation, %.
  public static let oxygenSaturation = Quantity(registered: "oxygenSaturation")
  /// Pulse amplitude index, %.
  public static let pulseAmplitudeIndex = Quantity(registered: "pulseAmplitudeIndex")
  /// Blood glucose as an amount of substance, mmol/L.
  public static let bloodGlucose = Quantity(registered: "bloodGlucose")
  /// Blood glucose as a mass, mg/dL.
  public static let bloodGlucoseMass = Quantity(registered: "bloodGlucoseMass")
  /// Battery, %.
  public static let batteryLevel = Quantity(registered: "batteryLevel")
  /// Acceleration along a sensor's x axis, m/s².
  public static let accelerationX = Quantity(registered: "accelerationX")
  /// Acceleration along a sensor's y axis, m/s².
  public static let accelerationY = Quantity(registered: "accelerationY")
  /// Acceleration along a sensor's z axis, m/s².
  public static let accelerationZ = Quantity(registered: "accelerationZ")
}
