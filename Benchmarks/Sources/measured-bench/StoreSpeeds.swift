import Care
import CareStore
import Foundation

/// Prints how fast the store is, beside plain SQLite with the same rows and pragmas, and what it
/// should reach.
///
/// If `isQuick`, a tenth of the samples is enough, for a first look.
func printStoreSpeeds(isQuick: Bool = false) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "measured-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let place = folder.path + "/"

  async let year = yearOfBeats(place + "year.db", days: isQuick ? 36 : 365)
  let full = try await fullStore(place + "full.db", part: isQuick ? 10 : 1)
  let beats = try await year
  let empty = try await BenchStore(place + "empty.db", tasks: 1)
  let clock = ContinuousClock()
  let begin = clock.now

  print("\nthe store: 200 tasks, 730 000 outcomes, 10 000 000 samples")
  print(column("", width: 44), "      here", " reference", "     ratio", "     bound")
  try await printReading(full)
  try await printYear(beats, days: isQuick ? 36 : 365)
  try await printOutcomes(full, empty, plain: place + "plain.db")
  try await printSamples(full, empty, plain: place + "plain-samples.db")
  try await printStrap(in: place)
  let opening = try await times(11) {
    _ = try SQLStore.open(path: full.path, makeUUID: { UUID() })
  }
  line("opening, ms", opening.median * 1e3, bound: "100")
  print("measured in \(clock.now - begin)")
}

private func fullStore(_ path: String, part: Int) async throws -> BenchStore {
  let store = try await BenchStore(path, tasks: 200)
  try store.addOutcomes()
  try await store.addSingles(1_360_000 / part, pause: 232 * Double(part))
  try await store.addBeats(days: BenchPlan.dayCount - 100 / part..<BenchPlan.dayCount)
  return store
}

private func yearOfBeats(_ path: String, days: Int) async throws -> BenchStore {
  let store = try await BenchStore(path, tasks: 1)
  try await store.addBeats(days: 0..<days)
  return store
}

// MARK: - Reading

private func printReading(_ full: BenchStore) async throws {
  let plain = try PlainSQLite(full.path)
  let days = [0, 1826, BenchPlan.dayCount - 1] + (1...9).map { $0 &* 1_103 % BenchPlan.dayCount }
  var found: [(day: Int, time: Double)] = []
  for day in days {
    let (from, to) = (BenchPlan.day(day), BenchPlan.day(day + 1))
    let times = try await times(15) {
      let events = try await full.store.read {
        try $0.events(patient: "anna", task: nil, from: from, to: to)
      }
      precondition(events.count { $0.outcome?.values.count == 1 } >= 200)
    }
    found.append((day, times.median * 1e3))
  }
  let (from, to) = (BenchPlan.day(1826), BenchPlan.day(1827))
  let reference =
    try await times(15) {
      try plain.query(
        """
        SELECT * FROM outcome JOIN outcome_value ON outcome = number
        WHERE patient = 'anna' AND start_date >= ? AND start_date < ? AND is_tip = 1
        """, [.integer(from.microseconds), .integer(to.microseconds)])
    }.median * 1e3
  for (name, place) in [("first day", 0), ("five years back", 1), ("last day", 2)] {
    line("events of 200 tasks, \(name), ms", found[place].time, reference, bound: "5")
  }
  let (least, most) = (found.map(\.time).min() ?? 0, found.map(\.time).max() ?? 0)
  line("the dearest of 12 days, ms", most, least, bound: "3 ×")

  let now = BenchPlan.day(BenchPlan.dayCount) - 3600
  let today = try await times(15) {
    let day = try await full.store.read {
      try CareDay($0, patient: nil, on: now, in: BenchPlan.zone)
    }
    precondition(day.events.count >= 202)
  }
  line("today with 86 400 heart rates, ms", today.median * 1e3, bound: "20")

  let child = Process()
  child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  child.arguments = ["store-adherence", full.path]
  let output = Pipe()
  child.standardOutput = output
  try child.run()
  child.waitUntilExit()
  let figures = String(
    decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self
  ).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  let allYear = try await times(3) {
    try plain.query(
      """
      SELECT * FROM outcome JOIN outcome_value ON outcome = number
      WHERE patient = 'anna' AND start_date >= ? AND start_date < ? AND is_tip = 1
      """,
      [.integer(BenchPlan.day(3000).microseconds), .integer(BenchPlan.day(3365).microseconds)])
  }
  line(
    "adherence of a year, ms", (figures.first ?? .nan) * 1e3, allYear.median * 1e3, bound: "500")
  line("its memory, MB", figures.last ?? .nan, bound: "60")
}

