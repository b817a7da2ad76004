import Digests
import Foundation
import Testing

@testable import Access

struct SessionTests {
  let box: TestBox
  let access: AccessControl
  static let day: TimeInterval = 86_400

  init() async throws {
    box = try TestBox()
    access = try box.open()
    try await access.addPeople()
  }

  func isOpen(_ signedIn: SignedIn, in access: AccessControl? = nil) async -> Bool {
    await (access ?? self.access).identity(cookie: signedIn.cookie.text) != nil
  }

  @Test
  func `a session ends after its idle time`() async throws {
    let signedIn = try await access.signIn("mary")
    box.pass(43_199)
    #expect(await isOpen(signedIn))
    box.pass(43_199)
    #expect(await isOpen(signedIn))
    box.pass(43_200)
    #expect(await !isOpen(signedIn))
    #expect(await access.state.sessions.isEmpty)
  }

  @Test
  func `a page that stays open does not prevent the end of its session`() async throws {
    let cookie = try await access.signIn("mary").cookie.text
    for _ in 0..<47 {
      box.pass(900)
      #expect(await access.identity(cookie: cookie, isUse: false) != nil)
    }
    box.pass(900)
    #expect(await access.identity(cookie: cookie, isUse: false) == nil)
  }

  @Test
  func `a session ends after its absolute time, however it is used`() async throws {
    let signedIn = try await access.signIn("mary")
    for _ in 0..<27 {
      box.pass(Self.day / 4)
      #expect(await isOpen(signedIn))
    }
    box.pass(Self.day / 4)
    #expect(await !isOpen(signedIn))
  }

