import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// A file that is no store: its content, and the error.
struct HostileFile: Sendable, CustomTestStringConvertible {
  let name: String
  let failure: @Sendable (StoreError.Failure) -> Bool
  let bytes: @Sendable (_ store: Data) -> Data

  var testDescription: String { name }

  private static func isTruncated(_ failure: StoreError.Failure) -> Bool {
    guard case .truncated(let size, let expected) = failure else { return false }
    return size < expected
  }

  private static func isDamaged(_ failure: StoreError.Failure) -> Bool {
    guard case .damaged = failure else { return false }
    return true
  }

  static let all = [
    HostileFile(name: "empty", failure: { $0 == .emptyFile }) { _ in Data() },
    HostileFile(name: "one byte", failure: { $0 == .notADatabase }) { _ in Data([0x53]) },
    HostileFile(name: "random bytes", failure: { $0 == .notADatabase }) { _ in
      var random = SeededGenerator(seed: 60)
      return Data(random.bytes(8192))
    },
    HostileFile(name: "the magic alone", failure: { $0 == .notADatabase }) { store in
      store.prefix(16)
    },
    HostileFile(name: "half a store", failure: isTruncated) { store in
      store.prefix(store.count / 2)
    },
    HostileFile(name: "a header alone", failure: isTruncated) { store in store.prefix(100) },
    HostileFile(name: "another program's", failure: { $0 == .otherProgram }) { store in
      store.prefix(68) + Data([0, 0, 0, 0]) + store.dropFirst(72)
    },
    HostileFile(name: "of before the release", failure: { $0 == .developmentStore }) { store in
      store.prefix(68) + Data("care".utf8) + store.dropFirst(72)
    },
    HostileFile(name: "random pages", failure: isDamaged) { store in
      var random = SeededGenerator(seed: 61)
      return store.prefix(100) + Data(random.bytes(store.count - 100))
    },
  ]
}

struct HostileFileTests {
  @Test(arguments: HostileFile.all)
  func `they are refused with a reason and left unchanged`(_ file: HostileFile) throws {
    let scratch = try ScratchDirectory()
    try SQLStore.example(at: scratch.file("whole.db")).close()
    let bytes = file.bytes(try contents(of: scratch.file("whole.db")))
    let path = scratch.file("care.db")
    try bytes.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) { try SQLStore.example(at: path) }
    guard case .failed(let failure, store: path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(file.failure(failure), "\(failure)")
    #expect(try contents(of: path) == bytes)
  }

  @Test
  func `the log beside an empty file is left unchanged: it may contain everything`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    try Data().write(to: URL(fileURLWithPath: path))
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "-wal"))
    #expect(throws: StoreError.self) { try SQLStore.example(at: path) }
    #expect(try contents(of: path + "-wal") == Data([1, 2, 3]))
  }

  @Test
  func `a directory is no store`() throws {
    let scratch = try ScratchDirectory()
    #expect(
      throws: StoreError.failed(.system(errno: EISDIR), store: scratch.path)
    ) { try SQLStore.example(at: scratch.path) }
  }

  @Test
  func `a path through a file is refused`() throws {
    let scratch = try ScratchDirectory()
    try Data([1]).write(to: URL(fileURLWithPath: scratch.file("file")))
    let path = scratch.file("file/care.db")
    #expect(
      throws: StoreError.failed(.system(errno: ENOTDIR), store: path)
    ) { try SQLStore.example(at: path) }
  }

  @Test(.enabled(if: geteuid() != 0))
  func `a directory without permission is refused as such`() throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: scratch.path)
    let path = scratch.file("care.db")
    #expect(
      throws: StoreError.failed(.system(errno: EACCES), store: path)
    ) { try SQLStore.example(at: path) }
  }

  @Test(.ofSQLite)
  func `a full disk is reported as such, and stored data stay`() async throws {
    let store = try SQLStore.example()
    let kept = Sample.weight(patient: nil)
    _ = try await store.write { try $0.insert(kept) }
    await #expect(throws: StoreError.failed(.diskFull, store: "in memory")) {
      try await store.write { writer in
        // As many pages as there are: the next one is one too many.
        _ = try (writer as? SQLTransaction)?.row("PRAGMA max_page_count = 1")
        var large = Sample.weight(identity: "large", patient: nil)
        large.raw = [UInt8](repeating: 7, count: 100_000)
        _ = try writer.insert(large)
      }
    }
    #expect(try await store.read { try $0.samples(SampleQuery()) } == [kept])
  }

  @Test(
    arguments: Rounds.seeds(40))
  func `a store with any one byte changed opens, or is refused with a reason`(_ seed: UInt64)
    async throws
  {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let store = try SQLStore.example(at: path)
    _ = try await store.write { try $0.insert(.weight(patient: nil)) }
    try store.close()
    var bytes = try contents(of: path)
    var random = SeededGenerator(seed: seed)
    let index = Int.random(in: 0..<(seed.isMultiple(of: 2) ? 200 : bytes.count), using: &random)
    bytes[index] ^= UInt8.random(in: 1...255, using: &random)
    try bytes.write(to: URL(fileURLWithPath: path))
    do {
      let damaged = try SQLStore.example(at: path)
      let samples = try await damaged.read { try $0.samples(SampleQuery()) }
      #expect(samples.count <= 1)
    } catch {
      #expect(error is StoreError, "\(error)")
    }
  }
}

