import Care
package import Foundation

extension SQLStore {
  /// An element for each change that may give somebody something to be told: of the plan, answers, firings,
  /// single measurements and messages, and once at the beginning.
  ///
  /// The beats of a sensor that streams are none: what comes of them is a firing, and a missed event is
  /// one when it ends. So a strap that sends each second leads to some searches in indexes, and not to
  /// reading the days anew.
  package func occasionChanges(
    now: @escaping @Sendable () -> Date, clock: any Clock<Duration>
  ) -> some AsyncSequence<OccasionRevision?, any Error> & Sendable {
    observe(in: .gmt, now: now, clock: clock) { reader, _ in
      try (reader as? SQLTransaction)?.occasionRevision()
    }
  }
}

/// Tells states of a store apart between which somebody may have something to be told.
package struct OccasionRevision: Hashable, Sendable {
  fileprivate var numbers: [Int64]
  fileprivate var ways: [StoredWay]
}

extension SQLTransaction {
  /// The tables whose rows decide what is told: all but streamed samples.
  private static let decisive = Schema.tables.filter {
    $0.isExchanged && $0.name != Schema.block.name
  }.map(\.name)

  package func occasionRevision() throws -> OccasionRevision {
    let stored = Self.decisive.map { "(SELECT coalesce(max(stored), 0) FROM \($0))" }
    let messages = [
      "(SELECT plan_revision FROM store)",
      "(SELECT count(*) FROM message_item WHERE active = 1)",
      "(SELECT coalesce(max(finished_date), 0) FROM message_item)",
    ]
    let query = (messages + stored).map { "SELECT \($0) AS number" }
      .joined(separator: " UNION ALL ")
    let numbers = try reading { try rows(query) { try $0.required("number") as Int64 } }
    return OccasionRevision(numbers: numbers, ways: try ways())
  }
}
