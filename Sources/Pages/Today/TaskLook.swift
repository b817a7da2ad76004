import Care

/// The glyph, tint and card of a task.
struct TaskLook {
  let glyph: String
  let tint: String
  let card: CardKind

  /// The look of a task with that many events on a day; `group` is the index of its group, if any.
  init(_ task: PlannedTask, eventCount: Int, group: Int?) {
    glyph = Self.glyph(task)
    tint = (group.map(Tint.init(place:)) ?? Self.tint(of: glyph)).rawValue
    card = CardKind(task, eventCount: eventCount)
  }

  /// The name of the symbol in the sprite; a day's for a task of which nothing is known.
  static func glyph(_ task: PlannedTask) -> String {
    switch task.glyph {
    case .standard(let glyph): return glyph.rawValue
    case .custom(let name): return ownGlyphs.contains(name) ? name : plain
    case nil: break
    }
    if let quantity = task.linkage?.quantity { return glyph(quantity) }
    if let active = task.activeTask { return glyph(active.type) }
    return task.survey.isEmpty ? plain : "survey"
  }

  private static let plain = "today"

  /// Symbols of the sprite that are none of CareKit's.
  static let ownGlyphs = ["joint", "survey", "water", "timer", "temperature"]

  static func glyph(_ quantity: Quantity) -> String {
    switch quantity {
    case .heartRate, .rrInterval, .pulseRate: "cardio"
    case .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .cuffPressure:
      "bloodPressure"
    case .bodyTemperature: "temperature"
    case .oxygenSaturation, .pulseAmplitudeIndex: "respiratoryHealth"
    case .bloodGlucose, .bloodGlucoseMass: "blood"
    case .rangeOfMotion, .exerciseRepetitions: "joint"
    case .stepCount, .exerciseTime, .distanceWalked, .cadence, .walkingSpeed, .energyExpended,
      .sixMinuteWalkDistance, .sixMinuteWalkSteps, .sittingBreaks:
      "activeLife"
    case .timedUpAndGo, .fiveTimesSitToStand, .chairStandCount, .tapCount, .reactionTime: "timer"
    case .tremorAcceleration, .swayAcceleration: "neuro"
    case _ where quantity == .bodyMass || quantity.isMeasuredWithWeight: "scale"
    default: "heart"
    }
  }

  private static func glyph(_ type: ActiveTaskType) -> String {
    switch type {
    case "rangeOfMotion", "exercise": "joint"
    case "tremor", "sway": "neuro"
    case "sixMinuteWalk", "timedWalk", "shortWalk": "activeLife"
    default: "timer"
    }
  }

  static func tint(of glyph: String) -> Tint {
    switch glyph {
    case "survey", "mentalHealth", "neuro", "awareness", "maternalHealth", "femaleHealth": .plum
    case "activeLife", "water", "respiratoryHealth", "nutrition", "timer", "maleHealth": .blue
    case "scale", "joint", "physicalTherapy", "podiatry", "accessibility", "homeCare": .teal
    case "medication", "heart", "cardio", "blood", "bloodPressure", "syringe": .rose
    default: .amber
    }
  }
}

/// The look of a card.
enum CardKind: Hashable {
  case simple, instructions, checklist, grid, buttonLog, labeledValue, numericProgress
  case featuredContent, link, detail, survey

  /// The task's own style, else the usual one of its kind and schedule (care-store guide §1b).
  ///
  /// Several events of a day need several buttons, so a style with one button becomes a grid.
  init(_ task: PlannedTask, eventCount: Int) {
    let usual = Self.usual(task)
    let wished = task.style.map { Self($0, usual: usual) } ?? usual
    switch wished {
    case .simple, .instructions, .labeledValue, .numericProgress, .survey:
      self = eventCount > 1 ? .grid : wished
    default: self = wished
    }
  }

  private init(_ style: CardStyle, usual: CardKind) {
    switch style {
    case .simple: self = usual == .survey ? .survey : .simple
    case .instructions: self = usual == .survey ? .survey : .instructions
    case .checklist: self = .checklist
    case .grid: self = .grid
    case .buttonLog: self = .buttonLog
    case .labeledValue: self = .labeledValue
    case .numericProgress: self = .numericProgress
    case .featuredContent: self = .featuredContent
    case .link: self = .link
    case .detail: self = .detail
    }
  }

  private static func usual(_ task: PlannedTask) -> CardKind {
    if task.kind == .readOnly { return .detail }
    if task.activeTask != nil { return .labeledValue }
    if let linkage = task.linkage {
      let hasTarget = task.schedule.elements.contains { !$0.targets.isEmpty }
      return hasTarget && linkage.type == .cumulative ? .numericProgress : .labeledValue
    }
    if !task.survey.isEmpty { return .survey }
    if task.kind == .assessment { return .labeledValue }
    return task.isOptional ? .buttonLog : .simple
  }
}
