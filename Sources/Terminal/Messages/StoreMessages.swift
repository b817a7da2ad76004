import Care
import Localization
import Plans

extension StoreError: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .refused, .newerSchema, .olderSchema: .refused
    case .unknown: .unknown
    case .failed, .notWritten, .unreadableExport: .failed
    }
  }
}

extension ScheduleError: PresentableError {
  var message: String { reason }
}