/// Prints how many seconds a year's adherence takes in a process of its own, and its memory in MB.
func printAdherence(ofStoreAt path: String) async throws {
  let store = try SQLStore.open(path: path, makeUUID: { UUID() })
  let begin = ContinuousClock().now
  let days = try await store.read { reader in
    try reader.adherence(
      by: .day, patient: "anna", from: BenchPlan.day(3000), to: BenchPlan.day(3365),
      in: BenchPlan.zone)
  }
  let seconds = (ContinuousClock().now - begin).seconds
  precondition(days.count == 365)
  let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let peak = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?
    .split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
  print(seconds, (peak ?? .nan) / 1024)
}

private func printYear(_ year: BenchStore, days: Int) async throws {
  line("\(days) days of 1 Hz heart rate, MB", year.megabytes, bound: "150")
  var samples: [Double] = []
  var events: [Double] = []
  for day in stride(from: 0, to: days, by: days / 6) {
    let (from, to) = (BenchPlan.day(day), BenchPlan.day(day + 1))
    samples += try await times(5) {
      let found = try await year.store.read {
        try $0.samples(
          SampleQuery(owner: .patient("ben"), quantity: .heartRate, from: from, to: to))
      }
      precondition(found.count >= 86_000)
    }
    events += try await times(5) {
      let found = try await year.store.read {
        try $0.events(patient: "ben", task: "pulse", from: from + 1, to: to)
      }
      precondition(found.first?.outcome?.values.count == 4)
    }
  }
  line("samples of a day of it, ms", samples.median * 1e3, bound: "20")
  line("event of a day of it, ms", events.median * 1e3, bound: "20")
}

// MARK: - Writing

private func printOutcomes(_ full: BenchStore, _ empty: BenchStore, plain path: String) async throws
{
  // The reference writes the same rows to a store's tables.
  let other = try await BenchStore(path, tasks: 1)
  let plain = try PlainSQLite(path)
  var (withMany, withOne, reference) = ([Double](), [Double](), [Double]())
  let uuid = UUID().uuidString
  for place in 0..<400 {
    let day = BenchPlan.dayCount + 10 + place
    for (store, isFull) in [(full, true), (empty, false)] {
      let event = try await store.store.read {
        try $0.events(
          patient: "anna", task: "task0", from: BenchPlan.day(day), to: BenchPlan.day(day + 1)
        ).last?.reference
      }
      guard let event else { continue }
      let value = OutcomeValue(value: .double(1), time: BenchPlan.day(day), provenance: .manual)
      let time = try await times(1) {
        _ = try await store.store.write {
          try $0.setOutcome([value], of: event, now: BenchPlan.day(day + 1))
        }
      }
      if isFull { withMany += time } else { withOne += time }
    }
    let start = BenchPlan.day(day)
    reference += try await times(1) {
      try plain.writing {
        try plain.query("UPDATE store SET clock = clock + 1 RETURNING writer, clock")
        try plain.addOutcome(
          Int64(place), of: ("task0", uuid), start, start + 3600, index: day)
      }
    }
  }
  try other.store.close()
  line(
    "durable outcome, least of 400, ms", withOne.least * 1e3, reference.least * 1e3, bound: "1.5 ×")
  line("  median, ms", withOne.median * 1e3, reference.median * 1e3, bound: "1.5 ×")
  line(
    "  least with 200 tasks, beside one, ms", withMany.least * 1e3, withOne.least * 1e3,
    bound: "1 ×")
  line(
    "  median with 200 tasks, beside one, ms", withMany.median * 1e3, withOne.median * 1e3,
    bound: "1 ×")
}

