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

  /// The table's unit of that code.
  ///
  /// The dimension is the table's too: it is only asked for so that nothing here can fail.
  private init(known code: String, _ dimension: Dimension) {
    self = Self.named[code] ?? UnitOfMeasure(code, dimension)
  }
}
