import Access
package import Care
package import Foundation
package import Interchange

/// Stores what openScale-sync sends of a phone.
///
/// A row that openScale changed or deleted is changed or deleted here as far as it came from the same
/// user of the same phone. A message that a whole history was emptied changes nothing: one unsigned
/// request must not empty it here.
package struct ReceiveScale: Action {
  /// The message.
  package var message: ScaleMessage
  /// Whose the values are; `nil` to decide by evidence.
  package var patient: String?

  /// Reads a message.
  ///
  /// - Throws: ``ScaleRefusal``.
  package init(_ bytes: [UInt8], patient: String?) throws(ScaleRefusal) {
    message = try ScaleMessage(bytes)
    self.patient = patient
  }

  /// The outcome of a message.
  package struct Result: Sendable {
    /// How many values it has.
    package var read = 0
    package var imported = ImportHistory.Result()
    /// How many samples were deleted, since openScale has another value, or none.
    package var removed = 0
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    try performer.demand(.add, on: patient.map { .patient($0) } ?? .box)
    var result = Result()
    switch message {
    case .test, .clearing: break
    case .deletion(let user, let date):
      result.removed = try remove(user, at: [date], keeping: [], writer, now)
    case .measurements(let measurements):
      result.read = measurements.reduce(0) { $0 + $1.entries.count }
      result.imported = try ImportHistory.received(
        measurements.flatMap(\.entries), of: .openScale, patient: patient, in: writer,
        by: performer, now: now)
      result.imported.skips += measurements.flatMap(\.skips)
      for (user, rows) in Dictionary(grouping: measurements, by: \.user)
        .sorted(by: { $0.key < $1.key })
      {
        let former = try note(rows, of: user, writer)
        // A row without a value is one that was not read.
        let present = rows.filter { !$0.entries.isEmpty }.map(\.date)
        result.removed += try remove(
          user, at: former + present, keeping: result.imported.identities, writer, now)
      }
    }
    return result
  }

  /// Remembers the times of rows.
  ///
  /// - Returns: The former times of those that have another one now.
  private func note(
    _ rows: [ScaleMessage.Measurement], of user: Int, _ writer: any StoreWriter
  ) throws -> [Date] {
    let sender = "openScale/\(user)"
    let known = try writer.receipts(of: sender, patient: patient, named: "row/")
    var marks = Dictionary(known.map { ($0.name, $0.mark) }) { $1 }
    var former: [Date] = []
    for row in rows {
      let (name, mark) = ("row/\(row.id)", "\(row.date.microseconds)")
      guard marks[name] != mark else { continue }
      if let old = marks[name].flatMap({ Int64($0) }) { former.append(Date(microseconds: old)) }
      marks[name] = mark
      try writer.put(Receipt(sender: sender, name: name, patient: patient, mark: mark))
    }
    return former
  }

  /// Deletes what the user's rows said at some times, but for `identities`.
  private func remove(
    _ user: Int, at dates: [Date], keeping identities: Set<SampleIdentity>,
    _ writer: any StoreWriter, _ now: Date
  ) throws -> Int {
    guard let first = dates.min(), let last = dates.max() else { return 0 }
    let times = Set(dates)
    return try writer.replaceSent(
      by: HistoryKind.openScale.address(of: ScaleMessage.source(ofUser: user)), of: .openScale,
      in: first...last, keeping: identities, patient: patient, now: now
    ) { times.contains($0) }
  }
}
