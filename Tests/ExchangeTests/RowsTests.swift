import Care
import Digests
import Foundation
import TestSupport
import Testing

@testable import CareStore
@testable import Exchange

/// The rows that travel, and the people for whom they do.
struct RowsTests {
  /// A box and a centre with a network that loses nothing.
  private final class Line {
    let centre: SQLStore
    let box: SQLStore
    let key: String
    var session = BoxSession(centre: "C", version: 1)
    let names: Names
    private(set) var sent: [RowName] = []

    init(_ centre: SQLStore, _ box: SQLStore, _ key: String, _ people: Set<String>, _ seed: UInt64)
      async throws
    {
      (self.centre, self.box, self.key, names) = (centre, box, key, Names(seed: seed))
      try await centre.exchanging { [key] in
        try Centre(version: 1).set(Membership(people: people), of: key, in: $0)
      }
    }

    func exchange() async throws {
      session.restart()
      while true {
        let (session, names) = (session, names)
        let (next, request) = try await box.exchanging { exchange in
          var session = session
          let request = try session.next(in: exchange, makeChannel: names.channel)
          return (session, request)
        }
        self.session = next
        guard let request else { return }
        if case .put(let put) = request { sent += put.batch.rows.map(\.name) }
        let reply = try await centre.exchanging { [key] in
          try Centre(version: 1).answer(request, from: key, in: $0)
        }
        self.session = try await box.exchanging { exchange in
          var session = next
          try session.take(reply, to: request, in: exchange, makeChannel: names.channel)
          return session
        }
      }
    }
  }

  private static func store(_ seed: UInt64) throws -> SQLStore {
    let names = Names(seed: seed)
    return try TestEngine.makeStore(makeUUID: names.uuid)
  }

  @Test func `a row of every kind travels from a box to the other box of the person`() async throws
  {
    let (centre, a, b) = (try Self.store(1), try Self.store(2), try Self.store(3))
    try await Household.fill(a, picture: (0..<600_000).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    let first = try await Line(centre, a, "A", ["p0"], 11)
    let second = try await Line(centre, b, "B", ["p0"], 12)
    try await first.exchange()
    try await second.exchange()
    let (here, there) = (try await Household.rows(a), try await Household.rows(b))
    let kinds = Set(here.keys.map(\.kind))
    #expect(
      kinds == [.version, .outcome, .firing, .change, .sample, .hour, .attachment])
    #expect(here.keys.count { $0.kind == .attachment } == 3)
    // Nobody's weight stays between its box and the centre.
    let shared = here.filter { !$0.value.people.isEmpty }
    #expect(shared.count == here.count - 1)
    #expect(there.mapValues(\.lines) == shared.mapValues(\.lines))
    #expect(try await b.check() == [])
    #expect(try await centre.check() == [])
    let before = first.sent.count
    try await first.exchange()
    #expect(first.sent.count == before)
  }

  @Test func `a task's video travels with its task`() async throws {
    let (centre, a, b) = (try Self.store(1), try Self.store(2), try Self.store(3))
    let film = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
    let made = Care.Attachment(
      type: .mp4, byteCount: film.count, sha256: SHA256.digest(of: film).hexString)
    let video = try #require(made)
    try await centre.write { writer in
      _ = try writer.put(Patient(id: "p0", name: PersonName(given: "Ann")), now: Town.start)
      var task = PlannedTask(
        id: "walk", patient: "p0", kind: .task, title: "Walk",
        schedule: try .daily(hour: 12, start: Town.start, end: nil, timeZone: .gmt))
      task.video = video.reference
      _ = try writer.put(task, now: Town.start)
      try writer.store(video) { part throws(StoreError) in
        let first = part * Care.Attachment.partLength
        return Array(film[first..<min(first + Care.Attachment.partLength, film.count)])
      }
    }
    // From the centre to the box of its person, and to no other.
    let first = try await Line(centre, a, "A", ["p0"], 11)
    let second = try await Line(centre, b, "B", ["p1"], 12)
    try await first.exchange()
    try await second.exchange()
    #expect(try await a.read { try $0.attachment(sha256: video.sha256) }?.attachment == video)
    #expect(try await a.read { try $0.part(2, of: video) } == Array(film[524_288...]))
    #expect(try await a.check().isEmpty)
    #expect(try await Household.rows(b).keys.allSatisfy { $0.kind != .attachment })
  }

