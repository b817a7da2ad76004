import Digests
import Foundation

/// The content of the file of accounts.
package struct AccessRecords: Hashable, Sendable {
  /// Why a file's content is refused.
  package enum Damage: Error, Hashable, Sendable {
    /// It is not one JSON object: cut short, or another program's.
    case notJSON
    /// It is from a later version of this program.
    case version(Int)
    /// A key that this program does not write, as a path such as `accounts.0.color`.
    case unknownKey(String)
    /// A value is missing, has the wrong type, or is out of its range; with its path.
    case value(String)
  }

  var version = Self.currentVersion
  /// Makes the lanes of the throttle unknown to others; 32 random bytes.
  var laneKey: [UInt8]
  var ages: AgeCounter
  var accounts: [Account] = []
  var tokens: [Token] = []
  var sessions: [Session] = []
  var lanes: [Throttle.Record] = []
  var familiar: [Throttle.Familiar] = []

  static let currentVersion = 1
  /// The bytes that a file may have; a full one has about 700 kB.
  static let maximumLength = 1 << 20
  /// People of a household or a ward.
  static let maximumAccounts = 100
  /// Programs that read the box.
  static let maximumTokens = 100

  init(laneKey: [UInt8], ages: AgeCounter) {
    self.laneKey = laneKey
    self.ages = ages
  }

  // MARK: - Text

  /// Reads a file's content.
  init(_ bytes: [UInt8]) throws(Damage) {
    let data = Data(bytes)
    guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
      throw .notJSON
    }
    guard let version = object["measured-access"] as? Int else { throw .value("measured-access") }
    guard version == Self.currentVersion else { throw .version(version) }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      self = try decoder.decode(Strict<AccessRecords>.self, from: data).value
    } catch let error as UnknownKey {
      throw .unknownKey(error.path)
    } catch let error as DecodingError {
      throw .value(Self.path(of: error))
    } catch {
      throw .notJSON
    }
    try check()
  }

  /// The file's content.
  func text() throws(Damage) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { throw .notJSON }
    return Array(data) + [0x0A]
  }

  private static func path(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context): (context.codingPath + [key]).dotted
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      context.codingPath.dotted
    @unknown default: ""
    }
  }

  /// Checks what no single value shows.
  private func check() throws(Damage) {
    guard accounts.count <= Self.maximumAccounts, Set(accounts.map(\.id)).count == accounts.count
    else { throw .value("accounts") }
    for (index, account) in accounts.enumerated() where !account.isValid {
      throw .value("accounts.\(index)")
    }
    // Without an administrator, the accounts could not be repaired; the claim stays closed.
    guard accounts.isEmpty || accounts.contains(where: { $0.role == .administrator }) else {
      throw .value("accounts")
    }
    guard tokens.count <= Self.maximumTokens, Set(tokens.map(\.id)).count == tokens.count,
      Set(tokens.map(\.secret)).count == tokens.count
    else { throw .value("tokens") }
    let ids = Set(accounts.map(\.id))
    for (index, token) in tokens.enumerated() {
      guard token.isValid, token.creator.map(ids.contains) ?? true else {
        throw .value("tokens.\(index)")
      }
    }
    guard sessions.count <= accounts.count * Session.maximumPerAccount,
      Set(sessions.map(\.secret)).count == sessions.count
    else { throw .value("sessions") }
    for (index, session) in sessions.enumerated() {
      guard session.isValid, ids.contains(session.account), session.lastUse <= ages.seconds else {
        throw .value("sessions.\(index)")
      }
    }
    guard familiar.allSatisfy({ ids.contains($0.account) }) else { throw .value("familiar") }
  }
}

extension AccessRecords: StrictlyCodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case version = "measured-access"
    case laneKey, age, latest, accounts, tokens, sessions, lanes, familiar
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func values<Value: StrictlyCodable>(_ type: Value.Type, _ key: CodingKeys) throws -> [Value] {
      try container.decode([Strict<Value>].self, forKey: key).map(\.value)
    }
    version = try container.decode(Int.self, forKey: .version)
    guard let key = Base64URL.bytes(of: try container.decode(String.self, forKey: .laneKey)),
      key.count == 32
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .laneKey, in: container, debugDescription: "length")
    }
    laneKey = key
    let age = try container.decode(TimeInterval.self, forKey: .age)
    guard age >= 0 else {
      throw DecodingError.dataCorruptedError(forKey: .age, in: container, debugDescription: "age")
    }
    ages = AgeCounter(seconds: age, latest: try container.decode(Date.self, forKey: .latest))
    accounts = try values(Account.self, .accounts)
    tokens = try values(Token.self, .tokens)
    sessions = try values(Session.self, .sessions)
    lanes = try values(Throttle.Record.self, .lanes)
    // A file that was written before has none.
    familiar =
      container.contains(.familiar) ? try values(Throttle.Familiar.self, .familiar) : []
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(version, forKey: .version)
    try container.encode(Base64URL.text(of: laneKey), forKey: .laneKey)
    try container.encode(ages.seconds, forKey: .age)
    try container.encode(ages.latest, forKey: .latest)
    try container.encode(accounts, forKey: .accounts)
    try container.encode(tokens, forKey: .tokens)
    try container.encode(sessions, forKey: .sessions)
    try container.encode(lanes, forKey: .lanes)
    try container.encode(familiar, forKey: .familiar)
  }
}

// MARK: - Strict decoding

/// A value whose keys are all known.
protocol StrictlyCodable: Codable {
  associatedtype CodingKeys: CodingKey & CaseIterable
}

/// A key that no version of this program writes: reading on could drop what it means.
struct UnknownKey: Error {
  let path: String
}

extension Decoder {
  /// A container without further keys.
  func strictContainer<Key: CodingKey & CaseIterable>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    let known = Set(Key.allCases.map(\.stringValue))
    for key in try container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
      throw UnknownKey(path: (codingPath + [key]).dotted)
    }
    return try container(keyedBy: type)
  }
}

/// Reads a value after a look at its keys.
private struct Strict<Value: StrictlyCodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    _ = try decoder.strictContainer(keyedBy: Value.CodingKeys.self)
    value = try Value(from: decoder)
  }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension [any CodingKey] {
  fileprivate var dotted: String {
    map { key in key.intValue.map(String.init) ?? key.stringValue }.joined(separator: ".")
  }
}
