import Care
package import CareStore
import Foundation

/// A box's side of the exchange with one centre: it speaks first, one request at a time.
///
/// Everything that must outlast the process is in the box's store; a session forgets only what it
/// can ask again. Each call is a part of the caller's transaction: a request may be sent once that
/// is committed, and an answer is taken together with its rows.
///
/// ```swift
/// while let request = try await store.exchanging({ try session.next(in: $0, makeChannel: id) }) {
///   let answer = try await send(request)
///   try await store.exchanging { try session.take(answer, to: request, in: $0, makeChannel: id) }
/// }
/// ```
package struct BoxSession: Sendable {
  /// The centre's own name.
  package let centre: String
  /// The version of the rows that this program writes.
  package let version: Int
  /// The state of the box, which the centre is told.
  package var report: BoxReport?
  private var limits: BatchLimits
  private let longest: BatchLimits
  /// Whether the two sides have compared what they have given each other.
  private var isOpen = false
  /// Whether nothing has changed since both sides were level.
  private var isStill = false
  /// Whether something has, or was lost: only a whole comparison tells what.
  private var mustCompare = false
  /// The keys for which the centre has nothing more.
  private var level: Set<StreamKey> = []
  /// The rows that only were named and that a side lacks.
  private var wanted: [StreamKey: Set<RowName>] = [:]
  /// Whether the latest measurements go ahead, if there is much to bring.
  private var isLatestDue = false
  /// The events that a person is to be told of.
  package private(set) var events: [ExchangeEvent] = []
  /// Whether the centre refuses everything.
  package private(set) var isForbidden = false
  /// After how many seconds the centre wants long rows; `nil` for at once.
  package var later: Int?
  /// Whether the session has ended before them.
  package private(set) var isPutOff = false
  /// How many sessions in a row have.
  private var pauses = 0

  /// So many do, a quarter of an hour: long rows come in the end, however many others speak.
  static let mostPauses = 20

  /// Makes a session.
  package init(centre: String, version: Int, limits: BatchLimits = BatchLimits()) {
    (self.centre, self.version, self.limits, longest) = (centre, version, limits, limits)
  }

  private static let scope = "centre"

  /// The channel to the centre; `nil` before the first request.
  package func channel(in exchange: any RowExchange) throws -> ChannelRecord? {
    try exchange.value(Self.scope, centre)
  }

  private func keep(_ record: ChannelRecord, in exchange: any RowExchange) throws {
    try exchange.keep(value: record, Self.scope, centre)
  }

  /// Forgets the session, not what the stores know: the next request compares again.
  package mutating func restart() {
    (isOpen, isStill, level, wanted, isForbidden) = (false, false, [], [:], false)
    isLatestDue = false
  }

  /// A request or its answer was lost, or took too long: less travels at once.
  package mutating func timeOut() {
    restart()
    mustCompare = true
    limits.rows = max(1, limits.rows / 2)
    limits.bytes = max(1, limits.bytes / 2)
  }

  /// The events since the last call.
  package mutating func takeEvents() -> [ExchangeEvent] {
    defer { events = [] }
    return events
  }
}

/// Something about an exchange that a person should hear of.
package enum ExchangeEvent: Hashable, Sendable, Codable {
  /// The box and the centre started over, since one of them had lost something.
  case older(OlderSide)
  /// Two boxes speak with one key.
  case twin
}

// MARK: - Requests

extension BoxSession {
  /// The next request; `nil` once both sides are level, or the centre refuses everything.
  package mutating func next(
    in exchange: any RowExchange, makeChannel: () -> ChannelID
  ) throws -> Request? {
    isPutOff = false
    guard !isForbidden else { return nil }
    var record: ChannelRecord
    if let known = try channel(in: exchange), known.version == version {
      record = known
    } else {
      // Another program takes other rows: what was refused may be taken now.
      record = try open(in: exchange, makeChannel: makeChannel)
    }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    guard isOpen else {
      if isStill { return nil }
      if !mustCompare, let still = try still(record, notes) { return .still(still) }
      return .hello(try hello(record, notes))
    }
    for stream in RowStream.allCases {
      if stream == .quick, isLatestDue {
        isLatestDue = false
        if let latest = try latest(record, notes) { return .latest(latest) }
      }
      if later != nil, pauses < Self.mostPauses, stream.isLong,
        try !isLevel(stream, record, notes)
      {
        isPutOff = true
        pauses += 1
        return nil
      }
      // Rows that are erased at the centre are not sent there.
      if stream == .marks, let get = try get(stream, record, notes) { return .get(get) }
      if let put = try put(stream, record, notes) { return .put(put) }
      if stream != .marks, let get = try get(stream, record, notes) { return .get(get) }
    }
    // A slow line is no slow line for ever.
    (limits, pauses) = (longest, 0)
    return nil
  }

