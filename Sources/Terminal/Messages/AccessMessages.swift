import Access
import Glibc
import Localization
import PrivateFiles
import Web

extension PrivateFileError: PresentableError {}
extension AccessFileError: PresentableError {}

extension AccessFiles.InUse: Localizable, PresentableError {
  var localized: LocalizedText {
    code == EWOULDBLOCK
      ? LocalizedText("accessError.inUse", ["path": "\(path)"])
      : LocalizedText("accessError.folder", ["path": "\(path)", "reason": .system(code)])
  }
}

extension AccessError: PresentableError {
  var exitCode: ExitCode {
    switch self {
    case .unknownAccount, .unknownToken, .unknownSession: .unknown
    case .busy, .unavailable, .file: .failed
    default: .refused
    }
  }
}

extension AddressUnusable: Localizable, PresentableError {
  var localized: LocalizedText {
    code == EADDRINUSE
      ? LocalizedText("program.addressInUse", ["reason": .system(code)])
      : LocalizedText("verbatim", ["text": .system(code)])
  }
}

extension UnprotectedAddress: Localizable, PresentableError {
  var localized: LocalizedText { "program.unprotected" }
}
