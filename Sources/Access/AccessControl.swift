package import Digests
import Foundation
package import PrivateFiles

/// Why the file of accounts cannot be used.
package enum AccessFileError: Error, Hashable, Sendable {
  /// It cannot be read or written, or is not for its owner alone.
  case file(PrivateFileError)
  /// Its content is not what this program writes.
  case damaged(path: String, AccessRecords.Damage)
}

/// Accounts, tokens and sessions of a box: who may do what.
///
/// One for each file; two processes must not use one file at once. Callers ask
/// ``Identity/grant`` about each request, and write the audit log.
///
/// Looking up a session or token takes microseconds. A change writes the file and waits until it is
/// on the disk, and blocks the others meanwhile; passcodes are derived elsewhere.
package actor AccessControl {
  let now: @Sendable () -> Moment
  private let random: @Sendable (_ count: Int) -> [UInt8]
  private let file: PrivateFile
  let scrypt: Scrypt
  private let limits: @Sendable (Role) -> Session.Limits
  /// The key of the forms of people whom a proxy has signed in.
  private let proxyKey: [UInt8]
  private let worker: PasscodeWorker
  private let decoy: PasscodeHash
  private var deriving = 0

  private(set) var state: State
  private var claimCode: ClaimCode?
  private var hasClaimCodeEnded = false
  private var isUnsaved = false
  private var lastSave: TimeInterval?
  /// Why the file could not be written at the last attempt; `nil` if it could.
  package private(set) var writeFailure: AccessFileError?

  /// Reads the file; without one, there are no accounts.
  ///
  /// - Parameters:
  ///   - path: The file; its directory has to exist and belong to the service.
  ///   - now: Both clocks.
  ///   - random: As many bytes of a cryptographic random source.
  ///   - scrypt: The parameters of new passcodes; an older passcode takes them at the next sign-in.
  ///   - limits: How long sessions last.
  /// - Throws: ``AccessFileError``. A damaged file is refused: read as empty, it would let the next
  ///   person claim the box.
  package init(
    path: String, now: @escaping @Sendable () -> Moment,
    random: @escaping @Sendable (_ count: Int) -> [UInt8], scrypt: Scrypt = .standard,
    limits: @escaping @Sendable (Role) -> Session.Limits = { .standard(for: $0) }
  ) throws(AccessFileError) {
    try self.init(
      file: PrivateFile(path: path), now: now, random: random, scrypt: scrypt, limits: limits)
  }

  init(
    file: PrivateFile, now: @escaping @Sendable () -> Moment,
    random: @escaping @Sendable (_ count: Int) -> [UInt8], scrypt: Scrypt,
    limits: @escaping @Sendable (Role) -> Session.Limits = { .standard(for: $0) },
    worker: PasscodeWorker = PasscodeWorker()
  ) throws(AccessFileError) {
    self.now = now
    self.random = random
    self.file = file
    self.scrypt = scrypt
    self.limits = limits
    self.worker = worker
    proxyKey = random(32)
    decoy = PasscodeHash(
      decoySalt: random(PasscodeHash.saltLength), key: random(PasscodeHash.keyLength),
      scrypt: scrypt)
    let moment = now()
    let content: [UInt8]?
    do throws(PrivateFileError) {
      content = try file.read(limit: AccessRecords.maximumLength)
    } catch {
      throw .file(error)
    }
    if let bytes = content {
      do throws(AccessRecords.Damage) {
        state = try State(AccessRecords(bytes), uptime: moment.uptime)
      } catch {
        throw .damaged(path: file.path, error)
      }
    } else {
      state = State(
        throttle: Throttle(key: random(32)), ages: AgeCounter(latest: moment.time))
    }
    state.ages.advance(to: moment)
  }

  // MARK: - Requests

  /// Who sends a request with this cookie.
  ///
  /// - Parameters:
  ///   - cookie: The cookie's value.
  ///   - isUse: Whether a person did something: a page that an abandoned browser holds open asks
  ///     again and again, and must not prevent the end of the session.
  /// - Returns: `nil` for an unknown, ended or forged cookie.
  package func identity(cookie: String, isUse: Bool = true) -> Identity? {
    guard let secret = Secret(.session, text: cookie), let formToken = secret.formToken,
      var session = state.sessions[secret.digest], session.secret.matches(secret.digest),
      let account = state.accounts[session.account]
    else { return nil }
    state.ages.advance(to: now())
    let age = state.ages.seconds
    guard !session.isExpired(at: age, limits(account.role)) else {
      state.sessions[secret.digest] = nil
      isUnsaved = true
      return nil
    }
    if isUse {
      let isNewHour = (age / 3600).rounded(.down) > (session.lastUse / 3600).rounded(.down)
      session.lastUse = age
      state.sessions[secret.digest] = session
      if isNewHour { saveSoon() }
    }
    return Identity(
      subject: .account(account.id), name: account.name, grant: account.grant,
      formToken: formToken)
  }

  /// Who a person is that a trusted proxy has signed in; `nil` for an unknown account.
  ///
  /// Their forms carry a secret that lasts as long as the program.
  package func identity(behindProxy id: Account.ID) -> Identity? {
    guard let account = state.accounts[id],
      let token = HMACSHA256.code(of: Array(id.utf8), key: proxyKey)
    else { return nil }
    return Identity(
      subject: .account(account.id), name: account.name, grant: account.grant,
      formToken: Data(token).base64EncodedString())
  }

  /// Which program sends a request with this bearer token; `nil` for an unknown, expired, revoked
  /// or forged one.
  package func identity(bearer: String) -> Identity? {
    guard let secret = Secret(.token, text: bearer), let token = state.tokens[secret.digest],
      token.secret.matches(secret.digest)
    else { return nil }
    let moment = now()
    state.ages.advance(to: moment)
    if let deadline = token.deadline, state.ages.seconds >= deadline { return nil }
    var grant = token.grant
    if let creator = token.creator {
      guard let account = state.accounts[creator] else { return nil }
      grant = grant.intersection(account.grant)
    }
    let hour = Date(
      timeIntervalSince1970: (moment.time.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
    if token.lastUsed != hour {
      state.tokens[secret.digest]?.lastUsed = hour
      saveSoon()
    }
    return Identity(subject: .token(token.id), name: token.name, grant: grant, formToken: nil)
  }

  // MARK: - Signing in and out

  /// Signs a person in.
  ///
  /// An unknown account and a wrong passcode take the same work and get the same answer.
  ///
  /// - Parameters:
  ///   - typed: The account's id as typed.
  ///   - passcode: The passcode as typed.
  ///   - client: The client's address.
  ///   - previous: The cookie that the browser sent; its session ends.
  /// - Returns: The new session.
  /// - Throws: `wrong`, `wait`, `busy`, `unavailable`. If the file cannot be written, the session
  ///   lasts until the program ends; ``writeFailure`` has the reason.
  package func signIn(
    account typed: String, passcode: String, client: String, replacing previous: String? = nil
  ) async throws(AccessError) -> SignedIn {
    let account = try await verified(Account.id(typed: typed), passcode, client: client)
    if let secret = previous.flatMap({ Secret(.session, text: $0) }) {
      state.sessions[secret.digest] = nil
    }
    let signedIn = try beginSession(of: account, client: client)
    save()
    return signedIn
  }

  /// Ends the session of a cookie, if there is one.
  ///
  /// - Throws: `file`; the session has ended, but returns if the program restarts.
  package func signOut(cookie: String) throws(AccessError) {
    guard let digest = Secret(.session, text: cookie)?.digest, state.sessions[digest] != nil else {
      return
    }
    try revoke { $0.sessions[digest] = nil }
  }

  /// The account with this passcode.
  func verified(
    _ id: Account.ID, _ passcode: String, client: String
  ) async throws(AccessError) -> Account {
    guard Passcode.isPossible(passcode), id.utf8.count <= 256 else { throw .wrong }
    let attempt = try beginAttempt(at: id, client: client)
    let hash = state.accounts[id]?.passcode ?? decoy
    let bytes = Passcode.bytes(of: passcode)
    let isRight: Bool
    do {
      isRight = try await derive { await $0.isRight(bytes, for: hash) }
    } catch {
      state.throttle.cancel(attempt)
      throw error
    }
    // The account may have changed while the passcode was checked.
    guard isRight, let account = state.accounts[id], account.passcode == hash else {
      saveSoon()
      throw .wrong
    }
    state.throttle.succeed(attempt, account: id, client: client)
    guard hash.scrypt != scrypt, let newer = try? await self.hash(passcode) else { return account }
    // A passcode that was changed meanwhile remains.
    guard state.accounts[id]?.passcode == hash else { throw .wrong }
    state.accounts[id]?.passcode = newer
    isUnsaved = true
    return state.accounts[id] ?? account
  }

  func beginAttempt(
    at id: Account.ID?, client: String
  ) throws(AccessError) -> Throttle.Attempt {
    guard deriving < PasscodeWorker.maximumWaiting else { throw .busy }
    let isAccount = id.map { state.accounts[$0] != nil } ?? false
    let attempt = state.throttle.begin(
      name: id, isAccount: isAccount, client: client, uptime: now().uptime)
    switch attempt {
    case .success(let attempt): return attempt
    case .failure(let wait): throw .wait(seconds: Int(wait.seconds))
    }
  }

  func beginSession(of account: Account, client: String) throws(AccessError) -> SignedIn {
    let moment = now()
    state.ages.advance(to: moment)
    let age = state.ages.seconds
    guard let secret = Secret(.session, bytes: random(32)), let formToken = secret.formToken else {
      throw .unavailable
    }
    let limits = self.limits(account.role)
    state.sessions = state.sessions.filter { [accounts = state.accounts] entry in
      guard let role = accounts[entry.value.account]?.role else { return false }
      return !entry.value.isExpired(at: age, self.limits(role))
    }
    let own = state.sessions.values.filter { $0.account == account.id }
      .sorted { $0.lastUse < $1.lastUse }
    for session in own.dropLast(Session.maximumPerAccount - 1) {
      state.sessions[session.secret] = nil
    }
    state.sessions[secret.digest] = Session(
      id: Base64URL.text(of: random(9)), account: account.id,
      created: Self.wholeSeconds(moment.time),
      client: String(decoding: client.utf8.prefix(45), as: UTF8.self), start: age, lastUse: age,
      secret: secret.digest)
    let identity = Identity(
      subject: .account(account.id), name: account.name, grant: account.grant,
      formToken: formToken)
    return SignedIn(identity: identity, cookie: secret, lifetime: limits.absolute)
  }

  // MARK: - The first account

  /// Whether there is an account: if not, only a claim makes one.
  package var isClaimed: Bool { !state.accounts.isEmpty }

  /// Makes the code that the program prints; the one before ends.
  ///
  /// - Returns: `nil` if there is an account, or the random source fails.
  package func renewClaimCode() -> ClaimCode? {
    guard !isClaimed else { return nil }
    let moment = now()
    state.ages.advance(to: moment)
    claimCode = ClaimCode(at: moment, age: state.ages.seconds, random: random)
    return claimCode
  }

  /// Whether the code ended unused, by time or by wrong codes; said once, for the log.
  package func takeEndOfClaimCode() -> Bool {
    defer { hasClaimCodeEnded = false }
    return hasClaimCodeEnded
  }

  /// Makes the first administrator, and signs them in; the code ends.
  ///
  /// - Throws: `wrong`, `wait`, `busy`, `claimClosed`; with the right code also `account`,
  ///   `passcode` and `file`, after which the code is still valid.
  package func claim(
    code: String, id: String, name: String, passcode: String, client: String
  ) async throws(AccessError) -> SignedIn {
    state.ages.advance(to: now())
    if claimCode?.isOver(at: state.ages.seconds) == true {
      claimCode = nil
      hasClaimCodeEnded = true
    }
    guard !isClaimed, claimCode != nil else { throw .claimClosed }
    let attempt = try beginAttempt(at: nil, client: client)
    guard claimCode?.accepts(code, at: state.ages.seconds) == true else { throw .wrong }
    state.throttle.cancel(attempt)
    let draft = Account.Draft(id: id, name: name, role: .administrator, patients: .all)
    let account = try await self.account(draft, passcode)
    // Another person may have claimed it meanwhile.
    guard !isClaimed else { throw .claimClosed }
    try change { $0.accounts[account.id] = account }
    claimCode = nil
    let signedIn = try beginSession(of: account, client: client)
    save()
    return signedIn
  }

  /// An account that is not stored yet.
  func account(
    _ draft: Account.Draft, _ passcode: String
  ) async throws(AccessError) -> Account {
    do { try draft.check() } catch { throw .account(error) }
    do { try Passcode.check(passcode, for: draft.id) } catch { throw .passcode(error) }
    let hash = try await self.hash(passcode)
    return Account(draft, created: Self.wholeSeconds(now().time), passcode: hash)
  }

  func hash(_ passcode: String) async throws(AccessError) -> PasscodeHash {
    let bytes = Passcode.bytes(of: passcode)
    let salt = randomBytes(PasscodeHash.saltLength)
    guard salt.count == PasscodeHash.saltLength else { throw .unavailable }
    return try await derive { [scrypt] in await $0.hash(bytes, salt: salt, scrypt: scrypt) }
  }

  private func derive<Value: Sendable>(
    _ work: (PasscodeWorker) async -> Result<Value, Scrypt.Failure>
  ) async throws(AccessError) -> Value {
    guard deriving < PasscodeWorker.maximumWaiting else { throw .busy }
    deriving += 1
    let result = await work(worker)
    deriving -= 1
    switch result {
    case .success(let value): return value
    case .failure: throw .unavailable
    }
  }

  // MARK: - Saving

  /// Writes what has changed by use: last uses, waits, ages.
  ///
  /// The program calls it hourly and at its end.
  package func flush() {
    let moment = now()
    state.ages.advance(to: moment)
    save()
  }

  /// Makes a change that holds only if it is on the disk.
  func change<Value>(_ body: (inout State) -> Value) throws(AccessError) -> Value {
    let previous = state
    let value = body(&state)
    guard let failure = save() else { return value }
    // The new file has its name: what is in memory has to agree with it.
    if case .file(let error) = failure, case .notDurable = error.cause { throw .file(failure) }
    state = previous
    throw .file(failure)
  }

  /// Makes a change that takes a right away, and holds even if it cannot be written.
  func revoke(_ body: (inout State) -> Void) throws(AccessError) {
    body(&state)
    if let failure = save() { throw .file(failure) }
  }

  /// Writes the file, but not more often than once in 5 s: wrong attempts must not wear out a card.
  ///
  /// It does not depend on the account, so that its time reveals nothing.
  private func saveSoon() {
    isUnsaved = true
    let uptime = now().uptime
    if let lastSave, uptime - lastSave < 5 { return }
    save()
  }

  /// Writes the file; returns why it could not be written.
  @discardableResult private func save() -> AccessFileError? {
    lastSave = now().uptime
    do throws(AccessFileError) {
      let text: [UInt8]
      do {
        text = try state.records.text()
        // Do not write records that the next start would refuse.
        _ = try AccessControl.State(AccessRecords(text), uptime: 0)
      } catch {
        throw .damaged(path: file.path, error)
      }
      do throws(PrivateFileError) { try file.replace(with: text) } catch { throw .file(error) }
      isUnsaved = false
      writeFailure = nil
    } catch {
      isUnsaved = true
      writeFailure = error
    }
    return writeFailure
  }

  /// The age now, by which deadlines are set.
  func countedAge() -> TimeInterval {
    state.ages.advance(to: now())
    return state.ages.seconds
  }

  func randomBytes(_ count: Int) -> [UInt8] { random(count) }

  /// A time as the file has it.
  static func wholeSeconds(_ time: Date) -> Date {
    Date(timeIntervalSince1970: time.timeIntervalSince1970.rounded(.down))
  }
}
