import Foundation
import TestSupport
import Testing

@testable import CareStore

struct FileSystemTests {
  @Test
  func `a path leads to nothing, a file or a directory`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("file")
    #expect(try FileSystem.status(of: path) == nil)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    let file = try FileSystem.status(of: path)
    #expect(file?.isRegularFile == true)
    #expect(file?.size == 3)
    #expect(try FileSystem.status(of: scratch.path)?.isDirectory == true)
    #expect(throws: SystemFailure(code: ENOTDIR)) { try FileSystem.status(of: path + "/below") }
  }

  @Test
  func `the start of a file is no longer than the file`() throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("file")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    #expect(try FileSystem.start(of: path, count: 2) == [1, 2])
    #expect(try FileSystem.start(of: path, count: 100) == [1, 2, 3])
    #expect(throws: SystemFailure(code: ENOENT)) {
      try FileSystem.start(of: scratch.file("none"), count: 1)
    }
  }

  @Test
  func `a file or a name is made only if it does not exist`() throws {
    let scratch = try ScratchDirectory()
    try FileSystem.makeFile(scratch.file("a"))
    #expect(throws: SystemFailure(code: EEXIST)) { try FileSystem.makeFile(scratch.file("a")) }
    #expect(try FileSystem().link(scratch.file("a"), scratch.file("b")))
    #expect(try FileSystem().link(scratch.file("a"), scratch.file("b")) == false)
    FileSystem.unlink(scratch.file("a"))
    #expect(try scratch.names == ["b"])
    #expect(throws: SystemFailure(code: ENOENT)) {
      try FileSystem().link(scratch.file("a"), scratch.file("c"))
    }
  }

  @Test
  func `existing directories are left unchanged`() throws {
    let scratch = try ScratchDirectory()
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.path)
    try FileSystem.makeDirectory(scratch.file("a/b"))
    try FileSystem.makeDirectory(scratch.file("a/b"))
    #expect(try mode(of: scratch.path) == 0o755)
    #expect(try mode(of: scratch.file("a/b")) == 0o700)
    try FileSystem().synchronize(scratch.file("a/b"))
    #expect(throws: SystemFailure(code: ENOENT)) {
      try FileSystem().synchronize(scratch.file("none"))
    }
  }
}