private func printSamples(
  _ full: BenchStore, _ empty: BenchStore, plain path: String
) async throws {
  let other = try await BenchStore(path, tasks: 1)
  let plain = try PlainSQLite(path)
  let first = BenchPlan.single(.pulseRate, at: BenchPlan.day(0), 0)
  _ = try await other.store.write { try $0.insert(first) }
  var (inFull, inEmpty, reference) = ([Double](), [Double](), [Double]())
  let batches = 60
  for batch in 0..<batches {
    let start = BenchPlan.day(BenchPlan.dayCount + 500) + Double(batch) * 1000
    let samples = (0..<1000).map {
      BenchPlan.single(.pulseRate, at: start + Double($0), batch * 1000 + $0)
    }
    for (store, isFull) in [(full, true), (empty, false)] {
      let time = try await times(1) {
        let count = try await store.store.write { writer in
          try samples.count { try writer.insert($0) }
        }
        precondition(count == samples.count)
      }
      if isFull { inFull += time } else { inEmpty += time }
    }
    reference += try await times(1) {
      try plain.writing {
        for sample in samples { try plain.addSample(sample, series: 1, source: 1) }
      }
    }
  }
  // The median batch: a disk that is busy elsewhere delays single ones.
  let plainRate = 1000 / reference.median
  line(
    "samples/s in batches of 1000, empty store", 1000 / inEmpty.median, plainRate, bound: "150000")
  line("  full store", 1000 / inFull.median, plainRate, bound: "150000")

  var weighing: [Bool: [Double]] = [:]
  for number in 0..<100 {
    let date = BenchPlan.day(BenchPlan.dayCount + 520 + number) + 7 * 3600
    let weight = BenchPlan.single(.bodyMass, at: date, number)
    for (store, isFull) in [(full, true), (empty, false)] {
      weighing[isFull, default: []] += try await times(1) {
        try await store.store.write { writer in
          // A scale asks beside: its weight of the last minute, and the last one of a patient.
          _ = try writer.samples(
            SampleQuery(
              quantity: .bodyMass, device: weight.device.address, from: date - 60, to: date + 60))
          _ = try writer.latestSample(patient: "ben", quantity: .bodyMass)
          try writer.record(weight, of: "weight")
        }
      }
    }
  }
  line(
    "weigh-in in the full store, beside empty, ms", (weighing[true] ?? []).median * 1e3,
    (weighing[false] ?? []).median * 1e3, bound: "2 ×")
}

private func printStrap(in place: String) async throws {
  // Hours of the long run and single hours take turns: the machine's speed changes meanwhile.
  let long = try await BenchStore(place + "strap.db", tasks: 1)
  var (four, one) = (0.0, 0.0)
  for hour in 0..<4 {
    let short = try await BenchStore(place + "strap-\(hour).db", tasks: 1)
    four += try await long.timeHour(hour)
    one += try await short.timeHour(0)
  }
  line("four hours of a strap, beside one, ms", four * 1e3, one / 4 * 1e3, bound: "4.5 ×")
}

extension BenchStore {
  /// How many seconds one hour of a 1 Hz strap takes.
  fileprivate func timeHour(_ hour: Int) async throws -> Double {
    try await times(1) {
      for batch in stride(from: hour * 3600, to: (hour + 1) * 3600, by: 60) {
        try await store.write { writer in
          for second in batch..<batch + 60 {
            try writer.record(BenchPlan.beat(second, from: BenchPlan.day(1)), of: "pulse")
          }
        }
      }
    }[0]
  }
}

extension StoreWriter {
  /// Stores a sample as the hub does: it looks for duplicates, and reads the open event before and
  /// after.
  fileprivate func record(_ sample: Sample, of task: String) throws {
    guard try !contains(sample.reading, identity: sample.identity) else { return }
    let (from, to) = (sample.start - 1, sample.end + 0.000_001)
    let before = try events(patient: "ben", task: task, from: from, to: to)
    _ = try insert(sample)
    let after = try events(patient: "ben", task: task, from: from, to: to)
    precondition(before.count == after.count && before.last?.progress != nil)
  }
}

// MARK: - Times

/// How many seconds each of `count` runs takes.
private func times(_ count: Int, _ body: () async throws -> Void) async throws -> [Double] {
  var times: [Double] = []
  for _ in 0..<count {
    let begin = ContinuousClock().now
    try await body()
    times.append((ContinuousClock().now - begin).seconds)
  }
  return times
}

extension [Double] {
  fileprivate var median: Double { isEmpty ? .nan : sorted()[count / 2] }
  fileprivate var least: Double { self.min() ?? .nan }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

private func line(_ name: String, _ value: Double, _ reference: Double? = nil, bound: String) {
  let digits = value < 100 ? 3 : 0
  print(
    column(name, width: 44), column(value, digits: digits, width: 10),
    reference.map {
      column($0, digits: digits, width: 10) + " " + column(value / $0, digits: 2, width: 10)
    }
      ?? String(repeating: " ", count: 21),
    String(repeating: " ", count: Swift.max(0, 10 - bound.count)) + bound)
}
