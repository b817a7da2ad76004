import Glibc

/// The image that the system keeps of a process that crashed.
package enum CoreDumps {
  /// Lets the system keep none: it would have passcodes, keys and values of people.
  ///
  /// systemd-coredump, which takes images through a pipe, follows the limit as well.
  package static func forbid() {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    // A process may always lower its limits.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
  }
}
