package import Access
import Foundation
package import PrivateFiles

// The keys and values of what accounts, passcodes and their files are refused for.

extension AccessError: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .wrong: "access.wrong"
    case .wait(let seconds): LocalizedText("access.wait", ["time": .text(.duration(seconds))])
    case .busy: "access.busy"
    case .notPermitted: "access.notPermitted"
    case .claimClosed: "access.claimClosed"
    case .passcode(let weakness): weakness.localized
    case .account(.id): "access.accountID"
    case .account(.name), .token(.name): "access.name"
    case .account(.patients): "access.accountPatients"
    case .token(.scopes): "access.tokenScopes"
    case .token(.patients): "access.tokenPatients"
    case .token(.expires): "access.tokenExpires"
    case .accountExists(let id): LocalizedText("access.accountExists", ["id": "\(id)"])
    case .unknownAccount(let id): LocalizedText("access.unknownAccount", ["id": "\(id)"])
    case .unknownToken(let id): LocalizedText("access.unknownToken", ["id": "\(id)"])
    case .unknownSession(let id): LocalizedText("access.unknownSession", ["id": "\(id)"])
    case .lastAdministrator: "access.lastAdministrator"
    case .tooMany(let limit): LocalizedText("access.tooMany", ["limit": .init(limit)])
    case .unavailable: "access.unavailable"
    case .file(let error): error.localized
    }
  }
}

extension LocalizedText {
  /// `one second`, `2 minutes`: of a minute and more, whole minutes that have passed by then.
  fileprivate static func duration(_ seconds: Int) -> LocalizedText {
    seconds < 60
      ? LocalizedText("access.seconds", count: seconds)
      : LocalizedText("access.minutes", count: (seconds + 59) / 60)
  }
}

extension Passcode.Weakness: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .tooShort:
      LocalizedText("access.passcodeTooShort", ["least": .init(Passcode.length.lowerBound)])
    case .tooLong:
      LocalizedText("access.passcodeTooLong", ["most": .init(Passcode.length.upperBound)])
    case .pattern: "access.passcodePattern"
    case .common: "access.passcodeCommon"
    case .namesAccount: "access.passcodeNamesAccount"
    }
  }
}

// MARK: - Files

extension AccessFileError: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .file(let error): error.localized
    case .damaged(let path, _): LocalizedText("access.damaged", ["path": "\(path)"])
    }
  }
}

extension PrivateFileError: Localizable {
  package var localized: LocalizedText {
    switch cause {
    case .unreadable(let code):
      LocalizedText("privateFile.unreadable", ["reason": .system(code)]).with("path", "\(path)")
    case .notAFile: LocalizedText("privateFile.notAFile", ["path": "\(path)"])
    case .openToOthers: LocalizedText("privateFile.openToOthers", ["path": "\(path)"])
    case .foreign: LocalizedText("privateFile.foreign", ["path": "\(path)"])
    case .tooLong(let limit):
      LocalizedText("privateFile.tooLong", ["limit": .init(limit)]).with("path", "\(path)")
    case .unwritable(let code):
      LocalizedText("privateFile.unwritable", ["reason": .system(code)]).with("path", "\(path)")
    case .notDurable(let code):
      LocalizedText("privateFile.notDurable", ["reason": .system(code)]).with("path", "\(path)")
    }
  }
}

extension LocalizedText.Value {
  /// The system's reason for an error number: `Permission denied`.
  package static func system(_ code: Int32) -> Self {
    .verbatim(unsafe String(cString: strerror(code)))
  }
}