  @Test func `an hour travels once it is over`() async throws {
    let (centre, box) = (try Self.store(1), try Self.store(2))
    let line = try await Line(centre, box, "A", ["p0"], 11)
    try await box.write { writer in
      _ = try writer.put(Patient(id: "p0", name: PersonName(given: "Ann")), now: Town.start)
      _ = try writer.insert(.beat(60, of: "p0", at: Town.start))
    }
    try await line.exchange()
    #expect(!line.sent.contains { $0.kind == .hour })
    try await box.write { writer in
      _ = try writer.insert(.beat(61, of: "p0", at: Town.start + 1))
      _ = try writer.insert(.beat(62, of: "p0", at: Town.start + 3600))
    }
    try await line.exchange()
    #expect(line.sent.count { $0.kind == .hour } == 1)
    let beats = try await centre.read {
      try $0.samples(SampleQuery(owner: .patient("p0"), quantity: .heartRate)).map(\.value)
    }
    #expect(beats == [60, 61])
  }

  @Test func `nothing of a person leaves before they agree, and everything then`() async throws {
    let (centre, box) = (try Self.store(1), try Self.store(2))
    let line = try await Line(centre, box, "A", ["p0", "p1"], 11)
    let sections = [ConsentDocument.Section(text: "We would like to know.")]
    var document = ConsentDocument(version: "1", sections: sections, digest: "")
    document.digest = SHA256.digest(of: Array(document.canonicalText.utf8)).hexString
    let asked = document
    try await box.write { writer in
      for person in ["p0", "p1"] {
        _ = try writer.put(
          Patient(id: person, name: PersonName(given: person)), now: Town.start)
        _ = try writer.insert(
          .weight(person == "p0" ? 1 : 2, of: person, at: Town.start + (person == "p0" ? 0 : 90)))
      }
      _ = try writer.put(
        CarePlan(id: "study", patient: "p0", title: "Study", consent: asked), now: Town.start)
    }
    func people() async throws -> Set<String> {
      try await Household.rows(centre).values.reduce(into: []) { $0.formUnion($1.people) }
    }
    func answer(_ state: ConsentAnswer.State, _ id: String) async throws {
      try await box.write { writer in
        _ = try writer.put(
          ConsentAnswer(
            id: id, patient: "p0", carePlan: "study", version: "1", digest: asked.digest,
            state: state, name: "Ann", date: Town.start + Double(id.count)),
          now: Town.start + Double(id.count))
      }
    }
    try await line.exchange()
    #expect(try await people() == ["p1"])
    try await answer(.agreed, "1")
    try await line.exchange()
    #expect(try await people() == ["p0", "p1"])
    try await answer(.withdrawn, "22")
    let before = try await Household.rows(centre).count
    try await line.exchange()
    #expect(try await Household.rows(centre).count == before)
  }

  @Test func `an upgraded box asks for everything again and opens a channel`() async throws {
    let (centre, box) = (try Self.store(1), try Self.store(2))
    try await Household.fill(centre)
    let line = try await Line(centre, box, "A", ["p0"], 11)
    try await line.exchange()
    let before = try await line.session.channel(in: box)
    line.session = BoxSession(centre: "C", version: 2)
    try await line.exchange()
    #expect(try await line.session.channel(in: box) != before)
    let shared = try await Household.rows(centre).filter { !$0.value.people.isEmpty }
    #expect(try await Household.rows(box).mapValues(\.lines) == shared.mapValues(\.lines))
  }
}

extension BoxSession {
  fileprivate func channel(in store: SQLStore) async throws -> ChannelID? {
    try await store.exchanging { try channel(in: $0)?.id }
  }
}

