import Foundation
import Testing

@testable import Access

struct ManagementTests {
  let box: TestBox
  let access: AccessControl

  init() async throws {
    box = try TestBox()
    access = try box.open()
    try await access.addPeople()
  }

  static let flaws: [(draft: Account.Draft, flaw: Account.Draft.Flaw)] = [
    (Account.Draft(id: "", name: "Eve", role: .carer, patients: .all), .id),
    (Account.Draft(id: "a/b", name: "Eve", role: .carer, patients: .all), .id),
    (Account.Draft(id: "-a", name: "Eve", role: .carer, patients: .all), .id),
    (Account.Draft(id: "é", name: "Eve", role: .carer, patients: .all), .id),
    (
      Account.Draft(
        id: String(repeating: "a", count: 33), name: "Eve", role: .carer, patients: .all), .id
    ),
    (Account.Draft(id: "eve", name: "  ", role: .carer, patients: .all), .name),
    (Account.Draft(id: "eve", name: "E\u{7}e", role: .carer, patients: .all), .name),
    (
      Account.Draft(
        id: "eve", name: String(repeating: "e", count: 81), role: .carer, patients: .all), .name
    ),
    (Account.Draft(id: "eve", name: "Eve", role: .carer, patients: .only([])), .patients),
    (Account.Draft(id: "eve", name: "Eve", role: .patient, patients: .all), .patients),
    (
      Account.Draft(id: "eve", name: "Eve", role: .patient, patients: .only(["a", "b"])), .patients
    ),
  ]

