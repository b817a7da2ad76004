public import Foundation

/// The kinds of tasks, by their demand on a person.
public enum TaskKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// Something to do.
  case task
  /// Something to measure or answer; its result can be replaced only if the task is resettable.
  case assessment
  /// Something to read; it takes no outcome.
  case readOnly
}

/// A task as a plan describes it: what a person should do, when, and what completes it.
public struct PlannedTask: Hashable, Sendable {
  /// The task's id, the same for every version and unique within a patient.
  public var id: String
  /// The id of the patient whose task it is.
  public var patient: String
  /// The kind of task.
  public var kind: TaskKind
  /// The task's name for people.
  public var title: String
  /// A short fact beside the title: `200 mg`.
  public var text: String?
  /// How to do it.
  public var instructions: String?
  /// When it is due.
  public var schedule: Schedule
  /// The quantities whose samples complete it; several for one that is measured in parts, such as
  /// the two blood pressures.
  public var linkages: [Linkage]
  /// The measurement that a person performs for it.
  public var activeTask: ActiveTask?
  /// Whether it may be left out: it then does not count in the day's fraction.
  public var isOptional: Bool
  /// Whether an assessment's result may be replaced.
  public var isResettable: Bool
  /// When the plan says that it takes effect; `nil` for the schedule's start in its first version
  /// and the moment of import in later ones.
  public var effectiveDate: Date?
  /// The questions that a person answers for it, each kind once.
  public var survey: [SurveyQuestion]
  /// The thresholds that give its values a meaning.
  public var thresholds: [Threshold]
  /// When a person is reminded of an event that is not done.
  public var reminder: Reminder?
  /// When a person is asked for a value that has not arrived.
  public var fallback: Fallback?
  /// The rules that its results trigger.
  public var rules: [Rule]
  /// Whom it tells of what; of a kind that is not given the patient's own rules hold.
  public var notify: [NotifyRule]
  /// How its values become progress; `nil` for the rule of its linkage and kind.
  public var progressStrategy: ProgressStrategy?
  /// The care plan that it belongs to, by id.
  public var carePlan: String?
  /// The group under which it is shown.
  public var group: String?
  /// Words to find it by.
  public var tags: [String]
  /// The card on which it is shown; `nil` for the usual one of its kind and schedule.
  public var style: CardStyle?
  /// The symbol of its card.
  public var glyph: Glyph?
  /// The name or address of its picture.
  public var image: String?
  /// The name or address of its video.
  public var video: String?
  /// Further text to read, in Markdown.
  public var details: String?
  /// Further facts for programs, by name.
  public var userInfo: [String: String]
  /// Its id in another system.
  public var remoteID: String?

  /// Makes a planned task.
  ///
  /// `linkages` are further ones, after `linkage`.
  public init(
    id: String, patient: String, kind: TaskKind = .task, title: String, text: String? = nil,
    instructions: String? = nil, schedule: Schedule, linkage: Linkage? = nil,
    linkages: [Linkage] = [], activeTask: ActiveTask? = nil, isOptional: Bool = false,
    isResettable: Bool = false, effectiveDate: Date? = nil, survey: [SurveyQuestion] = [],
    thresholds: [Threshold] = [], reminder: Reminder? = nil, fallback: Fallback? = nil,
    rules: [Rule] = [], notify: [NotifyRule] = [], progressStrategy: ProgressStrategy? = nil,
    carePlan: String? = nil, group: String? = nil, tags: [String] = [], style: CardStyle? = nil,
    glyph: Glyph? = nil, image: String? = nil, video: String? = nil, details: String? = nil,
    userInfo: [String: String] = [:],
    remoteID: String? = nil
  ) {
    self.id = id
    self.patient = patient
    self.kind = kind
    self.title = title
    self.text = text
    self.instructions = instructions
    self.schedule = schedule
    self.linkages = (linkage.map { [$0] } ?? []) + linkages
    self.activeTask = activeTask
    self.isOptional = isOptional
    self.isResettable = isResettable
    self.effectiveDate = effectiveDate
    self.survey = survey
    self.thresholds = thresholds
    self.reminder = reminder
    self.fallback = fallback
    self.rules = rules
    self.notify = notify
    self.progressStrategy = progressStrategy
    self.carePlan = carePlan
    self.group = group
    self.tags = tags
    self.style = style
    self.glyph = glyph
    self.image = image
    self.video = video
    self.details = details
    self.userInfo = userInfo
    self.remoteID = remoteID
  }
}

