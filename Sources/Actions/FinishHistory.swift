import Access
package import Care
package import Foundation
package import Interchange

/// Ends the import of a history: what it says of other weighings, and, where it is asked for, what the
/// other program deleted since.
package struct FinishHistory: Action {
  /// The program.
  package var kind: HistoryKind
  /// The result of all batches of the file.
  package var imported: ImportHistory.Result
  /// Whether what the file no longer has, in its own span of time, is deleted here, too.
  package var follows: Bool

  /// Makes the action.
  package init(_ kind: HistoryKind, _ imported: ImportHistory.Result, follows: Bool) {
    (self.kind, self.imported, self.follows) = (kind, imported, follows)
  }

  /// The changes after the last batch.
  package struct Result: Sendable {
    /// How many samples were deleted.
    package var deleted = 0
    /// The effect on the owners of the other weighings.
    package var review = WeighingReview.Outcome()
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    try performer.demand(follows ? .correct : .add, on: .box)
    var result = Result()
    if follows, let span = imported.span {
      for quantity in try writer.quantities(of: .anyone) {
        let query = SampleQuery(quantity: quantity, from: span.lowerBound, to: span.upperBound)
        for sample in try writer.samples(query)
        where sample.device.definition == kind.id && !sample.reading.isStreamed
          && sample.corrects == nil && !imported.identities.contains(sample.identity)
        {
          result.deleted += try writer.change(
            .single(sample.identity), .delete, decidedBy: .person,
            reason: "deleted in \(kind.title)", now: now
          ).samples.count
        }
      }
    }
    if imported.new > 0 || result.deleted > 0 {
      result.review = try WeighingReview.update(in: writer, now: now)
    }
    return result
  }
}
