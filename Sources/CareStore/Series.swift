import Care
import Foundation

// Streamed samples: the current hour of a series as rows, earlier hours packed into blocks.

/// A row of the table `block`.
struct BlockRow {
  let number: Int64
  let series: Int64
  let source: Int64
  let quantity: Quantity
  let hour: Int64
  let attributed: String?
  let reason: String?
  let patient: String?
  let state: Sample.State
  let reached: Reached
  /// The earliest start, the latest start and the latest end, µs since 1970.
  let first: Int64
  let latest: Int64
  let lastEnd: Int64
  let device: DeviceIdentity
  let userIndex: Int?
  let kind: String?
  let provenance: Provenance

  /// Reads a row of ``select``.
  init(_ row: Row) throws {
    number = try row.required("number")
    series = try row.required("series")
    source = try row.required("source")
    quantity = try row.parsed("quantity", Quantity.init(rawValue:))
    hour = try row.required("hour")
    attributed = try row.optional("attributed")
    reason = try row.optional("reason")
    patient = try row.optional("patient")
    state = Sample.State(number: try row.required("state")) ?? .live
    first = try row.required("first_date")
    latest = try row.required("latest_date")
    lastEnd = try row.required("last_end")
    reached = Reached(
      count: try row.required("count"), sum: try row.required("sum"),
      least: try row.required("least"), most: try row.required("most"),
      latest: try row.required("latest"), latestDate: Date(microseconds: latest))
    device = DeviceIdentity(
      address: try row.device("device"), definition: try row.text("definition").nonEmpty)
    let user: Int = try row.required("user_index")
    userIndex = user < 0 ? nil : user
    kind = try row.text("kind").nonEmpty
    provenance = try row.parsed("provenance", Provenance.init(rawValue:))
  }

  /// Reads rows of blocks without their packed samples, which are longer than all the rest.
  static let select = """
    SELECT block.number, block.series, block.source, block.quantity, block.hour, block.attributed,
      block.reason, block.patient, block.state, block.first_date, block.latest_date, block.last_end,
      block.count, block.sum, block.least, block.most, block.latest, series.device,
      source.definition, series.user_index, source.kind, source.provenance
    FROM block JOIN series ON series.number = block.series
      JOIN source ON source.number = block.source
    """

  /// One of its samples, with what the block says of all.
  func sample(_ streamed: StreamedSample) -> Sample {
    let reading = Reading(
      quantity: quantity, value: streamed.value, arrival: Date(microseconds: streamed.arrival),
      device: device, userIndex: userIndex, kind: kind, isStreamed: true)
    let start = Date(microseconds: streamed.start)
    var sample = Sample(
      reading: reading, patient: patient, unassignedReason: patient == nil ? reason : nil,
      start: start, end: start, provenance: provenance, state: state)
    sample.take(streamed)
    return sample
  }

  /// All of these samples of its own, with what it says of each.
  func samples(_ streamed: [StreamedSample]) -> [Sample] {
    guard let first = streamed.first else { return [] }
    var sample = sample(first)
    return streamed.map { next in
      sample.take(next)
      return sample
    }
  }
}

extension Sample {
  /// Becomes another sample of its block: changing what differs is faster than making it.
  fileprivate mutating func take(_ streamed: StreamedSample) {
    start = Date(microseconds: streamed.start)
    end = streamed.start < streamed.end ? Date(microseconds: streamed.end) : start
    reading.interval = start < end ? DateInterval(start: start, end: end) : nil
    reading.arrival =
      streamed.arrival == streamed.start ? start : Date(microseconds: streamed.arrival)
    reading.ordinal = streamed.ordinal
    reading.value = streamed.value
    reading.raw = streamed.raw
  }
}

/// The hours and samples of a block.
enum Hours {
  static let length: Int64 = 3_600_000_000

  /// The hour of an instant, µs since 1970.
  static func hour(of date: Int64) -> Int64 { date.flooredDivision(by: length).quotient }
}

