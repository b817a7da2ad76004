import Care
import Foundation
import GRDB

/// The condition on the rows of `sample` that a query means.
struct SampleCondition {
  private let query: SampleQuery

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
    if let device = query.device { add("device = ?", device) }
    if let to = query.to { add("start_date <= ?", to.microseconds) }
    if let from = query.from { add("end_date >= ?", from.microseconds) }
    return (terms.joined(separator: " AND "), StatementArguments(arguments))
  }
}
