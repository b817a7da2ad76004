import Foundation
import Testing

@testable import CareStore

@Suite struct DialectTests {
  /// Statements as SQLite has them, and as PostgreSQL does.
  private static let statements: [(String, String)] = [
    ("SELECT 1 FROM store WHERE file = ?", "SELECT 1 FROM store WHERE file = ?"),
    ("SELECT min(\(Dialect.lesser("a", "?1"))) FROM t", "SELECT min(least(a, ?1)) FROM t"),
    (Dialect.greater("a", "?2"), "greatest(a, ?2)"),
    ("SELECT min(a), max(b) FROM t", "SELECT min(a), max(b) FROM t"),
    (Dialect.hex("digest"), "lower(encode(digest, 'hex'))"),
    (Dialect.list("next"), "string_agg(next, ',' ORDER BY next)"),
    (Dialect.isSpelt("address"), #"lower(address) = lower(?::text COLLATE "C")"#),
    (Dialect.isOther("a", "b"), "a IS DISTINCT FROM b"),
    ("a IS NOT NULL", "a IS NOT NULL"),
    (Dialect.isJSON("content"), "((content)::json IS NOT NULL)"),
    (
      Dialect.isNotTrue("content", "isEdit"),
      "(content)::jsonb -> 'isEdit' IS DISTINCT FROM 'true'::jsonb"
    ),
    (Dialect.removing("content", "digests"), "((content)::jsonb - 'digests')::text"),
    (
      Dialect.setting("content", "recipient", "?2 || substr(recipient, length(?1) + 1)"),
      "((content)::jsonb || jsonb_build_object('recipient',"
        + " (?2 || substr(recipient, length(?1) + 1))::text))::text"
    ),
    ("SELECT \(Dialect.bytes("value"))", "SELECT decode(substr(value, 2), 'hex')"),
    (
      "INSERT INTO audit (date, event) VALUES (?, ?)",
      "INSERT INTO audit (number, date, event) VALUES"
        + " ((SELECT coalesce(max(number), 0) + 1 FROM audit), ?, ?) RETURNING number"
    ),
    (
      "INSERT INTO series (number, device) VALUES (?, ?)",
      "INSERT INTO series (number, device) VALUES"
        + " (coalesce(?, (SELECT coalesce(max(number), 0) + 1 FROM series)), ?) RETURNING number"
    ),
    (
      "INSERT INTO writer (number, uuid) VALUES (1, ?)",
      "INSERT INTO writer (number, uuid) VALUES (1, ?) RETURNING number"
    ),
    (
      "INSERT INTO version_edge (previous, next) VALUES (?, ?)",
      "INSERT INTO version_edge (previous, next) VALUES (?, ?)"
    ),
    (
      "CREATE INDEX i ON sample (identity) WHERE identity <> ''",
      "CREATE INDEX i ON sample USING hash (identity) WHERE identity <> ''"
    ),
    (
      "ON CONFLICT (series, time, ordinal, raw, identity) DO NOTHING",
      "ON CONFLICT (series, time, ordinal, sha256(raw), md5(identity)) DO NOTHING"
    ),
    (
      "CREATE INDEX i ON sample (patient, end_date - start_date) WHERE a > 0",
      "CREATE INDEX i ON sample (patient, (end_date - start_date)) WHERE a > 0"
    ),
  ]

  @Test(arguments: statements)
  func `a statement has its other words`(sql: String, other: String) {
    #expect(Dialect.translated(sql) == other)
  }

  /// Arguments of a statement, and what of it is sent.
  @Test func `a value that may be NULL is compared so that an index answers`() {
    let text = PostgreSQLText(
      "SELECT 1 FROM t WHERE a IS ? AND b = ? AND c IS ?2 AND d = '?' AND e = ?3")
    #expect(text.count == 3)
    func resolved(_ cells: [Cell]) -> (String, [Int]) { text.resolved(text.nulls(of: cells)) }
    let full = resolved([.integer(1), .integer(2), .integer(3)])
    #expect(full.0 == "SELECT 1 FROM t WHERE a = $1 AND b = $2 AND c = $2 AND d = '?' AND e = $3")
    #expect(full.1 == [0, 1, 2])
    let empty = resolved([.null, .integer(2), .integer(3)])
    #expect(
      empty.0 == "SELECT 1 FROM t WHERE a IS NULL AND b = $1 AND c = $1 AND d = '?' AND e = $2")
    #expect(empty.1 == [1, 2])
  }

  @Test func `a table has both descriptions`() {
    #expect(
      Dialect.postgreSQL(SeriesKey.table) == [
        "CREATE TABLE series (number BIGINT PRIMARY KEY, device TEXT COLLATE \"C\" NOT NULL,"
          + " quantity TEXT COLLATE \"C\" NOT NULL, user_index BIGINT NOT NULL,"
          + " UNIQUE (device, quantity, user_index))"
      ])
    #expect(
      Dialect.postgreSQLColumns(SeriesKey.table)
        == "number bigint required, device text required, quantity text required,"
        + " user_index bigint required")
  }

  @Test(arguments: [
    ("postgresql://a@b/c", "postgresql://a@b/c"),
    ("postgresql:///c?host=/run", "postgresql:///c?host=/run"),
    ("postgresql://a:secret@b/c", "postgresql://…"),
    ("postgresql://b/c?password=secret", "postgresql://…"),
  ])
  func `a message shows no password of an address`(address: String, shown: String) {
    #expect(PostgreSQLAddress.shown(address) == shown)
  }
}