extension Sample {
  /// Whether it is one of many in a series, with nothing that only a row of its own can say.
  var isStoredAsStream: Bool {
    reading.isStreamed && !reading.isBroadcast && reading.kind == nil
      && reading.deviceTime == nil
      && reading.sourceValue == nil && isClockTrusted && corrects == nil
      && (state == .live || state == .deleted) && reading.raw.count <= SeriesBlock.longestFrame
      && end.microseconds &- start.microseconds <= Hours.length
      && start == (reading.interval?.start ?? reading.arrival)
      && identity == SampleIdentity(reading)
  }

  /// The sample without what its block says of all.
  var streamed: StreamedSample {
    StreamedSample(
      start: start.microseconds, end: end.microseconds, arrival: reading.arrival.microseconds,
      ordinal: reading.ordinal, value: reading.value, raw: reading.raw)
  }
}

// MARK: - Reading

extension SQLTransaction {
  /// The streamed samples of an owner and quantity that a query asks for, oldest first.
  func streamedSamples(
    _ query: SampleQuery, patient: String?, quantity: Quantity
  ) throws -> [Sample] {
    let blocks = try blocks(query, patient: patient, quantity: quantity)
    let limit = query.limit.map { max(0, $0) } ?? .max
    let (from, to) = (query.from?.microseconds ?? .min, query.to?.microseconds ?? .max)
    var found: [Sample] = []
    found.reserveCapacity(min(limit, blocks.reduce(0) { $0 + $1.reached.count }))
    var hour: Int64?
    for block in blocks {
      // Blocks of one hour overlap, so the latest samples are known once the hour is complete.
      if block.hour != hour, found.count >= limit { break }
      hour = block.hour
      let samples = try unpacked(block)
      guard let first = samples.first else { continue }
      var sample = block.sample(first)
      for streamed in samples where streamed.end >= from && streamed.start <= to {
        sample.take(streamed)
        found.append(sample)
      }
    }
    // Blocks are sorted, and follow each other unless several are of one hour.
    let isSorted = found.indices.dropFirst().allSatisfy { index in
      let (a, b) = (index - 1, index)
      return (found[a].start, found[a].reading.ordinal) <= (
        found[b].start, found[b].reading.ordinal
      )
    }
    if isSorted { return found }
    return found.sorted { ($0.start, $0.reading.ordinal) < ($1.start, $1.reading.ordinal) }
  }

  /// How many streamed samples of an owner and quantity a query has; whole blocks are not unpacked.
  func streamedCount(_ query: SampleQuery, patient: String?, quantity: Quantity) throws -> Int {
    let (from, to) = (query.from?.microseconds ?? .min, query.to?.microseconds ?? .max)
    return try blocks(query, patient: patient, quantity: quantity).reduce(0) { count, block in
      if block.first >= from, block.latest <= to { return count + block.reached.count }
      return count + (try unpacked(block).count { $0.end >= from && $0.start <= to })
    }
  }

  /// The blocks that may hold samples of a query.
  private func blocks(
    _ query: SampleQuery, patient: String?, quantity: Quantity
  ) throws -> [BlockRow] {
    guard !query.states.isDisjoint(with: [.live, .deleted, .disowned, .notTaken]) else { return [] }
    return try blocks(
      patient: patient, quantity: quantity, from: query.from, to: query.to,
      newestFirst: query.limit != nil
    ).filter { block in
      query.states.contains(block.state)
        && query.device.map { $0 == block.device.address } ?? true
    }
  }

  /// The blocks of an owner and quantity that may hold samples of a span, by hour.
  func blocks(
    patient: String?, quantity: Quantity, from: Date?, to: Date?, newestFirst: Bool = false
  ) throws -> [BlockRow] {
    // A sample lasts an hour at most.
    let first = from.map { Hours.hour(of: $0.microseconds) - 1 } ?? .min
    let last = to.map { Hours.hour(of: $0.microseconds) } ?? .max
    return try rows(
      """
      \(BlockRow.select)
      WHERE \(Dialect.isSame("block.patient")) AND block.quantity = ? AND hour BETWEEN ? AND ?
        AND last_end >= ? AND first_date <= ?
      ORDER BY hour \(newestFirst ? "DESC" : ""), block.number
      """,
      [
        patient, quantity.rawValue, first, last, from?.microseconds ?? .min,
        to?.microseconds ?? .max,
      ], read: BlockRow.init)
  }

