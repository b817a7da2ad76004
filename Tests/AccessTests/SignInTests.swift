import Digests
import Foundation
import PrivateFiles
import Testing

@testable import Access

struct SignInTests {
  let box: TestBox
  let access: AccessControl

  init() async throws {
    box = try TestBox()
    access = try box.open()
    try await access.addPeople()
  }

  @Test
  func `a person signs in with id and passcode, in any case of the id`() async throws {
    for id in ["john", " John ", "JOHN"] {
      let signedIn = try await access.signIn(id)
      let identity = try #require(await access.identity(cookie: signedIn.cookie.text))
      #expect(identity == signedIn.identity)
      #expect(identity.subject == .account("john"))
      #expect(identity.name == "John")
      #expect(identity.grant == Grant([.read, .answer], .only(["john"])))
      #expect(signedIn.lifetime == 180 * 86_400)
    }
  }

  @Test
  func `an unknown account and a wrong passcode get the same answers after the same work`()
    async throws
  {
    box.forgetWork()
    var answers: [[AccessError?]] = [[], []]
    var work: [[Int]] = [[], []]
    for (index, id) in ["john", "eve"].enumerated() {
      for attempt in 0..<12 {
        let client = "10.\(index).0.\(attempt)"
        let before = box.work.count
        answers[index].append(await access.refusal(id, "wrong passcode", from: client))
        work[index].append(box.work.count - before)
        box.pass(attempt.isMultiple(of: 2) ? 0.5 : 2)
      }
    }
    #expect(answers[0] == answers[1])
    #expect(work[0] == work[1])
    #expect(answers[0].prefix(6) == [.wrong, .wrong, .wrong, .wrong, .wrong, .wait(seconds: 2)])
    #expect(work[0].prefix(6) == [1, 1, 1, 1, 1, 0])
    #expect(Set(box.work) == [TestBox.scrypt])
  }

  @Test
  func `an impossible passcode is wrong without work`() async {
    box.forgetWork()
    let long = String(repeating: "x", count: 100_000)
    #expect(await access.refusal("john", long) == .wrong)
    #expect(await access.refusal("eve", long) == .wrong)
    #expect(await access.refusal(long, passcode) == .wrong)
    #expect(box.work.isEmpty)
  }