  @Test
  func `a clock set back extends no session`() async throws {
    let used = try await access.signIn("mary")
    let idle = try await access.signIn("mary")
    for hour in 0..<(7 * 24) {
      #expect(await isOpen(used))
      if hour == 11 { #expect(await access.sessions(of: used.identity).count == 2) }
      box.pass(3600)
      box.setClock(by: -3600)
    }
    #expect(await !isOpen(idle))
    #expect(await !isOpen(used))
  }

  @Test
  func `a clock set forward ends sessions, and those after it last as long as ever`() async throws {
    let before = try await access.signIn("mary")
    box.setClock(by: 12 * 365 * Self.day)
    #expect(await !isOpen(before))
    box.setClock(by: -12 * 365 * Self.day)
    let after = try await access.signIn("mary")
    box.pass(43_199)
    #expect(await isOpen(after))
    box.pass(43_200)
    #expect(await !isOpen(after))
  }

  @Test
  func `a session survives a restart, and the time off counts`() async throws {
    let signedIn = try await access.signIn("mary")
    await access.flush()
    box.restart(off: 3600)
    #expect(await isOpen(signedIn, in: try box.open()))
    box.restart(off: Self.day)
    #expect(await !isOpen(signedIn, in: try box.open()))
  }

  @Test
  func `a clock set back while the machine is off adds no more than that time`() async throws {
    let signedIn = try await access.signIn("mary")
    box.pass(40_000)
    await access.flush()
    box.restart(off: -10 * Self.day)
    let again = try box.open()
    box.pass(3_199)
    #expect(await again.state.sessions.count == 1)
    box.pass(1)
    #expect(await !isOpen(signedIn, in: again))
  }

  @Test
  func `forged, replayed and foreign cookies are refused`() async throws {
    let signedIn = try await access.signIn("mary")
    let cookie = signedIn.cookie.text
    for index in cookie.indices {
      var forged = cookie
      forged.replaceSubrange(index...index, with: cookie[index] == "A" ? "B" : "A")
      #expect(await access.identity(cookie: forged) == nil)
    }
    let digest = Base64URL.text(of: try #require(await access.state.sessions.keys.first).bytes)
    #expect(await access.identity(cookie: "ms_" + digest) == nil)
    #expect(await access.identity(bearer: cookie) == nil)
    let other = try TestBox().open()
    #expect(await other.identity(cookie: cookie) == nil)
    try await access.signOut(cookie: cookie)
    #expect(await access.identity(cookie: cookie) == nil)
    #expect(await (try box.open()).identity(cookie: cookie) == nil)
    try await access.signOut(cookie: cookie)
    try await access.signOut(cookie: "nonsense")
  }

  @Test
  func `a form belongs to its session`() async throws {
    let mary = try await access.signIn("mary").identity
    let john = try await access.signIn("john").identity
    #expect(mary.acceptsForm(mary.formToken))
    #expect(!mary.acceptsForm(john.formToken))
    #expect(!mary.acceptsForm(nil))
    #expect(!mary.acceptsForm(""))
    #expect(local.acceptsForm(nil))
  }

  @Test
  func `a passcode that was made here is the same in any case and without hyphens`() {
    let made = Passcode.bytes(of: "FP99-6YAC-TCGA")
    for typed in ["fp99-6yac-tcga", "FP996YACTCGA", "fp99 6yac tcga"] {
      #expect(Passcode.bytes(of: typed) == made)
    }
    // Other passcodes keep their case.
    for (first, second) in [
      ("Horse-Battery", "horse-battery"), ("fp99-6yac-tcg0", "FP99-6YAC-TCG0"),
    ] {
      #expect(Passcode.bytes(of: first) != Passcode.bytes(of: second))
    }
  }

  @Test
  func `a changed passcode ends all sessions of the account`() async throws {
    let old = [try await access.signIn("john"), try await access.signIn("john")]
    let mary = try await access.signIn("mary")
    let new = "another long one"
    await #expect(throws: AccessError.wrong) {
      try await access.setPasscode(
        of: "john", to: new, current: "wrong passcode", client: "", by: old[0].identity)
    }
    await #expect(throws: AccessError.passcode(.tooShort)) {
      try await access.setPasscode(
        of: "john", to: "short", current: passcode, client: "", by: old[0].identity)
    }
    let fresh = try #require(
      try await access.setPasscode(
        of: "john", to: new, current: passcode, client: "", by: old[0].identity))
    for session in old { #expect(await !isOpen(session)) }
    #expect(await isOpen(fresh))
    #expect(await isOpen(mary))
    #expect(await access.refusal("john", passcode) == .wrong)
    let again = try await access.signIn("john", new)
    #expect(
      try await access.setPasscode(of: "john", to: passcode, client: "", by: mary.identity) == nil)
    #expect(await !isOpen(again))
    await #expect(throws: AccessError.notPermitted) {
      try await access.setPasscode(
        of: "mary", to: new, current: passcode, client: "", by: fresh.identity)
    }
  }

  @Test
  func `an account has at most 16 sessions; the one used least recently ends`() async throws {
    var all: [SignedIn] = []
    for _ in 0..<17 {
      all.append(try await access.signIn("john"))
      box.pass(1)
      #expect(await isOpen(all[0]))
      box.pass(1)
    }
    #expect(await access.sessions(of: all[0].identity).count == 16)
    #expect(await isOpen(all[0]))
    #expect(await !isOpen(all[1]))
  }

  @Test
  func `a person lists and ends their own sessions`() async throws {
    let first = try await access.signIn("john", from: "10.0.0.1")
    box.pass(1)
    let second = try await access.signIn("john", from: "10.0.0.2")
    let mary = try await access.signIn("mary")
    let sessions = await access.sessions(of: second.identity)
    #expect(sessions.map(\.client) == ["10.0.0.2", "10.0.0.1"])
    await #expect(throws: AccessError.unknownSession(sessions[1].id)) {
      try await access.end(session: sessions[1].id, by: mary.identity)
    }
    try await access.end(session: sessions[1].id, by: second.identity)
    #expect(await !isOpen(first))
    #expect(await isOpen(second))
  }
}
