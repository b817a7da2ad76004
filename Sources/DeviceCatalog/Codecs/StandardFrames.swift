import Care
import GATT

/// An adopted characteristic of the Bluetooth SIG whose values are measurements.
protocol MeasuredCharacteristic: Characteristic {
  /// The measurements.
  ///
  /// - Parameter isIntermediate: Whether the frame is of the intermediate characteristic, which has
  ///   the same layout.
  /// - Returns: The values, or the reason why there are none.
  func content(isIntermediate: Bool) -> FrameContent
}

/// Decodes an adopted characteristic.
struct AdoptedCodec<Measured: MeasuredCharacteristic>: Codec {
  var isIntermediate = false

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    try Measured.decode(frame) { $0.content(isIntermediate: isIntermediate) }
  }
}

extension FrameContent {
  /// A frame's values, all with its time, user and context, without the missing ones.
  init(
    _ values: [DecodedValue?], time: DateTime? = nil, user: UInt8? = nil, streamed: Bool = false,
    context: MeasurementContext = [], otherwise note: FrameNote
  ) {
    let time = LocalDateTime(time)
    self.values = values.compactMap { value in
      guard var value else { return nil }
      value.time = time
      value.userIndex = user.map(Int.init)
      value.isStreamed = streamed
      value.context = context
      return value
    }
    if self.values.isEmpty { self.note = note }
  }
}

extension DecodedValue {
  /// A value of an exact fraction; `nil` for none.
  init?(_ quantity: Quantity, _ number: ScaledValue?, _ unit: UnitOfMeasure? = nil) {
    guard let number else { return nil }
    self.init(quantity, number.doubleValue, unit)
  }

  /// A value of a medical number; `nil` for none and for special values.
  init?(_ quantity: Quantity, _ number: MedicalFloat?, _ unit: UnitOfMeasure? = nil) {
    guard let number = number?.doubleValue else { return nil }
    self.init(quantity, number, unit)
  }
}

extension UnitSystem {
  /// The unit of a mass.
  var mass: UnitOfMeasure { self == .si ? .kilogram : .pound }
  /// The unit of a height.
  var height: UnitOfMeasure { self == .si ? .metre : .inch }
}

// MARK: - Scales

// GATT Specification Supplement §3.249; Weight Scale Service 1.0.
extension WeightMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    // Without a weight the other fields belong to no measurement; 0 is that of an empty scale.
    guard let weight = weight.flatMap(\.nonZero) else {
      return FrameContent([], otherwise: .noWeight)
    }
    return FrameContent(
      [
        DecodedValue(.bodyMass, weight, unitSystem.mass),
        DecodedValue(.bodyMassIndex, bodyMassIndex.flatMap(\.nonZero)),
        DecodedValue(.height, height.flatMap(\.nonZero), unitSystem.height),
      ], time: timeStamp, user: userIndex, otherwise: .noScaleValue)
  }
}

extension ScaledValue {
  /// The value; `nil` for 0, which scales send for an unknown value.
  fileprivate var nonZero: ScaledValue? { numerator == 0 ? nil : self }
}

// GATT Specification Supplement §3.24; Body Composition Service 1.0.
extension BodyCompositionMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let body = [
      DecodedValue(.bodyMass, self[.weight], unitSystem.mass),
      DecodedValue(.height, self[.height], unitSystem.height),
    ]
    // Without a composition scales send a stub, often with a basal metabolism. Everything but the
    // impedance is computed from the height, age and sex of a person, whom the scale has to know.
    let composition =
      isSuccessful && !isOfUnknownUser
      ? [
        DecodedValue(.bodyFatPercentage, self[.fatPercentage]),
        DecodedValue(.basalMetabolicRate, self[.basalMetabolism]),
        DecodedValue(.musclePercentage, self[.musclePercentage]),
        DecodedValue(.muscleMass, self[.muscleMass], unitSystem.mass),
        DecodedValue(.fatFreeMass, self[.fatFreeMass], unitSystem.mass),
        DecodedValue(.softLeanMass, self[.softLeanMass], unitSystem.mass),
        DecodedValue(.bodyWaterMass, self[.bodyWaterMass], unitSystem.mass),
      ] : []
    let impedance = isSuccessful ? [DecodedValue(.impedance, self[.impedance])] : []
    return FrameContent(
      composition + impedance + body, time: timeStamp, user: userIndex,
      otherwise: .noBodyComposition)
  }
}

