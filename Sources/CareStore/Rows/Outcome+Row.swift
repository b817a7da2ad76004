import Care
import Foundation
import GRDB

extension Outcome {
  /// Reads a row of the table `outcome`, which has these values.
  init(_ row: Row, values: [OutcomeValue]) throws {
    self.init(
      uuid: try row.parsed("uuid", UUID.init(uuidString:)),
      taskUUID: try row.parsed("task_uuid", UUID.init(uuidString:)),
      occurrence: try row.required("occurrence"), start: try row.date("start_date"),
      end: try row.date("end_date"), values: values, createdDate: try row.date("created_date"))
  }
}

extension OutcomeValue {
  /// Reads a row of the table `outcome_value`.
  init(_ row: Row) throws {
    self.init(
      value: try Value(row), unit: try row.optionalParsed("unit") { UnitOfMeasure($0) },
      kind: try row.optional("kind"), time: try row.date("time"),
      provenance: try row.parsed("provenance", Provenance.init(rawValue:)))
  }
}

extension Value {
  /// Reads the columns `type` and `value`.
  init(_ row: Row) throws {
    let type = try row.text("type")
    switch type {
    case "integer": self = .integer(try row.required("value"))
    case "double": self = .double(try row.required("value"))
    case "boolean": self = .boolean(try row.required("value"))
    case "text": self = .text(try row.text("value"))
    case "binary":
      let data: Data = try row.required("value")
      self = .binary(Array(data))
    case "date": self = .date(try row.date("value"))
    default: throw ColumnError(column: "type", content: type)
    }
  }

  /// What the columns `type` and `value` hold for it.
  var columns: (type: String, value: any DatabaseValueConvertible) {
    switch self {
    case .integer(let value): ("integer", value)
    case .double(let value): ("double", value)
    case .boolean(let value): ("boolean", value)
    case .text(let value): ("text", value)
    case .binary(let value): ("binary", Data(value))
    case .date(let value): ("date", value.microseconds)
    }
  }
}
