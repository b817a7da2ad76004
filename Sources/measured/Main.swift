import ArgumentParser
import Foundation

@main
struct Main {
  static func main() async {
    // Not the parser's: its flag would be one of every subcommand, beside their own.
    if CommandLine.arguments.dropFirst() == ["--version"] { return Console.out(Measured.version) }
    guard OpenFiles.areEnough else { Exit.end(with: CommandFailure(.failed, Message.tooFewFiles)) }
    do {
      var command = try Measured.parseAsRoot()
      if let hosting = (command as? any HostedCommand)?.hosting,
        let code = try await CommandClient(
          hosting: hosting, arguments: Array(CommandLine.arguments.dropFirst())
        ).run()
      {
        exit(code)
      }
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
  /// The program's version.
  static let version = "0.1.0"

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
      RecordCommand.self, DoctorCommand.self, ServeCommand.self, DemoCommand.self,
      AccessCommand.self,
    ])
}
