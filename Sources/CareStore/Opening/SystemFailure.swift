import Foundation

/// A system call that failed.
struct SystemFailure: Error, Hashable {
  /// The error number, at least 1.
  let code: Int32

  /// The failure of the call that was made last in this thread.
  static var last: SystemFailure { SystemFailure(code: errno) }

  /// What happened and what to do, for people.
  var reason: String {
    switch code {
    case ENOSPC, EDQUOT: "the disk is full; free some space"
    case EACCES, EPERM: "permission is missing; check who owns it, and who is asking"
    case EROFS: "the file system is read-only; remount it for writing"
    case ENOTDIR: "a part of the path is a file, not a directory; choose another path"
    case ENOENT: "a part of the path does not exist; create it"
    case EISDIR: "it is a directory; name a file in it"
    default: unsafe String(cString: strerror(code))
    }
  }
}
