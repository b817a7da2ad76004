public import Foundation

/// How a plan is imported.
public struct PlanImportOptions: Hashable, Sendable {
  /// Whether tasks that the plan no longer holds end, and devices are unbound.
  public var prunes: Bool
  /// Whether outcomes may be left without their event.
  public var dropsOutcomes: Bool
  /// Whether what both the plan and a person changed is refused.
  public var isStrict: Bool
  /// Whether `now` is the machine's own time, not a recording's: a version whose date lies ahead only
  /// because the clock was ahead when it was imported is then replaced.
  public var isLive: Bool

  /// Makes options.
  public init(
    prunes: Bool = false, dropsOutcomes: Bool = false, isStrict: Bool = false, isLive: Bool = false
  ) {
    self.prunes = prunes
    self.dropsOutcomes = dropsOutcomes
    self.isStrict = isStrict
    self.isLive = isLive
  }
}

/// What an import did.
public struct PlanImportReport: Hashable, Sendable {
  /// Each person, device, zone, task and other thing, in the plan's order; then what is missing.
  public var lines: [Line]

  /// What an import did with one thing.
  public struct Line: Hashable, Sendable {
    /// Which kind of thing.
    public var kind: Kind
    /// The task's patient; `nil` for what belongs to none.
    public var patient: String?
    /// Its id, address or name.
    public var id: String
    /// What happened.
    public var change: Change
    /// The version of a task that is now the newest.
    public var version: Int?
    /// The effective dates of versions that were to take effect later, and now never will.
    public var closed: [Date]
    /// What a person did since the last import, which stays.
    public var kept: Kept?
    /// When everything of a person was erased who is in the store again; what was erased stays away.
    public var erased: Date?

    /// Makes a line.
    public init(
      kind: Kind, patient: String? = nil, id: String, change: Change, version: Int? = nil,
      closed: [Date] = [], kept: Kept? = nil, erased: Date? = nil
    ) {
      self.kind = kind
      self.patient = patient
      self.id = id
      self.change = change
      self.version = version
      self.closed = closed
      self.kept = kept
      self.erased = erased
    }
  }

  /// The kinds of things that an import reports.
  public enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    case zone, patient, device, calibration, task, carePlan, contact, note, order
  }

  /// What an import did.
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

  /// What a person did since the last import.
  public enum Kept: String, Hashable, Sendable, CaseIterable, Codable {
    case ended, deleted, changed
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
