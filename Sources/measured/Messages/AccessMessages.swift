import Access
import Foundation
import Glibc
import PrivateFiles
import Web

extension PrivateFileError: PresentableError {
  var message: String {
    switch cause {
    case .unreadable(let code): "\(path) cannot be read: \(Self.text(code))."
    case .notAFile: "\(path) is no file."
    case .openToOthers:
      "\(path) can be read or written by other users than its own. Take that away: chmod 600"
        + " \(path)."
    case .foreign:
      "\(path) belongs to another user than this program's."
    case .tooLong(let limit): "\(path) is longer than \(limit) bytes."
    case .unwritable(let code): "\(path) cannot be written: \(Self.text(code))."
    case .notDurable(let code):
      "\(path) is written, but may be lost in a power failure: \(Self.text(code))."
    }
  }

  var exitCode: ExitCode { .failed }

  private static func text(_ code: Int32) -> String {
    unsafe String(cString: strerror(code))
  }
}

extension AccessFileError: PresentableError {
  var message: String {
    switch self {
    case .file(let error): error.message
    case .damaged(let path, _):
      "\(path) is damaged, and read as empty it would let the next person claim the machine. Put a"
        + " backup of it in its place, or move it away and set up the accounts again."
    }
  }

  var exitCode: ExitCode { .failed }
}

extension AccessFiles.InUse: PresentableError {
  var message: String {
    code == EWOULDBLOCK
      ? "Another program uses the accounts in \(path), such as the daemon. End it first: systemctl"
        + " stop measured."
      : "The folder of \(path) cannot be opened: \(unsafe String(cString: strerror(code)))."
  }
}

extension AccessError: PresentableError {
  var message: String {
    switch self {
    case .wrong: "That is not right."
    case .wait(let seconds): "Too many wrong attempts: wait \(seconds) s."
    case .busy: "Too many passcodes wait to be checked. Try again in a few seconds."
    case .notPermitted: "That is for administrators."
    case .claimClosed: "There is an account already, or no valid code."
    case .passcode(let weakness): weakness.message
    case .account(.id):
      "The name to sign in with has small letters, digits, dots, hyphens and underscores, at most 32"
        + " of them, and begins with a letter or digit."
    case .account(.name), .token(.name): "A name has 1 to 80 characters."
    case .account(.patients):
      "A patient's account is for one patient, another's for at least one: --patient ID."
    case .token(.scopes): "The token permits nothing: --scope read."
    case .token(.patients): "The token is for no patient: --patient ID."
    case .token(.expires): "The token would have ended already."
    case .accountExists(let id): "There is an account ‘\(id)’ already."
    case .unknownAccount(let id): "There is no account ‘\(id)’. See measured access list."
    case .unknownToken(let id): "There is no token ‘\(id)’. See measured access list."
    case .unknownSession(let id): "There is no session ‘\(id)’."
    case .lastAdministrator:
      "One account has to be an administrator's: add that first, and keep the last one."
    case .tooMany(let limit): "There are \(limit) already, which is the most."
    case .unavailable: "The system's cryptography does not answer. Nothing was changed."
    case .file(let error): error.message
    }
  }

  var exitCode: ExitCode {
    switch self {
    case .unknownAccount, .unknownToken, .unknownSession: .unknown
    case .busy, .unavailable, .file: .failed
    default: .refused
    }
  }
}

extension Passcode.Weakness {
  fileprivate var message: String {
    switch self {
    case .tooShort: "A passcode has at least \(Passcode.length.lowerBound) characters."
    case .tooLong: "A passcode has at most \(Passcode.length.upperBound) characters."
    case .pattern: "The passcode is a repetition or a sequence, and easy to guess."
    case .common: "The passcode is one of the most used, and easy to guess."
    case .namesAccount: "The passcode must not be like the name to sign in with."
    }
  }
}

extension AddressUnusable: PresentableError {
  var message: String {
    let reason = unsafe String(cString: strerror(code))
    return switch code {
    case EADDRINUSE:
      "\(reason): another program listens there. Choose another port, or end that one."
    default: reason
    }
  }
}

extension UnprotectedAddress: PresentableError {
  var message: String { "Other machines reach this address, and it has no accounts." }

  var exitCode: ExitCode { .failed }
}
