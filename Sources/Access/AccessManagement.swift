import Digests
import Foundation

/// Management of accounts and tokens by administrators, and of passcodes and sessions by their
/// owners.
///
/// A token manages none of them: one that leaked can be revoked, and leaves nothing behind.
extension AccessControl {
  // MARK: - Accounts

  /// The accounts, by id.
  package var accounts: [Account] { state.accounts.values.sorted { $0.id < $1.id } }

  /// Adds an account; the first one has to be an administrator's.
  ///
  /// - Throws: `notPermitted`, `account`, `passcode`, `accountExists`, `lastAdministrator`,
  ///   `tooMany`, `busy`, `unavailable`, `file`.
  @discardableResult package func add(
    _ draft: Account.Draft, passcode: String, by identity: Identity
  ) async throws(AccessError) -> Account {
    try requireManager(identity)
    let account = try await self.account(draft, passcode)
    try requireManager(identity)
    guard state.accounts[account.id] == nil else { throw .accountExists(account.id) }
    guard isClaimed || account.role == .administrator else { throw .lastAdministrator }
    guard state.accounts.count < AccessRecords.maximumAccounts else {
      throw .tooMany(limit: AccessRecords.maximumAccounts)
    }
    try change { $0.accounts[account.id] = account }
    return account
  }

  /// Changes an account's name, role and patients; it applies to open sessions at once.
  ///
  /// - Throws: `notPermitted`, `account`, `unknownAccount`, `lastAdministrator`, `file`.
  package func change(to draft: Account.Draft, by identity: Identity) throws(AccessError) {
    try requireManager(identity)
    do { try draft.check() } catch { throw .account(error) }
    guard let account = state.accounts[draft.id] else { throw .unknownAccount(draft.id) }
    guard draft.role == .administrator || !isLastAdministrator(account) else {
      throw .lastAdministrator
    }
    var changed = account
    changed.name = draft.name
    changed.role = draft.role
    changed.patients = draft.patients
    try change { $0.accounts[draft.id] = changed }
  }

  /// Removes an account with its sessions and the tokens that it made.
  ///
  /// - Throws: `notPermitted`, `unknownAccount`, `lastAdministrator`, `file`.
  package func remove(account id: Account.ID, by identity: Identity) throws(AccessError) {
    try requireManager(identity)
    guard let account = state.accounts[id] else { throw .unknownAccount(id) }
    guard !isLastAdministrator(account) else { throw .lastAdministrator }
    try revoke { state in
      state.accounts[id] = nil
      state.sessions = state.sessions.filter { $0.value.account != id }
      state.tokens = state.tokens.filter { $0.value.creator != id }
      state.throttle.remove(id)
    }
  }

  /// A random passcode for another person, to be read aloud once: three groups of four characters,
  /// 53 bits.
  ///
  /// - Throws: `unavailable` if the random source fails.
  package func makePasscode() throws(AccessError) -> String {
    guard let text = ReadableCode.text(groups: Passcode.groups, random: { randomBytes($0) }) else {
      throw .unavailable
    }
    return text
  }

  /// Changes a passcode and ends all sessions of the account.
  ///
  /// - Parameters:
  ///   - id: The account.
  ///   - new: The new passcode.
  ///   - current: The passcode so far; needed for the sender's own account.
  ///   - client: The client's address.
  ///   - identity: The account itself, or an administrator.
  /// - Returns: A new session for the sender's own account; else `nil`.
  /// - Throws: `notPermitted`, `unknownAccount`, `passcode`, `wrong`, `wait`, `busy`,
  ///   `unavailable`, `file`.
  @discardableResult package func setPasscode(
    of id: Account.ID, to new: String, current: String? = nil, client: String,
    by identity: Identity
  ) async throws(AccessError) -> SignedIn? {
    let isOwn = identity.subject == .account(id)
    if !isOwn { try requireManager(identity) }
    guard state.accounts[id] != nil else { throw .unknownAccount(id) }
    if isOwn { _ = try await verified(id, current ?? "", client: client) }
    do { try Passcode.check(new, for: id) } catch { throw .passcode(error) }
    let hash = try await self.hash(new)
    if !isOwn { try requireManager(identity) }
    guard var account = state.accounts[id] else { throw .unknownAccount(id) }
    account.passcode = hash
    try change { [account] state in
      state.accounts[id] = account
      state.sessions = state.sessions.filter { $0.value.account != id }
    }
    guard isOwn else { return nil }
    let signedIn = try beginSession(of: account, client: client)
    flush()
    return signedIn
  }

  private func isLastAdministrator(_ account: Account) -> Bool {
    account.role == .administrator
      && !state.accounts.values.contains { $0.role == .administrator && $0.id != account.id }
  }

  /// Asks the account as it is now: the request may have waited.
  private func requireManager(_ identity: Identity) throws(AccessError) {
    switch identity.subject {
    case .local: break
    case .account(let id):
      guard state.accounts[id]?.grant.permits(.administer, on: .box) == true else {
        throw .notPermitted
      }
    case .token, .link: throw .notPermitted
    }
  }

  // MARK: - Sessions

  /// The open sessions of the sender's account, the latest first.
  package func sessions(of identity: Identity) -> [Session] {
    guard case .account(let id) = identity.subject else { return [] }
    return state.sessions.values.filter { $0.account == id }
      .sorted { ($0.lastUse, $0.id) > ($1.lastUse, $1.id) }
  }

  /// Ends one of the sender's sessions.
  ///
  /// - Throws: `unknownSession`, `file`.
  package func end(session id: Session.ID, by identity: Identity) throws(AccessError) {
    guard let session = sessions(of: identity).first(where: { $0.id == id }) else {
      throw .unknownSession(id)
    }
    try revoke { $0.sessions[session.secret] = nil }
  }

  // MARK: - Tokens

  /// The tokens, the oldest first.
  package var tokens: [Token] {
    state.tokens.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
  }

  /// Makes a token.
  ///
  /// - Returns: The token, and its secret, which is nowhere else.
  /// - Throws: `notPermitted`, `token`, `tooMany`, `unavailable`, `file`.
  package func makeToken(
    _ draft: Token.Draft, by identity: Identity
  ) throws(AccessError) -> (token: Token, secret: Secret) {
    try requireManager(identity)
    let moment = now()
    do { try draft.check(now: moment.time) } catch { throw .token(error) }
    guard state.tokens.count < AccessRecords.maximumTokens else {
      throw .tooMany(limit: AccessRecords.maximumTokens)
    }
    guard let secret = Secret(.token, bytes: randomBytes(32)) else { throw .unavailable }
    var creator: Account.ID?
    if case .account(let id) = identity.subject { creator = id }
    let age = countedAge()
    let token = Token(
      id: Base64URL.text(of: randomBytes(9)), name: draft.name, scopes: draft.scopes,
      patients: draft.patients, creator: creator, created: Self.wholeSeconds(moment.time),
      expires: draft.expires.map(Self.wholeSeconds), lastUsed: nil,
      deadline: draft.expires.map { age + $0.timeIntervalSince(moment.time) },
      secret: secret.digest)
    try change { $0.tokens[secret.digest] = token }
    return (token, secret)
  }

  /// Revokes a token.
  ///
  /// - Throws: `notPermitted`, `unknownToken`, `file`.
  package func revoke(token id: Token.ID, by identity: Identity) throws(AccessError) {
    try requireManager(identity)
    guard let token = state.tokens.values.first(where: { $0.id == id }) else {
      throw .unknownToken(id)
    }
    try revoke { $0.tokens[token.secret] = nil }
  }
}
