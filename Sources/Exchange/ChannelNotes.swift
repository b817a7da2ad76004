import CareStore
import Foundation

/// The record that a store keeps of one channel.
package struct ChannelRecord: Hashable, Sendable, Codable {
  package var id: ChannelID
  /// Whether the centre does not know it yet.
  package var isNew = true
  /// The last number of the store when the channel was opened: older rows are first only named.
  package var opened: Int64
  /// The version of the rows with which it was opened.
  package var version: Int
  /// The centre's rules when they were last told.
  package var rules: String?
  /// How many batches of this side's were taken, and how many sessions there were.
  package var taken = 0
  package var sessions = 0
  /// The people whose rows the box gets, and may deliver, as the centre said last.
  package var people: Set<String> = []
  package var delivers: Set<String> = []
  /// The numbers up to which the centre cannot lose the box's rows.
  package var kept: [StreamKey: Int64] = [:]
  /// Of a centre: the turns in which it was opened and used last.
  package var born = 0
  package var used = 0
}

/// The facts that a centre tells at the begin of a session, as one side knows them.
struct WelcomeState {
  enum Side { case box, centre }

  var side: Side
  var rules: String?
  var kept: [StreamKey: Int64]
  var people: Set<String>
  var delivers: Set<String>
}

/// The notes of one channel in a store.
struct ChannelNotes {
  let exchange: any RowExchange
  let id: ChannelID

  private var outScope: String { "out/" + id.text }
  private var inScope: String { "in/" + id.text }
  private var parkedScope: String { "parked/" + id.text }

  func outgoing(_ key: StreamKey) throws -> Outgoing {
    try exchange.value(outScope, key.text) ?? Outgoing(id, key)
  }

  func incoming(_ key: StreamKey) throws -> Incoming {
    try exchange.value(inScope, key.text) ?? Incoming(id, key)
  }

  func outgoing() throws -> [StreamKey: Outgoing] { try exchange.values(outScope) }
  func incoming() throws -> [StreamKey: Incoming] { try exchange.values(inScope) }

  func keep(_ outgoing: Outgoing, _ key: StreamKey) throws {
    try exchange.keep(value: outgoing, outScope, key.text)
  }

  func keep(_ incoming: Incoming, _ key: StreamKey) throws {
    try exchange.keep(value: incoming, inScope, key.text)
  }

  func parked(_ name: RowName) throws -> ParkedRow? { try exchange.value(parkedScope, name.text) }

  func parked() throws -> [RowName: ParkedRow] {
    var rows: [RowName: ParkedRow] = [:]
    for (name, content) in try exchange.notes(parkedScope) {
      guard let name = RowName(text: name) else { continue }
      rows[name] = try JSONDecoder().decode(ParkedRow.self, from: Data(content.utf8))
    }
    return rows
  }

  func park(_ name: RowName, _ row: ParkedRow?) throws {
    guard let row else { return try exchange.keep(nil, parkedScope, name.text) }
    try exchange.keep(value: row, parkedScope, name.text)
  }

  /// Forgets everything of the channel.
  func forget() throws {
    for scope in [outScope, inScope, parkedScope] { try exchange.forget(scope) }
    try exchange.forgetArrivals(by: id.text)
  }

  /// A digest of what a session begins with: equal at both ends if neither has anything to say.
  func state(_ welcome: WelcomeState) throws -> String {
    func chains(_ chains: [StreamKey: Chain]) -> [String] {
      chains.filter { $0.value != Chain(id, $0.key) }.map { $0.key.text + " " + $0.value.text }
        .sorted()
    }
    let (up, down) =
      switch welcome.side {
      case .box: (try outgoing().mapValues(\.chain), try incoming().mapValues(\.chain))
      case .centre: (try incoming().mapValues(\.chain), try outgoing().mapValues(\.chain))
      }
    return TravellingRow.digest(
      of: chains(up) + [""] + chains(down) + ["", welcome.rules ?? ""] + welcome.people.sorted()
        + [""] + welcome.delivers.sorted() + [""]
        + welcome.kept.map { "\($0.key.text) \($0.value)" }.sorted())
  }

