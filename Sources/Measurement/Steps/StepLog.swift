/// What a step counter found out: steps as they become sure, bouts as they close.
///
/// A counter appends to it and never reads it; empty it whenever its content is used up.
public struct StepLog: Hashable, Sendable {
  /// Steps credited, oldest first.
  public var steps: [Step] = []
  /// Bouts that ended, oldest first; all their steps have been credited before.
  public var bouts: [WalkingBout] = []

  /// Makes an empty log.
  public init() {}
}