// MARK: - Heart rate

// GATT Specification Supplement §3.113; Heart Rate Service 1.0.
extension HeartRateMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    // Counts of a strap without contact are noise, whatever the rate is (Heart Rate Service §3.1).
    guard contact != .notDetected else { return FrameContent([], otherwise: .noSkinContact) }
    let intervals = rrIntervalsInSeconds.filter { $0.numerator > 0 }
    return FrameContent(
      [
        rate.flatMap { DecodedValue(.heartRate, Double($0)) },
        energyExpended.flatMap { DecodedValue(.energyExpended, Double($0)) },
      ] + intervals.map { DecodedValue(.rrInterval, $0) },
      streamed: true, otherwise: .noHeartBeat)
  }
}

// MARK: - Blood pressure

// GATT Specification Supplement §3.22 and §3.133; Blood Pressure Service 1.1.
extension BloodPressureMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let unit: UnitOfMeasure = unit == .kilopascals ? .kilopascal : .millimetreOfMercury
    if isIntermediate {
      // The systolic field has the current cuff pressure, the other two are NaN.
      return FrameContent(
        [DecodedValue(.cuffPressure, systolic, unit)], time: timeStamp, user: userIndex,
        streamed: true, otherwise: .noCuffPressure)
    }
    return FrameContent(
      [
        DecodedValue(.bloodPressureSystolic, systolic, unit),
        DecodedValue(.bloodPressureDiastolic, diastolic, unit),
        DecodedValue(.bloodPressureMean, meanArterial, unit),
        DecodedValue(.pulseRate, pulseRate),
      ], time: timeStamp, user: userIndex, context: status?.context ?? [],
      otherwise: .noBloodPressure)
  }
}

extension BloodPressureMeasurement.Status {
  /// The monitor's remarks on the measurement.
  var context: MeasurementContext {
    let parts: [(Self, MeasurementContext)] = [
      (.bodyMovement, .bodyMovement), (.cuffTooLoose, .cuffTooLoose),
      (.irregularPulse, .irregularPulse), (.pulseAboveRange, .pulseAboveRange),
      (.pulseBelowRange, .pulseBelowRange), (.improperPosition, .improperPosition),
    ]
    return MeasurementContext(parts.filter { contains($0.0) }.map(\.1))
  }
}

// MARK: - Temperature

// GATT Specification Supplement §3.216; Health Thermometer Service 1.0.
extension TemperatureMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      [
        DecodedValue(
          .bodyTemperature, temperature, unit == .fahrenheit ? .degreeFahrenheit : .degreeCelsius)
      ], time: timeStamp, streamed: isIntermediate, context: site?.context ?? [],
      otherwise: .noTemperature)
  }
}

extension TemperatureMeasurement.Site {
  /// Where the temperature was taken; empty for a site that the service does not define.
  fileprivate var context: MeasurementContext {
    switch self {
    case .armpit: .armpit
    case .body: .body
    case .ear: .ear
    case .finger: .finger
    case .gastroIntestinalTract: .gastrointestinalTract
    case .mouth: .mouth
    case .rectum: .rectum
    case .toe: .toe
    case .tympanum: .tympanum
    default: []
    }
  }
}

// MARK: - Pulse oximetry

// GATT Specification Supplement §3.171 and §3.172; Pulse Oximeter Service 1.0.
extension PLXSpotCheckMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      oximetry.values(amplitude: pulseAmplitudeIndex, status: status),
      time: isClockUnset ? nil : timeStamp, otherwise: .noOximetry)
  }
}

