package import Care
import Digests
import Foundation

// The feed of the measurements to programs elsewhere: the changes of the store in their order, and
// the items that each of them has, or has refused. No row of these is exported: another machine has
// other outlets.

/// A text that is kept under the name of an outlet.
private struct NamedText: StoredRow {
  var name = ""
  var content = ""

  /// How far an outlet is.
  static let course = Table("outlet", of: Self.self, key: "name")
  /// An outlet that somebody set up on the page or by a command.
  static let setting = Table("outlet_setting", of: Self.self, key: "name")
  /// A plan that the server of an outlet has, and what somebody said of it.
  static let proposal = Table("outlet_proposal", of: Self.self, key: "name")

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("name", &name)
    try visitor.column("content", &content, sql: "CHECK (\(Dialect.isJSON("content")))")
  }
}

/// A thing that a receiver has, or may have.
private struct HeldRow: StoredRow {
  var outlet = ""
  var origin: [UInt8] = []
  var patient = ""
  var name = ""
  var quantity = Quantity.bodyMass
  var start = Date(microseconds: 0)
  var isHour = false
  var confirmed: Int64?
  var isKept = false

  static let table = Table("outlet_held", of: Self.self, key: "outlet, origin, patient")

  init() {}

  init(_ item: HeldItem, by outlet: String) {
    (self.outlet, origin, patient) = (outlet, item.origin.bytes, item.patient)
    (name, quantity, start) = (item.name, item.quantity, item.start)
    (isHour, confirmed, isKept) = (item.isHour, item.confirmed, item.isKept)
  }

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("outlet", &outlet)
    try visitor.column("origin", &origin)
    try visitor.column("patient", &patient)
    try visitor.column("name", &name)
    try visitor.column("quantity", &quantity)
    try visitor.column("start_date", &start)
    try visitor.column("is_hour", &isHour)
    try visitor.column("confirmed", &confirmed)
    try visitor.column("is_kept", &isKept)
  }

  var item: HeldItem {
    HeldItem(
      origin: FeedOrigin(bytes: origin), patient: patient, name: name, quantity: quantity,
      start: start, isHour: isHour, confirmed: confirmed, isKept: isKept)
  }
}

/// An item that a receiver did not take.
private struct RefusedRow: StoredRow {
  var outlet = ""
  var name = ""
  /// The row of the sample; `nil` of an hour, and of what was erased.
  var sample: Int64?
  var series: Int64?
  var hour: Int64?
  var date = Date(microseconds: 0)
  var fault = ""
  var isDue = false

  static let table = Table("outlet_refused", of: Self.self, key: "outlet, name")

  init() {}

  init(_ item: RefusedItem, by outlet: String) {
    (self.outlet, name, date) = (outlet, item.name, item.date)
    (fault, isDue) = (item.fault, item.isDue)
    switch item.place {
    case .sample(let number): sample = number
    case .hour(let series, let hour): (self.series, self.hour) = (series, hour)
    case nil: break
    }
  }

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("outlet", &outlet)
    try visitor.column("name", &name)
    try visitor.column("sample", &sample)
    try visitor.column("series", &series)
    try visitor.column("hour", &hour)
    try visitor.column("date", &date)
    try visitor.column("fault", &fault, sql: "CHECK (\(Dialect.isJSON("fault")))")
    try visitor.column("is_due", &isDue)
  }

  var item: RefusedItem {
    var place = sample.map { FeedPlace.sample($0) }
    if let series, let hour { place = .hour(series: series, hour: hour) }
    return RefusedItem(name: name, place: place, date: date, fault: fault, isDue: isDue)
  }
}

/// An item that a broker was sent.
private struct PublishedRow: StoredRow {
  var outlet = ""
  var name = ""
  var isEvent = false
  var digest: String?
  var isRefused = false
  var date = Date(microseconds: 0)

  static let table = Table("outlet_published", of: Self.self, key: "outlet, name")

  init() {}

