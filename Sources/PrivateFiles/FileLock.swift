import Foundation

/// An exclusive lock by a file, which keeps a second process from what the file stands for.
///
/// It ends with the process, however that ends (flock(2)).
package struct FileLock: ~Copyable, Sendable {
  /// Why a lock cannot be taken.
  package enum Failure: Error, Hashable, Sendable {
    /// Another process has it.
    case taken
    /// The file cannot be created, opened or locked, with this error number.
    case unusable(code: Int32)
  }

  private let file: CInt

  /// Takes the lock of a file, which is created if missing.
  package init(path: String) throws(Failure) {
    // Not the property yet: `deinit` would close it a second time.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .unusable(code: errno) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(file)
      throw code == EWOULDBLOCK ? .taken : .unusable(code: code)
    }
    Self.share(file, path)
    self.file = file
  }

  deinit { close(file) }

  /// Lets everybody take the lock next who may change what is beside it: a lock that a command of
  /// root or of another member of the group has made must not keep the service from its own files.
  ///
  /// Only an empty file with one name is shared: a link could lead to a file of root.
  private static func share(_ file: CInt, _ path: String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    var (own, parent) = (stat(), stat())
    guard unsafe fstat(file, &own) == 0, unsafe stat(folder, &parent) == 0,
      own.st_uid == geteuid(), own.st_size == 0, own.st_nlink == 1
    else { return }
    // Where a step fails, the lock holds all the same.
    if own.st_uid == 0, parent.st_uid != 0 {
      _ = fchown(file, parent.st_uid, parent.st_gid)
      own.st_gid = parent.st_gid
    }
    if own.st_gid == parent.st_gid, FileAudience(ofFilesIn: folder) == .group {
      _ = fchmod(file, mode_t(FileAudience.group.mode))
    }
  }
}
