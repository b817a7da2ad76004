import Actions
import Localization

extension EntryRefusal: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .unknownUnit: .malformedArgument
    case .store(let error): error.exitCode
    default: .refused
    }
  }
}