  init(_ item: PublishedItem, by outlet: String) {
    (self.outlet, name, isEvent) = (outlet, item.name, item.isEvent)
    (digest, isRefused, date) = (item.digest, item.isRefused, item.date)
  }

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.column("outlet", &outlet)
    try visitor.column("name", &name)
    try visitor.column("is_event", &isEvent)
    try visitor.column("digest", &digest)
    try visitor.column("is_refused", &isRefused)
    try visitor.column("date", &date)
  }

  var item: PublishedItem {
    PublishedItem(
      name: name, isEvent: isEvent, digest: digest, isRefused: isRefused, date: date)
  }
}

extension Schema {
  /// The tables of outlets.
  static let outlets = [
    NamedText.course, NamedText.setting, HeldRow.table, RefusedRow.table, PublishedRow.table,
    NamedText.proposal,
  ]
}

// MARK: - Reading and changing

/// Reads a store for outlets, in one transaction.
package protocol OutletReader: StoreReader {
  /// The number of the latest change.
  func lastNumber() throws -> Int64
  /// The changes after one number and up to another, in order; so many rows and, beyond the first
  /// entry, so many values at most.
  ///
  /// Hours from `openHour` on, counted from 1970, are named and not read.
  func feed(
    after number: Int64, upTo end: Int64, openHour: Int64, rows: Int, values: Int
  ) throws -> FeedPage
  /// The entry of a place now; `nil` if its row is gone.
  func feedEntry(at place: FeedPlace) throws -> FeedEntry?
  /// How far an outlet is, as JSON; `nil` of one that never began.
  func outlet(_ name: String) throws -> String?
  /// The names of all outlets that ever began.
  func outletNames() throws -> [String]
  /// The outlets that were set up here, as JSON, by name.
  func outletSettings() throws -> [String: String]
  /// The plans that other systems have and nobody has decided about, as JSON, by outlet.
  func planProposals() throws -> [String: String]
  /// The items that a receiver has of these.
  func held(by outlet: String, of origins: [FeedOrigin]) throws -> [HeldItem]
  /// The items of an erased person or stream, by its mark, that a receiver has: so many at most.
  func held(by outlet: String, erasedBy mark: String, limit: Int) throws -> [HeldItem]
  /// The items that a receiver has under a name, and refused to give back.
  func kept(by outlet: String, named name: String) throws -> [HeldItem]
  /// The items that a receiver did not take, oldest first; all, or those to be tried again.
  func refused(by outlet: String, isDue: Bool, limit: Int) throws -> [RefusedItem]
  func refusedCount(by outlet: String) throws -> Int
  /// The items that the broker of an outlet has, or was told, by name.
  func published(by outlet: String) throws -> [PublishedItem]
  func published(by outlet: String, named name: String) throws -> PublishedItem?
}

/// Changes a store for outlets, in one transaction.
package protocol OutletWriter: OutletReader, StoreWriter {
  func putOutlet(_ name: String, _ content: String) throws
  /// Sets an outlet up, in place of the one of that name.
  func putOutletSettings(_ name: String, _ content: String) throws
  /// Keeps a secret of an outlet that is set up here.
  func keep(_ secret: OutletSecret) throws
  /// Keeps what another system has, in place of what it had.
  func putPlanProposal(_ outlet: String, _ content: String) throws
  /// Removes everything of an outlet that was set up here, with its secrets.
  func forgetOutlet(_ name: String) throws
  /// Notes what a receiver has, or is about to get, in place of what was noted of it.
  func putHeld(_ item: HeldItem, by outlet: String) throws
  func removeHeld(_ item: HeldItem, by outlet: String) throws
  func putRefused(_ item: RefusedItem, by outlet: String) throws
  func removeRefused(_ name: String, by outlet: String) throws
  /// Lets everything that was refused be tried again.
  ///
  /// - Returns: How much that is.
  func retryRefused(by outlet: String) throws -> Int
  /// Notes what a broker has, or is about to get, in place of what was noted of it.
  func putPublished(_ item: PublishedItem, by outlet: String) throws
  func removePublished(_ name: String, by outlet: String) throws
  /// Removes everything of outlets that there are no more.
  func forgetOutlets(except names: Set<String>) throws
}

