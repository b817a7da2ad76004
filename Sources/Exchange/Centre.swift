import Care
package import CareStore
import Foundation

/// A box as a centre knows it.
package struct Membership: Hashable, Sendable, Codable {
  /// The people whose rows it gets and delivers.
  package var people: Set<String>
  /// The people whose rows it delivers, too: it had them once.
  package var former: Set<String>
  /// Whether another box stands in its place: it delivers what it has, and gets marks only.
  package var isReplaced = false
  /// Whether it may do nothing any more.
  package var isRevoked = false

  /// Makes a membership.
  package init(
    people: Set<String>, former: Set<String> = [], isReplaced: Bool = false, isRevoked: Bool = false
  ) {
    (self.people, self.former) = (people, former)
    (self.isReplaced, self.isRevoked) = (isReplaced, isRevoked)
  }

  /// The people whose rows it may deliver.
  package var delivers: Set<String> { people.union(former) }
}

/// A centre's side of the exchange: an answer to each request of a box, in one transaction.
package struct Centre: Sendable {
  /// The version of the rows that this program writes and takes.
  package static let rowVersion = 1

  /// The version of the rows that this one takes.
  package let version: Int
  package let limits: BatchLimits

  /// The most channels that a box has: a copy of its card has one of its own.
  static let mostChannels = 4

  /// Makes a centre.
  package init(version: Int = rowVersion, limits: BatchLimits = BatchLimits()) {
    (self.version, self.limits) = (version, limits)
  }

  private static let memberships = "box"

  /// The membership of a box; `nil` for one that has not joined.
  package func membership(of box: String, in exchange: any RowExchange) throws -> Membership? {
    try exchange.value(Self.memberships, box)
  }

  /// Lets a box join, or gives it other people; those that it had stay its former ones.
  package func set(
    _ membership: Membership, of box: String, in exchange: any RowExchange
  ) throws {
    var membership = membership
    if let before = try self.membership(of: box, in: exchange) {
      membership.former.formUnion(before.delivers)
    }
    membership.former.subtract(membership.people)
    try exchange.keep(value: membership, Self.memberships, box)
    let rules: Int = try exchange.value("centre-rules", "count") ?? 0
    try exchange.keep(value: rules + 1, "centre-rules", "count")
  }

  /// Gives the people of a box to another one, which stands in its place.
  package func replace(
    _ box: String, by other: String, in exchange: any RowExchange
  ) throws {
    guard var old = try membership(of: box, in: exchange) else { return }
    let new = try membership(of: other, in: exchange)
    try set(
      Membership(people: old.people.union(new?.people ?? [])), of: other, in: exchange)
    old.former.formUnion(old.people)
    (old.people, old.isReplaced) = ([], true)
    try set(old, of: box, in: exchange)
  }

  /// Every id of people.
  private func ids(_ people: Set<String>, _ exchange: any RowExchange) throws -> Set<String> {
    try people.reduce(into: []) { $0.formUnion(try exchange.ids(ofPatient: $1)) }
  }

  /// A digest of what decides whether a row is taken.
  private func rules(in exchange: any RowExchange) throws -> String {
    let count: Int = try exchange.value("centre-rules", "count") ?? 0
    return "\(version).\(count)"
  }
}

// MARK: - Channels

extension Centre {
  private func scope(_ box: String) -> String { "channel/" + box }

  private func record(
    _ channel: ChannelID, _ box: String, _ exchange: any RowExchange
  ) throws -> ChannelRecord? {
    try exchange.value(scope(box), channel.text)
  }

  private func keep(
    _ record: ChannelRecord, _ box: String, _ exchange: any RowExchange
  ) throws {
    try exchange.keep(value: record, scope(box), record.id.text)
  }

  private func nextTurn(_ exchange: any RowExchange) throws -> Int {
    let turn: Int = try exchange.value("centre-turn", "count") ?? 0
    try exchange.keep(value: turn + 1, "centre-turn", "count")
    return turn + 1
  }

