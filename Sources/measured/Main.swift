import ArgumentParser
import Commands
import Daemon
import Digests
import Foundation
import Lab
import Localization
import Terminal

@main
struct Main {
  static func main() async {
    StandardStreams.occupy()
    LibCrypto.keepAtExit()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let language = LanguageCatalogue.embedded.language(environment: Console.variables)
    let program = Program(Measured.self)
    let code = await Console.$language.withValue(language) {
      Program.isVersionRequest(arguments) || OpenFiles.areEnough
        ? await program.run(arguments)
        : program.report(CommandFailure(.failed, "program.tooFewFiles"), of: arguments)
    }
    if code != Terminal.ExitCode.done.rawValue { exit(code) }
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
    subcommands: CareCommands.all + DaemonCommands.all + LabCommands.all)
}
