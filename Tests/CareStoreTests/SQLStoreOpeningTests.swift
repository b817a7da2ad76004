import Care
import Foundation
import PrivateFiles
import Synchronization
import TestSupport
import Testing

@testable import CareStore

struct SQLStoreOpeningTests {
  @Test
  func `a new store, its directories and its companions are for their owner only`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("state/measured/care.db")
    let store = try SQLStore.example(at: path)
    #expect(try await store.write { try $0.insert(.weight(patient: nil)) })
    #expect(try mode(of: scratch.file("state")) == 0o700)
    #expect(try mode(of: scratch.file("state/measured")) == 0o700)
    for name in [path, path + "-wal", path + "-shm"] {
      #expect(try mode(of: name) == 0o600, "\(name)")
    }
  }

  @Test
  func `a copied store that others can read is restricted to its owner`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    try SQLStore.example(at: path).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try SQLStore.example(at: path).close()
    #expect(try mode(of: path) == 0o600)
  }

  /// Whatever the umask is, which takes the group's right to write.
  @Test
  func `in a folder that a group shares the store is the group's`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    #expect(unsafe chmod(scratch.path, 0o2770) == 0)
    let store = try SQLStore.example(at: path)
    #expect(try await store.write { try $0.insert(.weight(patient: nil)) })
    for name in [path, path + "-wal", path + "-shm"] {
      #expect(try mode(of: name) == 0o660, "\(name)")
    }
    try store.close()
    // One that was private before its folder was shared; its companions, too.
    #expect(unsafe chmod(path, 0o600) == 0)
    let again = try SQLStore.example(at: path)
    _ = try await again.write { try $0.insert(.weight(identity: "other", patient: nil)) }
    for name in [path, path + "-wal", path + "-shm"] {
      #expect(try mode(of: name) == 0o660, "\(name)")
    }
    try again.close()
    try await SQLStore.restore(from: path, to: scratch.file("new.db"), makeUUID: UUID.init)
    #expect(try mode(of: scratch.file("new.db")) == 0o660)
    try await SQLStore.restore(from: path, to: scratch.file("new.db"), makeUUID: UUID.init)
    #expect(try mode(of: scratch.file("new.db.before-restore")) == 0o660)
    let copied = try SQLStore.example(at: path)
    try await copied.backup(to: scratch.file("backup.db"))
    #expect(try mode(of: scratch.file("backup.db")) == 0o600)
  }

  @Test
  func `no link leads the modes of a store to another file`() throws {
    let scratch = try ScratchDirectory()
    let secret = scratch.file("private")
    try Data("x".utf8).write(to: URL(fileURLWithPath: secret))
    #expect(unsafe chmod(secret, 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.file("soft"), withDestinationPath: secret)
    FileSystem.setMode(of: scratch.file("soft"), for: .group)
    #expect(try mode(of: secret) == 0o600)
    #expect(unsafe link(secret, scratch.file("hard")) == 0)
    FileSystem.setMode(of: scratch.file("hard"), for: .group)
    #expect(try mode(of: secret) == 0o600)
    #expect(unsafe unlink(scratch.file("hard")) == 0)
    FileSystem.setMode(of: secret, for: .group)
    #expect(try mode(of: secret) == 0o660)
  }

  @Test
  func `a new store leaves no other file once it is closed`() throws {
    let scratch = try ScratchDirectory()
    try SQLStore.example(at: scratch.file("care.db")).close()
    #expect(try scratch.names == ["care.db"])
  }

  @Test
  func `the name of a new store is on the disk before the store is used`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("state/care.db")
    let calls = Mutex<[String]>([])
    var fileSystem = FileSystem()
    let (link, synchronize) = (fileSystem.link, fileSystem.synchronize)
    fileSystem.link = { (draft, name) throws(SystemFailure) in
      calls.withLock { $0.append("link \(name)") }
      return try link(draft, name)
    }
    fileSystem.synchronize = { (directory) throws(SystemFailure) in
      calls.withLock { $0.append("synchronize \(directory)") }
      try synchronize(directory)
    }
    try SQLStore.open(path: path, fileSystem: fileSystem, makeUUID: UUIDSequence().next).close()
    let expected = ["link \(path)", "synchronize \(scratch.file("state"))"]
    #expect(calls.withLock(\.self) == expected)
    // A store that exists needs neither.
    try SQLStore.open(path: path, fileSystem: fileSystem, makeUUID: UUIDSequence().next).close()
    #expect(calls.withLock(\.self) == expected)
  }

  @Test
  func `a new store whose name cannot be made durable is not opened`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    var fileSystem = FileSystem()
    fileSystem.synchronize = { (_) throws(SystemFailure) in throw SystemFailure(code: EIO) }
    #expect(throws: StoreError.failed(.system(errno: EIO), store: path)) {
      try SQLStore.open(path: path, fileSystem: fileSystem, makeUUID: UUIDSequence().next)
    }
  }

  @Test
  func `commits wait for the disk, in a write-ahead log`() async throws {
    let scratch = try ScratchDirectory()
    let store = try SQLStore.example(at: scratch.file("care.db"))
    let settings = try await store.write { writer in
      try ["journal_mode", "synchronous", "foreign_keys"].map { name in
        String(describing: try (writer as? SQLTransaction)?.row("PRAGMA \(name)"))
      }
    }
    #expect(
      settings == [
        #"Optional([journal_mode:"wal"])"#, "Optional([synchronous:3])",
        "Optional([foreign_keys:1])",
      ])
  }

  @Test
  func `stored data are there after closing and opening again`() async throws {
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let first = try SQLStore.example(at: path)
    _ = try await first.write { try $0.insert(.weight(patient: nil)) }
    try first.close()
    let second = try SQLStore.example(at: path)
    #expect(try await second.read { try $0.samples(SampleQuery()) } == [.weight(patient: nil)])
  }

  @Test(arguments: [":memory:", "file:care.db?mode=ro"])
  func `a relative path, however odd, is a file`(_ name: String) async throws {
    let scratch = try ScratchDirectory()
    try SQLStore.example(at: scratch.file(name)).close()
    #expect(try scratch.names == [name])
  }

  @Test
  func `a closed store refuses every call`() async throws {
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let store = try SQLStore.example(at: path)
    try store.close()
    try store.close()
    let reason = StoreError.failed(.closed, store: path)
    await #expect(throws: reason) { try await store.read { try $0.patients() } }
    await #expect(throws: reason) { try await store.write { try $0.insert(.weight(patient: nil)) } }
  }

  @Test(arguments: 0..<5)
  func `programs that start together open the same new store`(_ round: Int) async throws {
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("state/care.db"))
    let programs = 6
    let samples = try await withThrowingTaskGroup(of: Bool.self) { group in
      for program in 0..<programs {
        group.addTask {
          let store = try SQLStore.open(path: path, makeUUID: { UUID() })
          return try await store.write {
            try $0.insert(.weight(identity: "\(program)", patient: nil))
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(samples == Array(repeating: true, count: programs))
    let store = try SQLStore.example(at: path)
    #expect(try await store.read { try $0.samples(SampleQuery()).count } == programs)
    guard !TestEngine.isPostgreSQL else { return }
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.file("state"))
    #expect(names.filter { $0.hasSuffix(".new") } == [])
  }

  @Test
  func `two programs can have a store open`() async throws {
    let scratch = try ScratchDirectory()
    let place = try TestEngine.makePlace(scratch.file("care.db"))
    let daemon = try SQLStore.example(at: place)
    let command = try SQLStore.example(at: place)
    _ = try await daemon.write { try $0.insert(.weight(patient: nil)) }
    #expect(try await command.write { try $0.insert(.weight(patient: nil)) } == false)
    #expect(try await command.read { try $0.samples(SampleQuery()) } == [.weight(patient: nil)])
  }

  // MARK: - For reading

  @Test
  func `a store knows without writing whether it can be written`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let store = try SQLStore.example(at: path)
    try store.requireUsable()
    let reader = try SQLStore.open(path: path, fileSystem: readOnly(), makeUUID: { UUID() })
    #expect(throws: StoreError.failed(.readOnly, store: path)) { try reader.requireUsable() }
    // The system would allow it now.
    #expect(reader.canBecomeWritable)
    #expect(!store.canBecomeWritable)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    #expect(throws: StoreError.failed(.deleted, store: path)) { try store.requireUsable() }
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(throws: StoreError.failed(.replaced, store: path)) { try store.requireUsable() }
    try SQLStore.inMemory(makeUUID: { UUID() }).requireUsable()
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs root"), arguments: [true, false])
  func `a store that root makes belongs to the owner of its folder`(isImport: Bool) async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let folder = (path as NSString).deletingLastPathComponent
    #expect(unsafe chown(folder, 4_711, 4_712) == 0)
    if isImport {
      try await SQLStore.withStore(at: path, makeUUID: { UUID() }) { store in
        _ = try await store.write { try $0.insert(.weight(patient: nil)) }
      }
    } else {
      try SQLStore.example(at: path).close()
    }
    // A reader makes the companions again.
    let store = try SQLStore.example(at: path)
    _ = try await store.write { try $0.insert(.weight(identity: "other", patient: nil)) }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      #expect(attributes[.ownerAccountID] as? Int == 4_711, "\(name)")
      #expect(attributes[.groupOwnerAccountID] as? Int == 4_712, "\(name)")
    }
    try store.close()
  }

  private func readOnly() -> FileSystem {
    var fileSystem = FileSystem()
    fileSystem.isWritable = { _ in false }
    return fileSystem
  }

  @Test(
    arguments: ["care.db", "ä ?#%.db"])
  func `a store that may only be read is read, and not changed`(_ name: String) async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file(name)
    let first = try SQLStore.example(at: path)
    _ = try await first.write { try $0.insert(.weight(patient: nil)) }
    try first.close()
    let bytes = try contents(of: path)
    let store = try SQLStore.open(path: path, fileSystem: readOnly(), makeUUID: { UUID() })
    #expect(try await store.read { try $0.samples(SampleQuery()) } == [.weight(patient: nil)])
    #expect(try await store.check() == [])
    await #expect(throws: StoreError.failed(.readOnly, store: path)) {
      try await store.write { try $0.insert(.weight(identity: "other", patient: nil)) }
    }
    try store.close()
    #expect(try contents(of: path) == bytes)
    #expect(try scratch.names == [name])
  }

  // MARK: - Links

  @Test
  func `a link to a file that does not exist yet makes the store where it leads`() async throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.createDirectory(
      atPath: scratch.file("disk"), withIntermediateDirectories: false)
    let link = scratch.file("care.db")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "disk/care.db")
    let store = try SQLStore.example(at: link)
    _ = try await store.write { try $0.insert(.weight(patient: nil)) }
    try store.close()
    #expect(try scratch.names == ["care.db", "disk"])
    let direct = try SQLStore.example(at: scratch.file("disk/care.db"))
    #expect(try await direct.read { try $0.samples(SampleQuery()) } == [.weight(patient: nil)])
  }

  @Test
  func `a link to a folder that does not exist is refused`() throws {
    let scratch = try ScratchDirectory()
    let link = scratch.file("care.db")
    let target = scratch.file("disk/care.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(throws: StoreError.failed(.danglingLink(target), store: link)) {
      try SQLStore.example(at: link)
    }
    let loop = scratch.file("loop")
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    #expect(throws: StoreError.failed(.system(errno: ELOOP), store: loop)) {
      try SQLStore.example(at: loop)
    }
    #expect(try scratch.names == ["care.db", "loop"])
  }

  // MARK: - New stores

  @Test
  func `a new store is there only if what it was made for succeeds`() async throws {
    struct Failure: Error {}
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let makeUUID = UUIDSequence().next
    await #expect(throws: Failure.self) {
      try await SQLStore.withStore(at: path, makeUUID: makeUUID) { store in
        _ = try await store.write { try $0.insert(.weight(patient: nil)) }
        throw Failure()
      }
    }
    #expect(try scratch.names == [])
    for isNew in [true, false] {
      let inserted = try await SQLStore.withStore(at: path, makeUUID: makeUUID) { store in
        let inserted = try await store.write { try $0.insert(.weight(patient: nil)) }
        #expect(try await store.read { try $0.samples(SampleQuery()).count } == 1)
        return inserted
      }
      #expect(inserted == isNew)
      #expect(try scratch.names == ["care.db"])
    }
  }

  @Test
  func `a store that another program makes meanwhile is the one that is changed`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let makeUUID = UUIDSequence().next
    try await SQLStore.withStore(at: path, makeUUID: makeUUID) { store in
      if try scratch.names.contains("care.db") == false {
        let other = try SQLStore.open(path: path, makeUUID: makeUUID)
        _ = try await other.write { try $0.insert(.weight(identity: "other", patient: nil)) }
        try other.close()
      }
      _ = try await store.write { try $0.insert(.weight(patient: nil)) }
    }
    let store = try SQLStore.example(at: path)
    #expect(try await store.read { try $0.samples(SampleQuery()).count } == 2)
  }

  @Test
  func `drafts that killed programs left are removed`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let (dead, living) = (UUID().uuidString, UUID().uuidString)
    for name in [
      "care.db.\(dead).new", "care.db.\(dead).new-journal", "care.db.\(living).new",
      "care.db.mine.new", "other.db.\(dead).new",
    ] { try Data([1]).write(to: URL(fileURLWithPath: scratch.file(name))) }
    let lock = try #require(DraftLock(scratch.file("care.db.\(living).new")))
    let expected = ["care.db", "care.db.mine.new", "other.db.\(dead).new"]
    try SQLStore.example(at: path).close()
    let left = try scratch.names
    withExtendedLifetime(lock) {}
    #expect(left == (expected + ["care.db.\(living).new"]).sorted())
    try Data([1]).write(to: URL(fileURLWithPath: scratch.file("care.db.\(dead).new")))
    try SQLStore.example(at: path).close()
    #expect(try scratch.names.contains("care.db.\(dead).new") == false)
  }
}