extension SQLStore {
  /// Reads what outlets need, in one transaction.
  package func readOutlets<T: Sendable>(
    _ body: @Sendable (any OutletReader) throws -> T
  ) async throws -> T {
    try await reading { try body($0) }
  }

  /// Changes what outlets need, in one transaction.
  package func writeOutlets<T: Sendable>(
    _ body: @Sendable (any OutletWriter) throws -> T
  ) async throws -> T {
    try await writing { try body($0) }
  }
}

extension SQLTransaction: OutletWriter {
  package func lastNumber() throws -> Int64 { try reading { try lastStored() } }

  package func outlet(_ name: String) throws -> String? {
    try reading {
      try row("SELECT content FROM outlet WHERE name = ?", [name])?.required("content")
    }
  }

  package func outletNames() throws -> [String] {
    try reading { try rows("SELECT name FROM outlet ORDER BY name") { try $0.text("name") } }
  }

  package func outletSettings() throws -> [String: String] { try texts(in: NamedText.setting) }

  package func planProposals() throws -> [String: String] { try texts(in: NamedText.proposal) }

  private func texts(in table: Table) throws -> [String: String] {
    try reading {
      let all = try rows("SELECT * FROM \(table.name)") { try NamedText(reading: $0) }
      return Dictionary(all.map { ($0.name, $0.content) }, uniquingKeysWith: { first, _ in first })
    }
  }

  package func held(by outlet: String, of origins: [FeedOrigin]) throws -> [HeldItem] {
    try reading {
      try origins.flatMap { origin in
        try rows(
          "SELECT * FROM outlet_held WHERE outlet = ? AND origin = ?",
          [outlet, Data(origin.bytes)]
        ) { try HeldRow(reading: $0).item }
      }
    }
  }

  package func held(
    by outlet: String, erasedBy mark: String, limit: Int
  ) throws -> [HeldItem] {
    try reading {
      if let stream = ErasureMark.Stream(mark) {
        return try held(by: outlet, of: stream, limit: limit)
      }
      let people = try rows(
        "SELECT DISTINCT patient FROM outlet_held WHERE outlet = ?", [outlet]
      ) { try $0.text("patient") }
      return try people.filter { ErasureMark.patient($0) == mark }.flatMap { patient in
        try rows(
          "SELECT * FROM outlet_held WHERE outlet = ? AND patient = ? AND is_kept = 0 LIMIT ?",
          [outlet, patient, limit]
        ) { try HeldRow(reading: $0).item }
      }
    }
  }

  private func held(
    by outlet: String, of stream: ErasureMark.Stream, limit: Int
  ) throws -> [HeldItem] {
    let series = try self.series(stream.series)
    let items = try rows(
      """
      SELECT * FROM outlet_held WHERE outlet = ? AND is_hour = 1 AND quantity = ?
        AND start_date BETWEEN ? AND ? AND is_kept = 0
      """,
      [
        outlet, stream.series.quantity, stream.first.saturatingSum(-Hours.length), stream.last,
      ]
    ) { try HeldRow(reading: $0).item }
    return Array(
      try items.filter { item in
        let hour = Hours.hour(of: item.start.microseconds)
        guard item.origin == Self.origin(of: stream.series, hour: hour) else { return false }
        // The rest of an hour is stored anew, and is an entry of its own.
        return try series.flatMap {
          try row("SELECT 1 FROM block WHERE series = ? AND hour = ?", [$0, hour])
        } == nil
      }.prefix(limit))
  }

  package func kept(by outlet: String, named name: String) throws -> [HeldItem] {
    try reading {
      try rows(
        "SELECT * FROM outlet_held WHERE outlet = ? AND name = ? AND is_kept = 1", [outlet, name]
      ) { try HeldRow(reading: $0).item }
    }
  }

  package func refused(by outlet: String, isDue: Bool, limit: Int) throws -> [RefusedItem] {
    try reading {
      try rows(
        """
        SELECT * FROM outlet_refused WHERE outlet = ? AND is_due >= ? ORDER BY date, name LIMIT ?
        """, [outlet, isDue ? 1 : 0, limit]
      ) { try RefusedRow(reading: $0).item }
    }
  }