  /// Opens a channel in place of the present one.
  private mutating func open(
    in exchange: any RowExchange, makeChannel: () -> ChannelID
  ) throws -> ChannelRecord {
    if let old = try channel(in: exchange) {
      try ChannelNotes(exchange: exchange, id: old.id).forget()
    }
    restart()
    let record = ChannelRecord(
      id: makeChannel(), opened: try exchange.lastStored(), version: version)
    try keep(record, in: exchange)
    return record
  }

  private func still(
    _ record: ChannelRecord, _ notes: ChannelNotes
  ) throws -> Request.Still? {
    guard !record.isNew, try !notes.hasOpenEnds(), try !hasRows(in: notes.exchange) else {
      return nil
    }
    let state = WelcomeState(
      side: .box, rules: record.rules, kept: record.kept, people: record.people,
      delivers: record.delivers)
    return Request.Still(
      channel: record.id, state: try notes.state(state), report: report?.naming(nil))
  }

  private func hello(_ record: ChannelRecord, _ notes: ChannelNotes) throws -> Request.Hello {
    Request.Hello(
      channel: record.id, isNew: record.isNew, version: version,
      out: try notes.outgoing().mapValues { outgoing in
        .init(
          acknowledged: outgoing.acknowledged, chain: outgoing.chain,
          sent: outgoing.sent.map(\.digest))
      },
      into: try notes.incoming().mapValues { .init(last: $0.last, chain: $0.chain) },
      report: report?.naming(record.people))
  }

  /// The latest single measurement of each person and quantity, if they would wait behind many rows.
  private func latest(
    _ record: ChannelRecord, _ notes: ChannelNotes
  ) throws -> Request.Latest? {
    let exchange = notes.exchange
    let few = longest.rows / 10
    var count = 0
    for stream in [RowStream.quick, .singles] where count <= few {
      let outgoing = try notes.outgoing(StreamKey(stream))
      _ = try exchange.travelling(
        stream, after: max(outgoing.acknowledged, outgoing.passed), for: .all
      ) { _ in
        count += 1
        return count <= few
      }
    }
    guard count > few else { return nil }
    let acknowledged = try notes.outgoing(StreamKey(.singles)).acknowledged
    let held = try peopleWithoutConsent(exchange)
    var rows: [BatchRow] = []
    for person in record.people.sorted() {
      for quantity in try exchange.quantities(of: .patient(person)) {
        guard rows.count < longest.rows,
          let sample = try exchange.latestSample(patient: person, quantity: quantity),
          let name = RowName(text: "sample " + sample.identity.text),
          let row = try exchange.travelling(name), row.number > acknowledged,
          row.channel != record.id.text, row.people.isDisjoint(with: held),
          !row.people.isDisjoint(with: record.delivers)
        else { continue }
        rows.append(BatchRow(name: row.name, digest: row.digest, lines: row.lines))
      }
    }
    guard !rows.isEmpty else { return nil }
    return Request.Latest(
      channel: record.id, rows: rows, seen: try notes.incoming(StreamKey(.marks)).last)
  }

  private func put(
    _ stream: RowStream, _ record: ChannelRecord, _ notes: ChannelNotes
  ) throws -> Request.Put? {
    let key = StreamKey(stream)
    var held: Set<String> = []
    if stream != .marks { held = try peopleWithoutConsent(notes.exchange) }
    let batch = try notes.nextBatch(
      key, for: .all, opened: record.opened, wanted: wanted[key] ?? [], limits: limits
    ) { row in
      if row.byteCount > longest.bytes { return .long }
      if !row.people.isDisjoint(with: held) { return .consent }
      // Rows of other people stay here: they may be another centre's.
      if !row.people.isEmpty, row.people.isDisjoint(with: record.delivers) { return .foreign }
      return nil
    }
    guard let batch else { return nil }
    let seen = try notes.incoming(StreamKey(.marks)).last
    return Request.Put(channel: record.id, key: key, batch: batch, seen: seen)
  }

  private func get(
    _ stream: RowStream, _ record: ChannelRecord, _ notes: ChannelNotes
  ) throws -> Request.Get? {
    for key in StreamKey.down(stream, people: record.people) where !level.contains(key) {
      return Request.Get(
        channel: record.id, key: key, chain: try notes.incoming(key).chain,
        wanted: wanted[key] ?? [])
    }
    return nil
  }

