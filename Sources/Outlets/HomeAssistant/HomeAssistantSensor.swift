package import Care

/// How Home Assistant shows a quantity: the keys of its sensor.
///
/// A device class makes Home Assistant convert to the units of its settings and limits the units that it
/// takes. Where that would say something else there is none: a blood pressure would be shown in the
/// weather's unit, an energy in `kJ` demands a total, carbohydrates in grams would become pounds.
///
/// Source: home-assistant/core, `components/sensor/const.py`, `DEVICE_CLASS_UNITS` and
/// `DEVICE_CLASS_STATE_CLASSES`.
package struct HomeAssistantSensor: Hashable, Sendable {
  package var deviceClass: String?
  /// `nil` for a bare number.
  package var unit: String?
  /// Of what adds up, the sum of the day.
  package var isSum: Bool
  /// The digits after the point.
  package var precision: Int
  /// Whether it is of the moment alone, and holds for ``liveSeconds``.
  package var isLive: Bool

  /// How long a value of the moment holds.
  package static let liveSeconds = 30

  /// `total` begins anew with `last_reset`; a correction downwards is then no new beginning, as it would
  /// be for `total_increasing`.
  package var stateClass: String { isSum ? "total" : "measurement" }

  /// The sensor of a quantity; `nil` for one that is none, since it has many values in a second.
  package init?(_ quantity: Quantity) {
    switch quantity {
    case .accelerationX, .accelerationY, .accelerationZ, .movementCount, .wheelRevolutions:
      return nil
    default: break
    }
    isSum = quantity.aggregation == .cumulative
    precision = quantity.fractionDigits
    isLive = Self.live.contains(quantity)
    unit = Self.unit(of: quantity)
    deviceClass = Self.deviceClass(of: quantity)
  }

  private static let live: Set<Quantity> = [
    .heartRate, .rrInterval, .speed, .power, .cadence, .cuffPressure,
  ]

  private static func unit(of quantity: Quantity) -> String? {
    switch quantity {
    case .heartRate, .pulseRate: return "bpm"
    case .cadence: return "/min"
    case .stepCount, .sixMinuteWalkSteps: return "steps"
    case .tremorAcceleration, .swayAcceleration: return "m/s²"
    default: return quantity.unit == .one ? nil : quantity.unit.symbol
    }
  }

  private static func deviceClass(of quantity: Quantity) -> String? {
    switch quantity {
    case .carbohydrates: return nil
    case .batteryLevel: return "battery"
    case .relativeHumidity: return "humidity"
    case .airPressure: return "atmospheric_pressure"
    default: break
    }
    switch quantity.unit.dimension {
    case .mass: return "weight"
    case .length: return "distance"
    case .time: return "duration"
    case .velocity: return "speed"
    case .power: return "power"
    case .temperature: return "temperature"
    case .voltage: return "voltage"
    case .substanceConcentration, .massConcentration: return "blood_glucose_concentration"
    default: return nil
    }
  }
}
