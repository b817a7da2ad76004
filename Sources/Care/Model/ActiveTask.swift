public import Motion

/// A measurement with a beginning and an end that a person performs.
public struct ActiveTask: Hashable, Sendable {
  /// Which measurement.
  public var type: ActiveTaskType
  /// The joint, for a range of motion.
  public var joint: Joint?
  /// The side of the body.
  public var side: Side?
  /// How far a timed walk goes, in metres.
  public var distance: Double?
  /// The length of the person's steps in metres, from which a six-minute walk's distance is
  /// estimated.
  public var stepLength: Double?
  /// The axis of the sensor that points to the front or the back, for sway.
  public var axis: Axis?
  /// How many sets an exercise has.
  public var sets: Int?
  /// How many repetitions a set of an exercise has.
  public var repetitions: Int?
  /// The rest after a set in seconds.
  public var rest: Int?
  /// The least excursion of a repetition in degrees.
  public var minimum: Double?
  /// How many steps each way of a short walk has.
  public var stepsPerLeg: Int?
  /// How long a trial of tapping takes, in seconds.
  public var duration: Int?
  /// How many attempts of a reaction time have to succeed.
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

  /// The repetitions that an exercise asks for in all its sets; in one unless it has several.
  ///
  /// It is the goal of an event without targets; `nil` for a task without a number of repetitions.
  public var goal: TargetValue? {
    repetitions.map { repetitions in
      TargetValue(
        value: .integer(Int64((sets ?? 1).saturatingProduct(repetitions))), unit: .one,
        kind: "repetitions")
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
    /// The measured quantity; `nil` for a figure that is no quantity.
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

  /// The keys that a plan can give, in order.
  public var keys: [Key] { Key.allCases.filter(knows) }

  /// Whether a plan can give `key`.
  public func knows(_ key: Key) -> Bool { required.contains(key) || optional.contains(key) }
}

extension ActiveTaskForm.Key {
  /// The values that a key can have.
  public enum Values: Hashable, Sendable {
    /// One of these words.
    case words([String])
    /// A number of this unit.
    case number(ClosedRange<Double>, unit: UnitOfMeasure)
    /// A whole number of this unit.
    case count(ClosedRange<Int>, unit: UnitOfMeasure)
  }

  /// The values that the key can have.
  public var values: Values {
    switch self {
    case .joint: .words(Joint.allCases.map(\.rawValue))
    case .side: .words(Side.allCases.map(\.rawValue))
    case .axis: .words(Axis.allCases.map(\.rawValue))
    // ResearchKit's limits.
    case .distance: .number(1...10_000, unit: .metre)
    // From a shuffle to a sprint.
    case .stepLength: .number(0.1...2.5, unit: .metre)
    // From a movement that noise cannot feign to half a turn.
    case .minimum: .number(10...180, unit: .degree)
    case .sets: .count(1...100, unit: .one)
    case .repetitions: .count(1...1_000, unit: .one)
    case .rest: .count(5...600, unit: .second)
    // Ten steps in a row are the fewest that a sensor sees.
    case .stepsPerLeg: .count(10...1_000, unit: .one)
    // ResearchKit's least duration is 5 s.
    case .duration: .count(5...30, unit: .second)
    case .attempts: .count(3...20, unit: .one)
    }
  }
}

extension ActiveTaskForm.Key {
  /// Whether the key can have a value.
  public func permits(_ argument: ActiveTask.Argument) -> Bool {
    switch (values, argument) {
    case (.words(let words), .word(let word)): words.contains(word)
    case (.number(let range, _), .number(let number)): range.contains(number)
    case (.count(let range, _), .count(let count)): range.contains(count)
    default: false
    }
  }
}

extension ActiveTask {
  /// The value of a key, of the case that ``ActiveTaskForm/Key/values`` has.
  public enum Argument: Hashable, Sendable {
    case word(String)
    case number(Double)
    case count(Int)

    fileprivate var word: String? { if case .word(let word) = self { word } else { nil } }
    fileprivate var number: Double? { if case .number(let number) = self { number } else { nil } }
    fileprivate var count: Int? { if case .count(let count) = self { count } else { nil } }
  }

  /// The value of a key; `nil` if it is not given.
  public subscript(key: ActiveTaskForm.Key) -> Argument? {
    get {
      switch key {
      case .joint: joint.map { .word($0.rawValue) }
      case .side: side.map { .word($0.rawValue) }
      case .axis: axis.map { .word($0.rawValue) }
      case .distance: distance.map(Argument.number)
      case .stepLength: stepLength.map(Argument.number)
      case .minimum: minimum.map(Argument.number)
      case .sets: sets.map(Argument.count)
      case .repetitions: repetitions.map(Argument.count)
      case .rest: rest.map(Argument.count)
      case .stepsPerLeg: stepsPerLeg.map(Argument.count)
      case .duration: duration.map(Argument.count)
      case .attempts: attempts.map(Argument.count)
      }
    }
    set {
      switch key {
      case .joint: joint = newValue?.word.flatMap(Joint.init)
      case .side: side = newValue?.word.flatMap(Side.init)
      case .axis: axis = newValue?.word.flatMap(Axis.init)
      case .distance: distance = newValue?.number
      case .stepLength: stepLength = newValue?.number
      case .minimum: minimum = newValue?.number
      case .sets: sets = newValue?.count
      case .repetitions: repetitions = newValue?.count
      case .rest: rest = newValue?.count
      case .stepsPerLeg: stepsPerLeg = newValue?.count
      case .duration: duration = newValue?.count
      case .attempts: attempts = newValue?.count
      }
    }
  }
}

// MARK: - Coding

/// Coded under the keys of a plan, each with a value that it can have.
extension ActiveTask: Codable {
  private enum CodingKeys: String, CodingKey {
    case type, joint, side, distance, stepLength, axis, sets, repetitions, rest, minimum
    case stepsPerLeg, duration, attempts
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func value<T: Decodable>(_ key: CodingKeys) throws -> T? {
      try container.decodeIfPresent(T.self, forKey: key)
    }
    self.init(
      type: try container.decode(ActiveTaskType.self, forKey: .type), joint: try value(.joint),
      side: try value(.side), distance: try value(.distance), stepLength: try value(.stepLength),
      axis: try value(.axis), sets: try value(.sets), repetitions: try value(.repetitions),
      rest: try value(.rest), minimum: try value(.minimum), stepsPerLeg: try value(.stepsPerLeg),
      duration: try value(.duration), attempts: try value(.attempts))
    if let flaw = amountFlaw {
      try decoder.require(false, "\(flaw.number) is not within \(flaw.limits)")
    }
  }
}