extension PlannedTask {
  /// The first of ``linkages``; setting it replaces all of them.
  public var linkage: Linkage? {
    get { linkages.first }
    set { linkages = newValue.map { [$0] } ?? [] }
  }

  /// Whether it counts in the day's fraction: the opposite of ``isOptional``.
  public var impactsAdherence: Bool {
    get { !isOptional }
    set { isOptional = !newValue }
  }
}

// MARK: - Answers that add up

extension PlannedTask {
  /// Whether each answer is an entry of a log, beside those before: its card says so, or it is
  /// something to do whenever it is needed.
  public var isLog: Bool {
    if let style { return style == .buttonLog }
    return kind == .task && isOptional && linkages.isEmpty && activeTask == nil && survey.isEmpty
      && progressStrategy != .latest
  }

  /// Whether an answer adds to those before, in place of replacing them.
  public var addsUp: Bool {
    progressStrategy == .sum || isLog || linkages.contains { $0.type == .cumulative }
  }

  /// Whether only an amount says how much of it was done.
  public var needsAmount: Bool {
    survey.isEmpty && activeTask == nil
      && (progressStrategy == .sum || linkages.contains { $0.type == .cumulative })
  }

  /// Whether one tap says all that it asks.
  package var isDoneByTap: Bool {
    activeTask == nil && linkages.isEmpty && !needsAmount && survey.allSatisfy(\.isOptional)
  }

  /// Whether `value` answers one of its questions, of which each has one answer.
  package func isAnswer(_ value: OutcomeValue) -> Bool {
    survey.contains { $0.kind == value.kind }
  }
}

// MARK: - Several linkages

extension PlannedTask {
  /// The kind of the values that samples of `linkage` give.
  ///
  /// A task with several linkages tells their values apart by it: the quantity's name, for blood
  /// pressures `systolic`, `diastolic` and `mean`. The values of a single linkage need none.
  public func valueKind(of linkage: Linkage) -> String? {
    linkages.count > 1 ? linkage.quantity.componentName : nil
  }

  /// The units of the linkages whose values have `kind`; of all linkages for any other kind.
  package func linkedUnits(of kind: String?) -> [UnitOfMeasure] {
    let named = linkages.filter { kind != nil && valueKind(of: $0) == kind }
    return (named.isEmpty ? linkages : named).map(\.unit)
  }

  /// The linkage whose values have `kind`; the first for any other kind.
  package func linkage(of kind: String?) -> Linkage? {
    linkages.first { kind != nil && valueKind(of: $0) == kind } ?? linkage
  }

  /// Whether `value` is one of `linkage`: by its kind, or without one if no other linkage is
  /// measured in its dimension.
  package func isValue(_ value: OutcomeValue, of linkage: Linkage) -> Bool {
    guard let kind = value.kind else {
      let dimension = (value.unit ?? linkage.unit).dimension
      return linkages.filter { $0.unit.dimension == dimension } == [linkage]
    }
    return kind == valueKind(of: linkage)
  }
}

extension Quantity {
  /// The name beside other quantities of one measurement.
  fileprivate var componentName: String {
    switch self {
    case .bloodPressureSystolic: "systolic"
    case .bloodPressureDiastolic: "diastolic"
    case .bloodPressureMean: "mean"
    default: rawValue
    }
  }
}

// MARK: - Progress

