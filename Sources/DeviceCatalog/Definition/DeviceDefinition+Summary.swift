public import Care
public import GATT

extension DeviceDefinition {
  /// The ways in which the device is recognised, for people; each is enough by itself.
  public var recognisedBy: [String] {
    match.alternatives.map { $0.map(\.description).joined(separator: " and ") }
  }

  /// The services that a device of this kind may advertise, in the order of the file: what a radio
  /// can be asked to look for.
  public var advertisedServices: [BluetoothUUID] {
    var services: [BluetoothUUID] = []
    for clause in match.all + match.any {
      for service in [clause.service, clause.serviceData?.key].compactMap(\.self)
      where !services.contains(service) {
        services.append(service)
      }
    }
    return services
  }

  /// The quantities that the device can measure, in the order of the file.
  public var quantities: [Quantity] {
    var quantities: [Quantity] = []
    for quantity in records.flatMap(\.quantities) where !quantities.contains(quantity) {
      quantities.append(quantity)
    }
    return quantities
  }

  /// Whether the device tells nothing without something that the plan holds: a key, or the consent of
  /// its users.
  public var needsCredentials: Bool {
    records.contains { if case .codec(.xiaomiScale) = $0.content { true } else { false } }
      || session.start.contains { if case .consent = $0 { true } else { false } }
  }

  /// Whether the device streams acceleration, from which steps and movements are measured.
  public var streamsMotion: Bool { records.contains { $0.streamsMotion } }
}

extension RecordRule {
  fileprivate var quantities: [Quantity] {
    switch content {
    case .fields(let fields, _): fields.compactMap { $0.value?.quantity }
    case .codec(let name): name.quantities
    case .nothing: []
    }
  }

  fileprivate var streamsMotion: Bool {
    switch content {
    case .fields(_, let motion): motion != nil
    case .codec(let name): name == .polarMotion || name == .witMotion
    case .nothing: false
    }
  }
}

extension CodecName {
  fileprivate var quantities: [Quantity] {
    switch self {
    case .weightMeasurement: [.bodyMass, .bodyMassIndex, .height]
    case .bodyComposition:
      [
        .bodyFatPercentage, .basalMetabolicRate, .musclePercentage, .muscleMass, .fatFreeMass,
        .softLeanMass, .bodyWaterMass, .impedance, .bodyMass, .height,
      ]
    case .heartRate: [.heartRate, .energyExpended, .rrInterval]
    case .bloodPressure:
      [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .pulseRate]
    case .cuffPressure: [.cuffPressure]
    case .temperature, .intermediateTemperature: [.bodyTemperature]
    case .pulseOximeterSpotCheck, .pulseOximeterContinuous:
      [.oxygenSaturation, .pulseRate, .pulseAmplitudeIndex]
    case .glucose: [.bloodGlucose, .bloodGlucoseMass]
    case .battery: [.batteryLevel]
    case .xiaomiScale: [.bodyMass, .heartRate, .impedance, .impedanceHighFrequency]
    case .polarMotion, .witMotion: []
    }
  }
}
