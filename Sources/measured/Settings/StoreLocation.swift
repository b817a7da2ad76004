import Foundation

/// Where the store is when nobody says otherwise.
struct StoreLocation {
  /// The process's environment.
  var environment: [String: String]

  /// `measured.sqlite` in systemd's state directory, else in `$XDG_STATE_HOME/measured`, else in
  /// `~/.local/state/measured`.
  var path: String {
    let name = "measured.sqlite"
    if let state = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
      return "\(state)/\(name)"
    }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      return "\(state)/measured/\(name)"
    }
    return "\(environment["HOME"] ?? ".")/.local/state/measured/\(name)"
  }
}