/// How the values of an event become its progress.
public enum ProgressStrategy: String, Hashable, Sendable, Codable, CaseIterable {
  /// An outcome is enough.
  case exists
  /// The values add up towards the targets.
  case sum
  /// The latest value is compared with the targets.
  case latest
}

/// One version of a task in a patient's care plan.
///
/// A task is never changed in place: an update is a new version with another ``uuid``, effective
/// from its ``effectiveDate`` on. The task's description is in ``planned``, whose members are
/// members of the version, too: `task.title` is `task.planned.title`.
@dynamicMemberLookup
public struct CareTask: Hashable, Sendable {
  /// This version's own id.
  public var uuid: UUID
  /// The task as the plan describes it.
  public var planned: PlannedTask {
    get { content.planned }
    set { content = Content(newValue) }
  }
  /// Shared by the events of a version, so that an event is small and quickly copied.
  @usableFromInline var content: Content
  /// When this version takes effect.
  public var effectiveDate: Date
  /// When this version was made.
  public var createdDate: Date
  /// Whether it outranks every earlier made version that would take effect after it.
  ///
  /// A plan's import is the truth from its effective date on, and so is a person's command.
  public var closesLater: Bool
  /// Whether the task ends with this version: nothing begins from its effective date on.
  public var isEnded: Bool

  /// Makes a version of a task.
  public init(
    uuid: UUID, planned: PlannedTask, effectiveDate: Date, createdDate: Date,
    closesLater: Bool = false, isEnded: Bool = false
  ) {
    self.uuid = uuid
    content = Content(planned)
    self.effectiveDate = effectiveDate
    self.createdDate = createdDate
    self.closesLater = closesLater
    self.isEnded = isEnded
  }

  /// A member of ``planned``.
  @inlinable
  public subscript<Member>(dynamicMember member: WritableKeyPath<PlannedTask, Member>) -> Member {
    // Reads the member where it stands: a copy of the whole task would retain all of it.
    get { content.planned[keyPath: member] }
    set { planned[keyPath: member] = newValue }
  }

  /// The task of a version.
  @usableFromInline final class Content: Hashable, Sendable {
    @usableFromInline let planned: PlannedTask

    init(_ planned: PlannedTask) {
      self.planned = planned
    }

    @usableFromInline static func == (a: Content, b: Content) -> Bool {
      a === b || a.planned == b.planned
    }

    @usableFromInline func hash(into hasher: inout Hasher) { hasher.combine(planned) }
  }
}

extension PlannedTask {
  /// Takes over what `newer` says to people, and nothing of what it asks.
  mutating func takeWords(of newer: PlannedTask) {
    title = newer.title
    text = newer.text
    instructions = newer.instructions
    image = newer.image
    (video, details) = (newer.video, newer.details)
    glyph = newer.glyph
    group = newer.group
    tags = newer.tags
  }
}

// MARK: - Coding