  private func open(
    _ hello: Request.Hello, _ box: String, _ exchange: any RowExchange
  ) throws -> ChannelRecord {
    let known: [ChannelID: ChannelRecord] = try exchange.values(scope(box))
    for old in known.values.sorted(by: { ($0.used, $0.id) > ($1.used, $1.id) })
      .dropFirst(Self.mostChannels - 1)
    {
      try ChannelNotes(exchange: exchange, id: old.id).forget()
      try exchange.keep(nil, scope(box), old.id.text)
      try exchange.keep(nil, "kept", old.id.text)
    }
    var record = ChannelRecord(
      id: hello.channel, opened: try exchange.lastStored(), version: hello.version)
    record.born = try nextTurn(exchange)
    return record
  }

  /// Whether an older channel speaks again, though a newer one has been opened: two boxes have one
  /// key.
  private func isTwin(
    _ record: ChannelRecord, _ box: String, _ exchange: any RowExchange
  ) throws -> Bool {
    let known: [ChannelID: ChannelRecord] = try exchange.values(scope(box))
    let isOlder = known.values.contains { $0.born > record.born && $0.used < record.used }
    if isOlder { try exchange.keep(value: true, "centre-twins", box) }
    return try isTwin(box, in: exchange)
  }

  /// Whether two boxes were seen to speak with one key.
  func isTwin(_ box: String, in exchange: any RowExchange) throws -> Bool {
    try exchange.value("centre-twins", box) ?? false
  }
}

// MARK: - Answers

extension Centre {
  /// Answers a request of a box.
  package func answer(
    _ request: Request, from box: String, in exchange: any RowExchange
  ) throws -> Reply {
    guard let member = try membership(of: box, in: exchange), !member.isRevoked else {
      return .forbidden
    }
    if case .hello(let hello) = request { return try answer(hello, box, member, exchange) }
    guard let record = try record(request.channel, box, exchange) else { return .conflict }
    switch request {
    case .hello: return .conflict
    case .still(let still): return try answer(still, box, member, record, exchange)
    case .latest(let latest): return try answer(latest, box, member, record, exchange)
    case .put(let put): return try answer(put, box, member, record, exchange)
    case .get(let get): return try answer(get, box, member, record, exchange)
    }
  }

  private func answer(
    _ hello: Request.Hello, _ box: String, _ member: Membership, _ exchange: any RowExchange
  ) throws -> Reply {
    var record: ChannelRecord
    if let known = try self.record(hello.channel, box, exchange) {
      record = known
    } else {
      guard hello.isNew else { return .gone(.unknown) }
      record = try open(hello, box, exchange)
    }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    guard let answers = try compare(hello, notes) else { return .gone(try older(hello, notes)) }
    record.used = try nextTurn(exchange)
    try keep(record, box, exchange)
    let state = try state(member, record, exchange)
    let level = try StreamKey.down(people: state.people).filter { key in
      guard let audience = audience(key, box) else { return false }
      return try notes.isLevel(key, for: audience)
    }
    let kit = try DeviceKit.kit(of: box, in: exchange)
    return .welcome(
      Reply.Welcome(
        answers: answers, rules: state.rules ?? "", kept: state.kept, people: state.people,
        delivers: state.delivers, level: Set(level),
        isTwin: try isTwin(record, box, exchange), kit: kit.isEmpty ? nil : kit,
        takesLatest: true))
  }

  private func state(
    _ member: Membership, _ record: ChannelRecord, _ exchange: any RowExchange
  ) throws -> WelcomeState {
    WelcomeState(
      side: .centre, rules: try rules(in: exchange),
      kept: try exchange.value("kept", record.id.text) ?? [:],
      people: member.isReplaced ? [] : try ids(member.people, exchange),
      delivers: try ids(member.delivers, exchange))
  }

