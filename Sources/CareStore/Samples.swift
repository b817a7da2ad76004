import Care
import Foundation

// MARK: - Reading

extension SQLTransaction {
  func samples(_ query: SampleQuery) throws -> [Sample] {
    try reading {
      if let from = query.from, let to = query.to, from > to { return [] }
      var found: [(sample: Sample, number: Int64)] = []
      let places = try places(of: query)
      for (patient, quantity) in places {
        let single = try rowSamples(query, patient: patient, quantity: quantity)
        let streamed = try streamedSamples(query, patient: patient, quantity: quantity)
        // A stream alone is in order already.
        if places.count == 1, single.isEmpty {
          guard let limit = query.limit, limit < streamed.count else { return streamed }
          return Array(streamed.suffix(max(0, limit)))
        }
        found += single
        found += streamed.map { ($0, 0) }
      }
      found.sort { a, b in
        guard a.sample.start == b.sample.start else { return a.sample.start < b.sample.start }
        return (a.number, a.sample.ordinal) < (b.number, b.sample.ordinal)
      }
      return found.suffix(max(0, query.limit ?? .max)).map(\.sample)
    }
  }

  func sampleCount(_ query: SampleQuery) throws -> Int {
    try reading {
      if let from = query.from, let to = query.to, from > to { return 0 }
      var count = 0
      for (patient, quantity) in try places(of: query) {
        let (condition, arguments) = query.condition(patient: patient, quantity: quantity)
        let row = try row(
          "SELECT count(*) AS count FROM sample JOIN series ON series.number = sample.series WHERE "
            + condition, arguments)
        count += try row?.required("count") ?? 0
        count += try streamedCount(query, patient: patient, quantity: quantity)
      }
      return min(count, query.limit.map { max(0, $0) } ?? .max)
    }
  }

  /// The owners and quantities that a query asks for: every table is searched by both.
  private func places(of query: SampleQuery) throws -> [(patient: String?, quantity: Quantity)] {
    let owners: [String?]
    switch query.owner {
    case .patient(let patient): owners = [patient]
    case .unassigned: owners = [nil]
    case .anyone: owners = try sampleOwners()
    }
    return try owners.flatMap { owner in
      let known =
        try query.quantity.map { [$0] }
        ?? owner.map { try quantities("patient = ?1", [$0], isLive: false) }
        ?? quantities("patient IS NULL", isLive: false)
      return known.map { (owner, $0) }
    }
  }

  /// Everyone who has samples, and `nil` for the tray.
  func sampleOwners() throws -> [String?] {
    var owners: Set<String> = []
    for table in ["sample", "block"] {
      var last = ""
      // Each step is a search in the index; an engine may read all rows for DISTINCT.
      while let next: String = try row(
        "SELECT min(patient) AS patient FROM \(table) WHERE patient > ?", [last])?
        .optional("patient")
      {
        owners.insert(next)
        last = next
      }
    }
    // Those of a deleted patient are hidden with the patient.
    let hidden = Set(try things(Patient.self, patient: nil, isDeleted: true).map(\.id))
    return [nil] + owners.subtracting(hidden).sorted().map { $0 }
  }

  func rowSamples(
    _ query: SampleQuery, patient: String?, quantity: Quantity
  ) throws -> [(sample: Sample, number: Int64)] {
    let (condition, arguments) = query.condition(patient: patient, quantity: quantity)
    let limit = query.limit.map { max(0, $0) } ?? .max
    return try rows(
      """
      \(Sample.select) WHERE \(condition) ORDER BY start_date DESC, sample.number DESC LIMIT ?
      """, arguments + [limit]
    ) { (try Sample($0), try $0.required("number")) }
  }

  func latestSample(patient: String, quantity: Quantity) throws -> Sample? {
    try samples(SampleQuery(owner: .patient(patient), quantity: quantity, limit: 1)).first
  }

  /// Whether a sample of that identity is stored, or the same broadcast arrived shortly before.
  func contains(_ value: Reading, identity: SampleIdentity) throws -> Bool {
    try reading {
      guard let series = try series(SeriesKey(value)) else {
        // Another identity than the reading's own may be of another series.
        return try locate(identity) != nil
      }
      if value.isStreamed, SampleIdentity(value) == identity {
        return try containsStreamed(value, series: series)
      }
      let key = IdentityKey(identity, of: value)
      if !key.text.isEmpty { return try locate(identity) != nil }
      if try number(of: key, series: series) != nil { return true }
      guard key.basis == .broadcast else { return false }
      let window = Self.broadcastWindow
      return try row(
        """
        SELECT 1 FROM sample WHERE series = ? AND time BETWEEN ? AND ? AND ordinal = ?
          AND raw = ? AND basis = 2 AND state <> 3
        """,
        [series, key.time - window, key.time + window, key.ordinal, Data(value.raw)]) != nil
    }
  }