extension PLXContinuousMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      oximetry.values(amplitude: pulseAmplitudeIndex, status: status), streamed: true,
      otherwise: .noOximetry)
  }
}

extension PulseOximetry {
  fileprivate func values(
    amplitude: MedicalFloat?, status: PulseOximetryStatus?
  ) -> [DecodedValue?] {
    // Invalid and synthetic values are no measurement of a person.
    let refused: PulseOximetryStatus = [.demonstration, .testing, .unavailable, .invalid]
    guard status?.isDisjoint(with: refused) ?? true else { return [] }
    return [
      DecodedValue(.oxygenSaturation, saturation),
      DecodedValue(.pulseRate, pulseRate),
      DecodedValue(.pulseAmplitudeIndex, amplitude),
    ]
  }
}

// MARK: - Glucose

// GATT Specification Supplement §3.104; Glucose Service 1.0.
extension GlucoseMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    var content = measured
    content.sequence = sequenceNumber
    content.isComplemented = hasContext
    return content
  }

  private var measured: FrameContent {
    guard let concentration else {
      return FrameContent([], otherwise: .noGlucoseResult)
    }
    guard !concentration.isControlSolution else {
      return FrameContent([], otherwise: .controlSolution)
    }
    let value =
      switch concentration.unit {
      case .molesPerLitre:
        DecodedValue(.bloodGlucose, concentration.value, .molePerLitre)
      case .kilogramsPerLitre:
        DecodedValue(.bloodGlucoseMass, concentration.value, .kilogramPerLitre)
      }
    var content = FrameContent(
      [value], time: baseTime, context: concentration.context.union(status?.context ?? []),
      otherwise: .noGlucoseConcentration)
    // A meter's base time never changes; setting its clock changes the offset.
    for index in content.values.indices {
      content.values[index].time = content.values[index].time?.adding(
        minutes: Int(timeOffset ?? 0))
    }
    return content
  }
}

extension GlucoseMeasurement.Concentration {
  /// The fluid and its sampling site; the fluids are those of Glucose Service §3.1.1.5.
  fileprivate var context: MeasurementContext {
    MeasurementContext(glucoseFluid: type).union(MeasurementContext(glucoseSite: location))
  }
}

extension MeasurementContext {
  /// The fluid of a type number of glucose; empty for one that is not defined.
  init(glucoseFluid type: UInt8) {
    let fluids: [MeasurementContext] = [
      .capillaryWholeBlood, .capillaryPlasma, .venousWholeBlood, .venousPlasma,
      .arterialWholeBlood, .arterialPlasma, .wholeBlood, .plasma, .interstitialFluid,
    ]
    let place = Int(type) - 1
    self = fluids.indices.contains(place) ? fluids[place] : []
  }

  /// The place of a location number of glucose; empty for one that is not defined.
  init(glucoseSite location: UInt8) {
    self =
      switch location {
      case 1: .finger
      case 2: .alternateSite
      case 3: .earlobe
      default: []
      }
  }
}

extension GlucoseMeasurement.Status {
  /// The meter's remarks on its sensor.
  fileprivate var context: MeasurementContext {
    let parts: [(Self, MeasurementContext)] = [
      (.batteryLow, .batteryLow), (.sensorMalfunction, .sensorFault),
      (.sampleInsufficient, .sampleInsufficient), (.stripInsertionError, .stripInsertionError),
      (.wrongStripType, .wrongSensorType), (.resultTooHigh, .resultTooHigh),
      (.resultTooLow, .resultTooLow), (.temperatureTooHigh, .sensorTooWarm),
      (.temperatureTooLow, .sensorTooCold), (.readInterrupted, .readInterrupted),
      (.deviceFault, .deviceFault), (.timeFault, .timeFault),
    ]
    return MeasurementContext(parts.filter { contains($0.0) }.map(\.1))
  }
}

// MARK: - Battery

// GATT Specification Supplement §3.18; Battery Service 1.1.
extension BatteryLevel: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      [DecodedValue(.batteryLevel, Double(percent))], streamed: true,
      otherwise: .noBatteryLevel)
  }
}
