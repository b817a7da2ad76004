import Care

extension StoreError: PresentableError {
  var message: String { description }

  var exitCode: ExitCode {
    switch self {
    case .refused, .newerSchema: .refused
    case .unknown: .unknown
    case .failed: .failed
    }
  }
}
