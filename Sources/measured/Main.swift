import ArgumentParser

@main
struct Main {
  static func main() async {
    do {
      var command = try Measured.parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Exit.end(with: error)
    }
  }
}

/// The root command.
struct Measured: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measured",
    abstract:
      "Measurements from Bluetooth health sensors that complete care-plan tasks by themselves.",
    discussion: """
      It measures; it does not diagnose. It is no medical device.

      Try it without any hardware:
        measured demo
      """,
    version: "0.1.0",
    subcommands: [
      Run.self, Replay.self, Measure.self, Decode.self, Devices.self, Plan.self,
      ScheduleCommand.self,
      Calibrate.self, Events.self, Today.self, OutcomeCommand.self, AdherenceCommand.self,
      Samples.self, Scan.self,
      Identify.self, Pair.self, Forget.self, Record.self, Doctor.self, Demo.self,
    ])
}
