import Digests
import Foundation
import PrivateFiles
import Synchronization
import TestSupport
import Testing

@testable import Access

/// A directory for one test, with clocks, a random source and calls of the system that can fail.
final class TestBox: Sendable {
  let directory: String
  let clock = Mutex(Moment(time: Date(timeIntervalSince1970: 1_800_000_000), uptime: 100))
  let random = Mutex(SeededGenerator(seed: 7))
  /// The error number that writing gives; 0 if it succeeds.
  let writeError = Mutex<Int32>(0)
  let synchronizeError = Mutex<Int32>(0)
  /// The parameters of the passcodes that were derived.
  let derived = Mutex<[Scrypt]>([])

  static let scrypt = Scrypt(logarithmOfCost: 4, blockSize: 1, passes: 1) ?? .standard
  static let otherScrypt = Scrypt(logarithmOfCost: 5, blockSize: 1, passes: 1) ?? .standard

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "access-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    directory = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var path: String { directory + "/access.json" }

  var file: PrivateFile { file("access.json") }

  func file(_ name: String) -> PrivateFile {
    var file = PrivateFile(path: directory + "/" + name)
    let plain = file.calls
    file.calls.write = { [self] number, bytes in
      let code = writeError.withLock(\.self)
      guard code != 0 else { return plain.write(number, bytes) }
      // A full disk takes the first bytes.
      if bytes.count > 10 { return plain.write(number, Array(bytes.prefix(10))) }
      errno = code
      return -1
    }
    // Nothing is waited for: no test takes the power away.
    file.calls.synchronize = { [self] _ in
      let code = synchronizeError.withLock(\.self)
      guard code != 0 else { return 0 }
      errno = code
      return -1
    }
    return file
  }

  /// Starts the program, also again.
  func open(scrypt: Scrypt = TestBox.scrypt) throws(AccessFileError) -> AccessControl {
    var worker = PasscodeWorker()
    worker.observe = { [self] scrypt in derived.withLock { $0.append(scrypt) } }
    return try AccessControl(
      file: file, now: { [self] in clock.withLock(\.self) },
      random: { [self] count in random.withLock { $0.bytes(count) } }, scrypt: scrypt,
      worker: worker)
  }

  /// Makes writing fail with an error number, or succeed with 0.
  func failWriting(_ code: Int32) { writeError.withLock { $0 = code } }

  /// Makes `fsync` fail with an error number, or succeed with 0.
  func failSynchronizing(_ code: Int32) { synchronizeError.withLock { $0 = code } }

  var now: Date { clock.withLock(\.time) }

  var work: [Scrypt] { derived.withLock(\.self) }

  func forgetWork() { derived.withLock { $0 = [] } }

  /// Lets time pass.
  func pass(_ seconds: TimeInterval) {
    clock.withLock {
      $0 = Moment(time: $0.time.addingTimeInterval(seconds), uptime: $0.uptime + seconds)
    }
  }

  /// Changes the time of day.
  func setClock(by seconds: TimeInterval) {
    clock.withLock {
      $0 = Moment(time: $0.time.addingTimeInterval(seconds), uptime: $0.uptime)
    }
  }

  /// Restarts the machine after a time off.
  func restart(off seconds: TimeInterval) {
    clock.withLock { $0 = Moment(time: $0.time.addingTimeInterval(seconds), uptime: 5) }
  }

  func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  func put(_ text: String, mode: Int = 0o600, name: String = "access.json") throws {
    let path = directory + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  func mode(_ name: String = "access.json") throws -> Int? {
    let path = directory + "/" + name
    return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }
  }
}

let passcode = "correct horse battery"
let local = Identity.local(user: 1000)
let mary = Account.Draft(id: "mary", name: "Mary", role: .administrator, patients: .all)
let john = Account.Draft(id: "john", name: "John", role: .patient, patients: .only(["john"]))

extension AccessControl {
  /// Mary, an administrator, and John, a patient.
  func addPeople() async throws {
    try await add(mary, passcode: passcode, by: local)
    try await add(john, passcode: passcode, by: local)
  }

  func signIn(
    _ account: String, _ passcode: String = passcode, from client: String = "10.0.0.1"
  ) async throws(AccessError) -> SignedIn {
    try await signIn(account: account, passcode: passcode, client: client)
  }

  /// The answer to an attempt at signing in; `nil` if it succeeded.
  func refusal(
    _ account: String, _ passcode: String, from client: String = "10.0.0.1"
  ) async -> AccessError? {
    do {
      _ = try await signIn(account, passcode, from: client)
      return nil
    } catch {
      return error
    }
  }
}
