import Care

extension DeviceDefinition {
  /// The data read, in words, the measurement first: `weight`, `impedance`, `history`, `clock`.
  ///
  /// `history` is data stored before the device was linked, `clock` its own time of a measurement.
  public var reads: [String] {
    let quantities = Set(self.quantities)
    var words = Self.words.filter { !quantities.isDisjoint(with: $0.quantities) }.map(\.word)
    if streamsMotion { words.append("movement") }
    if readsHistory { words.append("history") }
    if records.contains(where: \.tellsTime) { words.append("clock") }
    return words
  }

  /// Whether measurements are read that the device stored before it was linked.
  public var readsHistory: Bool {
    link.keepsHistory || records.contains(where: \.isStored)
  }

  /// Whether the device's clock is set on each connection.
  public var setsClock: Bool {
    (session.start + session.end).contains(where: \.writesTime)
      || session.answers.contains { $0.payload.isTime }
  }

  /// The steps that a person must take, in order, each in a few words.
  public var preparation: [String] {
    var steps = [prepare].compactMap(\.self) + [pairing].compactMap(\.self)
    if link.mode == .connect, link.bond == .none { steps.append("close its app") }
    return steps
  }

  /// The preparation by pairing or in the plan; `nil` for a device that needs neither.
  public var pairing: String? {
    let steps = [
      link.bond == .required ? "pair it once" : nil,
      session.password == nil ? nil : "put it into the plan, then pair it once",
      needsConsent ? "user and code in the plan" : nil,
      needsKey ? "key in the plan" : nil,
    ].compactMap(\.self)
    return steps.isEmpty ? nil : steps.joined(separator: "; ")
  }

  /// The words for what is read, with the quantities that each stands for.
  static let words: [(word: String, quantities: Set<Quantity>)] = [
    ("weight", [.bodyMass]),
    ("impedance", [.impedance, .impedanceHighFrequency]),
    (
      "body composition",
      [
        .bodyMassIndex, .bodyFatPercentage, .basalMetabolicRate, .musclePercentage, .muscleMass,
        .fatFreeMass, .softLeanMass, .bodyWaterMass, .bodyWaterPercentage, .boneMass, .visceralFat,
      ]
    ),
    ("height", [.height]),
    (
      "blood pressure",
      [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .cuffPressure]
    ),
    ("oxygen saturation", [.oxygenSaturation]),
    ("pulse", [.pulseRate]),
    ("perfusion", [.pulseAmplitudeIndex]),
    ("glucose", [.bloodGlucose, .bloodGlucoseMass, .interstitialGlucose]),
    ("HbA1c", [.haemoglobinA1c]),
    ("carbohydrates", [.carbohydrates]),
    ("temperature", [.bodyTemperature, .airTemperature]),
    ("humidity", [.relativeHumidity]),
    ("air pressure", [.airPressure]),
    ("heart rate", [.heartRate]),
    ("beat intervals", [.rrInterval]),
    ("steps", [.stepCount]),
    ("speed", [.speed, .walkingSpeed]),
    ("distance", [.distanceWalked, .distanceCycled]),
    ("wheel turns", [.wheelRevolutions]),
    ("cadence", [.cadence]),
    ("power", [.power]),
    ("energy", [.energyExpended]),
    ("exercise time", [.exerciseTime]),
    ("acceleration", [.accelerationX, .accelerationY, .accelerationZ]),
    ("movements", [.movementCount]),
    ("battery", [.batteryLevel, .batteryVoltage]),
  ]
}

extension SessionStep {
  fileprivate var writesTime: Bool {
    switch self {
    case .write(_, let payload, _): payload.isTime
    case .consent(_, let then): then.contains(where: \.writesTime)
    default: false
    }
  }
}

extension SessionStep.Payload {
  /// Whether it tells the device the time.
  fileprivate var isTime: Bool {
    switch self {
    case .bytes: false
    case .currentTime, .dateTime: true
    case .assembled(let template):
      template.parts.contains { if case .time = $0 { true } else { false } }
    }
  }
}