  /// Answers that nothing has changed, or that a whole comparison is due.
  private func answer(
    _ still: Request.Still, _ box: String, _ member: Membership, _ record: ChannelRecord,
    _ exchange: any RowExchange
  ) throws -> Reply {
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    var record = record
    record.used = try nextTurn(exchange)
    try keep(record, box, exchange)
    let state = try state(member, record, exchange)
    guard try notes.state(state) == still.state, try !isTwin(record, box, exchange),
      try StreamKey.down(people: state.people).allSatisfy({ key in
        guard let audience = audience(key, box) else { return false }
        return try notes.isLevel(key, for: audience)
      })
    else { return .conflict }
    return .level
  }

  /// Compares both sides of every key; `nil` if they have no common past.
  ///
  /// - Returns: The answers to the batches that arrived and whose answers may not have.
  private func compare(
    _ hello: Request.Hello, _ notes: ChannelNotes
  ) throws -> [StreamKey: Incoming.Latest]? {
    var answers: [StreamKey: Incoming.Latest] = [:]
    let incoming = try notes.incoming()
    for key in Set(hello.out.keys).union(incoming.keys) {
      let mine = incoming[key] ?? Incoming(notes.id, key)
      let chain = hello.out[key]?.chain ?? Chain(notes.id, key)
      if chain == mine.chain { continue }
      guard let latest = mine.latest, latest.base == chain,
        hello.out[key]?.sent.contains(latest.digest) == true
      else { return nil }
      answers[key] = latest
    }
    let outgoing = try notes.outgoing()
    for key in Set(hello.into.keys).union(outgoing.keys) {
      var mine = outgoing[key] ?? Outgoing(notes.id, key)
      let chain = hello.into[key]?.chain ?? Chain(notes.id, key)
      if chain == mine.chain { continue }
      guard let batch = mine.sent(leadingTo: chain) else { return nil }
      mine.acknowledge(batch)
      try notes.keep(mine, key)
    }
    return answers
  }

  private func older(_ hello: Request.Hello, _ notes: ChannelNotes) throws -> OlderSide {
    let (incoming, outgoing) = (try notes.incoming(), try notes.outgoing())
    func isAhead(_ pairs: [(Int64, Int64)]) -> Int {
      pairs.reduce(0) { $0 + ($1.0 > $1.1 ? 1 : $1.0 < $1.1 ? -1 : 0) }
    }
    let up = isAhead(hello.out.map { ($1.acknowledged, incoming[$0]?.last ?? 0) })
    let down = isAhead(hello.into.map { ($1.last, outgoing[$0]?.acknowledged ?? 0) })
    // Equal numbers of different rows: each side has written since.
    let isOther = hello.out.contains { key, mine in
      incoming[key].map { $0.last == mine.acknowledged && $0.chain != mine.chain } ?? false
    }
    if isOther { return .both }
    if up <= 0, down <= 0 { return .box }
    if up >= 0, down >= 0 { return .centre }
    return .both
  }

  /// Takes the latest measurements of a box, which moves no cursor.
  private func answer(
    _ latest: Request.Latest, _ box: String, _ member: Membership, _ record: ChannelRecord,
    _ exchange: any RowExchange
  ) throws -> Reply {
    let batch = Batch(base: Chain(record.id, StreamKey(.singles)), last: 0, rows: latest.rows)
    let areSingles = batch.rows.allSatisfy { $0.name.stream == .singles && $0.lines != nil }
    guard areSingles, batch.isWhole else { return .conflict }
    guard batch.rows.count <= limits.rows, batch.byteCount <= limits.bytes else { return .tooLong }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    if try hasUnseenMarks(after: latest.seen, notes) { return .conflict }
    // A refused row is offered in its turn.
    _ = try exchange.take(
      batch.travelling, by: record.id.text,
      from: RowDeliverer(box: box, people: try ids(member.delivers, exchange)))
    return .taken(digest: batch.digest, refused: [:])
  }

