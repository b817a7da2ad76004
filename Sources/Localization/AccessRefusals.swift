package import Access
import Foundation
package import PrivateFiles

// The keys and values of what accounts, passcodes and their files are refused for.

extension AccessError: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .wrong: "accessError.wrong"
    case .wait(let seconds): LocalizedText("accessError.wait", ["time": .text(.duration(seconds))])
    case .busy: "accessError.busy"
    case .notPermitted: "accessError.notPermitted"
    case .claimClosed: "accessError.claimClosed"
    case .passcode(let weakness): weakness.localized
    case .account(.id): "accessError.accountID"
    case .account(.name), .token(.name): "accessError.name"
    case .account(.patients): "accessError.accountPatients"
    case .token(.scopes): "accessError.tokenScopes"
    case .token(.patients): "accessError.tokenPatients"
    case .token(.expires): "accessError.tokenExpires"
    case .accountExists(let id): LocalizedText("accessError.accountExists", ["id": "\(id)"])
    case .unknownAccount(let id): LocalizedText("accessError.unknownAccount", ["id": "\(id)"])
    case .unknownToken(let id): LocalizedText("accessError.unknownToken", ["id": "\(id)"])
    case .unknownSession(let id): LocalizedText("accessError.unknownSession", ["id": "\(id)"])
    case .lastAdministrator: "accessError.lastAdministrator"
    case .tooMany(let limit): LocalizedText("accessError.tooMany", ["limit": .init(limit)])
    case .unavailable: "accessError.unavailable"
    case .file(let error): error.localized
    }
  }
}

extension LocalizedText {
  /// `one second`, `2 minutes`: of a minute and more, whole minutes that have passed by then.
  fileprivate static func duration(_ seconds: Int) -> LocalizedText {
    seconds < 60
      ? LocalizedText("accessError.seconds", count: seconds)
      : LocalizedText("accessError.minutes", count: (seconds + 59) / 60)
  }
}

extension Passcode.Weakness: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .tooShort:
      LocalizedText("accessError.passcodeTooShort", ["least": .init(Passcode.length.lowerBound)])
    case .tooLong:
      LocalizedText("accessError.passcodeTooLong", ["most": .init(Passcode.length.upperBound)])
    case .pattern: "accessError.passcodePattern"
    case .common: "accessError.passcodeCommon"
    case .namesAccount: "accessError.passcodeNamesAccount"
    }
  }
}

// MARK: - Files

extension AccessFileError: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .file(let error): error.localized
    case .damaged(let path, _): LocalizedText("accessError.damaged", ["path": "\(path)"])
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
