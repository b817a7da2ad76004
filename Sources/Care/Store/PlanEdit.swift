public import Foundation

/// A change of the plan that can be taken back: an import of a plan file, or what a person did.
public struct PlanEdit: Hashable, Sendable, Identifiable {
  /// Its number in this store; later ones have greater numbers.
  public var number: Int64
  /// When it was made.
  public var date: Date
  /// Whether it is the import of a plan file.
  public var isImport: Bool
  /// Whether it was taken back.
  public var isUndone: Bool
  /// Whether it can be taken back now: no later change stands on it.
  public var isUndoable: Bool
  /// The things of which it made versions.
  public var things: [Thing]
  /// The devices whose bindings a person changed.
  public var devices: [DeviceID]

  public var id: Int64 { number }

  /// A thing that an edit changed.
  public struct Thing: Hashable, Sendable {
    /// Kinds of changes of a thing.
    public enum Change: String, Hashable, Sendable, CaseIterable {
      case added, changed, ended, deleted
    }

    /// Which thing.
    public var reference: ThingReference
    /// Its title or name.
    public var title: String?
    /// The kind of change.
    public var change: Change
    /// When a change begins that was not to begin at once; `nil` for at once.
    public var begins: Date?

    /// Makes a thing.
    public init(
      reference: ThingReference, title: String? = nil, change: Change, begins: Date? = nil
    ) {
      self.reference = reference
      self.title = title
      self.change = change
      self.begins = begins
    }
  }

  /// Makes an edit.
  public init(
    number: Int64, date: Date, isImport: Bool, isUndone: Bool = false, isUndoable: Bool = false,
    things: [Thing] = [], devices: [DeviceID] = []
  ) {
    self.number = number
    self.date = date
    self.isImport = isImport
    self.isUndone = isUndone
    self.isUndoable = isUndoable
    self.things = things
    self.devices = devices
  }
}
