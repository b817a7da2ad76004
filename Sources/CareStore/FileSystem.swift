import Foundation
import PrivateFiles

/// A system call that failed.
struct SystemFailure: Error, Hashable {
  /// The error number, at least 1.
  let code: Int32

  /// The failure of the last call in this thread.
  static var last: SystemFailure { SystemFailure(code: errno) }
}

/// The few system calls that a store's file needs beside SQLite.
///
/// A file is made for its owner only and then given its mode, so that neither a umask nor a moment in
/// between opens it to others. Two calls are values: with them a test sees, or fails, the steps that make a
/// new store durable.
struct FileSystem: Sendable {
  /// Gives a file a second name; `false` if that name is taken.
  var link: @Sendable (_ path: String, _ name: String) throws(SystemFailure) -> Bool = Self.link
  /// Waits until the names in a directory are on the disk.
  var synchronize: @Sendable (_ directory: String) throws(SystemFailure) -> Void = Self.synchronize

  /// Whether a store's file can be written, and its companions beside it.
  var isWritable: @Sendable (_ path: String) -> Bool = Self.isWritable

  // MARK: - Looking

  /// The attributes of the file that a path leads to.
  struct Status {
    let isRegularFile: Bool
    let isDirectory: Bool
    /// Bytes.
    let size: Int
    /// The permission bits.
    let mode: UInt32
    /// How many names the file has.
    let linkCount: Int
  }

  /// Whether there is certainly no such file.
  static func isMissing(_ path: String) -> Bool {
    do throws(SystemFailure) {
      return try status(of: path) == nil
    } catch {
      return false
    }
  }

  /// Returns the attributes of the file that `path` leads to; `nil` if nothing is there.
  static func status(of path: String) throws(SystemFailure) -> Status? {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else {
      guard errno == ENOENT else { throw .last }
      return nil
    }
    let kind = info.st_mode & S_IFMT
    return Status(
      isRegularFile: kind == S_IFREG, isDirectory: kind == S_IFDIR, size: Int(info.st_size),
      mode: UInt32(info.st_mode & 0o7777), linkCount: Int(clamping: info.st_nlink))
  }

  /// Returns the mark that distinguishes a file from a copy of it: its file system and inode.
  ///
  /// A copy that is written over an existing store (`cp backup store`) has the inode of that store
  /// and cannot be told from it: nothing outside of the content differs. `SQLStore.restore` takes
  /// another name for the store instead, and a merge recognises rows that this store has not
  /// written itself.
  ///
  /// - Returns: `nil` if the file system does not say.
  static func identity(of path: String) -> String? {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    return "\(info.st_dev):\(info.st_ino)"
  }

