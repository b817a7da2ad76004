import Access
import Care
import CareStore
import Foundation
import Interchange
import Testing

@testable import Actions

/// Histories of other programs, without a face.
@Suite struct ImportHistoryTests {
  private let store: SQLStore
  private let now = time("2026-11-01T12:00:00Z")

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    try await store.importTwoPatients()
  }

  private func entries(_ text: String) throws -> (kind: HistoryKind, entries: [HistoryEntry]) {
    let file = try HistoryFile(MemoryBytes(Array(text.utf8), name: "file"), copy: nil)
    var entries: [HistoryEntry] = []
    try file.read { entries += $0.entries }
    return (try #require(file.kinds.first), entries)
  }

  private func load(
    _ text: String, patient: String? = "ann", zone: String? = nil
  ) async throws -> ImportHistory.Result {
    let (kind, entries) = try entries(text)
    let timeZone = zone.flatMap { TimeZone(iana: $0) }
    return try await store.write { [now] writer in
      var owners = HistoryOwners()
      if patient == nil {
        let zones = HistoryZones(
          try PlanSnapshot(writer, patient: nil), patient: nil, zone: timeZone)
        owners.add(entries) { zones.zone(of: $0) }
        try owners.judge(in: writer)
      }
      return try ImportHistory(
        entries, of: kind, patient: patient, zone: timeZone, owners: owners
      ).perform(in: writer, by: .owner, now: now)
    }
  }

  /// The definition of a device decides, not its name.
  @Test(
    arguments: [
      (HistoryKind.openScale.title, HistoryKind.openScale.id, true),
      ("kitchen", HistoryKind.openScale.id, true),
      (HistoryKind.openScale.title, "xiaomi-mi-scale-2", false),
      (HistoryKind.openScale.title, nil, false),
      ("00:00:5E:00:53:07", HistoryKind.openScale.id, false),
    ] as [(String, String?, Bool)])
  func `a sample of a history is known by its definition`(
    device: String, definition: String?, isOfHistory: Bool
  ) {
    let reading = Reading(
      quantity: .bodyMass, value: 64, arrival: now,
      device: DeviceIdentity(address: DeviceID(device), definition: definition))
    #expect(Sample(reading: reading, start: now, end: now).isOfHistory == isOfHistory)
  }

  private func samples(
    _ quantity: Quantity = .bodyMass, of owner: SampleQuery.Owner = .anyone
  ) async throws -> [Sample] {
    try await store.read { try $0.samples(SampleQuery(owner: owner, quantity: quantity)) }
  }

  private static let scale = """
    DATE,TIME,BMI,BODY_FAT,WEIGHT
    2026-03-02,07:04:31,24.8,21.4,81.95
    2026-03-03,,24.7,,81.6

    """

  @Test func `an entry keeps its source, unit, time and what it was`() async throws {
    let result = try await load(Self.scale)
    #expect(result.new == 5 && result.known == 0 && result.unassigned == 0)
    let weights = try await samples()
    #expect(weights.map(\.value) == [81.95, 81.6])
    let first = try #require(weights.first)
    #expect(first.start == time("2026-03-02T06:04:31Z") && first.end == first.start)
    #expect(first.device.address.text == "openScale" && first.device.definition == "openScale")
    #expect(first.patient == "ann" && first.provenance == .passive)
    #expect(first.deviceTime?.description == "2026-03-02T07:04:31")
    let day = try #require(weights.last)
    #expect(day.start == time("2026-03-02T23:00:00Z") && day.end == time("2026-03-03T23:00:00Z"))
    #expect(try await samples(.bodyFatPercentage).map(\.context) == [.derived])
  }

  @Test func `again, and with another zone, changes nothing`() async throws {
    _ = try await load(Self.scale)
    for zone in [nil, "Asia/Tokyo"] {
      let again = try await load(Self.scale, zone: zone)
      #expect(again.new == 0 && again.known == 5)
    }
    #expect(try await samples().count == 2)
  }

  @Test func `what the box measured itself stays one measurement`() async throws {
    let arrival = time("2026-03-02T06:04:40Z")
    let reading = Reading(
      quantity: .bodyMass, value: 81.97, arrival: arrival,
      device: DeviceIdentity(address: "C0:00:00:00:00:01"))
    let own = Sample(reading: reading, patient: "bob", start: arrival, end: arrival)
    _ = try await store.write { try $0.insert(own) }
    let result = try await load(Self.scale, patient: nil)
    #expect(result.known == 1)
    #expect(try await samples().map(\.value) == [81.97, 81.6])
    // A figure that the other program computed of that weighing is its owner's.
    #expect(try await samples(.bodyFatPercentage).map(\.patient) == ["bob"])
  }

  @Test func `a deleted entry does not come back`() async throws {
    _ = try await load(Self.scale)
    let first = try await #require(samples().first)
    _ = try await store.write { [now] in
      try $0.change(.sample(first.identity), .delete, reason: nil, now: now)
    }
    #expect(try await load(Self.scale).new == 0)
    #expect(try await samples().map(\.value) == [81.6])
  }

  @Test func `an hour that clocks skip is left out, one that they repeat is said`() async throws {
    let text = """
      DATE,TIME,WEIGHT
      2026-03-29,02:30:00,81.9
      2025-10-26,02:30:00,81.8
      2027-03-01,07:00:00,81.7
      """
    let result = try await load(text)
    #expect(result.new == 1 && result.ambiguous == 1)
    #expect(
      result.skips == [
        HistorySkip(line: 2, reason: .skippedHour("2026-03-29T02:30:00")),
        HistorySkip(line: 4, reason: .time("2027-03-01T07:00:00")),
      ])
    #expect(try await samples().map(\.start) == [time("2025-10-26T00:30:00Z")])
  }

  @Test func `a whole hour beside the box's own weight is said`() async throws {
    let arrival = time("2026-03-02T07:04:31Z")
    let reading = Reading(
      quantity: .bodyMass, value: 81.95, arrival: arrival,
      device: DeviceIdentity(address: "C0:00:00:00:00:01"))
    _ = try await store.write {
      try $0.insert(Sample(reading: reading, patient: "ann", start: arrival, end: arrival))
    }
    let result = try await load(Self.scale)
    #expect(result.shifted == 1)
  }

  @Test func `two people in one file are told apart, and the unclear waits`() async throws {
    var rows = ["DATE,TIME,BODY_FAT,WEIGHT"]
    for day in 10...28 {
      rows.append("2026-02-\(day),07:00:00,25.0,\(64 + Double(day % 3) / 10)")
      rows.append("2026-02-\(day),08:00:00,20.0,\(90 - Double(day % 4) / 10)")
    }
    rows.append("2026-03-05,07:00:00,22.0,77.0")
    let result = try await load(rows.joined(separator: "\n"), patient: nil)
    #expect(result.new == 78)
    #expect(try await samples(of: .patient("ann")).allSatisfy { $0.value < 65 })
    #expect(try await samples(of: .patient("bob")).allSatisfy { $0.value > 89 })
    #expect(try await samples(of: .patient("ann")).count == 19)
    #expect(try await samples(of: .patient("bob")).count == 19)
    #expect(try await samples(.bodyFatPercentage, of: .patient("ann")).count == 19)
    #expect(try await samples(of: .unassigned).map(\.value) == [77])
    #expect(result.unassigned == 2)
  }

  @Test func `what the other program deleted follows only where it is asked for`() async throws {
    _ = try await load(Self.scale)
    let shorter = """
      DATE,TIME,BMI,BODY_FAT,WEIGHT
      2026-03-01,07:00:00,24.8,21.4,81.9
      2026-03-03,,24.7,,81.6

      """
    let result = try await load(shorter)
    for (follows, left) in [(false, 3), (true, 2)] {
      _ = try await store.write { [now] in
        try FinishHistory(.openScale, result, follows: follows)
          .perform(in: $0, by: .owner, now: now)
      }
      #expect(try await samples().count == left)
    }
    #expect(try await samples().map(\.value) == [81.9, 81.6])
  }

  @Test func `of many rows that are left out the first are kept, and all counted`() {
    var result = ImportHistory.Result()
    var batch = ImportHistory.Result()
    batch.skips = (1...3000).map { HistorySkip(line: $0, reason: .damaged) }
    for _ in 0..<5 { result.add(batch) }
    #expect(result.skips.count == 10_000 && result.skipsBeyond == 5_000)
    var sum = ImportHistory.Result()
    sum.add(result)
    sum.add(result)
    #expect(sum.skips.count == 10_000 && sum.skipsBeyond == 20_000)
  }

  @Test func `a row that the other program edited is the edited one`() async throws {
    _ = try await load(Self.scale)
    let edited = try await load(Self.scale.replacing("81.95", with: "82.05"))
    let end = try await store.write { [now] in
      try FinishHistory(.openScale, edited, follows: true)
        .perform(in: $0, by: .owner, now: now)
    }
    #expect(end.deleted == 1)
    #expect(try await samples().map(\.value) == [82.05, 81.6])
    #expect(try await samples(.bodyFatPercentage).map(\.value) == [21.4])
  }

  @Test func `streams are kept as streams`() async throws {
    let text = """
      [{"type":"sgv","sgv":112,"date":1772434471000,"device":"xDrip"},
      {"type":"sgv","sgv":113,"date":1772434771000,"device":"xDrip"}]
      """
    #expect(try await load(text).new == 2)
    #expect(try await load(text).known == 2)
    let glucose = try await samples(.interstitialGlucose)
    #expect(glucose.map(\.value) == [112, 113])
    #expect(glucose.allSatisfy { $0.reading.isStreamed && $0.patient == "ann" })
  }

  @Test func `a stream without a zone is stored once, whatever zone it is read in`() async throws {
    let text = """
      date,time,heartRate
      2026-03-02,07:04,61
      2026-03-02,07:05,62
      2026-10-25,02:30,63
      """
    #expect(try await load(text, zone: "Europe/Berlin").new == 3)
    #expect(try await samples(.heartRate).allSatisfy { $0.reading.isStreamed })
    for zone in ["Asia/Tokyo", "America/New_York", "Europe/Berlin", nil] {
      let again = try await load(text, zone: zone)
      #expect(again.new == 0 && again.known == 3, "\(zone ?? "")")
    }
    let later = text + "\n2026-03-03,07:05,64"
    #expect(try await load(later, zone: "Asia/Tokyo").new == 1)
    #expect(try await load(later, zone: "Europe/Berlin").new == 0)
  }

  @Test func `what was erased with a person comes only for another one who is named`() async throws
  {
    let glucose = """
      [{"type":"sgv","sgv":112,"date":1772434471000,"device":"xDrip"},
      {"type":"sgv","sgv":113,"date":1772434771000,"device":"xDrip"}]
      """
    // Entries of a name of their own, of none, and of a stream.
    let push = """
      {"_id":"5e1a","type":"mbg","mbg":110,"date":1772434471000,"device":"meter"}
      """
    let files = [(Self.scale, 5), (glucose, 2), ("[\(push)]", 1)]
    for (text, count) in files {
      #expect(try await load(text, patient: text == glucose ? "bob" : "ann").new == count)
    }
    _ = try await store.write { [now] in
      try $0.change(
        .span(device: "Nightscout: xDrip", from: .distantPast, to: now), .assign(patient: "ann"),
        reason: nil, now: now)
    }
    let before = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: before) }
    try await store.export(to: before)
    _ = try await store.write { [now] in try $0.erase(patient: "ann", now: now) }
    for (text, count) in files {
      let unnamed = try await load(text, patient: nil)
      #expect(unnamed.new == 0 && unnamed.known == 0)
      #expect(unnamed.skips.map(\.reason) == Array(repeating: .erased, count: count))
      #expect(try await load(text, patient: "bob").new == count)
      #expect(try await load(text, patient: "bob").known == count)
    }
    // The other program deleted none of them.
    let again = try await load(Self.scale, patient: "bob")
    let end = try await store.write { [now] in
      try FinishHistory(.openScale, again, follows: true)
        .perform(in: $0, by: .owner, now: now)
    }
    #expect(end.deleted == 0)
    #expect(try await store.merge(contentsOf: before).dropped > 0)
    for (quantity, values) in [
      (.bodyMass, [81.95, 81.6]), (.interstitialGlucose, [112, 113]), (.bloodGlucoseMass, [110]),
    ] as [(Quantity, [Double])] {
      let samples = try await samples(quantity)
      #expect(samples.map(\.value) == values && samples.allSatisfy { $0.patient == "bob" })
    }
    #expect(try await store.read { try $0.patients().map(\.id) } == ["bob"])
    #expect(try await store.check() == [])
  }

  /// Two texts of one weight are one measurement, which the file has.
  @Test func `a weight of other digits is not deleted as one that is gone`() async throws {
    _ = try await load(Self.scale)
    let rounded = try await load(Self.scale.replacing("81.95", with: "81.97"))
    #expect(rounded.new == 0)
    let end = try await store.write { [now] in
      try FinishHistory(.openScale, rounded, follows: true)
        .perform(in: $0, by: .owner, now: now)
    }
    #expect(end.deleted == 0)
  }

  @Test func `only who may add imports`() async throws {
    let (kind, entries) = try entries(Self.scale)
    let performer = Performer(
      grant: Grant([.read], .all))
    await #expect(throws: AccessDenied()) {
      try await store.write { [now] in
        _ = try ImportHistory(entries, of: kind, patient: "ann", zone: nil)
          .perform(in: $0, by: performer, now: now)
      }
    }
  }
}