  /// Whether a batch may have arrived that nobody has acknowledged, or a row waits to be offered again.
  func hasOpenEnds() throws -> Bool {
    try outgoing().values.contains { !$0.sent.isEmpty } || !parked().isEmpty
  }

  /// Whether a row is not sent: it came from there, or was refused there.
  private func stays(_ row: TravellingRow) throws -> Bool {
    if row.channel == id.text { return true }
    return try parked(row.name)?.number == row.number
  }

  /// Whether there is nothing of a key to send.
  func isLevel(_ key: StreamKey, for audience: RowAudience) throws -> Bool {
    var outgoing = try outgoing(key)
    let first = max(outgoing.acknowledged, outgoing.passed)
    var isLevel = true
    let looked = try exchange.travelling(key.stream, after: first, for: audience) { row in
      isLevel = try stays(row)
      return isLevel
    }
    if isLevel, looked > first {
      outgoing.passed = looked
      try keep(outgoing, key)
    }
    return isLevel
  }

  /// Makes the next batch of a key, which is noted as sent.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - audience: For whom the rows are.
  ///   - opened: Rows up to this number are only named, but for the wanted ones.
  ///   - wanted: The rows that the other side lacks.
  ///   - limits: How much travels at once.
  ///   - holds: Why a row stays here; `nil` for one that travels.
  /// - Returns: The batch; `nil` if there is nothing to send.
  /// - Throws: The errors of `holds`, and `StoreError`.
  func nextBatch(
    _ key: StreamKey, for audience: RowAudience, opened: Int64, wanted: Set<RowName>,
    limits: BatchLimits, holds: (TravellingRow) throws -> RowRefusal?
  ) throws -> Batch? {
    var outgoing = try outgoing(key)
    var rows: [BatchRow] = []
    var numbers: [RowName: Int64] = [:]
    var (bytes, last) = (0, outgoing.acknowledged)
    let looked = try exchange.travelling(
      key.stream, after: max(outgoing.acknowledged, outgoing.passed), for: audience
    ) { row in
      if try stays(row) { return true }
      if let reason = try holds(row) {
        try park(row.name, ParkedRow(number: row.number, reason: reason))
        return true
      }
      let isNamed = row.number <= opened && !wanted.contains(row.name)
      let size = isNamed ? 0 : row.byteCount
      let isFull = rows.count >= limits.rows || bytes + size > limits.bytes
      if isFull, !rows.isEmpty { return false }
      rows.append(
        BatchRow(name: row.name, digest: row.digest, lines: isNamed ? nil : row.lines))
      numbers[row.name] = row.number
      (bytes, last) = (bytes + size, row.number)
      return true
    }
    guard !rows.isEmpty else {
      if looked > max(outgoing.passed, outgoing.acknowledged) {
        outgoing.passed = looked
        try keep(outgoing, key)
      }
      return nil
    }
    let batch = Batch(base: outgoing.chain, last: last, rows: rows)
    outgoing.sent.removeAll { $0.digest == batch.digest }
    outgoing.sent = Array(outgoing.sent.suffix(Outgoing.mostSent - 1))
    outgoing.sent.append(SentBatch(last: last, digest: batch.digest, rows: numbers))
    try keep(outgoing, key)
    return batch
  }
}

extension RowExchange {
  func value<T: Decodable>(_ scope: String, _ id: String) throws -> T? {
    try note(scope, id).map { try JSONDecoder().decode(T.self, from: Data($0.utf8)) }
  }

  func values<Key: TextCodable, T: Decodable>(_ scope: String) throws -> [Key: T] {
    var values: [Key: T] = [:]
    for (id, content) in try notes(scope) {
      guard let key = Key(text: id) else { continue }
      values[key] = try JSONDecoder().decode(T.self, from: Data(content.utf8))
    }
    return values
  }

  func keep(value: some Encodable, _ scope: String, _ id: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    try keep(String(decoding: try encoder.encode(value), as: UTF8.self), scope, id)
  }
}
