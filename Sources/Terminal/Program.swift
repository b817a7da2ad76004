package import ArgumentParser
import Foundation
import Localization
import StrictYAML

/// The program, by its root command.
package struct Program: Sendable {
  /// The program's version.
  package static let version = "0.9.0"

  /// The program whose command runs in this task.
  @TaskLocal package static var current = Program(WithoutCommands.self)

  private let root: any (ParsableCommand & SendableMetatype).Type

  private var tree: CommandTree { CommandTree(root: root) }

  package init(_ root: any (ParsableCommand & SendableMetatype).Type) { self.root = root }

  /// The arguments that ask for the version.
  ///
  /// They are not the parser's: its flag would be one of every subcommand, beside their own.
  private static let versionRequest = ["--version"]

  /// Whether the arguments ask for the version alone.
  package static func isVersionRequest(_ arguments: [String]) -> Bool {
    arguments == versionRequest
  }

  /// Runs a command line and prints what it comes to, in the task's ``Surroundings``.
  ///
  /// - Returns: The exit code.
  package func run(_ arguments: [String]) async -> Int32 {
    guard !Self.isVersionRequest(arguments) else {
      Console.out(Self.version)
      return ExitCode.done.rawValue
    }
    do {
      try await perform(arguments)
      return ExitCode.done.rawValue
    } catch {
      return report(error, of: arguments)
    }
  }

  /// Runs a command line in the task's ``Surroundings``.
  package func perform(_ arguments: [String]) async throws {
    try await Self.$current.withValue(self) {
      var command = try root.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    }
  }

  /// Prints the message of `error`, with which the command of `arguments` has ended.
  ///
  /// - Parameters:
  ///   - error: The error that the command or the parser has thrown.
  ///   - arguments: The command line, without the program's name.
  /// - Returns: The exit code.
  package func report(_ error: any Error, of arguments: [String]) -> Int32 {
    switch error {
    case let failure as CommandFailure: return report(failure)
    case let error as any PresentableError: return report(CommandFailure(error))
    default:
      // Other errors are the parser's: help and version are no failures, the rest is misuse.
      let code = root.exitCode(for: error)
      let text = root.fullMessage(for: error, columns: Console.helpWidth)
      if code == .success {
        let nested = tree.nestedHelp(arguments)
        // The parser shows the help of everything for a command that is none.
        if nested == nil, arguments.first == "help", arguments.count == 2,
          let text = misspelt(Array(arguments.dropFirst()))
        {
          Console.error(text)
          return ExitCode.malformedArgument.rawValue
        }
        Console.out(nested ?? text + (tree.defaultOptions(arguments) ?? ""))
        return ExitCode.done.rawValue
      }
      Console.error(misspelt(arguments) ?? text)
      return code == .validationFailure
        ? ExitCode.malformedArgument.rawValue : ExitCode.failed.rawValue
    }
  }

  /// The message for a misspelt command.
  private func misspelt(_ arguments: [String]) -> String? {
    let known = root.configuration.subcommands.map { $0._commandName } + ["help"]
    guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
    guard !known.contains(word) else { return misspeltSubcommand(of: word, arguments) }
    let nested = tree.paths(ofNested: word).map { "measured " + $0 }
    let text =
      nested.isEmpty
      ? LocalizedText(
        "command.name.unknown",
        ["command": "\(word)", "suggestion": .suggestion(for: word, among: known)])
      : LocalizedText(
        "command.name.nested",
        [
          "command": "\(word)",
          "nested": .init(nested.joined(separator: Console.language.text("list.or"))),
        ])
    return "measured: \(text.message)"
  }

  /// The message for a misspelt subcommand.
  private func misspeltSubcommand(of name: String, _ arguments: [String]) -> String? {
    let command = root.configuration.subcommands.first { $0._commandName == name }
    guard let command, let word = arguments.dropFirst().first, !word.hasPrefix("-") else {
      return nil
    }
    let known = command.configuration.subcommands.map { $0._commandName }
    guard !known.isEmpty, !known.contains(word) else { return nil }
    let isNear = Spelling.nearest(to: word, among: known) != nil
    // The word may be an argument of the subcommand that the command stands for by itself.
    guard command.configuration.defaultSubcommand == nil || isNear else { return nil }
    let text = LocalizedText(
      isNear ? "command.name.misspelt" : "command.name.unknownPart",
      [
        "command": "\(name)", "part": "\(word)",
        "suggestion": .suggestion(for: word, among: known),
        "known": .init(known.joined(separator: ", ")),
      ])
    return "measured: \(text.message)"
  }

  private func report(_ failure: CommandFailure) -> Int32 {
    let message = failure.message
    if !message.isEmpty {
      Console.error("measured: \(message)")
      if failure.isJSON, failure.code == .refused {
        try? Console.json(Exit.Refusal(file: failure.file, reason: message))
      }
    }
    return failure.code.rawValue
  }
}

/// The root of a task that runs no command.
private struct WithoutCommands: ParsableCommand {}

/// The commands and their subcommands, for help that the parser does not give.
private struct CommandTree {
  let root: any ParsableCommand.Type

  /// The subcommands of that name, wherever they are: `task settle`.
  func paths(ofNested word: String) -> [String] {
    nested(word).map { "\($0.parent._commandName) \(word)" }
  }

  /// The help of subcommands that are named without their command: `measured help settle`.
  func nestedHelp(_ arguments: [String]) -> String? {
    guard arguments.first == "help", arguments.count == 2, let word = arguments.last,
      !root.configuration.subcommands.contains(where: { $0._commandName == word })
    else { return nil }
    let found = nested(word)
    guard !found.isEmpty else { return nil }
    return found.map { root.helpMessage(for: $0.command, columns: Console.helpWidth) }.joined(
      separator: "\n\n")
  }

  /// The options of the subcommand that a command stands for by itself, after the command's help.
  func defaultOptions(_ arguments: [String]) -> String? {
    let words = arguments.filter { !["help", "-h", "--help"].contains($0) }
    guard words.count == 1, let word = words.first,
      let command = root.configuration.subcommands.first(where: { $0._commandName == word }),
      let standard = command.configuration.defaultSubcommand
    else { return nil }
    let help = root.helpMessage(for: standard, columns: Console.helpWidth)
    guard let options = help.range(of: "OPTIONS:") else { return nil }
    return "\n\nOPTIONS OF ‘\(word)’ ALONE, WHICH IS ‘\(word) \(standard._commandName)’:"
      + help[options.upperBound...]
  }

  private func nested(
    _ word: String
  ) -> [(parent: any ParsableCommand.Type, command: any ParsableCommand.Type)] {
    root.configuration.subcommands.flatMap { parent in
      parent.configuration.subcommands.filter { $0._commandName == word }
        .map { (parent: parent, command: $0) }
    }
  }
}
