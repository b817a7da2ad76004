import Foundation
import Synchronization
import Testing

@testable import CareStore

/// The engine of the stores that tests make, but for those that are about a file: SQLite in memory, or with
/// `MEASURED_ENGINE=postgresql` the server that `Tests/PostgreSQL/with-server` has started.
enum TestEngine {
  static let isPostgreSQL = ProcessInfo.processInfo.environment["MEASURED_ENGINE"] == "postgresql"

  /// A schema of the server, and the store that had it last.
  private struct Place {
    let name: String
    weak var engine: PostgreSQLEngine?
  }

  private struct State {
    var server: PostgreSQLEngine?
    var places: [Place] = []
    var count = 0

    mutating func connected() throws -> PostgreSQLEngine {
      let known = try server ?? PostgreSQLEngine(PostgreSQLAddress(address("public")))
      server = known
      return known
    }
  }

  private static let state = Mutex(State())
  /// The module of the tests: each that has this file counts by itself.
  private static let module = #fileID.prefix { $0 != "/" }.lowercased()

  /// An empty store that nothing else has.
  static func makeStore(makeUUID: @escaping @Sendable () -> UUID) throws -> SQLStore {
    guard isPostgreSQL else { return try .inMemory(makeUUID: makeUUID) }
    // Tables take long to make: those of a store that is gone are emptied.
    let free = state.withLock { state in
      state.places.firstIndex { $0.engine == nil }.map { state.places.remove(at: $0).name }
    }
    let store: SQLStore
    if let free {
      try empty(free, writer: makeUUID())
      store = try .open(path: address(free), makeUUID: makeUUID)
    } else {
      store = try .open(path: makeAddress(), makeUUID: makeUUID)
    }
    guard case .postgreSQL(let engine) = store.engine else { return store }
    let name = free ?? schema(of: store.place)
    state.withLock { $0.places.append(Place(name: name, engine: engine)) }
    return store
  }

  /// The address of a database without a store: a schema of its own of the server.
  static func makeAddress() throws -> String {
    let name = try state.withLock { state in
      state.count += 1
      let name = "\(module)_\(ProcessInfo.processInfo.processIdentifier)_\(state.count)"
      try state.connected().alone { try $0.define("CREATE SCHEMA \(name)") }
      return name
    }
    return try address(name)
  }

  /// Where a test makes a store that is opened several times: a file, or a schema of its own.
  static func makePlace(_ file: String) throws -> String {
    isPostgreSQL ? try makeAddress() : file
  }

  /// A store with the rows of another one, which does not know that it is a copy.
  static func copy(of store: SQLStore, makeUUID: @escaping @Sendable () -> UUID) throws -> SQLStore
  {
    guard isPostgreSQL else {
      let engine = try Engine.inMemory()
      try store.engine.copy(to: engine)
      return SQLStore(engine: engine, place: "in memory", makeUUID: makeUUID, file: nil)
    }
    let copy = try makeStore { UUID() }
    let (source, target) = (schema(of: store.place), schema(of: copy.place))
    let rows = Schema.tables.map {
      "DELETE FROM \(target).\($0.name);"
        + "INSERT INTO \(target).\($0.name) SELECT * FROM \(source).\($0.name);"
    }
    // Its place stays its own, so that it is no copy when another test has it.
    try change(
      store.place,
      by: """
        CREATE TEMPORARY TABLE own AS SELECT file FROM \(target).store; \(rows.joined())
        UPDATE \(target).store SET file = (SELECT file FROM own); DROP TABLE own
        """)
    return SQLStore(engine: copy.engine, place: copy.place, makeUUID: makeUUID, file: nil)
  }

  /// Changes what is on the server, without the checks of references, which are triggers.
  static func change(_ address: String, by sql: String) throws {
    let engine = try PostgreSQLEngine(PostgreSQLAddress(address))
    defer { engine.close() }
    try engine.alone { try $0.define("SET session_replication_role = replica; \(sql)") }
  }

  /// The schema that an address names.
  static func schema(of address: String) -> String {
    String(address.split(separator: "%3D").last ?? "")
  }

  private static func address(_ schema: String) throws -> String {
    try #require(ProcessInfo.processInfo.environment["MEASURED_POSTGRESQL"])
      + "&options=-csearch_path%3D\(schema)"
  }

  /// Makes the store of a schema as it was when it was new.
  private static func empty(_ schema: String, writer: UUID) throws {
    let removals = Schema.tables.reversed().filter { $0.name != "store" && $0.name != "writer" }
      .map { "DELETE FROM \(schema).\($0.name);" }.joined()
    let text = """
      BEGIN; \(removals) UPDATE \(schema).store SET writer = 1, clock = 0, stored = 0,
        plan_time_zone = NULL, plan_time_zone_date = NULL, plan_time_zone_stored = NULL,
        plan_revision = 0;
      DELETE FROM \(schema).writer WHERE number <> 1;
      UPDATE \(schema).writer SET uuid = '\(writer.uuidString)'; COMMIT
      """
    try state.withLock { state in try state.connected().alone { try $0.define(text) } }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test of what only a file has, or of SQLite's own words.
  static var ofSQLite: Self { .disabled(if: TestEngine.isPostgreSQL, "it is about SQLite") }

  /// A test that needs a server.
  static var ofPostgreSQL: Self { .enabled(if: TestEngine.isPostgreSQL, "it needs a server") }
}