  func containsFrame(of value: Reading, since: Date) throws -> Bool {
    try reading {
      guard let series = try series(SeriesKey(value)) else { return false }
      return try row(
        """
        SELECT 1 FROM sample WHERE series = ? AND time BETWEEN ? AND ? AND ordinal = ? AND raw = ?
          AND \(Dialect.isSame("device_time")) AND basis <> 0 LIMIT 1
        """,
        [
          series, since.microseconds, value.arrival.microseconds, value.ordinal, Data(value.raw),
          value.deviceTime?.description,
        ]) != nil
    }
  }

  func addContext(_ context: MeasurementContext, to identity: SampleIdentity) throws -> Bool {
    try changing {
      guard let (number, sample) = try locate(identity), !sample.context.isSuperset(of: context)
      else { return false }
      try setContext(sample.context.union(context), ofSample: number)
      return true
    }
  }

  private func setContext(_ context: MeasurementContext, ofSample number: Int64) throws {
    try execute(
      "UPDATE sample SET context = ?, stored = ? WHERE number = ?",
      [context.names.joined(separator: " "), try nextStored(), number])
  }

  func deviceHours(from: Date, to: Date) throws -> [DeviceHour] {
    func part(
      _ table: String, first: String, latest: String, end: String, hour: String, value: String
    ) -> String {
      """
      SELECT \(table).patient AS patient, series.device AS device, source.definition AS definition,
        \(table).state AS state, CASE WHEN \(table).quantity = ?4 THEN \(value) END AS battery,
        min(\(first)) AS first_date, max(\(latest)) AS latest_date, max(\(end)) AS last_end
      FROM \(table) JOIN series ON series.number = \(table).series
        JOIN source ON source.number = \(table).source
      WHERE (\(table).patient IS NULL OR \(table).patient IN (\(Dialect.members("?1"))))
        AND \(latest) >= ?2 AND \(first) <= ?3 AND source.provenance <> ?5
      GROUP BY \(table).patient, series.device, source.definition, \(table).state, battery, \(hour)
      """
    }
    let singles = part(
      "sample", first: "start_date", latest: "start_date", end: "end_date",
      hour: "start_date / \(Hours.length)", value: "value")
    let streams = part(
      "block", first: "first_date", latest: "latest_date", end: "last_end", hour: "hour",
      value: "latest")
    return try reading {
      try rows(
        singles + " UNION ALL " + streams,
        [
          try JSON.text(plan().patients.map(\.id)), from.microseconds, to.microseconds,
          Quantity.batteryLevel.rawValue, Provenance.manual.rawValue,
        ]
      ) { row in
        let patient: String? = try row.optional("patient")
        let device = DeviceIdentity(
          address: try row.device("device"), definition: try row.text("definition").nonEmpty)
        return DeviceHour(
          patient: patient, device: device, state: try row.required("state"),
          battery: try row.optional("battery"), first: try row.date("first_date"),
          latest: try row.date("latest_date"), end: try row.date("last_end"))
      }
    }
  }

  func latestMeasurements(until date: Date) throws -> [String: [Quantity: LatestMeasurement]] {
    // Of each pair one search in the index.
    func part(_ table: String, first: String, latest: String, end: String, order: String) -> String
    {
      """
      SELECT person.value AS patient, kind.value AS quantity, series.device AS device,
        \(table).\(latest) AS latest_date, \(table).\(end) AS last_end
      FROM (\(Dialect.members("?1"))) AS person CROSS JOIN (\(Dialect.members("?2"))) AS kind
        JOIN \(table) ON \(table).number = (
          SELECT own.number FROM \(table) AS own
          WHERE own.patient = person.value AND own.quantity = kind.value AND own.state = ?3
            AND own.\(first) <= ?4
          ORDER BY own.\(order) DESC, own.number DESC LIMIT 1)
        JOIN series ON series.number = \(table).series
      """
    }
    let singles = part(
      "sample", first: "start_date", latest: "start_date", end: "end_date", order: "start_date")
    let streams = part(
      "block", first: "first_date", latest: "latest_date", end: "last_end", order: "hour")
    return try reading {
      var latest: [String: [Quantity: LatestMeasurement]] = [:]
      try rows(
        singles + " UNION ALL " + streams,
        [
          try JSON.text(plan().patients.map(\.id)), try JSON.text(Quantity.all.map(\.rawValue)),
          Sample.State.live.number, date.microseconds,
        ]
      ) { row in
        let patient = try row.text("patient")
        let quantity = try row.parsed("quantity", Quantity.init(rawValue:))
        let found = LatestMeasurement(
          device: try row.device("device"), start: try row.date("latest_date"),
          end: try row.date("last_end"))
        if let known = latest[patient]?[quantity], known.start >= found.start { return }
        latest[patient, default: [:]][quantity] = found
      }
      return latest
    }
  }

