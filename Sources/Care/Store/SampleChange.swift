public import Foundation

/// Which samples to change.
public enum SampleSelection: Hashable, Sendable {
  /// One sample, with what was measured together with it.
  case sample(SampleIdentity)
  /// Everything that a device measured from `from` (inclusive) to `to` (exclusive), by start.
  case span(device: DeviceID, from: Date?, to: Date?)
}

/// What to change of samples.
public enum SampleChange: Hashable, Sendable {
  /// They belong to this patient.
  case assign(patient: String)
  /// They belong to no patient yet: they go back to the tray.
  case unassign
  /// They belong to no patient of this plan.
  case disown
  /// They count no longer.
  case delete
  /// They count again.
  case restore
}

/// What a person changed of a sample, and why.
public struct SampleChangeRecord: Hashable, Sendable {
  /// What.
  public var change: SampleChange
  /// Why, as the person said.
  public var reason: String?
  /// When.
  public var date: Date

  /// Makes a record.
  public init(change: SampleChange, reason: String?, date: Date) {
    self.change = change
    self.reason = reason
    self.date = date
  }
}

/// What a change of samples did.
public struct SampleChangeResult: Hashable, Sendable {
  /// The changed samples as they are now, without streamed ones.
  public var samples: [Sample]
  /// How many streamed samples changed, too.
  public var streamedCount: Int

  /// Makes a result.
  public init(samples: [Sample], streamedCount: Int) {
    self.samples = samples
    self.streamedCount = streamedCount
  }
}
