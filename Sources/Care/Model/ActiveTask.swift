public import Motion

/// A measurement with a beginning and an end that a person performs.
public struct ActiveTask: Hashable, Sendable, Codable {
  /// Which measurement.
  public var type: ActiveTaskType
  /// The joint, for a range of motion.
  public var joint: Joint?
  /// The side of the body.
  public var side: Side?
  /// How far a timed walk goes, in metres: ``distances``.
  public var distance: Double?
  /// The length of the person's steps in metres, from which a six-minute walk's distance is
  /// estimated: ``stepLengths``.
  public var stepLength: Double?
  /// The axis of the sensor that points to the front or the back, for sway.
  public var axis: Axis?
  /// How many sets an exercise has: ``setCounts``.
  public var sets: Int?
  /// How many repetitions a set of an exercise has: ``repetitionCounts``.
  public var repetitions: Int?
  /// The rest after a set in seconds: ``rests``.
  public var rest: Int?
  /// The least excursion of a repetition in degrees: ``minima``.
  public var minimum: Double?
  /// How many steps each way of a short walk has: ``legStepCounts``.
  public var stepsPerLeg: Int?
  /// How long a trial of tapping takes, in seconds: ``durations``.
  public var duration: Int?
  /// How many attempts of a reaction time have to succeed: ``attemptCounts``.
  public var attempts: Int?

  /// Makes an active task.
  public init(
    type: ActiveTaskType, joint: Joint? = nil, side: Side? = nil, distance: Double? = nil,
    stepLength: Double? = nil, axis: Axis? = nil, sets: Int? = nil, repetitions: Int? = nil,
    rest: Int? = nil, minimum: Double? = nil, stepsPerLeg: Int? = nil, duration: Int? = nil,
    attempts: Int? = nil
  ) {
    self.type = type
    self.joint = joint
    self.side = side
    self.distance = distance
    self.stepLength = stepLength
    self.axis = axis
    self.sets = sets
    self.repetitions = repetitions
    self.rest = rest
    self.minimum = minimum
    self.stepsPerLeg = stepsPerLeg
    self.duration = duration
    self.attempts = attempts
  }

  /// The possible distances of a timed walk, in metres; ResearchKit's limits.
  public static let distances = 1.0...10_000
  /// The possible step lengths, in metres, from a shuffle to a sprint.
  public static let stepLengths = 0.1...2.5
  /// The possible numbers of sets of an exercise.
  public static let setCounts = 1...100
  /// The possible numbers of repetitions of a set.
  public static let repetitionCounts = 1...1_000
  /// The possible rests, in seconds.
  public static let rests = 5...600
  /// The possible least excursions of a repetition in degrees, from a movement that noise cannot
  /// feign to half a turn.
  public static let minima = 10.0...180

  /// The possible steps of each way of a short walk: ten in a row are the fewest that a sensor sees.
  public static let legStepCounts = 10...1_000
  /// The possible durations of a trial of tapping in seconds; ResearchKit's least one is 5.
  public static let durations = 5...30
  /// The possible numbers of attempts of a reaction time.
  public static let attemptCounts = 3...20

  /// What an exercise asks for: its repetitions, those of one set unless it has several.
  ///
  /// It is the goal of an event without targets; `nil` for a task without a number of repetitions.
  public var goal: TargetValue? {
    repetitions.map { repetitions in
      TargetValue(
        value: .integer(Int64((sets ?? 1) * repetitions)), unit: .one, kind: "repetitions")
    }
  }
}

/// The name of an active task's measurement, as plans write it: `rangeOfMotion`.
public struct ActiveTaskType: RawRepresentable, Hashable, Sendable, Codable {
  /// The name.
  public let rawValue: String

  /// The type of that name, whether it can be measured or not.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

extension ActiveTaskType: ExpressibleByStringLiteral {
  public init(stringLiteral name: String) {
    self.init(rawValue: name)
  }
}

/// The keys that a plan gives an active task of one type.
public struct ActiveTaskForm: Hashable, Sendable {
  /// A key of an active task.
  public enum Key: String, Hashable, Sendable, CaseIterable {
    case joint, side, distance, stepLength, axis, sets, repetitions, rest, minimum, stepsPerLeg
    case duration, attempts
  }

  /// The type.
  public var type: ActiveTaskType
  /// The keys that a plan must give.
  public var required: Set<Key>
  /// The keys that a plan can give.
  public var optional: Set<Key>

  /// The numbers of its result, the result itself first.
  public var figures: [Figure]

  /// A number of a result.
  public struct Figure: Hashable, Sendable {
    /// Its kind in events.
    public var kind: String
    /// Its unit.
    public var unit: UnitOfMeasure
    /// What it measures; `nil` of a figure that is no quantity.
    public var quantity: Quantity?

    /// Makes a figure.
    public init(kind: String, unit: UnitOfMeasure, quantity: Quantity? = nil) {
      self.kind = kind
      self.unit = unit
      self.quantity = quantity
    }
  }

  /// Makes a form.
  public init(
    type: ActiveTaskType, required: Set<Key> = [], optional: Set<Key> = [], figures: [Figure] = []
  ) {
    self.type = type
    self.required = required
    self.optional = optional
    self.figures = figures
  }

  /// Whether a plan can give `key`.
  public func knows(_ key: Key) -> Bool { required.contains(key) || optional.contains(key) }
}
