import CSQLite
import Foundation
import Testing

@testable import ForeignTables

/// Databases that SQLite itself wrote, whole, damaged, and made to do harm.
@Suite struct ForeignTablesTests {
  /// A path at which nothing is.
  private static var path: String {
    FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  }

  /// The file that statements make.
  private static func database(_ statements: String) throws -> [UInt8] {
    let path = path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var connection: OpaquePointer?
    try #require(unsafe sqlite3_open(path, &connection) == SQLITE_OK)
    let code = unsafe sqlite3_exec(
      connection, "PRAGMA page_size = 512;" + statements, nil, nil, nil)
    let message = unsafe String(cString: sqlite3_errmsg(connection))
    try #require(code == SQLITE_OK, "\(message)")
    unsafe sqlite3_close(connection)
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private static func open(_ bytes: [UInt8]) throws(ForeignTables.Fault) -> ForeignTables {
    var draft = try ForeignTables.Draft(at: path)
    try draft.append(Array(bytes.prefix(300)))
    try draft.append(Array(bytes.dropFirst(300)))
    return try draft.tables()
  }

  /// All rows of a table, at most so many.
  private static func rows(
    _ bytes: [UInt8], _ table: String = "t", _ columns: [String] = ["v"]
  ) throws(ForeignTables.Fault) -> [ForeignTables.Row] {
    let rows = try open(bytes).rows(of: table, columns: columns)
    var found: [ForeignTables.Row] = []
    while let row = try rows.next() { found.append(row) }
    return found
  }

  /// A table of many pages, whose root has the others below it.
  private static let long = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO t SELECT i, 'the value ' || i FROM n;
    """

  @Test func `values are as SQLite has them`() throws {
    let bytes = try Self.database(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, "V" , u UUID, "order" INTEGER DEFAULT 7 CHECK ("order" > 0));
      INSERT INTO t VALUES (3, 1.5, x'00ff', 1), (7, 'text', NULL, 2), (-2, -9, '', 3);
      ALTER TABLE t ADD COLUMN late INTEGER DEFAULT 5;
      """)
    let tables = try Self.open(bytes)
    #expect(try tables.columns(of: "T") == ["id", "v", "u", "order", "late"])
    #expect(try tables.columns(of: "other") == [])
    #expect(try tables.columns(of: "t\"; DROP TABLE t; --") == [])
    let rows = try Self.rows(bytes, "t", ["v", "u", "order", "late"])
    #expect(rows.map(\.id) == [-2, 3, 7])
    #expect(
      rows.map(\.values) == [
        [.integer(-9), .text(""), .integer(3), .integer(5)],
        [.real(1.5), .bytes([0, 255]), .integer(1), .integer(5)],
        [.text("text"), .none, .integer(2), .integer(5)],
      ])
  }

  @Test func `a long table has all its rows, and its pages were read`() throws {
    let bytes = try Self.database(Self.long)
    #expect(try Self.rows(bytes).count == 300)
    let tables = try Self.open(bytes)
    #expect(tables.pages == bytes.count / 512)
    let rows = try tables.rows(of: "t", columns: [])
    while try rows.next() != nil {}
    #expect((tables.pages - 2...tables.pages + 2).contains(tables.pagesRead))
  }

  /// The longest texts of phones are cut, as what is read of them is.
  @Test func `a long text is read as far as it has to be`() throws {
    let bytes = try Self.database(
      "CREATE TABLE t (icon BLOB, v); INSERT INTO t VALUES (zeroblob(300000), hex(zeroblob(2000)));"
    )
    #expect(try Self.rows(bytes).map(\.values) == [[.text(String(repeating: "0", count: 1000))]])
  }

  /// The things that stand in a table's place.
  struct Instead: CustomTestStringConvertible, Sendable {
    var name: String
    var statements: String
    var testDescription: String { name }

    init(_ name: String, _ statements: String) { (self.name, self.statements) = (name, statements) }
  }

  private static func many(_ count: Int, by separator: String, _ text: (Int) -> String) -> String {
    (0..<count).map(text).joined(separator: separator)
  }

  @Test(arguments: [
    Instead("a view", "CREATE VIEW t AS SELECT 1 AS rowid, 2 AS v;"),
    Instead(
      "a view without end",
      """
      CREATE VIEW t AS WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n)
      SELECT v AS rowid, v FROM n;
      """),
    Instead("a virtual table", "CREATE VIRTUAL TABLE t USING fts5(v);"),
    Instead("no numbers of rows", "CREATE TABLE t (v TEXT PRIMARY KEY) WITHOUT ROWID;"),
    Instead("another column", "CREATE TABLE t (w);"),
    Instead(
      "many tables",
      "CREATE TABLE t (v);" + many(3000, by: "") { "CREATE TABLE other\($0) (v);" }),
    Instead(
      "a long condition",
      "CREATE TABLE t (v, w CHECK (\(many(900, by: " AND ") { "w <> \($0)" })));"),
    Instead(
      "a deep condition", "CREATE TABLE t (v, w CHECK (\(many(60, by: " + ") { "\($0)" })));"),
    Instead("many columns", "CREATE TABLE t (v, \(many(400, by: ", ") { "c\($0)" }));"),
    Instead("a huge value", "CREATE TABLE t (v); INSERT INTO t VALUES (zeroblob(2000000));"),
  ])
  func `no table of values, no rows`(instead: Instead) throws {
    let bytes = try Self.database("BEGIN;" + instead.statements + "COMMIT;")
    #expect(throws: ForeignTables.Fault.damaged) { try Self.rows(bytes) }
  }

  /// A trigger and an expression of the file's own run at a change alone, and nothing is changed.
  @Test func `a trigger is nothing to a reader`() throws {
    let bytes = try Self.database(
      """
      CREATE TABLE t (v, twice AS (v * 2));
      CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT load_extension('x'); END;
      DROP TRIGGER r;
      INSERT INTO t VALUES (4);
      CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END;
      """)
    #expect(try Self.rows(bytes).map(\.values) == [[.integer(4)]])
    #expect(try Self.open(bytes).columns(of: "t") == ["v"])
  }

  /// The root page names one page in place of each page below it: a tree that is larger than its file.
  ///
  /// Deeper trees of this kind would take for ever.
  @Test func `a page that is there twice ends the reading`() throws {
    var bytes = try Self.database(Self.long)
    let root = 512
    try #require(bytes[root] == 5)
    let cells = Int(bytes[root + 3]) << 8 | Int(bytes[root + 4])
    let places = (0..<cells).map {
      root + (Int(bytes[root + 12 + 2 * $0]) << 8 | Int(bytes[root + 13 + 2 * $0]))
    }
    let first = Array(bytes[places[0]..<places[0] + 4])
    for place in places { bytes.replaceSubrange(place..<place + 4, with: first) }
    #expect(throws: ForeignTables.Fault.damaged) { try Self.rows(bytes) }
  }

  /// The pages of a long text are a chain, which here comes back to its beginning.
  @Test func `a chain without end ends the reading`() throws {
    var bytes = try Self.database(
      "CREATE TABLE t (icon BLOB, v); INSERT INTO t VALUES (zeroblob(4000), 5), (zeroblob(4000), 6);"
    )
    #expect(try Self.rows(bytes).count == 2)
    for page in stride(from: 1024, to: bytes.count, by: 512) {
      bytes.replaceSubrange(page..<page + 4, with: [0, 0, 0, 3])
    }
    _ = try? Self.rows(bytes)
  }

  @Test func `damage is said`() throws {
    let whole = try Self.database(Self.long)
    #expect(throws: ForeignTables.Fault.damaged) { try Self.rows(Array(whole.dropLast(512))) }
    #expect(throws: ForeignTables.Fault.damaged) { try Self.rows(Array(whole.prefix(100))) }
    #expect(throws: ForeignTables.Fault.damaged) { try Self.rows([1, 2, 3]) }
    for place in stride(from: 512, to: whole.count, by: 512) {
      var bytes = whole
      bytes[place] = 0xFF
      #expect(throws: ForeignTables.Fault.damaged) { try Self.rows(bytes) }
    }
  }

  @Test func `a file that is too large is not copied, and nothing stays`() throws {
    let path = Self.path
    #expect(throws: ForeignTables.Fault.tooLarge(mebibytes: 1)) {
      var draft = try ForeignTables.Draft(at: path, mostMebibytes: 1)
      for _ in 0..<5 { try draft.append([UInt8](repeating: 0, count: 1 << 18)) }
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    var draft = try ForeignTables.Draft(at: path)
    #expect(FileManager.default.fileExists(atPath: path))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(throws: ForeignTables.Fault.notCopied(EEXIST)) { _ = try ForeignTables.Draft(at: path) }
    try draft.append(try Self.database(Self.long))
    let tables = try draft.tables()
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try tables.rows(of: "t", columns: ["v"]).next()?.values == [.text("the value 1")])
    #expect(throws: ForeignTables.Fault.notCopied(ENOENT)) {
      _ = try ForeignTables.Draft(at: "/nowhere/copy")
    }
  }
}
