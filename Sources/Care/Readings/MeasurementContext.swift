public import Motion

/// The circumstances of a measurement, by which a clinician judges it: a device's remarks, and the
/// joint and side of a movement.
///
/// The names are those of JSON, exports and the store; they never change. Sources: Blood Pressure
/// Service 1.1 §3.1, Health Thermometer Service 1.0 §3.1, Glucose Service 1.0 §3.1, Continuous
/// Glucose Monitoring Service 1.0 §3.1.
public struct MeasurementContext: OptionSet, Hashable, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  private init(_ bit: Int) {
    rawValue = 1 << UInt64(bit)
  }

  // Blood pressure.

  /// The body moved while the cuff measured.
  public static let bodyMovement = MeasurementContext(0)
  /// The cuff was too loose.
  public static let cuffTooLoose = MeasurementContext(1)
  /// The pulse was irregular.
  public static let irregularPulse = MeasurementContext(2)
  /// The pulse rate exceeds what the monitor measures.
  public static let pulseAboveRange = MeasurementContext(3)
  /// The pulse rate is below what the monitor measures.
  public static let pulseBelowRange = MeasurementContext(4)
  /// The arm or wrist was not at the height of the heart.
  public static let improperPosition = MeasurementContext(5)

  // Where the temperature was taken.

  /// In the armpit.
  public static let armpit = MeasurementContext(6)
  /// On the body, without a nearer place.
  public static let body = MeasurementContext(7)
  /// At the ear lobe.
  public static let ear = MeasurementContext(8)
  /// At a finger: a temperature, or the blood of a glucose measurement.
  public static let finger = MeasurementContext(9)
  /// In the gastro-intestinal tract.
  public static let gastrointestinalTract = MeasurementContext(10)
  /// In the mouth.
  public static let mouth = MeasurementContext(11)
  /// In the rectum.
  public static let rectum = MeasurementContext(12)
  /// At a toe.
  public static let toe = MeasurementContext(13)
  /// At the ear drum.
  public static let tympanum = MeasurementContext(14)

  // Specimens in which glucose was measured.

  /// Capillary whole blood.
  public static let capillaryWholeBlood = MeasurementContext(15)
  /// Capillary plasma.
  public static let capillaryPlasma = MeasurementContext(16)
  /// Venous whole blood.
  public static let venousWholeBlood = MeasurementContext(17)
  /// Venous plasma.
  public static let venousPlasma = MeasurementContext(18)
  /// Arterial whole blood.
  public static let arterialWholeBlood = MeasurementContext(19)
  /// Arterial plasma.
  public static let arterialPlasma = MeasurementContext(20)
  /// Whole blood of an unknown vessel.
  public static let wholeBlood = MeasurementContext(21)
  /// Plasma of an unknown vessel.
  public static let plasma = MeasurementContext(22)
  /// Interstitial fluid.
  public static let interstitialFluid = MeasurementContext(23)

  // Where the sample was taken.

  /// At another place than a finger: the forearm, the palm.
  public static let alternateSite = MeasurementContext(24)
  /// At an ear lobe.
  public static let earlobe = MeasurementContext(25)

  // Conditions that a glucose sensor reports.

  /// The device's battery was low.
  public static let batteryLow = MeasurementContext(26)
  /// The sensor had a fault.
  public static let sensorFault = MeasurementContext(27)
  /// There was too little blood.
  public static let sampleInsufficient = MeasurementContext(28)
  /// The strip was not inserted well.
  public static let stripInsertionError = MeasurementContext(29)
  /// The strip or sensor is of another kind.
  public static let wrongSensorType = MeasurementContext(30)
  /// The value is higher than the device measures.
  public static let resultTooHigh = MeasurementContext(31)
  /// The value is lower than the device measures.
  public static let resultTooLow = MeasurementContext(32)
  /// The sensor was too warm.
  public static let sensorTooWarm = MeasurementContext(33)
  /// The sensor was too cold.
  public static let sensorTooCold = MeasurementContext(34)
  /// The strip was pulled out too early.
  public static let readInterrupted = MeasurementContext(35)
  /// The device had a fault.
  public static let deviceFault = MeasurementContext(36)
  /// The device's time may be wrong.
  public static let timeFault = MeasurementContext(37)
  /// A continuous sensor should be calibrated.
  public static let calibrationNeeded = MeasurementContext(38)

  // When glucose was measured.

  /// Before a meal.
  public static let beforeMeal = MeasurementContext(39)
  /// After a meal.
  public static let afterMeal = MeasurementContext(40)
  /// Fasting.
  public static let fasting = MeasurementContext(41)
  /// At no certain time of meals.
  public static let casual = MeasurementContext(42)
  /// At bedtime.
  public static let bedtime = MeasurementContext(43)
  /// With a minor illness.
  public static let minorIllness = MeasurementContext(44)
  /// With a major illness.
  public static let majorIllness = MeasurementContext(45)
  /// During menses.
  public static let menses = MeasurementContext(46)
  /// Under stress.
  public static let stress = MeasurementContext(47)

  // Of what a movement is.

  /// On the left side of the body.
  public static let left = MeasurementContext(48)
  /// On the right side of the body.
  public static let right = MeasurementContext(49)
  /// Of a knee.
  public static let knee = MeasurementContext(50)
  /// Of a hip.
  public static let hip = MeasurementContext(51)
  /// Of an ankle.
  public static let ankle = MeasurementContext(52)
  /// Of a shoulder.
  public static let shoulder = MeasurementContext(53)
  /// Of an elbow.
  public static let elbow = MeasurementContext(54)
  /// Of a wrist.
  public static let wrist = MeasurementContext(55)
  /// Of the trunk.
  public static let trunk = MeasurementContext(56)
  /// Of the neck.
  public static let neck = MeasurementContext(57)

  // Of another program's history.

  /// The other program computed it by a formula of its own, as body fat of an impedance.
  public static let derived = MeasurementContext(58)
}

