import Care
import Foundation
import Testing

@testable import CareStore

@Suite struct BackupTests: ~Copyable {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func open(_ name: String, seed: UInt64) throws -> SQLStore {
    try .open(path: scratch.file(name), makeUUID: SeededUUIDs(seed: seed).next)
  }

  private func filled(_ name: String, seed: UInt64) async throws -> SQLStore {
    let store = try open(name, seed: seed)
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    _ = try await store.write { try $0.insert(.linked(72.4, at: midnight)) }
    return store
  }

  @Test func `a backup has everything in one private file`() async throws {
    let store = try await filled("a", seed: 1)
    try await store.backup(to: scratch.file("b"))
    #expect(try mode(of: scratch.file("b")) == 0o600)
    #expect(try scratch.names.filter { $0.hasPrefix("b") } == ["b"])
    #expect(try await open("b", seed: 2).exported() == store.exported())
  }

  @Test func `a copy without a name is a backup`() async throws {
    let store = try await filled("a", seed: 1)
    let copy = try await store.backup()
    let before = try await store.exported()
    _ = try await store.write { try $0.insert(.linked(73, at: midnight + 60)) }
    var bytes: [UInt8] = []
    while bytes.count < copy.byteCount {
      bytes += try copy.bytes(at: bytes.count, count: 5_000)
    }
    #expect(try scratch.names.allSatisfy { !$0.hasSuffix(".new") })
    try Data(bytes).write(to: URL(filePath: scratch.file("b")))
    #expect(try await open("b", seed: 2).exported() == before)
  }

