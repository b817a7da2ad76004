import Digests
import Foundation

/// Delays between wrong passcodes and codes.
///
/// Each attempt counts in two lanes, that of the name and that of the client's network; both have
/// to be free. An attempt counts as wrong when it begins, so that a hundred at once are a hundred,
/// and stops counting when it proves right. Waiting is measured by uptime: a changed clock
/// shortens no wait.
///
/// A name's lane is the same whether there is such an account or not. Names are held as keyed
/// digests: a person may have typed the passcode in the place of the name.
struct Throttle: Sendable {
  /// How waits grow.
  struct Policy: Hashable, Sendable {
    /// Wrong attempts without a wait.
    let free: Int
    /// The first wait, in seconds; it doubles with each further attempt.
    let first: TimeInterval
    /// The longest wait, in seconds.
    let longest: TimeInterval

    /// The wait after a number of wrong attempts, in seconds.
    func wait(after failures: Int) -> TimeInterval {
      guard failures > free else { return 0 }
      // 2^30 s exceeds every `longest`.
      return min(longest, first * Double(1 << min(30, failures - free - 1)))
    }

    /// At most about 100 guesses a day at one account.
    static let name = Policy(free: 3, first: 1, longest: 900)
    /// A household's browsers may share one address behind a proxy.
    static let network = Policy(free: 10, first: 1, longest: 900)
  }

  /// The place of a name or of a network: 16 bytes.
  struct Lane: Hashable, Sendable {
    let bytes: [UInt8]
  }

  /// The wrong attempts in one lane.
  struct Count: Hashable, Sendable {
    var failures: Int
    /// The uptime at the last one, in seconds.
    var last: TimeInterval
  }

  /// Lanes of names without an account, and lanes of networks, each.
  ///
  /// 1024 hold every network of a home or ward; an attacker with more addresses is limited by the
  /// lane of the name and by the work of scrypt.
  static let capacity = 1024
  /// Seconds of uptime without a wrong attempt after which a lane is forgotten: a day.
  static let memory: TimeInterval = 86_400
  /// Networks from which a person has signed in that are remembered.
  static let familiarPerAccount = 8

  /// A random key, which makes the lanes unknown to others.
  let key: [UInt8]
  /// The lanes of accounts; never evicted.
  private(set) var accounts: [Lane: Count] = [:]
  private(set) var strangers = Bounded()
  private(set) var networks = Bounded()
  /// From where each account signed in, the latest last: the lanes that it has there.
  private var familiar: [Account.ID: [Lane]] = [:]
  private var lastForgotten: TimeInterval = 0

  init(key: [UInt8]) {
    self.key = key
  }

  // MARK: - Attempts

  /// One attempt's two lanes.
  struct Attempt: Hashable, Sendable {
    /// `nil` for a claim code, which has no name.
    let name: Lane?
    let network: Lane
    let isAccount: Bool
    /// Whether the person has signed in from this network before.
    let isFamiliar: Bool
  }

  /// Begins an attempt, and counts it.
  ///
  /// - Parameters:
  ///   - name: The account's id as it was typed; `nil` for a claim code: a lane for all addresses
  ///     would let an attacker keep out the owner.
  ///   - isAccount: Whether there is such an account.
  ///   - client: The client's address.
  ///   - uptime: Seconds.
  /// - Returns: The seconds until the next attempt is accepted, or the attempt.
  mutating func begin(
    name: String?, isAccount: Bool, client: String, uptime: TimeInterval
  ) -> Result<Attempt, Wait> {
    guard let attempt = self.attempt(name: name, isAccount: isAccount, client: client) else {
      return .failure(Wait(seconds: Policy.name.longest))
    }
    forget(at: uptime)
    let seconds = max(
      Self.rest(self[attempt], .name, at: uptime),
      attempt.isFamiliar ? 0 : Self.rest(networks[attempt.network], .network, at: uptime))
    guard seconds <= 0 else { return .failure(Wait(seconds: seconds.rounded(.up))) }
    self[attempt] = Self.raised(self[attempt], at: uptime)
    networks[attempt.network] = Self.raised(networks[attempt.network], at: uptime)
    return .success(attempt)
  }