  @Test
  func `a hundred attempts at once are a hundred attempts`() async {
    let answers = await withTaskGroup(of: AccessError?.self) { group in
      for index in 0..<100 {
        group.addTask { [access] in
          await access.refusal("john", "wrong \(index)", from: "10.0.1.\(index)")
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count(where: { $0 == .wrong }) == 4)
    #expect(answers.allSatisfy { [.wrong, .busy, .wait(seconds: 1)].contains($0) })
  }

  @Test
  func `10 000 guessing networks do not end an open session, nor keep out its person`() async throws
  {
    let signedIn = try await access.signIn("john", from: "10.0.0.1")
    for index in 0..<10_000 {
      let client = "172.16.\(index / 256).\(index % 256)"
      let answer = await access.refusal("john", "guess \(index)", from: client)
      #expect(answer == .wrong || answer == .wait(seconds: 1))
    }
    #expect(await access.identity(cookie: signedIn.cookie.text) != nil)
    _ = try await access.signIn("john", from: "10.0.0.1")
    #expect(await access.refusal("john", passcode, from: "10.0.0.9") == .wait(seconds: 1))
    #expect(try box.text().utf8.count < 50_000)
  }

  @Test
  func `the wait of an account survives a restart and a changed clock`() async throws {
    for index in 0..<10 {
      box.pass(1000)
      _ = await access.refusal("john", "wrong passcode", from: "10.0.1.\(index)")
    }
    box.restart(off: 86_400)
    let again = try box.open()
    #expect(await again.refusal("john", passcode) == .wait(seconds: 64))
    box.setClock(by: 1e6)
    #expect(await again.refusal("john", passcode) == .wait(seconds: 64))
    box.pass(64)
    #expect(await again.refusal("john", passcode) == nil)
  }

  @Test
  func `a passcode with older parameters is hashed again at the next sign-in`() async throws {
    let newer = try box.open(scrypt: TestBox.otherScrypt)
    _ = try await newer.signIn("john")
    #expect(await newer.accounts.map(\.passcode.scrypt) == [TestBox.otherScrypt, TestBox.scrypt])
    _ = try await box.open(scrypt: TestBox.otherScrypt).signIn("john")
  }

  @Test
  func `a sign-in ends the session that the browser had`() async throws {
    let first = try await access.signIn("john")
    let second = try await access.signIn(
      account: "john", passcode: passcode, client: "", replacing: first.cookie.text)
    #expect(await access.identity(cookie: first.cookie.text) == nil)
    #expect(await access.identity(cookie: second.cookie.text) != nil)
  }
}

struct ClaimTests {
  let box: TestBox
  let access: AccessControl

  init() throws {
    box = try TestBox()
    access = try box.open()
  }

  func claim(_ code: String, from client: String = "10.0.0.1") async throws(AccessError) -> SignedIn
  {
    try await access.claim(
      code: code, id: "Mary", name: "Mary", passcode: passcode, client: client)
  }

  @Test
  func `the code makes the first administrator, once`() async throws {
    #expect(await !access.isClaimed)
    let code = try #require(await access.renewClaimCode()).text
    let signedIn = try await claim(code)
    #expect(signedIn.identity.grant == .everything)
    #expect(await access.identity(cookie: signedIn.cookie.text) != nil)
    #expect(await access.isClaimed)
    await #expect(throws: AccessError.claimClosed) { try await claim(code) }
    #expect(await access.renewClaimCode() == nil)
    #expect(await (try box.open()).isClaimed)
  }

  @Test
  func `without a code there is no claim`() async {
    await #expect(throws: AccessError.claimClosed) { try await claim("") }
  }

  @Test
  func `a new code ends the one before, as a restart does`() async throws {
    let first = try #require(await access.renewClaimCode()).text
    let second = try #require(await access.renewClaimCode()).text
    await #expect(throws: AccessError.wrong) { try await claim(first) }
    _ = try await claim(second)
  }

  @Test
  func `a code ends after 30 minutes, also when the clock is set back`() async throws {
    let code = try #require(await access.renewClaimCode()).text
    box.pass(900)
    box.setClock(by: -86_400)
    box.pass(900)
    await #expect(throws: AccessError.claimClosed) { try await claim(code) }
    // The log has it once.
    #expect(await access.takeEndOfClaimCode())
    #expect(await !access.takeEndOfClaimCode())
  }

  @Test
  func `a code that many wrong ones have ended says so to the right one`() async throws {
    let code = try #require(await access.renewClaimCode()).text
    for number in 0..<ClaimCode.maximumFailures {
      let client = "10.0.\(number / 8 / 256).\(number / 8 % 256)"
      await #expect(throws: AccessError.wrong) { try await claim("AAAA-AAAA", from: client) }
      #expect(await !access.takeEndOfClaimCode())
    }
    await #expect(throws: AccessError.claimClosed) { try await claim(code, from: "10.1.0.1") }
    #expect(await access.takeEndOfClaimCode())
    let renewed = try #require(await access.renewClaimCode()).text
    _ = try await claim(renewed, from: "10.1.0.1")
  }

  @Test
  func `wrong codes wait; those of other networks do not keep out the owner`() async throws {
    let code = try #require(await access.renewClaimCode()).text
    for _ in 0..<11 {
      await #expect(throws: AccessError.wrong) { try await claim("AAAA-AAAA", from: "10.0.0.2") }
    }
    await #expect(throws: AccessError.wait(seconds: 1)) { try await claim(code, from: "10.0.0.2") }
    _ = try await claim(code, from: "10.0.0.1")
  }

  @Test
  func `the code is still valid after a weak passcode, a bad id and a full disk`() async throws {
    let code = try #require(await access.renewClaimCode()).text
    for _ in 0..<20 {
      await #expect(throws: AccessError.passcode(.tooShort)) {
        try await access.claim(code: code, id: "mary", name: "Mary", passcode: "1", client: "")
      }
    }
    await #expect(throws: AccessError.account(.id)) {
      try await access.claim(code: code, id: "m/y", name: "Mary", passcode: passcode, client: "")
    }
    box.failWriting(ENOSPC)
    await #expect(
      throws: AccessError.file(
        .file(PrivateFileError(path: box.path, cause: .unwritable(code: ENOSPC))))
    ) { try await claim(code) }
    #expect(await !access.isClaimed)
    box.failWriting(0)
    _ = try await claim(code)
  }

  @Test
  func `of two claims at once, one succeeds`() async throws {
    let code = try #require(await access.renewClaimCode()).text
    async let first = try? claim(code)
    async let second = try? claim(code)
    let results = await [first, second]
    #expect(results.count(where: { $0 != nil }) == 1)
    #expect(await access.accounts.count == 1)
  }
}