  /// The samples of a block, sorted by start and ordinal.
  func unpacked(_ block: BlockRow) throws -> [StreamedSample] {
    try unpacked(block.number)
  }

  func unpacked(_ block: Int64) throws -> [StreamedSample] {
    if let known = state.unpacked, known.block == block { return known.samples }
    let data: Data? = try row("SELECT data FROM block WHERE number = ?", [block])?.optional("data")
    guard let data else { return try recent(block) }
    do throws(BlockDamage) {
      let samples = try SeriesBlock.decode(Array(data))
      state.unpacked = (block, samples)
      return samples
    } catch {
      throw StoreError.failed(.damagedBlock(block, String(describing: error)), store: place)
    }
  }

  private func recent(_ block: Int64) throws -> [StreamedSample] {
    try rows("SELECT * FROM recent WHERE block = ? ORDER BY start_date, ordinal", [block]) { row in
      let raw: Data = try row.required("raw")
      return StreamedSample(
        start: try row.required("start_date"), end: try row.required("end_date"),
        arrival: try row.required("arrival_date"), ordinal: try row.required("ordinal"),
        value: try row.required("value"), raw: Array(raw))
    }
  }

  /// Whether a streamed reading is stored, in any state.
  func containsStreamed(_ reading: Reading, series: Int64) throws -> Bool {
    let start = (reading.interval?.start ?? reading.arrival).microseconds
    return try holder(of: start, ordinal: reading.ordinal, series: series) != nil
  }

  /// The block that has a sample.
  private func holder(of start: Int64, ordinal: Int, series: Int64) throws -> Int64? {
    let blocks = try rows(
      "SELECT number, data IS NULL AS is_open FROM block WHERE series = ? AND hour = ?",
      [series, Hours.hour(of: start)]
    ) { (number: try $0.required("number") as Int64, isOpen: try $0.required("is_open") as Bool) }
    for block in blocks {
      if block.isOpen {
        let known = try row(
          "SELECT 1 FROM recent WHERE block = ? AND start_date = ? AND ordinal = ?",
          [block.number, start, ordinal])
        if known != nil { return block.number }
      } else if try unpacked(block.number).contains(start: start, ordinal: ordinal) {
        return block.number
      }
    }
    return nil
  }

  /// The streamed sample of an identity; `nil` if there is none.
  func streamedSample(_ identity: SampleIdentity) throws -> Sample? {
    guard let parts = identity.parts, parts.raw.isEmpty,
      let series = try series(parts.series),
      let number = try holder(of: parts.column, ordinal: parts.ordinal, series: series),
      let block = try rows(
        "\(BlockRow.select) WHERE block.number = ?", [number], read: BlockRow.init
      ).first
    else { return nil }
    return try unpacked(block).first { $0.start == parts.column && $0.ordinal == parts.ordinal }
      .map(block.sample)
  }
}

extension [StreamedSample] {
  /// Whether a sample is among these, which are sorted.
  fileprivate func contains(start: Int64, ordinal: Int) -> Bool {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if (self[middle].start, self[middle].ordinal) < (start, ordinal) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < endIndex && self[low].start == start && self[low].ordinal == ordinal
  }
}

// MARK: - Writing

/// The fields that the samples of one block have in common.
struct BlockKey: Hashable {
  var series: Int64
  var source: Int64
  var quantity: String
  var hour: Int64
  var attributed: String?
  var reason: String?
  var patient: String?
  var state: Sample.State
}

extension SQLTransaction {
  /// The most samples of a block: more of one hour go to another one.
  static let mostInBlock = 32_768

