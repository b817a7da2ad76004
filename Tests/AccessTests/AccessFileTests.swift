import Digests
import Foundation
import PrivateFiles
import Synchronization
import TestSupport
import Testing

@testable import Access

struct AccessFileTests {
  let box: TestBox

  init() throws { box = try TestBox() }

  func failure(_ cause: PrivateFileError.Cause) -> AccessFileError {
    .file(PrivateFileError(path: box.path, cause: cause))
  }

  func damaged(_ damage: AccessRecords.Damage) -> AccessFileError {
    .damaged(path: box.path, damage)
  }

  /// A file with two accounts, a token, two sessions and a wait.
  func fill() async throws -> String {
    let access = try box.open()
    try await access.addPeople()
    _ = try await access.signIn("mary")
    _ = try await access.signIn("john")
    _ = try await access.makeToken(
      Token.Draft(
        name: "Ward 7", scopes: [.read, .answer], patients: .only(["john", "eve"]),
        expires: box.now.addingTimeInterval(3600)), by: local)
    _ = try await access.makeToken(
      Token.Draft(name: "All", scopes: [.read], patients: .all), by: local)
    _ = await access.refusal("john", "wrong passcode")
    await access.flush()
    return try box.text()
  }

  @Test
  func `everything survives a restart`() async throws {
    let text = try await fill()
    let access = try box.open()
    #expect(await access.accounts.map(\.id) == ["john", "mary"])
    #expect(await access.accounts.map(\.grant.patients) == [.only(["john"]), .all])
    #expect(await access.tokens.map(\.name).sorted() == ["All", "Ward 7"])
    #expect(await access.state.sessions.count == 2)
    #expect(await access.state.throttle.records.map(\.failures) == [1])
    await access.flush()
    #expect(try box.text() == text)
  }

  @Test
  func `the file is readable by its owner only and contains no secret`() async throws {
    let access = try box.open()
    try await access.addPeople()
    let signedIn = try await access.signIn("mary")
    let token = try await access.makeToken(
      Token.Draft(name: "All", scopes: [.read], patients: .all), by: local)
    #expect(try box.mode() == 0o600)
    #expect(try box.names == ["access.json"])
    let text = try box.text()
    for secret in [passcode, signedIn.cookie.text, token.secret.text] {
      #expect(!text.contains(secret))
      #expect(!text.contains(secret.dropFirst(3)))
    }
    #expect(!text.contains(try #require(signedIn.identity.formToken)))
  }

  @Test(
    arguments: [0o640, 0o604, 0o620, 0o602, 0o777]
  )
  func `a file that others may read or write is refused`(mode: Int) async throws {
    try box.put(try await fill(), mode: mode)
    #expect(throws: failure(.openToOthers(mode: UInt32(mode)))) { _ = try box.open() }
  }

  @Test
  func `a symbolic link is not followed, and replaced by the next write`() async throws {
    let text = try await fill()
    let running = try box.open()
    let target = box.directory + "/target"
    try FileManager.default.moveItem(atPath: box.path, toPath: target)
    try FileManager.default.createSymbolicLink(atPath: box.path, withDestinationPath: target)
    #expect(throws: failure(.unreadable(code: ELOOP))) { _ = try box.open() }
    await running.flush()
    #expect(await running.writeFailure == nil)
    #expect(try String(contentsOfFile: target, encoding: .utf8) == text)
    _ = try box.open()
  }

  @Test
  func `a directory and a pipe are refused without waiting`() throws {
    try FileManager.default.createDirectory(
      atPath: box.path, withIntermediateDirectories: false)
    #expect(throws: failure(.notAFile)) { _ = try box.open() }
    try FileManager.default.removeItem(atPath: box.path)
    #expect(unsafe mkfifo(box.path, 0o600) == 0)
    #expect(throws: failure(.notAFile)) { _ = try box.open() }
  }

  @Test
  func `a file cut short is refused at every length, and opens no claim`() async throws {
    let text = try await fill()
    // The last bytes are the closing brace and the line's end.
    for count in stride(from: 0, through: text.utf8.count - 2, by: 17) {
      try box.put(String(text.prefix(count)))
      #expect(throws: damaged(.notJSON)) { _ = try box.open() }
    }
  }

  @Test
  func `changed bytes are refused or harmless, and never a trap`() async throws {
    let original = Array(try await fill().utf8)
    var refused = 0
    for index in stride(from: 0, to: original.count, by: 3) {
      var bytes = original
      bytes[index] ^= UInt8(1 << (index % 7))
      do {
        _ = try AccessControl.State(AccessRecords(bytes), uptime: 0)
      } catch {
        refused += 1
      }
    }
    #expect(refused > original.count / 6)
  }

