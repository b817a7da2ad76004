import Foundation

/// Whose the files of a folder are: their owner's alone, or its group's.
package enum FileAudience: Hashable, Sendable {
  /// Only their owner reads and writes them.
  case owner
  /// The members of the folder's group read and write them, too.
  case group

  /// The audience of the files that are made in a folder.
  ///
  /// A folder whose setgid bit gives new files its group, and into which that group may write, is
  /// one that several users share. One that everybody may write to is nobody's.
  ///
  /// - Parameter folder: Its path; a folder that cannot be looked at shares nothing.
  package init(ofFilesIn folder: String) {
    var status = stat()
    let shared = mode_t(S_ISGID | S_IRGRP | S_IWGRP | S_IXGRP)
    let isShared =
      unsafe stat(folder, &status) == 0 && status.st_mode & shared == shared
      && status.st_mode & S_IWOTH == 0
    self = isShared ? .group : .owner
  }

  /// The permission bits of a file for this audience.
  package var mode: UInt32 {
    switch self {
    case .owner: 0o600
    case .group: 0o660
    }
  }
}