  /// Stores a streamed sample.
  func insertStreamed(_ sample: Sample) throws -> Bool {
    let series = try makeSeries(SeriesKey(sample.reading))
    let start = sample.start.microseconds
    guard try holder(of: start, ordinal: sample.ordinal, series: series) == nil else {
      return false
    }
    var owner = (
      patient: sample.patient, state: sample.state == .live ? sample.ownState : sample.state
    )
    if let changed = try stateAfterChanges(of: sample) {
      owner = (changed.patient, changed.state)
    }
    try add(
      sample.streamed,
      to: BlockKey(
        series: series, source: try makeSource(SourceKey(sample)),
        quantity: sample.quantity.rawValue, hour: Hours.hour(of: start),
        attributed: sample.patient, reason: sample.unassignedReason, patient: owner.patient,
        state: owner.state))
    return true
  }

  /// Adds a sample to an open block of its key.
  func add(_ sample: StreamedSample, to key: BlockKey) throws {
    let block = try openBlock(key)
    try execute(
      """
      INSERT INTO recent (block, start_date, ordinal, end_date, arrival_date, value, raw)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        block, sample.start, sample.ordinal, sample.end, sample.arrival, sample.value,
        Data(sample.raw),
      ])
    try execute(
      """
      UPDATE block SET count = count + 1, sum = sum + ?1,
        least = \(Dialect.lesser("least", "?1")), most = \(Dialect.greater("most", "?1")),
        latest = CASE WHEN ?2 >= latest_date THEN ?1 ELSE latest END,
        first_date = \(Dialect.lesser("first_date", "?2")),
        latest_date = \(Dialect.greater("latest_date", "?2")),
        last_end = \(Dialect.greater("last_end", "?3")), stored = ?5
      WHERE number = ?4
      """, [sample.value, sample.start, sample.end, block, try nextStored()])
  }

  /// The open block of a key, which is made if there is none.
  private func openBlock(_ key: BlockKey) throws -> Int64 {
    let known = try rows(
      """
      SELECT number, part, count, data IS NULL AS is_open FROM block
      WHERE series = ? AND hour = ? AND source = ? AND \(Dialect.isSame("attributed")) AND \(Dialect.isSame("reason"))
        AND \(Dialect.isSame("patient")) AND state = ? AND count < ?
      ORDER BY part
      """,
      [
        key.series, key.hour, key.source, key.attributed, key.reason, key.patient,
        key.state.number, Self.mostInBlock,
      ]
    ) { (number: try $0.required("number") as Int64, isOpen: try $0.required("is_open") as Bool) }
    if let open = known.first(where: \.isOpen) { return open.number }
    if let packed = known.first {
      try reopen(packed.number)
      return packed.number
    }
    try packOpenBlocks(of: key.series, before: key.hour)
    return try makeBlock(key)
  }

  /// Makes a block without samples.
  func makeBlock(_ key: BlockKey) throws -> Int64 {
    try db.insert(
      """
      INSERT INTO block (series, source, quantity, hour, part, attributed, reason, patient, state,
        count, sum, least, most, latest, first_date, latest_date, last_end, stored)
      VALUES (?, ?, ?, ?, (SELECT count(*) FROM block WHERE series = ? AND hour = ?), ?, ?, ?, ?,
        0, 0, ?, ?, 0, ?, ?, ?, ?)
      """,
      [
        key.series, key.source, key.quantity, key.hour, key.series, key.hour, key.attributed,
        key.reason, key.patient, key.state.number, Double.infinity,
        -Double.infinity, Int64.max, Int64.min, Int64.min, try nextStored(),
      ])
  }

  /// Packs the rows of a series' blocks whose hour is over.
  func packOpenBlocks(of series: Int64? = nil, before hour: Int64) throws {
    let open =
      if let series {
        try rows(
          "SELECT number FROM block WHERE series = ? AND hour < ? AND data IS NULL",
          [series, hour]
        ) { try $0.required("number") as Int64 }
      } else {
        try rows("SELECT number FROM block WHERE data IS NULL AND hour < ?", [hour]) {
          try $0.required("number") as Int64
        }
      }
    for block in open { try pack(block) }
  }

  private func pack(_ block: Int64) throws {
    try setSamples(of: block, to: try recent(block), isPacked: true)
  }

  /// Turns a packed block into rows again, for a sample that arrived late.
  private func reopen(_ block: Int64) throws {
    try setSamples(of: block, to: try unpacked(block), isPacked: false)
  }

  /// Gives a block these samples, sorted by start and ordinal; a block without samples goes.
  func setSamples(of block: Int64, to samples: [StreamedSample], isPacked: Bool) throws {
    state.unpacked = nil
    try execute("DELETE FROM recent WHERE block = ?", [block])
    let reached = Reached(
      samples.lazy.map { (value: $0.value, start: Date(microseconds: $0.start)) })
    guard let reached, let first = samples.first, let last = samples.last else {
      try execute("DELETE FROM block WHERE number = ?", [block])
      return
    }
    if !isPacked {
      for sample in samples {
        try execute(
          """
          INSERT INTO recent (block, start_date, ordinal, end_date, arrival_date, value, raw)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
          [
            block, sample.start, sample.ordinal, sample.end, sample.arrival, sample.value,
            Data(sample.raw),
          ])
      }
    }
    let data = isPacked ? Data(try SeriesBlock.encode(samples)) : nil
    try execute(
      """
      UPDATE block SET count = ?, sum = ?, least = ?, most = ?, latest = ?, first_date = ?,
        latest_date = ?, last_end = ?, data = ?, stored = ?
      WHERE number = ?
      """,
      [
        reached.count, reached.sum, reached.least, reached.most, reached.latest, first.start,
        last.start, samples.lazy.map(\.end).max() ?? last.end, data, try nextStored(), block,
      ])
  }
}