  @Test(arguments: flaws.indices)
  func `accounts out of range are refused`(index: Int) async {
    let example = Self.flaws[index]
    await #expect(throws: AccessError.account(example.flaw)) {
      try await access.add(example.draft, passcode: passcode, by: local)
    }
  }

  @Test
  func `only administrators and the socket manage accounts and tokens`() async throws {
    let maryIdentity = try await access.signIn("mary").identity
    let johnIdentity = try await access.signIn("john").identity
    let made = try await access.makeToken(
      Token.Draft(name: "All", scopes: Set(Permission.allCases), patients: .all),
      by: maryIdentity)
    let token = try #require(await access.identity(bearer: made.secret.text))
    #expect(token.grant == .everything)
    let eve = Account.Draft(id: "eve", name: "Eve", role: .carer, patients: .only(["john"]))
    for identity in [johnIdentity, token] {
      await #expect(throws: AccessError.notPermitted) {
        try await access.add(eve, passcode: passcode, by: identity)
      }
      await #expect(throws: AccessError.notPermitted) {
        try await access.change(to: john, by: identity)
      }
      await #expect(throws: AccessError.notPermitted) {
        try await access.remove(account: "john", by: identity)
      }
      await #expect(throws: AccessError.notPermitted) {
        try await access.makeToken(
          Token.Draft(name: "All", scopes: [.read], patients: .all), by: identity)
      }
      await #expect(throws: AccessError.notPermitted) {
        try await access.revoke(token: made.token.id, by: identity)
      }
      await #expect(throws: AccessError.notPermitted) {
        try await access.setPasscode(of: "mary", to: "something else", client: "", by: identity)
      }
    }
    try await access.add(eve, passcode: passcode, by: maryIdentity)
    await #expect(throws: AccessError.accountExists("eve")) {
      try await access.add(eve, passcode: passcode, by: local)
    }
  }

  @Test
  func `a changed role applies to an open session at once`() async throws {
    let signedIn = try await access.signIn("john")
    var draft = john
    draft.role = .provider
    draft.patients = .only(["eve"])
    try await access.change(to: draft, by: local)
    #expect(
      await access.identity(cookie: signedIn.cookie.text)?.grant == Grant([.read], .only(["eve"])))
    await #expect(throws: AccessError.unknownAccount("zoe")) {
      try await access.change(
        to: Account.Draft(id: "zoe", name: "Zoe", role: .carer, patients: .all), by: local)
    }
  }

  @Test
  func `there is always an administrator`() async throws {
    var carer = mary
    carer.role = .carer
    await #expect(throws: AccessError.lastAdministrator) {
      try await access.change(to: carer, by: local)
    }
    await #expect(throws: AccessError.lastAdministrator) {
      try await access.remove(account: "mary", by: local)
    }
    let empty = try TestBox().open()
    await #expect(throws: AccessError.lastAdministrator) {
      try await empty.add(john, passcode: passcode, by: local)
    }
  }

  @Test
  func `a demoted administrator changes nothing more with an older identity`() async throws {
    var eve = Account.Draft(id: "eve", name: "Eve", role: .administrator, patients: .all)
    try await access.add(eve, passcode: passcode, by: local)
    let identity = try await access.signIn("eve").identity
    eve.role = .carer
    try await access.change(to: eve, by: local)
    await #expect(throws: AccessError.notPermitted) {
      try await access.remove(account: "john", by: identity)
    }
  }

  @Test
  func `there are at most 100 accounts`() async throws {
    for index in 2..<100 {
      try await access.add(
        Account.Draft(id: "p\(index)", name: "P", role: .carer, patients: .all),
        passcode: passcode, by: local)
    }
    await #expect(throws: AccessError.tooMany(limit: 100)) {
      try await access.add(
        Account.Draft(id: "more", name: "P", role: .carer, patients: .all),
        passcode: passcode, by: local)
    }
  }

  // MARK: - Tokens

  @Test
  func `a token permits its scopes for its patients, and is revoked`() async throws {
    let made = try await access.makeToken(
      Token.Draft(name: " Export ", scopes: [.read], patients: .only(["john"])), by: local)
    #expect(made.secret.text.hasPrefix("mt_"))
    #expect(made.token.name == "Export")
    let identity = try #require(await access.identity(bearer: made.secret.text))
    #expect(identity.subject == .token(made.token.id))
    #expect(identity.grant == Grant([.read], .only(["john"])))
    #expect(identity.acceptsForm(nil))
    #expect(await access.tokens.map(\.lastUsed) == [Date(timeIntervalSince1970: 1_800_000_000)])
    #expect(await (try box.open()).identity(bearer: made.secret.text)?.grant == identity.grant)
    #expect(await access.identity(bearer: made.secret.text.replacing("mt_", with: "ms_")) == nil)
    #expect(await access.identity(cookie: made.secret.text) == nil)
    try await access.revoke(token: made.token.id, by: local)
    #expect(await access.identity(bearer: made.secret.text) == nil)
    #expect(await (try box.open()).identity(bearer: made.secret.text) == nil)
    await #expect(throws: AccessError.unknownToken(made.token.id)) {
      try await access.revoke(token: made.token.id, by: local)
    }
  }

  @Test
  func `changes at once are all in the file`() async throws {
    let secrets = try await withThrowingTaskGroup(of: String.self) { group in
      for index in 0..<40 {
        group.addTask { [access] in
          let draft = Token.Draft(name: "Token \(index)", scopes: [.read], patients: .all)
          return try await access.makeToken(draft, by: local).secret.text
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let again = try box.open()
    for secret in secrets { #expect(await again.identity(bearer: secret) != nil) }
    #expect(await again.tokens.count == 40)
    #expect(try box.names == ["access.json"])
  }

  @Test
  func `forged tokens are refused`() async throws {
    let token = try await access.makeToken(
      Token.Draft(name: "All", scopes: [.read], patients: .all), by: local
    ).secret.text
    for index in token.indices {
      var forged = token
      forged.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
      #expect(await access.identity(bearer: forged) == nil)
    }
    for forged in ["", "mt_", token + "A", String(repeating: "mt_", count: 100_000)] {
      #expect(await access.identity(bearer: forged) == nil)
    }
  }

  @Test
  func `a token ends in time, also when the clock is set back`() async throws {
    let now = box.now
    let made = try await access.makeToken(
      Token.Draft(
        name: "Hour", scopes: [.read], patients: .all, expires: now.addingTimeInterval(3600)),
      by: local)
    box.pass(1800)
    box.setClock(by: -1e6)
    box.pass(1799)
    #expect(await access.identity(bearer: made.secret.text) != nil)
    box.pass(1)
    #expect(await access.identity(bearer: made.secret.text) == nil)
    await #expect(throws: AccessError.token(.expires)) {
      try await access.makeToken(
        Token.Draft(
          name: "Past", scopes: [.read], patients: .all,
          expires: box.now), by: local)
    }
    await #expect(throws: AccessError.token(.scopes)) {
      try await access.makeToken(Token.Draft(name: "None", scopes: [], patients: .all), by: local)
    }
    await #expect(throws: AccessError.token(.patients)) {
      try await access.makeToken(
        Token.Draft(name: "None", scopes: [.read], patients: .only([])), by: local)
    }
    await #expect(throws: AccessError.token(.name)) {
      try await access.makeToken(Token.Draft(name: "", scopes: [.read], patients: .all), by: local)
    }
  }

  @Test
  func `a token permits no more than its account permits now, and ends with it`() async throws {
    var eve = Account.Draft(id: "eve", name: "Eve", role: .administrator, patients: .all)
    try await access.add(eve, passcode: passcode, by: local)
    let made = try await access.makeToken(
      Token.Draft(name: "All", scopes: [.read, .plan, .administer], patients: .all),
      by: try await access.signIn("eve").identity)
    eve = Account.Draft(id: "eve", name: "Eve", role: .provider, patients: .only(["john"]))
    try await access.change(to: eve, by: local)
    #expect(
      await access.identity(bearer: made.secret.text)?.grant == Grant([.read], .only(["john"])))
    try await access.remove(account: "eve", by: local)
    #expect(await access.identity(bearer: made.secret.text) == nil)
    #expect(await access.tokens.isEmpty)
  }

  @Test
  func `a removed account has no sessions, and its id none of its past`() async throws {
    let signedIn = try await access.signIn("john")
    try await access.remove(account: "john", by: local)
    #expect(await access.identity(cookie: signedIn.cookie.text) == nil)
    #expect(await access.refusal("john", passcode) == .wrong)
    try await access.add(john, passcode: "another long one", by: local)
    #expect(await access.identity(cookie: signedIn.cookie.text) == nil)
    await #expect(throws: AccessError.unknownAccount("zoe")) {
      try await access.remove(account: "zoe", by: local)
    }
  }
}
