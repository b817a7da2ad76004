import Care
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CareStore

/// The ways of a store on a server alone.
@Suite(.ofPostgreSQL, .serialized) struct PostgreSQLTests {
  private static func open(_ address: String) throws -> SQLStore {
    try .open(path: address, makeUUID: { UUID() })
  }

  @Test func `a store is made once, and found again`() async throws {
    let address = try TestEngine.makeAddress()
    #expect(try !SQLStore.isPresent(atAddress: address))
    let first = try Self.open(address)
    _ = try await first.write { try $0.importPlan(.example(), now: midnight) }
    #expect(try SQLStore.isPresent(atAddress: address))
    let second = try Self.open(address)
    #expect(try await second.read { try $0.patients().map(\.id) } == ["john"])
    #expect(try await second.check() == [])
    try first.close()
    await #expect(throws: StoreError.failed(.closed, store: address)) {
      try await first.read { try $0.patients() }
    }
    #expect(try await second.read { try $0.patients().map(\.id) } == ["john"])
  }

  @Test func `a database of another program stays as it is`() throws {
    let address = try TestEngine.makeAddress()
    let engine = try PostgreSQLEngine(PostgreSQLAddress(address))
    try engine.alone { try $0.define("CREATE TABLE store (id integer)") }
    #expect(throws: StoreError.failed(.otherProgram, store: address)) { try Self.open(address) }
    try engine.alone {
      try $0.define("COMMENT ON TABLE store IS 'store of measured, schema 99'")
    }
    #expect(
      throws: StoreError.newerSchema(store: address, version: 99, supported: Schema.version)
    ) { try Self.open(address) }
  }

  @Test(arguments: [
    ("postgresql://a:b@/x?host=/nowhere", StoreError.Failure.passwordInAddress),
    ("postgresql://[", .unreadableAddress),
  ])
  func `an address is refused`(address: String, failure: StoreError.Failure) {
    #expect(throws: StoreError.failed(failure, store: PostgreSQLAddress.shown(address))) {
      try Self.open(address)
    }
  }

  @Test func `a server that is not there is said`() {
    let address = "postgresql:///x?host=/nowhere"
    let error = #expect(throws: StoreError.self) { try Self.open(address) }
    guard case .failed(.unreachable, store: address) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `numbers are in the order of commits`() async throws {
    let address = try TestEngine.makeAddress()
    let stores = try (0..<4).map { _ in try Self.open(address) }
    let reader = try Self.open(address)
    let seen = Recorder()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<50 {
            try await store.writing { transaction in
              _ = try transaction.storeNumbered(
                SeriesKey(device: "\(place)", quantity: "bodyMass", userIndex: number),
                in: SeriesKey.table)
              try transaction.execute(
                "INSERT INTO erasure (mark, date, stored) VALUES (?, 0, ?)",
                ["\(place) \(number)", try transaction.nextStored()])
            }
          }
        }
      }
      group.addTask {
        var last: Int64 = 0
        while seen.count < 200 {
          let after = last
          let rows = try await reader.reading { transaction in
            try transaction.rows(
              "SELECT stored FROM erasure WHERE stored > ? ORDER BY stored", [after]
            ) { try $0.required("stored") as Int64 }
          }
          seen.add(rows.count)
          last = rows.last ?? last
        }
      }
      try await group.waitForAll()
    }
    #expect(seen.count == 200)
    #expect(try await reader.check().filter { $0.kind == .repeatedStamp } == [])
  }

  @Test func `a frame and a name of any length are stored once`() async throws {
    let store = try TestEngine.makeStore(makeUUID: { UUID() })
    var generator = SeededGenerator(seed: 7)
    var long = Sample.weight(identity: generator.bytes(20_000).hexString, patient: nil)
    long.raw = generator.bytes(100_000)
    let sample = long
    #expect(try await store.write { try $0.insert(sample) })
    #expect(try await !store.write { try $0.insert(sample) })
    #expect(try await store.read { try $0.samples(SampleQuery()) } == [sample])
  }

  @Test func `a broken connection is made again`() async throws {
    let address = try TestEngine.makeAddress()
    let store = try Self.open(address)
    _ = try await store.write { try $0.importPlan(.example(), now: midnight) }
    try await store.engine.write { connection in
      guard case .postgreSQL(let own) = connection else { return }
      // Ends the connection amid its own transaction, the first time only.
      if !Self.hasBroken.isSet {
        Self.hasBroken.set()
        try connection.execute("INSERT INTO writer (uuid) VALUES ('again')")
        try own.runText("SELECT pg_terminate_backend(pg_backend_pid())")
      }
      try connection.execute("INSERT INTO writer (uuid) VALUES ('kept')")
    }
    let names = try await store.reading { transaction in
      try transaction.rows("SELECT uuid FROM writer ORDER BY number") { try $0.text("uuid") }
    }
    #expect(names.dropFirst() == ["kept"])
  }

  private static let hasBroken = Flag()

  @Test func `a statement that fails later undoes the change that it belongs to`() async throws {
    struct Interruption: Error, Equatable {}
    let store = try TestEngine.makeStore(makeUUID: { UUID() })
    @Sendable func add(_ name: String?, _ transaction: SQLTransaction) throws {
      try transaction.execute("INSERT INTO writer (uuid) VALUES (?)", [name])
    }
    try await store.writing { transaction in
      #expect {
        try transaction.changing {
          try add("lost", transaction)
          try add(nil, transaction)
          try add("after", transaction)
        }
      } throws: { error in
        guard case StoreError.failed(.refusedStatement("23502", _), _) = error else { return false }
        return true
      }
      #expect(throws: Interruption()) {
        try transaction.db.undoing {
          try add("undone", transaction)
          throw Interruption()
        }
      }
      try add("kept", transaction)
      #expect(try transaction.db.changes { try add("counted", transaction) } == 1)
      // More than are sent without taking their results.
      for number in 0..<2500 { try add("\(number)", transaction) }
      let names = try transaction.rows("SELECT uuid FROM writer ORDER BY number") {
        try $0.text("uuid")
      }
      #expect(names.dropFirst().prefix(2) == ["kept", "counted"])
      #expect(names.count == 2503)
    }
  }

  @Test func `rows of two tables by turns are stored together`() async throws {
    let store = try TestEngine.makeStore(makeUUID: { UUID() })
    @Sendable func add(
      _ number: Int64?, _ name: String?, edge: Int, _ transaction: SQLTransaction
    ) throws {
      try transaction.execute(Schema.writer.insertion, [number, name])
      try transaction.execute(Schema.versionEdge.insertionIfNew, ["a", "\(edge % 100)", 1])
    }
    try await store.writing { transaction in
      let count = try transaction.db.changes {
        for number in 0..<300 {
          try add(100 + Int64(number), "\(number)", edge: number, transaction)
        }
      }
      #expect(count == 300 + 100)
      #expect(throws: StoreError.self) {
        try transaction.changing {
          for number in 0..<5 {
            try add(500 + Int64(number), number == 3 ? nil : "lost", edge: 500, transaction)
          }
        }
      }
      for name in ["next", "last"] { try add(nil, name, edge: 0, transaction) }
      let writers = try transaction.rows("SELECT * FROM writer WHERE number >= 100 ORDER BY number")
      {
        (try $0.required("number") as Int64, try $0.text("uuid"))
      }
      #expect(writers.map(\.0) == Array(100..<402))
      #expect(writers.map(\.1) == (0..<300).map(String.init) + ["next", "last"])
    }
  }

  @Test func `a statement that fails at the end undoes its transaction`() async throws {
    let store = try TestEngine.makeStore(makeUUID: { UUID() })
    await #expect(throws: StoreError.self) {
      try await store.writing { transaction in
        try transaction.execute("INSERT INTO writer (uuid) VALUES ('lost')")
        try transaction.execute("INSERT INTO writer (uuid) VALUES (NULL)")
      }
    }
    let count = try await store.reading { transaction in
      try transaction.rows("SELECT 1 FROM writer") { _ in }.count
    }
    #expect(count == 1)
  }

  @Test func `a printed reading does not run again after a lost connection`() async throws {
    let store = try TestEngine.makeStore(makeUUID: { UUID() })
    let printed = Recorder()
    await #expect(throws: StoreError.self) {
      try await store.readingOnce { transaction in
        printed.add(1)
        guard case .postgreSQL(let own) = transaction.db else { return }
        try own.runText("SELECT pg_terminate_backend(pg_backend_pid())")
      }
    }
    #expect(printed.count == 1)
  }

  @Test func `a change of another program wakes an observer`() async throws {
    let address = try TestEngine.makeAddress()
    let (first, second) = (try Self.open(address), try Self.open(address))
    var results = first.observe(in: .gmt, now: { midnight }) { reader, _ in
      try reader.patients().map(\.id)
    }.makeAsyncIterator()
    #expect(try await results.next() == [])
    _ = try await second.write { try $0.importPlan(.example(), now: midnight) }
    #expect(try await results.next() == ["john"])
  }
}

/// A flag that is set once.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

/// A count.
private final class Recorder: Sendable {
  private let value = Atomic(0)
  var count: Int { value.load(ordering: .relaxed) }
  func add(_ number: Int) { value.add(number, ordering: .relaxed) }
}