/// A box delivers what is its people's, and changes nothing that is others'.
struct RowRightsTests {
  private static func store(_ seed: UInt64) throws -> SQLStore {
    let names = Names(seed: seed)
    return try TestEngine.makeStore(makeUUID: names.uuid)
  }

  private static let stranger = RowDeliverer(box: "X", people: ["p2"])

  private static func taken(
    _ rows: [TravellingRow], by deliverer: RowDeliverer, at centre: SQLStore
  ) async throws -> [TakenRow] {
    try await centre.exchanging { try $0.take(rows, by: "channel", from: deliverer) }
  }

  @Test func `a row of another's is refused, of every kind`() async throws {
    let (centre, theirs) = (try Self.store(1), try Self.store(2))
    try await Household.fill(theirs)
    let rows = try await Household.rows(theirs)
    let own = rows.values.filter { !$0.people.isEmpty }.sorted { $0.number < $1.number }
    // The centre does not know them yet: their content says whose they are.
    for (row, result) in zip(own, try await Self.taken(own, by: Self.stranger, at: centre)) {
      let isLoose = row.name.kind == .attachment
      let isOfUnknown = row.name.kind == .change
      if isOfUnknown { continue }
      #expect(result == .refused(isLoose ? .loose : .foreign), "\(row.name.text)")
    }
    #expect(try await Household.rows(centre).keys.allSatisfy { $0.kind == .change })
  }

  @Test func `a row of another's that the centre has is not changed`() async throws {
    let centre = try Self.store(1)
    try await Household.fill(centre)
    let before = try await Household.rows(centre)
    let own = before.values.filter { !$0.people.isEmpty }.sorted { $0.number < $1.number }
    let results = try await Self.taken(own, by: Self.stranger, at: centre)
    #expect(results.allSatisfy { $0 == .refused(.foreign) })
    // The same rows in the name of the stranger's own person.
    let renamed = own.map { row in
      TravellingRow(
        number: 0, name: row.name,
        lines: row.lines.map { $0.replacingOccurrences(of: "\"p0\"", with: "\"p2\"") })
    }
    let others = try await Self.taken(renamed, by: Self.stranger, at: centre)
    for (row, result) in zip(renamed, others) {
      #expect(result != .taken, "\(row.name.text)")
    }
    #expect(try await Household.rows(centre) == before)
  }

