package import ArgumentParser
import Terminal

/// The commands that measure or serve until they are ended, and the one that says why they cannot.
package enum DaemonCommands {
  /// The commands, in the order of the program's help.
  package static var all: [any ParsableCommand.Type] {
    [RunCommand.self, ServeCommand.self, DoctorCommand.self]
  }
}
