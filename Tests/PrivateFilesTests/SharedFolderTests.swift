import Foundation
import PrivateFiles
import Testing

/// Files that are private, and files that are not, in a folder that a group shares.
struct SharedFolderTests {
  /// A folder for one test.
  final class Scratch: Sendable {
    let path: String

    init(mode: UInt32) throws {
      path = FileManager.default.temporaryDirectory.appending(path: "shared-\(UUID())").path
      #expect(unsafe mkdir(path, 0o700) == 0)
      #expect(unsafe chmod(path, mode_t(mode)) == 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }

    func status(of name: String) -> stat {
      var status = stat()
      #expect(unsafe lstat(file(name), &status) == 0)
      return status
    }

    func mode(of name: String) -> UInt32 { UInt32(status(of: name).st_mode & 0o777) }
  }

  @Test(
    arguments: [
      (0o700, .owner), (0o770, .owner), (0o2700, .owner), (0o2750, .owner), (0o2770, .group),
      (0o2775, .group), (0o3770, .group), (0o2777, .owner), (0o1777, .owner),
    ] as [(UInt32, FileAudience)]
  )
  func `a folder is shared that gives its group, and lets it write`(
    mode: UInt32, audience: FileAudience
  ) throws {
    let scratch = try Scratch(mode: mode)
    #expect(FileAudience(ofFilesIn: scratch.path) == audience)
    _ = try FileLock(path: scratch.file("lock"))
    #expect(scratch.mode(of: "lock") == audience.mode)
  }

  @Test func `a missing folder shares nothing`() {
    #expect(FileAudience(ofFilesIn: "/nowhere/at/all") == .owner)
  }

  @Test func `a private file stays private there`() throws {
    let scratch = try Scratch(mode: 0o2770)
    let file = PrivateFile(path: scratch.file("secrets"))
    try file.replace(with: [1, 2, 3])
    #expect(scratch.mode(of: "secrets") == 0o600)
    #expect(try file.read(limit: 3) == [1, 2, 3])
  }

  /// A lock that somebody filled is no lock of ours.
  @Test func `a file with content is not shared`() throws {
    let scratch = try Scratch(mode: 0o2770)
    try Data("secret".utf8).write(to: URL(fileURLWithPath: scratch.file("lock")))
    #expect(unsafe chmod(scratch.file("lock"), 0o600) == 0)
    _ = try FileLock(path: scratch.file("lock"))
    #expect(scratch.mode(of: "lock") == 0o600)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `root takes no member's file there for the service's`() throws {
    let scratch = try Scratch(mode: 0o2770)
    #expect(unsafe chown(scratch.path, 65_533, 65_533) == 0)
    let (file, path) = (PrivateFile(path: scratch.file("secrets")), scratch.file("secrets"))
    try file.replace(with: [1])
    #expect(scratch.status(of: "secrets").st_uid == 65_533)
    #expect(try file.read(limit: 1) == [1])

    #expect(unsafe chown(path, 65_534, 65_534) == 0)
    #expect(throws: PrivateFileError(path: path, cause: .foreign(owner: 65_534))) {
      try file.read(limit: 1)
    }
    try file.replace(with: [2])
    #expect(scratch.status(of: "secrets").st_uid == 65_533)
    // Its owner's own folder is no one else's to put files into.
    #expect(unsafe chmod(scratch.path, 0o700) == 0)
    #expect(unsafe chown(path, 65_534, 65_534) == 0)
    #expect(try file.read(limit: 1) == [2])
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `a lock of root is the service's and its group's`() throws {
    let scratch = try Scratch(mode: 0o2770)
    #expect(unsafe chown(scratch.path, 65_533, 65_532) == 0)
    _ = try FileLock(path: scratch.file("lock"))
    let status = scratch.status(of: "lock")
    #expect(status.st_uid == 65_533 && status.st_gid == 65_532)
    #expect(scratch.mode(of: "lock") == 0o660)
  }
}