// MARK: - Names

extension MeasurementContext {
  /// Every part with its name, in the order of printing.
  public static let all: [(context: MeasurementContext, name: String)] = [
    (.irregularPulse, "irregularPulse"), (.bodyMovement, "bodyMovement"),
    (.cuffTooLoose, "cuffTooLoose"), (.improperPosition, "improperPosition"),
    (.pulseAboveRange, "pulseAboveRange"), (.pulseBelowRange, "pulseBelowRange"),
    (.armpit, "armpit"), (.body, "body"), (.ear, "ear"), (.finger, "finger"),
    (.gastrointestinalTract, "gastrointestinalTract"), (.mouth, "mouth"), (.rectum, "rectum"),
    (.toe, "toe"), (.tympanum, "tympanum"), (.beforeMeal, "beforeMeal"), (.afterMeal, "afterMeal"),
    (.fasting, "fasting"), (.casual, "casual"), (.bedtime, "bedtime"),
    (.capillaryWholeBlood, "capillaryWholeBlood"), (.capillaryPlasma, "capillaryPlasma"),
    (.venousWholeBlood, "venousWholeBlood"), (.venousPlasma, "venousPlasma"),
    (.arterialWholeBlood, "arterialWholeBlood"), (.arterialPlasma, "arterialPlasma"),
    (.wholeBlood, "wholeBlood"), (.plasma, "plasma"), (.interstitialFluid, "interstitialFluid"),
    (.alternateSite, "alternateSite"), (.earlobe, "earlobe"), (.minorIllness, "minorIllness"),
    (.majorIllness, "majorIllness"), (.menses, "menses"), (.stress, "stress"),
    (.batteryLow, "batteryLow"), (.sensorFault, "sensorFault"),
    (.sampleInsufficient, "sampleInsufficient"), (.stripInsertionError, "stripInsertionError"),
    (.wrongSensorType, "wrongSensorType"), (.resultTooHigh, "resultTooHigh"),
    (.resultTooLow, "resultTooLow"), (.sensorTooWarm, "sensorTooWarm"),
    (.sensorTooCold, "sensorTooCold"), (.readInterrupted, "readInterrupted"),
    (.deviceFault, "deviceFault"), (.timeFault, "timeFault"),
    (.calibrationNeeded, "calibrationNeeded"), (.left, "left"), (.right, "right"),
    (.knee, "knee"), (.hip, "hip"), (.ankle, "ankle"), (.shoulder, "shoulder"),
    (.elbow, "elbow"), (.wrist, "wrist"), (.trunk, "trunk"), (.neck, "neck"),
    (.derived, "derived"),
  ]

  private static let named = Dictionary(
    all.map { ($0.name, $0.context) }, uniquingKeysWith: { first, _ in first })

  /// The part of that name; `nil` if there is none.
  public init?(name: some StringProtocol) {
    guard let context = Self.named[String(name)] else { return nil }
    self = context
  }

  /// The names of its parts, in the order of printing: `["irregularPulse", "bodyMovement"]`.
  public var names: [String] {
    isEmpty ? [] : Self.all.filter { contains($0.context) }.map(\.name)
  }

  /// Reads names that are separated by spaces; `nil` if one of them is unknown.
  public init?(names: String) {
    var context: MeasurementContext = []
    for name in names.split(separator: " ") {
      guard let part = MeasurementContext(name: name) else { return nil }
      context.formUnion(part)
    }
    self = context
  }
}

// MARK: - Movements

extension MeasurementContext {
  /// The joint and side of a movement that a task asks for.
  package init(_ task: ActiveTask) {
    self = [Self(side: task.side), Self(joint: task.joint)]
  }

  private init(joint: Joint?) {
    self =
      switch joint {
      case .knee: .knee
      case .hip: .hip
      case .ankle: .ankle
      case .shoulder: .shoulder
      case .elbow: .elbow
      case .wrist: .wrist
      case .trunk: .trunk
      case .neck: .neck
      case nil: []
      }
  }

  private init(side: Side?) {
    self =
      switch side {
      case .left: .left
      case .right: .right
      case nil: []
      }
  }

  /// The joint that was moved; `nil` if none is known.
  public var joint: Joint? { Joint.allCases.first { contains(Self(joint: $0)) } }

  /// The side that was moved; `nil` if none is known.
  public var side: Side? { Side.allCases.first { contains(Self(side: $0)) } }

  /// Every joint and side.
  package static let movements: MeasurementContext = [
    .left, .right, .knee, .hip, .ankle, .shoulder, .elbow, .wrist, .trunk, .neck,
  ]
}