  @Test func `an export onto the store itself is refused`() async throws {
    let store = try await filled("a", seed: 1)
    let before = try await store.exported()
    let path = scratch.file("a")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.file("link"), withDestinationPath: path)
    for target in [path, scratch.file("link")] {
      await #expect(throws: StoreError.refused(.ownFile(target))) {
        try await store.export(to: target)
      }
    }
    #expect(try await open("a", seed: 1).exported() == before)
  }

  @Test func `a backup that cannot be written leaves nothing`() async throws {
    let store = try await filled("a", seed: 1)
    try FileManager.default.createDirectory(
      atPath: scratch.file("b"), withIntermediateDirectories: false)
    await #expect(throws: StoreError.notWritten(.system(errno: EISDIR), file: scratch.file("b"))) {
      try await store.backup(to: scratch.file("b"))
    }
    let lost = scratch.file("c/export")
    await #expect(throws: StoreError.notWritten(.system(errno: ENOENT), file: lost)) {
      try await store.export(to: lost)
    }
    #expect(try scratch.names.allSatisfy { !$0.hasSuffix(".new") })
  }

  /// Of a copy that fails, the error names the file whose fault it is.
  @Test func `a damaged store is not taken for an unwritable file`() async throws {
    let store = try await filled("a", seed: 1)
    try store.close()
    await #expect(throws: StoreError.failed(.closed, store: scratch.file("a"))) {
      try await store.backup(to: scratch.file("b"))
    }
    await #expect(throws: StoreError.failed(.closed, store: scratch.file("a"))) {
      try await store.export(to: scratch.file("b"))
    }
    #expect(try scratch.names == ["a"])
  }

  @Test func `an export replaces its file`() async throws {
    let store = try await filled("a", seed: 1)
    let path = scratch.file("export")
    try "old".write(toFile: path, atomically: false, encoding: .utf8)
    try await store.export(to: path)
    #expect(try mode(of: path) == 0o600)
    let lines = try await store.exported()
    #expect(try contents(of: path) == Data((lines.joined(separator: "\n") + "\n").utf8))
    let other = try SQLStore.peer(4)
    _ = try await other.merge(contentsOf: path)
    #expect(try await other.exported() == lines)
    #expect(try scratch.names.allSatisfy { !$0.hasSuffix(".new") })
  }

  @Test func `a store is restored while others have it open`() async throws {
    let store = try await filled("a", seed: 1)
    try await store.backup(to: scratch.file("b"))
    let before = try await store.exported()
    _ = try await store.write {
      try $0.put(Note(id: "n", patient: "john", content: "later"), now: day(1))
    }
    let later = try await store.exported()
    // It has cached the plan.
    #expect(try await store.read { try $0.histories(patient: nil).count } == 1)
    try await SQLStore.restore(
      from: scratch.file("b"), to: scratch.file("a"), makeUUID: SeededUUIDs(seed: 5).next)
    #expect(try await store.exported() == before)
    #expect(try await store.read { try $0.things(Note.self) } == [])
    #expect(try await open("a.before-restore", seed: 6).exported() == later)
    #expect(try mode(of: scratch.file("a")) == 0o600)
    #expect(try mode(of: scratch.file("a.before-restore")) == 0o600)
    // A row that it writes now is told apart from those that it wrote after the backup.
    _ = try await store.write {
      try $0.put(Note(id: "m", patient: "john", content: "other"), now: day(2))
    }
    let report = try await store.merge(lines: later)
    #expect(!report.hasFoundCopy)
    #expect(try await store.check() == [])
  }

  /// Copies a file over another one, which stays the same file of the system.
  private func overwrite(_ name: String, with other: String) throws {
    let inode = FileSystem.identity(of: scratch.file(name))
    try contents(of: scratch.file(other)).write(to: URL(filePath: scratch.file(name)))
    #expect(FileSystem.identity(of: scratch.file(name)) == inode)
  }

  /// Stores that merge two exports, in either order, have the same rows, and find the same.
  private func expectSame(
    _ first: [String], _ second: [String], finding kinds: [StoreFinding.Kind] = []
  ) async throws {
    var results: [[String]] = []
    for order in [[first, second, first], [second, first, second]] {
      let store = try SQLStore.peer(50)
      for lines in order { _ = try await store.merge(lines: lines) }
      #expect(try await store.check().map(\.kind) == kinds)
      results.append(try await store.exported())
    }
    #expect(results[0] == results[1])
  }

  @Test func `a backup that is copied over the store's file gives no stamp twice`() async throws {
    let store = try await filled("a", seed: 1)
    try await store.backup(to: scratch.file("b"))
    _ = try await store.write {
      try $0.put(Note(id: "n", patient: "john", content: "later"), now: day(1))
    }
    let later = try await store.exported()
    try store.close()
    try overwrite("a", with: "b")
    let again = try open("a", seed: 5)
    _ = try await again.write {
      try $0.put(Note(id: "m", patient: "john", content: "other"), now: day(2))
    }
    let other = try await again.exported()
    let stamp = /"clock":[0-9]+|"writer":"[^"]+"/
    func stamps(_ lines: [String], _ note: String) -> [String] {
      lines.filter { $0.contains(#"\"content\":\"\#(note)"#) }
        .map { line in line.matches(of: stamp).map { String($0.output) }.joined() }
    }
    #expect(stamps(later, "later").count == 1)
    #expect(stamps(later, "later") != stamps(other, "other"))
    #expect(try await again.merge(lines: later).hasFoundCopy == false)
    #expect(try await again.read { try $0.things(Note.self).map(\.id) } == ["m", "n"])
    try await expectSame(later, other)
  }

  @Test func `a copy of the closed file in its place is found when rows come back`() async throws {
    var store = try await filled("a", seed: 1)
    try store.close()
    try contents(of: scratch.file("a")).write(to: URL(filePath: scratch.file("b")))
    store = try open("a", seed: 2)
    _ = try await store.write {
      try $0.put(Note(id: "n", patient: "john", content: "later"), now: day(1))
    }
    let later = try await store.exported()
    try store.close()
    try overwrite("a", with: "b")
    store = try open("a", seed: 3)
    _ = try await store.write {
      try $0.put(Note(id: "m", patient: "john", content: "other"), now: day(2))
    }
    let other = try await store.exported()
    #expect(try await store.merge(lines: later).hasFoundCopy)
    #expect(try await store.check().map(\.kind) == [.repeatedStamp])
    #expect(try await store.read { try $0.things(Note.self).map(\.id) } == ["m", "n"])
    try await expectSame(later, other, finding: [.repeatedStamp])
    // Once found, nothing more is written under that name.
    _ = try await store.write {
      try $0.put(Note(id: "o", patient: "john", content: "next"), now: day(3))
    }
    #expect(try await store.check().map(\.kind) == [.repeatedStamp])
  }

  @Test func `what is no backup is refused`() async throws {
    let store = try await filled("a", seed: 1)
    let lines = try await store.exported()
    try "no store".write(toFile: scratch.file("b"), atomically: false, encoding: .utf8)
    await #expect(throws: StoreError.failed(.notADatabase, store: scratch.file("b"))) {
      try await SQLStore.restore(
        from: scratch.file("b"), to: scratch.file("a"), makeUUID: UUID.init)
    }
    await #expect(throws: StoreError.failed(.system(errno: ENOENT), store: scratch.file("c"))) {
      try await SQLStore.restore(
        from: scratch.file("c"), to: scratch.file("a"), makeUUID: UUID.init)
    }
    #expect(try await store.exported() == lines)
    #expect(try !scratch.names.contains("a.before-restore"))
  }

  @Test func `a damaged store is replaced`() async throws {
    let store = try await filled("a", seed: 1)
    try await store.backup(to: scratch.file("b"))
    let lines = try await store.exported()
    try "rubbish".write(toFile: scratch.file("c"), atomically: false, encoding: .utf8)
    try await SQLStore.restore(
      from: scratch.file("b"), to: scratch.file("c"), makeUUID: SeededUUIDs(seed: 5).next)
    #expect(try await open("c", seed: 7).exported() == lines)
    #expect(try contents(of: scratch.file("c.before-restore")) == Data("rubbish".utf8))
  }
}
