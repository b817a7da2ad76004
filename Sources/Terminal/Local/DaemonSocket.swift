import CareStore
import Foundation
import Localization
package import Web

/// The socket of a daemon.
package struct DaemonSocket: Hashable {
  /// Where it is.
  package let path: String
  /// The facts that the daemon reports of itself.
  package let facts: LocalDoor.Facts

  /// The socket of the installed service.
  package static let service = "/run/measured/measured.sock"

  /// Where the daemon of a store listens: in systemd's runtime directory, else beside the store.
  package static func path(store: String, environment: [String: String]) -> String {
    if let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
      return "\(folder)/measured.sock"
    }
    return realPath(of: StoreLocation.companion(of: store)) + ".sock"
  }

  /// The path without symbolic links, from the root on; of a missing file as far as it exists.
  package static func realPath(of path: String) -> String {
    let absolute = URL(fileURLWithPath: path).standardizedFileURL
    if let real = unsafe realpath(absolute.path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    let folder = absolute.deletingLastPathComponent().path
    guard let real = unsafe realpath(folder, nil) else { return absolute.path }
    defer { unsafe free(real) }
    return unsafe String(cString: real) + "/" + absolute.lastPathComponent
  }

  // MARK: Finding

  /// Asks who listens on a socket; `nil` if nobody does, does not answer, or lets this user in.
  package init?(asking path: String) {
    // A daemon that is there and slow must not be taken for none: the command would use the radio
    // beside it.
    guard let socket = try? ClientSocket(path: path) else { return nil }
    socket.limitReading(to: 20)
    guard (try? socket.begin("GET", "/api/v1/daemon")) != nil,
      var response = try? ClientResponse(socket), let body = try? response.body(),
      response.status == 200,
      let facts = try? JSONDecoder().decode(LocalDoor.Facts.self, from: body)
    else { return nil }
    (self.path, self.facts) = (path, facts)
  }

  /// The daemon that has a store open; `nil` if there is none.
  package static func holding(_ store: String) -> DaemonSocket? {
    let real = realPath(of: store)
    for path in [real + ".sock", service] {
      guard let daemon = DaemonSocket(asking: path), daemon.holds(real) else { continue }
      return daemon
    }
    return nil
  }

  private func holds(_ store: String) -> Bool {
    guard !SQLStore.isOnServer(store) else { return facts.store == store }
    if let own = FileIdentity.of(store), let file = facts.file { return own == file }
    // A folder that this user may not enter tells nothing but the name.
    return errno == EACCES && facts.store == store
  }

  // MARK: Versions

  /// Checks that the daemon speaks as this program does.
  ///
  /// - Throws: ``CommandFailure``.
  func checkVersion() throws(CommandFailure) {
    guard
      facts.version != Program.version || facts.conversation != ConversationVersion.current
    else { return }
    throw CommandFailure(
      .failed,
      LocalizedText(
        "command.daemon.otherVersion",
        [
          "path": "\(path)", "theirs": .init(facts.version), "ours": .init(Program.version),
        ]))
  }
}

/// The identity of a file.
package enum FileIdentity {
  /// The file system and inode of a file, `64768:131`; `nil` if there is none.
  package static func of(_ path: String) -> String? {
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let file = try? FileManager.default.attributesOfItem(atPath: real),
      let system = file[.systemNumber] as? NSNumber,
      let inode = file[.systemFileNumber] as? NSNumber
    else { return nil }
    return "\(system.uint64Value):\(inode.uint64Value)"
  }
}