  private func answer(
    _ put: Request.Put, _ box: String, _ member: Membership, _ record: ChannelRecord,
    _ exchange: any RowExchange
  ) throws -> Reply {
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    var incoming = try notes.incoming(put.key)
    guard put.key.part == .whole, put.batch.isWhole else { return .conflict }
    guard put.batch.base == incoming.chain else {
      guard let latest = incoming.latest, latest.base == put.batch.base,
        latest.digest == put.batch.digest
      else { return .conflict }
      return .taken(digest: latest.digest, refused: latest.refused)
    }
    let isInOrder = put.batch.rows.allSatisfy { $0.name.stream == put.key.stream }
    guard isInOrder else { return .conflict }
    guard put.batch.rows.count <= limits.rows, put.batch.byteCount <= limits.bytes else {
      return .tooLong
    }
    let missing = try put.batch.missing(in: exchange)
    guard missing.isEmpty else { return .wants(missing) }
    if put.key.stream != .marks, try hasUnseenMarks(after: put.seen, notes) { return .conflict }
    let rows = put.batch.travelling
    let results = try exchange.take(
      rows, by: record.id.text,
      from: RowDeliverer(box: box, people: try ids(member.delivers, exchange)))
    var refused: [RowName: RowRefusal] = [:]
    for (row, result) in zip(rows, results) {
      if case .refused(let reason) = result { refused[row.name] = reason }
    }
    incoming.take(put.batch, refused: refused)
    try notes.keep(incoming, put.key)
    return .taken(digest: put.batch.digest, refused: refused)
  }

  /// Whether the box has not yet taken all marks: it would send what is erased.
  private func hasUnseenMarks(after seen: Int64, _ notes: ChannelNotes) throws -> Bool {
    var isUnseen = false
    _ = try notes.exchange.travelling(.marks, after: seen, for: .all) { row in
      isUnseen = row.channel != notes.id.text
      return !isUnseen
    }
    return isUnseen
  }

  /// For whom the rows of a key are that a box gets; `nil` for a key that none gets.
  private func audience(_ key: StreamKey, _ box: String) -> RowAudience? {
    switch key.part {
    case .whole: key.stream == .marks ? .all : nil
    case .person(let person): .person(person)
    case .delivered: key.stream == .quick ? .deliverer(box) : nil
    }
  }

  private func answer(
    _ get: Request.Get, _ box: String, _ member: Membership, _ record: ChannelRecord,
    _ exchange: any RowExchange
  ) throws -> Reply {
    guard let audience = audience(get.key, box) else { return .forbidden }
    if case .person(let person) = get.key.part {
      guard !member.isReplaced, try ids(member.people, exchange).contains(person) else {
        return .conflict
      }
    }
    if get.key.part == .delivered, member.isReplaced { return .conflict }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    var outgoing = try notes.outgoing(get.key)
    if let batch = outgoing.sent(leadingTo: get.chain) {
      outgoing.acknowledge(batch)
      try notes.keep(outgoing, get.key)
    }
    guard get.chain == outgoing.chain else { return .conflict }
    let batch = try notes.nextBatch(
      get.key, for: audience, opened: record.opened, wanted: get.wanted, limits: limits
    ) { row in row.byteCount > limits.bytes ? .long : nil }
    return batch.map { .batch($0) } ?? .level
  }
}

// MARK: - Backups

extension Centre {
  /// The numbers up to which each channel's rows are in the store now, to be noted of a backup.
  package func contents(
    in exchange: any RowExchange
  ) throws -> [ChannelID: [StreamKey: Int64]] {
    var contents: [ChannelID: [StreamKey: Int64]] = [:]
    for box in try exchange.notes(Self.memberships).keys {
      let channels: [ChannelID: ChannelRecord] = try exchange.values(scope(box))
      for id in channels.keys {
        let notes = ChannelNotes(exchange: exchange, id: id)
        contents[id] = try notes.incoming().mapValues(\.last)
      }
    }
    return contents
  }

  /// Tells the boxes what the oldest backup contains that the centre could return to.
  package func setKept(
    _ kept: [ChannelID: [StreamKey: Int64]], in exchange: any RowExchange
  ) throws {
    try exchange.forget("kept")
    for (id, numbers) in kept { try exchange.keep(value: numbers, "kept", id.text) }
  }
}