  /// Where a path leads, through symbolic links, also if nothing is there.
  static func destination(of path: String) throws(SystemFailure) -> String {
    var path = path
    // As many as Linux follows.
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      path = target.hasPrefix("/") ? target : directory(of: path) + "/" + target
    }
    throw SystemFailure(code: ELOOP)
  }

  @Sendable private static func isWritable(store path: String) -> Bool {
    func mayWrite(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }
    // SQLite makes the log beside the file, unless another program has it open.
    let hasLog = (try? status(of: path + Engine.log)) ?? nil != nil
    return mayWrite(path) && (hasLog ? mayWrite(path + Engine.log) : mayWrite(directory(of: path)))
  }

  /// The first bytes of a file, at most `count`.
  static func start(of path: String, count: Int) throws(SystemFailure) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .last }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let length = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe read(file, buffer.baseAddress, buffer.count)
    }
    guard length >= 0 else { throw .last }
    return Array(bytes.prefix(length))
  }

  /// The directory that contains `path`.
  static func directory(of path: String) -> String {
    let parent = (path as NSString).deletingLastPathComponent
    return parent.isEmpty ? "." : parent
  }

  // MARK: - Making and removing

  /// Makes the directory and the missing ones above it, each for its owner only.
  static func makeDirectory(_ path: String) throws(SystemFailure) {
    guard !path.isEmpty, unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    guard errno == ENOENT else { throw .last }
    try makeDirectory(directory(of: path))
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last }
  }

  /// Makes an empty file for an audience; fails if the path exists.
  static func makeFile(
    _ path: String, for audience: FileAudience = .owner
  ) throws(SystemFailure) {
    let file = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .last }
    defer { close(file) }
    guard fchmod(file, mode_t(audience.mode)) == 0 else { throw .last }
  }

  /// Gives a file that root has made to the owner of a directory: the service must be able to use a
  /// store that an administrator made for it.
  static func giveToOwner(of directory: String, _ path: String) throws(SystemFailure) {
    guard geteuid() == 0 else { return }
    var owner = stat()
    guard unsafe stat(directory, &owner) == 0 else { throw .last }
    guard owner.st_uid != 0 else { return }
    guard unsafe lchown(path, owner.st_uid, owner.st_gid) == 0 else { throw .last }
  }

  /// Makes an empty file for its owner only, opens it, and removes its name; fails if the path
  /// exists.
  static func makeUnnamedFile(_ path: String) throws(SystemFailure) -> Int32 {
    let file = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .last }
    unlink(path)
    return file
  }

  @Sendable private static func link(
    _ path: String, as name: String
  ) throws(SystemFailure) -> Bool {
    guard unsafe Glibc.link(path, name) != 0 else { return true }
    guard errno == EEXIST else { throw .last }
    return false
  }

  /// Removes a name, if it exists.
  static func unlink(_ path: String) {
    _ = unsafe Glibc.unlink(path)
  }

  @Sendable private static func synchronize(directory path: String) throws(SystemFailure) {
    let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw .last }
    defer { close(directory) }
    guard fsync(directory) == 0 else { throw .last }
  }

  /// Gives a file another name, in place of the file that has it.
  static func rename(_ path: String, to name: String) throws(SystemFailure) {
    guard unsafe Glibc.rename(path, name) == 0 else { throw .last }
  }

  /// Opens an existing file for writing.
  static func openForWriting(_ path: String) throws(SystemFailure) -> Int32 {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw .last }
    return file
  }

  /// Removes what an open file has.
  static func empty(_ file: Int32) throws(SystemFailure) {
    let length = lseek(file, 0, SEEK_END)
    guard length != 0 else { return }
    guard length > 0, ftruncate(file, 0) == 0, lseek(file, 0, SEEK_SET) == 0 else { throw .last }
  }

  /// Opens an existing file for reading.
  static func openForReading(
    _ path: String
  ) throws(SystemFailure) -> (file: Int32, byteCount: Int) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .last }
    let length = lseek(file, 0, SEEK_END)
    guard length >= 0 else {
      let failure = SystemFailure.last
      close(file)
      throw failure
    }
    return (file, length)
  }

  /// Opens an existing file and locks it, without waiting; `nil` if that cannot be done.
  static func lock(_ path: String) -> Int32? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      return nil
    }
    return file
  }

  /// Closes an open file.
  static func close(_ file: Int32) { _ = Glibc.close(file) }

  /// Writes all bytes to an open file.
  static func write(_ bytes: [UInt8], to file: Int32) throws(SystemFailure) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes { buffer in
        unsafe Glibc.write(file, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .last }
      written += count
    }
  }

  /// The bytes of an open file from a place on, at most `count`.
  static func bytes(of file: Int32, at place: Int, count: Int) throws(SystemFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, count))
    var filled = 0
    while filled < bytes.count {
      let length = unsafe bytes[filled...].withUnsafeMutableBytes { buffer in
        unsafe pread(file, buffer.baseAddress, buffer.count, off_t(place + filled))
      }
      if length < 0, errno == EINTR { continue }
      guard length >= 0 else { throw .last }
      guard length > 0 else { return Array(bytes.prefix(filled)) }
      filled += length
    }
    return bytes
  }

  /// Waits until a file's bytes are on the disk.
  static func synchronizeFile(_ path: String) throws(SystemFailure) {
    let file = try openForWriting(path)
    defer { close(file) }
    guard fsync(file) == 0 else { throw .last }
  }

  /// Gives a file the permissions of its audience, if this process may.
  ///
  /// Neither a link nor a file with further names is changed: another user of the folder could lead
  /// to what is not a store's. The file is not opened for that, since closing it would release the
  /// locks that this process has on it (fcntl(2)).
  static func setMode(of path: String, for audience: FileAudience) {
    let file = unsafe open(path, pathOnly | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG, info.st_nlink == 1,
      UInt32(info.st_mode & 0o7777) != audience.mode
    else { return }
    // fchmod(2) refuses such a descriptor; its name in /proc leads to the same file.
    _ = unsafe chmod("/proc/self/fd/\(file)", mode_t(audience.mode))
  }

  /// Opens a file's name only (open(2), `O_PATH`), which Swift's Glibc does not know.
  private static let pathOnly: CInt = 0o10000000
}
