import ArgumentParser
import Foundation
import Localization
import StrictYAML

/// A command's exit code; scripts rely on it.
enum ExitCode: Int32 {
  case done = 0
  /// The command failed, or its input cannot be read or decoded.
  case failed = 1
  /// The command line is malformed.
  case malformedArgument = 2
  /// A rule of the store or of a measurement refuses the request.
  case refused = 3
  /// There is no such id or characteristic.
  case unknown = 4
}

/// Why a command ends without a result.
struct CommandFailure: Error, Hashable {
  var code: ExitCode
  /// The message in the language of the command; empty if everything has been said.
  var message: String
  /// Whether the command prints JSON, so that a refusal is an object on standard output, too.
  var isJSON = false
  /// The file that the failure concerns, for the JSON object.
  var file: String?

  /// The failure of a text; `nil` if everything has been said.
  init(
    _ code: ExitCode, _ text: LocalizedText? = nil, isJSON: Bool = false, file: String? = nil
  ) {
    self.code = code
    message = text?.message ?? ""
    self.isJSON = isJSON
    self.file = file
  }

  /// The failure that `error` is for the command line.
  init(_ error: any Error, isJSON: Bool = false) {
    if let failure = error as? CommandFailure {
      self = failure
      self.isJSON = isJSON
    } else {
      let code = (error as? any PresentableError)?.exitCode ?? .failed
      self.init(code, .verbatim(Message.of(error)), isJSON: isJSON)
    }
  }
}

/// Ends a command.
enum Exit {
  /// Prints the message of `error`, with which the command of `arguments` has ended.
  ///
  /// - Parameters:
  ///   - error: The error that the command or the parser has thrown.
  ///   - arguments: The command line, without the program's name.
  /// - Returns: The exit code.
  static func report(_ error: any Error, of arguments: [String]) -> Int32 {
    switch error {
    case let failure as CommandFailure: return report(failure)
    case let error as any PresentableError: return report(CommandFailure(error))
    default:
      // Other errors are the parser's: help and version are no failures, the rest is misuse.
      let code = Measured.exitCode(for: error)
      let text = Measured.fullMessage(for: error, columns: Console.helpWidth)
      if code == .success {
        let nested = CommandTree.nestedHelp(arguments)
        Console.out(nested ?? text + (CommandTree.defaultOptions(arguments) ?? ""))
        return ExitCode.done.rawValue
      }
      Console.error(misspelt(arguments) ?? text)
      return code == .validationFailure
        ? ExitCode.malformedArgument.rawValue : ExitCode.failed.rawValue
    }
  }

  /// The message for a misspelt command.
  private static func misspelt(_ arguments: [String]) -> String? {
    let known = Measured.configuration.subcommands.map { $0._commandName } + ["help"]
    guard let word = arguments.first, !word.hasPrefix("-") else { return nil }
    guard !known.contains(word) else { return misspeltSubcommand(of: word, arguments) }
    let nested = CommandTree.paths(ofNested: word).map { "measured " + $0 }
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
  private static func misspeltSubcommand(of name: String, _ arguments: [String]) -> String? {
    let command = Measured.configuration.subcommands.first { $0._commandName == name }
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

  private static func report(_ failure: CommandFailure) -> Int32 {
    let message = failure.message
    if !message.isEmpty {
      Console.error("measured: \(message)")
      if failure.isJSON, failure.code == .refused {
        try? Console.json(Refusal(file: failure.file, reason: message))
      }
    }
    return failure.code.rawValue
  }

  /// A refusal as JSON.
  struct Refusal: Encodable {
    var file: String?
    var error = "refused"
    var reason: String
  }
}

/// The commands and their subcommands, for help that the parser does not give.
private enum CommandTree {
  /// The subcommands of that name, wherever they are: `task settle`.
  static func paths(ofNested word: String) -> [String] {
    nested(word).map { "\($0.parent._commandName) \(word)" }
  }

  /// The help of subcommands that are named without their command: `measured help settle`.
  static func nestedHelp(_ arguments: [String]) -> String? {
    guard arguments.first == "help", arguments.count == 2, let word = arguments.last,
      !Measured.configuration.subcommands.contains(where: { $0._commandName == word })
    else { return nil }
    let found = nested(word)
    guard !found.isEmpty else { return nil }
    return found.map { Measured.helpMessage(for: $0.command, columns: Console.helpWidth) }.joined(
      separator: "\n\n")
  }

  /// The options of the subcommand that a command stands for by itself, after the command's help.
  static func defaultOptions(_ arguments: [String]) -> String? {
    let words = arguments.filter { !["help", "-h", "--help"].contains($0) }
    guard words.count == 1, let word = words.first,
      let command = Measured.configuration.subcommands.first(where: { $0._commandName == word }),
      let standard = command.configuration.defaultSubcommand
    else { return nil }
    let help = Measured.helpMessage(for: standard, columns: Console.helpWidth)
    guard let options = help.range(of: "OPTIONS:") else { return nil }
    return "\n\nOPTIONS OF ‘\(word)’ ALONE, WHICH IS ‘\(word) \(standard._commandName)’:"
      + help[options.upperBound...]
  }

  private static func nested(
    _ word: String
  ) -> [(parent: any ParsableCommand.Type, command: any ParsableCommand.Type)] {
    Measured.configuration.subcommands.flatMap { parent in
      parent.configuration.subcommands.filter { $0._commandName == word }
        .map { (parent: parent, command: $0) }
    }
  }
}

extension AsyncParsableCommand {
  /// Runs `body`, turning what it throws into an exit code and, with `isJSON`, an object.
  func reporting(
    isJSON: Bool, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch {
      throw CommandFailure(error, isJSON: isJSON)
    }
  }
}