// MARK: - The evidence for an event

extension SQLTransaction {
  /// Returns the samples that count for an event by one linkage, or their summary.
  ///
  /// Of very many samples, it reads only the sums of each hour, and the hours at both ends.
  func evidence(for event: Event, by linkage: Linkage) throws -> LinkedEvidence {
    let (start, end) = (event.occurrence.start, event.occurrence.linkageEnd)
    let query = SampleQuery(
      owner: .patient(event.task.patient), quantity: linkage.quantity, device: linkage.device,
      from: start, to: end)
    var single = try singleSamples(query)
    if let counterpart = linkage.quantity.counterpart {
      var same = query
      same.quantity = counterpart
      // Those of a stream are read with the single ones, in order.
      let others = try hourFigures(same).isEmpty ? singleSamples(same) : samples(same)
      single += others.compactMap { $0.measured(as: linkage.quantity) }
    }
    let blocks = try hourFigures(query)
    // Entered samples stand alone; corrections of measured samples stand among the measured ones.
    let entered = try enteredSamples(of: event, by: linkage, among: single)
    if !entered.isEmpty { return .entered(entered) }
    // Leave out samples that were entered for another event of the task.
    single = try single.filter { try !isEntered($0) }
    let isFew = blocks.reduce(single.count) { $0 + $1.reached.count } <= Linkage.mostListed
    if isFew || (linkage.type == .cumulative && !single.isEmpty) {
      return .samples(single + (try blocks.flatMap { try wholeSamples(of: $0.number) }))
    }
    var reached = Reached(
      single.filter { event.takes($0, by: linkage) }.map { ($0.value, $0.start) })
    for hour in blocks.byHour {
      let isOfOneDevice = hour.allSatisfy { $0.series == hour.first?.series }
      let isWhole = hour.allSatisfy { block in
        block.first >= start.microseconds && block.latest < end.microseconds
      }
      if isWhole, linkage.type == .discrete || isOfOneDevice || Set(hour.map(\.device)).count == 1 {
        for block in hour { reached = reached?.adding(block.reached) ?? block.reached }
        continue
      }
      var samples = try hour.flatMap { try wholeSamples(of: $0.number) }
        .filter { event.takes($0, by: linkage) }
      if linkage.type == .cumulative { samples = Linkage.countedOnce(samples) }
      samples.sort { ($0.start, $0.ordinal) < ($1.start, $1.ordinal) }
      guard let part = Reached(samples.map { ($0.value, $0.start) }) else { continue }
      reached = reached?.adding(part) ?? part
    }
    guard let reached else { return .samples([]) }
    return .reached(reached)
  }

