import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

@Suite("A store of a newer program")
struct NewerSchemaTests {
  private func refusal(_ path: String) -> StoreError {
    .newerSchema(store: path, version: 7, supported: 3)
  }

  @Test("It is refused untouched: the same bytes, no new files")
  func header() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    try SQLStore.example(at: path).close()
    var bytes = try contents(of: path)
    // `user_version`, big-endian.
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 7])
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: refusal(path)) { try SQLStore.example(at: path) }
    #expect(try contents(of: path) == bytes)
    #expect(try mode(of: path) == 0o640)
    #expect(try scratch.names == ["care.db"])
  }

  @Test("It is refused also where only the log of a crashed program knows, and the log stays")
  func log() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let running = try SQLStore.example(at: path)
    try await running.write { writer in
      try (writer as? SQLTransaction)?.execute("PRAGMA user_version = 7")
    }
    let copies = ["", "-wal", "-shm"].map { (from: path + $0, to: scratch.file("crashed.db" + $0)) }
    for copy in copies { try FileManager.default.copyItem(atPath: copy.from, toPath: copy.to) }
    try running.close()
    let crashed = scratch.file("crashed.db")
    let before = try copies.prefix(2).map { try contents(of: $0.to) }
    #expect(StoreHeader(Array(before[0].prefix(100)))?.version == Schema.version)
    #expect(throws: refusal(crashed)) { try SQLStore.example(at: crashed) }
    #expect(try copies.prefix(2).map { try contents(of: $0.to) } == before)
    #expect(try scratch.names == ["care.db", "crashed.db", "crashed.db-shm", "crashed.db-wal"])
  }
}
