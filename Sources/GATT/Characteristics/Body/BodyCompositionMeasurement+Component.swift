extension BodyCompositionMeasurement {
  /// What a body composition frame can hold, in the order of its flag bits.
  public enum Component: Hashable, Sendable, CaseIterable {
    /// Body fat in % of the weight; in every frame, so it has no flag.
    case fatPercentage
    /// Basal metabolism in kJ.
    case basalMetabolism
    /// Muscle in % of the weight.
    case musclePercentage
    /// Muscle mass in kg or lb.
    case muscleMass
    /// Fat-free mass in kg or lb.
    case fatFreeMass
    /// Soft lean mass in kg or lb.
    case softLeanMass
    /// Mass of the body's water in kg or lb.
    case bodyWaterMass
    /// Impedance in ohm.
    case impedance
    /// Weight in kg or lb.
    case weight
    /// Height in m or in.
    case height

    /// The bit that announces the component; 0 for what is always sent.
    var flag: UInt16 {
      switch self {
      case .fatPercentage: 0
      case .basalMetabolism: 1 << 3
      case .musclePercentage: 1 << 4
      case .muscleMass: 1 << 5
      case .fatFreeMass: 1 << 6
      case .softLeanMass: 1 << 7
      case .bodyWaterMass: 1 << 8
      case .impedance: 1 << 9
      case .weight: 1 << 10
      case .height: 1 << 11
      }
    }

    /// The field's name in the specification.
    var fieldName: String {
      switch self {
      case .fatPercentage: "body fat percentage"
      case .basalMetabolism: "basal metabolism"
      case .musclePercentage: "muscle percentage"
      case .muscleMass: "muscle mass"
      case .fatFreeMass: "fat free mass"
      case .softLeanMass: "soft lean mass"
      case .bodyWaterMass: "body water mass"
      case .impedance: "impedance"
      case .weight: "weight"
      case .height: "height"
      }
    }

    /// A count of the component's steps as a number in its unit.
    func scaled(_ count: UInt16, in units: UnitSystem) -> ScaledValue {
      switch self {
      case .basalMetabolism: ScaledValue(count, per: 1)
      case .fatPercentage, .musclePercentage, .impedance: ScaledValue(count, per: 10)
      case .muscleMass, .fatFreeMass, .softLeanMass, .bodyWaterMass, .weight: units.mass(count)
      case .height: units.height(count)
      }
    }
  }
}