  @Test func `a row of one's own changes nothing of another's`() async throws {
    let centre = try Self.store(1)
    try await Household.fill(centre)
    let before = try await Household.rows(centre)
    let mine = try Self.store(2)
    try await Household.fill(mine, of: "p2", picture: [UInt8](repeating: 9, count: 60))
    let own = try await Household.rows(mine)
    func only(_ kind: RowName.Kind) throws -> TravellingRow {
      try #require(own.values.filter { $0.name.kind == kind }.max { $0.number < $1.number })
    }
    func their(_ kind: RowName.Kind) throws -> TravellingRow {
      try #require(
        before.values.filter { $0.name.kind == kind && !$0.people.isEmpty }
          .max { $0.number < $1.number })
    }
    func following(_ row: TravellingRow, _ other: TravellingRow) throws -> TravellingRow {
      let line = try #require(row.lines.first)
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      var fields = try #require(object as? [String: Any])
      fields["parents"] = [other.name.key]
      let data = try JSONSerialization.data(
        withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
      return TravellingRow(
        number: 0, name: row.name, lines: [String(decoding: data, as: UTF8.self)])
    }
    func row(_ kind: RowName.Kind, _ key: String, _ line: String) -> TravellingRow {
      TravellingRow(number: 0, name: RowName(kind, key), lines: [line])
    }
    let sample = try their(.sample).name.key
    let uuid = "00000000-0000-4000-8000-000000000001"
    let writer = "00000000-0000-4000-8000-000000000002"
    func change(_ target: String) -> TravellingRow {
      row(
        .change, uuid,
        """
        {"change":"assign","clock":1,"created":1,"decidedBy":"person",\(target),"kind":"change",\
        "patient":"p2","uuid":"\(uuid)","writer":"\(writer)"}
        """)
    }
    let stream = ErasureMark.Stream(
      series: SeriesKey(device: "C0:FF:EE:00:00:01", quantity: "heartRate", userIndex: -1),
      first: 0, last: .max >> 1)
    let marks = [
      ErasureMark.patient("p0"), ErasureMark.sample(SampleIdentity(text: sample)), stream.text,
    ]
    var attacks = [
      try following(try only(.version), try their(.version)),
      try following(try only(.outcome), try their(.outcome)),
      change("\"device\":\"5C:CA:D3:70:D4:A2\",\"identity\":\"\(sample)\""),
      change("\"device\":\"5C:CA:D3:70:D4:A2\""),
      change("\"device\":\"C0:FF:EE:00:00:01\""),
      row(.alias, "1|p2", #"{"date":1,"kind":"alias","new":"p0","old":"p2"}"#),
      row(.alias, "1|p0", #"{"date":1,"kind":"alias","new":"p2","old":"p0"}"#),
      row(
        .withdrawal, "\(try their(.version).name.key)|1",
        """
        {"date":1,"kind":"withdrawal","version":"\(try their(.version).name.key)","withdrawn":true}
        """),
    ]
    attacks += marks.map { row(.erasure, $0, #"{"date":1,"kind":"erasure","mark":"\#($0)"}"#) }
    for attack in attacks {
      let results = try await Self.taken([attack], by: Self.stranger, at: centre)
      #expect(results == [.refused(.foreign)], "\(attack.name.text) \(attack.lines)")
    }
    #expect(try await Household.rows(centre) == before)
  }

  @Test(arguments: [
    ("version x", "{}"), ("sample a", #"{"date":1,"kind":"alias","new":"b","old":"a"}"#),
    ("alias 2|a", #"{"date":1,"kind":"alias","new":"b","old":"a"}"#),
    ("erasure " + String(repeating: "0", count: 64), #"{"date":1,"kind":"zone"}"#),
    ("version x", #"{"kind":"end","lines":1,"sha256":"00"}"#), ("hour 1|2|3", "["),
  ])
  func `a line under another's name is damaged`(name: String, line: String) async throws {
    let centre = try Self.store(1)
    let name = try #require(RowName(text: name))
    let results = try await Self.taken(
      [TravellingRow(number: 0, name: name, lines: [line])], by: Self.stranger, at: centre)
    #expect(results == [.refused(.damaged)])
    #expect(try await Household.rows(centre).isEmpty)
  }

  @Test(arguments: [Int64.max, .min, 0, -1, 1_796_000_000_000_000])
  func `a change of a sample of any time is taken and given`(time: Int64) async throws {
    let centre = try Self.store(1)
    try await Household.fill(centre, of: "p2")
    let before = try await Household.rows(centre).count
    let uuid = "00000000-0000-4000-8000-000000000001"
    let rows = ["bodyMass", "heartRate"].map { quantity in
      TravellingRow(
        number: 0, name: RowName(.change, uuid),
        lines: [
          """
          {"change":"assign","clock":1,"created":1,"decidedBy":"person","device":"C0:FF:EE:00:00:01",\
          "identity":"C0:FF:EE:00:00:01|\(quantity)|a\(time)|0||","kind":"change","patient":"p2","uuid":"\(uuid)",\
          "writer":"00000000-0000-4000-8000-000000000002"}
          """
        ])
    }
    #expect(try await Self.taken(rows, by: Self.stranger, at: centre).first == .taken)
    #expect(try await Household.rows(centre).count == before + 1)
  }

  @Test func `a row of a newer program is refused by itself`() async throws {
    let centre = try Self.store(1)
    let rows = [
      TravellingRow(
        number: 0, name: RowName(.alias, "1|p2"),
        lines: [#"{"date":1,"kind":"alias","mood":1,"new":"p2b","old":"p2"}"#]),
      TravellingRow(
        number: 0, name: RowName(.alias, "2|p2"),
        lines: [#"{"date":2,"kind":"alias","new":"p2c","old":"p2"}"#]),
    ]
    #expect(
      try await Self.taken(rows, by: Self.stranger, at: centre) == [.refused(.newer), .taken])
  }
}
