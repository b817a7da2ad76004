public import Foundation

/// How a plan is imported.
public struct PlanImportOptions: Hashable, Sendable {
  /// Whether tasks that the plan no longer holds end, and devices are unbound.
  public var prunes: Bool
  /// Whether outcomes may be left without their event.
  public var dropsOutcomes: Bool
  /// Whether what both the plan and a person changed is refused.
  public var isStrict: Bool
  /// Whether `now` is the machine's own time, not a recording's: a version whose date lies ahead
  /// only because the clock was ahead when it was imported is then replaced.
  public var isLive: Bool
  /// The things of which the person's values hold where both changed the same key.
  public var personDecides: Set<ThingReference>

  /// Makes options.
  public init(
    prunes: Bool = false, dropsOutcomes: Bool = false, isStrict: Bool = false,
    isLive: Bool = false, personDecides: Set<ThingReference> = []
  ) {
    self.prunes = prunes
    self.dropsOutcomes = dropsOutcomes
    self.isStrict = isStrict
    self.isLive = isLive
    self.personDecides = personDecides
  }
}

/// The report of an import.
public struct PlanImportReport: Hashable, Sendable {
  /// Each person, device, zone, task and other thing, in the plan's order; then what is missing.
  public var lines: [Line]

  /// A line of the report, about one thing.
  public struct Line: Hashable, Sendable {
    /// Which kind of thing.
    public var kind: Kind
    /// The task's patient; `nil` for what belongs to none.
    public var patient: String?
    /// Its id, address or name.
    public var id: String
    /// The result of the import for it.
    public var change: Change
    /// The version of a task that is now the newest.
    public var version: Int?
    /// The effective dates of versions that were to take effect later, and now never will.
    public var closed: [Date]
    /// The person's change since the last import, which stays.
    public var kept: Kept?
    /// The keys of the plan in which it differs from before, sorted.
    public var changedKeys: [String]
    /// The keys that a person changed since the last import and the plan did not: they stay.
    public var keptKeys: [String]
    /// The keys that both changed since the last import.
    ///
    /// `ended` and `deleted` stand for what a person did with the whole. The plan's values hold,
    /// unless the options say otherwise.
    public var contestedKeys: [String]
    /// When the new version of a task begins.
    public var begins: Date?
    /// Whether it begins later because it would change what is due today.
    public var beginsLater = false

    /// Makes a line.
    public init(
      kind: Kind, patient: String? = nil, id: String, change: Change, version: Int? = nil,
      closed: [Date] = [], kept: Kept? = nil, changedKeys: [String] = [],
      keptKeys: [String] = [], contestedKeys: [String] = [],
      begins: Date? = nil
    ) {
      self.kind = kind
      self.patient = patient
      self.id = id
      self.change = change
      self.version = version
      self.closed = closed
      self.kept = kept
      self.changedKeys = changedKeys
      self.keptKeys = keptKeys
      self.contestedKeys = contestedKeys
      self.begins = begins
    }
  }

  /// The things that both the plan and a person changed since the last import.
  public var contested: [ThingReference] {
    lines.filter { !$0.contestedKeys.isEmpty }.compactMap(\.thing)
  }

  /// The kinds of things that an import reports.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case zone, patient, device, calibration, task, carePlan, contact, note, order
  }

  /// The result of an import for one thing.
  public enum Change: String, Hashable, Sendable, CaseIterable, Codable {
    /// It is new.
    case added
    /// It differs from before.
    case updated
    /// It is the same as before.
    case unchanged
    /// The store has it, and the plan does not hold it; it stays.
    case missing
    /// It was ended, unbound or taken back.
    case removed
  }

  /// A person's change since the last import.
  public enum Kept: String, Hashable, Sendable, CaseIterable, Codable {
    case ended, deleted, changed, changedByRule
  }

  /// Makes a report.
  public init(lines: [Line] = []) {
    self.lines = lines
  }

  /// Whether nothing changed.
  public var isUnchanged: Bool {
    lines.allSatisfy { $0.change == .unchanged || $0.change == .missing }
  }
}

extension PlanImportReport.Line {
  /// The thing that the line is about; `nil` for the zone, the order, a device and a calibration.
  public var thing: ThingReference? {
    ThingKind(rawValue: kind.rawValue).map { ThingReference($0, patient: patient ?? "", id: id) }
  }
}
