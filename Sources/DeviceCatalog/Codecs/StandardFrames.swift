import Care
import GATT

/// A characteristic of the Bluetooth SIG whose values are measurements.
protocol MeasuredCharacteristic: Characteristic {
  /// What was measured.
  ///
  /// - Parameter isIntermediate: Whether it came while the measurement was still going on, by the
  ///   characteristic that shares the layout.
  /// - Returns: The values, or why there are none.
  func content(isIntermediate: Bool) -> FrameContent
}

/// Reads an adopted characteristic as its specification lays it out.
struct AdoptedCodec<Measured: MeasuredCharacteristic>: Codec {
  var isIntermediate = false

  mutating func decode(_ frame: [UInt8]) throws(DecodeError) -> FrameContent {
    do throws(GATTError) {
      return try Measured(frame).content(isIntermediate: isIntermediate)
    } catch {
      throw .malformed(reason: error.description)
    }
  }
}

extension FrameContent {
  /// A frame's values, all with its time and user; those that say nothing are left out.
  init(
    _ values: [DecodedValue?], time: DateTime? = nil, user: UInt8? = nil, streamed: Bool = false,
    otherwise note: String
  ) {
    let time = LocalDateTime(time)
    self.values = values.compactMap { value in
      guard var value else { return nil }
      value.time = time
      value.userIndex = user.map(Int.init)
      value.isStreamed = streamed
      return value
    }
    if self.values.isEmpty { self.note = note }
  }
}

extension DecodedValue {
  /// A value of an exact fraction; `nil` where there is none.
  init?(_ quantity: Quantity, _ number: ScaledValue?, _ unit: UnitOfMeasure? = nil) {
    guard let number else { return nil }
    self.init(quantity, number.doubleValue, unit)
  }

  /// A value of a medical number; `nil` where it is none of a finite kind.
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
    // Without a weight there is no measurement that the rest could belong to.
    guard weight != nil else {
      return FrameContent([], otherwise: "the scale could not measure the weight")
    }
    return FrameContent(
      [
        DecodedValue(.bodyMass, weight, unitSystem.mass),
        DecodedValue(.bodyMassIndex, bodyMassIndex.flatMap(\.nonZero)),
        DecodedValue(.height, height.flatMap(\.nonZero), unitSystem.height),
      ], time: timeStamp, user: userIndex, otherwise: "the scale measured nothing")
  }
}

extension ScaledValue {
  /// The value, unless it is the zero that scales send for what they do not know.
  fileprivate var nonZero: ScaledValue? { numerator == 0 ? nil : self }
}

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

// MARK: - Heart rate

// GATT Specification Supplement §3.113; Heart Rate Service 1.0.
extension HeartRateMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let intervals = rrIntervalsInSeconds.filter { $0.numerator > 0 }
    return FrameContent(
      [
        rate.flatMap { DecodedValue(.heartRate, Double($0)) },
        energyExpended.flatMap { DecodedValue(.energyExpended, Double($0)) },
      ] + intervals.map { DecodedValue(.rrInterval, $0) },
      streamed: true,
      otherwise: contact == .notDetected
        ? "the heart-rate sensor has no skin contact" : "the heart-rate sensor found no beat")
  }
}

// MARK: - Blood pressure

// GATT Specification Supplement §3.22 and §3.133; Blood Pressure Service 1.1.
extension BloodPressureMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    let unit: UnitOfMeasure = unit == .kilopascals ? .kilopascal : .millimetreOfMercury
    if isIntermediate {
      // The current cuff pressure stands in the systolic field, the other two are NaN.
      return FrameContent(
        [DecodedValue(.cuffPressure, systolic, unit)], time: timeStamp, user: userIndex,
        streamed: true, otherwise: "the cuff has no pressure to tell")
    }
    return FrameContent(
      [
        DecodedValue(.bloodPressureSystolic, systolic, unit),
        DecodedValue(.bloodPressureDiastolic, diastolic, unit),
        DecodedValue(.bloodPressureMean, meanArterial, unit),
        DecodedValue(.pulseRate, pulseRate),
      ], time: timeStamp, user: userIndex,
      otherwise: "the blood pressure could not be measured")
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
      ], time: timeStamp, streamed: isIntermediate,
      otherwise: "the thermometer has no temperature to tell")
  }
}

// MARK: - Pulse oximetry

// GATT Specification Supplement §3.171 and §3.172; Pulse Oximeter Service 1.0.
extension PLXSpotCheckMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      oximetry.values(amplitude: pulseAmplitudeIndex, status: status),
      // A meter that says that its clock was never set does not know the time.
      time: isClockUnset ? nil : timeStamp, otherwise: PulseOximetry.nothing)
  }
}

extension PLXContinuousMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      oximetry.values(amplitude: pulseAmplitudeIndex, status: status), streamed: true,
      otherwise: PulseOximetry.nothing)
  }
}

extension PulseOximetry {
  fileprivate static let nothing = "the pulse oximeter has no valid measurement"

  fileprivate func values(
    amplitude: MedicalFloat?, status: PulseOximetryStatus?
  ) -> [DecodedValue?] {
    // What the meter itself calls invalid or made up is no measurement of a person.
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
    return content
  }

  private var measured: FrameContent {
    guard let concentration else {
      return FrameContent([], otherwise: "the glucose meter stored a record without a result")
    }
    guard !concentration.isControlSolution else {
      return FrameContent([], otherwise: "the glucose meter measured a control solution")
    }
    let value =
      switch concentration.unit {
      case .molesPerLitre:
        DecodedValue(.bloodGlucose, concentration.value, .molePerLitre)
      case .kilogramsPerLitre:
        DecodedValue(.bloodGlucoseMass, concentration.value, .kilogramPerLitre)
      }
    var content = FrameContent(
      [value], time: baseTime, otherwise: "the glucose meter could not measure")
    // People set the meter's clock as an offset to a base time that never changes.
    for index in content.values.indices {
      content.values[index].time = content.values[index].time?.adding(
        minutes: Int(timeOffset ?? 0))
    }
    return content
  }
}

// MARK: - Battery

// GATT Specification Supplement §3.18; Battery Service 1.1.
extension BatteryLevel: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(
      [DecodedValue(.batteryLevel, Double(percent))], streamed: true,
      otherwise: "the battery level is not known")
  }
}
