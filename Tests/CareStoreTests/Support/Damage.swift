import Foundation
import GRDB

@testable import CareStore

extension TestEngine {
  /// Changes a closed store behind its back.
  static func damage(_ place: String, by sql: String) throws {
    guard !isPostgreSQL else { return try change(place, by: sql) }
    let queue = try DatabaseQueue(path: place)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)")
    }
    try queue.close()
  }

  /// The content of a closed store, to which it can return: to make a new one takes far longer.
  struct Content {
    private let place: String
    private let bytes: Data

    init(of place: String) throws {
      self.place = place
      guard isPostgreSQL else {
        bytes = try contents(of: place)
        return
      }
      bytes = Data()
      let kept = Self.kept(place)
      let copies = Schema.tables.map { "CREATE TABLE \(kept).\($0.name) AS TABLE \($0.name);" }
      try change(place, by: "CREATE SCHEMA \(kept); \(copies.joined())")
    }

    func restore() throws {
      guard isPostgreSQL else {
        for suffix in ["-wal", "-shm"] {
          try? FileManager.default.removeItem(atPath: place + suffix)
        }
        return try bytes.write(to: URL(fileURLWithPath: place))
      }
      let kept = Self.kept(place)
      let copies = Schema.tables.map {
        "DELETE FROM \($0.name); INSERT INTO \($0.name) SELECT * FROM \(kept).\($0.name);"
      }
      try change(place, by: copies.joined())
    }

    /// The schema of the copies.
    private static func kept(_ place: String) -> String { schema(of: place) + "_kept" }
  }
}