/// A key is coded only if the task uses it, so that the text of a simple task stays the same when
/// the vocabulary grows. A single linkage is coded as `linkage`, several as `linkages`.
extension PlannedTask: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, kind, title, text, instructions, schedule, linkage, linkages, activeTask
    case isOptional = "optional"
    case isResettable = "resettable"
    case effectiveDate, survey, thresholds, reminder, fallback, rules, notify
    case progressStrategy = "progress"
    case carePlan, group, tags, style, glyph, image, video, details, userInfo, remoteID
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      kind: try container.decode(TaskKind.self, forKey: .kind),
      title: try container.decode(String.self, forKey: .title),
      text: try container.decodeIfPresent(String.self, forKey: .text),
      instructions: try container.decodeIfPresent(String.self, forKey: .instructions),
      schedule: try container.decode(Schedule.self, forKey: .schedule),
      linkage: try container.decodeIfPresent(Linkage.self, forKey: .linkage),
      linkages: try container.decodeIfPresent([Linkage].self, forKey: .linkages) ?? [],
      activeTask: try container.decodeIfPresent(ActiveTask.self, forKey: .activeTask),
      isOptional: try container.decode(Bool.self, forKey: .isOptional),
      isResettable: try container.decode(Bool.self, forKey: .isResettable),
      effectiveDate: try container.decodeIfPresent(CodedTime.self, forKey: .effectiveDate)?.date)
    survey = try container.decodeIfPresent([SurveyQuestion].self, forKey: .survey) ?? []
    thresholds = try container.decodeIfPresent([Threshold].self, forKey: .thresholds) ?? []
    reminder = try container.decodeIfPresent(Reminder.self, forKey: .reminder)
    fallback = try container.decodeIfPresent(Fallback.self, forKey: .fallback)
    rules = try container.decodeIfPresent([Rule].self, forKey: .rules) ?? []
    notify = try container.decodeIfPresent([NotifyRule].self, forKey: .notify) ?? []
    progressStrategy = try container.decodeIfPresent(
      ProgressStrategy.self, forKey: .progressStrategy)
    carePlan = try container.decodeIfPresent(String.self, forKey: .carePlan)
    group = try container.decodeIfPresent(String.self, forKey: .group)
    tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? []
    style = try container.decodeIfPresent(CardStyle.self, forKey: .style)
    glyph = try container.decodeIfPresent(Glyph.self, forKey: .glyph)
    image = try container.decodeIfPresent(String.self, forKey: .image)
    video = try container.decodeIfPresent(String.self, forKey: .video)
    details = try container.decodeIfPresent(String.self, forKey: .details)
    userInfo = try container.decodeIfPresent([String: String].self, forKey: .userInfo) ?? [:]
    remoteID = try container.decodeIfPresent(String.self, forKey: .remoteID)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encode(kind, forKey: .kind)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(text, forKey: .text)
    try container.encodeIfPresent(instructions, forKey: .instructions)
    try container.encode(schedule, forKey: .schedule)
    if linkages.count > 1 {
      try container.encode(linkages, forKey: .linkages)
    } else {
      try container.encodeIfPresent(linkage, forKey: .linkage)
    }
    try container.encodeIfPresent(activeTask, forKey: .activeTask)
    try container.encode(isOptional, forKey: .isOptional)
    try container.encode(isResettable, forKey: .isResettable)
    try container.encodeIfPresent(effectiveDate.map(CodedTime.init), forKey: .effectiveDate)
    try container.encodeIfNotEmpty(survey, forKey: .survey)
    try container.encodeIfNotEmpty(thresholds, forKey: .thresholds)
    try container.encodeIfPresent(reminder, forKey: .reminder)
    try container.encodeIfPresent(fallback, forKey: .fallback)
    try container.encodeIfNotEmpty(rules, forKey: .rules)
    try container.encodeIfNotEmpty(notify, forKey: .notify)
    try container.encodeIfPresent(progressStrategy, forKey: .progressStrategy)
    try container.encodeIfPresent(carePlan, forKey: .carePlan)
    try container.encodeIfPresent(group, forKey: .group)
    try container.encodeIfNotEmpty(tags, forKey: .tags)
    try container.encodeIfPresent(style, forKey: .style)
    try container.encodeIfPresent(glyph, forKey: .glyph)
    try container.encodeIfPresent(image, forKey: .image)
    try container.encodeIfPresent(video, forKey: .video)
    try container.encodeIfPresent(details, forKey: .details)
    try container.encodeIfNotEmpty(userInfo, forKey: .userInfo)
    try container.encodeIfPresent(remoteID, forKey: .remoteID)
  }
}

extension KeyedEncodingContainer {
  /// Encodes a list or dictionary, unless it is empty.
  mutating func encodeIfNotEmpty(_ values: some Collection & Encodable, forKey key: Key) throws {
    if !values.isEmpty { try encode(values, forKey: key) }
  }
}

extension Sequence where Element: Hashable {
  /// The elements without duplicates, in their order.
  package func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
