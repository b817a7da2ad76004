import ArgumentParser
import Digests
import Foundation
import Localization

@main
struct Main {
  static func main() async {
    StandardStreams.occupy()
    LibCrypto.keepAtExit()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let language = LanguageCatalogue.embedded.language(environment: Console.variables)
    let code = await Console.$language.withValue(language) {
      arguments == versionRequest || OpenFiles.areEnough
        ? await run(arguments)
        : Exit.report(CommandFailure(.failed, "program.tooFewFiles"), of: arguments)
    }
    if code != ExitCode.done.rawValue { exit(code) }
  }

  /// The arguments that ask for the version.
  ///
  /// They are not the parser's: its flag would be one of every subcommand, beside their own.
  private static let versionRequest = ["--version"]

  /// Runs a command line and prints what it comes to, in the task's ``Surroundings``.
  ///
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    guard arguments != versionRequest else {
      Console.out(Measured.version)
      return ExitCode.done.rawValue
    }
    do {
      try await perform(arguments)
      return ExitCode.done.rawValue
    } catch {
      return Exit.report(error, of: arguments)
    }
  }

  /// Runs a command line in the task's ``Surroundings``.
  static func perform(_ arguments: [String]) async throws {
    var command = try Measured.parseAsRoot(arguments)
    if var asynchronous = command as? any AsyncParsableCommand {
      try await asynchronous.run()
    } else {
      try command.run()
    }
  }
}

/// The streams that every program has.
private enum StandardStreams {
  /// Takes the place of a stream that is closed, before another file or a socket does: what is
  /// printed would go there.
  ///
  /// Printing to standard output then fails, as to any file that cannot be written.
  static func occupy() {
    for (stream, mode) in [
      (STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR),
    ]
    where fcntl(stream, F_GETFD) == -1 && errno == EBADF {
      // The lowest free number is the stream's.
      _ = unsafe open("/dev/null", mode)
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
      WeekCommand.self, DoneCommand.self, UndoCommand.self, PutBackCommand.self,
      SnoozeCommand.self, EventsCommand.self,
      OutcomeCommand.self, AdherenceCommand.self, SamplesCommand.self, ImportCommand.self,
      TasksCommand.self,
      TaskCommand.self, PatientCommand.self, ContactsCommand.self, ConsentCommand.self,
      StoreCommand.self, OutletCommand.self, MessageCommand.self, CentreCommand.self,
      JoinCommand.self, LeaveCommand.self, SyncCommand.self,
      SetupCommand.self, QuantitiesCommand.self, ScanCommand.self, IdentifyCommand.self,
      PairCommand.self, ForgetCommand.self,
      RecordCommand.self, DoctorCommand.self, ServeCommand.self, DemoCommand.self,
      AccessCommand.self,
    ])
}