  /// The figures of the live blocks that may hold samples of a query, by hour.
  ///
  /// An event with a day of beats reads them for each beat, so they are only what a sum needs.
  private func hourFigures(_ query: SampleQuery) throws -> [BlockFigures] {
    guard let place = LinkedSamples.Place(query), let from = query.from?.microseconds,
      let to = query.to?.microseconds
    else { return [] }
    let blocks =
      try state.linked?.blocks(of: place, from: from, to: to)
      ?? rows(
        """
        \(BlockFigures.select)
        WHERE block.patient = ? AND block.quantity = ? AND hour BETWEEN ? AND ?
          AND last_end >= ? AND first_date <= ? AND state = ?
        ORDER BY hour, block.number
        """,
        [
          place.patient, place.quantity.rawValue, Hours.hour(of: from) - 1, Hours.hour(of: to),
          from, to, Sample.State.live.number,
        ], read: BlockFigures.init)
    return query.device.map { device in blocks.filter { $0.device == device.text } } ?? blocks
  }

  /// The samples of a block.
  private func wholeSamples(of number: Int64) throws -> [Sample] {
    guard
      let block = try rows(
        "\(BlockRow.select) WHERE block.number = ?", [number], read: BlockRow.init
      ).first
    else { return [] }
    return try unpacked(number).map(block.sample)
  }

  /// The single samples of a query, by start.
  private func singleSamples(_ query: SampleQuery) throws -> [Sample] {
    guard let place = LinkedSamples.Place(query), let from = query.from, let to = query.to else {
      return []
    }
    let known = state.linked?.singles(of: place, from: from, to: to)
    if let known, let device = query.device { return known.filter { $0.device.address == device } }
    return try known
      ?? rowSamples(query, patient: place.patient, quantity: place.quantity)
      .map(\.sample).sorted { $0.start < $1.start }
  }

  /// Reads the samples for events of linked tasks together.
  func linkedSamples(of events: [Event]) throws -> LinkedSamples {
    var (patients, quantities): (Set<String>, Set<Quantity>) = ([], [])
    for event in events {
      patients.insert(event.task.patient)
      for linkage in event.task.linkages {
        quantities.formUnion([linkage.quantity, linkage.quantity.counterpart].compactMap(\.self))
      }
    }
    let from = events.map(\.occurrence.start.microseconds).min() ?? 0
    let to = events.map(\.occurrence.linkageEnd.microseconds).max() ?? 0
    let (people, names) = (
      try JSON.text(patients.sorted()), try JSON.text(quantities.map(\.rawValue).sorted())
    )
    func isAsked(_ table: String) -> String {
      """
      \(table).patient IN (\(Dialect.members("?1"))) AND \(table).quantity IN (\(Dialect.members("?2")))
        AND \(table).state = \(Sample.State.live.number)
      """
    }
    // Nothing of a kind lasts longer than the longest, so the index need not be read from its start.
    let longest: Int64 =
      try row(
        """
        SELECT max((SELECT max(end_date - start_date) FROM sample AS own
          WHERE own.patient = person.value AND own.quantity = kind.value AND end_date > start_date)) AS longest
        FROM (\(Dialect.members("?1"))) AS person CROSS JOIN (\(Dialect.members("?2"))) AS kind
        """, [people, names])?.optional("longest") ?? 0
    var read = LinkedSamples(longest: longest)
    try rows(
      """
      \(Sample.select) WHERE \(isAsked("sample")) AND start_date BETWEEN ?3 AND ?4
      ORDER BY start_date, sample.number DESC
      """, [people, names, from - longest, to]
    ) { read.add(try Sample($0)) }
    try rows(
      """
      \(BlockFigures.select) WHERE \(isAsked("block")) AND hour BETWEEN ?3 AND ?4
      ORDER BY hour, block.number
      """, [people, names, Hours.hour(of: from) - 1, Hours.hour(of: to)]
    ) { row in
      let place = LinkedSamples.Place(
        patient: try row.text("patient"),
        quantity: try row.parsed("quantity", Quantity.init(rawValue:)))
      read.add(try BlockFigures(row), to: place)
    }
    return read
  }
}

