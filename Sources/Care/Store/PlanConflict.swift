public import Foundation

/// Something that several stores changed independently.
public struct PlanConflict: Hashable, Sendable {
  /// The changed thing.
  public var thing: ThingReference
  /// The version that is shown: the newest of those that no other follows.
  public var shownVersion: Version
  /// The others of them, newest first.
  public var otherVersions: [Version]

  /// The id of the version that is shown.
  public var shown: UUID { shownVersion.id }
  /// The ids of the others, newest first.
  public var others: [UUID] { otherVersions.map(\.id) }
  /// All of them, the shown one first.
  public var versions: [Version] { [shownVersion] + otherVersions }

  /// One of the versions.
  public struct Version: Hashable, Sendable, Identifiable {
    /// Its id.
    public var id: UUID
    /// When it was made.
    public var createdDate: Date
    /// When a task's version takes effect.
    public var effectiveDate: Date
    /// The title or name.
    public var title: String?
    /// Whether an import of a plan made it, rather than a person.
    public var isImported: Bool
    /// Whether it ends the task.
    public var isEnded: Bool
    /// Whether it deletes the thing.
    public var isDeleted: Bool
    /// Whether it was made in this store, rather than in another one.
    public var isOwn: Bool
    /// The keys, as in a plan, in which it differs from the shown version, sorted.
    public var differences: [String]

    /// Makes a version.
    public init(
      id: UUID, createdDate: Date, effectiveDate: Date, title: String?, isImported: Bool = false,
      isEnded: Bool = false, isDeleted: Bool = false, isOwn: Bool = true,
      differences: [String] = []
    ) {
      self.id = id
      self.createdDate = createdDate
      self.effectiveDate = effectiveDate
      self.title = title
      self.isImported = isImported
      self.isEnded = isEnded
      self.isDeleted = isDeleted
      self.isOwn = isOwn
      self.differences = differences
    }
  }

  /// Makes a conflict.
  public init(thing: ThingReference, shown: Version, others: [Version]) {
    self.thing = thing
    shownVersion = shown
    otherVersions = others
  }
}

/// An event that several stores answered independently.
public struct OutcomeConflict: Hashable, Sendable {
  /// Which event.
  public var event: EventKey
  /// The outcome that is shown, or the deletion that hides it: the newest.
  public var shown: UUID
  /// The others, newest first.
  public var others: [UUID]

  /// Makes a conflict.
  public init(event: EventKey, shown: UUID, others: [UUID]) {
    self.event = event
    self.shown = shown
    self.others = others
  }
}