  /// An attempt that comes too early.
  struct Wait: Error, Hashable {
    /// The seconds until the next attempt is accepted.
    let seconds: TimeInterval
  }

  /// Ends an attempt that was right: its name is free again, and its network familiar.
  ///
  /// The network's earlier wrong attempts remain: an attacker with an account of their own must
  /// not free their address by signing in.
  mutating func succeed(_ attempt: Attempt, account: Account.ID, client: String) {
    self[attempt] = nil
    takeBack(attempt.network)
    guard let place = lane("name", account, Self.network(of: client)) else { return }
    let places = familiar[account, default: []].filter { $0 != place } + [place]
    familiar[account] = places.suffix(Self.familiarPerAccount)
  }

  /// Takes back an attempt that was not judged.
  mutating func cancel(_ attempt: Attempt) {
    takeBack(attempt.network)
    self[attempt] = Self.lowered(self[attempt])
  }

  /// Forgets a removed account.
  mutating func remove(_ account: Account.ID) {
    if let lane = lane("name", account) { accounts[lane] = nil }
    for place in familiar[account] ?? [] { accounts[place] = nil }
    familiar[account] = nil
  }

  /// The count of an attempt's name.
  private subscript(attempt: Attempt) -> Count? {
    get {
      guard let name = attempt.name else { return nil }
      return attempt.isAccount ? accounts[name] : strangers[name]
    }
    set {
      guard let name = attempt.name else { return }
      if attempt.isAccount { accounts[name] = newValue } else { strangers[name] = newValue }
    }
  }

  private mutating func takeBack(_ network: Lane) {
    networks[network] = Self.lowered(networks[network])
  }

  /// Removes old lanes, once a minute: attempts that have to wait must cost little.
  private mutating func forget(at uptime: TimeInterval) {
    guard uptime - lastForgotten >= 60 else { return }
    lastForgotten = uptime
    let oldest = uptime - Self.memory
    accounts = accounts.filter { $0.value.last >= oldest }
    strangers.remove { $0.last < oldest }
    networks.remove { $0.last < oldest }
  }

  private static func raised(_ count: Count?, at uptime: TimeInterval) -> Count {
    Count(failures: min((count?.failures ?? 0) + 1, 1000), last: uptime)
  }

  private static func lowered(_ count: Count?) -> Count? {
    guard var count, count.failures > 1 else { return nil }
    count.failures -= 1
    return count
  }

  private static func rest(
    _ count: Count?, _ policy: Policy, at uptime: TimeInterval
  ) -> TimeInterval {
    guard let count else { return 0 }
    return count.last + policy.wait(after: count.failures) - uptime
  }

  // MARK: - Lanes

  /// The lanes of an attempt; `nil` if libcrypto fails.
  ///
  /// A person who signed in from a network before has a lane of their own there: neither attempts
  /// at their account from elsewhere nor others' attempts from there keep them out.
  private func attempt(name: String?, isAccount: Bool, client: String) -> Attempt? {
    let network = Self.network(of: client)
    guard let name else {
      return lane("network", network).map {
        Attempt(name: nil, network: $0, isAccount: false, isFamiliar: false)
      }
    }
    guard let nameLane = lane("name", name), let place = lane("name", name, network),
      let networkLane = lane("network", network)
    else { return nil }
    let isFamiliar = isAccount && familiar[name]?.contains(place) == true
    return Attempt(
      name: isFamiliar ? place : nameLane, network: networkLane, isAccount: isAccount,
      isFamiliar: isFamiliar)
  }

