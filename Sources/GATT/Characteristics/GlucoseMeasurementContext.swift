/// `Glucose Measurement Context` (2A34): what a person entered with the record of the same number.
///
/// ```
/// flags u8  0 carbohydrates · 1 meal · 2 tester and health · 3 exercise · 4 medication · 5 litres
///           6 HbA1c · 7 extended flags
/// sequence number u16, [extended flags u8]
/// [carbohydrate id u8, carbohydrates SFLOAT] [meal u8] [tester and health u8]
/// [exercise duration u16, intensity u8] [medication id u8, medication SFLOAT] [HbA1c SFLOAT]
/// ```
/// Source: Glucose Service 1.0.1 §3.2.
public struct GlucoseMeasurementContext: Characteristic {
  public static let uuid = BluetoothUUID(0x2A34)

  /// The number of the record that it belongs to.
  public var sequenceNumber: UInt16
  /// Flags without a meaning so far.
  public var extendedFlags: UInt8?
  /// Carbohydrates in kg (1 breakfast, 2 lunch, 3 dinner, 4 snack, 5 drink, 6 supper, 7 brunch).
  public var carbohydrates: (id: UInt8, mass: MedicalFloat)?
  /// 1 before a meal, 2 after one, 3 fasting, 4 casual, 5 bedtime.
  public var meal: UInt8?
  /// Who measured (low digit), and how the person was (high digit: 1 minor illness, 2 major
  /// illness, 3 menses, 4 stress, 5 well, 15 unknown).
  public var testerAndHealth: UInt8?
  /// Seconds of exercise (0xFFFF for more), and its intensity in %.
  public var exercise: (duration: UInt16, intensity: UInt8)?
  /// The insulin in kg or L (1 rapid, 2 short, 3 intermediate, 4 long acting, 5 pre-mixed).
  public var medication: (id: UInt8, amount: MedicalFloat)?
  /// Whether the medication is in litres instead of kg.
  public var isMedicationInLitres: Bool
  /// Glycated haemoglobin in %.
  public var hbA1c: MedicalFloat?

  /// Makes a context.
  public init(sequenceNumber: UInt16) {
    self.sequenceNumber = sequenceNumber
    isMedicationInLitres = false
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = try reader.u8("flags")
    func isSet(_ bit: UInt8) -> Bool { flags >> bit & 1 == 1 }
    sequenceNumber = try reader.u16("sequence number")
    extendedFlags = try reader.u8("extended flags", if: isSet(7))
    carbohydrates = try reader.announced(isSet(0)) { reader throws(GATTError) in
      (try reader.u8("carbohydrate id"), try reader.sfloat("carbohydrate"))
    }
    meal = try reader.u8("meal", if: isSet(1))
    testerAndHealth = try reader.u8("tester and health", if: isSet(2))
    exercise = try reader.announced(isSet(3)) { reader throws(GATTError) in
      (try reader.u16("exercise duration"), try reader.u8("exercise intensity"))
    }
    medication = try reader.announced(isSet(4)) { reader throws(GATTError) in
      (try reader.u8("medication id"), try reader.sfloat("medication"))
    }
    isMedicationInLitres = isSet(5)
    hbA1c = try reader.sfloat("HbA1c", if: isSet(6))
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: UInt8 = isMedicationInLitres ? 1 << 5 : 0
    if carbohydrates != nil { flags |= 1 << 0 }
    if meal != nil { flags |= 1 << 1 }
    if testerAndHealth != nil { flags |= 1 << 2 }
    if exercise != nil { flags |= 1 << 3 }
    if medication != nil { flags |= 1 << 4 }
    if hbA1c != nil { flags |= 1 << 6 }
    if extendedFlags != nil { flags |= 1 << 7 }
    writer.u8(flags)
    writer.u16(sequenceNumber)
    if let extendedFlags { writer.u8(extendedFlags) }
    if let carbohydrates {
      writer.u8(carbohydrates.id)
      writer.sfloat(carbohydrates.mass)
    }
    if let meal { writer.u8(meal) }
    if let testerAndHealth { writer.u8(testerAndHealth) }
    if let exercise {
      writer.u16(exercise.duration)
      writer.u8(exercise.intensity)
    }
    if let medication {
      writer.u8(medication.id)
      writer.sfloat(medication.amount)
    }
    if let hbA1c { writer.sfloat(hbA1c) }
  }
}

extension GlucoseMeasurementContext {
  // Tuples have no synthesized conformance.
  public static func == (a: Self, b: Self) -> Bool { a.encoded == b.encoded }

  public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}