struct NewerSchemaTests {
  private func refusal(_ path: String) -> StoreError {
    .newerSchema(store: path, version: Schema.version + 1, supported: Schema.version)
  }

  @Test
  func `it is refused and left unchanged: the same bytes, no new files`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    try SQLStore.example(at: path).close()
    var bytes = try contents(of: path)
    // `user_version`, big-endian.
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, UInt8(Schema.version + 1)])
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: refusal(path)) { try SQLStore.example(at: path) }
    #expect(try contents(of: path) == bytes)
    #expect(try mode(of: path) == 0o640)
    #expect(try scratch.names == ["care.db"])
  }

  @Test
  func `an older one is refused, and left unchanged`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    try SQLStore.example(at: path).close()
    var bytes = try contents(of: path)
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, UInt8(Schema.version - 1)])
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(
      throws: StoreError.olderSchema(
        store: path, version: Schema.version - 1, supported: Schema.version)
    ) { try SQLStore.example(at: path) }
    #expect(try contents(of: path) == bytes)
    #expect(try scratch.names == ["care.db"])
  }

  @Test
  func `it is refused if only the log of a crashed program has the version`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let running = try SQLStore.example(at: path)
    try await running.write { writer in
      try (writer as? SQLTransaction)?.execute("PRAGMA user_version = \(Schema.version + 1)")
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

struct StoreHeaderTests {
  /// A header with the magic, one page size and `fields`, each four bytes big-endian.
  private func header(pageSize: [UInt8] = [0x10, 0], _ fields: [Int: UInt8]) -> [UInt8] {
    var bytes = bytes("53 51 4C 69 74 65 20 66 6F 72 6D 61 74 20 33 00") + pageSize
    bytes += [UInt8](repeating: 0, count: StoreHeader.length - bytes.count)
    for (offset, value) in fields { bytes[offset + 3] = value }
    return bytes
  }

  @Test
  func `it reads the version, the application id and the expected size`() {
    let read = StoreHeader(header([24: 9, 28: 5, 60: 7, 68: 3, 92: 9]))
    #expect(read?.version == 7)
    #expect(read?.applicationID == 3)
    #expect(read?.expectedSize == 5 * 4096)
  }

  @Test
  func `a page size of 65536 is written as 1`() {
    #expect(StoreHeader(header(pageSize: [0, 1], [28: 2]))?.expectedSize == 131_072)
  }

  @Test
  func `a page count that is not of the last change is ignored`() {
    #expect(StoreHeader(header([24: 9, 28: 5, 92: 8]))?.expectedSize == nil)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `anything else is no header`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let length = Int.random(in: 0...200, using: &random)
    #expect(StoreHeader(random.bytes(length)) == nil)
    #expect(StoreHeader(Array(header([:]).prefix(Int(seed) * 2 - (seed == 50 ? 1 : 0)))) == nil)
  }
}
