import ArgumentParser
import Foundation
package import Localization

/// A command's exit code; scripts rely on it.
package enum ExitCode: Int32 {
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
package struct CommandFailure: Error, Hashable {
  package var code: ExitCode
  /// The message in the language of the command; empty if everything has been said.
  package var message: String
  /// Whether the command prints JSON, so that a refusal is an object on standard output, too.
  package var isJSON = false
  /// The file that the failure concerns, for the JSON object.
  package var file: String?

  /// The failure of a text; `nil` if everything has been said.
  package init(
    _ code: ExitCode, _ text: LocalizedText? = nil, isJSON: Bool = false, file: String? = nil
  ) {
    self.code = code
    message = text?.message ?? ""
    self.isJSON = isJSON
    self.file = file
  }

  /// The failure that `error` is for the command line.
  package init(_ error: any Error, isJSON: Bool = false) {
    if let failure = error as? CommandFailure {
      self = failure
      self.isJSON = isJSON
    } else {
      let code = (error as? any PresentableError)?.exitCode ?? .failed
      self.init(code, .verbatim(Message.of(error)), isJSON: isJSON)
    }
  }
}

/// The end of a command.
package enum Exit {
  /// A refusal as JSON.
  package struct Refusal: Encodable {
    package var file: String?
    package var error = "refused"
    package var reason: String

    package init(file: String? = nil, error: String = "refused", reason: String) {
      self.file = file
      self.error = error
      self.reason = reason
    }
  }
}

extension AsyncParsableCommand {
  /// Runs `body`, turning what it throws into an exit code and, with `isJSON`, an object.
  package func reporting(
    isJSON: Bool, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch {
      throw CommandFailure(error, isJSON: isJSON)
    }
  }
}