  package func refusedCount(by outlet: String) throws -> Int {
    try reading {
      try row("SELECT count(*) AS count FROM outlet_refused WHERE outlet = ?", [outlet])?
        .required("count") ?? 0
    }
  }

  package func putOutlet(_ name: String, _ content: String) throws {
    try put(content, under: name, in: NamedText.course)
  }

  package func putOutletSettings(_ name: String, _ content: String) throws {
    try put(content, under: name, in: NamedText.setting)
  }

  package func putPlanProposal(_ outlet: String, _ content: String) throws {
    try put(content, under: outlet, in: NamedText.proposal)
  }

  private func put(_ content: String, under name: String, in table: Table) throws {
    try changing {
      try requireStorable(name)
      try store(
        NamedText(name: name, content: content), in: table,
        onConflict: "ON CONFLICT (name) DO UPDATE SET content = excluded.content")
    }
  }

  package func forgetOutlet(_ name: String) throws {
    try changing {
      try execute("DELETE FROM outlet_setting WHERE name = ?", [name])
      state.hasRemovedSecrets = true
      try forgetCourse(name)
    }
  }

  package func putHeld(_ item: HeldItem, by outlet: String) throws {
    try reading {
      try store(
        HeldRow(item, by: outlet), in: HeldRow.table,
        onConflict: """
          ON CONFLICT (outlet, origin, patient) DO UPDATE SET name = excluded.name,
            start_date = excluded.start_date, confirmed = excluded.confirmed, is_kept = excluded.is_kept
          """)
    }
  }

  package func removeHeld(_ item: HeldItem, by outlet: String) throws {
    try changing {
      try execute(
        "DELETE FROM outlet_held WHERE outlet = ? AND origin = ? AND patient = ?",
        [outlet, Data(item.origin.bytes), item.patient])
    }
  }

  package func putRefused(_ item: RefusedItem, by outlet: String) throws {
    try changing {
      try removeRefused(item.name, by: outlet)
      try store(RefusedRow(item, by: outlet), in: RefusedRow.table)
    }
  }

  package func removeRefused(_ name: String, by outlet: String) throws {
    try changing {
      try execute("DELETE FROM outlet_refused WHERE outlet = ? AND name = ?", [outlet, name])
    }
  }

  package func retryRefused(by outlet: String) throws -> Int {
    try changing {
      try db.changes {
        try execute("UPDATE outlet_refused SET is_due = 1 WHERE outlet = ?", [outlet])
      }
    }
  }

  package func published(by outlet: String) throws -> [PublishedItem] {
    try reading {
      try rows("SELECT * FROM outlet_published WHERE outlet = ? ORDER BY name", [outlet]) {
        try PublishedRow(reading: $0).item
      }
    }
  }

  package func published(by outlet: String, named name: String) throws -> PublishedItem? {
    try reading {
      try rows(
        "SELECT * FROM outlet_published WHERE outlet = ? AND name = ?", [outlet, name]
      ) { try PublishedRow(reading: $0).item }.first
    }
  }

  package func putPublished(_ item: PublishedItem, by outlet: String) throws {
    try changing {
      try store(
        PublishedRow(item, by: outlet), in: PublishedRow.table,
        onConflict: """
          ON CONFLICT (outlet, name) DO UPDATE SET digest = excluded.digest,
            is_refused = excluded.is_refused, date = excluded.date
          """)
    }
  }

  package func removePublished(_ name: String, by outlet: String) throws {
    try changing {
      try execute("DELETE FROM outlet_published WHERE outlet = ? AND name = ?", [outlet, name])
    }
  }

  package func forgetOutlets(except names: Set<String>) throws {
    try changing {
      for name in try outletNames() where !names.contains(name) {
        try forgetCourse(name)
      }
    }
  }

