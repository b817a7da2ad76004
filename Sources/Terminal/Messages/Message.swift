import Foundation
import Localization

/// A library's error that ends a command.
///
/// Libraries throw cases with facts. Each family of them has a file in this folder that gives its
/// cases the keys of their texts (`Localizable`); the texts stand in the languages' files alone.
package protocol PresentableError: Error {
  /// The failure, the thing that it concerns, its reason, and the advice.
  var message: String { get }

  /// How a command ends that this error stops; ``ExitCode/failed`` unless the error says otherwise.
  var exitCode: ExitCode { get }
}

extension PresentableError {
  package var exitCode: ExitCode { .failed }
}

extension Localizable {
  /// The text in the language of the command that runs in this task.
  package var message: String { Console.language.text(of: self) }
}

/// The text of any error.
package enum Message {
  /// The process may open no more files.
  static var tooFewFiles: String { LocalizedText("program.tooFewFiles").message }

  /// The error's own message, else the system's reason, else its description.
  package static func of(_ error: any Error) -> String {
    switch error {
    case let error as any PresentableError: error.message
    case let error as any Localizable: error.message
    case is CancellationError: LocalizedText("program.ended").message
    case is EncodingError: LocalizedText("program.unprintable").message
    case let error as CocoaError: reason(error as NSError)
    case let error where type(of: error) == NSError.self: reason(error as NSError)
    default: String(describing: error)
    }
  }

  /// The system's reason, such as `Is a directory`, else Foundation's.
  private static func reason(_ error: NSError) -> String {
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    if let posix = [error, underlying].compactMap(\.self).first(where: {
      $0.domain == NSPOSIXErrorDomain
    }) {
      return unsafe String(cString: strerror(CInt(clamping: posix.code)))
    }
    return error.localizedFailureReason ?? error.localizedDescription
  }
}
