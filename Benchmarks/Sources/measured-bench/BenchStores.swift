import Care
import CareStore
import Foundation

/// Two people, 200 daily tasks for ten years, and a strap.
enum BenchPlan {
  static let zone = TimeZone(identifier: "America/New_York") ?? .gmt
  static let dayCount = 3652

  /// The local midnight `days` after 2016-12-01.
  static func day(_ days: Int) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let first = Date(timeIntervalSince1970: 1_480_568_400)
    return calendar.date(byAdding: .day, value: days, to: first) ?? first
  }

  /// Anna's daily tasks, and Ben's all-day one, whose heart rate never reaches its target.
  static func document(tasks count: Int) throws -> PlanDocument {
    var tasks = try (0..<count).map { number in
      PlannedTask(
        id: "task\(number)", patient: "anna", title: "Task \(number)",
        schedule: try .daily(
          hour: number % 24, minute: number / 24 * 6, start: day(0), timeZone: zone))
    }
    let allDay = { (target: [TargetValue]) in
      try Schedule([
        ScheduleElement(
          start: day(0), interval: Interval(days: 1), duration: .allDay, targets: target,
          timeZone: zone)
      ])
    }
    tasks.append(
      PlannedTask(
        id: "pulse", patient: "ben", title: "Pulse",
        schedule: try allDay([TargetValue(value: .double(190), unit: .perMinute)]),
        linkage: Linkage(quantity: .heartRate, type: .discrete, unit: .perMinute)))
    tasks.append(
      PlannedTask(
        id: "weight", patient: "ben", title: "Weight", schedule: try allDay([]),
        linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)))
    return PlanDocument(
      timeZone: zone, patients: [Patient(id: "anna"), Patient(id: "ben")], tasks: tasks)
  }

  static let strap = DeviceIdentity(address: "5C:CA:D3:70:D4:A2", definition: "strap")
  static let scale = DeviceIdentity(address: "C8:B2:1E:00:11:22", definition: "scale")

  /// When Ben's strap sends its packet of a second, µs since 1970, and the heart rate in it.
  static func packet(_ second: Int, from start: Date) -> (time: Int64, rate: UInt8) {
    // A strap's packets arrive with a jitter of some milliseconds.
    let jitter = Int64(second &* 7919 % 29_989)
    return (
      start.microseconds + Int64(second) * 1_000_000 + jitter,
      UInt8(60 + second / 600 % 40 + second &* 31 % 5)
    )
  }

  /// The heart rate of a packet.
  static func beat(_ second: Int, from start: Date) -> Sample {
    let packet = packet(second, from: start)
    let date = Date(microseconds: packet.time)
    let reading = Reading(
      quantity: .heartRate, value: Double(packet.rate), arrival: date, device: strap,
      isStreamed: true, raw: [0, packet.rate])
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: "ben", start: date, end: date)
  }

  /// A single measurement of Ben's.
  static func single(_ quantity: Quantity, at date: Date, _ number: Int) -> Sample {
    let reading = Reading(
      quantity: quantity, value: 70 + Double(number % 40) / 10, arrival: date,
      device: scale, raw: [2, UInt8(number & 255), UInt8(number >> 8 & 255), 0, 1, 2, 3, 4])
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: "ben", start: date, end: date)
  }
}

/// A store in a file of its own.
struct BenchStore {
  let path: String
  let store: SQLStore

  /// Makes a store with the plan of so many daily tasks.
  init(_ path: String, tasks: Int) async throws {
    self.path = path
    store = try SQLStore.open(path: path, makeUUID: { .random() })
    let document = try BenchPlan.document(tasks: tasks)
    let report = try await store.write { try $0.importPlan(document, now: BenchPlan.day(0)) }
    precondition(!report.isUnchanged)
  }