  @Test
  func `a file that is too long is refused`() throws {
    try box.put(String(repeating: " ", count: AccessRecords.maximumLength + 1))
    #expect(throws: failure(.tooLong(limit: AccessRecords.maximumLength))) { _ = try box.open() }
  }

  /// Replacements in the file, and the damage that they are.
  static let damages: [(old: String, new: String, damage: AccessRecords.Damage)] = [
    (#""measured-access" : 1"#, #""measured-access" : 2"#, .version(2)),
    (#""measured-access" : 1"#, #""measured-access" : "1""#, .value("measured-access")),
    (#""age" : "#, #""old" : 1, "age" : "#, .unknownKey("old")),
    (
      #""role" : "patient""#, #""role" : "patient", "admin" : true"#,
      .unknownKey("accounts.0.admin")
    ),
    (#""n" : 4"#, #""n" : 4, "x" : 4"#, .unknownKey("accounts.0.passcode.x")),
    (#""role" : "patient""#, #""role" : "doctor""#, .value("accounts.0.role")),
    (#""role" : "patient""#, #""role" : "administrator""#, .value("accounts.0")),
    (#""role" : "administrator""#, #""role" : "carer""#, .value("accounts")),
    (#""id" : "john""#, #""id" : "mary""#, .value("accounts")),
    (#""id" : "john""#, #""id" : "John""#, .value("accounts.0")),
    (#""n" : 4"#, #""n" : 30"#, .value("accounts.0.passcode.n")),
    (#""n" : 4"#, #""n" : 20"#, .value("accounts.0.passcode.n")),
    (#""account" : "mary""#, #""account" : "eve""#, .value("familiar")),
    (
      "\"account\" : \"mary\",\n      \"client\"", "\"account\" : \"eve\",\n      \"client\"",
      .value("sessions.1")
    ),
    (#""failures" : 1"#, #""failures" : 0"#, .value("lanes")),
    (#""patients" : "all""#, #""patients" : "none""#, .value("accounts.1.patients")),
    (#""name" : "Ward 7""#, #""name" : """#, .value("tokens.0")),
  ]

  @Test(arguments: damages.indices)
  func `damaged values are refused with their place`(index: Int) async throws {
    let example = Self.damages[index]
    let text = try await fill()
    let range = try #require(text.range(of: example.old))
    let records = try box.file.read(limit: 1 << 20).map { try AccessRecords($0) }
    var damage = example.damage
    // Sessions and tokens are sorted by random ids.
    if example.old.contains("mary\"") && damage == .value("sessions.1") {
      let position = records?.sessions.firstIndex { $0.account == "mary" }
      damage = .value("sessions.\(try #require(position))")
    }
    if damage == .value("tokens.0") {
      let position = records?.tokens.firstIndex { $0.name == "Ward 7" }
      damage = .value("tokens.\(try #require(position))")
    }
    try box.put(text.replacingCharacters(in: range, with: example.new))
    #expect(throws: damaged(damage)) { _ = try box.open() }
  }

  @Test
  func `on a full disk the old file stays, and no change holds`() async throws {
    let access = try box.open()
    try await access.addPeople()
    let text = try box.text()
    box.failWriting(ENOSPC)
    let full = failure(.unwritable(code: ENOSPC))
    await #expect(throws: AccessError.file(full)) {
      try await access.add(
        Account.Draft(id: "eve", name: "Eve", role: .provider, patients: .all),
        passcode: passcode, by: local)
    }
    #expect(await access.accounts.map(\.id) == ["john", "mary"])
    await #expect(throws: AccessError.file(full)) {
      try await access.setPasscode(
        of: "john", to: "another long one", client: "", by: local)
    }
    await #expect(throws: AccessError.file(full)) {
      try await access.makeToken(
        Token.Draft(name: "All", scopes: [.read], patients: .all), by: local)
    }
    #expect(await access.tokens.isEmpty)
    #expect(try box.text() == text)
    #expect(try box.names == ["access.json"])
    // People can still sign in, and see why.
    let signedIn = try await access.signIn("john")
    #expect(await access.identity(cookie: signedIn.cookie.text) != nil)
    #expect(await access.writeFailure == full)
    #expect(try box.text() == text)
    box.failWriting(0)
    await access.flush()
    #expect(await access.writeFailure == nil)
    #expect(await (try box.open()).identity(cookie: signedIn.cookie.text) != nil)
  }

  @Test
  func `a removal holds even if it cannot be written`() async throws {
    let access = try box.open()
    try await access.addPeople()
    let signedIn = try await access.signIn("john")
    box.failSynchronizing(EIO)
    await #expect(throws: AccessError.file(failure(.unwritable(code: EIO)))) {
      try await access.remove(account: "john", by: local)
    }
    #expect(await access.identity(cookie: signedIn.cookie.text) == nil)
    #expect(await access.refusal("john", passcode) == .wrong)
  }

  @Test
  func `the new content is on the disk before it takes the name`() throws {
    let steps = Mutex<[String]>([])
    var file = box.file
    try file.replace(with: Array("old".utf8))
    file.calls.synchronize = { [directory = box.directory, path = box.path] number in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(number)")
      let content = try? String(contentsOfFile: path, encoding: .utf8)
      let draft = try? String(contentsOfFile: path + ".new", encoding: .utf8)
      let name = target == directory ? "directory" : target == path + ".new" ? "draft" : "other"
      steps.withLock { $0.append("\(name): \(content ?? "-"), \(draft ?? "-")") }
      return 0
    }
    try file.replace(with: Array("new".utf8))
    #expect(steps.withLock(\.self) == ["draft: old, new", "directory: new, -"])
  }

  @Test
  func `a change whose name may not survive a power failure holds, and is reported`() async throws {
    var file = box.file
    file.calls.synchronize = { [directory = box.directory] number in
      let target = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/fd/\(number)")
      guard target == directory else { return 0 }
      errno = EIO
      return -1
    }
    let access = try AccessControl(
      file: file, now: { [box] in box.clock.withLock(\.self) },
      random: { [box] count in box.random.withLock { $0.bytes(count) } }, scrypt: TestBox.scrypt)
    await #expect(throws: AccessError.file(failure(.notDurable(code: EIO)))) {
      try await access.add(mary, passcode: passcode, by: local)
    }
    #expect(await access.accounts.map(\.id) == ["mary"])
    #expect(await (try box.open()).accounts.map(\.id) == ["mary"])
  }

  @Test
  func `a draft that a killed program left is replaced`() async throws {
    try box.put("{", name: "access.json.new")
    try await box.open().addPeople()
    #expect(try box.names == ["access.json"])
  }

  @Test
  func `a full file is read again`() throws {
    let hash = try PasscodeHash([1], salt: [UInt8](repeating: 1, count: 16), scrypt: .standard)
    var random = SeededGenerator(seed: 5)
    var records = AccessRecords(
      laneKey: random.bytes(32), ages: AgeCounter(seconds: 1e9 + 0.1, latest: box.now))
    let patients = PatientScope.only(Set((0..<20).map { "patient-\($0)" }))
    for index in 0..<100 {
      let draft = Account.Draft(
        id: String(repeating: "a", count: 29) + "\(100 + index)",
        name: String(repeating: "名", count: 80), role: index == 0 ? .administrator : .carer,
        patients: patients)
      let account = Account(draft, created: box.now, passcode: hash)
      records.accounts.append(account)
      for _ in 0..<16 {
        records.sessions.append(
          Session(
            id: Base64URL.text(of: random.bytes(9)), account: account.id, created: box.now,
            client: String(repeating: "f", count: 45), start: 1e8 + 0.3, lastUse: 1e9 + 0.1,
            secret: SecretDigest(of: random.bytes(32))))
      }
      records.tokens.append(
        Token(
          id: Base64URL.text(of: random.bytes(9)), name: draft.name,
          scopes: Set(Permission.allCases), patients: patients, creator: account.id,
          created: box.now, expires: box.now, lastUsed: box.now, deadline: 1e9,
          secret: SecretDigest(of: random.bytes(32))))
      for _ in 0..<12 {
        records.lanes.append(
          Throttle.Record(
            lane: Base64URL.text(of: random.bytes(16)), failures: 1000, isAccount: true))
      }
    }
    let text = try records.text()
    #expect(text.count < AccessRecords.maximumLength)
    #expect(try AccessRecords(text) == records)
  }

  @Test
  func `what the next start would refuse is not written`() async throws {
    let access = try AccessControl(
      file: box.file, now: { [box] in box.clock.withLock(\.self) }, random: { _ in [1] },
      scrypt: TestBox.scrypt)
    await access.flush()
    #expect(await access.writeFailure == damaged(.value("laneKey")))
    #expect(try box.names.isEmpty)
  }

  @Test
  func `a client's address of any length and content does no harm`() async throws {
    let access = try box.open()
    try await access.addPeople()
    let client = String(repeating: "👩‍👩‍👧‍👦\u{0}\"", count: 1000)
    _ = try await access.signIn("john", from: client)
    #expect(await access.writeFailure == nil)
    #expect(await (try box.open()).state.sessions.count == 1)
  }

  @Test
  func `a missing directory is an error of writing`() throws {
    let file = PrivateFile(path: box.directory + "/missing/access.json")
    #expect(try file.read(limit: 10) == nil)
    #expect(
      throws: PrivateFileError(path: file.path, cause: .unwritable(code: ENOENT))
    ) { try file.replace(with: [1]) }
  }
}
