import Foundation

/// Why a private file cannot be used.
package struct PrivateFileError: Error, Hashable, Sendable {
  /// The file.
  package let path: String
  /// The problem with it.
  package let cause: Cause

  /// A problem with a file.
  package enum Cause: Hashable, Sendable {
    /// A step of reading failed with this error number; `ELOOP` for a symbolic link.
    case unreadable(code: Int32)
    /// It is a directory, a device or a pipe.
    case notAFile
    /// Its permission bits let others than its owner read or write it.
    case openToOthers(mode: UInt32)
    /// It belongs to another user.
    case foreign(owner: UInt32)
    /// It is longer than this many bytes.
    case tooLong(limit: Int)
    /// A step of writing failed with this error number; the old file is unchanged.
    case unwritable(code: Int32)
    /// The new file has its name, but its directory could not be made durable.
    case notDurable(code: Int32)
  }

  /// Makes an error.
  package init(path: String, cause: Cause) {
    self.path = path
    self.cause = cause
  }
}

/// A file that only its owner may read and write.
///
/// It is replaced as a whole, so that a power failure leaves the old file or the new one. Symbolic
/// links are not followed: a link could point to another user's file.
package struct PrivateFile: Sendable {
  /// Its path; the directory has to exist.
  package let path: String
  /// The system calls that a test fails or observes.
  package var calls: Calls

  /// The file at a path.
  package init(path: String, calls: Calls = Calls()) {
    self.path = path
    self.calls = calls
  }

  /// System calls as values; each returns −1 with `errno` set where it fails.
  package struct Calls: Sendable {
    /// Writes bytes; returns how many.
    package var write: @Sendable (_ file: CInt, _ bytes: [UInt8]) -> Int = { file, bytes in
      unsafe bytes.withUnsafeBytes { unsafe Foundation.write(file, $0.baseAddress, $0.count) }
    }
    /// Waits until an open file or directory is on the disk.
    package var synchronize: @Sendable (_ file: CInt) -> CInt = { fsync($0) }

    /// Makes the system's own calls.
    package init() {}
  }

  // MARK: - Reading

  /// The content; `nil` if there is no file.
  package func read(limit: Int) throws(PrivateFileError) -> [UInt8]? {
    guard let file = try openExisting(O_RDONLY) else { return nil }
    defer { close(file) }
    return try read(file, limit: limit)
  }

  /// Opens the file if it exists and belongs to its owner alone.
  package func openExisting(_ flags: CInt) throws(PrivateFileError) -> CInt? {
    // A pipe must not make the program wait.
    let file = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(.unreadable(code: errno))
    }
    do throws(PrivateFileError) {
      try check(file)
      return file
    } catch {
      close(file)
      throw error
    }
  }

  /// Checks what was opened, not what the path leads to: the path may change in between.
  private func check(_ file: CInt) throws(PrivateFileError) {
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw failure(.unreadable(code: errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure(.notAFile) }
    let mode = UInt32(status.st_mode & 0o777)
    guard mode & 0o077 == 0 else { throw failure(.openToOthers(mode: mode)) }
    guard status.st_uid == geteuid() || isServices(status) else {
      throw failure(.foreign(owner: status.st_uid))
    }
  }

  /// Whether root may take a file for the service's, or another user's own.
  ///
  /// In a folder that a group shares any member can put a file in its place: there it has to belong
  /// to the folder's owner.
  private func isServices(_ status: stat) -> Bool {
    guard geteuid() == 0 else { return false }
    guard FileAudience(ofFilesIn: folder) == .group else { return true }
    var owner = stat()
    return unsafe stat(folder, &owner) == 0 && owner.st_uid == status.st_uid
  }

  private func read(_ file: CInt, limit: Int) throws(PrivateFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { buffer in
        unsafe Foundation.read(file, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(.unreadable(code: errno)) }
      if count == 0 { return bytes }
      bytes += piece.prefix(count)
      guard bytes.count <= limit else { throw failure(.tooLong(limit: limit)) }
    }
  }

  // MARK: - Writing

  /// Replaces the file; when this returns, the content survives a power failure.
  ///
  /// - Throws: `unwritable`: the old file is unchanged. `notDurable`: a power failure may bring it
  ///   back.
  package func replace(with bytes: [UInt8]) throws(PrivateFileError) {
    let draft = path + ".new"
    // A draft that a killed program left.
    unsafe unlink(draft)
    let file = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(.unwritable(code: errno)) }
    do throws(PrivateFileError) {
      defer { close(file) }
      try keepOwner(file)
      try write(bytes, to: file)
      try synchronize(file)
    } catch {
      unsafe unlink(draft)
      throw error
    }
    guard unsafe rename(draft, path) == 0 else {
      let code = errno
      unsafe unlink(draft)
      throw failure(.unwritable(code: code))
    }
    do throws(PrivateFileError) {
      try synchronizeDirectory()
    } catch {
      guard case .unwritable(let code) = error.cause else { throw error }
      throw failure(.notDurable(code: code))
    }
  }

  /// Writes all bytes.
  package func write(_ bytes: [UInt8], to file: CInt) throws(PrivateFileError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = calls.write(file, rest)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(.unwritable(code: errno)) }
      rest.removeFirst(min(count, rest.count))
    }
  }

  /// Waits until a file is on the disk.
  package func synchronize(_ file: CInt) throws(PrivateFileError) {
    guard calls.synchronize(file) == 0 else { throw failure(.unwritable(code: errno)) }
  }

  /// Waits until the names beside the file are on the disk.
  package func synchronizeDirectory() throws(PrivateFileError) {
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw failure(.unwritable(code: errno)) }
    defer { close(directory) }
    try synchronize(directory)
  }

  /// Gives a new file the owner of the old one, or of the directory: a command run by root must
  /// not make it unreadable for the service.
  ///
  /// In a folder that a group shares the old file may be any member's: there the directory's owner
  /// gets it.
  package func keepOwner(_ file: CInt) throws(PrivateFileError) {
    guard geteuid() == 0 else { return }
    let isShared = FileAudience(ofFilesIn: folder) == .group
    var owner = stat()
    guard unsafe !isShared && lstat(path, &owner) == 0 || stat(folder, &owner) == 0 else {
      throw failure(.unwritable(code: errno))
    }
    guard owner.st_uid != 0 else { return }
    guard fchown(file, owner.st_uid, owner.st_gid) == 0 else {
      throw failure(.unwritable(code: errno))
    }
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  package func failure(_ cause: PrivateFileError.Cause) -> PrivateFileError {
    PrivateFileError(path: path, cause: cause)
  }
}
