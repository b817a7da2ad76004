// The units that code speaks of by name; files name them by code.
extension UnitOfMeasure {
  /// kg, base unit of mass.
  public static let kilogram = UnitOfMeasure(known: "kg", .mass)
  /// lb, the avoirdupois pound.
  public static let pound = UnitOfMeasure(known: "[lb_av]", .mass)
  /// m, base unit of length.
  public static let metre = UnitOfMeasure(known: "m", .length)
  /// in, the international inch.
  public static let inch = UnitOfMeasure(known: "[in_i]", .length)
  /// mmHg, base unit of pressure.
  public static let millimetreOfMercury = UnitOfMeasure(known: "mm[Hg]", .pressure)
  /// kPa.
  public static let kilopascal = UnitOfMeasure(known: "kPa", .pressure)
  /// °C, base unit of temperature.
  public static let degreeCelsius = UnitOfMeasure(known: "Cel", .temperature)
  /// °F.
  public static let degreeFahrenheit = UnitOfMeasure(known: "[degF]", .temperature)
  /// mol/L, base unit of substance concentration.
  public static let molePerLitre = UnitOfMeasure(known: "mol/L", .substanceConcentration)
  /// kg/L, base unit of mass concentration.
  public static let kilogramPerLitre = UnitOfMeasure(known: "kg/L", .massConcentration)
  /// g, the standard acceleration of free fall.
  public static let standardGravity = UnitOfMeasure(known: "[g]", .acceleration)
  /// 1, base unit of numbers.
  public static let one = UnitOfMeasure(known: "1", .number)
  /// s, base unit of time.
  public static let second = UnitOfMeasure(known: "s", .time)
  /// mm.
  public static let millimetre = UnitOfMeasure(known: "mm", .length)
  /// ° (deg), base unit of angles.
  public static let degree = UnitOfMeasure(known: "deg", .angle)
  /// °/s, base unit of angular velocity.
  public static let degreePerSecond = UnitOfMeasure(known: "deg/s", .angularVelocity)
  /// Hz.
  public static let hertz = UnitOfMeasure(known: "Hz", .frequency)
  /// /min.
  public static let perMinute = UnitOfMeasure(known: "/min", .frequency)
  /// m/s, base unit of velocity.
  public static let metrePerSecond = UnitOfMeasure(known: "m/s", .velocity)
  /// m/s², base unit of acceleration.
  public static let metrePerSquareSecond = UnitOfMeasure(known: "m/s2", .acceleration)
  /// m²/s⁴, for the area of an ellipse of accelerations.
  public static let squaredAcceleration = UnitOfMeasure(known: "m2/s4", .squaredAcceleration)
  /// m²/s⁵, for a jerk squared and summed over time.
  public static let squaredJerk = UnitOfMeasure(known: "m2/s5", .squaredJerk)

  /// The table's unit of that code.
  ///
  /// The dimension is the table's too: it is only asked for so that nothing here can fail.
  private init(known code: String, _ dimension: Dimension) {
    self = Self.named[code] ?? UnitOfMeasure(code, dimension)
  }
}
