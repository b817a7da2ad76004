import Care
import Foundation
import GRDB

/// The condition on the rows of `sample` that a query means.
struct SampleCondition {
  private let query: SampleQuery
  private static let longest = """
    (SELECT ifnull(max(end_date - start_date), 0) FROM sample WHERE end_date > start_date)
    """

  init(_ query: SampleQuery) {
    self.query = query
  }

  /// The condition, always over the same few texts, so that statements are compiled once.
  var sql: (condition: String, arguments: StatementArguments) {
    var terms = ["deleted_date IS NULL"]
    var arguments: [any DatabaseValueConvertible] = []
    func add(_ term: String, _ argument: any DatabaseValueConvertible) {
      terms.append(term)
      arguments.append(argument)
    }
    switch query.owner {
    case .anyone: break
    case .patient(let patient): add("patient = ?", patient)
    case .unassigned: terms.append("patient IS NULL")
    }
    if let quantity = query.quantity { add("quantity = ?", quantity.rawValue) }
    // Names are stored as they were spelt.
    if let device = query.device { add("device = ? COLLATE NOCASE", device.text) }
    if let to = query.to { add("start_date <= ?", to.microseconds) }
    if let from = query.from {
      add("end_date >= ?", from.microseconds)
      // Nothing lasts longer than the longest sample, so the index need not be read from its start.
      add("start_date >= ? - \(Self.longest)", from.microseconds)
    }
    return (terms.joined(separator: " AND "), StatementArguments(arguments))
  }
}