  /// Adds Anna's outcomes, one a task and day, of ten years or other days.
  func addOutcomes(days: Range<Int> = 0..<BenchPlan.dayCount) throws {
    let plain = try PlainSQLite(path)
    try plain.execute("PRAGMA cache_size = -262144")
    let tasks = try BenchPlan.document(tasks: 0).tasks.count
    precondition(tasks == 2)
    let names = try plain.texts("SELECT id FROM version WHERE type = 'task' AND patient = 'anna'")
    let uuids = try plain.texts("SELECT uuid FROM version WHERE type = 'task' AND patient = 'anna'")
    let planned = Dictionary(
      uniqueKeysWithValues: try BenchPlan.document(tasks: names.count).tasks.map { ($0.id, $0) })
    let schedules = try names.map { name in
      try planned[name]?.schedule.occurrences(
        from: BenchPlan.day(0), to: BenchPlan.day(BenchPlan.dayCount)) ?? []
    }
    try plain.writing {
      var number: Int64 = 0
      for day in days {
        for (task, occurrences) in schedules.enumerated() where day < occurrences.count {
          number += 1
          try plain.addOutcome(
            number, of: (names[task], uuids[task]), occurrences[day].start,
            occurrences[day].end, index: day)
        }
      }
      try plain.execute("UPDATE store SET clock = ?", [.integer(number)])
    }
  }

  /// Adds single measurements of eight quantities, one every `pause` seconds.
  func addSingles(_ count: Int, pause: Double) async throws {
    let quantities: [Quantity] = [
      .bodyMass, .bloodGlucose, .oxygenSaturation, .bodyTemperature, .pulseRate,
      .bloodPressureSystolic, .bloodPressureDiastolic, .bodyFatPercentage,
    ]
    let start = BenchPlan.day(0) + 1
    // The library makes the series, whose rows are then filled.
    for quantity in quantities {
      let sample = BenchPlan.single(quantity, at: start - 1, 0)
      _ = try await store.write { try $0.insert(sample) }
    }
    let plain = try PlainSQLite(path)
    try plain.execute("PRAGMA cache_size = -262144")
    let series = try quantities.map { quantity in
      try plain.query("SELECT number FROM series WHERE quantity = '\(quantity.rawValue)'")[0]
    }
    let source = try plain.query("SELECT source FROM sample")[0]
    try plain.writing {
      for number in 0..<count {
        let kind = number % quantities.count
        try plain.addSample(
          BenchPlan.single(quantities[kind], at: start + Double(number) * pause, number),
          series: series[kind], source: source)
      }
    }
  }

  /// Adds whole days of Ben's heart rate at 1 Hz, packed by the store.
  func addBeats(days: Range<Int>) async throws {
    let first = BenchPlan.beat(0, from: BenchPlan.day(days.lowerBound))
    _ = try await store.write { try $0.insert(first) }
    let plain = try PlainSQLite(path)
    let series = try plain.query("SELECT number FROM series WHERE quantity = 'heartRate'")[0]
    let source = try plain.query("SELECT source FROM block")[0]
    for day in days {
      let start = BenchPlan.day(day)
      let seconds = Int(BenchPlan.day(day + 1).timeIntervalSince(start))
      try plain.writing {
        var block: (hour: Int64, number: Int64) = (.min, 0)
        for second in 0..<seconds {
          let packet = BenchPlan.packet(second, from: start)
          let hour = packet.time / 3_600_000_000
          if hour != block.hour {
            block = (hour, try plain.openBlock(hour, series: series, source: source))
          }
          try plain.addBeat(packet, to: block.number)
        }
      }
      guard day + 1 < days.upperBound else { continue }
      // The first sample of the next hour packs the hours before.
      let next = BenchPlan.beat(0, from: BenchPlan.day(day + 1))
      _ = try await store.write { try $0.insert(next) }
    }
    // The last hour stays open, as it is while a strap is worn.
    let last = BenchPlan.day(days.upperBound) - 1.5
    let sample = BenchPlan.beat(0, from: last)
    _ = try await store.write { try $0.insert(sample) }
  }

