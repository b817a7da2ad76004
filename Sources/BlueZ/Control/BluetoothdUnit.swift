import Foundation

/// Whether bluetoothd's service is installed on this machine, and not masked (systemd.unit(5)).
struct BluetoothdUnit {
  /// What a path is on this machine.
  enum Entry: Hashable {
    case file
    case link(to: String)
  }

  /// What is at a path; `nil` where there is nothing.
  var entry: (String) -> Entry?

  /// Looks at the files below `root`.
  init(root: String = "") {
    self.init { path in
      let files = FileManager.default
      if let target = try? files.destinationOfSymbolicLink(atPath: root + path) {
        return .link(to: target)
      }
      return files.fileExists(atPath: root + path) ? .file : nil
    }
  }

  init(entry: @escaping (String) -> Entry?) {
    self.entry = entry
  }

  /// The folders of units, the one that wins first.
  private static let folders = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system", "/lib/systemd/system",
  ]

  /// Whether systemd would start it.
  var isInstalled: Bool {
    for folder in Self.folders {
      switch entry("\(folder)/bluetooth.service") {
      case .link(to: "/dev/null"): return false
      case .file, .link: return true
      case nil: continue
      }
    }
    return false
  }
}