  /// Removes how far an outlet was.
  private func forgetCourse(_ outlet: String) throws {
    for (table, column) in [
      ("outlet_held", "outlet"), ("outlet_refused", "outlet"), ("outlet_published", "outlet"),
      ("outlet_proposal", "name"), ("outlet", "name"),
    ] { try execute("DELETE FROM \(table) WHERE \(column) = ?", [outlet]) }
  }
}

// MARK: - The feed

extension SQLTransaction {
  /// A row that changed, before what stands for it is read.
  private enum Change {
    case sample(SampleMember)
    case block(series: Int64, hour: Int64)
    case mark(String)
  }

  package func feed(
    after number: Int64, upTo end: Int64, openHour: Int64, rows most: Int, values mostValues: Int
  ) throws -> FeedPage {
    try reading {
      let span: Arguments = [number, end, most]
      let condition = "stored > ? AND stored <= ? ORDER BY stored LIMIT ?"
      var changes = try rows("\(Sample.select) WHERE sample.\(condition)", span) {
        (number: try $0.required("stored") as Int64, change: Change.sample(try SampleMember($0)))
      }
      changes += try rows("SELECT series, hour, stored FROM block WHERE \(condition)", span) {
        (
          number: try $0.required("stored"),
          change: .block(series: try $0.required("series"), hour: try $0.required("hour"))
        )
      }
      changes += try rows("SELECT mark, stored FROM erasure WHERE \(condition)", span) {
        (number: try $0.required("stored"), change: .mark(try $0.text("mark")))
      }
      changes.sort { $0.number < $1.number }
      let isWhole = changes.count < most
      var page = FeedPage(end: end, isLast: isWhole)
      var (values, known, hours) = (0, Set<FeedOrigin>(), Set<FeedPlace>())
      for (index, (number, change)) in changes.prefix(most).enumerated() {
        if let entry = try entry(of: change, number, openHour: openHour, &hours),
          entry.origins.isEmpty || !known.isSuperset(of: entry.origins)
        {
          known.formUnion(entry.origins)
          values += entry.items.reduce(0) { $0 + $1.samples.count }
          page.entries.append(entry)
        }
        let isFull = values >= mostValues && index + 1 < changes.count
        if isFull || !isWhole && index + 1 == most {
          (page.end, page.isLast) = (number, false)
          break
        }
      }
      return page
    }
  }

  package func feedEntry(at place: FeedPlace) throws -> FeedEntry? {
    try reading {
      switch place {
      case .sample(let number):
        let found = try rows("\(Sample.select) WHERE sample.number = ?", [number]) {
          (stored: try $0.required("stored") as Int64, member: try SampleMember($0))
        }.first
        return try found.map { try entry(of: $0.member, $0.stored) }
      case .hour(let series, let hour): return try hourEntry(series, hour, nil)
      }
    }
  }

  private func entry(
    of change: Change, _ number: Int64, openHour: Int64, _ hours: inout Set<FeedPlace>
  ) throws -> FeedEntry? {
    switch change {
    case .sample(let member): return try entry(of: member, number)
    case .block(let series, let hour):
      // Several blocks of one hour are one thing.
      let place = FeedPlace.hour(series: series, hour: hour)
      guard hours.insert(place).inserted else { return nil }
      if hour >= openHour {
        return FeedEntry(number: number, latest: number, place: place, isOpen: true)
      }
      return try hourEntry(series, hour, number)
    case .mark(let mark): return erasureEntry(mark, number)
    }
  }

