package import ArgumentParser
import Terminal

/// The commands around recordings, definitions and the demo, which the daemon never runs.
package enum LabCommands {
  /// The commands, in the order of the program's help.
  package static var all: [any ParsableCommand.Type] {
    [
      ReplayCommand.self, Measure.self, CalibrateCommand.self, DecodeCommand.self,
      DevicesCommand.self, DemoCommand.self,
    ]
  }
}
