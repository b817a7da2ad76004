import Foundation
import GRDB

extension Schema {
  /// Makes an empty database a store, known as `process` among its peers.
  ///
  /// Its knowledge vector starts at clock 1.
  static func found(_ database: any DatabaseWriter, process: UUID) throws {
    try migrator.migrate(database)
    let vector = #"{"processes":[{"clock":1,"id":"\#(process.uuidString)"}]}"#
    try database.write { db in
      try db.execute(
        sql: "INSERT INTO revision (number, vector) VALUES (1, ?)", arguments: [vector])
      try db.execute(
        sql: "INSERT INTO store (id, process, revision) VALUES (1, ?, 1)",
        arguments: [process.uuidString])
    }
  }
}
