import Foundation
import Testing

@testable import CareStore

/// A file knows each engine, and one what they say in other words; the others say what both
/// understand.
@Suite struct EngineSeamTests {
  private static let knowing = [
    "SQLite.swift", "Engine.swift", "Dialect.swift", "PostgreSQL.swift",
    "PostgreSQLConnection.swift", "PostgreSQLListener.swift", "PostgreSQLStatement.swift",
  ]

  /// Words of SQL that SQLite alone has or understands in its own way, and those of its library.
  private static let words = [
    "import GRDB", "sqlite", "PRAGMA", "data_version", "lastInserted", "changesCount",
    "ChangesCount",
    "resultCode", "COLLATE", "json_", " IS ?", " IS NOT ?", "INTEGER", "REAL NOT", "BLOB", " ANY ",
    "STRICT", "rowid", "ROWID", "OR REPLACE", "OR IGNORE", "ifnull", "iif(", "instr(", "typeof(",
    "group_concat", "strftime", "julianday", "datetime(", "GLOB ", "INDEXED BY", "VACUUM", "9e999",
    "LIMIT -1", " hex(", "(hex(", "-wal\"", "-shm\"", "CPostgres", "::", "BYTEA",
    "BIGINT", "VARCHAR", "pg_", "NOTIFY", "jsonb", "string_agg", "ILIKE",
  ]

  private static func sources() throws -> [(name: String, lines: [Substring])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/CareStore")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }
      .map { file in
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { line in
          !line.drop(while: \.isWhitespace).hasPrefix("//")
        }
        return (file.lastPathComponent, lines)
      }
  }

  @Test func `no other file has a word of it`() throws {
    let sources = try Self.sources()
    #expect(sources.count > 40)
    for (name, lines) in sources where !Self.knowing.contains(name) {
      for line in lines {
        let found = Self.words.filter { line.contains($0) }
        #expect(found == [], "\(name): \(line)")
      }
    }
  }

  /// Else a word of the list is misspelt.
  @Test(arguments: [
    "import GRDB", "PRAGMA", "COLLATE", "json_", "group_concat", "-wal\"", "CPostgres", "::",
    "BYTEA", "NOTIFY", "jsonb", "string_agg",
  ])
  func `their own files have them`(word: String) throws {
    let own = try Self.sources().filter { Self.knowing.contains($0.name) }
    #expect(own.contains { $0.lines.contains { $0.contains(word) } })
  }

  /// A table's description is compared with the one in the file, to the letter.
  @Test func `tables are described as in every store so far`() {
    #expect(
      SeriesKey.table.statements == [
        """
        CREATE TABLE series (
          number INTEGER PRIMARY KEY,
          device TEXT NOT NULL,
          quantity TEXT NOT NULL,
          user_index INTEGER NOT NULL,
          UNIQUE (device, quantity, user_index)
        ) STRICT
        """
      ])
    #expect(
      Schema.calibration.statements.first?.hasPrefix(
        """
        CREATE TABLE calibration (
          address TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
          method TEXT NOT NULL CHECK (method IN ('atRest', 'sixPositions')),
        """) == true)
    #expect(Schema.calibration.statements.first?.hasSuffix(") STRICT, WITHOUT ROWID") == true)
  }

  @Test func `a new row says its number`() async throws {
    let store = try SQLStore.example()
    let numbers = try await store.writing { transaction in
      try (1...3).map { user in
        try transaction.storeNumbered(
          SeriesKey(device: "scale", quantity: "bodyMass", userIndex: user), in: SeriesKey.table)
      }
    }
    #expect(numbers == [1, 2, 3])
  }
}
