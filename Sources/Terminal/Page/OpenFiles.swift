import Glibc

/// The limit of open files and connections of this process.
package enum OpenFiles {
  /// Whether there are files for a store and for Dispatch's event loop, which traps without them.
  package static var areEnough: Bool {
    let files = (0..<8).map { _ in unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for file in files where file >= 0 { close(file) }
    return files.allSatisfy { $0 >= 0 } || errno != EMFILE
  }

  /// The limit that a page with many readers needs.
  private static let wanted: rlim_t = 4_096
  /// The files that store, radio and logs need beside the connections of the page.
  private static let reserve = 256

  /// Raises the limit as far as the system lets it.
  ///
  /// Debian starts services with 1024, and a page whose connections use them all would leave none
  /// for the store.
  ///
  /// - Returns: How many connections the page can have.
  static func raise() -> Int {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(files, &limit) == 0 else { return reserve }
    if limit.rlim_cur < wanted {
      var raised = limit
      raised.rlim_cur = min(wanted, limit.rlim_max)
      if unsafe setrlimit(files, &raised) == 0 { limit = raised }
    }
    return max(16, Int(min(limit.rlim_cur, wanted)) / 2 - reserve)
  }
}
