import Digests
import Dispatch
import Foundation

/// The requirements for a passcode.
///
/// Source: NIST SP 800-63B, section 5.1.1: a minimum length, no composition rules, no expiry, a
/// list of refused passcodes, and Unicode in one normal form.
package enum Passcode {
  /// The allowed number of characters.
  package static let length = 8...128

  /// Why a passcode is refused.
  package enum Weakness: Error, Hashable, Sendable {
    /// Fewer characters than the minimum of ``Passcode/length``.
    case tooShort
    /// More characters than the maximum of ``Passcode/length``, or more than 1024 bytes.
    case tooLong
    /// One or two characters repeated, or characters in sequence: `aaaaaaaa`, `12345678`.
    case pattern
    /// One of the most used.
    case common
    /// It contains the account's id, or is contained in it.
    case namesAccount
  }

  /// How many groups a passcode that is made for a person has.
  static let groups = 3

  /// The bytes that are hashed: NFKC, so that a passcode is the same on every keyboard.
  ///
  /// One in the form of those that are made here is the same in letters of any case, with or without
  /// hyphens.
  static func bytes(of text: String) -> [UInt8] {
    if let made = ReadableCode.text(typed: text, groups: groups) { return Array(made.utf8) }
    return Array(text.precomposedStringWithCompatibilityMapping.utf8)
  }

  /// Whether the text could be a passcode at all: longer ones are refused before any work.
  static func isPossible(_ text: String) -> Bool { text.utf8.count <= maximumBytes }

  private static let maximumBytes = 1024

  /// Checks a passcode that a person chooses.
  ///
  /// - Throws: ``Weakness``.
  package static func check(_ text: String, for account: String) throws(Weakness) {
    guard isPossible(text), text.count <= length.upperBound else { throw .tooLong }
    guard text.count >= length.lowerBound else { throw .tooShort }
    let plain = text.precomposedStringWithCompatibilityMapping.lowercased()
    let scalars = plain.unicodeScalars.map { Int($0.value) }
    let steps = Set(zip(scalars, scalars.dropFirst()).map { $1 - $0 })
    guard Set(scalars).count > 2, steps.count > 1 else { throw .pattern }
    guard !common.contains(plain) else { throw .common }
    let id = account.lowercased()
    guard id.count < 3 || !plain.contains(id), !id.contains(plain) else { throw .namesAccount }
  }

  /// The most used of eight characters and more, without those that ``Weakness/pattern`` covers.
  ///
  /// Source: the lists of leaked passwords that NCSC and SplashData publish. The throttle, not
  /// this list, limits guessing.
  private static let common: Set<String> = [
    "123456789a", "1234567890", "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "abcd1234", "11223344",
    "12341234", "12344321", "123123123", "87654321a", "admin123", "administrator", "baseball",
    "computer", "football", "iloveyou", "letmein1", "measured", "passw0rd", "password",
    "password1", "password123", "princess", "qwer1234", "qwertyui", "qwertyuiop", "qwerty123",
    "raspberry", "starwars", "sunshine", "superman", "trustno1", "welcome1", "whatever",
  ]
}

/// The stored form of a passcode: salt, parameters and the key that scrypt derives.
struct PasscodeHash: Hashable, Sendable {
  static let saltLength = 16
  static let keyLength = 32

  let scrypt: Scrypt
  let salt: [UInt8]
  let key: [UInt8]

  /// Hashes a passcode; blocks the thread for as long as ``Scrypt`` takes.
  init(_ passcode: [UInt8], salt: [UInt8], scrypt: Scrypt) throws(Scrypt.Failure) {
    self.scrypt = scrypt
    self.salt = salt
    key = try scrypt.key(passcode: passcode, salt: salt, length: Self.keyLength)
  }

  /// Whether `passcode` is the one; blocks like ``init(_:salt:scrypt:)``.
  func matches(_ passcode: [UInt8]) throws(Scrypt.Failure) -> Bool {
    let other = try scrypt.key(passcode: passcode, salt: salt, length: Self.keyLength)
    return ConstantTime.areEqual(key, other)
  }
}

extension PasscodeHash: StrictlyCodable {
  enum CodingKeys: String, CodingKey, CaseIterable { case n, r, p, salt, key }

  init(from decoder: any Decoder) throws {
    let container = try decoder.strictContainer(keyedBy: CodingKeys.self)
    func bytes(_ key: CodingKeys, count: Int) throws -> [UInt8] {
      guard let bytes = Base64URL.bytes(of: try container.decode(String.self, forKey: key)),
        bytes.count == count
      else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "length")
      }
      return bytes
    }
    salt = try bytes(.salt, count: Self.saltLength)
    key = try bytes(.key, count: Self.keyLength)
    guard
      let scrypt = Scrypt(
        logarithmOfCost: try container.decode(Int.self, forKey: .n),
        blockSize: try container.decode(Int.self, forKey: .r),
        passes: try container.decode(Int.self, forKey: .p))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .n, in: container, debugDescription: "parameters")
    }
    self.scrypt = scrypt
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(scrypt.logarithmOfCost, forKey: .n)
    try container.encode(scrypt.blockSize, forKey: .r)
    try container.encode(scrypt.passes, forKey: .p)
    try container.encode(Base64URL.text(of: salt), forKey: .salt)
    try container.encode(Base64URL.text(of: key), forKey: .key)
  }
}

// MARK: - Work

extension PasscodeHash {
  /// A hash that no passcode has: what an attempt at an unknown account is compared with.
  init(decoySalt salt: [UInt8], key: [UInt8], scrypt: Scrypt) {
    self.scrypt = scrypt
    self.salt = salt
    self.key = key
  }
}

/// Derives keys one after the other, away from the threads that answer requests.
///
/// One at a time bounds the memory to one table of scrypt and the processor to one core.
struct PasscodeWorker: Sendable {
  /// Derivations that may wait; another one is refused.
  static let maximumWaiting = 8

  private let queue = DispatchQueue(label: "measured.passcodes", qos: .utility)
  /// Receives the parameters of each derivation; for tests of equal work.
  var observe: @Sendable (Scrypt) -> Void = { _ in }

  /// Whether a passcode is the one of `hash`.
  func isRight(
    _ passcode: [UInt8], for hash: PasscodeHash
  ) async -> Result<Bool, Scrypt.Failure> {
    await run { () throws(Scrypt.Failure) in
      observe(hash.scrypt)
      return try hash.matches(passcode)
    }
  }

  /// The hash of a passcode.
  func hash(
    _ passcode: [UInt8], salt: [UInt8], scrypt: Scrypt
  ) async -> Result<PasscodeHash, Scrypt.Failure> {
    await run { () throws(Scrypt.Failure) in
      observe(scrypt)
      return try PasscodeHash(passcode, salt: salt, scrypt: scrypt)
    }
  }

  private func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(Scrypt.Failure) -> Value
  ) async -> Result<Value, Scrypt.Failure> {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result(catching: work)) }
    }
  }
}
