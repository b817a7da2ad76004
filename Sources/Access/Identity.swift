import Digests
package import Foundation

/// Who sends a request, and what they may do.
package struct Identity: Hashable, Sendable {
  /// How the sender proved who they are.
  package enum Subject: Hashable, Sendable {
    /// By a session.
    case account(Account.ID)
    /// By an API token.
    case token(Token.ID)
    /// By the permissions of the Unix socket; the user's number.
    case local(user: UInt32)
    /// By a link of a message; the name of the one to whom it went.
    case link(String)
  }

  /// Who it is.
  package let subject: Subject
  /// The person's or token's name; empty for the socket.
  package let name: String
  /// The rights of the sender.
  package let grant: Grant
  /// The secret in the forms of a session; `nil` for an API token and the socket, which no browser
  /// sends by itself.
  package let formToken: String?

  /// The account, if a person signed in; `nil` for a token and the socket.
  package var account: Account.ID? {
    if case .account(let id) = subject { id } else { nil }
  }

  /// A program on the Unix socket.
  package static func local(user: UInt32) -> Identity {
    Identity(subject: .local(user: user), name: "", grant: .everything, formToken: nil)
  }

  /// Whether a form came from a page of this session.
  ///
  /// - Parameter token: The form's token; `nil` if it has none.
  /// - Returns: True for a token and the socket also.
  package func acceptsForm(_ token: String?) -> Bool {
    guard let formToken else { return true }
    return ConstantTime.areEqual(Array((token ?? "").utf8), Array(formToken.utf8))
  }
}

/// A person who has just signed in.
package struct SignedIn: Sendable {
  /// Who it is.
  package let identity: Identity
  /// The value of the cookie.
  package let cookie: Secret
  /// The seconds after which the session ends at the latest: the cookie's `Max-Age`.
  package let lifetime: TimeInterval
}

/// Why something is refused.
package enum AccessError: Error, Hashable, Sendable {
  /// The account, passcode or code is wrong; which of them is not said.
  case wrong
  /// Too many wrong attempts; the next one is accepted after this time, in whole seconds.
  case wait(seconds: Int)
  /// Too many passcodes wait to be checked; an attempt in a few seconds may pass.
  case busy
  /// The sender may not do this.
  case notPermitted
  /// There is an account already, or no valid code: a restart of the program makes one.
  case claimClosed
  /// The new passcode is too weak.
  case passcode(Passcode.Weakness)
  /// The new account is not allowed.
  case account(Account.Draft.Flaw)
  /// The new token is not allowed.
  case token(Token.Draft.Flaw)
  /// There is an account with this id.
  case accountExists(Account.ID)
  /// There is no account with this id.
  case unknownAccount(Account.ID)
  /// There is no token with this id.
  case unknownToken(Token.ID)
  /// The account has no session with this id.
  case unknownSession(Session.ID)
  /// The last administrator has to stay one.
  case lastAdministrator
  /// There are as many as there may be.
  case tooMany(limit: Int)
  /// libcrypto or the random source fails.
  case unavailable
  /// The change could not be written. A new account, token or passcode does not exist then; a
  /// removal, and a revocation, hold until the program ends.
  case file(AccessFileError)
}