  /// The size of the file with its log.
  var megabytes: Double {
    ["", "-wal"].reduce(0) { sum, suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
      return sum + ((attributes?[.size] as? NSNumber)?.doubleValue ?? 0) / 1e6
    }
  }
}

// MARK: - Rows

extension PlainSQLite {
  /// The rows of an outcome with one value, as the store writes them.
  func addOutcome(
    _ clock: Int64, of task: (id: String, uuid: String), _ start: Date, _ end: Date, index: Int
  ) throws {
    try execute(
      """
      INSERT INTO outcome (uuid, patient, task, start_date, ordinal, end_date, task_uuid,
        occurrence, answer, reason, answer_date, created_date, deleted_date, is_tip, writer, clock,
        stored)
      VALUES (?, 'anna', ?, ?, 0, ?, ?, ?, 'done', NULL, NULL, ?, NULL, 1, 1, ?, 1)
      """,
      [
        .text(UUID().uuidString), .text(task.id), .integer(start.microseconds),
        .integer(end.microseconds), .text(task.uuid), .integer(Int64(index)),
        .integer(end.microseconds), .integer(clock),
      ])
    try execute(
      """
      INSERT INTO outcome_value (outcome, position, type, value, unit, kind, time, provenance)
      VALUES (last_insert_rowid(), 0, 'double', ?, NULL, NULL, ?, 'manual')
      """, [.real(1), .integer(start.microseconds)])
  }

  /// The row of a single sample, as the store writes it.
  func addSample(_ sample: Sample, series: Int64, source: Int64) throws {
    let (start, patient) = (sample.start.microseconds, sample.patient ?? "")
    try execute(
      """
      INSERT INTO sample (series, time, ordinal, raw, identity, basis, source, value,
        source_value, start_date, end_date, arrival_date, device_time, is_clock_trusted, corrects,
        attributed, reason, patient, state, quantity, context, stored)
      VALUES (?, ?, ?, ?, '', 1, ?, ?, NULL, ?, ?, ?, NULL, 1, NULL, ?, NULL, ?, 0, ?, '', 1)
      ON CONFLICT (series, time, ordinal, raw, identity) DO NOTHING
      """,
      [
        .integer(series), .integer(start), .integer(Int64(sample.ordinal)), .blob(sample.raw),
        .integer(source), .real(sample.value), .integer(start), .integer(start), .integer(start),
        .text(patient), .text(patient), .text(sample.quantity.rawValue),
      ])
  }

  /// A streamed sample among the rows of an open block.
  fileprivate func addBeat(_ packet: (time: Int64, rate: UInt8), to block: Int64) throws {
    let time = Value.integer(packet.time)
    try execute(
      """
      INSERT OR IGNORE INTO recent
        (block, start_date, ordinal, end_date, arrival_date, value, raw)
      VALUES (?, ?, 0, ?, ?, ?, ?)
      """,
      [
        .integer(block), time, time, time, .real(Double(packet.rate)), .blob([0, packet.rate]),
      ])
  }

  /// The open block of an hour; the store computes its figures when it packs it.
  fileprivate func openBlock(_ hour: Int64, series: Int64, source: Int64) throws -> Int64 {
    let known = try query(
      "SELECT number FROM block WHERE series = ? AND hour = ?", [.integer(series), .integer(hour)])
    if let known = known.first { return known }
    return try query(
      """
      INSERT INTO block (series, source, quantity, hour, part, attributed, patient, state, count,
        sum, least, most, latest, first_date, latest_date, last_end, stored)
      VALUES (?, ?, 'heartRate', ?, 0, 'ben', 'ben', 0, 3600, 270000, 60, 110, 75, ?, ?, ?, 1)
      RETURNING number
      """,
      [
        .integer(series), .integer(source), .integer(hour), .integer(hour * 3_600_000_000),
        .integer((hour + 1) * 3_600_000_000 - 1), .integer((hour + 1) * 3_600_000_000 - 1),
      ])[0]
  }
}
