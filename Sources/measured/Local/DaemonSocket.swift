import Foundation
import Web

/// The socket of a daemon.
struct DaemonSocket: Hashable {
  /// Where it is.
  let path: String
  /// The facts that the daemon reports of itself.
  let facts: LocalDoor.Facts

  /// The socket of the installed service.
  static let service = "/run/measured/measured.sock"

  /// Where the daemon of a store listens: in systemd's runtime directory, else beside the store.
  static func path(store: String, environment: [String: String]) -> String {
    if let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first {
      return "\(folder)/measured.sock"
    }
    return realPath(of: store) + ".sock"
  }

  /// The path without symbolic links, from the root on; of a missing file as far as it exists.
  static func realPath(of path: String) -> String {
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

  /// Asks who listens on a socket; `nil` if nobody does, or does not answer.
  ///
  /// - Throws: ``ClientSocket/Failure/denied``.
  init?(asking path: String) throws(ClientSocket.Failure) {
    do throws(ClientSocket.Failure) {
      let socket = try ClientSocket(path: path)
      // A daemon that is there and slow must not be taken for none: the command would use the radio
      // and the store beside it.
      socket.limitReading(to: 20)
      try socket.begin("GET", "/api/v1/daemon")
      var response = try ClientResponse(socket)
      let body = try response.body()
      guard response.status == 200,
        let facts = try? JSONDecoder().decode(LocalDoor.Facts.self, from: body)
      else { return nil }
      (self.path, self.facts) = (path, facts)
    } catch .denied {
      throw .denied
    } catch {
      return nil
    }
  }

  /// The daemon that has a store open; `nil` if there is none.
  ///
  /// - Throws: ``CommandFailure`` if it is another user's, as the store is.
  static func holding(_ store: String) throws(CommandFailure) -> DaemonSocket? {
    let real = realPath(of: store)
    var denied: String?
    for path in [real + ".sock", service] {
      do throws(ClientSocket.Failure) {
        guard let daemon = try DaemonSocket(asking: path), daemon.holds(real) else { continue }
        return daemon
      } catch {
        denied = path
      }
    }
    guard let denied, unsafe access(store, R_OK) != 0, errno == EACCES else { return nil }
    guard denied == service else {
      throw CommandFailure(
        .failed,
        "The store \(store) is another user's, such as the service's, which does not run. Start it"
          + " (sudo systemctl start measured), use sudo, or name another store with --store or"
          + " $MEASURED_STORE.")
    }
    throw CommandFailure(
      .failed,
      "The store \(store) is the service's, and its socket \(denied) is for the group measured. Join"
        + " the group and sign in again (sudo usermod -aG measured $USER), use sudo, or name another"
        + " store with --store or $MEASURED_STORE.")
  }

  private func holds(_ store: String) -> Bool {
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
      facts.version != Measured.version || facts.conversation != ConversationVersion.current
    else { return }
    throw CommandFailure(
      .failed,
      "The daemon on \(path) is measured \(facts.version), and this is \(Measured.version). Restart"
        + " the daemon: systemctl restart measured.")
  }
}