  /// Whether there is nothing of a stream to bring or to ask for.
  private func isLevel(
    _ stream: RowStream, _ record: ChannelRecord, _ notes: ChannelNotes
  ) throws -> Bool {
    try StreamKey.down(stream, people: record.people).allSatisfy(level.contains)
      && notes.isLevel(StreamKey(stream), for: .all)
  }

  /// Whether the box has rows that the centre has not been offered.
  package func hasRows(in exchange: any RowExchange) throws -> Bool {
    guard let record = try channel(in: exchange) else { return true }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    return try RowStream.allCases.contains { try !notes.isLevel(StreamKey($0), for: .all) }
  }

  /// How many rows wait for the centre to take them, by the reason.
  package func parked(in exchange: any RowExchange) throws -> [RowRefusal: Int] {
    guard let record = try channel(in: exchange) else { return [:] }
    return try ChannelNotes(exchange: exchange, id: record.id).parked().values
      .reduce(into: [:]) { $0[$1.reason, default: 0] += 1 }
  }

  /// Forgets everything about the centre; what came from it stays.
  package func leave(in exchange: any RowExchange) throws {
    if let record = try channel(in: exchange) {
      try ChannelNotes(exchange: exchange, id: record.id).forget()
    }
    try exchange.keep(nil, Self.scope, centre)
    try DeviceKit.leave(centre, in: exchange)
    try exchange.forget("unread/" + centre)
  }

  private func peopleWithoutConsent(_ exchange: any RowExchange) throws -> Set<String> {
    Set(
      try exchange.patients().map(\.id).filter {
        try !exchange.consent(of: $0).permitsLeaving
      })
  }
}

// MARK: - Answers

extension BoxSession {
  /// Takes an answer; one that does not fit what the store has changes nothing.
  package mutating func take(
    _ answer: Reply, to request: Request, in exchange: any RowExchange,
    makeChannel: () -> ChannelID
  ) throws {
    guard let record = try channel(in: exchange), record.id == request.channel else { return }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    switch (answer, request) {
    case (.gone(let older), _):
      if older != .unknown || !record.isNew { events.append(.older(older)) }
      // The store may be a copy, whose original writes under its name.
      try exchange.becomeAnotherWriter()
      _ = try open(in: exchange, makeChannel: makeChannel)
    case (.level, .still): isStill = true
    case (.conflict, .still): mustCompare = true
    case (.conflict, _):
      restart()
      mustCompare = true
    case (.forbidden, _): isForbidden = true
    case (.wants(let names), .put(let put)):
      wanted[put.key, default: []].formUnion(names)
    case (.tooLong, .put(let put)):
      limits.rows = max(1, put.batch.rows.count / 2)
      limits.bytes = max(1, put.batch.byteCount / 2)
      if put.batch.rows.count == 1, let name = put.batch.rows.first?.name,
        let number = try exchange.travelling(name)?.number
      {
        try notes.park(name, ParkedRow(number: number, reason: .long))
      }
    // They come again, and are acknowledged then.
    case (.taken, .latest), (.tooLong, .latest): break
    case (.welcome(let welcome), .hello): try take(welcome, record, notes)
    case (.taken(let digest, let refused), .put(let put)):
      let outgoing = try notes.outgoing(put.key)
      guard outgoing.chain == put.batch.base else { return }
      wanted[put.key] = nil
      // A plan that the centre joined with its own comes back at once, other things the next time.
      if put.key.stream == .quick { level = level.filter { $0.stream != .quick } }
      try acknowledge(digest, refused, put.key, notes)
    case (.level, .get(let get)): level.insert(get.key)
    case (.batch(let batch), .get(let get)): try take(batch, get.key, notes)
    default: restart()
    }
  }

  private mutating func take(
    _ welcome: Reply.Welcome, _ record: ChannelRecord, _ notes: ChannelNotes
  ) throws {
    (isOpen, mustCompare, level) = (true, false, welcome.level)
    isLatestDue = welcome.takesLatest ?? false
    if welcome.isTwin { events.append(.twin) }
    for (key, latest) in welcome.answers {
      try acknowledge(latest.digest, latest.refused, key, notes)
    }
    var record = try channel(in: notes.exchange) ?? record
    let hasNewRules = record.rules != nil && record.rules != welcome.rules
    record.isNew = false
    record.sessions += 1
    (record.rules, record.kept) = (welcome.rules, welcome.kept)
    (record.people, record.delivers) = (welcome.people, welcome.delivers)
    try keep(record, in: notes.exchange)
    try DeviceKit.take(
      welcome.kit ?? [], from: centre, people: welcome.people, in: notes.exchange)
    try offerAgain(record, hasNewRules: hasNewRules, notes)
  }

