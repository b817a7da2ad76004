import Foundation
import PrivateFiles
import Radio
import RadioTestSupport
import Synchronization
import Testing

@testable import KernelRadio

@Suite struct KeyFileTests {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "keys-\(UUID().uuidString)", directoryHint: .isDirectory)
  let file: KeyFile

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = KeyFile(path: folder.appending(path: "keys").path)
  }

  func mode() throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  func put(_ text: String, mode: Int = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
  }

  func removeFolder() {
    try? FileManager.default.removeItem(at: folder)
  }

  @Test func `is empty without a file`() throws {
    #expect(try file.read() == KeyRing())
    removeFolder()
  }

  /// The new keys are on the disk before they take the name, and the name before `write` returns.
  @Test func `is on the disk before it replaces the old file`() throws {
    let ring = try SampleKeys.ring()
    try file.write(KeyRing())
    let before = try String(contentsOfFile: file.path, encoding: .utf8)
    let steps = Mutex<[String]>([])
    let recorded = KeyFile(path: file.path) { [path = file.path, folder = folder.path] descriptor in
      let synchronized = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(descriptor)")
      let content = try? String(contentsOfFile: path, encoding: .utf8)
      let name = synchronized == folder ? "folder" : synchronized == path + ".new" ? "new file" : ""
      let new = try? String(contentsOfFile: path + ".new", encoding: .utf8)
      steps.withLock {
        $0.append(
          "\(name), \(content == before ? "old" : "new") keys"
            + (new == ring.text ? ", complete" : ""))
      }
      return 0
    }
    try recorded.write(ring)
    #expect(steps.withLock(\.self) == ["new file, old keys, complete", "folder, new keys"])
    removeFolder()
  }

  @Test func `preserves the old file when it is not durable`() throws {
    let ring = try SampleKeys.ring()
    try file.write(ring)
    let failing = KeyFile(path: file.path) { _ in
      errno = EIO
      return -1
    }
    #expect(
      throws: BondFileError(
        file.path, "it cannot be written: Input/output error", isWriteFailure: true)
    ) { try failing.write(KeyRing()) }
    #expect(try file.read() == ring)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    removeFolder()
  }

  @Test func `is readable by its owner only`() throws {
    let ring = try SampleKeys.ring()
    try file.write(KeyRing())
    try file.write(ring)
    #expect(try file.read() == ring)
    #expect(try mode() == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    removeFolder()
  }

  /// A process that was killed during a write leaves an incomplete file.
  @Test func `replaces an interrupted write`() throws {
    try Data("measured k".utf8).write(to: URL(filePath: file.path + ".new"))
    let ring = try SampleKeys.ring()
    try file.write(ring)
    #expect(try file.read() == ring)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keys"])
    removeFolder()
  }

  @Test(arguments: [0o640, 0o604, 0o660, 0o644])
  func `refuses a file that other users may read`(mode: Int) throws {
    try put(KeyRing().text, mode: mode)
    #expect(
      throws: BondFileError(
        file.path, "others than its owner may read or write it")
    ) { try file.read() }
    removeFolder()
  }

  @Test func `reports the wrong line`() throws {
    try put("measured keys 1\nltk nonsense\nend 1\n")
    #expect(throws: BondFileError(file.path, "line 2: it is no key and no name")) {
      try file.read()
    }
    removeFolder()
  }

  @Test func `refuses a file that is too long`() throws {
    try put(String(repeating: "x", count: KeyRing.maximumFileLength + 1))
    #expect(
      throws: BondFileError(
        file.path,
        "it is longer than \(KeyRing.maximumFileLength) bytes, which no such file is")
    ) { try file.read() }
    removeFolder()
  }

  @Test func `refuses binary data and folders`() throws {
    try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: file.path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(throws: BondFileError(file.path, "it is no text")) { try file.read() }
    let directory = KeyFile(path: folder.path)
    #expect(throws: BondFileError(folder.path, "it is no file")) { try directory.read() }
    removeFolder()
  }

  /// A symbolic link could point to another user's file.
  @Test func `follows no symbolic link`() throws {
    let target = folder.appending(path: "target").path
    try KeyFile(path: target).write(try SampleKeys.ring())
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: target)
    #expect(
      throws: BondFileError(file.path, "it cannot be read: Too many levels of symbolic links")
    ) { try file.read() }
    removeFolder()
  }

  @Test func `preserves the old file when a write fails`() throws {
    let missing = KeyFile(path: folder.appending(path: "nowhere/keys").path)
    #expect(
      throws: BondFileError(
        missing.path, "it cannot be written: No such file or directory", isWriteFailure: true)
    ) { try missing.write(KeyRing()) }
    removeFolder()
  }
}

@Suite struct KeyLockTests {
  @Test func `is held by one process at a time`() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "lock-\(UUID().uuidString)").path
    do {
      let lock = try FileLock(besideKeys: path)
      #expect(
        throws: RadioError.locked(path: path)
      ) { _ = try FileLock(besideKeys: path) }
      _ = consume lock
    }
    _ = try FileLock(besideKeys: path)
    try FileManager.default.removeItem(atPath: path)
  }

  /// A command of root, before the service's first start, must not keep the service from its lock.
  @Test(.enabled(if: geteuid() == 0, "needs root"), arguments: [(false, 65_534), (true, 0)])
  func `belongs to the owner of its folder`(hasContent: Bool, owner: uid_t) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(unsafe chown(folder.path, 65_534, 65_534) == 0)
    let path = folder.appending(path: "keys.lock").path
    // A file of root with content is no lock.
    if hasContent { try Data([1]).write(to: URL(filePath: path)) }
    let lock = try FileLock(besideKeys: path)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.ownerAccountID] as? UInt32 == owner)
    _ = consume lock
    try FileManager.default.removeItem(at: folder)
  }

  @Test func `reports why it cannot be created`() {
    #expect(
      throws: RadioError.lockFailed(path: "/nowhere/keys.lock", code: ENOENT)
    ) { _ = try FileLock(besideKeys: "/nowhere/keys.lock") }
  }
}