  private func lane(_ parts: String...) -> Lane? {
    let message = Array(parts.joined(separator: "\0").utf8)
    return HMACSHA256.code(of: message, key: key).map { Lane(bytes: Array($0.prefix(16))) }
  }

  static func network(of client: String) -> String { ClientNetwork.name(of: client) }

  // MARK: - Restarts

  /// A lane as the file has it.
  struct Record: Hashable, Sendable, StrictlyCodable {
    enum CodingKeys: String, CodingKey, CaseIterable { case lane, failures, isAccount }
    let lane: String
    let failures: Int
    let isAccount: Bool
  }

  /// The networks from which an account signed in, as the file has them: keyed digests.
  struct Familiar: Hashable, Sendable, StrictlyCodable {
    enum CodingKeys: String, CodingKey, CaseIterable { case account, lanes }
    let account: Account.ID
    let lanes: [String]
  }

  /// The most records of names without an account.
  static let maximumStrangerRecords = 256

  /// The lanes of names that wait, or would after the next wrong attempt.
  var records: [Record] {
    func record(_ entry: (key: Lane, value: Count), isAccount: Bool) -> Record {
      Record(
        lane: Base64URL.text(of: entry.key.bytes), failures: entry.value.failures,
        isAccount: isAccount)
    }
    let ofAccounts = accounts.map { record($0, isAccount: true) }
    let ofStrangers = strangers.counts.filter { $0.value.failures >= Policy.name.free }
      .sorted { ($0.value.failures, $0.value.last) > ($1.value.failures, $1.value.last) }
      .prefix(Self.maximumStrangerRecords).map { record($0, isAccount: false) }
    return (ofAccounts + ofStrangers).sorted { $0.lane < $1.lane }
  }

  /// Where the accounts signed in, by id.
  var familiarRecords: [Familiar] {
    familiar.sorted { $0.key < $1.key }.map { account, lanes in
      Familiar(account: account, lanes: lanes.map { Base64URL.text(of: $0.bytes) })
    }
  }

  /// Continues with the lanes of a file: each wait begins again, because the uptime at its
  /// beginning is unknown.
  ///
  /// - Returns: `nil` if a record is damaged.
  init?(key: [UInt8], records: [Record], familiar: [Familiar] = [], uptime: TimeInterval) {
    self.init(key: key)
    for record in familiar {
      let lanes = record.lanes.compactMap { Base64URL.bytes(of: $0) }.filter { $0.count == 16 }
      guard lanes.count == record.lanes.count, lanes.count <= Self.familiarPerAccount,
        self.familiar.updateValue(lanes.map(Lane.init), forKey: record.account) == nil
      else { return nil }
    }
    for record in records {
      guard let bytes = Base64URL.bytes(of: record.lane), bytes.count == 16,
        (1...1000).contains(record.failures)
      else { return nil }
      let count = Count(failures: record.failures, last: uptime)
      if record.isAccount {
        accounts[Lane(bytes: bytes)] = count
      } else {
        strangers[Lane(bytes: bytes)] = count
      }
    }
  }

  /// A table of at most ``Throttle/capacity`` lanes.
  ///
  /// When it is full, an eighth leaves: the fewest failures first, the oldest of these before
  /// others, so that many lanes with one failure displace none with several.
  struct Bounded: Hashable, Sendable {
    private(set) var counts: [Lane: Count] = [:]

    subscript(lane: Lane) -> Count? {
      get { counts[lane] }
      set {
        if newValue != nil, counts[lane] == nil, counts.count >= Throttle.capacity { evict() }
        counts[lane] = newValue
      }
    }

    private mutating func evict() {
      let order = counts.sorted {
        ($0.value.failures, $0.value.last) < ($1.value.failures, $1.value.last)
      }
      for entry in order.prefix(Throttle.capacity / 8) { counts[entry.key] = nil }
    }

    mutating func remove(where isOld: (Count) -> Bool) {
      counts = counts.filter { !isOld($0.value) }
    }
  }
}