  /// The entry of a sample now: itself, its correction, and the pressures measured with it.
  private func entry(of member: SampleMember, _ number: Int64) throws -> FeedEntry {
    let sample = member.sample
    let root = sample.corrects ?? sample.identity
    var (group, latest) = ([sample], number)
    func take(_ condition: String, _ arguments: Arguments) throws {
      for (stored, other) in try rows(
        "\(Sample.select) WHERE \(condition)", arguments,
        read: { (try $0.required("stored") as Int64, try SampleMember($0)) })
      where other.number != member.number {
        latest = max(latest, stored)
        group.append(other.sample)
      }
    }
    if sample.corrects != nil {
      try take("corrects = ?", [root.text])
      if let (origin, _) = try locate(root) { try take("sample.number = ?", [origin]) }
    } else if try !corrections(of: root).isEmpty {
      try take("corrects = ?", [root.text])
    }
    if Self.pressures.contains(sample.quantity), let patient = sample.patient {
      for quantity in Self.pressures {
        try take(
          """
          sample.patient = ? AND sample.quantity = ? AND start_date = ? AND state = 0
            AND device = ? AND user_index = ? AND coalesce(corrects, '') <> ?
          """,
          [
            patient, quantity.rawValue, sample.start.microseconds, sample.device.address.text,
            sample.userIndex ?? -1, root.text,
          ])
      }
    }
    let live = group.filter { $0.state == .live && $0.patient != nil }
    let origins = Set(group.map { Self.origin(of: $0.corrects ?? $0.identity) })
    return FeedEntry(
      number: number, latest: latest, place: .sample(member.number),
      origins: origins.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) },
      items: Self.items(live))
  }

  private static let pressures: [Quantity] = [
    .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean,
  ]

  /// The items of live samples: the pressures of one measurement are one, under the systolic's name.
  private static func items(_ samples: [Sample]) -> [FeedItem] {
    let sorted = samples.sorted { a, b in
      (pressures.firstIndex(of: a.quantity) ?? 0) < (pressures.firstIndex(of: b.quantity) ?? 0)
    }
    let isPanel =
      sorted.first?.quantity == .bloodPressureSystolic
      && Set(sorted.map(\.quantity)).count == sorted.count
      && Set(sorted.map(\.patient)).count == 1
    return (isPanel ? [sorted] : sorted.map { [$0] }).compactMap { samples in
      guard let first = samples.first, let patient = first.patient else { return nil }
      return FeedItem(
        origin: origin(of: first.corrects ?? first.identity), patient: patient, samples: samples)
    }
  }

  private static func origin(of identity: SampleIdentity) -> FeedOrigin {
    FeedOrigin(bytes: ErasureMark.bytes(of: identity))
  }

  private static func origin(of series: SeriesKey, hour: Int64) -> FeedOrigin {
    let text = "measured hour \(series.quantity)|\(series.userIndex)|\(hour)|\(series.device)"
    return FeedOrigin(bytes: Array(SHA256.digest(of: Array(text.utf8)).prefix(16)))
  }

  /// An hour of a series: the values of each person.
  private func hourEntry(
    _ series: Int64, _ hour: Int64, _ number: Int64?
  ) throws -> FeedEntry? {
    guard let key = try seriesKey(series) else { return nil }
    let blocks = try rows(
      "\(BlockRow.select) WHERE series = ? AND hour = ?", [series, hour], read: BlockRow.init)
    let latest: Int64? = try row(
      "SELECT max(stored) AS latest FROM block WHERE series = ? AND hour = ?", [series, hour])?
      .optional("latest")
    let origin = Self.origin(of: key, hour: hour)
    let start = Date(microseconds: hour.multipliedReportingOverflow(by: Hours.length).partialValue)
    var samples: [String: [Sample]] = [:]
    for block in blocks where block.state == .live {
      guard let patient = block.patient else { continue }
      samples[patient, default: []] += try block.samples(unpacked(block))
    }
    return FeedEntry(
      number: number ?? latest ?? 0, latest: latest ?? number ?? 0,
      place: .hour(series: series, hour: hour), origins: [origin],
      items: samples.keys.sorted().compactMap { patient in
        FeedItem(
          origin: origin, patient: patient,
          samples: (samples[patient] ?? []).sorted {
            ($0.start, $0.ordinal) < ($1.start, $1.ordinal)
          }, hour: start)
      })
  }

  private func erasureEntry(_ mark: String, _ number: Int64) -> FeedEntry {
    var entry = FeedEntry(number: number, latest: number, place: nil)
    if mark.utf8.count == ErasureMark.lengths[1], let bytes = [UInt8](hex: mark) {
      entry.origins = [FeedOrigin(bytes: bytes)]
    } else {
      entry.erasure = mark
    }
    return entry
  }
}