  func quantities(of owner: SampleQuery.Owner) throws -> [Quantity] {
    try reading {
      switch owner {
      case .anyone: try quantities("TRUE", isLive: true)
      case .unassigned: try quantities("patient IS NULL", isLive: true)
      case .patient(let patient): try quantities("patient = ?1", [patient], isLive: true)
      }
    }
  }

  /// The quantities of the samples of an owner, by name; of those that count alone, or of all.
  private func quantities(
    _ isOwner: String, _ arguments: Arguments = [], isLive: Bool
  ) throws -> [Quantity] {
    var names: Set<String> = []
    // Each step seeks the next name in the index, and reads none of the samples between.
    for table in ["sample", "block"] {
      func next(_ condition: String) -> String {
        "(SELECT min(quantity) FROM \(table) WHERE \(isOwner) AND \(condition))"
      }
      let counts =
        isLive
        ? """
         AND EXISTS (
          SELECT 1 FROM \(table) WHERE \(isOwner) AND quantity = n AND state = \(Sample.State.live.number))
        """ : ""
      names.formUnion(
        try rows(
          """
          WITH RECURSIVE name (n) AS (
            SELECT \(next("TRUE")) UNION ALL SELECT \(next("quantity > n")) FROM name WHERE n IS NOT NULL)
          SELECT n FROM name WHERE n IS NOT NULL\(counts)
          """, arguments
        ) { try $0.text("n") })
    }
    return names.sorted().compactMap { Quantity(rawValue: $0) }
  }

  func number(of identity: SampleIdentity) throws -> Int64? {
    try reading { try locate(identity)?.number }
  }

  func sample(_ identity: SampleIdentity) throws -> Sample? {
    try reading { try locate(identity)?.sample ?? streamedSample(identity) }
  }

  func identity(ofNumber number: Int64) throws -> SampleIdentity {
    try reading {
      guard let row = try row("\(Sample.select) WHERE sample.number = ?", [number]) else {
        throw StoreError.unknown(.sampleNumber(number))
      }
      return try Sample(row).identity
    }
  }

  /// The row of an identity.
  ///
  /// Its parts name the series; that of another program's entry is searched in all.
  func locate(_ identity: SampleIdentity) throws -> (number: Int64, sample: Sample)? {
    if let parts = identity.parts, let series = try series(parts.series) {
      let found = try rows(
        """
        \(Sample.select) WHERE series = ? AND time = ? AND ordinal = ? AND raw = ?
          AND identity = ''
        """, [series, parts.column, parts.ordinal, Data(parts.raw)]
      ) { (number: try $0.required("number") as Int64, sample: try Sample($0)) }
      if let exact = found.first(where: { $0.sample.identity == identity }) { return exact }
    }
    return try rows(
      "\(Sample.select) WHERE sample.identity = ? AND sample.identity <> ''", [identity.text]
    ) { (number: try $0.required("number") as Int64, sample: try Sample($0)) }.first
  }

  private func number(of key: IdentityKey, series: Int64) throws -> Int64? {
    try row(
      """
      SELECT number FROM sample WHERE series = ? AND time = ? AND ordinal = ? AND raw = ?
        AND identity = ?
      """, [series, key.time, key.ordinal, Data(key.raw), key.text])?.required("number")
  }
}