  /// Gives parked rows that may be taken now new numbers, so that they are sent again.
  private func offerAgain(
    _ record: ChannelRecord, hasNewRules: Bool, _ notes: ChannelNotes
  ) throws {
    let parked = try notes.parked()
    guard !parked.isEmpty else { return }
    let held = try peopleWithoutConsent(notes.exchange)
    for (name, entry) in parked.sorted(by: { $0.key < $1.key }) {
      guard let row = try notes.exchange.travelling(name), row.number == entry.number else {
        // It is gone, or was changed and is sent for that.
        try notes.park(name, nil)
        continue
      }
      switch entry.reason {
      case .long: continue
      case .consent:
        guard row.people.isDisjoint(with: held) else { continue }
        try notes.park(name, nil)
        try notes.exchange.renew(name)
      default:
        let isForeign = !row.people.isEmpty && row.people.isDisjoint(with: record.delivers)
        guard !isForeign else { continue }
        let isDue =
          record.taken != entry.taken
          && record.sessions - entry.session >= min(4, 1 << min(entry.tries, 2))
        guard hasNewRules || isDue else { continue }
        var entry = entry
        (entry.taken, entry.session) = (record.taken, record.sessions)
        entry.tries += 1
        // The entry keeps the number that was refused, so that the new one is sent.
        try notes.park(name, entry)
        try notes.exchange.renew(name)
      }
    }
  }

  private func acknowledge(
    _ digest: String, _ refused: [RowName: RowRefusal], _ key: StreamKey, _ notes: ChannelNotes
  ) throws {
    var outgoing = try notes.outgoing(key)
    guard let batch = outgoing.sent.first(where: { $0.digest == digest }) else { return }
    outgoing.acknowledge(batch)
    try notes.keep(outgoing, key)
    guard var record = try channel(in: notes.exchange) else { return }
    let before = record.taken
    if refused.count < batch.rows.count {
      record.taken += 1
      try keep(record, in: notes.exchange)
    }
    for (name, number) in batch.rows {
      guard let reason = refused[name] else {
        try notes.park(name, nil)
        continue
      }
      let tries = try notes.parked(name)?.tries ?? 0
      try notes.park(
        name,
        ParkedRow(
          number: number, reason: reason, taken: before, session: record.sessions, tries: tries))
    }
  }

  private mutating func take(_ batch: Batch, _ key: StreamKey, _ notes: ChannelNotes) throws {
    var incoming = try notes.incoming(key)
    guard incoming.chain == batch.base, batch.isWhole else { return restart() }
    let missing = try batch.missing(in: notes.exchange)
    guard missing.isEmpty else {
      wanted[key, default: []].formUnion(missing)
      return
    }
    let rows = batch.travelling
    let results = try notes.exchange.take(rows, by: notes.id.text, from: nil)
    var refused: [RowName: RowRefusal] = [:]
    for (row, result) in zip(rows, results) {
      if case .refused(let reason) = result { refused[row.name] = reason }
    }
    incoming.take(batch, refused: refused)
    try notes.keep(incoming, key)
    wanted[key] = nil
    try noteUnread(refused, rows, notes.exchange)
  }

  /// Notes the rows of the centre that this program cannot take: an upgraded one asks for all again.
  private func noteUnread(
    _ refused: [RowName: RowRefusal], _ rows: [TravellingRow], _ exchange: any RowExchange
  ) throws {
    for row in rows {
      try exchange.keep(refused[row.name]?.rawValue, "unread/" + centre, row.name.text)
    }
  }
}

// MARK: - Pruning

extension BoxSession {
  /// Removes measurements that the centre cannot lose any more.
  ///
  /// - Returns: How many rows were removed.
  package func prune(in exchange: any RowExchange) throws -> Int {
    guard let record = try channel(in: exchange) else { return 0 }
    let notes = ChannelNotes(exchange: exchange, id: record.id)
    let parked = try notes.parked()
    var count = 0
    for stream in [RowStream.singles, .hours] {
      let key = StreamKey(stream)
      guard let kept = record.kept[key] else { continue }
      // Whatever a centre says that it keeps, it has no more than it has taken.
      let taken = try notes.outgoing(key).acknowledged
      count += try exchange.prune(upTo: min(kept, taken), in: stream) { parked[$0] != nil }
    }
    return count
  }
}
