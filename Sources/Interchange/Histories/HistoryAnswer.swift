/// An answer in the history of another program: a medicine that was taken, a habit that was kept.
///
/// It names no person and no task; the plan has those.
package struct HistoryAnswer: Hashable, Sendable {
  /// The state that the answer gives the event.
  package enum State: Hashable, Sendable { case done, notDone, skipped }

  /// The line of the file, from 1.
  package var line: Int
  /// The other program's name for the medicine or habit.
  package var name: String
  /// When it was due.
  package var due: HistoryTime
  package var state: State
  /// When it was done; `nil` if the file does not say.
  package var at: HistoryTime?
}
