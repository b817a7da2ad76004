public import Foundation

/// Which samples to change.
public enum SampleSelection: Hashable, Sendable {
  /// One sample, with what was measured together with it.
  case sample(SampleIdentity)
  /// One sample by itself, and its corrections.
  case single(SampleIdentity)
  /// Everything that a device measured from `from` (inclusive) to `to` (exclusive), by start.
  case span(device: DeviceID, from: Date?, to: Date?)
}

/// A change of samples.
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

/// Who decided a change of samples.
public enum SampleChangeDecider: String, Hashable, Sendable, CaseIterable {
  /// A person.
  case person
  /// The evidence of all weighings, which may decide otherwise later.
  case evidence
}

/// A change of a sample, and why it was made.
public struct SampleChangeRecord: Hashable, Sendable {
  /// The change.
  public var change: SampleChange
  /// Who decided it.
  public var decidedBy: SampleChangeDecider
  /// Why, in the words of a person or of this program.
  public var reason: String?
  /// When.
  public var date: Date

  /// Makes a record.
  public init(
    change: SampleChange, decidedBy: SampleChangeDecider = .person, reason: String?, date: Date
  ) {
    self.change = change
    self.decidedBy = decidedBy
    self.reason = reason
    self.date = date
  }
}

/// The result of a change of samples.
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