extension SampleQuery {
  /// The condition on the rows of `sample`, one of few texts, so that statements are compiled once.
  fileprivate func condition(
    patient: String?, quantity: Quantity
  ) -> (sql: String, arguments: Arguments) {
    var terms = ["\(Dialect.isSame("patient"))", "sample.quantity = ?"]
    var arguments: [(any Argument)?] = [patient, quantity.rawValue]
    func add(_ term: String, _ values: (any Argument)?...) {
      terms.append(term)
      arguments += values
    }
    terms.append(
      "state IN (" + states.map { String($0.number) }.sorted().joined(separator: ", ") + ")")
    // Names are stored in their own spelling.
    if let device { add("\(Dialect.isSpelt("device"))", device.text) }
    if let to { add("start_date <= ?", to.microseconds) }
    if let from {
      add("end_date >= ?", from.microseconds)
      // Nothing of this kind lasts longer than the longest, so the index need not be read from its
      // start.
      add(
        """
        start_date >= ? - coalesce((SELECT max(end_date - start_date) FROM sample
          WHERE \(Dialect.isSame("patient")) AND quantity = ? AND end_date > start_date), 0)
        """, from.microseconds, patient, quantity.rawValue)
    }
    return (terms.joined(separator: " AND "), Arguments(arguments))
  }
}

// MARK: - Writing

extension SQLTransaction {
  func insert(_ sample: Sample) throws -> Bool {
    try check(sample)
    return try reading {
      var sample = sample
      // A program that read the plan before a patient was given another id uses the old one.
      sample.patient = try sample.patient.map { try aliases().current($0) }
      if try isErased(sample) { return false }
      try requireOwner(of: sample)
      if sample.isStoredAsStream { return try insertStreamed(sample) }
      // The increment of a total follows from the totals around it, in every store that gets it.
      if sample.reading.total != nil, sample.corrects == nil { return try book(sample) != nil }
      if sample.reading.isBroadcast,
        try contains(sample.reading, identity: sample.identity)
      {
        return false
      }
      if let changed = try stateAfterChanges(of: sample) {
        (sample.patient, sample.state) = (changed.patient, changed.state)
        try renewChanges(of: sample)
      } else if sample.state == .live {
        sample.state = sample.ownState
      }
      return try insertRow(sample, attributed: sample.patient)
    }
  }

  /// Refuses a sample of nobody whom the store ever had; a deleted patient's is hidden.
  func requireOwner(of sample: Sample) throws {
    guard let patient = sample.patient, !state.owners.contains(patient) else { return }
    guard try !graph(of: .patient(patient)).versions.isEmpty else {
      throw StoreError.unknown(.patient(patient, known: try plan().patients.map(\.id)))
    }
    state.owners.insert(patient)
  }

  /// Stores the row of a sample.
  ///
  /// - Returns: `false`, and nothing changes, if one of this identity was ever stored.
  func insertRow(_ sample: Sample, attributed: String?, number: Int64? = nil) throws -> Bool {
    let series = try makeSeries(SeriesKey(sample.reading))
    let source = try makeSource(SourceKey(sample))
    let key = IdentityKey(sample.identity, of: sample.reading)
    if !key.text.isEmpty, try locate(sample.identity) != nil { return false }
    if sample.corrects != nil { state.hasCorrections = true }
    let statement =
      try state.insertSample
      ?? db.statement(
        SampleMember.table.insertion
          + " ON CONFLICT (series, time, ordinal, raw, identity) DO NOTHING")
    state.insertSample = statement
    let row = SampleMember(
      sample, attributed: attributed, series: series, source: source, key: key)
    return try db.changes {
      try store(row, in: SampleMember.table, number: number, by: statement)
    } > 0
  }

  func check(_ sample: Sample) throws(StoreError) {
    try requireStorable(
      sample.identity.text, sample.patient, sample.unassignedReason, sample.device.address.text,
      sample.device.definition, sample.kind)
    guard sample.value.isFinite, sample.sourceValue?.value.isFinite ?? true else {
      throw .refused(.sampleNotFinite(sample.quantity))
    }
    let dates = [sample.start, sample.end, sample.arrival]
    guard dates.allSatisfy({ Export.dates.contains($0.microseconds) }) else {
      throw .refused(.sampleDateOutOfRange(sample.quantity))
    }
    guard sample.start.microseconds <= sample.end.microseconds else {
      throw .refused(.sampleEndsBeforeStart(sample.quantity))
    }
    do throws(StoreError.ExportDamage) {
      try ID(text: sample.device.address.text).check("device")
      if let patient = sample.patient { try ID(text: patient).check("attributed") }
      try sample.reading.ordinal.check("ordinal")
      try sample.reading.userIndex?.check("user")
      try sample.reading.total?.check("total")
      if sample.corrects == nil { try sample.reading.checkTotal() }
      if let unit = sample.sourceValue?.unit, unit.dimension != sample.quantity.unit.dimension {
        throw StoreError.ExportDamage.unknownUnit(unit.code)
      }
    } catch {
      throw .refused(.notExportable(error))
    }
  }
}
