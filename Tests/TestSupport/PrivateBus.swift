package import Foundation

/// A message bus of one test: a real dbus-daemon in a temporary folder.
package final class PrivateBus: Sendable {
  /// Whether this machine has a dbus-daemon.
  package static let isAvailable = program != nil

  private static let program = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  struct Failure: Error {
    var reason: String
  }

  /// The folder of its socket.
  package let folder: URL
  private let process: Process
  /// The bus's address: `unix:path=…`.
  package let address: String

  /// Starts a bus in a folder of its own, or in that of another one that has ended.
  package init(after ended: URL? = nil) throws {
    guard let program = Self.program else { throw Failure(reason: "There is no dbus-daemon.") }
    folder =
      ended
      ?? FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appending(path: "socket").path
    let settings = folder.appending(path: "settings.xml")
    try """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(path)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """.write(to: settings, atomically: true, encoding: .utf8)
    process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--config-file=\(settings.path)", "--nofork", "--print-address=1"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // It prints its address once it accepts connections.
    let printed = output.fileHandleForReading.availableData
    guard !printed.isEmpty else { throw Failure(reason: "The dbus-daemon did not start.") }
    address = "unix:path=\(path)"
  }

  deinit {
    // It inherits a mask that blocks weaker signals.
    kill(process.processIdentifier, SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }
}