/// The samples that may count for some events, read together.
struct LinkedSamples {
  /// The patient and quantity of samples.
  struct Place: Hashable {
    var patient: String
    var quantity: Quantity
  }

  /// How many events are read together, at most: a year of minutes is not in memory at once.
  static let mostEvents = 1024

  /// The longest of the single samples, µs.
  private let longest: Int64
  /// The single samples by start, among equals the one stored last first.
  private var singles: [Place: [Sample]] = [:]
  /// The figures of blocks by hour.
  private var blocks: [Place: [BlockFigures]] = [:]
  /// The events whose outcomes hold entered values, by task and by the values' times, as far as needed.
  var holders: [TaskReference: [Int64: [EventKey]]] = [:]

  init(longest: Int64) { self.longest = longest }

  mutating func add(_ sample: Sample) {
    guard let patient = sample.patient else { return }
    singles[Place(patient: patient, quantity: sample.quantity), default: []].append(sample)
  }

  fileprivate mutating func add(_ block: BlockFigures, to place: Place) {
    blocks[place, default: []].append(block)
  }

  /// The single samples that touch a span.
  func singles(of place: Place, from: Date, to: Date) -> [Sample] {
    let all = singles[place] ?? []
    let first = all.place { $0.start.microseconds >= from.microseconds - longest }
    return all[first...].prefix { $0.start <= to }.filter { $0.end >= from }
  }

  /// The figures of the blocks that may hold samples of a span, µs since 1970.
  fileprivate func blocks(of place: Place, from: Int64, to: Int64) -> [BlockFigures] {
    let all = blocks[place] ?? []
    let first = all.place { $0.hour >= Hours.hour(of: from) - 1 }
    return all[first...].prefix { $0.hour <= Hours.hour(of: to) }
      .filter { $0.lastEnd >= from && $0.first <= to }
  }
}

extension LinkedSamples.Place {
  fileprivate init?(_ query: SampleQuery) {
    guard case .patient(let patient) = query.owner, let quantity = query.quantity else {
      return nil
    }
    self.init(patient: patient, quantity: quantity)
  }
}

extension Array {
  /// The first place of which a condition holds that holds of all after it; the end if none does.
  fileprivate func place(where isPast: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isPast(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// The summary of a block's samples.
private struct BlockFigures {
  let number: Int64
  let series: Int64
  let device: String
  let hour: Int64
  /// The earliest start, the latest start and the latest end, µs since 1970.
  let first: Int64
  let latest: Int64
  let lastEnd: Int64
  let reached: Reached

  static let select = """
    SELECT block.patient, block.quantity, block.number, block.series, series.device, hour, count, sum, least,
      most, latest, first_date, latest_date, last_end
    FROM block JOIN series ON series.number = block.series
    """

  /// Reads the columns in their order.
  init(_ row: Row) throws {
    number = try row.required("number")
    series = try row.required("series")
    device = try row.text("device")
    hour = try row.required("hour")
    let (count, sum): (Int, Double) = (try row.required("count"), try row.required("sum"))
    let (least, most): (Double, Double) = (try row.required("least"), try row.required("most"))
    let latestValue: Double = try row.required("latest")
    first = try row.required("first_date")
    latest = try row.required("latest_date")
    lastEnd = try row.required("last_end")
    reached = Reached(
      count: count, sum: sum, least: least, most: most, latest: latestValue,
      latestDate: Date(microseconds: latest))
  }
}

extension [BlockFigures] {
  /// The blocks of each hour; they are sorted by hour.
  fileprivate var byHour: [ArraySlice<BlockFigures>] {
    var hours: [ArraySlice<BlockFigures>] = []
    var start = startIndex
    for index in indices where self[index].hour != self[start].hour {
      hours.append(self[start..<index])
      start = index
    }
    if start < endIndex { hours.append(self[start...]) }
    return hours
  }
}
