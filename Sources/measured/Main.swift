import ArgumentParser

@main
struct Main {
  static func main() async {
    // Not the parser's: its flag would be one of every subcommand, beside their own.
    if CommandLine.arguments.dropFirst() == ["--version"] { return Console.out("0.1.0") }
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
      "Measurements from Bluetooth health sensors that complete care-plan tasks automatically.",
    discussion: """
      It measures; it does not diagnose. It is not a medical device.

      Example, without any hardware:
        measured demo

      measured --version shows the version.
      """,
    subcommands: [
      RunCommand.self, ReplayCommand.self, Measure.self, DecodeCommand.self, DevicesCommand.self,
      PlanCommand.self, ScheduleCommand.self, CalibrateCommand.self, TodayCommand.self,
      WeekCommand.self, DoneCommand.self, UndoCommand.self, EventsCommand.self,
      OutcomeCommand.self, AdherenceCommand.self, SamplesCommand.self, TasksCommand.self,
      TaskCommand.self, PatientCommand.self, ContactsCommand.self, StoreCommand.self,
      ScanCommand.self, IdentifyCommand.self, PairCommand.self, ForgetCommand.self,
      RecordCommand.self, DoctorCommand.self, DemoCommand.self,
    ])
}
