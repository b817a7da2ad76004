/// A quantity, and the part of the person of which it is measured.
///
/// The bend of the left knee and of the right shoulder, a temperature of the mouth and of the armpit, a
/// glucose before and after a meal have no mean, no trend and no change in common.
public struct Measurand: Hashable, Sendable {
  /// The quantity.
  public var quantity: Quantity
  /// The joint and side, the site or the meal; empty where nothing tells values apart.
  public var place: MeasurementContext

  /// Makes a measurand.
  ///
  /// - Parameters:
  ///   - quantity: The quantity.
  ///   - context: A measurement's circumstances; those that do not tell values of the quantity apart
  ///     are left out.
  public init(_ quantity: Quantity, in context: MeasurementContext = []) {
    self.quantity = quantity
    place = context.intersection(quantity.places)
  }
}

extension Quantity {
  /// The circumstances by which its values are of different things.
  fileprivate var places: MeasurementContext {
    switch self {
    case .bodyTemperature:
      [
        .armpit, .body, .ear, .finger, .gastrointestinalTract, .mouth, .rectum, .toe, .tympanum,
      ]
    case .bloodGlucose, .bloodGlucoseMass: [.beforeMeal, .afterMeal, .fasting, .bedtime]
    default: .movements
    }
  }
}

extension Sample {
  /// Its measurand.
  public var measurand: Measurand { Measurand(reading.quantity, in: reading.context) }
}

extension Measurand: Comparable {
  /// By the name of the quantity, then by place.
  public static func < (a: Measurand, b: Measurand) -> Bool {
    (a.quantity.rawValue, a.place.rawValue) < (b.quantity.rawValue, b.place.rawValue)
  }
}

extension Measurand {
  /// Its place as a word of an address: `left-knee`; `nil` where nothing tells values apart.
  package var word: String? {
    place.isEmpty ? nil : place.names.joined(separator: "-")
  }

  /// The measurand of a quantity with that word; `nil` for an unknown one.
  package init?(_ quantity: Quantity, word: String) {
    guard let context = MeasurementContext(names: word.replacing("-", with: " ")) else {
      return nil
    }
    self.init(quantity, in: context)
  }
}
